#include "format/trace_event/profile/firefox_tables.h"

#include "format/trace_event/profile/json_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char  *key;
    FirefoxTable table;
} TABLES[] = {
    { "samples", TABLE_SAMPLES },   { "markers", TABLE_MARKERS },     { "stackTable", TABLE_STACKS },
    { "frameTable", TABLE_FRAMES }, { "funcTable", TABLE_FUNCTIONS }, { "resourceTable", TABLE_RESOURCES },
    { "sources", TABLE_SOURCES },
};

/* The columns of all tables. A column can have several names. */
static const struct {
    FirefoxTable    table;
    const char     *key;
    FirefoxColumn   column;
    FirefoxCellKind kind;
} COLUMNS[] = {
    { TABLE_SAMPLES, "stack", SAMPLE_STACK, CELL_NUMBER },
    { TABLE_SAMPLES, "time", SAMPLE_TIME, CELL_TIME },
    { TABLE_SAMPLES, "timeDeltas", SAMPLE_TIME, CELL_DELTA },
    { TABLE_SAMPLES, "weight", SAMPLE_WEIGHT, CELL_REAL },
    { TABLE_SAMPLES, "threadCPUDelta", SAMPLE_CPU, CELL_REAL },
    { TABLE_SAMPLES, "count", SAMPLE_COUNT, CELL_REAL },
    { TABLE_MARKERS, "name", MARKER_NAME, CELL_NUMBER },
    { TABLE_MARKERS, "startTime", MARKER_BEGIN, CELL_TIME },
    { TABLE_MARKERS, "time", MARKER_BEGIN, CELL_TIME },
    { TABLE_MARKERS, "endTime", MARKER_END, CELL_TIME },
    { TABLE_MARKERS, "phase", MARKER_PHASE, CELL_NUMBER },
    { TABLE_MARKERS, "category", MARKER_CATEGORY, CELL_NUMBER },
    { TABLE_MARKERS, "data", MARKER_DATA, CELL_DATA },
    { TABLE_STACKS, "frame", STACK_FRAME, CELL_NUMBER },
    { TABLE_STACKS, "prefix", STACK_PREFIX, CELL_NUMBER },
    { TABLE_STACKS, "prefixOffset", STACK_PREFIX_OFFSET, CELL_NUMBER },
    { TABLE_FRAMES, "func", FRAME_FUNCTION, CELL_NUMBER },
    { TABLE_FRAMES, "location", FRAME_LOCATION, CELL_NUMBER },
    { TABLE_FRAMES, "lib", FRAME_LIB, CELL_NUMBER },
    { TABLE_FUNCTIONS, "name", FUNCTION_NAME, CELL_NUMBER },
    { TABLE_FUNCTIONS, "resource", FUNCTION_RESOURCE, CELL_NUMBER },
    { TABLE_FUNCTIONS, "fileName", FUNCTION_FILE, CELL_NUMBER },
    { TABLE_FUNCTIONS, "source", FUNCTION_SOURCE, CELL_NUMBER },
    { TABLE_FUNCTIONS, "lineNumber", FUNCTION_LINE, CELL_NUMBER },
    { TABLE_RESOURCES, "lib", RESOURCE_LIB, CELL_NUMBER },
    { TABLE_SOURCES, "filename", SOURCE_FILE, CELL_NUMBER },
    { TABLE_LISTS, "stringArray", STRINGS, CELL_STRING },
    { TABLE_LISTS, "stringTable", STRINGS, CELL_STRING },
    { TABLE_LISTS, "libs", LIBS, CELL_LIB },
};

FirefoxTable firefox_table_of(const JsonValue *key)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++)
        if (json_is(key, JSON_STRING, TABLES[i].key)) return TABLES[i].table;
    return TABLE_NONE;
}

