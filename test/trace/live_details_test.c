/* Details of events of a growing trace, and its raw events, compared with the trace that is built from the same events
 * at once. */
#include "trace/live/live.h"

#include "support/test.h"
#include "trace/wire/tile_encode.h"
#include "trace_support.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 4, PROMISES = 3, MOST_DEPTH = 12 };

static TestRandom dice;

static uint64_t random_below(uint64_t bound)
{
    return test_random_below(&dice, bound);
}

/* ---- random events, the same for every builder ---- */

typedef struct RandomEvents {
    TraceBuilder *builder;
    uint64_t      seed, number; /* of the next event */
    int64_t       tick, cpu_ns;
    unsigned      depth[THREADS];
    bool          completes_too; /* threads also have completes */
    StackId       promised[PROMISES];
    bool          is_kept[PROMISES];
} RandomEvents;

static RandomEvents random_events_open(uint64_t seed)
{
    RandomEvents events = { .builder = builder_create("test", 0),
                            .seed = seed,
                            .completes_too = seed % 2 == 0 };
    CHECK(events.builder != NULL);
    builder_set_rules(events.builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    return events;
}

static StringId text_of(RandomEvents *events, const char *what, uint64_t number)
{
    char      text[32];
    const int size = snprintf(text, sizeof text, "%s%u", what, (unsigned)number);
    return builder_string(events->builder, text, (size_t)size);
}

static StackId random_stack(RandomEvents *events)
{
    StackId        stack = STACK_NONE;
    const uint64_t promise = random_below(12);
    if (promise < PROMISES) {
        if (events->promised[promise].index == 0)
            events->promised[promise] = builder_stack_later(events->builder);
        return events->promised[promise];
    }
    for (uint64_t n = random_below(4); n > 0; n--) {
        const StackFrame frame = { .function = text_of(events, "f", random_below(3)), .line = 3 };
        stack = builder_stack(events->builder, stack, builder_frame(events->builder, &frame));
    }
    return stack;
}

static void keep_promise(RandomEvents *events)
{
    const uint64_t   at = random_below(PROMISES);
    const StackFrame frame = { .function = text_of(events, "promised", at) };
    const StackId stack = builder_stack(events->builder, STACK_NONE, builder_frame(events->builder, &frame));
    if (events->promised[at].index == 0 || events->is_kept[at]) return;
    events->is_kept[at] = true;
    builder_stack_settle(events->builder, events->promised[at], stack);
}

static LabelId random_label(RandomEvents *events)
{
    const LabelId label = builder_label(events->builder, text_of(events, "n", random_below(4)), STRING_NONE);
    if (random_below(4) > 0) return label;
    return builder_colour_label(events->builder, label, LABEL_COLOUR(0x102030u * (1 + random_below(3))));
}

/* Some have one; those of ends are valid only with those of begins. */
static void note_cpu(RandomEvents *events, TrackId thread, EventPos pos, CpuTimeKind kind)
{
    events->cpu_ns += (int64_t)random_below(50) - 5;
    if (random_below(3) > 0) builder_cpu_time(events->builder, thread, pos, kind, events->cpu_ns);
}

static unsigned random_flags(void)
{
    return random_below(3) > 0 ? EVENT_DETAILS : 0;
}

static void add_begin_or_end(RandomEvents *events, unsigned t, TrackId thread, EventPos pos)
{
    const bool is_end = random_below(2) == 0 || events->depth[t] == MOST_DEPTH;
    note_cpu(events, thread, pos, CPU_READING);
    if (is_end) { /* some have no begin */
        builder_end(events->builder, thread, events->tick, random_label(events), pos, random_flags());
        if (events->depth[t] > 0) events->depth[t]--;
    } else {
        builder_begin(events->builder, thread, events->tick, random_label(events), pos, random_flags());
        events->depth[t]++;
    }
    builder_mark_stack(events->builder, thread, random_stack(events));
}

static void add_complete(RandomEvents *events, TrackId thread, EventPos pos)
{
    const int64_t end = events->tick + (int64_t)random_below(20);
    note_cpu(events, thread, pos, random_below(2) == 0 ? CPU_LENGTH : CPU_READING);
    builder_complete(events->builder, thread, events->tick, end, random_label(events), pos, random_flags());
    const StackId begin = random_stack(events);
    builder_complete_stacks(events->builder, thread, begin, random_stack(events));
}

static void add_instant(RandomEvents *events, TrackId thread, EventPos pos)
{
    const InstantScope scope = (InstantScope)random_below(3);
    builder_instant(events->builder, thread, events->tick, random_label(events), scope, pos, EVENT_DETAILS);
    builder_instant_stack(events->builder, thread, scope, random_stack(events));
}

/* Sometimes a begin arrives later than its end. */
static void add_async(RandomEvents *events, TrackId thread, EventPos pos)
{
    TraceBuilder   *b = events->builder;
    const AsyncKind kind = (AsyncKind)random_below(3);
    const char      id[] = { 'i', (char)('0' + random_below(5)) };
    const AsyncId   async_id = builder_async_id(b, PROCESS_NONE, id, sizeof id);
    const int64_t   late = random_below(4) == 0 ? (int64_t)random_below(30) : 0;
    const int64_t   tick = events->tick > late ? events->tick - late : 0;
    note_cpu(events, TRACK_NONE, pos, random_below(4) == 0 ? CPU_LENGTH : CPU_READING);
    builder_async(b, kind, builder_event_kind(b, &"ben"[kind], 1), async_id,
                  &(EventHead){ .thread = thread, .tick = tick, .label = random_label(events), .pos = pos },
                  random_flags());
    builder_async_stack(b, random_stack(events));
}

static void add_other(RandomEvents *events, TrackId thread, EventPos pos)
{
    TraceBuilder  *b = events->builder;
    const uint64_t which = random_below(4);
    const LabelId  label = random_label(events);
    if (which == 0) {
        builder_other(b, OTHER_METADATA, builder_event_kind(b, "M", 1),
                      &(EventHead){ .thread = thread, .label = label, .pos = pos, .is_timeless = true });
        builder_name_thread(b, thread, text_of(events, "named", random_below(3)));
    } else if (which == 1) {
        builder_other(b, OTHER_EVENT, builder_event_kind(b, "?", 1),
                      &(EventHead){ .thread = thread, .label = label, .pos = pos, .is_timeless = true });
    } else if (which == 2) {
        builder_other(b, OTHER_EVENT, builder_event_kind(b, "C", 1),
                      &(EventHead){ .tick = events->tick, .label = label, .pos = pos });
    } else {
        const FlowId flow =
            builder_flow(b, PROCESS_NONE, text_of(events, "flow", random_below(6)), STRING_NONE);
        builder_other(b, OTHER_EVENT, builder_event_kind(b, "s", 1),
                      &(EventHead){ .thread = thread, .tick = events->tick, .label = label, .pos = pos });
        builder_flow_event(
            b, flow, (FlowRole)random_below(3), FLOW_BIND_ENCLOSING,
            &(EventHead){ .thread = thread, .tick = events->tick, .label = label, .pos = pos });
    }
}

/* Adds an event that depends on the seed, its number, and the previous events. */
static void add_next(RandomEvents *events)
{
    const TestRandom before = dice;
    const EventPos   pos = { 100 * events->number, events->number };
    dice.state = (events->seed << 32) + ++events->number;
    const unsigned  t = (unsigned)random_below(THREADS);
    const ProcessId process = builder_process(events->builder, ident_int(1 + t % 2));
    const TrackId   thread = builder_thread(events->builder, process, ident_int(t));
    const uint64_t  which = random_below(12);
    events->tick += (int64_t)random_below(4) * (random_below(200) == 0 ? INT64_C(3000000000) : 1);
    if (which < 5) {
        add_begin_or_end(events, t, thread, pos);
    } else if (which < 7 && events->completes_too) {
        add_complete(events, thread, pos);
    } else if (which < 8) {
        add_instant(events, thread, pos);
    } else if (which < 10) {
        add_async(events, thread, pos);
    } else if (which < 11) {
        add_other(events, thread, pos);
    } else {
        keep_promise(events);
    }
    dice = before;
}

/* ---- traces as text ---- */

static void describe_stack(const Trace *trace, StackId stack, Bytes *out)
{
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StringView name = trace_string(trace, trace_stack_frame(trace, stack)->function);
        bytes_printf(out, "<%.*s", (int)name.size, name.bytes);
    }
}

