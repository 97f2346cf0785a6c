/* Takes the begin, end and complete events of a thread of a growing trace. pair.c makes slices of them, in steps.
 *
 * The slice of a begin event is in the rows as an unfinished one. Its end event finishes it there, or the finished slice
 * goes to LiveTrack.fresh and replaces the unfinished one when the track is laid out again.
 *
 * Some recorders give all end events one name without a meaning. This is certain only when all events of the thread
 * are known. So from the step on that finds such a name, the events of the thread are kept (LiveDoubt). They are paired
 * again when an event shows that the name has a meaning. */
#include "trace/live/live_state.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LEVEL = UINT16_MAX - 1 };

LiveSlice live_slice_of(LiveTrace *live, const Interval *interval, const IntervalExtra *extra, CpuCursor *cpu)
{
    static const IntervalExtra NONE;
    const uint32_t             level = interval->row < MOST_LEVEL ? interval->row : MOST_LEVEL;
    if (extra == NULL) extra = &NONE;
    LiveSlice slice = { .begin = interval->begin,
                        .end = interval->end,
                        .offset = place_offset(interval->place),
                        .end_offset = extra->end_offset,
                        .label = interval->label,
                        .flags = (uint32_t)(interval->place & 0xff),
                        .level = interval->place & INTERVAL_PAIRED ? (uint16_t)(level + 1) : 0,
                        .replaces = (interval->place & INTERVAL_REPLACES) != 0,
                        .stack = extra->stack,
                        .end_stack = extra->end_stack };
    if (cpu->count > 0) slice.cpu = cpu_of_interval(cpu, interval, extra->end_offset);
    if (extra->colour != 0)
        slice.label = builder_colour_label(live->builder, (LabelId){ slice.label }, extra->colour).index;
    return slice;
}

/* ---- events ---- */

/* Adds the CPU time of an event to those of the track. */
static bool note_cpu(LiveTrace *live, LiveTrack *track, uint64_t offset)
{
    const CpuTime *cpu = cpu_find(&live->now.cpu_times, offset);
    return cpu == NULL || live_append(live, &track->cpu, cpu, sizeof *cpu);
}

/* Reads the new begin and end events. */
static bool read_marks(LiveTrace *live, LiveTrack *track, const ThreadLog *thread, EventRecord *marks)
{
    EventReader reader = event_log_read(&thread->marks);
    StackCursor stacks = stack_cursor_over(live->builder, thread->mark_stacks);
    for (uint64_t n = 0; event_reader_next(&reader); n++) {
        EventRecord *mark = &marks[n];
        *mark = reader.record;
        mark->stack = stack_cursor_take(&stacks, n);
        if (live->now.cpu_times.count > 0 && !note_cpu(live, track, mark->offset)) return false;
    }
    return true;
}

/* Keeps only the CPU times of events that may still be needed. `open` are in order of their offsets. */
static bool trim_cpu(LiveTrace *live, LiveTrack *track)
{
    const PairedSlice *slices = VECTOR(track->pairing.slices, const PairedSlice);
    CpuCursor          cursor = live_cpu_cursor(&track->cpu);
    Bytes              kept = { .data = NULL };
    if (cursor.count == 0 || track->doubt.is_active) return true;
    for (size_t i = 0; i < VECTOR_COUNT(track->pairing.slices, PairedSlice); i++) {
        const CpuTime *cpu = cpu_find(&cursor, place_offset(slices[i].interval.place));
        if (cpu != NULL && !live_append(live, &kept, cpu, sizeof *cpu)) break;
    }
    bytes_release(&track->cpu);
    track->cpu = kept;
    return !live->failed;
}

/* ---- slices ---- */

/* Finishes a slice in its row. False: it is not the last one of the row of its level. */
static bool finish_in_row(LiveTrace *live, LiveTrack *track, const LiveSlice *slice)
{
    LiveRow *row = track->any_complete ? NULL : live_row_find(track, 0, slice->level - 1u);
    if (row == NULL || row->row.slice_count == 0) return false;
    const uint32_t last = row->row.slice_count - 1;
    const uint64_t at = row->row.first_slice + last;
    if (live->places.source[at] != slice->offset || live->trace.slices.begin_tick[at] != slice->begin ||
        !(live->trace.slices.flags[at] & SLICE_UNFINISHED))
        return false;
    live_note_change(live, track, slice->begin);
    live_slice_rewrite(live, row, last, slice);
    if (track->drawn_to < track->from)
        track->from = track->drawn_to; /* slices and instants at its end may be inside it now */
    return true;
}

