#include "trace/make/run_sort.h"

#include <string.h>

static int64_t tick_of(const uint8_t *item)
{
    int64_t tick;
    memcpy(&tick, item, sizeof tick);
    return tick;
}

/* Fills the keys of `count` items. Returns true if they are in order. */
static bool fill_keys(SortKey *keys, const uint8_t *items, size_t count, size_t item_size)
{
    bool in_order = true;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = tick_key(tick_of(items + i * item_size));
        in_order &= i == 0 || keys[i - 1].key <= key;
        keys[i] = (SortKey){ key, i };
    }
    return in_order;
}

/* ---- items in the order of their ends ---- */

/* Programs write a slice when it ends: after the slices inside it. Such items need no sort: each goes before those earlier
 * ones that begin after it, which are the latest ones. */

/* A list of items in order of time: their indices. */
typedef struct ItemList {
    uint32_t first, last;
} ItemList;

/* The successor of item `i`, and list `i` of the stack of lists. */
typedef struct ItemLink {
    uint32_t next; /* the item after it in its list; undefined for the last one */
    ItemList list;
} ItemLink;

static_assert(sizeof(ItemLink) <= sizeof(SortKey), "links fit into the place of keys");

/* Appends list `b` to `a`. Returns false if `b` begins before the last item of `a`. */
static inline bool list_append(ItemLink *links, const SortKey *keys, ItemList *a, ItemList b)
{
    if (keys[b.first].key < keys[a->last].key) return false;
    links[a->last].next = b.first;
    a->last = b.last;
    return true;
}

/* Links `count` items, at least one, in order of time; those of equal times stay in their order. Sets *all. Returns false if they
 * are not in the order of the ends of nested slices. */
static bool link_items(ItemLink *links, const SortKey *keys, size_t count, ItemList *all)
{
    size_t depth = 0; /* of the stack: no list begins before the last item of the one below it */
    for (size_t i = 0; i < count; i++) {
        ItemList list = { (uint32_t)i, (uint32_t)i };
        size_t   inside = depth;
        while (inside > 0 && keys[links[inside - 1].list.first].key > keys[i].key)
            inside--;
        if (inside > 0 && keys[links[inside - 1].list.last].key > keys[i].key) return false;
        for (size_t k = inside; k < depth; k++) {
            if (!list_append(links, keys, &list, links[k].list)) return false;
        }
        links[inside].list = list;
        depth = inside + 1;
    }
    *all = links[0].list;
    for (size_t k = 1; k < depth; k++) {
        if (!list_append(links, keys, all, links[k].list)) return false;
    }
    return true;
}

/* ---- one run ---- */

/* Puts the indices of the keys in order of time. Returns the keys with these indices; NULL when out of memory. */
static SortKey *order_keys(Workspace *ws, SortKey *keys, size_t count)
{
    ItemLink *links = (ItemLink *)workspace_pages(ws, &ws->keys_swap, count, sizeof(SortKey));
    ItemList  list;
    if (links == NULL) return NULL;
    if (!link_items(links, keys, count, &list)) return workspace_sort(ws, keys, count);
    uint32_t next = list.first;
    for (size_t i = 0; i < count; i++) {
        keys[i].index = next;
        next = links[next].next;
    }
    return keys;
}

static ALWAYS_INLINE void copy_items(const uint8_t *from, uint8_t *to, const SortKey *keys, size_t count,
                                     size_t item_size)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * item_size, from + keys[i].index * item_size, item_size);
}

/* Returns keys with the indices of the items in order of time; NULL when out of memory. Sets *in_order if they are those of
 * the items. */
static SortKey *keys_in_order(Workspace *ws, const uint8_t *items, size_t count, size_t item_size,
                              bool *in_order)
{
    SortKey *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    if (keys == NULL) return NULL;
    *in_order = fill_keys(keys, items, count, item_size);
    return *in_order ? keys : order_keys(ws, keys, count);
}

