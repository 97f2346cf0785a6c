/* format/trace_event/profile/firefox_tables.h - the tables of a Firefox profile. For the reader of these profiles only.
 *
 * Every cell has 64 bits. Columns that the reader does not use are not stored. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_FIREFOX_TABLES_H
#define FORMAT_TRACE_EVENT_PROFILE_FIREFOX_TABLES_H
#include "base/json_scan.h"
#include "format/trace_event/common/number.h"
#include "trace/log/builder.h"

typedef enum {
    TABLE_NONE,
    TABLE_SAMPLES, /* of a thread or a counter */
    TABLE_MARKERS,
    TABLE_STACKS,
    TABLE_FRAMES,
    TABLE_FUNCTIONS,
    TABLE_RESOURCES,
    TABLE_SOURCES,
    TABLE_LISTS, /* STRINGS and LIBS: lists without a table around them */
    TABLE_COUNT
} FirefoxTable;

typedef enum {
    COLUMN_NONE,
    SAMPLE_STACK,
    SAMPLE_OFFSET, /* of the item of SAMPLE_STACK, or of the row */
    SAMPLE_TIME,
    SAMPLE_WEIGHT,
    SAMPLE_CPU,
    SAMPLE_COUNT, /* of a counter */
    MARKER_NAME,
    MARKER_OFFSET, /* of the item of MARKER_NAME */
    MARKER_BEGIN,
    MARKER_END,
    MARKER_PHASE,
    MARKER_CATEGORY,
    MARKER_DATA, /* offset of the data; -1 = none */
    STACK_FRAME,
    STACK_PREFIX,
    STACK_PREFIX_OFFSET,
    FRAME_FUNCTION,
    FRAME_LOCATION,
    FRAME_LIB,
    FUNCTION_NAME,
    FUNCTION_RESOURCE,
    FUNCTION_FILE,
    FUNCTION_SOURCE,
    FUNCTION_LINE,
    RESOURCE_LIB,
    SOURCE_FILE,
    STRINGS, /* StringId.index */
    LIBS,    /* StringId.index of the name */
    COLUMN_COUNT
} FirefoxColumn;

typedef enum {
    CELL_NUMBER, /* without a fraction */
    CELL_TIME,
    CELL_DELTA, /* the difference to the time before; stored as a time */
    CELL_REAL,
    CELL_DATA, /* an object: its offset is stored */
    CELL_STRING,
    CELL_LIB /* an object: its name is stored */
} FirefoxCellKind;

/* The place of a list's items. */
typedef struct FirefoxUse {
    FirefoxColumn   column; /* COLUMN_NONE: they are not stored */
    FirefoxCellKind kind;
} FirefoxUse;

/* A number without a fraction, -1 for null; a time in ns, FIREFOX_NO_TIME for null; or a real number, NaN for null. */
typedef union FirefoxCell {
    int64_t number;
    double  real;
} FirefoxCell;
#define FIREFOX_NO_TIME INT64_MIN

typedef ARENA_LIST(FirefoxCell) FirefoxCells;

typedef struct FirefoxStack {
    StackId stack;
    LabelId label; /* of its innermost frame */
} FirefoxStack;

/* The tables of a thread, of a counter, or those of all threads. A zeroed one is empty. */
typedef struct FirefoxTables {
    FirefoxCells columns[COLUMN_COUNT];
    FineTime     time; /* the sum of timeDeltas so far */
    /* made of TABLE_STACKS when they are complete; NULL before */
    FirefoxStack *stacks;
    uint64_t      libs_offset; /* of the list of libs; 0 = none */
} FirefoxTables;

/* The parts of a reader that cells depend on. */
typedef struct FirefoxCellRules {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    unsigned      exponent; /* a unit of time is 10^exponent ns */
    bool          failed;   /* out of memory */
} FirefoxCellRules;

/* Returns the table of a key ("samples"); TABLE_NONE for any other key. */
FirefoxTable firefox_table_of(const JsonValue *key);
/* Returns the use of a key in a table, or of a list (TABLE_LISTS). */
FirefoxUse firefox_use_of(FirefoxTable table, const JsonValue *key);
/* Appends a cell. `offset`: of the value in the input. JSON_NOTHING counts as null. */
void firefox_push(FirefoxCellRules *rules, FirefoxTables *tables, FirefoxUse use, const JsonValue *value,
                  uint64_t offset);
void firefox_push_number(FirefoxCellRules *rules, FirefoxTables *tables, FirefoxColumn column,
                         int64_t number);
/* Empties the tables for a next owner. */
void firefox_tables_clear(FirefoxTables *tables);

/* Returns the number in a cell; -1 if the column has no such row. */
static inline int64_t firefox_number(const FirefoxTables *tables, FirefoxColumn column, uint64_t row)
{
    const FirefoxCells *cells = &tables->columns[column];
    return row < cells->count ? cells->items[row].number : -1;
}

#endif