static void describe_label(const Trace *trace, uint32_t label, Bytes *out)
{
    const StringView name = trace_label_name(trace, label);
    bytes_printf(out, "%.*s#%x", (int)name.size, name.bytes, (unsigned)trace->labels[label].colour);
}

static void describe_slice(const Trace *trace, uint32_t row, uint64_t slice, Bytes *out)
{
    uint64_t ns = 0, end = 0;
    bytes_printf(out, " %lld+%llu ", (long long)trace_slice_begin(trace, slice),
                 (unsigned long long)trace_slice_duration(trace, slice));
    describe_label(trace, trace_slice_label(trace, slice), out);
    describe_stack(trace, trace_slice_stack(trace, slice), out);
    bytes_append_text(out, ">");
    describe_stack(trace, trace_slice_end_stack(trace, slice), out);
    if (trace_slice_end_source(trace, slice, &end)) bytes_printf(out, "@%llu", (unsigned long long)end);
    if (trace_slice_cpu(trace, slice, &ns)) bytes_printf(out, " cpu %llu", (unsigned long long)ns);
    if (trace_slice_cpu_self(trace, row, slice, &ns)) bytes_printf(out, " self %llu", (unsigned long long)ns);
}

static void describe_other(const Trace *trace, const OtherEvent *other, Bytes *out)
{
    const StringView kind = trace_string(trace, trace->records.event_kinds[other->kind].name);
    bytes_printf(out, "%.*s %llu ", (int)kind.size, kind.bytes, (unsigned long long)other->offset);
    if (other->has_tick) bytes_printf(out, "at %lld ", (long long)other->tick);
    if (other->is_metadata) bytes_append_text(out, "metadata ");
    describe_label(trace, other->label, out);
    const uint32_t thread = trace_other_thread(trace, other);
    if (thread != 0) trace_track_title(trace, thread, out);
    bytes_append_text(out, "\n");
}