/* Takes the slices of a step. The first `known` of them are those of the steps before, `open` of them open. */
static bool take_slices(LiveTrace *live, LiveTrack *track, const TrackWork *work, size_t known, size_t open)
{
    const IntervalExtra *extras = live->workspace.extras.items;
    CpuCursor            own = live_cpu_cursor(&track->cpu);
    track->known_depth = 0;
    for (size_t i = 0; i < work->interval_count; i++) {
        const Interval *interval = &work->intervals[i];
        const bool      is_unfinished = (interval->place & SLICE_UNFINISHED) != 0;
        track->known_depth += i < open && is_unfinished;
        if (i < open ? is_unfinished : i < known && !(interval->place & INTERVAL_EXCHANGED)) continue;
        LiveSlice slice =
            live_slice_of(live, interval, interval->extra == 0 ? NULL : &extras[interval->extra - 1],
                          i < work->paired_count ? &own : &live->now.cpu_times);
        if (i < open && finish_in_row(live, track, &slice)) continue;
        slice.replaces |= i >= open && i < known;
        if (slice.begin < track->from) track->from = slice.begin;
        if (!live_append(live, &track->fresh, &slice, sizeof slice)) return false;
    }
    return !live->builder->failed;
}

/* Removes the unfinished slices of begin events: they are added again if they are still open. */
static void forget_open(LiveTrack *track)
{
    LiveSlice *fresh = VECTOR(track->fresh, LiveSlice);
    size_t     kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh, LiveSlice); i++)
        if (!(fresh[i].flags & SLICE_UNFINISHED) || fresh[i].level == 0) fresh[kept++] = fresh[i];
    track->fresh.size = kept * sizeof *fresh;
}

/* ---- unmatched ends, other warnings ---- */

/* Keeps the unmatched ends of a step as raw events. */
static bool keep_ends(LiveTrace *live, LiveTrack *track, const TrackWork *work)
{
    TraceBuilder  *builder = live->builder;
    const char    *kind = builder->rules.end_kind;
    const uint16_t kind_index = work->unmatched == NULL ? 0 : builder_event_kind(builder, kind, strlen(kind));
    for (const UnmatchedEnd *end = work->unmatched; end != NULL; end = end->next) {
        const LiveEnd kept = { .event = { .tick = end->tick,
                                          .offset = end->offset,
                                          .thread = track->source,
                                          .label = end->label,
                                          .kind = kind_index,
                                          .has_tick = true },
                               .is_kept = true };
        if (!live_others_end(live, &kept) || !live_append(live, &track->doubt.ends, &kept, sizeof kept))
            return false;
    }
    return !builder->failed;
}

/* Reports the warnings of a step. Unmatched ends are counted, because a later event can change them. */
static void take_warnings(LiveTrace *live, LiveTrack *track, const TrackWork *work)
{
    LiveUnmatched *unmatched = &track->unmatched;
    for (const TrackWarning *w = work->warnings; w != NULL; w = w->next) {
        if (strcmp(w->warning.kind, "unmatched-end") != 0) {
            builder_add_warning(live->builder, &w->warning);
            continue;
        }
        if (unmatched->count == 0 || w->warning.first.offset < unmatched->first_offset) {
            unmatched->first_offset = w->warning.first.offset;
            unmatched->first_event = w->warning.first.event;
        }
        unmatched->count += w->warning.count;
        live->threads.unmatched_changed = true;
    }
}

