/* The builder on any sequence of calls: the trace must keep its promises (trace_check), and, by a choice from the input,
 * be the same on two threads and show every slice and instant in the tiles of every level; or a trace that grows by the
 * same calls must keep its promises after every few of them, and be the same in the end.
 *
 * Input: a byte of rules, then events of 8 bytes: kind and flags, thread, label, magnitude of the times, two signed
 * bytes of time, two of duration. */
#include "fuzz.h"

#include "trace/live/live.h"
#include "trace/wire/tile_encode.h"
#include "trace_describe.h"

enum { EVENT_BYTES = 8, LABELS = 8, THREADS = 4, MOST_EVENTS = 4096 };

/* An arrow of the reader's, or an event of one of four flows. */
static void feed_flow(TraceBuilder *builder, const uint8_t *e, const TrackId *threads, int64_t now,
                      LabelId label, EventPos pos)
{
    static const FlowBinding BINDINGS[] = { FLOW_BIND_ENCLOSING, FLOW_BIND_NEXT, FLOW_BIND_TRACK };
    TrackId                  thread = threads[e[1] % THREADS];
    if (e[6] & 1) {
        FlowPoint from = { thread, BINDINGS[e[7] % 3], now },
                  to = { threads[e[1] / THREADS % THREADS], BINDINGS[e[7] / 3 % 3], now + e[6] };
        if (e[6] & 2)
            builder_arrow(builder, from, to, label);
        else
            builder_arrow(builder, to, from, label);
        return;
    }
    StringId key = builder_string(builder, &"abcd"[e[7] % 4], 1), alias = STRING_NONE;
    if (e[7] & 4) alias = builder_string(builder, "z", 1);
    FlowId flow = builder_flow(builder, PROCESS_NONE, key, alias);
    builder_flow_event(builder, flow, (FlowRole)(e[6] / 2 % 3), BINDINGS[e[6] / 8 % 3],
                       &(EventHead){ .thread = thread, .tick = now, .label = label, .pos = pos });
}

static void feed_event(TraceBuilder *builder, const uint8_t *e, const TrackId *threads, int64_t *now,
                       uint64_t number)
{
    unsigned magnitude = e[3] % 45;
    int64_t  step = (int64_t)(int16_t)(uint16_t)(e[4] | e[5] << 8) * (INT64_C(1) << magnitude);
    int64_t  length = (int64_t)(e[6] | e[7] << 8) * (INT64_C(1) << magnitude);
    int64_t  bound = INT64_C(1) << 61;
    if (*now + step < bound && *now + step > -bound) *now += step;
    EventPos pos = { number * 10, number };
    TrackId  thread = threads[e[1] % THREADS];
    LabelId  label = { e[2] % (LABELS + 1) };
    unsigned flags = e[0] >> 4 & (EVENT_DETAILS | EVENT_NO_END | EVENT_REPAIRED);
    if (e[0] % 8 == 5 && (e[0] & 128) != 0) {
        feed_flow(builder, e, threads, *now, label, pos);
        return;
    }
    switch (e[0] % 8) {
    case 0:
    case 1:
        builder_begin(builder, thread, *now, label, pos, flags & ~(unsigned)EVENT_NO_END);
        break;
    case 2:
    case 3:
        builder_end(builder, thread, *now, label, pos, flags & ~(unsigned)EVENT_NO_END);
        break;
    case 4:
    case 5:
        builder_complete(builder, thread, *now, *now + length, label, pos, flags);
        break;
    case 6:
        builder_instant(builder, thread, *now, label, (InstantScope)(e[6] % 3), pos, flags & EVENT_DETAILS);
        break;
    default:
        builder_other(builder, e[6] % 2 == 0 ? OTHER_EVENT : OTHER_METADATA,
                      builder_event_kind(builder, "C", 1),
                      &(EventHead){ .thread = thread,
                                    .tick = *now,
                                    .label = label,
                                    .pos = pos,
                                    .is_timeless = !(e[7] % 2 == 0) });
    }
}

static TraceBuilder *prepare(const uint8_t *data, size_t size, TrackId *threads)
{
    TraceBuilder *builder = builder_create("fuzz", 0);
    if (builder == NULL) return NULL;
    for (unsigned i = 0; i < LABELS; i++) {
        StringId name = builder_string(builder, &"abcdefgh"[i / 2], 1);
        (void)builder_label(builder, i == 7 ? STRING_NONE : name, i % 2 == 0 ? STRING_NONE : name);
    }
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = builder_thread(builder, builder_process(builder, ident_int(i / 2)), ident_int(i));
    unsigned rules = size > 0 ? data[0] : 0;
    builder_set_rules(builder, rules & 1 ? MATCH_IN_FILE_ORDER : MATCH_BY_TIME_AND_NAME,
                      rules & 2 ? UNFINISHED_TO_THREAD_END : UNFINISHED_TO_TRACE_END);
    return builder;
}

static bool change_clock(TraceBuilder *builder, unsigned rules)
{
    bool rounded;
    return (rules & 4) == 0 || builder_change_clock(builder, clock_ticks(1, 1 + rules / 8), &rounded);
}

static uint64_t event_count(size_t size)
{
    const uint64_t count = size > 0 ? (size - 1) / EVENT_BYTES : 0;
    return count < MOST_EVENTS ? count : MOST_EVENTS;
}

/* The clock changes half way. *fits: it could. */
static Trace *build(const uint8_t *data, size_t size, unsigned worker_count, bool *fits)
{
    TrackId       threads[THREADS];
    int64_t       now = 0;
    Err           err;
    TraceBuilder *builder = prepare(data, size, threads);
    if (builder == NULL) return NULL;
    for (uint64_t i = 0; i < event_count(size); i++) {
        feed_event(builder, data + 1 + i * EVENT_BYTES, threads, &now, i);
        if (i == event_count(size) / 2) *fits = change_clock(builder, data[0]);
    }
    Trace *trace = builder_finish(builder, worker_count, NULL, &err);
    builder_destroy(builder);
    return trace;
}