static void describe(const Trace *trace, Bytes *out)
{
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        trace_track_title(trace, row->track, out);
        bytes_printf(out, " %u.%u:", row->lane, row->depth);
        for (uint64_t i = 0; i < row->slice_count; i++)
            describe_slice(trace, r, row->first_slice + i, out);
        for (uint64_t i = 0; i < row_extras(row)->instant_count; i++) {
            const uint64_t instant = row_extras(row)->first_instant + i;
            bytes_printf(out, " i%lld ", (long long)trace->instants.tick[instant]);
            describe_label(trace, trace->instants.label[instant], out);
            describe_stack(trace, trace_instant_stack(trace, instant), out);
        }
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = 0; i < trace->records.other_count; i++)
        describe_other(trace, &trace->records.others[i], out);
}

static Trace *trace_at_once(uint64_t seed, uint64_t count)
{
    Err          err;
    RandomEvents events = random_events_open(seed);
    while (events.number < count)
        add_next(&events);
    Trace *trace = builder_finish(events.builder, 1, NULL, &err);
    CHECK(trace != NULL);
    builder_destroy(events.builder);
    return trace;
}

static void check_equal(LiveTrace *live, uint64_t seed, uint64_t count)
{
    Err    err;
    Bytes  expected = { 0 }, actual = { 0 };
    size_t same = 0;
    Trace *whole = trace_at_once(seed, count);
    if (!trace_check(live_trace(live), &err)) fail_msg("after %u events: %s", (unsigned)count, err.message);
    describe(whole, &expected);
    describe(live_trace(live), &actual);
    bytes_append(&expected, "", 1);
    bytes_append(&actual, "", 1);
    while (same < expected.size && same < actual.size && expected.data[same] == actual.data[same])
        same++;
    if (same < expected.size || same < actual.size) {
        const size_t from = same < 160 ? 0 : same - 160;
        fail_msg("seed %u, after %u events\nat once: %.400s\ngrown:   %.400s", (unsigned)seed,
                 (unsigned)count, (const char *)expected.data + from, (const char *)actual.data + from);
    }
    bytes_release(&expected);
    bytes_release(&actual);
    trace_release(whole);
}

TEST(details_and_what_is_not_drawn_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= test_seeds(120); seed++) {
        Err               err;
        LiveChange        change;
        const LiveOptions options = { 0 };
        dice.state = seed * 7919;
        const uint64_t count = seed % 10 == 0 ? 3000 : 10 + random_below(200), step = 1 + random_below(40);
        RandomEvents   events = random_events_open(seed);
        LiveTrace     *live = live_create(events.builder, &options, &err);
        CHECK(live != NULL);
        while (events.number < count) {
            add_next(&events);
            if (random_below(step) != 0) continue;
            CHECK(live_absorb(live, &change, &err));
            if (seed % 10 == 0 || random_below(4) != 0) continue;
            CHECK(live_settle(live, &change, &err));
            check_equal(live, seed, events.number);
        }
        CHECK(live_settle(live, &change, &err));
        check_equal(live, seed, count);
        live_destroy(live);
    }
}

