/* Ends find their begins. */
#include "trace/finish.h"

#include <assert.h>
#include <string.h>

/* How far down the stack an end looks for its name: what makes a hostile file slow, not wrong. */
enum { MOST_LEVELS_SEARCHED = 4096 };

typedef struct Pairing {
    Workspace   *ws;
    TrackWork   *work;
    const Label *labels;
    Interval    *intervals;
    size_t       count;
    uint32_t    *name_counts; /* by StringId: how many open slices have the name; only once `counting` */
    bool         counting;
    bool         any_named_match;
    int nameless; /* ends carry one constant name that means nothing: -1 not known yet, 0 no, 1 yes */
    /* After an end closed a slice below the top: that slice, those above it that went with it, and the stack's
     * size then. While the stack is exactly so again, an end of their name means the two were exchanged. */
    uint32_t owner;
    size_t   owner_level;
    Bytes    orphans; /* uint32_t[] */
} Pairing;

static size_t open_count(const Pairing *p)
{
    return p->ws->open.size / sizeof(uint32_t);
}

static uint32_t open_at(const Pairing *p, size_t level)
{
    return VECTOR(p->ws->open, uint32_t)[level];
}

static uint32_t name_of(const Pairing *p, uint32_t label)
{
    return p->labels[label].name.index;
}

bool labels_agree(const Label *begin, const Label *end)
{
    return begin->name.index == end->name.index && (begin->category.index == end->category.index ||
                                                    begin->category.index == 0 || end->category.index == 0);
}

static bool labels_match(const Pairing *p, uint32_t begin, uint32_t end)
{
    return begin == end || labels_agree(&p->labels[begin], &p->labels[end]);
}

static void pop_open(Pairing *p)
{
    p->ws->open.size -= sizeof(uint32_t);
    if (p->counting) p->name_counts[name_of(p, p->intervals[open_at(p, open_count(p))].label)]--;
    if (open_count(p) < p->owner_level) p->orphans.size = 0;
}

static void open_interval(Pairing *p, const EventRecord *mark)
{
    uint32_t index = (uint32_t)p->count++;
    uint64_t flags = INTERVAL_PAIRED;
    if (mark->bits & PLACE_DETAILS) flags |= SLICE_SOURCE;
    if (mark->bits & PLACE_REPAIRED) flags |= SLICE_REPAIRED;
    p->intervals[index] = (Interval){ .begin = mark->tick,
                                      .place = mark->offset << PLACE_BITS | flags,
                                      .label = mark->label,
                                      .event = mark->event,
                                      .row = (uint32_t)open_count(p) };
    if (UNLIKELY(mark->stack != 0)) {
        IntervalExtra *extra = interval_extra(&p->ws->extras, &p->intervals[index]);
        if (extra != NULL) extra->stack = mark->stack;
    }
    bytes_append(&p->ws->open, &index, sizeof index);
    if (p->counting) p->name_counts[name_of(p, mark->label)]++;
}

/* What the end's own event says belongs to the slice as well. */
static void take_end_details(Pairing *p, Interval *interval, const EventRecord *mark)
{
    uint32_t colour = p->labels[mark->label].colour;
    if (!(mark->bits & PLACE_DETAILS) && mark->stack == 0 && colour == 0) return;
    IntervalExtra *extra = interval_extra(&p->ws->extras, interval);
    if (extra == NULL) return;
    extra->colour = colour;
    extra->end_stack = mark->stack;
    if (!(mark->bits & PLACE_DETAILS)) return;
    extra->end_offset = mark->offset;
    interval->place |= SLICE_END_SOURCE;
}

static void close_interval(Pairing *p, uint32_t index, const EventRecord *mark, unsigned flags)
{
    Interval *interval = &p->intervals[index];
    interval->end = mark->tick;
    interval->place |= flags;
    if (mark->bits & PLACE_REPAIRED) interval->place |= SLICE_REPAIRED;
    if (!(flags & SLICE_NO_END)) take_end_details(p, interval, mark);
}

/* From now on, counts how many open slices have each name. */
static bool start_counting(Pairing *p)
{
    if (p->counting) return true;
    Workspace *ws = p->ws;
    size_t     names = (size_t)string_table_count(ws->builder->strings) + 1;
    bool       fresh = ws->name_counts.size < names * sizeof(uint32_t);
    p->name_counts = (uint32_t *)workspace_pages(ws, &ws->name_counts, names, sizeof(uint32_t));
    if (p->name_counts == NULL) return false;
    if (fresh) memset(p->name_counts, 0, ws->name_counts.size);
    for (size_t i = 0; i < open_count(p); i++)
        p->name_counts[name_of(p, p->intervals[open_at(p, i)].label)]++;
    p->counting = true;
    return true;
}

