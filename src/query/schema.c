#include "query/schema.h"

#include "query/small_tables.h"

#define TRACE_NAME { "trace", SCHEMA_TEXT, FORM_TRACE_NAME, 0, 0, "", "file that the row comes from" }
#define BIT(kind) (1U << (kind))

static const SchemaColumn SLICE[] = {
    TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_ID, 0, "slice", "id of the slice" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_SLICE_NAME, 0, "", "name" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_SLICE_CATEGORY, 0, "", "category" },
    { "begin_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_SLICE_BEGIN, 0, "ns", "begin, from the begin of the trace" },
    { "duration_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_DURATION, 0, "ns", "whole duration" },
    { "clipped_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_CLIPPED, 0, "ns", "part of the duration in the range of the query" },
    { "self_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_SLICE_SELF, 0, "ns", "clipped_ns without the direct children" },
    { "cpu_ns", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_CPU, 0, "ns", "CPU time of the thread in the whole duration" },
    { "depth", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_DEPTH, 0, "", "number of slices around it" },
    { "parent_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_PARENT, 0, "slice", "slice around it" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SLICE_THREAD, 0, "", "title of the thread that began it" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_SLICE_PROCESS, 0, "", "title of the process" },
    { "track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_SLICE_TRACK, 0, "", "title of the track" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_SLICE_PROCESS, 0, "", "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_TID, SCAN_SLICE_THREAD, 0, "", "thread id of the source, where it is a number" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_THREAD, 0, "track", "thread that began it" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_TRACK, 0, "track", "track that shows it" },
    { "lane", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_LANE, 0, "", "0; more for slices that overlap without nesting" },
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_STACK, 0, "stack", "stack at the begin" },
    { "end_stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_END_STACK, 0, "stack", "stack at the end" },
    { "unfinished", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_UNFINISHED, "", "it never ended" },
    { "no_end", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_NO_END, "", "it ended only because a slice around it did" },
    { "repaired", SCHEMA_BOOL, FORM_BIT, SCAN_SLICE_FLAGS, SLICE_REPAIRED, "", "its times were wrong in the source" },
    { "begin_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_SLICE_BEGIN, 0, "tick", "begin, as the source wrote it" },
    { "duration_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_DURATION, 0, "tick", "whole duration" },
    { "clipped_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_CLIPPED, 0, "tick", "part in the range of the query" },
    { "self_ticks", SCHEMA_INT, FORM_NUMBER, SCAN_SLICE_SELF, 0, "tick", "clipped_ticks without the direct children" },
};

static const SchemaColumn INSTANT[] = {
    TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_ID, 0, "instant", "id of the instant" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_INSTANT_NAME, 0, "", "name" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_INSTANT_CATEGORY, 0, "", "category" },
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_INSTANT_TICK, 0, "ns", "time, from the begin of the trace" },
    { "scope", SCHEMA_TEXT, FORM_SCOPE, SCAN_INSTANT_SCOPE, 0, "", "thread, process or global" },
    { "thread", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_INSTANT_THREAD, 0, "", "title of the thread that wrote it" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_INSTANT_PROCESS, 0, "", "title of the process" },
    { "track", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_INSTANT_TRACK, 0, "", "title of the track" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_INSTANT_PROCESS, 0, "", "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_TID, SCAN_INSTANT_THREAD, 0, "", "thread id of the source, where it is a number" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_THREAD, 0, "track", "thread that wrote it" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_TRACK, 0, "track", "track that shows it" },
    { "stack_id", SCHEMA_INT, FORM_NUMBER, SCAN_INSTANT_STACK, 0, "stack", "stack at its time" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_INSTANT_TICK, 0, "tick", "time, as the source wrote it" },
};

static const SchemaColumn COUNTER[] = {
    TRACE_NAME,
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_NAME, 0, "", "name of the counter" },
    { "series", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_SERIES, 0, "", "name of the series" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_VALUE_CATEGORY, 0, "", "category of the counter" },
    { "time_ns", SCHEMA_INT, FORM_MOMENT_NS, SCAN_VALUE_TICK, 0, "ns", "time from which the value holds" },
    { "value", SCHEMA_REAL, FORM_NUMBER, SCAN_VALUE_VALUE, 0, "", "the value; NULL = a gap" },
    { "duration_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_VALUE_DURATION, 0, "ns", "time to the next value of the series" },
    { "clipped_ns", SCHEMA_INT, FORM_SPAN_NS, SCAN_VALUE_CLIPPED, 0, "ns", "part of it in the range of the query" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_VALUE_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_VALUE_PROCESS, 0, "", "process id of the source, where it is a number" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_VALUE_PROCESS, 0, "process", "process" },
    { "track_id", SCHEMA_INT, FORM_NUMBER, SCAN_VALUE_TRACK, 0, "track", "track of the counter" },
    { "time_tick", SCHEMA_INT, FORM_MOMENT_TICK, SCAN_VALUE_TICK, 0, "tick", "time, as the source wrote it" },
};

static const SchemaColumn TRACK[] = {
    TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_ID, 0, "track", "id of the track" },
    { "kind", SCHEMA_TEXT, FORM_TRACK_KIND, SCAN_TRACK_ID, 0, "", "thread, async, counter, samples, states, objects, ..." },
    { "title", SCHEMA_TEXT, FORM_TRACK_TITLE, SCAN_TRACK_ID, 0, "", "title in the timeline" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_NAME, 0, "", "name in the source" },
    { "category", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_CATEGORY, 0, "", "category of asynchronous slices" },
    { "process", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_TRACK_PROCESS, 0, "", "title of the process" },
    { "pid", SCHEMA_INT, FORM_PID, SCAN_TRACK_PROCESS, 0, "", "process id of the source, where it is a number" },
    { "tid", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_TID, 0, "", "thread id of the source, where it is a number" },
    { "tid_text", SCHEMA_TEXT, FORM_TEXT, SCAN_TRACK_TID_TEXT, 0, "", "thread id of the source, where it is a text" },
    { "slices", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_SLICES, 0, "", "number of slices" },
    { "instants", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_INSTANTS, 0, "", "number of instants" },
    { "counter_values", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_VALUES, 0, "", "number of values of a counter" },
    { "process_id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_PROCESS, 0, "process", "process" },
    { "thread_id", SCHEMA_INT, FORM_NUMBER, SCAN_TRACK_THREAD, 0, "track", "thread whose states or samples it shows" },
};

static const SchemaColumn PROCESS[] = {
    TRACE_NAME,
    { "id", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_ID, 0, "process", "id of the process" },
    { "title", SCHEMA_TEXT, FORM_PROCESS_TITLE, SCAN_PROCESS_ID, 0, "", "title in the timeline" },
    { "name", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_NAME, 0, "", "name in the source" },
    { "labels", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_LABELS, 0, "", "free text beside the name" },
    { "pid", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_PID, 0, "", "process id of the source, where it is a number" },
    { "pid_text", SCHEMA_TEXT, FORM_TEXT, SCAN_PROCESS_PID_TEXT, 0, "", "process id of the source, where it is a text" },
    { "tracks", SCHEMA_INT, FORM_NUMBER, SCAN_PROCESS_TRACKS, 0, "", "number of tracks" },
};

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]

static const SchemaTable SLICE_TABLE = {
    .name = "slice", .help = "slices of threads and asynchronous slices, each once: the rows that `varve stats` counts",
    COLUMNS(SLICE), .scan = SCAN_SLICES
};
static const SchemaTable STATE_TABLE = {
    .name = "state", .help = "states of threads over time: running, waiting, ...", COLUMNS(SLICE), .scan = SCAN_SLICES,
    .kinds = BIT(TRACK_STATES)
};
static const SchemaTable FRAME_TABLE = {
    .name = "frame", .help = "frames of an apitrace capture", COLUMNS(SLICE), .scan = SCAN_SLICES, .is_of_frames = true
};
static const SchemaTable INSTANT_TABLE = {
    .name = "instant", .help = "instants: events without a duration", COLUMNS(INSTANT), .scan = SCAN_INSTANTS
};
static const SchemaTable COUNTER_TABLE = {
    .name = "counter", .help = "values of counters; a value holds until the next one of its series", COLUMNS(COUNTER),
    .scan = SCAN_COUNTER_SAMPLES
};
static const SchemaTable TRACK_TABLE = {
    .name = "track", .help = "tracks of the timeline", COLUMNS(TRACK), .scan = SCAN_TRACKS
};
static const SchemaTable THREAD_TABLE = {
    .name = "thread", .help = "threads: tracks of kind thread", COLUMNS(TRACK), .scan = SCAN_TRACKS,
    .kinds = BIT(TRACK_THREAD)
};
static const SchemaTable PROCESS_TABLE = {
    .name = "process", .help = "processes", COLUMNS(PROCESS), .scan = SCAN_PROCESSES
};

const SchemaTable *schema_table(size_t i)
{
    static const SchemaTable *const TABLES[] = {
        &SLICE_TABLE, &INSTANT_TABLE, &COUNTER_TABLE, &STATE_TABLE, &THREAD_TABLE, &PROCESS_TABLE, &TRACK_TABLE,
        &FRAME_TABLE, &SMALL_TABLE_STACK_FRAME, &SMALL_TABLE_TRACE, &SMALL_TABLE_CLOCK, &SMALL_TABLE_WARNING
    };
    return i < sizeof TABLES / sizeof TABLES[0] ? TABLES[i] : NULL;
}

const char *schema_type_name(SchemaType type)
{
    static const char *const NAMES[] = { "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR" };
    return NAMES[type];
}
