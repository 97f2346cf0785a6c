#include "format/go/feed/step_notes.h"

#include "base/heap.h"
#include "format/go/v1/stream.h"

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

#define RUN_COMES_BEFORE(a, b) comes_before((a)->at, (b)->at)

/* Fills the heap of runs, and returns their number; 0 when out of memory. */
static uint32_t find_runs(Feed *feed, StepNotes *notes)
{
    uint32_t              count = 0;
    const StepNote *const end = notes->items + notes->count;
    for (const StepNote *at = notes->items; at < end;) {
        NoteRun *const runs = arena_grow(feed->arena, notes->runs, count, &notes->run_capacity, sizeof *runs);
        if (runs == NULL) {
            feed->out_of_memory = true;
            return 0;
        }
        notes->runs = runs;
        runs[count].at = at++;
        while (at < end && !comes_before(at, at - 1))
            at++;
        runs[count].end = at;
        HEAP_RISE(NoteRun, runs, count, RUN_COMES_BEFORE);
        count++;
    }
    return count;
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
        feed_add_arrow(feed, note->from, time, note->to, time, (LabelId){ note->value });
        break;
    case NOTE_ARRIVES:
        feed_add_run_arrow(feed, note->from, note->since, note->to, time, (LabelId){ note->value });
        break;
    }
}

/* True if a note is before the next event of v1. */
static bool is_due(const StepNote *note, const GoV1 *v1)
{
    const MergeHeap *const ready = &v1->merge.ready;
    const MergeEntry       entry = { (int64_t)note->ticks, (int64_t)note->offset, 0 };
    return ready->count == 0 || merge_entry_is_before(entry, merge_heap_at(ready, 0));
}

void step_notes_show(Feed *feed, StepNotes *notes, const GoV1 *v1)
{
    uint32_t       kept = 0, run_count = notes->count == 0 ? 0 : find_runs(feed, notes);
    NoteRun *const runs = notes->runs;
    if (run_count == 0 || !is_due(runs[0].at, v1)) return;
    while (run_count > 0 && is_due(runs[0].at, v1)) {
        show_note(feed, runs[0].at, v1);
        if (++runs[0].at == runs[0].end) runs[0] = runs[--run_count];
        if (run_count > 1) HEAP_SINK(NoteRun, runs, run_count, 0, RUN_COMES_BEFORE);
    }
    for (uint32_t i = 0; run_count > 0 && i < notes->count; i++)
        if (!is_due(&notes->items[i], v1)) notes->items[kept++] = notes->items[i];
    notes->count = kept;
}