static bool copy_in_order(Workspace *ws, const uint8_t *from, uint8_t *to, size_t count, size_t item_size)
{
    bool           in_order;
    const SortKey *keys = keys_in_order(ws, from, count, item_size, &in_order);
    if (keys == NULL) return false;
    if (in_order)
        memcpy(to, from, count * item_size);
    else if (item_size == sizeof(EventRecord))
        copy_items(from, to, keys, count, sizeof(EventRecord)); /* without calls of memcpy */
    else
        copy_items(from, to, keys, count, item_size);
    return true;
}

bool run_sort_open(Workspace *ws, RunSort *runs, size_t count)
{
    *runs = (RunSort){ .heads = ARENA_ARRAY(&ws->scratch, RunHead, count / RUN_ITEMS + 1) };
    if (runs->heads == NULL) ws->failed = true;
    return runs->heads != NULL;
}

/* Adds a sorted run of `count` items, which is a part of the run before if it does not begin earlier than that ends. */
static NOINLINE void append_run(RunSort *runs, const uint8_t *first, size_t count, size_t item_size)
{
    RunHead *last = runs->count == 0 ? NULL : &runs->heads[runs->count - 1];
    if (last == NULL || tick_of(first - item_size) > tick_of(first)) {
        last = &runs->heads[runs->count++];
        *last = (RunHead){ .tick = tick_of(first), .at = first };
    }
    last->end = first + count * item_size;
}

bool run_sort_add(Workspace *ws, RunSort *runs, const void *from, void *to, size_t count, size_t item_size)
{
    if (!copy_in_order(ws, (const uint8_t *)from, (uint8_t *)to, count, item_size)) {
        ws->failed = true;
        return false;
    }
    append_run(runs, (const uint8_t *)to, count, item_size);
    return true;
}

/* Adds a run of the places of `count` items, of which `first` is the index of the first one. */
static bool add_places(Workspace *ws, RunSort *runs, const uint8_t *items, SortKey *to, size_t first,
                       size_t count, size_t item_size)
{
    bool           in_order;
    const SortKey *keys = keys_in_order(ws, items, count, item_size, &in_order);
    if (keys == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)keys[i].index;
        to[i] = (SortKey){ (uint64_t)tick_of(items + index * item_size), first + index };
    }
    append_run(runs, (const uint8_t *)to, count, sizeof *to);
    return true;
}

bool run_sort_places(Workspace *ws, RunSort *runs, const void *items, SortKey *to, size_t count,
                     size_t item_size)
{
    if (!run_sort_open(ws, runs, count)) return false;
    for (size_t at = 0; at < count; at += RUN_ITEMS) {
        const size_t some = count - at < RUN_ITEMS ? count - at : RUN_ITEMS;
        if (!add_places(ws, runs, (const uint8_t *)items + at * item_size, to + at, at, some, item_size))
            return false;
    }
    run_sort_merge(runs);
    return true;
}

void run_sort_merge(RunSort *runs)
{
    for (size_t i = 1; i < runs->count; i++)
        HEAP_RISE(RunHead, runs->heads, i, run_head_before);
}

/* Opens the sort, adds `count` items, which it copies to `to` in runs, and prepares run_sort_next. */
static bool sort_items(Workspace *ws, RunSort *runs, const void *from, void *to, size_t count,
                       size_t item_size)
{
    const uint8_t *const items = (const uint8_t *)from;
    uint8_t *const       copies = (uint8_t *)to;
    if (!run_sort_open(ws, runs, count)) return false;
    for (size_t at = 0; at < count; at += RUN_ITEMS) {
        const size_t some = count - at < RUN_ITEMS ? count - at : RUN_ITEMS;
        if (!run_sort_add(ws, runs, items + at * item_size, copies + at * item_size, some, item_size))
            return false;
    }
    run_sort_merge(runs);
    return true;
}

void *run_sort_array(Workspace *ws, void *items, void *swap, size_t count, size_t item_size)
{
    RunSort runs;
    if (!sort_items(ws, &runs, items, swap, count, item_size)) return NULL;
    if (runs.count <= 1) return swap;
    uint8_t *to = (uint8_t *)items;
    for (const void *item; (item = run_sort_next(&runs, item_size)) != NULL; to += item_size)
        memcpy(to, item, item_size);
    return items;
}