/* The level of the innermost open slice of this name, or SIZE_MAX. */
static size_t find_open(Pairing *p, uint32_t label)
{
    if (!start_counting(p) || p->name_counts[name_of(p, label)] == 0) return SIZE_MAX;
    size_t levels = open_count(p);
    size_t lowest = levels > MOST_LEVELS_SEARCHED ? levels - MOST_LEVELS_SEARCHED : 0;
    for (size_t level = levels; level > lowest; level--) {
        if (labels_match(p, p->intervals[open_at(p, level - 1)].label, label)) return level - 1;
    }
    return SIZE_MAX;
}

/* Do all ends of the thread carry this one name, which no begin has? Then it means nothing. */
static bool ends_are_nameless(const Pairing *p, uint32_t label)
{
    EventReader reader = event_log_read(&p->work->thread->marks);
    while (event_reader_next(&reader)) {
        const EventRecord *mark = &reader.record;
        uint32_t           name = name_of(p, mark->label);
        bool               same = name == name_of(p, label);
        if (mark->bits & PLACE_END ? name != 0 && !same : same) return false;
    }
    return true;
}

/* An end without an open slice of its name, right after another end took more than its own: the outer slice
 * gets this end, the inner keeps the earlier one. */
static bool exchange_orphan(Pairing *p, const EventRecord *mark)
{
    if (open_count(p) != p->owner_level) return false;
    uint32_t *orphans = VECTOR(p->orphans, uint32_t);
    size_t    count = p->orphans.size / sizeof(uint32_t);
    for (size_t i = count; i > 0; i--) {
        Interval *orphan = &p->intervals[orphans[i - 1]];
        if (!labels_match(p, orphan->label, mark->label)) continue;
        orphan->place &= ~(uint64_t)SLICE_NO_END;
        take_end_details(p, orphan, mark);
        p->intervals[p->owner].end = mark->tick;
        memmove(orphans + i - 1, orphans + i, (count - i) * sizeof *orphans);
        p->orphans.size -= sizeof *orphans;
        return true;
    }
    return false;
}

static void end_below_top(Pairing *p, size_t level, const EventRecord *mark)
{
    workspace_warn(p->ws, p->work, "end-name-mismatch", mark->offset, mark->event,
                   "an end names a slice that is not the innermost open one: those inside it end with it");
    p->orphans.size = 0;
    p->owner_level = 0;
    while (open_count(p) > level + 1) {
        uint32_t index = open_at(p, open_count(p) - 1);
        close_interval(p, index, mark, SLICE_NO_END);
        bytes_append(&p->orphans, &index, sizeof index);
        pop_open(p);
    }
    p->owner = open_at(p, level);
    close_interval(p, p->owner, mark, 0);
    pop_open(p);
    p->owner_level = level;
}

static void end_innermost(Pairing *p, const EventRecord *mark)
{
    if (open_count(p) == 0) {
        workspace_add_unmatched_end(p->ws, p->work, mark);
        return;
    }
    close_interval(p, open_at(p, open_count(p) - 1), mark, 0);
    pop_open(p);
}

static void end_by_name(Pairing *p, const EventRecord *mark)
{
    size_t levels = open_count(p);
    if (levels > 0 && labels_match(p, p->intervals[open_at(p, levels - 1)].label, mark->label)) {
        p->any_named_match = true;
        end_innermost(p, mark);
        return;
    }
    size_t level = find_open(p, mark->label);
    if (level != SIZE_MAX) {
        p->any_named_match = true;
        end_below_top(p, level, mark);
        return;
    }
    if (exchange_orphan(p, mark)) return;
    if (p->nameless < 0) p->nameless = !p->any_named_match && ends_are_nameless(p, mark->label);
    if (p->nameless == 1) {
        end_innermost(p, mark);
    } else {
        workspace_add_unmatched_end(p->ws, p->work, mark);
    }
}

static void pair_mark(Pairing *p, const EventRecord *mark)
{
    if (!(mark->bits & PLACE_END)) {
        open_interval(p, mark);
    } else if (p->ws->builder->match == MATCH_IN_FILE_ORDER || name_of(p, mark->label) == 0 ||
               p->nameless == 1) {
        end_innermost(p, mark);
    } else {
        end_by_name(p, mark);
    }
}

