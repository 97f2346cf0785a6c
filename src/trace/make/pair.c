/* Pairs the begin and end events of a thread: all at once, or of a growing trace in steps. */
#include "trace/make/pairing.h"
#include "trace/make/run_sort.h"

#include <string.h>

/* An item of Pairing.open. */
typedef struct OpenInterval {
    PairingSlice slice;
    uint32_t     interval;
} OpenInterval;

typedef struct ThreadPairing {
    Workspace      *ws;
    TrackWork      *work;
    Interval       *intervals;
    size_t          count;
    Pairing         pairing;
    uint32_t        nameless_name; /* as in PairState */
    const PairStep *step;          /* of a growing thread; NULL = all events are in the thread's log */
} ThreadPairing;

static ALWAYS_INLINE void open_interval(ThreadPairing *p, const EventRecord *mark)
{
    uint32_t index = (uint32_t)p->count++;
    uint64_t flags = INTERVAL_PAIRED | slice_flags(mark->bits);
    if (UNLIKELY(mark->bits & MARK_AGAIN)) flags |= INTERVAL_REPLACES;
    p->intervals[index] = (Interval){ .begin = mark->tick,
                                      .place = mark->offset << PLACE_BITS | flags,
                                      .label = mark->label,
                                      .event = mark->event,
                                      .row = (uint32_t)p->pairing.depth };
    if (UNLIKELY(mark->stack != 0)) {
        IntervalExtra *extra = interval_extra(&p->ws->extras, &p->intervals[index]);
        if (extra != NULL) extra->stack = mark->stack;
    }
    const OpenInterval open = { .slice = { .label = mark->label }, .interval = index };
    pairing_begin(&p->pairing, &open.slice, sizeof open);
}

static Interval *interval_of(ThreadPairing *p, const void *item)
{
    return &p->intervals[((const OpenInterval *)item)->interval];
}

void interval_take_end(Workspace *ws, Interval *interval, const EventRecord *mark)
{
    uint32_t colour = ws->builder->labels.all.items[mark->label].colour;
    if (!(mark->bits & PLACE_DETAILS) && mark->stack == 0 && colour == 0) return;
    IntervalExtra *extra = interval_extra(&ws->extras, interval);
    if (extra == NULL) return;
    extra->colour = colour;
    extra->end_stack = mark->stack;
    if (!(mark->bits & PLACE_DETAILS)) return;
    extra->end_offset = mark->offset;
    interval->place |= SLICE_END_SOURCE;
}

static void close_interval(ThreadPairing *p, Interval *interval, const EventRecord *mark, unsigned flags)
{
    interval->end = mark->tick;
    interval->place |= flags;
    if (mark->bits & PLACE_REPAIRED) interval->place |= SLICE_REPAIRED;
    if (!(flags & SLICE_NO_END)) interval_take_end(p->ws, interval, mark);
}

/* True if all ends of the thread so far have this name or none, and no begin has it. */
static bool ends_are_nameless(const ThreadPairing *p, uint32_t name)
{
    const PairStep *step = p->step;
    if (step == NULL) {
        EventReader reader = event_log_read(&p->work->thread->marks);
        bool        are_nameless = true;
        while (are_nameless && event_reader_next(&reader))
            are_nameless = !pairing_gives_meaning(p->ws->builder, &reader.record, name);
        if (reader.failed) p->ws->failed = true;
        event_reader_close(&reader);
        return are_nameless;
    }
    for (size_t i = 0; i < step->count; i++)
        if (pairing_gives_meaning(p->ws->builder, &step->marks[i], name)) return false;
    return !step->had_begin(step->context, name);
}

static void decide_nameless(ThreadPairing *p, const EventRecord *mark)
{
    p->nameless_name = pairing_name(&p->pairing, mark->label);
    p->pairing.nameless = ends_are_nameless(p, p->nameless_name) ? NAMELESS_YES : NAMELESS_NO;
}