void live_warn_unmatched(LiveTrace *live)
{
    Warning       warning = { .kind = "unmatched-end" };
    LiveUnmatched all = { .count = 0 };
    for (size_t i = 1; i < VECTOR_COUNT(live->threads.tracks, LiveTrack); i++) {
        const LiveUnmatched *of_track = &VECTOR(live->threads.tracks, const LiveTrack)[i].unmatched;
        if (of_track->count == 0) continue;
        const uint64_t count = all.count + of_track->count;
        if (all.count == 0 || of_track->first_offset < all.first_offset) all = *of_track;
        all.count = count;
    }
    live->threads.unmatched_changed = false;
    warning.count = all.count;
    warning.first.offset = all.first_offset;
    warning.first.event = all.first_event;
    snprintf(warning.first.message, sizeof warning.first.message, "%s", UNMATCHED_END);
    builder_replace_warning(live->builder, &warning);
}

/* ---- ends whose name may have no meaning ---- */

typedef struct Known {
    const LiveTrace *live;
    const LiveTrack *track;
} Known;

/* True if an earlier begin event of the thread has the name. */
static bool had_begin(const void *context, uint32_t name)
{
    const LiveTrace   *live = ((const Known *)context)->live;
    const LiveTrack   *track = ((const Known *)context)->track;
    const Label       *labels = live->builder->labels.all.items;
    const LiveSlice   *fresh = VECTOR(track->fresh, const LiveSlice);
    const PairedSlice *open = VECTOR(track->pairing.slices, const PairedSlice);
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++)
            if (live->columns.levels[i] != 0 && labels[trace_slice_label(&live->trace, i)].name.index == name)
                return true;
    }
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh, LiveSlice); i++)
        if (fresh[i].level != 0 && labels[fresh[i].label].name.index == name) return true;
    for (size_t i = 0; i < track->pairing.depth; i++)
        if (labels[open[i].interval.label].name.index == name) return true;
    return false;
}

/* True if an event shows that the name of the ends so far has a meaning. */
static bool gives_meaning(const LiveTrace *live, const LiveTrack *track, const EventRecord *marks,
                          size_t count)
{
    if (track->pairing.nameless != NAMELESS_YES) return false;
    for (size_t i = 0; i < count; i++)
        if (pairing_gives_meaning(live->builder, &marks[i], track->pairing.nameless_name)) return true;
    return false;
}

/* Releases the events that were kept to be paired again. */
static void end_doubt(LiveTrace *live, LiveTrack *track)
{
    live->threads.doubt_bytes -= track->doubt.marks.size;
    bytes_release(&track->doubt.open);
    bytes_release(&track->doubt.marks);
    bytes_release(&track->doubt.ends);
    track->doubt.is_active = false;
}

/* Stores the state before the events that may be paired again. */
static bool start_doubt(LiveTrace *live, LiveTrack *track)
{
    LiveDoubt *doubt = &track->doubt;
    live->threads.doubt_bytes -= doubt->marks.size;
    bytes_clear(&doubt->open);
    bytes_clear(&doubt->marks);
    bytes_clear(&doubt->ends);
    doubt->unmatched = track->unmatched;
    return live_append(live, &doubt->open, track->pairing.slices.data,
                       track->pairing.depth * sizeof(PairedSlice));
}

bool live_doubt_forget(LiveTrace *live, LiveTrack *track)
{
    return !track->doubt.is_active || start_doubt(live, track);
}

/* Goes back to the state before the kept events, which the slices of all later events replace. */
static bool go_back(LiveTrace *live, LiveTrack *track, EventRecord *kept)
{
    LiveDoubt   *doubt = &track->doubt;
    PairedSlice *open = VECTOR(doubt->open, PairedSlice);
    LiveEnd     *ends = VECTOR(doubt->ends, LiveEnd);
    const size_t depth = VECTOR_COUNT(doubt->open, PairedSlice);
    for (size_t i = 0; i < VECTOR_COUNT(doubt->marks, EventRecord); i++) {
        kept[i] = VECTOR(doubt->marks, const EventRecord)[i];
        kept[i].bits |= MARK_AGAIN;
        if (kept[i].tick < track->from) track->from = kept[i].tick;
    }
    for (size_t i = 0; i < depth; i++) {
        open[i].interval.place |= INTERVAL_REPLACES;
        if (open[i].interval.begin < track->from) track->from = open[i].interval.begin;
    }
    for (size_t i = 0; i < VECTOR_COUNT(doubt->ends, LiveEnd); i++) {
        ends[i].is_kept = false;
        if (!live_others_end(live, &ends[i])) return false;
    }
    bytes_clear(&doubt->ends);
    track->unmatched = doubt->unmatched;
    live->threads.unmatched_changed = true;
    track->pairing.nameless = NAMELESS_NO;
    track->pairing.depth = depth;
    bytes_clear(&track->pairing.slices);
    return live_append(live, &track->pairing.slices, open, depth * sizeof *open);
}

