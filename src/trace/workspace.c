#include "base/checked.h"
#include "trace/finish.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *workspace_pages(Workspace *ws, Pages *pages, size_t count, size_t size)
{
    size_t need;
    if (!size_mul(count, size, &need)) {
        ws->failed = true;
        return NULL;
    }
    if (need == 0) need = 1;
    if (need <= pages->size) return pages->data;
    size_t with_room = need <= SIZE_MAX / 5 * 4 ? need + need / 4 : need;
    if (with_room < 4096) with_room = 4096;
    memory_unmap(pages->data, pages->size);
    pages->data = memory_map(with_room);
    pages->size = pages->data == NULL ? 0 : with_room;
    if (pages->data == NULL) ws->failed = true;
    return pages->data;
}

IntervalExtra *interval_extra(Bytes *extras, Interval *interval)
{
    if (interval->extra == 0) {
        bytes_append(extras, &(IntervalExtra){ .end_offset = 0 }, sizeof(IntervalExtra));
        if (extras->failed) return NULL;
        interval->extra = (uint32_t)(extras->size / sizeof(IntervalExtra));
    }
    return (IntervalExtra *)(void *)extras->data + (interval->extra - 1);
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_DIGITS = 64 / DIGIT_BITS, INSERTION_LIMIT = 32 };

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

/* Least significant digit first; digits that all keys share cost one look. What is in order already, as most is, costs no more
 * than to see that. */
SortKey *workspace_sort(Workspace *ws, SortKey *keys, size_t count)
{
    if (is_sorted(keys, count)) return keys;
    if (count <= INSERTION_LIMIT) {
        insertion_sort(keys, count);
        return keys;
    }
    SortKey *swap = (SortKey *)workspace_pages(ws, &ws->keys_swap, count, sizeof(SortKey));
    if (swap == NULL) return NULL;
    static_assert(sizeof(size_t) * KEY_DIGITS * DIGITS <= 16384, "the histograms live on the stack");
    size_t histogram[KEY_DIGITS][DIGITS];
    memset(histogram, 0, sizeof histogram);
    for (size_t i = 0; i < count; i++) {
        for (unsigned d = 0; d < KEY_DIGITS; d++)
            histogram[d][keys[i].key >> (d * DIGIT_BITS) & (DIGITS - 1)]++;
    }
    for (unsigned d = 0; d < KEY_DIGITS; d++) {
        unsigned shift = d * DIGIT_BITS;
        if (histogram[d][keys[0].key >> shift & (DIGITS - 1)] == count) continue;
        size_t next = 0;
        for (unsigned v = 0; v < DIGITS; v++) {
            size_t here = histogram[d][v];
            histogram[d][v] = next;
            next += here;
        }
        for (size_t i = 0; i < count; i++)
            swap[histogram[d][keys[i].key >> shift & (DIGITS - 1)]++] = keys[i];
        SortKey *sorted = swap;
        swap = keys;
        keys = sorted;
    }
    return keys;
}

SortKey *workspace_sort_groups(Workspace *ws, SortKey *keys, size_t count,
                               uint32_t (*group_of)(const void *items, uint64_t index), const void *items)
{
    SortKey *by_time = workspace_sort(ws, keys, count);
    if (by_time == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        by_time[i].key = group_of(items, by_time[i].index);
    /* The second sort needs the two arrays the first one left: the result may lie in either. */
    if (by_time != keys) memcpy(keys, by_time, count * sizeof *keys);
    return workspace_sort(ws, keys, count);
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
    if (offset >= warning->warning.first.offset) return; /* an earlier one is known */
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
    workspace_warn(ws, work, "unmatched-end", end->offset, end->event,
                   "an end without an open begin: kept, but not drawn");
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
    if (ws->builder->endless == ENDLESS_EXPECTED) return;
    workspace_warn(ws, work, "unfinished-slice", offset, event,
                   "a begin without an end: drawn to the end of the %s",
                   ws->builder->unfinished == UNFINISHED_TO_TRACE_END ? "trace" : "thread");
}

void workspace_release(Workspace *ws)
{
    Pages *all[] = { &ws->intervals,    &ws->sorted,     &ws->keys,          &ws->keys_swap,
                     &ws->marks,        &ws->instants,   &ws->offsets,       &ws->name_counts,
                     &ws->begin_stacks, &ws->end_stacks, &ws->instant_stacks };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        memory_unmap(all[i]->data, all[i]->size);
        *all[i] = (Pages){ NULL, 0 };
    }
    bytes_release(&ws->extras);
    bytes_release(&ws->open);
    arena_release(&ws->scratch);
    arena_release(&ws->results);
}
