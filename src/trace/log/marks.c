/* Writes begin and end events to the rows of their thread: the largest part of a load.
 *
 * Most events of a batch are plain: in order of time and close to the one before. Their sidecar records
 * are computed together, by arithmetic that fits vectors; then one loop writes them to their rows
 * (trace/log/mark_rows.h). Threads whose events are not simple have logs instead. */
#include "trace/log/builder_log.h"

#include <string.h>

/* ---- rows or a log ---- */

void builder_log_marks_of(TraceBuilder *builder, ThreadLog *thread)
{
    MarkRows *rows = thread->rows;
    thread->logs_marks = true;
    if (rows == NULL) return;
    thread->rows = NULL;
    Arena      scratch = arena_create(0);
    MarkReader reader;
    bool       done = mark_reader_open(&reader, rows, &scratch);
    while (done && mark_reader_next(&reader))
        done = event_log_append(&thread->marks, &builder->log_arena, &reader.record);
    if (!done) builder->failed = true;
    mark_rows_release(rows, NULL);
    arena_release(&scratch);
}

void builder_set_growing(TraceBuilder *builder)
{
    builder->logs_marks = builder->is_growing = true;
    for (uint32_t i = 1; i < vec_count(&builder->threads.all); i++)
        builder_log_marks_of(builder, builder_thread_log(builder, (TrackId){ i }));
}

/* True if an end of this label closes the innermost open slice, or is lost because no slice is open. False for an end that
 * names another slice or changes the colour of its slice. */
static bool end_is_simple(const TraceBuilder *builder, const MarkRows *rows, uint32_t label)
{
    if (rows->open_depth == 0) /* its name may match a later begin */
        return builder->rules.match != MATCH_BY_TIME_AND_NAME;
    const uint32_t open = mark_rows_open_label(rows);
    return label == open ||
           (builder->labels.all.items[label].colour == 0 && end_agrees(builder, open, label));
}

/* ---- one by one ---- */

/* Records events that are out of order, and repairs their time if file order is the rule, or the trace grows. */
static void mark_out_of_order(TraceBuilder *builder, ThreadLog *thread, EventRecord *mark, EventPos pos)
{
    const bool in_file_order = builder->rules.match == MATCH_IN_FILE_ORDER;
    if (in_file_order)
        builder_warn(
            builder, "time-travel", pos,
            "an event is earlier than the one before it on its thread, by %llu ticks: moved up to it",
            (unsigned long long)thread->last_mark_tick - (unsigned long long)mark->tick);
    else if (builder->is_growing)
        builder_warn(
            builder, "late-event", pos,
            "a begin or end is earlier than the one before it on its thread: shown at that one's time "
            "while the trace grows");
    if (in_file_order || builder->is_growing) {
        mark->tick = thread->last_mark_tick;
        mark->bits |= PLACE_REPAIRED;
        return;
    }
    if (!thread->is_unsorted) {
        thread->is_unsorted = true;
        thread->unsorted_offset = mark->offset;
        thread->unsorted_event = mark->event;
        builder_log_marks_of(builder, thread);
    }
}

static bool start_rows(TraceBuilder *builder, ThreadLog *thread)
{
    thread->rows = mark_rows_create(&builder->row_space);
    if (thread->rows == NULL) builder->failed = true;
    return thread->rows != NULL;
}

static ALWAYS_INLINE void put_mark(TraceBuilder *builder, ThreadLog *thread, const EventRecord *mark)
{
    MarkRows *rows = thread->rows;
    bool      done;
    if (UNLIKELY((mark->bits & PLACE_END) && mark->label != 0 && rows != NULL) &&
        !end_is_simple(builder, rows, mark->label)) {
        builder_log_marks_of(builder, thread);
        rows = NULL;
    }
    if (LIKELY(rows != NULL)) {
        done = mark_rows_put(rows, mark);
        if (UNLIKELY(!done)) {
            const EventRecord copy = *mark; /* lets the compiler keep the record in registers */
            done = mark_rows_add(rows, &builder->row_space, &copy);
        }
    } else {
        done = event_log_append(&thread->marks, &builder->log_arena, mark);
    }
    if (UNLIKELY(!done)) builder->failed = true;
}

