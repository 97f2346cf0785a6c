#include "format/go/go.h"

#include "base/json_writer.h"
#include "format/go/feed/feed.h"
#include "format/go/trace/ends.h"
#include "format/go/trace/lanes.h"
#include "format/go/trace/text.h"
#include "format/go/v2/spec.h"

#include <string.h>

typedef struct GoReader {
    TraceBuilder *builder; /* borrowed */
    GoTrace      *trace;
    GoKept       *kept; /* owned by the builder */
    Feed          feed;
} GoReader;

static int go_probe(const uint8_t *head, size_t size)
{
    GoVersion version;
    return go_version_parse(head, size, &version) ? 100 : 0;
}

/* -- the sink -- */

PRINTF_LIKE(4, 0)
static void warn(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    GoReader *reader = context;
    builder_warn_args(reader->builder, kind, (EventPos){ offset, ERR_NOWHERE }, format, args);
}

static bool take_steps(void *context, GoTrace *trace)
{
    GoReader *reader = context;
    return feed_steps(&reader->feed, trace) && !builder_failed(reader->builder);
}

static void begin_events(void *context, const GoTrace *trace)
{
    GoReader *reader = context;
    builder_set_version(reader->builder, trace->version.name);
    reader->kept = go_kept_create();
    if (reader->kept == NULL) reader->feed.out_of_memory = true;
    if (reader->kept != NULL) {
        reader->kept->version = trace->version;
        reader->kept->is_v2 = trace->is_v2;
        builder_keep(reader->builder, reader->kept, go_kept_release);
    }
    feed_begin(&reader->feed, trace);
    reader->trace->sink.steps = feed_takes_steps(&reader->feed) ? take_steps : NULL;
    /* each track has its events in order in any case */
    reader->trace->sink.v1_mode = trace->window.is_set ? V1_BY_TIME : V1_BY_CAUSE;
}

static bool take_event(void *context, GoTrace *trace, const GoEvent *event)
{
    enum { LOOK_EVERY = 256 }; /* events between two checks of the builder */
    GoReader *reader = context;
    if (event->kind == GO_SYNC && trace->event_count == 1)
        builder_set_clock(reader->builder, go_trace_clock(trace));
    if (reader->kept == NULL) return false; /* out of memory */
    if (event->kind == GO_SYNC && !go_kept_generation(reader->kept, trace, event->time)) return false;
    if (!feed_event(&reader->feed, trace, event)) return false;
    return trace->event_count % LOOK_EVERY != 0 || !builder_failed(reader->builder);
}

static void count_records(GoReader *reader, const GoTrace *trace)
{
    for (unsigned type = 0; type < sizeof trace->counts.of / sizeof trace->counts.of[0]; type++) {
        if (trace->counts.of[type] == 0 || (trace->is_v2 && type == 0)) continue; /* a sync is not a record */
        const char *name = go_trace_type_name(trace, type);
        builder_count_events(reader->builder, builder_event_kind(reader->builder, name, strlen(name)),
                             trace->counts.of[type]);
    }
}

/* Adds the property "go" with facts about the file: docs/info.md. */
static void put_facts(GoReader *reader, const GoTrace *trace)
{
    const GoGeneration *generation = &trace->generation;
    const uint64_t      frequency = !trace->is_v2                ? trace->v1.clock.frequency
                                    : generation->frequency != 0 ? generation->frequency
                                                                 : generation->previous_frequency;
    Bytes               json = { 0 };
    JsonWriter          w = json_writer_to(&json, 0);
    json_object_begin(&w);
    if (frequency != 0) json_put_u64(&w, "ticks_per_second", frequency);
    json_put_u64(&w, "batches", trace->counts.of[trace->is_v2 ? (int)V2_EVENT_BATCH : (int)V1_BATCH]);
    if (trace->is_v2) json_put_u64(&w, "generations", trace->generation_count);
    if (trace->window.is_set) {
        json_put_u64(&w, "range_prefixed", reader->feed.report.prefixed_count);
        json_put_u64(&w, "range_added", reader->feed.report.added_count);
        json_put_u64(&w, "range_ignored", trace->outside_count);
    }
    json_object_end(&w);
    if (json.failed) reader->feed.out_of_memory = true;
    StringId key = builder_string(reader->builder, "go", 2);
    if (!json.failed) builder_property(reader->builder, key, (const char *)json.data, json.size);
    bytes_release(&json);
}

static bool end_events(void *context, GoTrace *trace)
{
    GoReader *reader = context;
    if (trace->is_damaged) builder_set_incomplete(reader->builder);
    count_records(reader, trace);
    if (reader->kept == NULL) return false;
    if (!trace->is_v2 && !go_kept_segments(reader->kept, &trace->v1)) return false;
    if (!feed_end(&reader->feed, trace)) return false;
    put_facts(reader, trace);
    if (trace->event_count > 0) builder_widen(reader->builder, trace->begin_time);
    if (trace->window.is_set && trace->day_range == NULL) {
        const GoWindow *window = &trace->window;
        const int64_t   last = go_trace_time(trace, window->end);
        builder_set_window(reader->builder, go_trace_time(trace, window->begin), last);
        if (trace->is_past) builder_widen(reader->builder, last);
    }
    if (trace->is_past) builder_set_enough(reader->builder);
    return true;
}