/* Closes the slice with the name of the end, and those inside it. */
static void end_outer(ThreadPairing *p, const EventRecord *mark)
{
    const OpenInterval *parted = (const OpenInterval *)(const void *)p->pairing.parted.data;
    const size_t        count = p->pairing.parted.size / sizeof *parted;
    workspace_warn(p->ws, p->work, "end-name-mismatch", mark->offset, mark->event, END_NAME_MISMATCH);
    if (p->pairing.parted.failed) return;
    for (size_t i = 1; i < count; i++)
        close_interval(p, interval_of(p, &parted[i]), mark, SLICE_NO_END);
    close_interval(p, interval_of(p, &parted[0]), mark, 0);
}

/* Exchanges two ends: the end belongs to the inner slice that was closed by the end of the outer one, and the outer
 * slice ends here. */
static void exchange_ends(ThreadPairing *p, Interval *inner, const EventRecord *mark)
{
    Interval *outer = interval_of(p, p->pairing.parted.data);
    inner->place &= ~(uint64_t)SLICE_NO_END;
    inner->place |= INTERVAL_EXCHANGED;
    interval_take_end(p->ws, inner, mark);
    outer->end = mark->tick;
    outer->place |= INTERVAL_EXCHANGED;
}

static NOINLINE void pair_end(ThreadPairing *p, const EventRecord *mark)
{
    const void *item = NULL;
    EndKind     kind;
    while ((kind = pairing_end(&p->pairing, mark->label, &item)) == END_UNDECIDED)
        decide_nameless(p, mark);
    if (kind == END_INNERMOST) {
        close_interval(p, interval_of(p, item), mark, 0);
    } else if (kind == END_OUTER) {
        end_outer(p, mark);
    } else if (kind == END_EXCHANGED) {
        exchange_ends(p, interval_of(p, item), mark);
    } else {
        workspace_add_unmatched_end(p->ws, p->work, mark);
    }
}

/* Pairs the most frequent ends: without a name and further properties, while no lists of slices are kept. False without any
 * effect for others. */
static ALWAYS_INLINE bool pair_end_quickly(ThreadPairing *p, const EventRecord *mark)
{
    Pairing *const pairing = &p->pairing;
    if ((mark->bits ^ PLACE_END) != 0 || (mark->label | mark->stack) != 0) return false;
    if (UNLIKELY(pairing->depth == 0 || pairing->heads != NULL || pairing->parted.size > 0)) return false;
    interval_of(p, pairing_pop(pairing))->end = mark->tick;
    return true;
}

static ALWAYS_INLINE void pair_mark(ThreadPairing *p, const EventRecord *mark)
{
    if (pair_end_quickly(p, mark)) return;
    if (mark->bits & PLACE_END) {
        const EventRecord copy = *mark; /* lets the compiler keep the record in registers */
        pair_end(p, &copy);
    } else {
        open_interval(p, mark);
    }
}

/* Sorts the begins and ends of a thread whose times go back by time, stably. False when out of memory. */
static bool sort_marks(Workspace *ws, TrackWork *work, RunSort *sorted)
{
    const ThreadLog *thread = work->thread;
    const size_t     count = (size_t)thread->marks.count, most = count < RUN_ITEMS ? count : RUN_ITEMS;
    EventRecord     *to = (EventRecord *)workspace_pages(ws, &ws->marks, count, sizeof(EventRecord));
    EventRecord     *run = (EventRecord *)workspace_pages(ws, &ws->run, most, sizeof(EventRecord));
    size_t           n = 0, filled = 0;
    if (to == NULL || run == NULL || !run_sort_open(ws, sorted, count)) return false;
    EventReader reader = event_log_read(&thread->marks);
    StackCursor stacks = stack_cursor_over(ws->builder, thread->mark_stacks);
    while (event_reader_next(&reader)) {
        run[filled] = reader.record;
        run[filled++].stack = stack_cursor_take(&stacks, n++);
        if (filled < RUN_ITEMS && n < count) continue;
        if (!run_sort_add(ws, sorted, run, to + (n - filled), filled, sizeof *run)) {
            event_reader_close(&reader);
            return false;
        }
        filled = 0;
    }
    if (reader.failed) {
        ws->failed = true;
        return false;
    }
    run_sort_merge(sorted);
    workspace_warn(ws, work, "unsorted-thread", thread->unsorted_offset, thread->unsorted_event,
                   "begins and ends of a thread are not in order of time: sorted");
    return true;
}

