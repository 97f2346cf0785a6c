/* Begins and ends on their way into the log of their thread: most of what a loader does.
 *
 * Whether a mark begins or ends is a toss-up, so nothing here branches on it. Most marks of a batch are plain: in order of
 * time and close to the one before. Their records are computed all at once, by arithmetic that fits vectors; then one
 * loop puts them side by side and counts depths. */
#include "trace/builder_log.h"

/* Keeps the order of a thread's begins and ends: file order rules, or time does. */
static void mark_out_of_order(TraceBuilder *builder, ThreadLog *thread, EventRecord *mark, EventPos pos)
{
    if (builder->match == MATCH_IN_FILE_ORDER) {
        builder_warn(
            builder, "time-travel", pos,
            "an event is earlier than the one before it on its thread, by %llu ticks: moved up to it",
            (unsigned long long)thread->last_mark_tick - (unsigned long long)mark->tick);
        mark->tick = thread->last_mark_tick;
        mark->bits |= PLACE_REPAIRED;
        return;
    }
    if (!thread->is_unsorted) {
        thread->is_unsorted = true;
        thread->unsorted_offset = mark->offset;
        thread->unsorted_event = mark->event;
    }
}

/* Counts a begin at the depth where it will stand, if all goes on so well. */
static inline void count_depth(TraceBuilder *builder, ThreadLog *thread, bool is_end)
{
    uint32_t depth = thread->open_depth;
    if (UNLIKELY(depth >= thread->depth_count)) {
        if (!builder_deepen(builder, thread)) return;
    }
    thread->depth_counts[depth] += !is_end;
    thread->open_depth = depth + !is_end - (is_end && depth > 0);
}

static ALWAYS_INLINE void add_mark(TraceBuilder *builder, ThreadLog *thread, int64_t tick, uint32_t label,
                                   EventPos pos, unsigned flags)
{
    bool        is_end = (flags & MARK_END) != 0;
    EventRecord mark = { tick, 0, pos.offset, label, (uint32_t)pos.event, place_bits(flags) | is_end, 0 };
    if (flags & EVENT_ANYWHERE) { /* the shortest record there is */
        mark.offset = thread->marks.offset;
        mark.event = thread->marks.event + 1;
    }
    if (UNLIKELY(mark.tick < thread->last_mark_tick)) {
        EventRecord copy = mark; /* so that the record can live in registers */
        mark_out_of_order(builder, thread, &copy, pos);
        mark = copy;
    }
    if (UNLIKELY(!event_log_append(&thread->marks, &builder->log_arena, &mark))) builder->failed = true;
    thread->last_mark_tick = mark.tick;
    thread->begin_count += !is_end;
    thread->source_count += !is_end && (flags & EVENT_DETAILS) != 0;
    if (is_end) thread->end_labels |= label;
    count_depth(builder, thread, is_end);
    builder_note_event(builder, thread, mark.tick, mark.tick, pos);
}

static ALWAYS_INLINE void add_one_mark(TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label,
                                       EventPos pos, unsigned flags)
{
    if (UNLIKELY(is_observed(builder))) {
        observe_mark(builder, thread, tick, label, pos, flags);
    } else {
        add_mark(builder, builder_thread_log(builder, thread), tick, label, pos, flags);
    }
}

void builder_begin(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                   unsigned flags)
{
    add_one_mark(builder, thread, tick, label.index, pos, flags);
}

void builder_end(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                 unsigned flags)
{
    add_one_mark(builder, thread, tick, label.index, pos, flags | MARK_END);
}

bool mark_batch_takes(const MarkBatch *batch, EventPos pos)
{
    if (batch->count == 0) return true;
    const EventPos base = batch->base;
    return batch->count < MARK_BATCH && pos.event == base.event + batch->count && pos.offset >= base.offset &&
           pos.offset - base.offset <= UINT32_MAX;
}

void mark_batch_add(MarkBatch *batch, int64_t tick, LabelId label, EventPos pos, unsigned flags)
{
    const size_t i = batch->count++;
    if (i == 0) batch->base = pos;
    batch->at[i] = (uint32_t)(pos.offset - batch->base.offset);
    batch->flags[i] = flags;
    batch->label[i] = label.index;
    batch->tick[i] = tick;
}

static EventPos mark_pos(const MarkBatch *batch, size_t i)
{
    return (EventPos){ batch->base.offset + batch->at[i], batch->base.event + i };
}

/* What does not fit into a short record, or goes back in time, of mark i > 0: 0 = nothing. Unsigned, a step back by
 * nearly 2^64 is a small one on: but then the sign changes. */