FirefoxUse firefox_use_of(FirefoxTable table, const JsonValue *key)
{
    for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++)
        if (COLUMNS[i].table == table && json_is(key, JSON_STRING, COLUMNS[i].key))
            return (FirefoxUse){ COLUMNS[i].column, COLUMNS[i].kind };
    return (FirefoxUse){ COLUMN_NONE, CELL_NUMBER };
}

static void push(FirefoxCellRules *rules, FirefoxTables *tables, FirefoxColumn column, FirefoxCell cell)
{
    FirefoxCell *added = ARENA_LIST_PUSH(&tables->columns[column], rules->arena);
    if (added == NULL)
        rules->failed = true;
    else
        *added = cell;
}

void firefox_push_number(FirefoxCellRules *rules, FirefoxTables *tables, FirefoxColumn column, int64_t number)
{
    push(rules, tables, column, (FirefoxCell){ .number = number });
}

static int64_t number_of(const JsonValue *value)
{
    bool     negative;
    uint64_t number;
    if (value->kind != JSON_NUMBER ||
        number_integer(value->at, value->size, &negative, &number) > NUMBER_ODD || negative ||
        number > INT64_MAX)
        return -1;
    return (int64_t)number;
}

static double real_of(const JsonValue *value)
{
    enum { LONGEST = 64 };
    char text[LONGEST];
    if (value->kind != JSON_NUMBER || value->size >= LONGEST) return NAN;
    memcpy(text, value->at, value->size);
    text[value->size] = '\0';
    const double real = strtod(text, NULL);
    return isfinite(real) ? real : NAN;
}

static int64_t time_of(const FirefoxCellRules *rules, const JsonValue *value, FineTime *time)
{
    if (value->kind != JSON_NUMBER ||
        number_scaled(value->at, value->size, rules->exponent, time) > NUMBER_ODD)
        return FIREFOX_NO_TIME;
    return fine_time_round(*time);
}

/* Returns the time after a difference, which is exact: rounded differences would drift. */
static int64_t time_after(const FirefoxCellRules *rules, FirefoxTables *tables, const JsonValue *value)
{
    FineTime delta, sum;
    if (time_of(rules, value, &delta) == FIREFOX_NO_TIME || !fine_time_add(tables->time, delta, &sum))
        return FIREFOX_NO_TIME;
    tables->time = sum;
    return fine_time_round(sum);
}

static StringId name_of_lib(TraceBuilder *builder, const JsonValue *lib)
{
    JsonValue name;
    if (!json_find(lib, "name", &name) && !json_find(lib, "debugName", &name)) return STRING_NONE;
    return profile_string(builder, &name, "");
}

void firefox_push(FirefoxCellRules *rules, FirefoxTables *tables, FirefoxUse use, const JsonValue *value,
                  uint64_t offset)
{
    FirefoxCell cell = { .number = -1 };
    FineTime    time;
    switch (use.kind) {
    case CELL_NUMBER:
        cell.number = number_of(value);
        break;
    case CELL_TIME:
        cell.number = time_of(rules, value, &time);
        break;
    case CELL_DELTA:
        cell.number = time_after(rules, tables, value);
        break;
    case CELL_REAL:
        cell.real = real_of(value);
        break;
    case CELL_DATA:
        if (value->kind == JSON_OBJECT) cell.number = (int64_t)offset;
        break;
    case CELL_STRING:
        cell.number = profile_string(rules->builder, value, "").index;
        break;
    case CELL_LIB:
        cell.number = name_of_lib(rules->builder, value).index;
        break;
    }
    push(rules, tables, use.column, cell);
    if (use.column == SAMPLE_STACK || use.column == SAMPLE_COUNT)
        firefox_push_number(rules, tables, SAMPLE_OFFSET, (int64_t)offset);
    if (use.column == MARKER_NAME) firefox_push_number(rules, tables, MARKER_OFFSET, (int64_t)offset);
}

void firefox_tables_clear(FirefoxTables *tables)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        tables->columns[i].count = 0;
    tables->time = (FineTime){ 0 };
    tables->stacks = NULL;
    tables->libs_offset = 0;
}