static void pair_unsorted_marks(ThreadPairing *p)
{
    RunSort            sorted;
    const EventRecord *mark;
    if (!sort_marks(p->ws, p->work, &sorted)) return;
    while ((mark = (const EventRecord *)run_sort_next(&sorted, sizeof *mark)) != NULL)
        pair_mark(p, mark);
}

static NOINLINE void pair_sorted_marks(ThreadPairing *p)
{
    const ThreadLog *thread = p->work->thread;
    EventReader      reader = event_log_read(&thread->marks);
    StackCursor      stacks = stack_cursor_over(p->ws->builder, thread->mark_stacks);
    for (uint64_t n = 0; event_reader_next_of(&reader, RECORDS_IN_ORDER); n++) {
        EventRecord mark = reader.record;
        mark.stack = stack_cursor_take(&stacks, n);
        pair_mark(p, &mark);
    }
    if (reader.failed) p->ws->failed = true;
}

static void end_the_unfinished(ThreadPairing *p)
{
    while (p->pairing.depth > 0) {
        Interval *interval = interval_of(p, pairing_pop(&p->pairing));
        interval->end = p->work->unfinished_end;
        interval->place |= SLICE_UNFINISHED;
        p->work->unfinished_count++;
        workspace_warn_unfinished(p->ws, p->work, place_offset(interval->place), interval->event);
    }
}

static void take_complete_stacks(ThreadPairing *p, StackCursor *cursor, uint64_t n)
{
    uint32_t       both[2];
    IntervalExtra *extra = interval_extra(&p->ws->extras, &p->intervals[p->count - 1]);
    stack_cursor_take_both(cursor, n, both);
    if (extra == NULL) return;
    extra->stack = both[0];
    extra->end_stack = both[1];
}

static void add_completes(ThreadPairing *p)
{
    if (p->work->thread->completes == NULL) return;
    EventReader reader = event_log_read(p->work->thread->completes);
    StackCursor stacks = stack_cursor_over(p->ws->builder, p->work->thread->complete_stacks);
    for (uint64_t n = 0; event_reader_next_of(&reader, RECORDS_OF_COMPLETES); n++) {
        const EventRecord *c = &reader.record;
        uint64_t           flags = slice_flags(c->bits);
        int64_t            end = (int64_t)((uint64_t)c->tick + c->duration);
        if (UNLIKELY(c->bits & PLACE_NO_END)) {
            flags |= SLICE_UNFINISHED;
            end = p->work->unfinished_end;
            p->work->unfinished_count++;
        }
        p->intervals[p->count++] = (Interval){ .begin = c->tick,
                                               .end = end,
                                               .place = c->offset << PLACE_BITS | flags,
                                               .label = c->label,
                                               .event = c->event };
        if (UNLIKELY(stacks.next == n)) take_complete_stacks(p, &stacks, n);
    }
    if (reader.failed) p->ws->failed = true;
}

/* Makes room for `count` intervals. False: out of memory. */
static bool pairing_open(ThreadPairing *p, size_t count)
{
    Workspace *ws = p->ws;
    bytes_clear(&ws->open);
    vec_clear(&ws->extras);
    p->pairing.ws = ws;
    p->pairing.item_size = sizeof(OpenInterval);
    p->pairing.open = ws->open;
    p->intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval));
    if (count > MOST_INTERVALS) ws->failed = true;
    return !ws->failed;
}

static void pairing_close(ThreadPairing *p)
{
    Workspace *ws = p->ws;
    pairing_stop_lists(&p->pairing);
    ws->open = p->pairing.open; /* the memory may have been reallocated */
    if (ws->open.failed || ws->extras.bytes.failed || p->pairing.parted.failed) ws->failed = true;
    bytes_release(&p->pairing.parted);
    p->work->intervals = p->intervals;
    p->work->interval_count = p->count;
}