static ALWAYS_INLINE void count_mark(TraceBuilder *builder, ThreadLog *thread, int64_t tick, EventPos pos,
                                     unsigned flags)
{
    const bool is_end = (flags & MARK_END) != 0;
    thread->last_mark_tick = tick;
    thread->begin_count += !is_end;
    thread->source_count += !is_end && (flags & EVENT_DETAILS) != 0;
    builder_note_event(builder, thread, tick, tick, pos);
}

static ALWAYS_INLINE void add_mark(TraceBuilder *builder, ThreadLog *thread, int64_t tick, uint32_t label,
                                   EventPos pos, unsigned flags)
{
    bool        is_end = (flags & MARK_END) != 0;
    EventRecord mark = { tick, 0, pos.offset, label, (uint32_t)pos.event, place_bits(flags) | is_end, 0 };
    if (UNLIKELY(thread->rows == NULL && !thread->logs_marks) && !start_rows(builder, thread)) return;
    if (flags & EVENT_ANYWHERE) { /* the shortest record */
        const EventLog *log = thread->rows == NULL ? &thread->marks : &thread->rows->sidecar;
        mark.offset = log->offset;
        mark.event = log->event + 1;
    }
    if (UNLIKELY(mark.tick < thread->last_mark_tick)) {
        EventRecord copy = mark; /* lets the compiler keep the record in registers */
        mark_out_of_order(builder, thread, &copy, pos);
        mark = copy;
    }
    put_mark(builder, thread, &mark);
    count_mark(builder, thread, mark.tick, pos, flags);
}

/* As add_mark, for the most frequent events: in order of time, and after the first one of the thread. False without any effect for
 * others. */
static ALWAYS_INLINE bool put_mark_quickly(const TraceBuilder *builder, ThreadLog *thread, int64_t tick,
                                           uint32_t label, EventPos pos, unsigned flags)
{
    MarkRows *const       rows = thread->rows;
    const EventLog *const log = rows == NULL ? &thread->marks : &rows->sidecar;
    const uint32_t        is_end = (flags & MARK_END) != 0;
    EventRecord           mark = { .tick = tick,
                                   .offset = pos.offset,
                                   .label = label,
                                   .event = (uint32_t)pos.event,
                                   .bits = place_bits(flags) | is_end };
    if (UNLIKELY(tick < thread->last_mark_tick || log->count == 0 || pos.event >> 32 != 0)) return false;
    if (flags & EVENT_ANYWHERE) { /* the shortest record */
        mark.offset = log->offset;
        mark.event = log->event + 1;
    }
    if (rows == NULL) {
        assert(builder->failed ||
               log->tick == thread->last_mark_tick); /* without memory an event can be lost */
        if (UNLIKELY(!event_log_append_short(&thread->marks, &mark, RECORDS_IN_ORDER))) return false;
    } else {
        if (is_end != 0 && label != 0 && !end_is_simple(builder, rows, label)) return false;
        if (UNLIKELY(!mark_rows_put(rows, &mark))) return false;
    }
    thread->last_mark_tick = tick;
    thread->begin_count += !is_end;
    thread->source_count += flags & EVENT_DETAILS & ~is_end;
    if (tick > thread->max_tick)
        thread->max_tick = tick; /* the earliest time was recorded at the first mark */
    return true;
}

void builder_add_mark_again(TraceBuilder *builder, ThreadLog *log, const EventRecord *mark)
{
    static_assert(PLACE_END == 1, "the other bits are those of place_bits");
    const EventPos pos = { mark->offset, mark->event };
    add_mark(builder, log, mark->tick, mark->label, pos,
             mark->bits >> 1 | (mark->bits & PLACE_END) * (unsigned)MARK_END);
}

