#include "schema/small_tables.h"

#include "trace/store/window.h"

#include <string.h>

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]

static void put_text(SchemaCell *cell, const char *text)
{
    cell->text = c_string_view(text);
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

static uint64_t one_row(const SchemaTrace *trace)
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
    SCHEMA_TRACE_NAME,
    [TRACE_FORMAT] = SCHEMA_CELL("format", SCHEMA_TEXT, "", "trace-event, spall, heph, apitrace or go"),
    [TRACE_VERSION] = SCHEMA_CELL("version", SCHEMA_TEXT, "", "version of the format"),
    [TRACE_BYTES] = SCHEMA_CELL("bytes", SCHEMA_INT, "bytes", "size of the file"),
    [TRACE_COMPLETE] =
        SCHEMA_CELL("complete", SCHEMA_BOOL, "", "false: the file ended early, or a part was not decoded"),
    [TRACE_DURATION] = SCHEMA_CELL("duration_ns", SCHEMA_INT, "ns", "time from the first event to the last"),
    [TRACE_UNIX] = SCHEMA_CELL("begin_unix_ns", SCHEMA_INT, "ns",
                               "wall-clock time of the begin since 1970, where the file has it"),
    [TRACE_PROCESSES] = SCHEMA_CELL("processes", SCHEMA_INT, "", "number of processes"),
    [TRACE_THREADS] = SCHEMA_CELL("threads", SCHEMA_INT, "", "number of threads with events"),
    [TRACE_TRACKS] = SCHEMA_CELL("tracks", SCHEMA_INT, "", "number of tracks"),
    [TRACE_SLICES] = SCHEMA_CELL("slices", SCHEMA_INT, "", "number of slices of all tracks"),
    [TRACE_INSTANTS] = SCHEMA_CELL("instants", SCHEMA_INT, "", "number of instants of all tracks"),
    [TRACE_BEGIN] = SCHEMA_CELL("begin_tick", SCHEMA_INT, "tick", "time of the first event"),
    [TRACE_END] = SCHEMA_CELL("end_tick", SCHEMA_INT, "tick", "time of the last event"),
};

static void trace_cell(const SchemaTrace *file, uint64_t row, uint32_t column, SchemaCell *cell)
{
    const Trace *trace = file->trace;
    (void)row;
    switch (column) {
    case TRACE_FORMAT:
        put_text(cell, trace->source.format_name);
        break;
    case TRACE_VERSION:
        put_text(cell, trace->source.format_version);
        cell->is_null = cell->text.size == 0;
        break;
    case TRACE_BYTES:
        put_count(cell, file->bytes);
        cell->is_null = file->bytes == 0;
        break;
    case TRACE_COMPLETE:
        cell->integer = trace->source.complete;
        break;
    case TRACE_DURATION:
        cell->is_null = !clock_has_time(&trace->clock);
        put_count(cell, clock_span_to_ns(&trace->clock, trace_span(trace)));
        break;
    case TRACE_UNIX:
        cell->is_null = !clock_to_unix_ns(&trace->clock, trace->begin_tick, &cell->integer);
        break;
    case TRACE_PROCESSES:
        cell->integer = trace->process_count;
        break;
    case TRACE_THREADS:
        cell->integer = trace->counts.threads;
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

const SchemaTable SMALL_TABLE_TRACE = { .name = "trace",
                                        .help = "one row for each file",
                                        COLUMNS(TRACE),
                                        .source = TABLE_SMALL,
                                        .row_count = one_row,
                                        .cell = trace_cell };

/* -- clock -- */

enum { CLOCK_KIND = 1, CLOCK_NUM, CLOCK_DEN, CLOCK_ORIGIN, CLOCK_EPOCH };

static const SchemaColumn CLOCK[] = {
    SCHEMA_TRACE_NAME,
    [CLOCK_KIND] = SCHEMA_CELL("kind", SCHEMA_TEXT, "", "ns, ticks, or calls where the file has no times"),
    [CLOCK_NUM] = SCHEMA_CELL("ns_num", SCHEMA_INT, "", "a tick is ns_num / ns_den nanoseconds"),
    [CLOCK_DEN] = SCHEMA_CELL("ns_den", SCHEMA_INT, "", "see ns_num"),
    [CLOCK_ORIGIN] = SCHEMA_CELL("origin_ns", SCHEMA_INT, "ns", "time of tick 0 on the clock of the source"),
    [CLOCK_EPOCH] = SCHEMA_CELL("epoch_unix_ns", SCHEMA_INT, "ns",
                                "wall-clock time of the source's zero since 1970, where it is known"),
};

static void clock_cell(const SchemaTrace *file, uint64_t row, uint32_t column, SchemaCell *cell)
{
    const Clock *clock = &file->trace->clock;
    const bool   has_time = clock_has_time(clock);
    (void)row;
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

const SchemaTable SMALL_TABLE_CLOCK = { .name = "clock",
                                        .help = "the clock of each file",
                                        COLUMNS(CLOCK),
                                        .source = TABLE_SMALL,
                                        .row_count = one_row,
                                        .cell = clock_cell };

/* -- warning -- */

enum { WARNING_KIND = 1, WARNING_COUNT, WARNING_OFFSET, WARNING_EVENT, WARNING_MESSAGE };

static const SchemaColumn WARNING[] = {
    SCHEMA_TRACE_NAME,
    [WARNING_KIND] = SCHEMA_CELL("kind", SCHEMA_TEXT, "", "kind of anomaly"),
    [WARNING_COUNT] = SCHEMA_CELL("count", SCHEMA_INT, "", "number of anomalies of this kind"),
    [WARNING_OFFSET] = SCHEMA_CELL("first_offset", SCHEMA_INT, "bytes", "offset of the first one"),
    [WARNING_EVENT] =
        SCHEMA_CELL("first_event", SCHEMA_INT, "", "number of the event of the first one, from 0"),
    [WARNING_MESSAGE] = SCHEMA_CELL("message", SCHEMA_TEXT, "", "description of the first one"),
};

static uint64_t warning_rows(const SchemaTrace *file)
{
    return file->trace->records.warning_count;
}

static void warning_cell(const SchemaTrace *file, uint64_t row, uint32_t column, SchemaCell *cell)
{
    const Warning *warning = &file->trace->records.warnings[row];
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

const SchemaTable SMALL_TABLE_WARNING = { .name = "warning",
                                          .help = "anomalies of each file, by kind",
                                          COLUMNS(WARNING),
                                          .source = TABLE_SMALL,
                                          .row_count = warning_rows,
                                          .cell = warning_cell };