static inline uint64_t mark_excess(const MarkBatch *batch, size_t i)
{
    const uint64_t tick = (uint64_t)batch->tick[i], before = (uint64_t)batch->tick[i - 1];
    const uint32_t skipped = batch->at[i] - batch->at[i - 1];
    return (tick - before) >> 24 | (tick ^ before) >> 63 | (uint64_t)(skipped >> 16 | batch->label[i] >> 16);
}

/* The short records of the marks from 1 on (trace/event_log.h), and whether some are none; adds the labels of ends to
 * *end_labels. */
static bool pack_marks(const MarkBatch *batch, uint64_t *records, uint32_t *end_labels)
{
    uint64_t excess = 0;
    uint32_t labels_of_ends = 0;
    for (size_t i = 1; i < batch->count; i++) {
        const uint32_t flags = batch->flags[i], label = batch->label[i];
        const uint32_t is_end = flags / MARK_END & PLACE_END;
        const uint32_t head = place_bits(flags) | is_end | (label != 0 ? (uint32_t)RECORD_LABEL : 0);
        const uint64_t moved = (uint64_t)batch->tick[i] - (uint64_t)batch->tick[i - 1];
        const uint64_t upper = (batch->at[i] - batch->at[i - 1]) | label << 16;
        records[i] = head | moved << 8 | upper << 32;
        excess |= mark_excess(batch, i);
        labels_of_ends |= label & (0 - is_end);
    }
    *end_labels |= labels_of_ends;
    return excess != 0;
}

/* Takes packed marks [from, to) as long as each stands at a depth that was seen and is not an end of nothing. Gives how
 * many it took. */
static size_t append_packed(ThreadLog *thread, const MarkBatch *batch, const uint64_t *records, size_t from,
                            size_t to)
{
    enum { MOST_BYTES = 8 }; /* of a short record of a mark */
    EventLog *const log = &thread->marks;
    const uint32_t  depths = thread->depth_count;
    uint64_t *const depth_counts = thread->depth_counts;
    const size_t    room = log->at >= log->limit ? 0 : (size_t)(log->limit - log->at) / MOST_BYTES;
    uint32_t        depth = thread->open_depth;
    uint64_t        begins = 0, sources = 0;
    uint8_t        *at = log->at;
    size_t          i = from;
    if (to - from > room) to = from + room;
    for (; i < to; i++) {
        const uint64_t record = records[i];
        const uint32_t is_end = (uint32_t)record & PLACE_END, is_begin = is_end ^ 1;
        if (UNLIKELY(depth - is_end >= depths)) break;
        store_u64le(at, record);
        at += 6 + ((uint32_t)record / (RECORD_LABEL / 2) & 2);
        depth_counts[depth - is_end] += is_begin;
        depth += is_begin - is_end;
        begins += is_begin;
        sources += (uint32_t)record / PLACE_DETAILS & is_begin;
    }
    if (i == from) return 0;
    log->at = at;
    log->tick = batch->tick[i - 1];
    log->offset = batch->base.offset + batch->at[i - 1];
    log->event = (uint32_t)(batch->base.event + i - 1);
    log->count += i - from;
    thread->open_depth = depth;
    thread->begin_count += begins;
    thread->source_count += sources;
    thread->last_mark_tick = log->tick; /* the earliest was noted when the first mark came */
    if (log->tick > thread->max_tick) thread->max_tick = log->tick;
    return i - from;
}

static void observe_batch(const TraceBuilder *builder, TrackId thread, const MarkBatch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        observe_mark(builder, thread, batch->tick[i], batch->label[i], mark_pos(batch, i), batch->flags[i]);
}

void builder_add_marks(TraceBuilder *builder, TrackId thread, const MarkBatch *batch)
{
    if (UNLIKELY(is_observed(builder))) {
        observe_batch(builder, thread, batch);
        return;
    }
    uint64_t         records[MARK_BATCH];
    ThreadLog *const log = builder_thread_log(builder, thread);
    const bool       excess = pack_marks(batch, records, &log->end_labels);
    /* Packed records count on from the one before: not across 2^32, where a turn is noted. */
    const bool one_turn = (batch->base.event + batch->count) >> 32 == batch->base.event >> 32;
    for (size_t i = 0; i < batch->count && !builder->failed;) {
        size_t to = i, taken = 0;
        if (i > 0 && one_turn && log->marks.tick == batch->tick[i - 1]) { /* it was not moved */
            to = batch->count;
            if (UNLIKELY(excess)) {
                for (to = i; to < batch->count && mark_excess(batch, to) == 0;)
                    to++;
            }
            taken = append_packed(log, batch, records, i, to);
        }
        i += taken;
        if (i < batch->count && (taken == 0 || i < to || excess)) {
            add_mark(builder, log, batch->tick[i], batch->label[i], mark_pos(batch, i), batch->flags[i]);
            i++;
        }
    }
}
