#include "query/small_tables.h"

#include "trace/window.h"

#include <string.h>

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]
#define TRACE_NAME { "trace", SCHEMA_TEXT, FORM_TRACE_NAME, 0, 0, "", "file that the row comes from" }
#define CELL(name, type, unit, help) { name, type, FORM_CELL, 0, 0, unit, help }

static void put_text(SchemaCell *cell, const char *text)
{
    cell->text = (StringView){ text, strlen(text) };
}

static void put_string(const Trace *trace, SchemaCell *cell, StringId id)
{
    cell->is_null = id.index == 0;
    cell->text = trace_string(trace, id);
}

/* Integers above INT64_MAX become INT64_MAX. */
static void put_count(SchemaCell *cell, uint64_t count)
{
    cell->integer = count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static void put_offset(SchemaCell *cell, uint64_t offset)
{
    cell->is_null = offset == ERR_NOWHERE;
    put_count(cell, offset);
}

static uint64_t one_row(const SqlTrace *trace)
{
    (void)trace;
    return 1;
}

/* -- trace -- */

enum {
    TRACE_FORMAT = 1,
    TRACE_VERSION,
    TRACE_BYTES,
    TRACE_COMPLETE,
    TRACE_DURATION,
    TRACE_UNIX,
    TRACE_PROCESSES,
    TRACE_THREADS,
    TRACE_TRACKS,
    TRACE_SLICES,
    TRACE_INSTANTS,
    TRACE_BEGIN,
    TRACE_END
};

static const SchemaColumn TRACE[] = {
    TRACE_NAME,
    [TRACE_FORMAT] = CELL("format", SCHEMA_TEXT, "", "trace-event, spall, heph, apitrace or go"),
    [TRACE_VERSION] = CELL("version", SCHEMA_TEXT, "", "version of the format"),
    [TRACE_BYTES] = CELL("bytes", SCHEMA_INT, "bytes", "size of the file"),
    [TRACE_COMPLETE] = CELL("complete", SCHEMA_BOOL, "", "false: the file ended early, or a part was not decoded"),
    [TRACE_DURATION] = CELL("duration_ns", SCHEMA_INT, "ns", "time from the first event to the last"),
    [TRACE_UNIX] = CELL("begin_unix_ns", SCHEMA_INT, "ns", "wall-clock time of the begin since 1970, where the file has it"),
    [TRACE_PROCESSES] = CELL("processes", SCHEMA_INT, "", "number of processes"),
    [TRACE_THREADS] = CELL("threads", SCHEMA_INT, "", "number of threads with events"),
    [TRACE_TRACKS] = CELL("tracks", SCHEMA_INT, "", "number of tracks"),
    [TRACE_SLICES] = CELL("slices", SCHEMA_INT, "", "number of slices of all tracks"),
    [TRACE_INSTANTS] = CELL("instants", SCHEMA_INT, "", "number of instants of all tracks"),
    [TRACE_BEGIN] = CELL("begin_tick", SCHEMA_INT, "tick", "time of the first event"),
    [TRACE_END] = CELL("end_tick", SCHEMA_INT, "tick", "time of the last event"),
};

static void trace_cell(const SqlTrace *file, uint64_t row, uint32_t column, Bytes *text, SchemaCell *cell)
{
    const Trace *trace = file->trace;
    (void)row;
    (void)text;
    switch (column) {
    case TRACE_FORMAT:
        put_text(cell, trace->format_name);
        break;
    case TRACE_VERSION:
        put_text(cell, trace->format_version);
        cell->is_null = cell->text.size == 0;
        break;
    case TRACE_BYTES:
        put_count(cell, file->bytes);
        cell->is_null = file->bytes == 0;
        break;
    case TRACE_COMPLETE:
        cell->integer = trace->complete;
        break;
    case TRACE_DURATION:
        cell->is_null = !clock_has_time(&trace->clock);
        put_count(cell, clock_span_to_ns(&trace->clock, (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick));
        break;
    case TRACE_UNIX:
        cell->is_null = !clock_to_unix_ns(&trace->clock, trace->begin_tick, &cell->integer);
        break;
    case TRACE_PROCESSES:
        cell->integer = trace->process_count;
        break;
    case TRACE_THREADS:
        cell->integer = trace->thread_count;
        break;
    case TRACE_TRACKS:
        cell->integer = trace->track_count;
        break;
    case TRACE_SLICES:
        put_count(cell, trace_slice_count(trace));
        break;
    case TRACE_INSTANTS:
        put_count(cell, trace_instant_count(trace));
        break;
    case TRACE_BEGIN:
    case TRACE_END:
        cell->integer = column == TRACE_BEGIN ? trace->begin_tick : trace->end_tick;
        cell->is_null = !trace->has_time;
        break;
    default:
        break;
    }
}

const SchemaTable SMALL_TABLE_TRACE = { .name = "trace", .help = "one row for each file", COLUMNS(TRACE),
                                        .source = TABLE_SMALL, .row_count = one_row, .cell = trace_cell };

/* -- clock -- */

enum { CLOCK_KIND = 1, CLOCK_NUM, CLOCK_DEN, CLOCK_ORIGIN, CLOCK_EPOCH };

static const SchemaColumn CLOCK[] = {
    TRACE_NAME,
    [CLOCK_KIND] = CELL("kind", SCHEMA_TEXT, "", "ns, ticks, or calls where the file has no times"),
    [CLOCK_NUM] = CELL("ns_num", SCHEMA_INT, "", "a tick is ns_num / ns_den nanoseconds"),
    [CLOCK_DEN] = CELL("ns_den", SCHEMA_INT, "", "see ns_num"),
    [CLOCK_ORIGIN] = CELL("origin_ns", SCHEMA_INT, "ns", "time of tick 0 on the clock of the source"),
    [CLOCK_EPOCH] = CELL("epoch_unix_ns", SCHEMA_INT, "ns", "wall-clock time of the source's zero since 1970, where it is known"),
};

static void clock_cell(const SqlTrace *file, uint64_t row, uint32_t column, Bytes *text, SchemaCell *cell)
{
    const Clock *clock = &file->trace->clock;
    const bool   has_time = clock_has_time(clock);
    (void)row;
    (void)text;
    switch (column) {
    case CLOCK_KIND:
        put_text(cell, clock_kind_name(clock->kind));
        break;
    case CLOCK_NUM:
    case CLOCK_DEN:
        put_count(cell, column == CLOCK_NUM ? clock->ns_num : clock->ns_den);
        cell->is_null = !has_time;
        break;
    case CLOCK_ORIGIN:
        cell->integer = clock->origin_ns;
        cell->is_null = !has_time;
        break;
    case CLOCK_EPOCH:
        cell->integer = clock->epoch_unix_ns;
        cell->is_null = !clock->has_epoch;
        break;
    default:
        break;
    }
}

const SchemaTable SMALL_TABLE_CLOCK = { .name = "clock", .help = "the clock of each file", COLUMNS(CLOCK),
                                        .source = TABLE_SMALL, .row_count = one_row, .cell = clock_cell };

/* -- warning -- */

enum { WARNING_KIND = 1, WARNING_COUNT, WARNING_OFFSET, WARNING_EVENT, WARNING_MESSAGE };

static const SchemaColumn WARNING[] = {
    TRACE_NAME,
    [WARNING_KIND] = CELL("kind", SCHEMA_TEXT, "", "kind of anomaly"),
    [WARNING_COUNT] = CELL("count", SCHEMA_INT, "", "number of anomalies of this kind"),
    [WARNING_OFFSET] = CELL("first_offset", SCHEMA_INT, "bytes", "offset of the first one"),
    [WARNING_EVENT] = CELL("first_event", SCHEMA_INT, "", "number of the event of the first one, from 0"),
    [WARNING_MESSAGE] = CELL("message", SCHEMA_TEXT, "", "description of the first one"),
};

static uint64_t warning_rows(const SqlTrace *file)
{
    return file->trace->warning_count;
}

static void warning_cell(const SqlTrace *file, uint64_t row, uint32_t column, Bytes *text, SchemaCell *cell)
{
    const Warning *warning = &file->trace->warnings[row];
    (void)text;
    switch (column) {
    case WARNING_KIND:
        put_text(cell, warning->kind);
        break;
    case WARNING_COUNT:
        put_count(cell, warning->count);
        break;
    case WARNING_OFFSET:
        put_offset(cell, warning->first.offset);
        break;
    case WARNING_EVENT:
        put_offset(cell, warning->first.event);
        break;
    case WARNING_MESSAGE:
        put_text(cell, warning->first.message);
        break;
    default:
        break;
    }
}

const SchemaTable SMALL_TABLE_WARNING = { .name = "warning", .help = "anomalies of each file, by kind", COLUMNS(WARNING),
                                          .source = TABLE_SMALL, .row_count = warning_rows, .cell = warning_cell };

/* -- stack_frame -- */

enum { FRAME_ID = 1, FRAME_PARENT, FRAME_FUNCTION, FRAME_FILE, FRAME_LINE, FRAME_COLUMN, FRAME_MODULE, FRAME_ADDRESS };

static const SchemaColumn FRAME[] = {
    TRACE_NAME,
    [FRAME_ID] = CELL("stack_id", SCHEMA_INT, "stack", "the stack whose innermost frame this is"),
    [FRAME_PARENT] = CELL("parent_id", SCHEMA_INT, "stack", "the stack that called it; NULL = outermost frame"),
    [FRAME_FUNCTION] = CELL("function", SCHEMA_TEXT, "", "function"),
    [FRAME_FILE] = CELL("file", SCHEMA_TEXT, "", "source file"),
    [FRAME_LINE] = CELL("line", SCHEMA_INT, "", "line, from 1"),
    [FRAME_COLUMN] = CELL("source_column", SCHEMA_INT, "", "column of the line, from 1"),
    [FRAME_MODULE] = CELL("module", SCHEMA_TEXT, "", "library or package"),
    [FRAME_ADDRESS] = CELL("address", SCHEMA_INT, "", "address of the code"),
};

static uint64_t frame_rows(const SqlTrace *file)
{
    return file->trace->stacks.stack_count;
}

static void frame_cell(const SqlTrace *file, uint64_t row, uint32_t column, Bytes *text, SchemaCell *cell)
{
    const Trace      *trace = file->trace;
    const uint32_t    id = (uint32_t)row + 1;
    const Stack      *stack = &trace->stacks.stacks[id];
    const StackFrame *frame = trace_stack_frame(trace, (StackId){ id });
    (void)text;
    switch (column) {
    case FRAME_ID:
        cell->integer = id;
        break;
    case FRAME_PARENT:
        cell->integer = stack->parent;
        cell->is_null = stack->parent == 0;
        break;
    case FRAME_FUNCTION:
        put_string(trace, cell, frame->function);
        break;
    case FRAME_FILE:
        put_string(trace, cell, frame->file);
        break;
    case FRAME_LINE:
        cell->integer = frame->line;
        cell->is_null = frame->line == 0;
        break;
    case FRAME_COLUMN:
        cell->integer = frame->column;
        cell->is_null = frame->column == 0;
        break;
    case FRAME_MODULE:
        put_string(trace, cell, frame->module);
        break;
    case FRAME_ADDRESS:
        put_count(cell, frame->address);
        cell->is_null = frame->address == 0;
        break;
    default:
        break;
    }
}

const SchemaTable SMALL_TABLE_STACK_FRAME = { .name = "stack_frame",
                                              .help = "stacks, as a tree: a row is a stack with its innermost frame",
                                              COLUMNS(FRAME), .source = TABLE_SMALL, .row_count = frame_rows,
                                              .cell = frame_cell };
