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

/* A slice that ended with the one around it: both become begins, and the outer gets an end. The rows come from the
 * outside in, so of several in each other only the outermost has to look for its cause. */
static bool keep_no_end(SliceMarks *marks, uint32_t row, uint64_t slice)
{
    const Trace *trace = marks->trace;
    uint64_t     outer;
    if (trace->rows[row].depth == 0 || !trace_slice_parent(trace, row, slice, &outer)) return false;
    int64_t end = trace_slice_end(trace, slice);
    uint8_t flags = trace->slices.flags[outer];
    if (trace_slice_end(trace, outer) != end || trace->slices.begin_tick[slice] == end) return false;
    if (flags & SLICE_UNFINISHED) return false;
    if (flags & SLICE_NO_END) {
        if (!bit_of(marks->as_begin, outer)) return false;
    } else {
        const Label *labels = trace->labels, *inner_label = &labels[trace->slices.label[slice]];
        StringId     name = labels[trace->slices.label[outer]].name;
        if (name.index == 0 || name.index == inner_label->name.index) return false; /* the E would be the inner's */
        bit_set(marks->as_begin, outer);
        note_end(marks, trace->rows[row].track, end);
    }
    bit_set(marks->as_begin, slice);
    return true;
}

static bool keep_all_no_end(SliceMarks *marks, Arena *arena)
{
    const Trace *trace = marks->trace;
    for (uint32_t row = 0; row < trace->row_count; row++) {
        uint64_t first = trace->rows[row].first_slice;
        if (trace->tracks[trace->rows[row].track].kind != TRACK_THREAD) continue;
        for (uint64_t i = first; i < first + trace->rows[row].slice_count; i++) {
            if (!(trace->slices.flags[i] & SLICE_NO_END)) continue;
            if (marks->as_begin == NULL) {
                marks->as_begin = ARENA_ARRAY(arena, uint64_t, (size_t)(trace->slices.count / 64 + 1));
                if (marks->as_begin == NULL) return false;
            }
            if (!keep_no_end(marks, row, i)) marks->lost++;
        }
    }
    return true;
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
    return keep_all_no_end(marks, arena);
}

SliceForm slice_marks_form(const SliceMarks *marks, uint32_t track, uint64_t slice)
{
    const Trace *trace = marks->trace;
    if (trace->slices.flags[slice] & SLICE_UNFINISHED) {
        bool in_danger = marks->last_end[track] >= trace->slices.begin_tick[slice];
        return in_danger && marks->last_end[track] != INT64_MIN ? FORM_NO_DURATION : FORM_BEGIN;
    }
    if (marks->as_begin == NULL || !bit_of(marks->as_begin, slice)) return FORM_COMPLETE;
    return trace->slices.flags[slice] & SLICE_NO_END ? FORM_BEGIN : FORM_BEGIN_END;
}
