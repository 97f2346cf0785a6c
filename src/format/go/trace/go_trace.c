#include "format/go/trace/go_trace.h"

#include "format/go/v2/spec.h"
#include "format/input.h"
#include "trace/store/time_spec.h"

GoTrace *go_trace_create(Arena *arena, const GoSink *sink)
{
    GoTrace *trace = ARENA_NEW(arena, GoTrace);
    if (trace == NULL) return NULL;
    trace->arena = arena;
    trace->sink = *sink;
    trace->texts = string_table_create(arena);
    return trace->texts == NULL ? NULL : trace;
}

void go_trace_set_range(GoTrace *trace, const char *range)
{
    const Clock    clock = clock_ns(); /* times are in ns from the trace's begin, which needs no data */
    const TimeAxis axis = { &clock, 0, INT64_MAX };
    GoWindow       window = { .is_set = true, .end = INT64_MAX };
    TimeRange      parsed;
    Err            err;
    if (range == NULL || !time_range_parse(range, &parsed, &err)) return;
    if (time_range_has_time_of_day(&parsed)) {
        trace->day_range = range;
    } else if (!time_range_find(range, &axis, &window.begin, &window.end, &err)) {
        return;
    }
    trace->window = window;
}

Clock go_trace_clock(const GoTrace *trace)
{
    const GoSnapshot *snapshot = &trace->generation.snapshot;
    Clock             clock = clock_ns();
    clock.has_epoch = snapshot->is_known && snapshot->unix_sec < INT64_MAX / 1000000000 - 1;
    if (clock.has_epoch) {
        int64_t unix_ns =
            (int64_t)snapshot->unix_sec * 1000000000 + (int64_t)(snapshot->unix_nsec % 1000000000);
        int64_t taken = go_ticks_to_ns(trace->generation.ns_per_tick, snapshot->ticks);
        clock.epoch_unix_ns = unix_ns - taken; /* both are positive */
    }
    return clock;
}

/* Finds the window of a range by time of day. Without a clock the range stays as it is, and is rejected at the end. */
static void place_day_range(GoTrace *trace)
{
    const Clock    clock = go_trace_clock(trace);
    const TimeAxis axis = { &clock, trace->begin_time, INT64_MAX };
    GoWindow       window = { .is_set = true };
    Err            err;
    if (trace->day_range == NULL) return;
    if (!time_range_find(trace->day_range, &axis, &window.begin, &window.end, &err)) return;
    trace->window = window;
    trace->day_range = NULL;
}

const char *go_trace_type_name(const GoTrace *trace, unsigned type)
{
    const char *name = NULL;
    if (trace->is_v2 && type < V2_TYPE_COUNT) name = V2_SPECS[type].name;
    if (!trace->is_v2 && type < V1_TYPE_COUNT) name = V1_SPECS[type].name;
    return name == NULL ? "unknown" : name;
}

/* -- the header -- */

static void begin_v1(GoTrace *trace)
{
    GoV1 *v1 = &trace->v1;
    /* 1.5 sorts its events by their numbers, with all bytes in memory */
    if (v1->version >= GO_1_7) v1->source.again = trace->again;
    v1->window = (V1Window){ trace->window.is_set, trace->window.begin, trace->window.end };
}

static void prepare(GoTrace *trace)
{
    const GoReport *report = &trace->sink.report;
    trace->is_v2 = trace->version.read_as >= GO_1_22;
    trace->generation = (GoGeneration){ .version = trace->version.read_as,
                                        .report = report,
                                        .arena = trace->arena,
                                        .again = trace->again,
                                        .tables = { .arena = trace->arena, .texts = trace->texts } };
    trace->scheduler = (Scheduler){ .arena = trace->arena };
    trace->frontier = (Frontier){ .generation = &trace->generation, .scheduler = &trace->scheduler };
    trace->v1 = (GoV1){ .version = trace->version.read_as,
                        .report = report,
                        .arena = trace->arena,
                        .tables = { .texts = trace->texts } };
    v1_begin(&trace->v1);
    begin_v1(trace);
    trace->sink.begin(trace->sink.context, trace);
    if (trace->version.written == trace->version.read_as) return;
    go_report(report, "unknown-version", 0, "version 1.%u is not known: read as %s",
              trace->version.written - 1000, trace->version.name);
}

