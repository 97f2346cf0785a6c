/* schema/schema.h - the tables and columns of SQL, `varve query --schema` and the exports.
 *
 * The schema is data: a row for each table, a row for each column with its name, type, unit and one line of
 * documentation. The names are stable: queries in scripts, and datasets of thousands of traces, rely on them.
 *
 * Rules. The first column of each table is `trace`, the name of the file: a query may read several files. A time has two
 * columns: *_ns counts nanoseconds from the begin of the trace, as the timeline and --range do, and is NULL where the
 * trace has no time; *_tick is the time as the source wrote it. A length of time likewise (*_ns, *_ticks). *_id columns
 * are ids for joins, unique within one trace. */
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H
#include "analysis/find_values.h"
#include "base/json_writer.h"
#include "trace/scan/scan.h"

typedef enum { SCHEMA_BOOL, SCHEMA_INT, SCHEMA_REAL, SCHEMA_TEXT } SchemaType;

/* How a column's values are made from a column of the scan. */
typedef enum {
    FORM_TRACE_NAME, /* of the trace; needs no column of the scan */
    FORM_NUMBER,     /* the number itself */
    FORM_BIT,        /* true if SchemaColumn.mask is set */
    FORM_TEXT,       /* a StringId */
    FORM_MOMENT_NS,
    FORM_MOMENT_TICK,
    FORM_SPAN_NS,
    FORM_TRACK_TITLE,   /* of a track id */
    FORM_TRACK_KIND,    /* of a track id */
    FORM_PROCESS_TITLE, /* of a process id */
    FORM_TID,           /* of a track id */
    FORM_PID,           /* of a process id */
    FORM_SCOPE,         /* of an InstantScope */
    FORM_CELL           /* by SchemaTable.cell */
} SchemaForm;

typedef struct SchemaColumn {
    const char *name;
    SchemaType  type;
    SchemaForm  form;
    uint8_t     scan_column; /* of the table's scan, as trace/scan/scan.h numbers them; not of FORM_CELL */
    uint8_t     mask;
    const char *unit; /* "ns", "tick", "bytes", "slice" (an id of that table), ...; "" = none */
    const char *help;
} SchemaColumn;

/* The first column of every table, and a column of FORM_CELL. */
#define SCHEMA_TRACE_NAME { "trace", SCHEMA_TEXT, FORM_TRACE_NAME, 0, 0, "", "file that the row comes from" }
#define SCHEMA_CELL(name, type, unit, help) { name, type, FORM_CELL, 0, 0, unit, help }

/* A value of a row that is read cell by cell. Text is borrowed. */
typedef struct SchemaCell {
    bool       is_null;
    int64_t    integer; /* SCHEMA_BOOL and SCHEMA_INT */
    double     real;
    StringView text;
} SchemaCell;

/* A trace of a database. All borrowed. */
typedef struct SchemaTrace {
    const Trace *trace;
    const char  *name;  /* value of the column `trace`; different for each trace of a database */
    uint64_t     bytes; /* size of the input; 0 = not known */
    /* reads arguments; any thread, one at a time; NULL = the table `arg` is empty */
    const EventSource *arguments;
} SchemaTrace;

typedef enum {
    TABLE_SCAN,     /* rows of trace/scan/scan.h */
    TABLE_SMALL,    /* rows 0 .. row_count - 1, cell by cell */
    TABLE_ARGUMENTS /* of schema/arguments.h */
} SchemaSource;

/* The tracks of a table, unless a parameter names tracks. */
typedef enum {
    TRACKS_USUAL,  /* all tracks without Track.divides */
    TRACKS_FRAMES, /* tracks with Track.divides: the frames of a capture */
    TRACKS_CALLS   /* TRACKS_USUAL of a trace without time (a capture); no tracks of other traces */
} SchemaTracks;

/* Named parameters of a table function, besides range, begin, end, thread and track, which SCHEMA_TAKES_RANGE has. */
enum { SCHEMA_TAKES_RANGE = 1 << 0, SCHEMA_TAKES_NAME = 1 << 1 };

typedef struct SchemaTable {
    const char         *name, *help;
    const SchemaColumn *columns;
    uint32_t            column_count;
    SchemaSource        source;
    ScanTable           scan;       /* TABLE_SCAN */
    uint32_t            parameters; /* SCHEMA_TAKES_ */
    uint32_t            kinds;      /* TABLE_SCAN: bit i: tracks of TrackKind i; 0 = all */
    SchemaTracks        tracks;     /* TABLE_SCAN */
    /* TABLE_SMALL */
    uint64_t (*row_count)(const SchemaTrace *trace);
    void (*cell)(const SchemaTrace *trace, uint64_t row, uint32_t column, SchemaCell *cell); /* TABLE_SMALL */
} SchemaTable;

/* Table `i` in the order of the documentation, static; NULL behind the last one. */
const SchemaTable *schema_table(size_t i);
/* Returns the table of that name, or NULL. */
const SchemaTable *schema_find_table(const char *name);
/* "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR": DuckDB's names. */
const char *schema_type_name(SchemaType type);
/* Writes the schema as a value: an array of {"table", "help", "columns": [{"name", "type", "unit", "help"}, ...],
 * "parameters": [name, ...]}. */
void schema_write_json(JsonWriter *w);

/* Name of a named parameter that a table takes, by its number from 0; NULL behind the last one. */
const char *schema_parameter(const SchemaTable *table, uint32_t number);

#endif