/* ---- a step ---- */

/* Pairs the events. `kept` and `marks`: the numbers of kept and new ones, at the begin of the list. */
static bool pair(LiveTrace *live, LiveTrack *track, TrackWork *work, EventRecord *list, size_t kept,
                 size_t count)
{
    PairState   *state = &track->pairing;
    const Known  context = { live, track };
    const bool   again = gives_meaning(live, track, list + kept, count);
    const size_t first = again ? 0 : kept;
    if (again && !go_back(live, track, list)) return false;
    const bool   may_doubt = state->nameless == NAMELESS_UNKNOWN && !state->any_named_match;
    const size_t known = VECTOR_COUNT(state->slices, PairedSlice), open = state->depth;
    if (may_doubt && !start_doubt(live, track)) return false;
    arena_clear(&live->workspace.results);
    forget_open(track);
    pair_step(&live->workspace, work, state,
              &(PairStep){ list + first, kept + count - first, had_begin, &context });
    take_warnings(live, track, work);
    if (live->workspace.failed || !keep_ends(live, track, work) ||
        !take_slices(live, track, work, known, open))
        return false;
    track->doubt.is_active = state->nameless == NAMELESS_YES;
    if (!track->doubt.is_active) {
        end_doubt(live, track);
    } else {
        live->threads.doubt_bytes += count * sizeof *list;
        if (!live_append(live, &track->doubt.marks, list + kept, count * sizeof *list)) return false;
    }
    return trim_cpu(live, track);
}

bool live_events_take(LiveTrace *live, LiveTrack *track, ThreadLog *thread, int64_t end)
{
    Workspace   *ws = &live->workspace;
    const size_t kept = VECTOR_COUNT(track->doubt.marks, EventRecord), count = (size_t)thread->marks.count;
    TrackWork    work = { .thread = thread, .unfinished_end = end };
    if (count + thread_complete_count(thread) == 0) return true;
    EventRecord *list = (EventRecord *)workspace_pages(ws, &ws->marks, kept + count, sizeof *list);
    if (thread_complete_count(thread) > 0) track->any_complete = true;
    if (track->fresh.data == NULL) {
        track->fresh = live->threads.spare;
        live->threads.spare = (Bytes){ .data = NULL };
    }
    if (list == NULL || !read_marks(live, track, thread, list + kept) ||
        !pair(live, track, &work, list, kept, count)) {
        live->failed = true;
        return false;
    }
    if (count > 0 && list[kept].tick < track->from) track->from = list[kept].tick;
    track->endless_count += work.unfinished_count;
    live->event_count += thread->begin_count + thread_complete_count(thread);
    return true;
}

/* ---- conversion of ticks, release ---- */

void live_pairing_convert(LiveTrack *track, ClockConversion *conversion)
{
    CONVERT_TICKS(track->pairing.slices, PairedSlice, interval.begin, conversion);
    CONVERT_TICKS(track->pairing.slices, PairedSlice, interval.end, conversion);
    CONVERT_TICKS(track->doubt.open, PairedSlice, interval.begin, conversion);
    CONVERT_TICKS(track->doubt.marks, EventRecord, tick, conversion);
    CONVERT_TICKS(track->doubt.ends, LiveEnd, event.tick, conversion);
}

void live_pairing_release(LiveTrace *live, LiveTrack *track)
{
    end_doubt(live, track);
    bytes_release(&track->pairing.slices);
    bytes_release(&track->cpu);
    track->pairing.depth = track->pairing.parted_level = 0;
}