/* Stores a begin or end as one of the first of its thread. False: it needs a log. */
static bool keep_first_mark(TraceBuilder *builder, ThreadEvents *events, int64_t tick, uint32_t label,
                            EventPos pos, unsigned flags)
{
    if (flags & EVENT_ANYWHERE) return false;
    const uint32_t    is_end = (flags & MARK_END) != 0;
    const EventRecord mark = {
        tick, 0, pos.offset, label, (uint32_t)pos.event, place_bits(flags) | is_end, 0
    };
    builder_note_rollovers(builder, pos);
    return builder_keep_first(builder, events, &mark, FIRST_MARK);
}

static NOINLINE void add_any_mark(TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label,
                                  EventPos pos, unsigned flags)
{
    if (is_observed(builder)) {
        observe_mark(builder, thread, tick, label, pos, flags);
        return;
    }
    ThreadEvents *events = builder_thread_events(builder, thread);
    ThreadLog    *log = thread_events_log(builder, *events);
    if (log == NULL) {
        if (keep_first_mark(builder, events, tick, label, pos, flags)) return;
        log = builder_open_log(builder, events);
    }
    add_mark(builder, log, tick, label, pos, flags);
}

static ALWAYS_INLINE void add_one_mark(TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label,
                                       EventPos pos, unsigned flags)
{
    ThreadLog *log = thread_events_log(builder, *builder_thread_events(builder, thread));
    if (LIKELY(log != NULL && !is_observed(builder)) &&
        LIKELY(put_mark_quickly(builder, log, tick, label, pos, flags)))
        return;
    add_any_mark(builder, thread, tick, label, pos, flags);
}

void builder_begin(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                   unsigned flags)
{
    add_one_mark(builder, thread, tick, label.index, pos, flags & ~(unsigned)MARK_END);
}

void builder_end(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                 unsigned flags)
{
    add_one_mark(builder, thread, tick, label.index, pos, flags | MARK_END);
}

/* ---- anywhere ---- */

/* Writes the leading changes that are in order of time to the row of the open slice. Returns their number. */
static size_t row_put_changes(MarkRow *row, const SliceChange *changes, size_t count, int64_t *last_tick)
{
    const size_t room = row->at < row->limit ? (size_t)(row->limit - row->at) / ROW_RECORD_WORDS : 0;
    uint32_t    *at = row->at;
    int64_t      before = row->tick, last = *last_tick;
    size_t       i = 0;
    if (count > room) count = room;
    for (; i < count; i++, at += ROW_RECORD_WORDS) {
        const int64_t  tick = changes[i].tick;
        const uint64_t passed = (uint64_t)tick - (uint64_t)before;
        if (UNLIKELY(tick < last || passed >= ROW_LONG)) break;
        at[-1] = at[0] = (uint32_t)passed;
        at[1] = changes[i].label.index;
        before = last = tick;
    }
    row->at = at;
    row->tick = before;
    *last_tick = last;
    return i;
}

/* Adds the leading plain changes. Returns their number. */
static size_t add_plain_changes(TraceBuilder *builder, ThreadLog *thread, const SliceChange *changes,
                                size_t count)
{
    MarkRows *const rows = thread->rows;
    static_assert((MOST_SLICE_CHANGES / SIDECAR_MOST_PAIRS + 1) * 4 <= EVENT_LOG_RECORD_BYTES,
                  "their records need the room of one");
    if (UNLIKELY(rows == NULL || rows->open_depth == 0 || rows->sidecar.at >= rows->sidecar.limit)) return 0;
    const uint64_t number = rows->sidecar.count;
    const size_t   added =
        row_put_changes(&rows->rows[rows->open_depth - 1], changes, count, &thread->last_mark_tick);
    if (added == 0) return 0;
    mark_rows_note_changes(rows, (uint32_t)added);
    thread->begin_count += added;
    /* the earliest time was recorded at the first event */
    if (thread->last_mark_tick > thread->max_tick) thread->max_tick = thread->last_mark_tick;
    builder_note_changes(builder, thread, number, changes, added);
    return added;
}

