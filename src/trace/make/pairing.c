#include "trace/make/pairing.h"

/* Limit on the slices of one name that are compared with an end, if their categories differ from the end's. */
enum { MOST_COMPARED = 64 };

static PairingSlice *slice_at(const Pairing *p, const Bytes *items, size_t i)
{
    return (PairingSlice *)(void *)(items->data + i * p->item_size);
}

static bool labels_match(const Pairing *p, uint32_t begin, uint32_t end)
{
    const Label *labels = p->ws->builder->labels.all.items;
    return begin == end || labels_agree(&labels[begin], &labels[end]);
}

/* Puts the parted slice on the list of its name. */
static void link_parted(Pairing *p, size_t i)
{
    PairingSlice *slice = slice_at(p, &p->parted, i);
    if (slice->next != PAIRING_TAKEN) pairing_link(&p->heads[pairing_name(p, slice->label)].parted, slice, i);
}

/* Makes the lists of the slices of each name. False (and Workspace.failed): out of memory. */
static bool start_lists(Pairing *p)
{
    if (p->heads != NULL) return true;
    p->heads = workspace_name_heads(p->ws);
    if (p->heads == NULL) return false;
    for (size_t i = 0; i < p->depth; i++) {
        PairingSlice *slice = slice_at(p, &p->open, i);
        pairing_link(&p->heads[pairing_name(p, slice->label)].open, slice, i);
    }
    for (size_t i = 1; i < p->parted.size / p->item_size; i++)
        link_parted(p, i);
    return true;
}

void pairing_clear_parted(Pairing *p)
{
    for (size_t i = 1; p->heads != NULL && i < p->parted.size / p->item_size; i++)
        p->heads[pairing_name(p, slice_at(p, &p->parted, i)->label)].parted = 0;
    p->parted.size = 0;
}

void pairing_stop_lists(Pairing *p)
{
    if (p->heads == NULL) return;
    for (size_t i = 0; i < p->depth; i++)
        p->heads[pairing_name(p, slice_at(p, &p->open, i)->label)].open = 0;
    for (size_t i = 1; i < p->parted.size / p->item_size; i++)
        p->heads[pairing_name(p, slice_at(p, &p->parted, i)->label)].parted = 0;
    p->heads = NULL;
}

/* Returns the level of the innermost open slice that matches the label; SIZE_MAX if no open slice does. */
static size_t find_open(const Pairing *p, uint32_t label)
{
    uint32_t next = p->heads[pairing_name(p, label)].open;
    for (unsigned compared = 0; next != 0 && compared < MOST_COMPARED; compared++) {
        const PairingSlice *slice = slice_at(p, &p->open, next - 1);
        if (labels_match(p, slice->label, label)) return next - 1;
        next = slice->next;
    }
    return SIZE_MAX;
}

/* Moves the open slices from `level` on to the parted ones. */
static void part(Pairing *p, size_t level)
{
    pairing_clear_parted(p);
    p->parted_level = 0; /* popping must not clear the list */
    bytes_append(&p->parted, p->open.data + level * p->item_size, p->item_size);
    while (p->depth > level + 1) {
        bytes_append(&p->parted, pairing_pop(p), p->item_size);
        if (p->parted.failed) return;
        const size_t last = p->parted.size / p->item_size - 1;
        slice_at(p, &p->parted, last)->next = 0;
        link_parted(p, last);
    }
    (void)pairing_pop(p);
    p->parted_level = level;
}

/* Removes the outermost parted slice that matches the label from its list. Returns NULL if no slice matches. */
static const void *take_parted(Pairing *p, uint32_t label)
{
    if (p->depth != p->parted_level || p->parted.size == 0) return NULL;
    uint32_t *link = &p->heads[pairing_name(p, label)].parted;
    for (unsigned compared = 0; *link != 0 && compared < MOST_COMPARED; compared++) {
        PairingSlice *slice = slice_at(p, &p->parted, *link - 1);
        if (labels_match(p, slice->label, label)) {
            *link = slice->next;
            slice->next = PAIRING_TAKEN;
            return slice;
        }
        link = &slice->next;
    }
    return NULL;
}

EndKind pairing_end_by_name(Pairing *p, uint32_t label, const void **item)
{
    if ((p->depth > 0 || p->parted.size > 0) && !start_lists(p)) return END_UNMATCHED;
    const size_t level = p->depth == 0 ? SIZE_MAX : find_open(p, label);
    if (level != SIZE_MAX) {
        p->any_named_match = true;
        part(p, level);
        return END_OUTER;
    }
    *item = take_parted(p, label);
    if (*item != NULL) return END_EXCHANGED;
    if (p->nameless == NAMELESS_UNKNOWN && p->any_named_match) p->nameless = NAMELESS_NO;
    return p->nameless == NAMELESS_UNKNOWN ? END_UNDECIDED : END_UNMATCHED;
}
