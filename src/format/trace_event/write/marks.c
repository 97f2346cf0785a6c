#include "format/trace_event/write/marks.h"

#include "format/trace_event/write/time.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

static bool bit_of(const uint64_t *bits, uint64_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static void bit_set(uint64_t *bits, uint64_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void note_end(int64_t *last, int64_t tick)
{
    if (tick > *last) *last = tick;
}

/* Makes the slice a pair of B and E; its E is written before events that begin at the same time. */
static void make_pair(SliceMarks *marks, uint32_t track, uint64_t slice)
{
    int64_t end = trace_slice_end(marks->trace, slice);
    bit_set(marks->as_begin, slice);
    if (end > INT64_MIN) note_end(&marks->last_pair[track], end - 1);
}

static bool is_left_open(const SliceMarks *marks, uint64_t slice)
{
    return (trace_slice_flags(marks->trace, slice) & SLICE_UNFINISHED) != 0 && bit_of(marks->as_begin, slice);
}

/* True if an unfinished slice can be a B because no later E would end it. The slices around it are already decided. */
static bool can_stay_open(const SliceMarks *marks, const Row *row, uint32_t row_index, uint64_t slice)
{
    const Trace *trace = marks->trace;
    int64_t      begin = trace_slice_begin(trace, slice);
    uint64_t     outer;
    if (marks->last_stray[row->track] > begin) return false;
    if (row->lane > 0) return marks->last_pair[row->track] < begin;
    if (slice > row->first_slice && is_left_open(marks, slice - 1) &&
        trace_slice_end(trace, slice - 1) == begin)
        return false; /* the next slice would be inside it */
    if (!trace_slice_parent(trace, row_index, slice, &outer)) return true;
    if (trace_slice_flags(trace, outer) & SLICE_UNFINISHED) return bit_of(marks->as_begin, outer);
    return marks->last_pair[row->track] < begin;
}

/* Finds the slice whose end also ended this one. Returns false if there is no such slice. All slices between them
 * ended the same way. */
static bool find_cause(const SliceMarks *marks, uint32_t row, uint64_t slice, uint64_t *cause)
{
    enum { MOST_LEVELS = 64 }; /* deep chains of broken pairs must not cost the square of their depth */
    const Trace *trace = marks->trace;
    int64_t      end = trace_slice_end(trace, slice);
    for (int level = 0; level < MOST_LEVELS; level++) {
        if (!trace_slice_parent(trace, row--, slice, &slice) || trace_slice_end(trace, slice) != end)
            return false;
        *cause = slice;
        if (!(trace_slice_flags(trace, slice) & SLICE_NO_END))
            return !(trace_slice_flags(trace, slice) & SLICE_UNFINISHED);
        if (!bit_of(marks->as_begin, slice)) return false;
    }
    return false;
}

/* Keeps that a slice was ended by a slice around it: both become B events, and the outer one gets an E. */
static bool keep_no_end(SliceMarks *marks, const Row *row, uint32_t row_index, uint64_t slice)
{
    const Trace *trace = marks->trace;
    const Label *labels = trace->labels;
    uint64_t     cause;
    if (row->lane > 0 || trace_slice_begin(trace, slice) == trace_slice_end(trace, slice)) return false;
    if (!find_cause(marks, row_index, slice, &cause)) return false;
    if (marks->last_stray[row->track] >= trace_slice_begin(trace, cause))
        return false; /* that end might end the cause or the slice */
    StringId name = labels[trace_slice_label(trace, cause)].name;
    /* An E with the name of the inner slice would end the inner slice. */
    if (name.index == 0 || name.index == labels[trace_slice_label(trace, slice)].name.index) return false;
    make_pair(marks, row->track, cause);
    bit_set(marks->as_begin, slice);
    return true;
}

/* Keeps two slices of one row apart that begin at the same time; the first has length 0 and ended before the second
 * began. As X events one would be inside the other. */
static bool keep_tie(SliceMarks *marks, const Row *row, uint32_t row_index, uint64_t slice)
{
    assert(slice + 1 < row->first_slice + row->slice_count);
    const uint8_t first = trace_slice_flags(marks->trace, slice),
                  second = trace_slice_flags(marks->trace, slice + 1);
    const bool is_open = (second & SLICE_UNFINISHED) != 0;
    if (row->lane > 0 || ((first | second) & SLICE_NO_END) != 0) return false;
    if (is_open && !can_stay_open(marks, row, row_index, slice + 1)) return false;
    make_pair(marks, row->track, slice);
    if (!is_open) make_pair(marks, row->track, slice + 1);
    return true;
}

/* True if a slice of length 0 is inside the slice around it as X events, too. At the end of a finished slice it would be beside
 * it. */
static bool is_inside_as_complete(const Trace *trace, uint32_t row_index, uint64_t slice)
{
    const int64_t begin = trace_slice_begin(trace, slice);
    uint64_t      outer;
    if (!trace_slice_parent(trace, row_index, slice, &outer)) return true;
    return trace_slice_begin(trace, outer) == begin || trace_slice_end(trace, outer) > begin ||
           (trace_slice_flags(trace, outer) & SLICE_UNFINISHED) != 0;
}

/* Keeps the stack of an E event as a field of an E: an X would have it under another key. */
static void keep_end_stack(SliceMarks *marks, const Row *row, uint64_t slice)
{
    const Trace  *trace = marks->trace;
    const uint8_t flags = trace_slice_flags(trace, slice);
    const bool    is_own = (flags & (SLICE_END_SOURCE | SLICE_NO_END | SLICE_UNFINISHED)) == SLICE_END_SOURCE;
    if (!is_own || row->lane > 0 || trace_slice_is_empty(trace, slice)) return;
    if (trace_slice_end_stack(trace, slice).index != 0) make_pair(marks, row->track, slice);
}

static void mark_row(SliceMarks *marks, uint32_t row_index)
{
    assert(marks->trace->rows[row_index].slice_count > 0);
    const Trace *trace = marks->trace;
    const Row   *row = &trace->rows[row_index];
    uint64_t     last = row->first_slice + row->slice_count - 1;
    for (uint64_t i = row->first_slice; i <= last; i++) {
        uint8_t flags = trace_slice_flags(trace, i);
        bool    is_tied = i < last && trace_slice_begin(trace, i) == trace_slice_begin(trace, i + 1);
        if (UNLIKELY(marks->has_end_stacks)) keep_end_stack(marks, row, i);
        bool is_empty = trace_slice_is_empty(trace, i) && row->depth > 0;
        if (LIKELY((flags & (SLICE_NO_END | SLICE_UNFINISHED)) == 0 && !is_tied && !is_empty)) continue;
        if (flags & SLICE_UNFINISHED) {
            if (can_stay_open(marks, row, row_index, i)) bit_set(marks->as_begin, i);
        } else if (flags & SLICE_NO_END) {
            marks->lost_causes += !keep_no_end(marks, row, row_index, i);
        }
        if (is_empty) marks->lost_ties += !is_inside_as_complete(trace, row_index, i);
        if (is_tied) marks->lost_ties += !keep_tie(marks, row, row_index, i);
    }
}

static bool is_whole(const Trace *trace, uint64_t slice)
{
    return (trace_slice_flags(trace, slice) & (SLICE_UNFINISHED | SLICE_NO_END)) == 0 &&
           !trace_slice_is_empty(trace, slice);
}

/* Returns the number of ticks in less than two nanoseconds; 0 if each tick is a whole number of nanoseconds. */
static uint64_t ticks_of_rounding(const Clock *clock)
{
    const bool is_whole_ns = clock->ns_num % clock->ns_den == 0;
    return is_whole_ns ? 0 : (2 * (uint64_t)clock->ns_den - 1) / clock->ns_num;
}

/* True if `tick` is at most `near` ticks after `end`, and not before it. */
static bool is_soon(int64_t end, int64_t tick, uint64_t near)
{
    return tick >= end && (uint64_t)tick - (uint64_t)end <= near;
}

/* Makes pairs of slices that end at the begin of the next slice of the row or with the slice around them. speedscope
 * adds ts and dur as doubles: by a rounding error such a slice would end too late or too early and stay open. Perfetto
 * rounds ts and dur to nanoseconds before it adds them: the end of an X is wrong by up to one. (Sums of whole microseconds are
 * exact. Slices of this format are not changed.) */
static void mark_touching(SliceMarks *marks, const Row *row, const Row *outer_row)
{
    const uint64_t near = ticks_of_rounding(&marks->trace->clock);
    const Trace   *trace = marks->trace;
    uint64_t       end_of_row = row->first_slice + row->slice_count;
    uint64_t       outer = outer_row == NULL ? 0 : outer_row->first_slice;
    uint64_t       end_of_outer = outer_row == NULL ? 0 : outer + outer_row->slice_count;
    for (uint64_t i = row->first_slice; i < end_of_row; i++) {
        int64_t end = trace_slice_end(trace, i);
        while (outer < end_of_outer && trace_slice_end(trace, outer) < end)
            outer++;
        bool ends_outer = outer < end_of_outer && is_soon(end, trace_slice_end(trace, outer), near);
        bool meets_next = i + 1 < end_of_row && is_soon(end, trace_slice_begin(trace, i + 1), near);
        if ((ends_outer || meets_next) && is_whole(trace, i)) make_pair(marks, row->track, i);
        if (ends_outer && is_whole(trace, outer)) make_pair(marks, row->track, outer);
    }
}

/* Returns the row of the slices around those of a row, or NULL. */
static const Row *outer_of(const Row *rows, uint32_t r)
{
    return r > 0 && rows[r].depth > 0 && rows[r - 1].depth + 1 == rows[r].depth ? &rows[r - 1] : NULL;
}

/* True if slices of the row can be pairs. */
static bool is_pair_row(const Trace *trace, uint32_t r)
{
    return trace->tracks[trace->rows[r].track].kind == TRACK_THREAD && trace->rows[r].lane == 0;
}

static bool is_same_nanosecond(const Clock *clock, int64_t tick, int64_t other)
{
    const WriterTime a = writer_time_of(clock, tick), b = writer_time_of(clock, other);
    return a.ns + (a.ps >= 500) == b.ns + (b.ps >= 500);
}

/* Makes pairs of slices that begin in the nanosecond of a pair around them: of events in one nanosecond, Perfetto takes an X
 * before a B. It takes an E first, so that a slice that ends in its first nanosecond cannot be a pair. */
static void mark_first_inside(SliceMarks *marks, const Row *row, const Row *outer_row)
{
    const Trace   *trace = marks->trace;
    const uint64_t near = ticks_of_rounding(&trace->clock);
    const uint64_t end_of_row = row->first_slice + row->slice_count;
    uint64_t       i = row->first_slice;
    for (uint64_t outer = outer_row->first_slice; outer < outer_row->first_slice + outer_row->slice_count;
         outer++) {
        const int64_t begin = trace_slice_begin(trace, outer);
        while (i < end_of_row && trace_slice_begin(trace, i) < begin)
            i++;
        if (i == end_of_row) return;
        if (!bit_of(marks->as_begin, outer) || !is_soon(begin, trace_slice_begin(trace, i), near)) continue;
        if (is_whole(trace, i) && is_same_nanosecond(&trace->clock, begin, trace_slice_begin(trace, i)) &&
            !is_same_nanosecond(&trace->clock, begin, trace_slice_end(trace, i)))
            make_pair(marks, row->track, i);
    }
}

static void mark_all_touching(SliceMarks *marks)
{
    const Row     *rows = marks->trace->rows;
    const uint32_t count = marks->trace->row_count;
    for (uint32_t r = 0; r < count; r++) {
        if (is_pair_row(marks->trace, r)) mark_touching(marks, &rows[r], outer_of(rows, r));
    }
    for (uint32_t r = 0; r < count; r++) { /* the outer row first */
        const Row *outer = outer_of(rows, r);
        if (is_pair_row(marks->trace, r) && outer != NULL) mark_first_inside(marks, &rows[r], outer);
    }
}

static int64_t *times_by_track(const Trace *trace, Arena *arena)
{
    int64_t *times = ARENA_ARRAY(arena, int64_t, (size_t)trace->track_count + 1);
    for (uint32_t i = 0; times != NULL && i <= trace->track_count; i++)
        times[i] = INT64_MIN;
    return times;
}

bool slice_marks_make(SliceMarks *marks, const Trace *trace, uint16_t end_kind, Arena *arena)
{
    *marks = (SliceMarks){ .trace = trace,
                           .has_end_stacks = end_kind != UINT16_MAX && trace_has_end_stacks(trace) };
    marks->last_stray = times_by_track(trace, arena);
    marks->last_pair = times_by_track(trace, arena);
    marks->as_begin = ARENA_ARRAY(arena, uint64_t, (size_t)(trace_slice_bound(trace) / 64 + 1));
    if (marks->last_stray == NULL || marks->last_pair == NULL || marks->as_begin == NULL) return false;
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (other->kind == end_kind && other->has_tick)
            note_end(&marks->last_stray[other->thread], other->tick);
    }
    bool adds_up = strcmp(trace->source.format_name, "trace-event") == 0 || !clock_has_time(&trace->clock);
    if (!adds_up) mark_all_touching(marks);
    for (uint32_t row = 0; row < trace->row_count; row++) {
        if (trace->tracks[trace->rows[row].track].kind == TRACK_THREAD && trace->rows[row].slice_count > 0)
            mark_row(marks, row);
    }
    return true;
}

SliceForm slice_marks_form(const SliceMarks *marks, uint64_t slice)
{
    uint8_t flags = trace_slice_flags(marks->trace, slice);
    bool    is_marked = bit_of(marks->as_begin, slice);
    if (flags & SLICE_UNFINISHED) return is_marked ? FORM_BEGIN : FORM_NO_DURATION;
    if (!is_marked) return FORM_COMPLETE;
    return flags & SLICE_NO_END ? FORM_BEGIN : FORM_BEGIN_END;
}