/* ---- tiles ---- */

enum { MOST_TRACKS = 64, LEVELS = 3, MOST_WINDOWS = 64 };
static const uint32_t LEVELS_LOOKED_AT[LEVELS] = { 3, 20, 26 };

/* A track after an absorb. */
typedef struct KeptTrack {
    Bytes    title, tiles[LEVELS];
    uint64_t version, grid;
    int64_t  begin;
} KeptTrack;

typedef struct KeptTracks {
    KeptTrack tracks[MOST_TRACKS];
    size_t    count;
} KeptTracks;

static uint64_t grid_of(const Trace *trace)
{
    return (uint64_t)trace->begin_tick - trace->lead;
}

/* Describes all of a row of a tile, at times of the trace. */
static void describe_row(const Trace *trace, const TileRow *row, Bytes *out)
{
    TileCursor cursor = { 0 };
    TileEntry  e;
    while (tile_next(row, &cursor, &e))
        bytes_printf(out, " %llu:%llu+%llu*%u %llu,%llu %llu %u %x", (unsigned long long)e.slice,
                     (unsigned long long)((uint64_t)trace->begin_tick + e.begin),
                     (unsigned long long)e.extent, e.count, (unsigned long long)e.covered,
                     (unsigned long long)e.longest_ticks, (unsigned long long)e.longest, e.label, e.flags);
    for (uint32_t i = 0; i < row->instant_count; i++) {
        const TileInstant t = tile_instant(row, i);
        bytes_printf(out, " i%llu:%llu*%u %u", (unsigned long long)t.instant,
                     (unsigned long long)((uint64_t)trace->begin_tick + t.tick), t.count, t.label);
    }
}

/* Describes the tiles of a track at a level that are not empty; nothing if they are too many. */
static void describe_tiles(const Trace *trace, uint32_t track, uint32_t level, Bytes *out)
{
    const unsigned shift = level + TILE_BUCKET_BITS;
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    const uint64_t first = trace->lead >> shift, last = (trace->lead + span) >> shift;
    for (uint64_t index = first;
         index <= last && last - first < MOST_WINDOWS && track_row_count(&trace->tracks[track]) > 0;
         index++) {
        const TileKey key = { .track = track, .level = level, .index = index };
        Bytes         bytes = { 0 };
        Tile          tile;
        Err           err;
        CHECK_DONE(tile_encode(trace, key, &bytes, NULL, &err), err);
        CHECK(tile_open(bytes.data, bytes.size, &tile));
        tile.lead = trace->lead;
        for (uint32_t r = 0; r < tile.row_count; r++) {
            const TileRow row = tile_row(&tile, r);
            if (row.entry_count + row.instant_count == 0) continue;
            bytes_printf(out, "\n%llu row %u", (unsigned long long)(grid_of(trace) + (index << shift)), r);
            describe_row(trace, &row, out);
        }
        bytes_release(&bytes);
    }
}

static void keep_tracks(const Trace *trace, KeptTracks *kept)
{
    CHECK(trace->track_count <= MOST_TRACKS);
    kept->count = trace->track_count;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        KeptTrack *track = &kept->tracks[t - 1];
        *track = (KeptTrack){ .version = trace->tracks[t].extras->version,
                              .grid = grid_of(trace),
                              .begin = trace->begin_tick };
        trace_track_title(trace, t, &track->title);
        bytes_append_text(&track->title, " of ");
        trace_process_title(trace, trace->tracks[t].process.index, &track->title);
        for (int l = 0; l < LEVELS; l++)
            describe_tiles(trace, t, LEVELS_LOOKED_AT[l], &track->tiles[l]);
    }
}

static void release_tracks(KeptTracks *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        bytes_release(&kept->tracks[i].title);
        for (int l = 0; l < LEVELS; l++)
            bytes_release(&kept->tracks[i].tiles[l]);
    }
    kept->count = 0;
}