/* -- events -- */

/* True for an event after the window that tells about a state in it. v2: the end of the first generation has the states
 * of goroutines without events. v1: a syscall's block is written late. */
static bool tells_more(const GoTrace *trace, const GoEvent *event)
{
    bool is_state = event->kind == GO_TRANSITION && event->from == GO_STATE_UNDETERMINED;
    if (!trace->is_v2) return trace->wants_more && event->kind == GO_TRANSITION;
    return trace->generation_count == 1 && (is_state || event->kind == GO_RANGE_ACTIVE);
}

/* Passes an event to the sink, unless the window does not need it. False when out of memory. */
static bool give(GoTrace *trace, const GoEvent *event)
{
    GoWindow *window = &trace->window;
    bool      clamped = false;
    int64_t   at = i64_add_clamped(event->time, -trace->begin_time, &clamped); /* begin_time >= 0 */
    if (window->is_set) {
        if (event->kind == GO_SYNC && at > window->end) return true; /* without effect */
        trace->is_before = at < window->begin;
        if (!trace->is_past && event->kind != GO_SYNC) trace->last_time = event->time;
        trace->is_past |= at > window->end;
        trace->outside_count += trace->is_before || trace->is_past;
        if (trace->is_past && !tells_more(trace, event)) return true;
    }
    trace->event_count++;
    trace->counts.of[event->type] += trace->is_v2 && event->type == event->record_type;
    return trace->sink.event(trace->sink.context, trace, event);
}

/* Lets the sink take the next events by its fast path. False when out of memory. */
static bool go_on_alone(GoTrace *trace)
{
    return trace->sink.steps == NULL || trace->sink.steps(trace->sink.context, trace);
}

/* -- v2: by generation -- */

static bool give_generation(GoTrace *trace, const uint8_t *bytes)
{
    GoGeneration  *generation = &trace->generation;
    const GoEvent *event;
    if (generation->out_of_memory || !generation_open(generation, bytes) || !frontier_open(&trace->frontier))
        return false;
    trace->is_damaged |= generation->is_cut || generation->is_clock_damaged;
    trace->counts.of[V2_EVENT_BATCH] += generation->batch_count;
    if (trace->generation_count++ == 0) {
        trace->begin_time = go_ticks_to_ns(generation->ns_per_tick, generation->min_ticks);
        place_day_range(trace);
    }
    while ((event = frontier_next(&trace->frontier)) != NULL) {
        if (!give(trace, event) || !go_on_alone(trace)) return false;
        if (trace->is_past && trace->generation_count > 1) return true;
    }
    trace->is_broken_off = trace->frontier.is_ended || generation->is_clock_damaged;
    trace->is_damaged |= trace->is_broken_off;
    bool minds = trace->is_before && !trace->is_past && trace->sink.tables_go != NULL;
    return !trace->scheduler.out_of_memory && !generation->out_of_memory &&
           (!minds || trace->sink.tables_go(trace->sink.context, trace));
}

static bool end_generations(GoTrace *trace)
{
    /* Go's reader reports no end either */
    if (trace->generation_count == 0 || trace->is_broken_off || trace->is_past) return true;
    return give(trace, frontier_end(&trace->frontier));
}

/* Scans generations and passes on their events. Scanned bytes are used up if they can be read again; else the bytes of
 * a generation stay until it is complete. */
static bool read_v2(GoTrace *trace, const uint8_t *bytes, size_t size, InputState input, size_t *used)
{
    GoGeneration *generation = &trace->generation;
    const bool    reads_again = generation->again.read != NULL;
    for (;;) {
        if (!trace->is_generation_open) generation_begin(generation, trace->offset + *used);
        trace->is_generation_open = true;
        const uint64_t   before = generation->size;
        const size_t     from = *used + (reads_again ? 0 : (size_t)before);
        const ScanResult result = generation_scan(generation, bytes + from, size - from, input);
        if (reads_again) *used += (size_t)(generation->size - before);
        if (result == SCAN_NEEDS_MORE) return true;
        trace->is_generation_open = false;
        trace->is_damaged |= generation->is_cut;
        if (result == SCAN_NOTHING) break;
        if (!give_generation(trace, reads_again ? NULL : bytes + *used)) return false;
        if (!reads_again) *used += (size_t)generation->size;
        if (trace->is_past) break;
    }
    *used = size;
    trace->is_ended = true;
    return end_generations(trace) && trace->sink.end(trace->sink.context, trace);
}

