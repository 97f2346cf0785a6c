#include "format/go/trace/ends.h"

#include "format/go/common/buffer.h"
#include "format/go/trace/lanes.h"
#include "trace/store/lookup.h"

#include <inttypes.h>
#include <stdio.h>

static const uint64_t MOST_BYTES = UINT64_C(256) << 20; /* limit on a single read */

/* -- shared by v1 and v2 -- */

uint8_t *go_lookup_bytes(GoLookup *lookup, uint64_t begin, uint64_t end, size_t room, Err *err)
{
    const uint64_t size = end > begin ? end - begin : 0;
    if (size > MOST_BYTES) {
        err_set_at(err, ERR_LIMIT, begin, ERR_NOWHERE,
                   "%" PRIu64 " bytes would have to be read again: too many to do so for one slice", size);
        return NULL;
    }
    uint8_t *bytes = arena_push_raw(lookup->arena, room + (size_t)size, 1);
    if (bytes == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (go_input_read(lookup->again, begin, bytes + room, (size_t)size) < size) {
        err_set_at(err, ERR_IO, begin, ERR_NOWHERE, "the input cannot be read again");
        return NULL;
    }
    return bytes;
}

static StringView text_of(GoTables *tables, uint64_t id)
{
    StringId text = go_string_intern(tables, id);
    return text.index == 0 ? (StringView){ "", 0 } : string_table_view(tables->texts, text);
}

/* Names the function of a frame by its address if it has no name: 1.5 has no names. */
static bool name_function(GoLookup *lookup, FrameText *frame)
{
    enum { MOST = 24 };
    if (frame->function.size > 0) return true;
    char *text = arena_push_raw(lookup->arena, MOST, 1);
    if (text == NULL) return false;
    frame->function = (StringView){ text, (size_t)snprintf(text, MOST, "0x%" PRIx64, frame->address) };
    return true;
}

bool go_lookup_stack(GoLookup *lookup, GoTables *tables, uint32_t place, SliceEnd *end)
{
    if (place == 0) return true;
    FrameText *frames = ARENA_ARRAY(lookup->arena, FrameText, tables->stacks[place - 1].frame_count);
    if (frames == NULL) return false;
    ByteCursor c = go_stack_frames(tables, place);
    GoFrame    frame;
    size_t     count = 0;
    while (count < tables->stacks[place - 1].frame_count && go_stack_next(tables, &c, &frame)) {
        if (go_frame_is_empty(tables, &frame)) continue;
        frames[count] = (FrameText){ .function = text_of(tables, frame.function),
                                     .file = text_of(tables, frame.file),
                                     .line = frame.line,
                                     .address = frame.pc };
        if (!name_function(lookup, &frames[count++])) return false;
    }
    end->frames = frames;
    end->frame_count = count;
    return true;
}

bool go_lookup_why(GoLookup *lookup, const char *what, StringView reason, SliceEnd *end)
{
    const size_t size = strlen(what), gap = reason.size > 0 && size > 0 ? 2 : 0;
    char        *text = arena_push_raw(lookup->arena, size + gap + reason.size + 1, 1);
    if (text == NULL) return false;
    memcpy(text, what, size);
    memcpy(text + size, ": ", gap);
    if (reason.size > 0) memcpy(text + size + gap, reason.bytes, reason.size);
    end->why = (StringView){ text, size + gap + reason.size };
    return true;
}

/* -- search in the columns -- */

/* The runs of the same goroutine before and after a run, on any lane of the same kind. A step passes another slice. */
typedef struct Neighbours {
    const Trace *trace;
    uint64_t     run, previous, next; /* SLICE_NOWHERE = not found */
    uint64_t     steps_left;
} Neighbours;

static void look_before(Neighbours *n, const Row *row)
{
    const uint32_t label = trace_slice_label(n->trace, n->run);
    const int64_t  begin = trace_slice_begin(n->trace, n->run);
    uint64_t       at = row->first_slice + row_lower_bound(n->trace, row, begin);
    const int64_t known = n->previous == SLICE_NOWHERE ? INT64_MIN : trace_slice_begin(n->trace, n->previous);
    for (; at > row->first_slice && n->steps_left > 0 && trace_slice_begin(n->trace, at - 1) > known;
         n->steps_left--) {
        at--;
        if (trace_slice_label(n->trace, at) != label || at == n->run) continue;
        n->previous = at;
        return;
    }
}

static void look_behind(Neighbours *n, const Row *row)
{
    const uint32_t label = trace_slice_label(n->trace, n->run);
    const int64_t  end = trace_slice_end(n->trace, n->run);
    const uint64_t last = row->first_slice + row->slice_count;
    const int64_t  known = n->next == SLICE_NOWHERE ? INT64_MAX : trace_slice_begin(n->trace, n->next);
    for (uint64_t at = row->first_slice + row_lower_bound(n->trace, row, end);
         at < last && n->steps_left > 0 && trace_slice_begin(n->trace, at) < known; at++, n->steps_left--) {
        if (trace_slice_label(n->trace, at) != label || at == n->run) continue;
        n->next = at;
        return;
    }
}

static Neighbours find_neighbours(const Trace *trace, uint64_t run)
{
    enum { MOST_STEPS = 16 << 20 }; /* a few hundredths of a second */
    const Track   *lane = &trace->tracks[trace->rows[trace_slice_row(trace, run)].track];
    const Process *process = &trace->processes[lane->process.index];
    Neighbours     n = { trace, run, SLICE_NOWHERE, SLICE_NOWHERE, MOST_STEPS };
    for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind != TRACK_THREAD || track_row_count(track) == 0) continue;
        look_before(&n, &trace->rows[track->first_row]);
        look_behind(&n, &trace->rows[track->first_row]);
    }
    if (n.steps_left == 0)
        n.previous = n.next = SLICE_NOWHERE; /* the search is incomplete: a nearer run may exist */
    return n;
}

