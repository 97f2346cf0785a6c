#include "format/trace_event/writer_marks.h"

static bool bit_of(const uint64_t *bits, uint64_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static void bit_set(uint64_t *bits, uint64_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void note_end(SliceMarks *marks, uint32_t track, int64_t tick)
{
    if (tick > marks->last_end[track]) marks->last_end[track] = tick;
}

/* The slice gets an end of its own, which stands before what begins at the same time. */
static void make_pair(SliceMarks *marks, uint32_t track, uint64_t slice)
{
    int64_t end = trace_slice_end(marks->trace, slice);
    bit_set(marks->as_begin, slice);
    if (end > INT64_MIN) note_end(marks, track, end - 1);
}

/* A slice that ended with the one around it: both become begins, and the outer gets an end. The rows come from the
 * outside in, so of several in each other only the outermost has to look for its cause. */
static bool keep_no_end(SliceMarks *marks, const Row *row, uint32_t row_index, uint64_t slice)
{
    const Trace *trace = marks->trace;
    uint64_t     outer;
    if (row->lane > 0 || !trace_slice_parent(trace, row_index, slice, &outer)) return false;
    int64_t end = trace_slice_end(trace, slice);
    uint8_t flags = trace->slices.flags[outer];
    if (trace_slice_end(trace, outer) != end || trace->slices.begin_tick[slice] == end) return false;
    if (flags & SLICE_UNFINISHED) return false;
    if (flags & SLICE_NO_END) {
        if (!bit_of(marks->as_begin, outer)) return false;
    } else {
        const Label *labels = trace->labels;
        StringId     name = labels[trace->slices.label[outer]].name;
        /* an E of that name would be the inner one's */
        if (name.index == 0 || name.index == labels[trace->slices.label[slice]].name.index) return false;
        make_pair(marks, row->track, outer);
    }
    bit_set(marks->as_begin, slice);
    return true;
}

/* Two slices of one row that begin together: the first has no length and ended before the second began. As X events
 * they would be one inside the other. */
static bool keep_tie(SliceMarks *marks, const Row *row, uint64_t slice)
{
    const uint8_t *flags = marks->trace->slices.flags;
    if (row->lane > 0 || ((flags[slice] | flags[slice + 1]) & SLICE_NO_END) != 0) return false;
    make_pair(marks, row->track, slice);
    if (!(flags[slice + 1] & SLICE_UNFINISHED)) make_pair(marks, row->track, slice + 1);
    return true;
}

static void mark_row(SliceMarks *marks, uint32_t row_index)
{
    const Trace *trace = marks->trace;
    const Row   *row = &trace->rows[row_index];
    uint64_t     last = row->first_slice + row->slice_count - 1;
    for (uint64_t i = row->first_slice; i <= last; i++) {
        bool ends_with_other = (trace->slices.flags[i] & SLICE_NO_END) != 0;
        bool begins_with_next = i < last && trace->slices.begin_tick[i] == trace->slices.begin_tick[i + 1];
        if (LIKELY(!ends_with_other && !begins_with_next)) continue;
        if (ends_with_other && !keep_no_end(marks, row, row_index, i)) marks->lost_causes++;
        if (begins_with_next && !keep_tie(marks, row, i)) marks->lost_ties++;
    }
}

bool slice_marks_make(SliceMarks *marks, const Trace *trace, uint16_t end_kind, Arena *arena)
{
    *marks = (SliceMarks){ .trace = trace };
    marks->last_end = ARENA_ARRAY(arena, int64_t, (size_t)trace->track_count + 1);
    if (marks->last_end == NULL) return false;
    for (uint32_t i = 0; i <= trace->track_count; i++)
        marks->last_end[i] = INT64_MIN;
    for (uint64_t i = 0; i < trace->other_count; i++) {
        const OtherEvent *other = &trace->others[i];
        if (other->kind == end_kind && other->has_tick) note_end(marks, other->thread, other->tick);
    }
    marks->as_begin = ARENA_ARRAY(arena, uint64_t, (size_t)(trace->slices.count / 64 + 1));
    if (marks->as_begin == NULL) return false;
    for (uint32_t row = 0; row < trace->row_count; row++) {
        if (trace->tracks[trace->rows[row].track].kind == TRACK_THREAD && trace->rows[row].slice_count > 0)
            mark_row(marks, row);
    }
    return true;
}

SliceForm slice_marks_form(const SliceMarks *marks, uint32_t track, uint64_t slice)
{
    const Trace *trace = marks->trace;
    if (trace->slices.flags[slice] & SLICE_UNFINISHED) {
        bool in_danger = marks->last_end[track] >= trace->slices.begin_tick[slice];
        return in_danger && marks->last_end[track] != INT64_MIN ? FORM_NO_DURATION : FORM_BEGIN;
    }
    if (!bit_of(marks->as_begin, slice)) return FORM_COMPLETE;
    return trace->slices.flags[slice] & SLICE_NO_END ? FORM_BEGIN : FORM_BEGIN_END;
}