void builder_add_changes(TraceBuilder *builder, TrackId thread, const SliceChange *changes, size_t count,
                         EventPos pos)
{
    assert(count <= MOST_SLICE_CHANGES);
    for (size_t i = 0; i < count; i++) {
        ThreadLog *const log = thread_events_log(builder, *builder_thread_events(builder, thread));
        if (LIKELY(log != NULL && !is_observed(builder) && pos.event >> 32 == 0))
            i += add_plain_changes(builder, log, changes + i, count - i);
        if (i == count) break;
        const SliceChange *change = &changes[i];
        builder_end(builder, thread, change->tick, LABEL_NONE, pos, EVENT_ANYWHERE);
        builder_mark_stack(builder, thread, change->stack);
        builder_begin(builder, thread, change->tick, change->label, pos, EVENT_ANYWHERE);
        builder_mark_stack(builder, thread, change->stack);
    }
}

static uint16_t *put_pairs(uint16_t *sidecar, size_t pairs)
{
    for (; pairs > 0; sidecar += 2) {
        const size_t count = pairs < SIDECAR_MOST_PAIRS ? pairs : SIDECAR_MOST_PAIRS;
        sidecar[0] = (uint16_t)(SIDECAR_PAIRS << SIDECAR_SHIFT);
        sidecar[1] = (uint16_t)count;
        pairs -= count;
    }
    return sidecar;
}

/* Writes the leading slices that begin and end one after the other to their row. Returns their number, at most `most`;
 * *last_tick is the time of the last event, and is updated. */
static size_t row_put_slices(MarkRow *row, const AnywhereMark *marks, size_t most, int64_t *last_tick)
{
    const size_t room = row->at < row->limit ? (size_t)(row->limit - row->at) / ROW_RECORD_WORDS : 0;
    uint32_t    *at = row->at;
    int64_t      before = row->tick, last = *last_tick;
    size_t       i = 0;
    if (most > room) most = room;
    for (; i < most; i++, marks += 2, at += ROW_RECORD_WORDS) {
        const int64_t  begin = marks[0].tick, end = marks[1].tick;
        const uint32_t label = marks[0].label.index;
        const uint64_t passed = (uint64_t)begin - (uint64_t)before,
                       duration = (uint64_t)end - (uint64_t)begin;
        if (UNLIKELY(label == 0 || marks[1].label.index != 0 || begin < last || end < begin)) break;
        if (UNLIKELY(passed >= ROW_LONG || duration >= ROW_LONG)) break;
        at[0] = (uint32_t)passed;
        at[1] = label;
        at[2] = (uint32_t)duration;
        before = begin;
        last = end;
    }
    row->at = at;
    row->tick = before;
    *last_tick = last;
    return i;
}

/* Writes the leading plain events. Returns their number. Their sidecar has at most one word for each, because their
 * distance is 0. */
static size_t add_plain_anywhere(ThreadLog *thread, const AnywhereMark *marks, size_t count)
{
    MarkRows *const rows = thread->rows;
    if (UNLIKELY(rows == NULL || rows->sidecar.at >= rows->sidecar.limit)) return 0;
    EventLog *const log = &rows->sidecar;
    uint16_t       *sidecar = (uint16_t *)(void *)log->at; /* words are at even addresses */
    const size_t    room = (size_t)(log->limit - log->at) / sizeof *sidecar;
    const size_t    most = count < room ? count : room;
    MarkRow *const  all = rows->rows;
    const uint32_t  depth_before = rows->open_depth;
    uint32_t        depth = depth_before;
    int64_t         last_tick = thread->last_mark_tick;
    size_t          i = 0;
    while (i < most) {
        const uint32_t label = marks[i].label.index, is_end = label == 0;
        if (!is_end && i + 1 < most && marks[i + 1].label.index == 0) {
            const size_t slices = row_put_slices(&all[depth], marks + i, (most - i) / 2, &last_tick);
            sidecar = put_pairs(sidecar, slices);
            i += 2 * slices;
            if (slices > 0) continue;
        }
        if (UNLIKELY(marks[i].tick < last_tick || !mark_row_put(all, &depth, marks[i].tick, label, is_end)))
            break;
        last_tick = marks[i++].tick;
        *sidecar++ = is_end ? PLACE_END : 0;
    }
    if (i == 0) return 0;
    log->at = (uint8_t *)sidecar;
    log->count += i;
    log->event += (uint32_t)i;
    rows->all_bits |= PLACE_END;
    rows->open_depth = depth;
    thread->begin_count += (i + depth - (size_t)depth_before) / 2;
    thread->last_mark_tick = last_tick; /* the earliest time was recorded at the first event */
    if (last_tick > thread->max_tick) thread->max_tick = last_tick;
    return i;
}

