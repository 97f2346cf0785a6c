#include "schema/schema.h"

#include "schema/arguments.h"
#include "schema/small_tables.h"

#define BIT(kind) (1U << (kind))

static const SchemaColumn SLICE[] = {
    SCHEMA_TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_ID, 0, "slice", "id of the slice" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_SLICE_NAME, 0, "", "name" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_SLICE_CATEGORY, 0, "", "category" },
    { "begin_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_SLICE_BEGIN, 0, "ns",
      "begin, from the begin of the trace" },
    { "duration_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_DURATION, 0, "ns", "whole duration" },
    { "clipped_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_CLIPPED, 0, "ns",
      "part of the duration in the range of the query" },
    { "self_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_SELF, 0, "ns",
      "clipped_ns without the direct children" },
    { "cpu_ns", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_CPU, 0, "ns",
      "CPU time of the thread in the whole duration" },
    { "depth", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_DEPTH, 0, "", "number of slices around it" },
    { "parent_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_PARENT, 0, "slice", "slice around it" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SLICE_THREAD, 0, "",
      "title of the thread that began it" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_SLICE_PROCESS, 0, "", "title of the process" },
    { "track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SLICE_TRACK, 0, "", "title of the track" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_SLICE_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_TID, SCAN_SLICE_THREAD, 0, "",
      "thread id of the source, where it is a number" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_THREAD, 0, "track", "thread that began it" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_TRACK, 0, "track", "track that shows it" },
    { "lane", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_LANE, 0, "",
      "0; more for slices that overlap without nesting" },
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_STACK, 0, "stack", "stack at the begin" },
    { "end_stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_END_STACK, 0, "stack", "stack at the end" },
    { "unfinished", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_UNFINISHED, "", "it never ended" },
    { "no_end", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_NO_END, "",
      "it ended only because a slice around it did" },
    { "repaired", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_REPAIRED, "",
      "its times were wrong in the source" },
    { "begin_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_SLICE_BEGIN, 0, "tick",
      "begin, as the source wrote it" },
    { "duration_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_DURATION, 0, "tick", "whole duration" },
    { "clipped_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_CLIPPED, 0, "tick",
      "part in the range of the query" },
    { "self_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_SELF, 0, "tick",
      "clipped_ticks without the direct children" },
};

static const SchemaColumn INSTANT[] = {
    SCHEMA_TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_ID, 0, "instant", "id of the instant" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_INSTANT_NAME, 0, "", "name" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_INSTANT_CATEGORY, 0, "", "category" },
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_INSTANT_TICK, 0, "ns",
      "time, from the begin of the trace" },
    { "scope", SCHEMA_TEXT, FORM_SCOPE, SCAN_INSTANT_SCOPE, 0, "", "thread, process or global" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_INSTANT_THREAD, 0, "",
      "title of the thread that wrote it" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_INSTANT_PROCESS, 0, "", "title of the process" },
    { "track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_INSTANT_TRACK, 0, "", "title of the track" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_INSTANT_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_TID, SCAN_INSTANT_THREAD, 0, "",
      "thread id of the source, where it is a number" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_THREAD, 0, "track", "thread that wrote it" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_TRACK, 0, "track", "track that shows it" },
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_STACK, 0, "stack", "stack at its time" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_INSTANT_TICK, 0, "tick",
      "time, as the source wrote it" },
};

static const SchemaColumn COUNTER[] = {
    SCHEMA_TRACE_NAME,
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_NAME, 0, "", "name of the counter" },
    { "series", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_SERIES, 0, "", "name of the series" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_CATEGORY, 0, "", "category of the counter" },
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_VALUE_TICK, 0, "ns", "time from which the value holds" },
    { "value", SCHEMA_REAL, FORM_NUMBER, SCAN_VALUE_VALUE, 0, "", "the value; NULL = a gap" },
    { "duration_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_VALUE_DURATION, 0, "ns",
      "time to the next value of the series" },
    { "clipped_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_VALUE_CLIPPED, 0, "ns",
      "part of it in the range of the query" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_VALUE_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_VALUE_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_VALUE_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_VALUE_TRACK, 0, "track", "track of the counter" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_VALUE_TICK, 0, "tick", "time, as the source wrote it" },
};

