/* The tables of a scan, column by column: names, types, units and documentation. */
#include "trace/scan/scan.h"

#include <assert.h>

/* clang-format off */
static const ScanColumn SLICE_COLUMNS[] = {
    [SCAN_SLICE_ID] = { "id", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NOT_NULL, "the slice" },
    [SCAN_SLICE_BEGIN] = { "begin", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "its begin" },
    [SCAN_SLICE_DURATION] = { "duration", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL, "its whole duration" },
    [SCAN_SLICE_CLIPPED] = { "clipped", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL,
                             "the part of its duration that lies in the range of the query" },
    [SCAN_SLICE_SELF] = { "self", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL,
                          "clipped without the direct children, hidden children included" },
    [SCAN_SLICE_LABEL] = { "label", SCAN_U32, SCAN_UNIT_LABEL, SCAN_NULL_ZERO, "its name, category and colour" },
    [SCAN_SLICE_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its name" },
    [SCAN_SLICE_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its category" },
    [SCAN_SLICE_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track that shows it" },
    [SCAN_SLICE_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "the process of the track" },
    [SCAN_SLICE_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO,
                            "the track of the thread that began it" },
    [SCAN_SLICE_LANE] = { "lane", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL,
                          "0, or more for slices that overlap others of the track without nesting" },
    [SCAN_SLICE_DEPTH] = { "depth", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of slices around it" },
    [SCAN_SLICE_PARENT] = { "parent", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NULL_MAX, "the slice around it" },
    [SCAN_SLICE_FLAGS] = { "flags", SCAN_U8, SCAN_UNIT_ENUM, SCAN_NOT_NULL, "SLICE_UNFINISHED, SLICE_NO_END, ..." },
    [SCAN_SLICE_CPU] = { "cpu", SCAN_U64, SCAN_UNIT_NS, SCAN_NULL_MAX, "CPU time of its thread in its whole duration" },
    [SCAN_SLICE_SOURCE] = { "source", SCAN_U64, SCAN_UNIT_OFFSET, SCAN_NULL_MAX,
                            "offset of the event that begins it, where that event has arguments or more" },
    [SCAN_SLICE_END_SOURCE] = { "end_source", SCAN_U64, SCAN_UNIT_OFFSET, SCAN_NULL_MAX,
                                "the same of an end event of its own" },
    [SCAN_SLICE_STACK] = { "stack", SCAN_U32, SCAN_UNIT_STACK, SCAN_NULL_ZERO, "stack at its begin" },
    [SCAN_SLICE_END_STACK] = { "end_stack", SCAN_U32, SCAN_UNIT_STACK, SCAN_NULL_ZERO, "stack at its end" },
    [SCAN_SLICE_HIDDEN] = { "hidden", SCAN_U8, SCAN_UNIT_NONE, SCAN_NOT_NULL,
                            "1 where labels, filter or repetition leave it out (SCAN_MARK_HIDDEN)" },
};

static const ScanColumn INSTANT_COLUMNS[] = {
    [SCAN_INSTANT_ID] = { "id", SCAN_U64, SCAN_UNIT_INSTANT, SCAN_NOT_NULL, "the instant" },
    [SCAN_INSTANT_TICK] = { "tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "its time" },
    [SCAN_INSTANT_LABEL] = { "label", SCAN_U32, SCAN_UNIT_LABEL, SCAN_NULL_ZERO, "its name, category and colour" },
    [SCAN_INSTANT_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its name" },
    [SCAN_INSTANT_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its category" },
    [SCAN_INSTANT_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track that shows it" },
    [SCAN_INSTANT_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "the process of the track" },
    [SCAN_INSTANT_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO,
                              "the track of the thread that wrote it" },
    [SCAN_INSTANT_LANE] = { "lane", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL, "as of a slice" },
    [SCAN_INSTANT_DEPTH] = { "depth", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL, "as of a slice" },
    [SCAN_INSTANT_SCOPE] = { "scope", SCAN_U8, SCAN_UNIT_ENUM, SCAN_NOT_NULL, "InstantScope" },
    [SCAN_INSTANT_SOURCE] = { "source", SCAN_U64, SCAN_UNIT_OFFSET, SCAN_NULL_MAX,
                              "offset of its event, where that has arguments or more" },
    [SCAN_INSTANT_STACK] = { "stack", SCAN_U32, SCAN_UNIT_STACK, SCAN_NULL_ZERO, "stack at its time" },
    [SCAN_INSTANT_HIDDEN] = { "hidden", SCAN_U8, SCAN_UNIT_NONE, SCAN_NOT_NULL, "as of a slice" },
};

static const ScanColumn VALUE_COLUMNS[] = {
    [SCAN_VALUE_TICK] = { "tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "time from which the value holds" },
    [SCAN_VALUE_DURATION] = { "duration", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL,
                              "time to the next value of the series, or to the end of its process or the trace" },
    [SCAN_VALUE_CLIPPED] = { "clipped", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL,
                             "the part of its duration that lies in the range of the query" },
    [SCAN_VALUE_VALUE] = { "value", SCAN_F64, SCAN_UNIT_NONE, SCAN_NULL_NAN, "the value; null = a gap" },
    [SCAN_VALUE_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "name of the counter" },
    [SCAN_VALUE_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "category of the counter" },
    [SCAN_VALUE_SERIES] = { "series", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "name of the series" },
    [SCAN_VALUE_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "track of the counter" },
    [SCAN_VALUE_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "process of the counter" },
};

static const ScanColumn SAMPLE_COLUMNS[] = {
    [SCAN_SAMPLE_TICK] = { "tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "time of the sample" },
    [SCAN_SAMPLE_STACK] = { "stack", SCAN_U32, SCAN_UNIT_STACK, SCAN_NULL_ZERO, "stack of the thread" },
    [SCAN_SAMPLE_WEIGHT] = { "weight", SCAN_F64, SCAN_UNIT_NONE, SCAN_NOT_NULL, "weight of the sample; 1 where the source has none" },
    [SCAN_SAMPLE_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track that shows it" },
    [SCAN_SAMPLE_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "the process of the track" },
    [SCAN_SAMPLE_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO, "the track of the thread" },
};

static const ScanColumn FLOW_COLUMNS[] = {
    [SCAN_FLOW_ID] = { "id", SCAN_U64, SCAN_UNIT_FLOW, SCAN_NOT_NULL, "the arrow" },
    [SCAN_FLOW_FROM_TICK] = { "from_tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "time of its begin" },
    [SCAN_FLOW_TO_TICK] = { "to_tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "time of its end" },
    [SCAN_FLOW_FROM] = { "from_slice", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NULL_MAX, "slice that it begins in" },
    [SCAN_FLOW_TO] = { "to_slice", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NULL_MAX, "slice that it ends in" },
    [SCAN_FLOW_FROM_TRACK] = { "from_track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "track that it begins on" },
    [SCAN_FLOW_TO_TRACK] = { "to_track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "track that it ends on" },
    [SCAN_FLOW_LABEL] = { "label", SCAN_U32, SCAN_UNIT_LABEL, SCAN_NULL_ZERO, "its name, category and colour" },
    [SCAN_FLOW_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its name" },
    [SCAN_FLOW_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its category" },
    [SCAN_FLOW_FLAGS] = { "flags", SCAN_U8, SCAN_UNIT_ENUM, SCAN_NOT_NULL, "FLOW_BACKWARDS, FLOW_FROM_UNBOUND, FLOW_TO_UNBOUND" },
};

static const ScanColumn OBJECT_COLUMNS[] = {
    [SCAN_OBJECT_SLICE] = { "slice", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NOT_NULL, "the slice that shows this life" },
    [SCAN_OBJECT_BEGIN] = { "begin", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "begin of this life" },
    [SCAN_OBJECT_DURATION] = { "duration", SCAN_U64, SCAN_UNIT_SPAN, SCAN_NOT_NULL, "duration of this life" },
    [SCAN_OBJECT_OBJECT] = { "object", SCAN_U32, SCAN_UNIT_OBJECT, SCAN_NOT_NULL, "the object: an id may live again" },
    [SCAN_OBJECT_SCOPE] = { "scope", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "scope of its id" },
    [SCAN_OBJECT_KEY] = { "key", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its id in the source" },
    [SCAN_OBJECT_TYPE] = { "type", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its type" },
    [SCAN_OBJECT_BASE_TYPE] = { "base_type", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "base type, from its snapshots" },
    [SCAN_OBJECT_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "category of its first event" },
    [SCAN_OBJECT_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track that shows it" },
    [SCAN_OBJECT_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "the process of the track" },
    [SCAN_OBJECT_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO, "track of the thread of its first event" },
    [SCAN_OBJECT_CREATED] = { "created", SCAN_U8, SCAN_UNIT_NONE, SCAN_NOT_NULL, "1 where the source has its creation" },
    [SCAN_OBJECT_SNAPSHOTS] = { "snapshots", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of its snapshots" },
    [SCAN_OBJECT_SOURCE] = { "source", SCAN_U64, SCAN_UNIT_OFFSET, SCAN_NULL_MAX, "offset of its first event" },
};

static const ScanColumn SNAPSHOT_COLUMNS[] = {
    [SCAN_SNAPSHOT_INSTANT] = { "instant", SCAN_U64, SCAN_UNIT_INSTANT, SCAN_NOT_NULL, "the instant that shows it" },
    [SCAN_SNAPSHOT_TICK] = { "tick", SCAN_I64, SCAN_UNIT_MOMENT, SCAN_NOT_NULL, "its time" },
    [SCAN_SNAPSHOT_SLICE] = { "slice", SCAN_U64, SCAN_UNIT_SLICE, SCAN_NOT_NULL, "the life of the object" },
    [SCAN_SNAPSHOT_OBJECT] = { "object", SCAN_U32, SCAN_UNIT_OBJECT, SCAN_NOT_NULL, "the object" },
    [SCAN_SNAPSHOT_TRACK] = { "track", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track that shows it" },
    [SCAN_SNAPSHOT_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "the process of the track" },
    [SCAN_SNAPSHOT_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO, "track of the thread that wrote it" },
    [SCAN_SNAPSHOT_SOURCE] = { "source", SCAN_U64, SCAN_UNIT_OFFSET, SCAN_NULL_MAX, "offset of its event, which holds its content" },
};

static const ScanColumn TRACK_COLUMNS[] = {
    [SCAN_TRACK_ID] = { "id", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NOT_NULL, "the track" },
    [SCAN_TRACK_KIND] = { "kind", SCAN_U8, SCAN_UNIT_ENUM, SCAN_NOT_NULL, "TrackKind" },
    [SCAN_TRACK_PROCESS] = { "process", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NULL_ZERO, "its process" },
    [SCAN_TRACK_TID] = { "tid", SCAN_I64, SCAN_UNIT_NONE, SCAN_NULL_MIN, "thread id of the source, where it is a number" },
    [SCAN_TRACK_TID_TEXT] = { "tid_text", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO,
                              "thread id of the source, where it is a text" },
    [SCAN_TRACK_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its name" },
    [SCAN_TRACK_CATEGORY] = { "category", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO,
                              "category of asynchronous slices and counters" },
    [SCAN_TRACK_THREAD] = { "thread", SCAN_U32, SCAN_UNIT_TRACK, SCAN_NULL_ZERO,
                            "the thread whose states or samples it shows; of a thread itself" },
    [SCAN_TRACK_SLICES] = { "slices", SCAN_U64, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of its slices" },
    [SCAN_TRACK_INSTANTS] = { "instants", SCAN_U64, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of its instants" },
    [SCAN_TRACK_VALUES] = { "values", SCAN_U64, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of values of a counter" },
};

static const ScanColumn PROCESS_COLUMNS[] = {
    [SCAN_PROCESS_ID] = { "id", SCAN_U32, SCAN_UNIT_PROCESS, SCAN_NOT_NULL, "the process" },
    [SCAN_PROCESS_PID] = { "pid", SCAN_I64, SCAN_UNIT_NONE, SCAN_NULL_MIN, "id of the source, where it is a number" },
    [SCAN_PROCESS_PID_TEXT] = { "pid_text", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO,
                                "id of the source, where it is a text" },
    [SCAN_PROCESS_NAME] = { "name", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its name" },
    [SCAN_PROCESS_LABELS] = { "labels", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "free text beside the name" },
    [SCAN_PROCESS_TRACKS] = { "tracks", SCAN_U32, SCAN_UNIT_NONE, SCAN_NOT_NULL, "number of its tracks" },
};

static const ScanColumn STACK_COLUMNS[] = {
    [SCAN_STACK_ID] = { "id", SCAN_U32, SCAN_UNIT_STACK, SCAN_NOT_NULL, "the stack" },
    [SCAN_STACK_PARENT] = { "parent", SCAN_U32, SCAN_UNIT_STACK, SCAN_NULL_ZERO, "the stack without its innermost frame; its id is lower" },
    [SCAN_STACK_FUNCTION] = { "function", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "function of the innermost frame" },
    [SCAN_STACK_FILE] = { "file", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its path or URL" },
    [SCAN_STACK_MODULE] = { "module", SCAN_TEXT, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "its library, package or category" },
    [SCAN_STACK_LINE] = { "line", SCAN_U32, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "line, from 1" },
    [SCAN_STACK_COLUMN] = { "column", SCAN_U32, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "column, from 1" },
    [SCAN_STACK_ADDRESS] = { "address", SCAN_U64, SCAN_UNIT_NONE, SCAN_NULL_ZERO, "address" },
};
/* clang-format on */

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]
static const struct {
    const ScanColumn *columns;
    uint32_t          count;
} TABLES[SCAN_TABLE_COUNT] = {
    [SCAN_SLICES] = { COLUMNS(SLICE_COLUMNS) },
    [SCAN_INSTANTS] = { COLUMNS(INSTANT_COLUMNS) },
    [SCAN_COUNTER_SAMPLES] = { COLUMNS(VALUE_COLUMNS) },
    [SCAN_STACK_SAMPLES] = { COLUMNS(SAMPLE_COLUMNS) },
    [SCAN_FLOWS] = { COLUMNS(FLOW_COLUMNS) },
    [SCAN_OBJECTS] = { COLUMNS(OBJECT_COLUMNS) },
    [SCAN_SNAPSHOTS] = { COLUMNS(SNAPSHOT_COLUMNS) },
    [SCAN_TRACKS] = { COLUMNS(TRACK_COLUMNS) },
    [SCAN_PROCESSES] = { COLUMNS(PROCESS_COLUMNS) },
    [SCAN_STACKS] = { COLUMNS(STACK_COLUMNS) },
};
#undef COLUMNS

const ScanColumn *scan_columns(ScanTable table, uint32_t *count)
{
    assert(table < SCAN_TABLE_COUNT && TABLES[table].count <= SCAN_COLUMNS_MAX);
    *count = TABLES[table].count;
    return TABLES[table].columns;
}