/* -- the result -- */

static bool has_end(const Trace *trace, uint64_t slice)
{
    return (trace_slice_flags(trace, slice) & (SLICE_UNFINISHED | SLICE_NO_END)) == 0;
}

bool go_has_ends(const Trace *trace, uint64_t slice)
{
    uint64_t run;
    return trace->source.kept != NULL && go_lane_run(trace, slice, &run);
}

bool go_ends(const Trace *trace, uint64_t slice, const ReadAgain *again, Arena *arena, SliceEnds *ends,
             Err *err)
{
    GoLookup lookup = { .kept = trace->source.kept, .again = again, .arena = arena };
    uint64_t run;
    int64_t  g;
    *ends = (SliceEnds){ .previous = SLICE_NOWHERE, .next = SLICE_NOWHERE };
    if (trace->source.kept == NULL || !go_lane_run(trace, slice, &run) ||
        !go_lane_number(trace_label_name(trace, trace_slice_label(trace, run)), &g))
        return true;
    const GoMoment at = { .is_wanted = true, .is_stop = slice == run, .g = g };
    lookup.moments[0] = lookup.moments[1] = at;
    lookup.moments[0].end = &ends->begin;
    lookup.moments[1].end = &ends->end;
    lookup.moments[1].since = trace_slice_begin(trace, slice);
    lookup.moments[1].time = trace_slice_end(trace, slice);
    lookup.moments[1].p = go_lane_processor(trace, slice);
    lookup.moments[1].is_wanted = has_end(trace, slice);
    if (slice != run) {
        lookup.moments[0].time = trace_slice_begin(trace, slice);
        lookup.moments[0].p = go_lane_processor(trace, slice);
    } else {
        Neighbours n = find_neighbours(trace, run);
        ends->previous = n.previous;
        ends->next = n.next;
        lookup.moments[0].is_wanted = n.previous != SLICE_NOWHERE && has_end(trace, n.previous);
        if (lookup.moments[0].is_wanted) {
            lookup.moments[0].since = trace_slice_begin(trace, n.previous);
            lookup.moments[0].time = trace_slice_end(trace, n.previous);
            lookup.moments[0].p = go_lane_processor(trace, n.previous);
        }
    }
    return lookup.kept->is_v2 ? go_lookup_v2(&lookup, err) : go_lookup_v1(&lookup, err);
}