static const SchemaColumn TRACK[] = {
    SCHEMA_TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_ID, 0, "track", "id of the track" },
    { "kind", SCHEMA_TEXT, FORM_TRACK_KIND, SCAN_TRACK_ID, 0, "",
      "thread, async, counter, samples, states, objects, ..." },
    { "title", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_TRACK_ID, 0, "", "title in the timeline" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_NAME, 0, "", "name in the source" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_CATEGORY, 0, "", "category of asynchronous slices" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_TRACK_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_TRACK_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_TID, 0, "",
      "thread id of the source, where it is a number" },
    { "tid_text", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_TID_TEXT, 0, "",
      "thread id of the source, where it is a text" },
    { "slices", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_SLICES, 0, "", "number of slices" },
    { "instants", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_INSTANTS, 0, "", "number of instants" },
    { "counter_values", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_VALUES, 0, "", "number of values of a counter" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_PROCESS, 0, "process", "process" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_THREAD, 0, "track",
      "thread whose states or samples it shows" },
};

static const SchemaColumn PROCESS[] = {
    SCHEMA_TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_ID, 0, "process", "id of the process" },
    { "title", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_PROCESS_ID, 0, "", "title in the timeline" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_NAME, 0, "", "name in the source" },
    { "labels", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_LABELS, 0, "", "free text beside the name" },
    { "pid", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_PID, 0, "",
      "process id of the source, where it is a number" },
    { "pid_text", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_PID_TEXT, 0, "",
      "process id of the source, where it is a text" },
    { "tracks", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_TRACKS, 0, "", "number of tracks" },
};

static const SchemaColumn SAMPLE[] = {
    SCHEMA_TRACE_NAME,
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_SAMPLE_TICK, 0, "ns", "time, from the begin of the trace" },
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_SAMPLE_STACK, 0, "stack", "stack of the thread" },
    { "weight", SCHEMA_REAL, FORM_NUMBER, SCAN_SAMPLE_WEIGHT, 0, "",
      "weight in the source; 1 where it has none" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SAMPLE_THREAD, 0, "", "title of the thread" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_SAMPLE_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_SAMPLE_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_TID, SCAN_SAMPLE_THREAD, 0, "",
      "thread id of the source, where it is a number" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_SAMPLE_THREAD, 0, "track", "thread" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_SAMPLE_TRACK, 0, "track", "track that shows it" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_SAMPLE_TICK, 0, "tick",
      "time, as the source wrote it" },
};