/* The marks of a thread whose times go back, stably sorted by time. NULL when out of memory. */
static const EventRecord *sorted_marks(Workspace *ws, TrackWork *work)
{
    const ThreadLog *thread = work->thread;
    size_t           count = (size_t)thread->marks.count, n = 0;
    SortKey         *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    EventRecord     *sorted = (EventRecord *)workspace_pages(ws, &ws->marks, count, 2 * sizeof(EventRecord));
    if (keys == NULL || sorted == NULL) return NULL;
    EventRecord *in_file_order = sorted + count;
    EventReader  reader = event_log_read(&thread->marks);
    StackCursor  stacks = stack_cursor_over(ws->builder, thread->mark_stacks);
    for (; event_reader_next(&reader); n++) {
        in_file_order[n] = reader.record;
        in_file_order[n].stack = stack_cursor_take(&stacks, n);
        keys[n] = (SortKey){ (uint64_t)reader.record.tick - (uint64_t)thread->min_tick, n };
    }
    keys = workspace_sort(ws, keys, count);
    if (keys == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        sorted[i] = in_file_order[keys[i].index];
    workspace_warn(ws, work, "unsorted-thread", thread->unsorted_offset, thread->unsorted_event,
                   "begins and ends of a thread are not in order of time: sorted");
    return sorted;
}

static void pair_all_marks(Pairing *p)
{
    const ThreadLog *thread = p->work->thread;
    if (thread->is_unsorted) {
        const EventRecord *marks = sorted_marks(p->ws, p->work);
        for (uint64_t i = 0; marks != NULL && i < thread->marks.count; i++)
            pair_mark(p, &marks[i]);
        return;
    }
    EventReader reader = event_log_read(&thread->marks);
    StackCursor stacks = stack_cursor_over(p->ws->builder, thread->mark_stacks);
    for (uint64_t n = 0; event_reader_next(&reader); n++) {
        reader.record.stack = stack_cursor_take(&stacks, n);
        pair_mark(p, &reader.record);
    }
}

static void end_the_unfinished(Pairing *p)
{
    while (open_count(p) > 0) {
        Interval *interval = &p->intervals[open_at(p, open_count(p) - 1)];
        interval->end = p->work->unfinished_end;
        interval->place |= SLICE_UNFINISHED;
        p->work->unfinished_count++;
        workspace_warn_unfinished(p->ws, p->work, place_offset(interval->place), interval->event);
        pop_open(p);
    }
}

static void take_complete_stacks(Pairing *p, StackCursor *cursor, uint64_t n)
{
    uint32_t       both[2];
    IntervalExtra *extra = interval_extra(&p->ws->extras, &p->intervals[p->count - 1]);
    stack_cursor_take_both(cursor, n, both);
    if (extra == NULL) return;
    extra->stack = both[0];
    extra->end_stack = both[1];
}

static void add_completes(Pairing *p)
{
    if (p->work->thread->completes == NULL) return;
    EventReader reader = event_log_read(p->work->thread->completes);
    StackCursor stacks = stack_cursor_over(p->ws->builder, p->work->thread->complete_stacks);
    for (uint64_t n = 0; event_reader_next(&reader); n++) {
        const EventRecord *c = &reader.record;
        uint64_t           flags = 0;
        int64_t            end = (int64_t)((uint64_t)c->tick + c->duration);
        if (c->bits & PLACE_DETAILS) flags |= SLICE_SOURCE;
        if (c->bits & PLACE_REPAIRED) flags |= SLICE_REPAIRED;
        if (c->bits & PLACE_NO_END) {
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
}

void pair_track(Workspace *ws, TrackWork *work)
{
    ThreadLog *thread = work->thread;
    size_t     count = (size_t)(thread->begin_count + thread_complete_count(thread));
    Pairing    p = { .ws = ws,
                           .work = work,
                           .labels = VECTOR(ws->builder->labels, const Label),
                           .intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval)),
                           .nameless = -1 };
    if (p.intervals == NULL) return;
    if (count > UINT32_MAX) { /* an interval's number must fit the stack's entries */
        ws->failed = true;
        return;
    }
    bytes_clear(&ws->open);
    bytes_clear(&ws->extras);
    pair_all_marks(&p);
    end_the_unfinished(&p);
    work->paired_count = p.count;
    add_completes(&p);
    if (ws->open.failed || ws->extras.failed || p.orphans.failed) ws->failed = true;
    bytes_release(&p.orphans);
    event_log_discard(&thread->marks);
    if (thread->completes != NULL) event_log_discard(thread->completes);
    work->intervals = p.intervals;
    work->interval_count = p.count;
    assert(ws->failed || p.count == count);
}
