/* Pairs the begin and end events of a thread of a growing trace in order of arrival, by the rules of pairing.h.
 *
 * A begin event appends its slice to the row of its depth; its end event finishes the slice there. If an end changes a
 * finished slice, the new version goes to LiveTrack.fresh, and replaces the old one when the track is laid out again.
 *
 * Some recorders give all end events one name without a meaning. This is certain only when all events of the thread
 * are known. So from the first end on that closes a slice although its name differs, the events of the thread are kept
 * (LiveDoubt). They are paired again when an event shows that the name has a meaning. */
#include "trace/live/live_state.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_LEVEL = UINT16_MAX - 1,
    MARK_WAS_UNMATCHED = 1 << 4 /* a bit of EventRecord.bits, beside PLACE_ */
};

#define LATE_EVENT                                                                                           \
    "a begin or end is earlier than the one before it on its thread: shown at that one's time while the "    \
    "trace "                                                                                                 \
    "grows"

static uint16_t level_mark(size_t level)
{
    return (uint16_t)((level < MOST_LEVEL ? level : MOST_LEVEL) + 1);
}

uint32_t live_slice_flags(uint32_t bits)
{
    return (bits & PLACE_DETAILS ? (uint32_t)SLICE_SOURCE : 0) |
           (bits & PLACE_REPAIRED ? (uint32_t)SLICE_REPAIRED : 0);
}

LiveSlice live_slice_of_open(const LiveOpen *open, int64_t end)
{
    return (LiveSlice){ .begin = open->tick,
                        .end = end,
                        .offset = open->offset,
                        .label = open->slice.label,
                        .flags = open->flags | SLICE_UNFINISHED,
                        .level = open->level,
                        .replaces = open->replaces,
                        .stack = open->stack,
                        .cpu = cpu_between(open->has_cpu ? &open->cpu : NULL, NULL) };
}

static bool check_memory(LiveTrace *live, const Pairing *pairing)
{
    if (pairing->open.failed || pairing->parted.failed || live->workspace.failed) live->failed = true;
    return !live->failed;
}

/* ---- begins ---- */

static bool begin_slice(LiveTrace *live, LiveTrack *track, const EventRecord *mark, bool replaces)
{
    const size_t   level = track->pairing.depth;
    const CpuTime *cpu = cpu_find(&live->now.cpu_times, mark->offset);
    LiveOpen       open = { .slice = { .label = mark->label },
                            .tick = mark->tick,
                            .offset = mark->offset,
                            .flags = live_slice_flags(mark->bits),
                            .level = level_mark(level),
                            .stack = mark->stack,
                            .replaces = replaces,
                            .has_cpu = cpu != NULL };
    if (cpu != NULL) open.cpu = *cpu;
    pairing_begin(&track->pairing, &open.slice, sizeof open);
    if (!check_memory(live, &track->pairing)) return false;
    live_note_change(live, track, mark->tick);
    if (track->nesting != LIVE_BY_MARKS) return true;
    LiveRow        *row = live_row_get(live, track, 0, (uint32_t)level);
    const LiveSlice slice = live_slice_of_open(&open, mark->tick);
    track->slice_count++;
    return row != NULL && live_slice_append(live, row, &slice);
}

/* ---- ends ---- */

/* Adds the details, the CPU time, the stack and the colour of the end event to its slice. */
static void take_end_details(LiveTrace *live, const LiveOpen *open, const EventRecord *mark, LiveSlice *slice)
{
    const uint32_t colour = builder_label_parts(live->builder, (LabelId){ mark->label }).colour;
    const CpuTime *begin = open->has_cpu ? &open->cpu : NULL, *end = NULL;
    if (mark->bits & PLACE_DETAILS) {
        slice->flags |= SLICE_END_SOURCE;
        slice->end_offset = mark->offset;
        if (begin != NULL) end = cpu_find(&live->now.cpu_times, mark->offset);
    }
    slice->cpu = cpu_between(begin, end);
    slice->end_stack = mark->stack;
    if (colour != 0)
        slice->label = builder_colour_label(live->builder, (LabelId){ slice->label }, colour).index;
}

/* Closes the slice, which was open on this level; flags: SLICE_NO_END or 0. */
static LiveSlice close_slice(LiveTrace *live, const LiveOpen *open, const EventRecord *mark, uint32_t flags)
{
    LiveSlice slice = live_slice_of_open(open, mark->tick);
    slice.flags = open->flags | flags | (live_slice_flags(mark->bits) & SLICE_REPAIRED);
    if (!(flags & SLICE_NO_END)) take_end_details(live, open, mark, &slice);
    return slice;
}