/* -- v1: at the end of the input -- */

/* Passes on the events after the scan. */
static bool give_v1(GoTrace *trace, const uint8_t *bytes, size_t size)
{
    GoV1          *v1 = &trace->v1;
    const GoEvent *event;
    trace->is_damaged |= v1->scan.is_damaged;
    for (size_t type = 0; type < sizeof v1->scan.counts.of / sizeof v1->scan.counts.of[0]; type++)
        trace->counts.of[type] = v1->scan.counts.of[type];
    if (v1->clock.frequency == 0) {
        trace->is_damaged = true;
        go_report(&trace->sink.report, "no-frequency", trace->offset + size,
                  "the trace is cut short: it does not say how long a tick is, so each is shown as 1 ns");
    }
    if (!v1_open(v1, v1->source.again.read == NULL ? bytes : NULL, size, trace->sink.v1_mode)) return false;
    while ((!trace->is_past || trace->wants_more) && (event = v1_next(v1)) != NULL) {
        if (!give(trace, event) || !go_on_alone(trace)) return false;
    }
    trace->is_ended = true;
    return !v1->out_of_memory && trace->sink.end(trace->sink.context, trace);
}

static bool read_v1(GoTrace *trace, const uint8_t *bytes, size_t size, InputState input, size_t *used)
{
    GoV1 *v1 = &trace->v1;
    v1_scan(v1, bytes, size, input);
    if (v1->out_of_memory) return false;
    if (v1->source.again.read != NULL) { /* scanned bytes can be released */
        *used = (size_t)(v1->scan.next - v1->source.origin);
        v1->source.origin = v1->scan.next;
    }
    if (input != INPUT_ENDS) return true;
    *used = size;
    return give_v1(trace, bytes, size);
}

bool go_trace_read(GoTrace *trace, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err)
{
    *used = trace->is_ended ? size : 0;
    if (trace->is_ended) return true;
    if (!trace->has_version) {
        if (size < GO_HEADER_BYTES && input != INPUT_ENDS) return true;
        if (!go_version_parse(bytes, size, &trace->version))
            return err_set_at(
                err, ERR_UNKNOWN, 0, ERR_NOWHERE,
                "not a Go trace: it does not begin with \"go 1.N trace\" of a version from 1.5 on");
        trace->has_version = true;
        prepare(trace);
        if (trace->is_v2) *used = GO_HEADER_BYTES;
    }
    bool done =
        trace->is_v2 ? read_v2(trace, bytes, size, input, used) : read_v1(trace, bytes, size, input, used);
    trace->offset += *used;
    return done || err_set(err, ERR_MEMORY, "out of memory");
}

/* Reads the input in blocks, and keeps the unused bytes of each. */
static bool read_blocks(GoTrace *trace, Input *input, const bool *stop, Bytes *buffer, Err *err)
{
    enum { BLOCK_BYTES = 256 << 10 };
    for (bool ended = false; !ended && !trace->is_ended && (stop == NULL || !*stop);) {
        size_t   got = 0, used = 0;
        uint8_t *room = bytes_reserve(buffer, BLOCK_BYTES);
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory");
        Err fault;
        ended = !input_fill(input, room, BLOCK_BYTES, &got, &fault) || got == 0;
        bytes_grow(buffer, got);
        InputState state = ended ? INPUT_ENDS : INPUT_CONTINUES;
        if (!go_trace_read(trace, buffer->data, buffer->size, state, &used, err)) return false;
        buffer->size -= used;
        if (used > 0 && buffer->size > 0) memmove(buffer->data, buffer->data + used, buffer->size);
    }
    return true;
}

bool go_trace_read_input(GoTrace *trace, Input *input, const bool *stop, Err *err)
{
    Bytes buffer = { 0 };
    bool  done = read_blocks(trace, input, stop, &buffer, err);
    bytes_release(&buffer);
    return done;
}