static bool tables_go(void *context, GoTrace *trace)
{
    GoReader *reader = context;
    (void)trace;
    if (reader->feed.carry != NULL) feed_carry_stacks(&reader->feed);
    return !reader->feed.out_of_memory && !builder_failed(reader->builder);
}

/* -- the reader -- */

static void *go_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    GoReader *reader = ARENA_NEW(arena, GoReader);
    if (reader != NULL) {
        reader->builder = builder;
        reader->trace = go_trace_create(arena, &(GoSink){ .v1_mode = V1_BY_TIME,
                                                          .begin = begin_events,
                                                          .event = take_event,
                                                          .tables_go = tables_go,
                                                          .end = end_events,
                                                          .report = { warn, reader },
                                                          .context = reader });
    }
    if (reader == NULL || reader->trace == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->feed = (Feed){ .arena = arena, .builder = builder, .trace = reader->trace };
    builder_set_rules(builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    builder_set_ties(builder, TIES_LATER_OUTSIDE);
    builder_set_endless(builder, ENDLESS_EXPECTED); /* the program continues after the recording */
    return reader;
}

static void go_configure(void *state, const ReadContext *context)
{
    GoReader *reader = state;
    reader->trace->again = context->again;
    go_trace_set_range(reader->trace, context->range);
}

static bool go_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used, Err *err)
{
    GoReader *reader = state;
    if (!go_trace_read(reader->trace, bytes, size, input, used, err)) {
        if (builder_failed(reader->builder)) builder_error(reader->builder, err);
        return false;
    }
    return true;
}

/* -- the arguments of an event, on request -- */

static void put_numbers(const char *name, const char *const *names, const uint64_t *numbers, unsigned count,
                        unsigned left_out, Bytes *out)
{
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    json_put_string(&writer, "event", name);
    for (unsigned i = 0; i < count; i++) {
        if (left_out >> i & 1) continue;
        json_put_u64(&writer, names[i], numbers[i]);
    }
    json_object_end(&writer);
}

static bool details_v2(const EventBytes *event, EventDetails *details)
{
    ByteCursor    c = cursor_over(event->bytes, event->size, event->offset);
    uint64_t      numbers[GO_MOST_ARGS];
    uint8_t       type = cursor_u8(&c);
    const V2Spec *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
    if (!spec->is_timed) return false;
    (void)cursor_varint(&c, ULEB_REFUSE_EXCESS);
    for (unsigned i = 0; i < spec->arg_count; i++)
        numbers[i] = cursor_varint(&c, ULEB_REFUSE_EXCESS);
    if (c.failed) return false;
    put_numbers(spec->name, spec->args, numbers, spec->arg_count, spec->strings | spec->stacks,
                &details->args);
    return true;
}

static bool details_v1(unsigned version, const EventBytes *event, EventDetails *details)
{
    ByteCursor c = cursor_over(event->bytes, event->size, event->offset);
    V1Record   record;
    if (v1_read_record(&c, version, &record) != V1_RECORD_GOOD || record.type >= V1_TYPE_COUNT) return false;
    const V1Spec *spec = &V1_SPECS[record.type];
    if (spec->name == NULL || spec->kind == GO_BAD) return false;
    unsigned wanted = v1_number_count(version, (V1Type)record.type), first = version < GO_1_7 ? 2 : 1;
    if (record.count < wanted || wanted < first + (unsigned)spec->has_stack) return false;
    unsigned count = wanted - first - (unsigned)spec->has_stack;
    unsigned texts =
        spec->texts[0] == NULL ? 0 : 1u << (spec->value_count - 1); /* the id of its text comes last */
    put_numbers(spec->name, spec->args, record.numbers + first, count, texts, &details->args);
    return true;
}

static bool go_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                       EventDetails *details, Err *err)
{
    const EventBytes *event = begin->bytes != NULL ? begin : end;
    unsigned          version = GO_1_26;
    if (event->bytes == NULL) return true;
    if (strncmp(trace->source.format_version, "1.", 2) == 0) {
        version = 1000;
        unsigned minor = 0;
        for (const char *digit = trace->source.format_version + 2; *digit >= '0' && *digit <= '9'; digit++)
            minor = minor * 10 + (unsigned)(*digit - '0');
        version += minor;
    }
    bool done = version >= GO_1_22 ? details_v2(event, details) : details_v1(version, event, details);
    if (details->args.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return done || err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE, "no event can be read here");
}

static const SliceContext SLICE_CONTEXT = { .has_ends = go_has_ends,
                                            .ends = go_ends,
                                            .cross_view_id = go_cross_view_id,
                                            .find_cross_view_id = go_find_cross_view_id };

const FormatReader GO_READER = {
    .name = "go",
    .spec = "Go's runtime/trace.go and internal/trace, 1.5 to 1.26 (February 2026)",
    .about =
        "Execution traces of Go programs: runtime/trace, `go test -trace`, the flight recorder.\n"
        "Usual names: trace.out, *.trace. --perspective chooses between goroutines, processors and threads.",
    .counted_perspective = "Goroutines",
    .probe = go_probe,
    .open = go_open,
    .read = go_read,
    .details = go_details,
    .slice_context = &SLICE_CONTEXT,
    .configure = go_configure,
    .goes_on = true,
    .text = go_text,
};