void pair_track(Workspace *ws, TrackWork *work)
{
    ThreadLog    *thread = work->thread;
    const size_t  count = (size_t)(thread->begin_count + thread_complete_count(thread));
    ThreadPairing p = { .ws = ws, .work = work };
    if (!pairing_open(&p, count)) return;
    if (thread->is_unsorted)
        pair_unsorted_marks(&p);
    else
        pair_sorted_marks(&p);
    end_the_unfinished(&p);
    work->paired_count = p.count;
    add_completes(&p);
    assert(ws->failed || p.count == count);
    pairing_close(&p);
    event_log_discard(&thread->marks);
    if (thread->completes != NULL) event_log_discard(thread->completes);
}

/* ---- in steps ---- */

/* Continues with the slices of the state. */
static void resume(ThreadPairing *p, const PairState *state)
{
    const PairedSlice *slices = (const PairedSlice *)(const void *)state->slices.data;
    const size_t       count = state->slices.size / sizeof *slices;
    for (size_t i = 0; i < count; i++) {
        Interval          *interval = &p->intervals[p->count];
        const OpenInterval item = { .slice = { .label = slices[i].interval.label },
                                    .interval = (uint32_t)p->count++ };
        *interval = slices[i].interval;
        interval->extra = 0;
        interval->place &= ~(uint64_t)(SLICE_UNFINISHED | INTERVAL_EXCHANGED);
        if (slices[i].interval.extra != 0) {
            IntervalExtra *extra = interval_extra(&p->ws->extras, interval);
            if (extra != NULL) *extra = slices[i].extra;
        }
        bytes_append(i < state->depth ? &p->pairing.open : &p->pairing.parted, &item, sizeof item);
    }
    p->pairing.depth = state->depth;
    p->pairing.parted_level = state->parted_level;
    p->pairing.nameless = state->nameless;
    p->pairing.any_named_match = state->any_named_match;
    p->nameless_name = state->nameless_name;
}

static void store_slice(const ThreadPairing *p, const OpenInterval *item, PairState *state)
{
    PairedSlice slice = { .interval = p->intervals[item->interval] };
    if (slice.interval.extra != 0) slice.extra = p->ws->extras.items[slice.interval.extra - 1];
    bytes_append(&state->slices, &slice, sizeof slice);
}

/* Stores the open slices, which become unfinished, and the parted ones that may still get another end. */
static void suspend(ThreadPairing *p, PairState *state)
{
    const Pairing      *pairing = &p->pairing;
    const OpenInterval *open = (const OpenInterval *)(const void *)pairing->open.data;
    const OpenInterval *parted = (const OpenInterval *)(const void *)pairing->parted.data;
    bytes_clear(&state->slices);
    for (size_t i = 0; i < pairing->depth; i++) {
        Interval *interval = &p->intervals[open[i].interval];
        interval->end = p->work->unfinished_end;
        interval->place |= SLICE_UNFINISHED;
        store_slice(p, &open[i], state);
    }
    for (size_t i = 0; i < pairing->parted.size / sizeof *parted; i++)
        if (i == 0 || parted[i].slice.next != PAIRING_TAKEN) store_slice(p, &parted[i], state);
    state->depth = pairing->depth;
    state->parted_level = pairing->parted_level;
    state->nameless = pairing->nameless;
    state->any_named_match = pairing->any_named_match;
    state->nameless_name = p->nameless_name;
    if (state->slices.failed) p->ws->failed = true;
}

static bool has_memory(const ThreadPairing *p)
{
    return !p->pairing.open.failed && !p->pairing.parted.failed;
}

void pair_step(Workspace *ws, TrackWork *work, PairState *state, const PairStep *step)
{
    const size_t  completes = (size_t)thread_complete_count(work->thread);
    ThreadPairing p = { .ws = ws, .work = work, .step = step };
    if (!pairing_open(&p, state->slices.size / sizeof(PairedSlice) + step->count + completes)) return;
    resume(&p, state);
    for (size_t i = 0; i < step->count && has_memory(&p); i++)
        pair_mark(&p, &step->marks[i]);
    if (has_memory(&p)) suspend(&p, state);
    work->paired_count = p.count;
    add_completes(&p);
    pairing_close(&p);
}
