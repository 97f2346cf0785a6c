#include "format/apitrace/signatures.h"

bool signature_add(Signatures *sigs, SigSpace space, uint64_t id, SigEntry entry)
{
    SigEntry **page = &sigs->pages[space][id / SIG_PAGE];
    if (*page == NULL) {
        SigEntry *fresh = ARENA_ARRAY(sigs->arena, SigEntry, SIG_PAGE);
        if (fresh == NULL) return false;
        *page = fresh;
    }
    (*page)[id % SIG_PAGE] = entry;
    sigs->counts[space]++;
    return true;
}

static uint32_t slot_of(const EnumSig *sig, int64_t value)
{
    return (uint32_t)((uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) >> 32) & sig->slot_mask;
}

bool enum_index(EnumSig *sig, Arena *arena)
{
    uint32_t slots = 4;
    while (slots / 2 < sig->count)
        slots *= 2;
    sig->slots = ARENA_ARRAY(arena, uint32_t, slots);
    sig->slot_mask = slots - 1;
    if (sig->slots == NULL) return false;
    for (uint32_t i = 0; i < sig->count; i++) {
        uint32_t at = slot_of(sig, sig->entries[i].value);
        while (sig->slots[at] != 0 && sig->entries[sig->slots[at] - 1].value != sig->entries[i].value)
            at = (at + 1) & sig->slot_mask;
        if (sig->slots[at] == 0) sig->slots[at] = i + 1;
    }
    return true;
}

const StringView *enum_name(const EnumSig *sig, int64_t value)
{
    for (uint32_t at = slot_of(sig, value); sig->slots[at] != 0; at = (at + 1) & sig->slot_mask) {
        const EnumEntry *entry = &sig->entries[sig->slots[at] - 1];
        if (entry->value == value) return &entry->name;
    }
    return NULL;
}

StringView text_before_nul(StringView text)
{
    const char *nul = text.size == 0 ? NULL : (const char *)memchr(text.bytes, 0, text.size);
    return (StringView){ text.bytes, nul == NULL ? text.size : (size_t)(nul - text.bytes) };
}