void builder_add_anywhere(TraceBuilder *builder, TrackId thread, const AnywhereMark *marks, size_t count,
                          EventPos pos)
{
    ThreadLog *const log = builder_thread_log(builder, thread);
    const bool       is_plain =
        !is_observed(builder) && pos.event >> 32 == 0; /* otherwise a carry must be recorded */
    for (size_t i = 0; i < count;) {
        if (is_plain) i += add_plain_anywhere(log, marks + i, count - i);
        if (i == count) break;
        const unsigned is_end = marks[i].label.index == 0;
        add_any_mark(builder, thread, marks[i].tick, marks[i].label.index, pos,
                     EVENT_ANYWHERE | is_end * (unsigned)MARK_END);
        i++;
    }
}

/* ---- in batches ---- */

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

static inline uint32_t mark_is_end(const MarkBatch *batch, size_t i)
{
    return batch->flags[i] / MARK_END & 1;
}

/* Returns a number whose highest bit says that event i > 0 goes back in time. Unsigned, a step back by nearly 2^64 is a
 * small step forward, but then the sign changes. */
static inline uint64_t mark_back(const MarkBatch *batch, size_t i)
{
    const uint64_t tick = (uint64_t)batch->tick[i], before = (uint64_t)batch->tick[i - 1];
    return (tick - before) | (tick ^ before);
}

/* Returns the excess bits of event i > 0: it is far from the one before it, or is an end with a label. */
static inline uint32_t mark_far(const MarkBatch *batch, size_t i)
{
    const uint32_t skipped = batch->at[i] - batch->at[i - 1];
    const uint32_t end_label = batch->label[i] & (0 - mark_is_end(batch, i));
    return (skipped | (skipped + (SIDECAR_LONG + 1 - SIDECAR_CHANGES))) >> (16 - SIDECAR_SHIFT) | end_label;
}

/* True if event i > 0 needs add_mark. */
static inline bool mark_is_unusual(const MarkBatch *batch, size_t i)
{
    return mark_back(batch, i) >> 63 != 0 || mark_far(batch, i) != 0;
}

/* The part of a batch's events that is computed together. */
typedef struct BatchSidecar {
    uint16_t words[MARK_BATCH]; /* of the events from 1 on */
    uint32_t all_bits;          /* the union of their PLACE_ bits */
    bool     has_unusual;       /* mark_is_unusual is true for one of them */
} BatchSidecar;

static ALWAYS_INLINE void make_sidecar_of(const MarkBatch *restrict batch, BatchSidecar *restrict sidecar)
{
    const size_t count = batch->count;
    uint64_t     back = 0;
    uint32_t     far = 0, all_bits = 0;
    for (size_t i = 1; i < count; i++) {
        const uint32_t bits = place_bits(batch->flags[i]) | mark_is_end(batch, i);
        sidecar->words[i] = (uint16_t)(bits | (batch->at[i] - batch->at[i - 1]) << SIDECAR_SHIFT);
        all_bits |= bits;
        back |= mark_back(batch, i);
        far |= mark_far(batch, i);
    }
    sidecar->all_bits = all_bits;
    sidecar->has_unusual = back >> 63 != 0 || far != 0;
}