static bool same_text(const Bytes *a, const Bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Checks that tiles of a track with the same version are the same, if the grid moved by whole windows. Returns the
 * number of equal ones although the trace begins earlier. */
static unsigned check_same_tiles(const KeptTracks *before, const KeptTracks *after)
{
    unsigned stayed = 0;
    for (size_t i = 0; i < after->count; i++) {
        const KeptTrack *now = &after->tracks[i], *was = NULL;
        for (size_t j = 0; j < before->count && was == NULL; j++)
            if (same_text(&before->tracks[j].title, &now->title)) was = &before->tracks[j];
        if (was == NULL || was->version != now->version) continue;
        for (int l = 0; l < LEVELS; l++) {
            const uint64_t window = UINT64_C(1) << (LEVELS_LOOKED_AT[l] + TILE_BUCKET_BITS);
            if ((was->grid - now->grid) % window != 0) continue;
            if (was->tiles[l].size == 0 || now->tiles[l].size == 0) continue; /* too many of them */
            CHECK(same_text(&was->tiles[l], &now->tiles[l]));
            stayed += was->begin != now->begin;
        }
    }
    return stayed;
}

TEST(an_earlier_event_leaves_the_tiles_of_others_as_they_are)
{
    unsigned stayed = 0, moves = 0, earlier = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static KeptTracks kept[2];
        Err               err;
        LiveChange        change;
        const LiveOptions options = { 0 };
        RandomEvents      events = random_events_open(seed);
        int               at = 0;
        events.tick = INT64_C(1) << 40;
        LiveTrace *live = live_create(events.builder, &options, &err);
        CHECK(live != NULL);
        const Trace *trace = live_trace(live);
        dice.state = seed * 31;
        int64_t early = events.tick;
        while (events.number < 160) {
            add_next(&events);
            if (random_below(4) == 0) {
                const TrackId thread = builder_thread(
                    events.builder, builder_process(events.builder, ident_int(9)), ident_int(9));
                early -= (int64_t)random_below(UINT64_C(1) << (4 + random_below(28)));
                builder_complete(events.builder, thread, early, early + 1, random_label(&events),
                                 (EventPos){ 100 * events.number + 1, events.number }, 0);
            }
            const uint64_t grid = grid_of(trace);
            const int64_t  begin = trace->begin_tick;
            const bool     had_time = trace->has_time;
            CHECK(live_absorb(live, &change, &err));
            moves += had_time && grid != grid_of(trace);
            earlier += had_time && begin != trace->begin_tick;
            release_tracks(&kept[at]);
            keep_tracks(trace, &kept[at]);
            at = 1 - at;
            stayed += check_same_tiles(&kept[at], &kept[1 - at]);
        }
        CHECK(trace_check(trace, &err));
        release_tracks(&kept[0]);
        release_tracks(&kept[1]);
        live_destroy(live);
    }
    CHECK(stayed > 1000);
    CHECK(earlier > 1000);
    CHECK(moves <= 40 * 32); /* at least twice as far each time */
}

/* ---- limits ---- */

/* Adds only raw events, for a long time. */
static void grow_for_long(const LiveOptions *options, uint64_t most_bytes)
{
    Err           err;
    LiveChange    change;
    RandomEvents  events = random_events_open(1);
    TraceBuilder *b = events.builder;
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    const TrackId  thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(1));
    const LabelId  label = builder_label(b, text_of(&events, "n", 1), STRING_NONE);
    const uint16_t kinds[] = { builder_event_kind(b, "M", 1), builder_event_kind(b, "C", 1) };
    memory_watch();
    for (uint64_t i = 0; i < 3000000; i++) {
        const int64_t  tick = (int64_t)i * 1000;
        const EventPos pos = { 10 * i, i };
        if (i % 3 == 0) {
            builder_other(b, OTHER_METADATA, kinds[0],
                          &(EventHead){ .thread = thread, .label = label, .pos = pos, .is_timeless = true });
        } else if (i % 3 == 1) {
            builder_other(b, OTHER_EVENT, kinds[1],
                          &(EventHead){ .thread = thread, .tick = tick, .label = label, .pos = pos });
        } else {
            builder_end(b, thread, tick, label, pos, 0);
        }
        if (i % 10000 == 0) CHECK(live_absorb(live, &change, &err));
    }
    CHECK(live_absorb(live, &change, &err));
    const Trace *trace = live_trace(live);
    CHECK(trace_check(trace, &err));
    CHECK(trace->records.other_count > 1000);
    CHECK(trace->records.others[trace->records.other_count - 1].offset == 10 * UINT64_C(2999999));
    if (memory_peak() > most_bytes) fail_msg("%llu bytes", (unsigned long long)memory_peak());
    live_destroy(live);
}

