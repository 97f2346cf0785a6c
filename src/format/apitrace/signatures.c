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

bool enum_index(EnumSig *sig, Arena *arena)
{
    sig->by_value = (IdMap){ .arena = arena };
    for (uint32_t i = 0; i < sig->count; i++) {
        const uint64_t value = (uint64_t)sig->entries[i].value;
        if (id_map_find(&sig->by_value, value) != 0) continue;
        if (!id_map_put(&sig->by_value, value, i + 1)) return false;
    }
    return true;
}

const StringView *enum_name(const EnumSig *sig, int64_t value)
{
    const uint32_t found = id_map_find(&sig->by_value, (uint64_t)value);
    return found == 0 ? NULL : &sig->entries[found - 1].name;
}

StringView text_before_nul(StringView text)
{
    const char *nul = text.size == 0 ? NULL : (const char *)memchr(text.bytes, 0, text.size);
    return (StringView){ text.bytes, nul == NULL ? text.size : (size_t)(nul - text.bytes) };
}