/* Updates a closed slice in its row. If the track is laid out by time, the slice waits in `fresh`. */
static bool put_closed(LiveTrace *live, LiveTrack *track, size_t level, const LiveSlice *slice)
{
    live_note_change(live, track, slice->begin);
    if (track->nesting != LIVE_BY_MARKS) return live_append(live, &track->fresh, slice, sizeof *slice);
    LiveRow *row = live_row_get(live, track, 0, (uint32_t)level);
    if (row == NULL) return false;
    live_slice_set_details(live, row, row->row.slice_count - 1, slice);
    live_slice_set_end(live, row, row->row.slice_count - 1, slice->end, slice->flags, slice->end_offset);
    return !live->failed;
}

static void warn(LiveTrace *live, const EventRecord *mark, const char *kind, const char *message)
{
    Warning warning = {
        .kind = kind,
        .count = 1,
        .first = { .offset = mark->offset,
                   .event = builder_event_number(live->builder, mark->offset, mark->event) },
    };
    snprintf(warning.first.message, sizeof warning.first.message, "%s", message);
    builder_add_warning(live->builder, &warning);
}

/* Closes the slice that the end names, and those inside it. */
static bool end_outer(LiveTrace *live, LiveTrack *track, const EventRecord *mark)
{
    LiveOpen    *parted = VECTOR(track->pairing.parted, LiveOpen);
    const size_t count = VECTOR_COUNT(track->pairing.parted, LiveOpen), level = track->pairing.depth;
    warn(live, mark, "end-name-mismatch", END_NAME_MISMATCH);
    for (size_t i = 1; i < count; i++) {
        const LiveSlice slice = close_slice(live, &parted[i], mark, SLICE_NO_END);
        if (!put_closed(live, track, level + count - i, &slice)) return false;
        parted[i].end = mark->tick;
        parted[i].flags = slice.flags & ~(uint32_t)SLICE_NO_END;
    }
    track->ends.outer = close_slice(live, &parted[0], mark, 0);
    return put_closed(live, track, level, &track->ends.outer);
}

/* Gives the inner slice the end that an outer one has taken before. The outer slice ends here. */
static bool exchange_ends(LiveTrace *live, LiveTrack *track, const LiveOpen *inner, const EventRecord *mark)
{
    LiveSlice slice = live_slice_of_open(inner, inner->end);
    slice.flags = inner->flags;
    take_end_details(live, inner, mark, &slice);
    slice.replaces = track->ends.outer.replaces = true;
    track->ends.outer.end = mark->tick;
    if (track->nesting == LIVE_BY_MARKS) track->nesting = LIVE_BY_TIME_ONCE;
    return put_closed(live, track, 0, &slice) && put_closed(live, track, 0, &track->ends.outer);
}

/* ---- unmatched ends ---- */

/* Returns the raw event for an end event. */
static LiveEnd end_event(LiveTrace *live, const LiveTrack *track, const EventRecord *mark)
{
    TraceBuilder *builder = live->builder;
    return (LiveEnd){
        .event = { .tick = mark->tick,
                   .offset = mark->offset,
                   .thread = track->source,
                   .label = mark->label,
                   .kind =
                       builder_event_kind(builder, builder->rules.end_kind, strlen(builder->rules.end_kind)),
                   .has_tick = true },
    };
}

/* Counts and keeps an unmatched end. One that was unmatched before (MARK_WAS_UNMATCHED) is kept already. */
static bool keep_end(LiveTrace *live, LiveTrack *track, const EventRecord *mark)
{
    LiveUnmatched *unmatched = &track->ends.unmatched;
    if (unmatched->count == 0 || mark->offset < unmatched->first_offset) {
        unmatched->first_offset = mark->offset;
        unmatched->first_event = mark->event;
    }
    unmatched->count++;
    live->unmatched_changed = true;
    if (mark->bits & MARK_WAS_UNMATCHED) return true;
    LiveEnd end = end_event(live, track, mark);
    end.is_kept = true;
    return !live->builder->failed && live_others_end(live, &end);
}

/* Removes the raw event of an end that is paired now. */
static bool remove_end(LiveTrace *live, const LiveTrack *track, const EventRecord *mark)
{
    const LiveEnd end = end_event(live, track, mark);
    live->unmatched_changed = true;
    return !live->builder->failed && live_others_end(live, &end);
}