static const SchemaColumn FLOW[] = {
    SCHEMA_TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_FLOW_ID, 0, "flow", "id of the arrow" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_FLOW_NAME, 0, "", "name" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_FLOW_CATEGORY, 0, "", "category" },
    { "from_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_FLOW_FROM_TICK, 0, "ns", "time of its begin" },
    { "to_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_FLOW_TO_TICK, 0, "ns", "time of its end" },
    { "from_slice_id", SCHEMA_INT, FORM_NUMBER, SCAN_FLOW_FROM, 0, "slice", "slice that it begins in" },
    { "to_slice_id", SCHEMA_INT, FORM_NUMBER, SCAN_FLOW_TO, 0, "slice", "slice that it ends in" },
    { "from_track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_FLOW_FROM_TRACK, 0, "",
      "title of the track that it begins on" },
    { "to_track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_FLOW_TO_TRACK, 0, "",
      "title of the track that it ends on" },
    { "from_track_id", SCHEMA_INT, FORM_NUMBER, SCAN_FLOW_FROM_TRACK, 0, "track", "track that it begins on" },
    { "to_track_id", SCHEMA_INT, FORM_NUMBER, SCAN_FLOW_TO_TRACK, 0, "track", "track that it ends on" },
    { "backwards", SCHEMA_BOOL, FORM_BIT, SCAN_FLOW_FLAGS, FLOW_BACKWARDS, "", "it ends before it begins" },
    { "from_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_FLOW_FROM_TICK, 0, "tick",
      "time of its begin, as the source wrote it" },
    { "to_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_FLOW_TO_TICK, 0, "tick",
      "time of its end, as the source wrote it" },
};

static const SchemaColumn OBJECT[] = {
    SCHEMA_TRACE_NAME,
    { "object_id", SCHEMA_INT, FORM_NUMBER, SCAN_OBJECT_OBJECT, 0, "object",
      "the object: its lives share it" },
    { "type", SCHEMA_TEXT, FORM_TEXT, SCAN_OBJECT_TYPE, 0, "", "type" },
    { "key", SCHEMA_TEXT, FORM_TEXT, SCAN_OBJECT_KEY, 0, "", "id in the source" },
    { "scope", SCHEMA_TEXT, FORM_TEXT, SCAN_OBJECT_SCOPE, 0, "", "scope of the id" },
    { "base_type", SCHEMA_TEXT, FORM_TEXT, SCAN_OBJECT_BASE_TYPE, 0, "", "base type, from its snapshots" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_OBJECT_CATEGORY, 0, "", "category" },
    { "begin_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_OBJECT_BEGIN, 0, "ns", "begin of this life" },
    { "duration_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_OBJECT_DURATION, 0, "ns", "duration of this life" },
    { "created", SCHEMA_BOOL, FORM_BIT, SCAN_OBJECT_CREATED, 1, "", "the source has its creation" },
    { "snapshots", SCHEMA_INT, FORM_NUMBER, SCAN_OBJECT_SNAPSHOTS, 0, "", "number of snapshots" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_OBJECT_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_OBJECT_PROCESS, 0, "",
      "process id of the source, where it is a number" },
    { "slice_id", SCHEMA_INT, FORM_NUMBER, SCAN_OBJECT_SLICE, 0, "slice", "slice that shows this life" },
    { "begin_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_OBJECT_BEGIN, 0, "tick",
      "begin, as the source wrote it" },
    { "duration_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_OBJECT_DURATION, 0, "tick", "duration of this life" },
};

static const SchemaColumn SNAPSHOT[] = {
    SCHEMA_TRACE_NAME,
    { "instant_id", SCHEMA_INT, FORM_NUMBER, SCAN_SNAPSHOT_INSTANT, 0, "instant",
      "instant that shows it; its content is in arg" },
    { "object_id", SCHEMA_INT, FORM_NUMBER, SCAN_SNAPSHOT_OBJECT, 0, "object", "the object" },
    { "slice_id", SCHEMA_INT, FORM_NUMBER, SCAN_SNAPSHOT_SLICE, 0, "slice",
      "slice that shows the life of the object" },
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_SNAPSHOT_TICK, 0, "ns",
      "time, from the begin of the trace" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SNAPSHOT_THREAD, 0, "",
      "title of the thread that wrote it" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_SNAPSHOT_PROCESS, 0, "", "title of the process" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_SNAPSHOT_TICK, 0, "tick",
      "time, as the source wrote it" },
};

static const SchemaColumn STACK_FRAME[] = {
    SCHEMA_TRACE_NAME,
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_STACK_ID, 0, "stack",
      "the stack whose innermost frame this is" },
    { "parent_id", SCHEMA_INT, FORM_NUMBER, SCAN_STACK_PARENT, 0, "stack",
      "the stack that called it; NULL = outermost frame" },
    { "function", SCHEMA_TEXT, FORM_TEXT, SCAN_STACK_FUNCTION, 0, "", "function" },
    { "file", SCHEMA_TEXT, FORM_TEXT, SCAN_STACK_FILE, 0, "", "path or URL of the source file" },
    { "line", SCHEMA_INT, FORM_NUMBER, SCAN_STACK_LINE, 0, "", "line, from 1" },
    { "source_column", SCHEMA_INT, FORM_NUMBER, SCAN_STACK_COLUMN, 0, "", "column of the line, from 1" },
    { "module", SCHEMA_TEXT, FORM_TEXT, SCAN_STACK_MODULE, 0, "", "library, package or category" },
    { "address", SCHEMA_INT, FORM_NUMBER, SCAN_STACK_ADDRESS, 0, "", "address of the code" },
};

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]

static const SchemaTable SLICE_TABLE = {
    .name = "slice",
    .help = "slices of threads and asynchronous slices, each once: the rows that `varve stats` counts",
    COLUMNS(SLICE),
    .scan = SCAN_SLICES,
    .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME
};
static const SchemaTable STATE_TABLE = { .name = "state",
                                         .help = "states of threads over time: running, waiting, ...",
                                         COLUMNS(SLICE),
                                         .scan = SCAN_SLICES,
                                         .kinds = BIT(TRACK_STATES),
                                         .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME };
static const SchemaTable FRAME_TABLE = { .name = "frame",
                                         .help = "frames of an apitrace capture",
                                         COLUMNS(SLICE),
                                         .scan = SCAN_SLICES,
                                         .tracks = TRACKS_FRAMES,
                                         .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME };
static const SchemaTable INSTANT_TABLE = { .name = "instant",
                                           .help = "instants: events without a duration",
                                           COLUMNS(INSTANT),
                                           .scan = SCAN_INSTANTS,
                                           .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME };
static const SchemaTable COUNTER_TABLE = {
    .name = "counter",
    .help = "values of counters; a value holds until the next one of its series",
    COLUMNS(COUNTER),
    .scan = SCAN_COUNTER_SAMPLES,
    .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME
};
static const SchemaTable TRACK_TABLE = {
    .name = "track", .help = "tracks of the timeline", COLUMNS(TRACK), .scan = SCAN_TRACKS
};
static const SchemaTable THREAD_TABLE = { .name = "thread",
                                          .help = "threads: tracks of kind thread",
                                          COLUMNS(TRACK),
                                          .scan = SCAN_TRACKS,
                                          .kinds = BIT(TRACK_THREAD) };
static const SchemaTable PROCESS_TABLE = {
    .name = "process", .help = "processes", COLUMNS(PROCESS), .scan = SCAN_PROCESSES
};

static const SchemaTable SAMPLE_TABLE = { .name = "sample",
                                          .help = "samples of where threads were, as a profiler took them",
                                          COLUMNS(SAMPLE),
                                          .scan = SCAN_STACK_SAMPLES,
                                          .parameters = SCHEMA_TAKES_RANGE };
static const SchemaTable FLOW_TABLE = { .name = "flow",
                                        .help = "arrows from one slice to another",
                                        COLUMNS(FLOW),
                                        .scan = SCAN_FLOWS,
                                        .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME };
static const SchemaTable OBJECT_TABLE = { .name = "object",
                                          .help = "lives of objects",
                                          COLUMNS(OBJECT),
                                          .scan = SCAN_OBJECTS,
                                          .parameters = SCHEMA_TAKES_RANGE };
static const SchemaTable SNAPSHOT_TABLE = { .name = "snapshot",
                                            .help = "snapshots of objects",
                                            COLUMNS(SNAPSHOT),
                                            .scan = SCAN_SNAPSHOTS,
                                            .parameters = SCHEMA_TAKES_RANGE };
static const SchemaTable STACK_FRAME_TABLE = {
    .name = "stack_frame",
    .help = "stacks, as a tree: a row is a stack with its innermost frame",
    COLUMNS(STACK_FRAME),
    .scan = SCAN_STACKS
};
static const SchemaTable CALL_TABLE = { .name = "call",
                                        .help = "calls of an apitrace capture",
                                        COLUMNS(SLICE),
                                        .scan = SCAN_SLICES,
                                        .tracks = TRACKS_CALLS,
                                        .kinds = BIT(TRACK_THREAD),
                                        .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME };

const SchemaTable *schema_table(size_t i)
{
    static const SchemaTable *const TABLES[] = {
        &SLICE_TABLE,       &INSTANT_TABLE,     &COUNTER_TABLE,      &STATE_TABLE,  &SAMPLE_TABLE,
        &STACK_FRAME_TABLE, &FLOW_TABLE,        &ARGUMENTS_TABLE,    &THREAD_TABLE, &PROCESS_TABLE,
        &TRACK_TABLE,       &OBJECT_TABLE,      &SNAPSHOT_TABLE,     &CALL_TABLE,   &FRAME_TABLE,
        &SMALL_TABLE_TRACE, &SMALL_TABLE_CLOCK, &SMALL_TABLE_WARNING
    };
    return i < sizeof TABLES / sizeof TABLES[0] ? TABLES[i] : NULL;
}

const SchemaTable *schema_find_table(const char *name)
{
    for (size_t i = 0; schema_table(i) != NULL; i++)
        if (strcmp(schema_table(i)->name, name) == 0) return schema_table(i);
    return NULL;
}

const char *schema_type_name(SchemaType type)
{
    static const char *const NAMES[] = { "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR" };
    return NAMES[type];
}

const char *schema_parameter(const SchemaTable *table, uint32_t number)
{
    static const char *const NAMES[] = { "name", "range", "begin", "end", "thread", "track" };
    const uint32_t           first = (table->parameters & SCHEMA_TAKES_NAME) != 0 ? 0 : 1;
    if ((table->parameters & SCHEMA_TAKES_RANGE) == 0 || number >= sizeof NAMES / sizeof NAMES[0] - first)
        return NULL;
    return NAMES[first + number];
}

static void write_table(JsonWriter *w, const SchemaTable *table)
{
    json_object_begin(w);
    json_put_string(w, "table", table->name);
    json_put_string(w, "help", table->help);
    json_put_array(w, "columns");
    for (uint32_t i = 0; i < table->column_count; i++) {
        const SchemaColumn *column = &table->columns[i];
        json_object_begin(w);
        json_put_string(w, "name", column->name);
        json_put_string(w, "type", schema_type_name(column->type));
        json_put_string(w, "unit", column->unit);
        json_put_string(w, "help", column->help);
        json_object_end(w);
    }
    json_array_end(w);
    json_put_array(w, "parameters");
    for (uint32_t i = 0; schema_parameter(table, i) != NULL; i++)
        json_string(w, schema_parameter(table, i));
    json_array_end(w);
    json_object_end(w);
}

void schema_write_json(JsonWriter *w)
{
    json_array_begin(w);
    for (size_t i = 0; schema_table(i) != NULL; i++)
        write_table(w, schema_table(i));
    json_array_end(w);
}