/* The compiler makes vectors of these loops. The processor is asked at run time for AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void make_sidecar_avx2(const MarkBatch *batch, BatchSidecar *sidecar)
{
    make_sidecar_of(batch, sidecar);
}

static void make_sidecar(const MarkBatch *batch, BatchSidecar *sidecar)
{
    if (LIKELY(__builtin_cpu_supports("avx2") != 0)) {
        make_sidecar_avx2(batch, sidecar);
    } else {
        make_sidecar_of(batch, sidecar);
    }
}
#else
static void make_sidecar(const MarkBatch *batch, BatchSidecar *sidecar)
{
    make_sidecar_of(batch, sidecar);
}
#endif

static void put_sidecar(EventLog *log, const uint16_t *sidecar, size_t count)
{
    memcpy(log->at, sidecar, count * sizeof *sidecar);
    log->at += count * sizeof *sidecar;
    log->count += count;
}

static uint64_t count_sources(const MarkBatch *batch, size_t from, size_t to)
{
    uint64_t sources = 0;
    for (size_t i = from; i < to; i++)
        sources += batch->flags[i] & EVENT_DETAILS & ~mark_is_end(batch, i);
    return sources;
}

/* Writes the usual events [from, to) to rows, and stops at the first event that does not fit its row in the usual way.
 * Returns the number of written events. */
static size_t add_plain(ThreadLog *thread, const MarkBatch *batch, const uint16_t *sidecar, size_t from,
                        size_t to)
{
    MarkRows *const rows = thread->rows;
    EventLog *const log = &rows->sidecar;
    const size_t    room = log->at >= log->limit ? 0 : (size_t)(log->limit - log->at) / sizeof *sidecar;
    MarkRow *const  all = rows->rows;
    const uint32_t  depth_before = rows->open_depth;
    uint32_t        depth = depth_before;
    size_t          i = from;
    if (to - from > room) to = from + room;
    for (; i < to; i++) {
        if (UNLIKELY(!mark_row_put(all, &depth, batch->tick[i], batch->label[i], mark_is_end(batch, i))))
            break;
    }
    if (i == from) return 0;
    put_sidecar(log, sidecar + from, i - from);
    log->offset = batch->base.offset + batch->at[i - 1];
    log->event = (uint32_t)(batch->base.event + i - 1);
    rows->open_depth = depth;
    thread->begin_count += (i - from + depth - (size_t)depth_before) / 2;
    if (rows->all_bits & PLACE_DETAILS) thread->source_count += count_sources(batch, from, i);
    thread->last_mark_tick = batch->tick[i - 1]; /* the earliest time was recorded at the first event */
    if (thread->last_mark_tick > thread->max_tick) thread->max_tick = thread->last_mark_tick;
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
    if (batch->count <= FIRST_EVENTS_MOST && builder_log_of(builder, thread.index) == NULL) {
        for (size_t i = 0; i < batch->count; i++)
            add_any_mark(builder, thread, batch->tick[i], batch->label[i], mark_pos(batch, i),
                         batch->flags[i]);
        return;
    }
    BatchSidecar     sidecar;
    ThreadLog *const log = builder_thread_log(builder, thread);
    make_sidecar(batch, &sidecar);
    /* The distances in the sidecar must not cross 2^32, where the upper half of the number changes. */
    const bool has_no_rollover = (batch->base.event + batch->count) >> 32 == batch->base.event >> 32;
    for (size_t i = 0; i < batch->count && !builder->failed;) {
        size_t to = i, taken = 0;
        if (i > 0 && has_no_rollover && log->rows != NULL && log->last_mark_tick == batch->tick[i - 1]) {
            to = batch->count; /* the event before this one was not moved */
            if (UNLIKELY(sidecar.has_unusual)) {
                for (to = i; to < batch->count && !mark_is_unusual(batch, to);)
                    to++;
            }
            log->rows->all_bits |= sidecar.all_bits;
            taken = add_plain(log, batch, sidecar.words, i, to);
        }
        i += taken;
        if (i < batch->count && (taken == 0 || i < to || sidecar.has_unusual)) {
            add_mark(builder, log, batch->tick[i], batch->label[i], mark_pos(batch, i), batch->flags[i]);
            i++;
        }
    }
}