void live_warn_unmatched(LiveTrace *live)
{
    Warning       warning = { .kind = "unmatched-end" };
    LiveUnmatched all = { .count = 0 };
    TraceBuilder *builder = live->builder;
    for (size_t i = 1; i < VECTOR_COUNT(live->tracks, LiveTrack); i++) {
        const LiveUnmatched *of_track = &VECTOR(live->tracks, const LiveTrack)[i].ends.unmatched;
        if (of_track->count == 0) continue;
        const uint64_t count = all.count + of_track->count;
        if (all.count == 0 || of_track->first_offset < all.first_offset) all = *of_track;
        all.count = count;
    }
    live->unmatched_changed = false;
    warning.count = all.count;
    warning.first.offset = all.first_offset;
    warning.first.event = builder_event_number(builder, all.first_offset, all.first_event);
    snprintf(warning.first.message, sizeof warning.first.message, "%s", UNMATCHED_END);
    builder_replace_warning(builder, &warning);
}

/* ---- ends whose name may have no meaning ---- */

/* True if a begin event of the thread has the name. */
static bool begins_have_name(const LiveTrace *live, const LiveTrack *track, uint32_t name)
{
    const LiveSlice *fresh = VECTOR(track->fresh, const LiveSlice);
    const LiveOpen  *open = VECTOR(track->pairing.open, const LiveOpen);
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++)
            if (live->columns.levels[i] != 0 &&
                pairing_name(&track->pairing, live->trace.slices.label[i]) == name)
                return true;
    }
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh, LiveSlice); i++)
        if (fresh[i].level != 0 && pairing_name(&track->pairing, fresh[i].label) == name) return true;
    for (size_t i = 0; i < track->pairing.depth; i++)
        if (pairing_name(&track->pairing, open[i].slice.label) == name) return true;
    return false;
}

/* True if the event shows that the name of the ends so far has a meaning: it is an end of another name, or a begin of
 * this one. */
static bool gives_name_meaning(const LiveTrack *track, const EventRecord *mark)
{
    const uint32_t name = pairing_name(&track->pairing, mark->label), nameless = track->ends.nameless_name;
    if (track->pairing.nameless != NAMELESS_YES) return false;
    return mark->bits & PLACE_END ? name != 0 && name != nameless : name == nameless;
}

/* Stores the state before the events that may be paired again. */
static bool start_doubt(LiveTrace *live, LiveTrack *track)
{
    LiveDoubt *doubt = &track->ends.doubt;
    doubt->is_active = true;
    doubt->unmatched = track->ends.unmatched;
    live->doubt_bytes -= doubt->marks.size;
    bytes_clear(&doubt->open);
    bytes_clear(&doubt->marks);
    bytes_clear(&doubt->cpu);
    return live_append(live, &doubt->open, track->pairing.open.data, track->pairing.open.size);
}

bool live_doubt_forget(LiveTrace *live, LiveTrack *track)
{
    return !track->ends.doubt.is_active || start_doubt(live, track);
}

static bool note_doubtful(LiveTrace *live, LiveTrack *track, const EventRecord *mark)
{
    const CpuTime *cpu = cpu_find(&live->now.cpu_times, mark->offset);
    if (cpu != NULL && !live_append(live, &track->ends.doubt.cpu, cpu, sizeof *cpu)) return false;
    live->doubt_bytes += sizeof *mark;
    return live_append(live, &track->ends.doubt.marks, mark, sizeof *mark);
}

static bool take_end(LiveTrace *live, LiveTrack *track, EventRecord *mark)
{
    Pairing       *pairing = &track->pairing;
    const void    *item = NULL;
    const uint32_t name = pairing_name(pairing, mark->label);
    EndKind        kind = END_UNDECIDED;
    if (pairing->nameless != NAMELESS_YES) kind = pairing_end(pairing, mark->label, &item);
    if (kind == END_UNDECIDED) {
        if (pairing->nameless == NAMELESS_UNKNOWN) {
            pairing->nameless = begins_have_name(live, track, name) ? NAMELESS_NO : NAMELESS_YES;
            track->ends.nameless_name = name;
        }
        const bool is_doubtful = pairing->nameless == NAMELESS_YES && name != 0 && pairing->depth > 0;
        if (is_doubtful && !track->ends.doubt.is_active && !start_doubt(live, track)) return false;
        kind = pairing_end(pairing, mark->label, &item);
    }
    if (!check_memory(live, pairing)) return false;
    if (kind != END_UNMATCHED && (mark->bits & MARK_WAS_UNMATCHED) && !remove_end(live, track, mark))
        return false;
    switch (kind) {
    case END_INNERMOST: {
        const LiveSlice slice = close_slice(live, (const LiveOpen *)item, mark, 0);
        return put_closed(live, track, pairing->depth, &slice);
    }
    case END_OUTER:
        return end_outer(live, track, mark);
    case END_EXCHANGED:
        return exchange_ends(live, track, (const LiveOpen *)item, mark);
    case END_UNMATCHED:
    case END_UNDECIDED:
        break;
    }
    if (!keep_end(live, track, mark)) return false;
    mark->bits |= MARK_WAS_UNMATCHED;
    return true;
}

