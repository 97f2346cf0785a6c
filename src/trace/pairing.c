#include "trace/pairing.h"

#include <string.h>

/* Limit on the levels of the stack that are searched for a name: bounds the work for hostile files. */
enum { MOST_LEVELS_SEARCHED = 4096 };

static uint32_t label_of(const Pairing *p, const Bytes *items, size_t i)
{
    return ((const PairingSlice *)(const void *)(items->data + i * p->item_size))->label;
}

static uint32_t *count_of(Pairing *p, size_t level)
{
    return &p->name_counts[pairing_name(p, label_of(p, &p->open, level))];
}

static bool labels_match(const Pairing *p, uint32_t begin, uint32_t end)
{
    const Label *labels = VECTOR(p->ws->builder->labels, const Label);
    return begin == end || labels_agree(&labels[begin], &labels[end]);
}

/* Starts to count the open slices of each name. False (and Workspace.failed): out of memory. */
static bool start_counting(Pairing *p)
{
    if (p->name_counts != NULL) return true;
    Workspace *ws = p->ws;
    size_t     names = (size_t)string_table_count(ws->builder->strings) + 1;
    bool       fresh = ws->name_counts.size < names * sizeof(uint32_t);
    p->name_counts = (uint32_t *)workspace_pages(ws, &ws->name_counts, names, sizeof(uint32_t));
    if (p->name_counts == NULL) return false;
    if (fresh) memset(p->name_counts, 0, ws->name_counts.size);
    for (size_t i = 0; i < p->depth; i++)
        ++*count_of(p, i);
    return true;
}

void pairing_stop_counting(Pairing *p)
{
    if (p->name_counts == NULL) return;
    for (size_t i = 0; i < p->depth; i++)
        --*count_of(p, i);
    p->name_counts = NULL;
}

/* Returns the level of the innermost open slice that matches the label; SIZE_MAX if no open slice does. */
static size_t find_open(Pairing *p, uint32_t label)
{
    const size_t levels = p->depth;
    const size_t lowest = levels > MOST_LEVELS_SEARCHED ? levels - MOST_LEVELS_SEARCHED : 0;
    if (levels == 0 || !start_counting(p) || p->name_counts[pairing_name(p, label)] == 0) return SIZE_MAX;
    for (size_t level = levels; level > lowest; level--) {
        if (labels_match(p, label_of(p, &p->open, level - 1), label)) return level - 1;
    }
    return SIZE_MAX;
}

/* Moves the open slices from `level` on to the parted ones. */
static void part(Pairing *p, size_t level)
{
    p->parted.size = 0;
    p->parted_level = 0; /* popping must not clear the list */
    bytes_append(&p->parted, p->open.data + level * p->item_size, p->item_size);
    while (p->depth > level + 1)
        bytes_append(&p->parted, pairing_pop(p), p->item_size);
    (void)pairing_pop(p);
    p->parted_level = level;
}

/* Takes the outermost parted slice that matches the label off the list, to behind its end. Returns NULL if there is
 * none. */
static const void *take_parted(Pairing *p, uint32_t label)
{
    const size_t size = p->item_size, count = p->parted.size / size;
    uint8_t      taken[PAIRING_ITEM_MOST];
    assert(size <= sizeof taken);
    if (p->depth != p->parted_level) return NULL;
    for (size_t i = count; i > 1; i--) {
        if (!labels_match(p, label_of(p, &p->parted, i - 1), label)) continue;
        uint8_t *at = p->parted.data + (i - 1) * size;
        memcpy(taken, at, size);
        memmove(at, at + size, (count - i) * size);
        p->parted.size -= size;
        memcpy(p->parted.data + p->parted.size, taken, size);
        return p->parted.data + p->parted.size;
    }
    return NULL;
}

EndKind pairing_end_by_name(Pairing *p, uint32_t label, const void **item)
{
    const size_t level = find_open(p, label);
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
