#include "format/go/feed/step_notes.h"

#include "format/go/v1/stream.h"

#include <string.h>

bool step_notes_add(Feed *feed, StepNotes *notes, const StepNote *note)
{
    StepNote *const items =
        arena_grow(feed->arena, notes->items, notes->count, &notes->capacity, sizeof *items);
    if (UNLIKELY(items == NULL)) {
        feed->out_of_memory = true;
        return false;
    }
    notes->items = items;
    items[notes->count++] = *note;
    return true;
}

static bool comes_before(const StepNote *a, const StepNote *b)
{
    return a->ticks != b->ticks ? a->ticks < b->ticks : a->offset < b->offset;
}

/* Returns the end of the run that begins at `at`. */
static uint32_t run_end(const StepNotes *notes, uint32_t at)
{
    const StepNote *const items = notes->items;
    while (++at < notes->count && !comes_before(&items[at], &items[at - 1]))
        ;
    return at < notes->count ? at : notes->count;
}

/* Merges the adjacent runs [begin, middle) and [middle, end) into the same places of `spare`. */
static void merge_runs(const StepNotes *notes, uint32_t begin, uint32_t middle, uint32_t end)
{
    const StepNote *a = notes->items + begin, *const a_end = notes->items + middle;
    const StepNote *b = a_end, *const b_end = notes->items + end;
    StepNote *to = notes->spare + begin;
    while (a < a_end && b < b_end)
        *to++ = *(comes_before(b, a) ? b++ : a++);
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* Makes `spare` large enough for all notes. False when out of memory. */
static bool grow_spare(Feed *feed, StepNotes *notes)
{
    StepNote *const spare =
        arena_grow(feed->arena, notes->spare, notes->count, &notes->spare_capacity, sizeof *spare);
    if (spare == NULL) {
        feed->out_of_memory = true;
        return false;
    }
    notes->spare = spare;
    return true;
}

/* Merges pairs of runs until there is one. False when out of memory. */
static bool sort_notes(Feed *feed, StepNotes *notes)
{
    while (run_end(notes, 0) < notes->count) {
        if (!grow_spare(feed, notes)) return false;
        for (uint32_t at = 0; at < notes->count;) {
            const uint32_t middle = run_end(notes, at),
                           end = middle < notes->count ? run_end(notes, middle) : middle;
            merge_runs(notes, at, middle, end);
            at = end;
        }
        StepNote *const items = notes->items;
        const uint32_t  capacity = notes->capacity;
        notes->items = notes->spare;
        notes->capacity = notes->spare_capacity;
        notes->spare = items;
        notes->spare_capacity = capacity;
    }
    return true;
}

static void show_syscall(Feed *feed, const StepNote *note, const GoV1 *v1, int64_t time)
{
    builder_instant(feed->builder, note->to, time, feed->names.labels[FEED_SYSCALL], INSTANT_THREAD,
                    (EventPos){ note->offset, feed->event }, 0);
    builder_instant_stack(feed->builder, note->to, INSTANT_THREAD,
                          feed_stack(feed, go_stack_find(&v1->tables, note->value)));
}

static void show_note(Feed *feed, const StepNote *note, const GoV1 *v1)
{
    const int64_t time = v1_ticks_to_ns(v1, note->ticks);
    switch (note->kind) {
    case NOTE_HEAP:
        feed_metric(feed, FEED_METRIC_HEAP, time, (double)note->value);
        break;
    case NOTE_SYSCALL:
        show_syscall(feed, note, v1, time);
        break;
    case NOTE_WOKEN:
        feed_tell_arrow(feed, note->from, time, note->to, time, (LabelId){ note->value });
        break;
    case NOTE_ARRIVES:
        feed_tell_arrival(feed, note->from, note->since, note->to, time, (LabelId){ note->value });
        break;
    }
}

void step_notes_show(Feed *feed, StepNotes *notes, const GoV1 *v1)
{
    const MergeHeap *const ready = &v1->merge.ready;
    uint32_t               shown = 0;
    if (notes->count == 0 || !sort_notes(feed, notes)) return;
    for (; shown < notes->count; shown++) {
        const StepNote *const note = &notes->items[shown];
        const MergeEntry      entry = { (int64_t)note->ticks, (int64_t)note->offset, 0 };
        if (ready->count > 0 && !merge_entry_is_before(entry, merge_heap_at(ready, 0))) break;
        show_note(feed, note, v1);
    }
    if (shown == 0) return;
    notes->count -= shown;
    memmove(notes->items, notes->items + shown, notes->count * sizeof *notes->items);
}