/* Pairs the events since start_doubt again, because the name of the ends has a meaning. */
static bool pair_again(LiveTrace *live, LiveTrack *track)
{
    LiveDoubt       doubt = track->ends.doubt;
    Pairing        *pairing = &track->pairing;
    const CpuCursor cpu_times = live->now.cpu_times;
    bool            done = true;
    pairing->nameless = NAMELESS_NO;
    if (!doubt.is_active) return true;
    pairing_stop_lists(pairing);
    bytes_release(&pairing->open);
    bytes_clear(&pairing->parted);
    pairing->parted_level = 0;
    pairing->open = doubt.open;
    pairing->depth = VECTOR_COUNT(doubt.open, LiveOpen);
    for (size_t i = 0; i < pairing->depth; i++)
        VECTOR(pairing->open, LiveOpen)[i].replaces = true;
    track->ends.unmatched = doubt.unmatched;
    track->ends.doubt = (LiveDoubt){ .is_active = false };
    if (track->nesting == LIVE_BY_MARKS) track->nesting = LIVE_BY_TIME_ONCE;
    live->now.cpu_times =
        (CpuCursor){ VECTOR(doubt.cpu, const CpuTime), VECTOR_COUNT(doubt.cpu, CpuTime), 0 };
    for (size_t i = 0; done && i < VECTOR_COUNT(doubt.marks, EventRecord); i++) {
        EventRecord *mark = &VECTOR(doubt.marks, EventRecord)[i];
        done = mark->bits & PLACE_END ? take_end(live, track, mark) : begin_slice(live, track, mark, true);
    }
    live->now.cpu_times = cpu_times;
    live->doubt_bytes -= doubt.marks.size;
    bytes_release(&doubt.marks);
    bytes_release(&doubt.cpu);
    return done;
}

/* ---- the thread's events ---- */

static bool take_mark(LiveTrace *live, LiveTrack *track, EventRecord *mark)
{
    if (gives_name_meaning(track, mark) && !pair_again(live, track)) return false;
    if (mark->bits & PLACE_END) {
        if (!take_end(live, track, mark)) return false;
    } else {
        live->event_count++;
        if (!begin_slice(live, track, mark, false)) return false;
    }
    return !track->ends.doubt.is_active || note_doubtful(live, track, mark);
}

bool live_marks_take(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    EventReader reader = event_log_read(&thread->marks);
    StackCursor stacks = stack_cursor_over(live->builder, thread->mark_stacks);
    bool        done = true;
    track->pairing.ws = &live->workspace;
    track->pairing.item_size = sizeof(LiveOpen);
    for (uint64_t n = 0; done && event_reader_next(&reader); n++) {
        EventRecord mark = reader.record;
        mark.stack = stack_cursor_take(&stacks, n);
        if (track->any_mark && mark.tick < track->last_mark_tick) {
            warn(live, &mark, "late-event", LATE_EVENT);
            mark.tick = track->last_mark_tick;
            mark.bits |= PLACE_REPAIRED;
        }
        track->any_mark = true;
        track->last_mark_tick = mark.tick;
        done = take_mark(live, track, &mark);
    }
    pairing_stop_lists(&track->pairing);
    return done;
}

void live_pairing_convert(LiveTrack *track, ClockConversion *conversion)
{
    Bytes *lists[] = { &track->pairing.open, &track->pairing.parted, &track->ends.doubt.open };
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        for (size_t i = 0; i < VECTOR_COUNT(*lists[l], LiveOpen); i++) {
            clock_convert(conversion, &VECTOR(*lists[l], LiveOpen)[i].tick);
            clock_convert(conversion, &VECTOR(*lists[l], LiveOpen)[i].end);
        }
    }
    for (size_t i = 0; i < VECTOR_COUNT(track->ends.doubt.marks, EventRecord); i++)
        clock_convert(conversion, &VECTOR(track->ends.doubt.marks, EventRecord)[i].tick);
    clock_convert(conversion, &track->ends.outer.begin);
    clock_convert(conversion, &track->ends.outer.end);
    clock_convert(conversion, &track->last_mark_tick);
}

void live_pairing_release(LiveTrace *live, LiveTrack *track)
{
    live->doubt_bytes -= track->ends.doubt.marks.size;
    bytes_release(&track->pairing.open);
    bytes_release(&track->pairing.parted);
    bytes_release(&track->ends.doubt.open);
    bytes_release(&track->ends.doubt.marks);
    bytes_release(&track->ends.doubt.cpu);
    track->pairing.depth = track->pairing.parted_level = 0;
    track->ends.doubt.is_active = false;
}
