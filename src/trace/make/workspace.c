#include "base/bits.h"
#include "base/checked.h"
#include "trace/make/finish.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void workspace_release_pages(Pages *pages)
{
    memory_unmap(pages->data, pages->size);
    *pages = (Pages){ NULL, 0 };
}

void *workspace_pages(Workspace *ws, Pages *pages, size_t count, size_t size)
{
    size_t need;
    if (!size_mul(count, size, &need)) {
        ws->failed = true;
        return NULL;
    }
    if (need == 0) need = 1;
    if (need <= pages->size) return pages->data;
    size_t with_room = need <= SIZE_MAX / 2 ? need + need / 16 : need;
    if (with_room < 4096) with_room = 4096;
    workspace_release_pages(pages);
    pages->data = memory_map(with_room);
    pages->size = pages->data == NULL ? 0 : with_room;
    if (pages->data == NULL) ws->failed = true;
    return pages->data;
}

NameHead *workspace_name_heads(Workspace *ws)
{
    const size_t names = (size_t)string_table_count(ws->builder->strings) + 1;
    const bool   is_new = ws->name_heads.size < names * sizeof(NameHead);
    NameHead    *heads = (NameHead *)workspace_pages(ws, &ws->name_heads, names, sizeof(NameHead));
    if (heads != NULL && is_new) memset(heads, 0, ws->name_heads.size);
    return heads;
}

IntervalExtra *interval_extra(IntervalExtras *extras, Interval *interval)
{
    if (interval->extra == 0) {
        if (vec_add(extras) == NULL) return NULL;
        interval->extra = (uint32_t)vec_count(extras);
    }
    return &extras->items[interval->extra - 1];
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, INSERTION_LIMIT = 32 };