/* Slices and instants that begin in a window of the track, by its tiles. */
static void count_tile(const Trace *trace, TileKey key, uint64_t *slices, uint64_t *instants)
{
    Bytes bytes = { NULL, 0, 0, false };
    Tile  tile;
    Err   err;
    expect(tile_encode(trace, key, &bytes, NULL, &err), "a tile is refused");
    expect(tile_open(bytes.data, bytes.size, &tile), "a tile does not open");
    for (uint32_t r = 0; r < tile.row_count; r++) {
        TileRow    row = tile_row(&tile, r);
        TileCursor cursor = { 0, 0 };
        TileEntry  entry;
        while (tile_next(&row, &cursor, &entry))
            *slices += entry.flags & TILE_CARRIED ? 0 : entry.count;
        for (uint32_t i = 0; i < row.instant_count; i++)
            *instants += tile_instant(&row, i).count;
    }
    bytes_release(&bytes);
}

static void check_tiles(const Trace *trace, uint32_t level)
{
    uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    uint64_t first = trace->lead >> (level + TILE_BUCKET_BITS), slices = 0, instants = 0;
    uint64_t last = (trace->lead + span) >> (level + TILE_BUCKET_BITS);
    if (last - first > 4) return;
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        for (uint32_t band = 0; band * TILE_BAND_ROWS < track_row_count(&trace->tracks[track]); band++) {
            for (uint64_t index = first; index <= last; index++)
                count_tile(trace, (TileKey){ track, band, level, index, 0 }, &slices, &instants);
        }
    }
    expect(slices == trace_slice_count(trace), "a slice is not shown, or twice");
    expect(instants == trace_instant_count(trace), "an instant is not shown, or twice");
}

static void expect_equal(const Trace *a, const Trace *b)
{
    expect(a->slices.count == b->slices.count && a->row_count == b->row_count, "counts differ by threads");
    for (uint64_t i = 0; i < a->slices.count; i++) {
        expect(trace_slice_begin(a, i) == trace_slice_begin(b, i) &&
                   trace_slice_label(a, i) == trace_slice_label(b, i) &&
                   a->slices.flags[i] == b->slices.flags[i] &&
                   trace_slice_duration(a, i) == trace_slice_duration(b, i),
               "slices differ by threads");
    }
    expect(a->flows.count == b->flows.count, "arrows differ by threads");
    for (uint64_t i = 0; i < a->flows.count; i++)
        expect(a->flows.from[i] == b->flows.from[i] && a->flows.to[i] == b->flows.to[i],
               "arrows differ by threads");
    expect(a->records.warning_count == b->records.warning_count, "warnings differ by threads");
}

/* True if the calls draw an arrow, which readers of traces that grow do not: they tell of events of flows. */
static bool draws_arrow(const uint8_t *data, size_t size)
{
    for (uint64_t i = 0; i < event_count(size); i++) {
        const uint8_t *e = data + 1 + i * EVENT_BYTES;
        if (e[0] % 8 == 5 && (e[0] & 128) != 0 && (e[6] & 1)) return true;
    }
    return false;
}

/* Feeds the same calls into a trace that grows. */
static void grow(const uint8_t *data, size_t size, const Trace *whole, bool fits)
{
    TrackId        threads[THREADS];
    int64_t        now = 0;
    Err            err;
    LiveChange     change;
    const uint64_t count = event_count(size), step = 1 + size % 23;
    TraceBuilder  *builder = prepare(data, size, threads);
    LiveTrace     *live = live_create(builder, &(LiveOptions){ 0 }, &err);
    expect(live != NULL, "no trace that grows");
    for (uint64_t i = 0; i < count; i++) {
        feed_event(builder, data + 1 + i * EVENT_BYTES, threads, &now, i);
        if (i == count / 2) (void)!change_clock(builder, data[0]);
        if (i % step != 0) continue;
        expect(live_absorb(live, &change, &err), "live_absorb fails");
        if (!trace_check(live_trace(live), &err)) expect(false, err.message);
    }
    expect(live_settle(live, &change, &err), "live_settle fails");
    if (!trace_check(live_trace(live), &err)) expect(false, err.message);
    expect(trace_slice_count(live_trace(live)) == trace_slice_count(whole), "a slice is not there, or twice");
    expect(trace_plain_instant_count(live_trace(live)) == trace_plain_instant_count(whole),
           "an instant is not there, or twice");
    /* Where ticks do not fit the new clock the one keeps the old one; late begins and ends are not sorted. */
    const bool is_late = trace_has_warning(live_trace(live), "late-event");
    if (fits && !is_late && !draws_arrow(data, size))
        expect(trace_is_same(live_trace(live), whole), "the grown trace is another one");
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level += 5)
        check_tiles(live_trace(live), level);
    live_destroy(live);
}

/* Builds the trace again on two threads and looks at its tiles. */
static void check_whole(const uint8_t *data, size_t size, const Trace *trace)
{
    bool   fits = true;
    Trace *again = build(data, size, 2, &fits);
    expect(again != NULL, "no trace");
    expect_equal(trace, again);
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level += 3)
        check_tiles(trace, level);
    trace_release(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Err    err;
    bool   fits = true;
    Trace *trace = build(data, size, 1, &fits);
    expect(trace != NULL, "no trace");
    if (!trace_check(trace, &err)) expect(false, err.message);
    if (choose(data, size, 2) == 0)
        check_whole(data, size, trace);
    else
        grow(data, size, trace, fits);
    trace_release(trace);
    return 0;
}