TEST(what_is_not_drawn_is_let_go)
{
    grow_for_long(&(LiveOptions){ .keep_bytes = 1 << 20 }, 6 << 20);
    grow_for_long(&(LiveOptions){ .keep_ns = 50000000 }, 24 << 20);
}

/* ---- ids ---- */

static void add_id(RandomEvents *events, AsyncKind kind, uint64_t id, int64_t tick)
{
    char           key[32];
    TraceBuilder  *b = events->builder;
    const int      size = snprintf(key, sizeof key, "id %llu", (unsigned long long)id);
    const TrackId  thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(1));
    const LabelId  label = builder_label(b, builder_string(b, "call", 4), STRING_NONE);
    const EventPos pos = { 10 * events->number, events->number };
    builder_async(b, kind, builder_event_kind(b, "b", 1),
                  builder_async_id(b, PROCESS_NONE, key, (size_t)size),
                  &(EventHead){ .thread = thread, .tick = tick, .label = label, .pos = pos }, 0);
    events->number++;
}

/* Different ids, of slices that overlap: each end closes its own. */
static void add_new_ids(const LiveOptions *options, uint64_t most_bytes)
{
    enum { IDS = 300000, OPEN = 50, LENGTH = OPEN * 10 };
    Err          err;
    LiveChange   change;
    RandomEvents events = random_events_open(1);
    LiveTrace   *live = live_create(events.builder, options, &err);
    CHECK(live != NULL);
    memory_watch();
    for (uint64_t i = 0; i < IDS; i++) {
        add_id(&events, ASYNC_BEGIN, i, (int64_t)i * 10);
        if (i >= OPEN) add_id(&events, ASYNC_END, i - OPEN, (int64_t)i * 10 + 1);
        if (i % 500 == 0) CHECK(live_absorb(live, &change, &err));
    }
    CHECK(live_absorb(live, &change, &err));
    const Trace *trace = live_trace(live);
    uint64_t     slices = 0, unfinished = 0;
    CHECK(trace_check(trace, &err));
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++, slices++) {
            const bool is_open = (trace->slices.flags[s] & SLICE_UNFINISHED) != 0;
            if (!is_open) CHECK(trace_slice_duration(trace, s) == LENGTH + 1);
            unfinished += is_open;
        }
    }
    CHECK(slices > 2 * OPEN);
    CHECK(unfinished == OPEN);
    CHECK(trace->records.warning_count == 0);
    if (memory_peak() > most_bytes) fail_msg("%llu bytes", (unsigned long long)memory_peak());
    live_destroy(live);
}

TEST(ids_that_are_ever_new_stay_apart)
{
    add_new_ids(&(LiveOptions){ .keep_bytes = 1 << 20 }, 8 << 20);
    add_new_ids(&(LiveOptions){ .keep_ns = 100000 }, 16 << 20);
}

/* Ids without ends: at the end all are one, with a warning. */
TEST(ids_that_stay_open_have_a_bound)
{
    Err               err;
    LiveChange        change;
    const LiveOptions options = { .keep_ns = INT64_MAX };
    RandomEvents      events = random_events_open(1);
    LiveTrace        *live = live_create(events.builder, &options, &err);
    CHECK(live != NULL);
    builder_set_async_ids_most(events.builder, 100);
    for (uint64_t i = 0; i < 150; i++)
        add_id(&events, ASYNC_BEGIN, i, (int64_t)i);
    add_id(&events, ASYNC_END, 7, 1000);
    CHECK(live_absorb(live, &change, &err));
    const Trace *trace = live_trace(live);
    CHECK(trace->records.warning_count == 1);
    CHECK(strcmp(trace->records.warnings[0].kind, "ids-not-kept") == 0);
    CHECK_UINT(trace->records.warnings[0].count, 50);
    CHECK_UINT(trace->counts.async_slices, 150);
    live_destroy(live);
}

TEST_MAIN("live_details", TEST_CASE(details_and_what_is_not_drawn_grow_as_they_are_built),
          TEST_CASE(an_earlier_event_leaves_the_tiles_of_others_as_they_are),
          TEST_CASE(what_is_not_drawn_is_let_go), TEST_CASE(ids_that_are_ever_new_stay_apart),
          TEST_CASE(ids_that_stay_open_have_a_bound))