static void insertion_sort(SortKey *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        SortKey key = keys[i];
        size_t  j = i;
        for (; j > 0 && keys[j - 1].key > key.key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static bool is_sorted(const SortKey *keys, size_t count)
{
    size_t i = 1;
    while (i < count && keys[i - 1].key <= keys[i].key)
        i++;
    return i >= count;
}

/* Sorts by `bits` bits of the keys from `shift` on, stably. */
static void sort_by_digit(const SortKey *keys, SortKey *sorted, size_t count, unsigned shift, unsigned bits)
{
    static_assert(sizeof(size_t) * DIGITS <= 16384, "the histogram lives on the stack");
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    size_t         places[DIGITS], next = 0;
    memset(places, 0, sizeof *places << bits);
    for (size_t i = 0; i < count; i++)
        places[keys[i].key >> shift & mask]++;
    for (size_t v = 0; v <= mask; v++) {
        size_t here = places[v];
        places[v] = next;
        next += here;
    }
    for (size_t i = 0; i < count; i++)
        sorted[places[keys[i].key >> shift & mask]++] = keys[i];
}

/* Radix sort, least significant digit first. It skips the bits that all keys share, below and above the bits that
 * differ. Sorted keys, the usual case, cost one comparison pass. */
SortKey *workspace_sort(Workspace *ws, SortKey *keys, size_t count)
{
    if (is_sorted(keys, count)) return keys;
    if (count <= INSERTION_LIMIT) {
        insertion_sort(keys, count);
        return keys;
    }
    SortKey *swap = (SortKey *)workspace_pages(ws, &ws->keys_swap, count, sizeof(SortKey));
    if (swap == NULL) return NULL;
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++)
        differing |= keys[i].key ^ keys[0].key;
    unsigned       shift = bits_lowest_u64(differing);
    const unsigned end = bits_highest_u64(differing) + 1;
    for (unsigned digits = (end - shift + DIGIT_BITS - 1) / DIGIT_BITS; digits > 0; digits--) {
        const unsigned bits = (end - shift + digits - 1) / digits;
        sort_by_digit(keys, swap, count, shift, bits);
        SortKey *sorted = swap;
        swap = keys;
        keys = sorted;
        shift += bits;
    }
    return keys;
}

static const void *item_at(const SortItems *items, const SortKey *key)
{
    return (const uint8_t *)items->items + key->index * items->item_size;
}

SortKey *workspace_sort_indices(Workspace *ws, SortKey *keys, const SortItems *items)
{
    const size_t count = items->count;
    for (size_t i = 0; i < count; i++)
        keys[i].key = tick_key(*(const int64_t *)item_at(items, &keys[i]));
    SortKey *by_time = workspace_sort(ws, keys, count);
    if (by_time == NULL || items->group_of == NULL) return by_time;
    for (size_t i = 0; i < count; i++)
        by_time[i].key = items->group_of(ws->builder, item_at(items, &by_time[i]));
    /* The second sort needs both arrays of the first one, whose result may be in either. */
    if (by_time != keys) memcpy(keys, by_time, count * sizeof *keys);
    return workspace_sort(ws, keys, count);
}

SortKey *workspace_sort_items(Workspace *ws, const SortItems *items)
{
    SortKey *keys = (SortKey *)workspace_pages(ws, &ws->keys, items->count, sizeof *keys);
    if (keys == NULL) return NULL;
    for (size_t i = 0; i < items->count; i++)
        keys[i].index = i;
    return workspace_sort_indices(ws, keys, items);
}

size_t sort_group_end(const SortKey *keys, size_t first, size_t count)
{
    size_t end = first + 1;
    while (end < count && keys[end].key == keys[first].key)
        end++;
    return end;
}

void workspace_warn(Workspace *ws, TrackWork *work, const char *kind, uint64_t offset, uint32_t event,
                    const char *format, ...)
{
    TrackWarning *warning = work->warnings;
    while (warning != NULL && warning->warning.kind != kind)
        warning = warning->next;
    if (warning == NULL) {
        warning = ARENA_NEW(&ws->results, TrackWarning);
        if (warning == NULL) {
            ws->failed = true;
            return;
        }
        *warning = (TrackWarning){ .next = work->warnings,
                                   .warning = { .kind = kind, .first = { .offset = UINT64_MAX } } };
        work->warnings = warning;
    }
    warning->warning.count++;
    if (offset >= warning->warning.first.offset) return; /* an earlier warning is stored */
    Err *first = &warning->warning.first;
    first->offset = offset;
    first->event = builder_event_number(ws->builder, offset, event);
    va_list args;
    va_start(args, format);
    vsnprintf(first->message, sizeof first->message, format, args);
    va_end(args);
}

void workspace_add_unmatched_end(Workspace *ws, TrackWork *work, const EventRecord *end)
{
    workspace_warn(ws, work, "unmatched-end", end->offset, end->event, UNMATCHED_END);
    (void)workspace_keep_end(ws, work, end);
}

UnmatchedEnd *workspace_keep_end(Workspace *ws, TrackWork *work, const EventRecord *end)
{
    UnmatchedEnd *kept = ARENA_NEW(&ws->results, UnmatchedEnd);
    if (kept == NULL) {
        ws->failed = true;
        return NULL;
    }
    *kept = (UnmatchedEnd){
        .next = work->unmatched, .tick = end->tick, .offset = end->offset, .label = end->label
    };
    work->unmatched = kept;
    work->unmatched_count++;
    return kept;
}

void workspace_warn_unfinished(Workspace *ws, TrackWork *work, uint64_t offset, uint32_t event)
{
    if (ws->builder->rules.endless == ENDLESS_EXPECTED) return;
    workspace_warn(ws, work, "unfinished-slice", offset, event,
                   "a begin without an end: drawn to the end of the %s",
                   ws->builder->rules.unfinished == UNFINISHED_TO_TRACE_END ? "trace" : "thread");
}

void workspace_release_scratch(Workspace *ws)
{
    Pages *all[] = { &ws->intervals,    &ws->sorted,     &ws->order,         &ws->keys,    &ws->keys_swap,
                     &ws->run,          &ws->marks,      &ws->instants,      &ws->offsets, &ws->name_heads,
                     &ws->begin_stacks, &ws->end_stacks, &ws->instant_stacks };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        workspace_release_pages(all[i]);
    page_pool_release(&ws->spare_pages);
    vec_release(&ws->extras);
    bytes_release(&ws->open);
    arena_release(&ws->scratch);
}

void workspace_release(Workspace *ws)
{
    workspace_release_scratch(ws);
    arena_release(&ws->results);
}
