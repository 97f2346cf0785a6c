#include "schema/arguments.h"

#include "base/json_members.h"

#include <stdlib.h>
#include <string.h>

enum { ARG_SLICE = 1, ARG_INSTANT, ARG_KEY, ARG_VALUE, ARG_NUMBER, ARG_IS_FIELD };

static const SchemaColumn COLUMNS[] = {
    SCHEMA_TRACE_NAME,
    [ARG_SLICE] = SCHEMA_CELL("slice_id", SCHEMA_INT, "slice", "the slice; NULL = it is of an instant"),
    [ARG_INSTANT] = SCHEMA_CELL("instant_id", SCHEMA_INT, "instant", "the instant; NULL = it is of a slice"),
    [ARG_KEY] = SCHEMA_CELL("key", SCHEMA_TEXT, "", "name of the argument"),
    [ARG_VALUE] = SCHEMA_CELL("value", SCHEMA_TEXT, "", "text of a string; JSON of any other value"),
    [ARG_NUMBER] = SCHEMA_CELL("number", SCHEMA_REAL, "", "the value, where it is a number"),
    [ARG_IS_FIELD] =
        SCHEMA_CELL("is_field", SCHEMA_BOOL, "", "true: a field of the event itself, not an argument"),
};

const SchemaTable ARGUMENTS_TABLE = {
    .name = "arg",
    .help = "arguments of slices and instants, read again from the file: bound them by parameters",
    .columns = COLUMNS,
    .column_count = sizeof COLUMNS / sizeof COLUMNS[0],
    .source = TABLE_ARGUMENTS,
    .scan = SCAN_SLICES,
    .parameters = SCHEMA_TAKES_RANGE | SCHEMA_TAKES_NAME
};

struct ArgumentsWalk {
    const SchemaTrace *trace;
    Lock              *lock;
    Scan              *scans[2]; /* slices, instants */
    uint32_t           kind;     /* index of the current one */
    const ScanBatch   *batch;
    uint32_t           batch_row;
    uint64_t           id;
    Bytes              args, other; /* of the event, copied: the source is shared */
    JsonMembers        members;
    bool               is_field; /* the members are those of `other` */
    bool               has_members;
    Bytes              key, value; /* of the row */
    bool               is_number;
    double             number;
};

ArgumentsWalk *arguments_begin(const SchemaTrace *trace, Lock *lock, const TableBounds *given, Arena *arena,
                               Err *err)
{
    static const ScanTable SCANS[] = { SCAN_SLICES, SCAN_INSTANTS };
    static const uint64_t  COLUMNS_READ[] = {
        SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_SOURCE) | SCAN_COLUMN(SCAN_SLICE_END_SOURCE),
        SCAN_COLUMN(SCAN_INSTANT_ID) | SCAN_COLUMN(SCAN_INSTANT_SOURCE)
    };
    ArgumentsWalk *walk = ARENA_NEW(arena, ArgumentsWalk);
    if (walk == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the arguments");
        return NULL;
    }
    walk->trace = trace;
    walk->lock = lock;
    for (uint32_t i = 0; i < 2; i++) {
        ScanQuery query;
        if (!bounds_query(given, &ARGUMENTS_TABLE, SCANS[i], trace->trace, arena, &query, err)) return NULL;
        query.columns = COLUMNS_READ[i];
        walk->scans[i] = scan_begin(trace->trace, &query, arena, err);
        if (walk->scans[i] == NULL) return NULL;
    }
    return walk;
}

/* Moves to the next event that has more to say than its columns. */
static bool next_event(ArgumentsWalk *walk)
{
    for (; walk->kind < 2; walk->kind++, walk->batch = NULL) {
        for (;;) {
            if (walk->batch == NULL || walk->batch_row == walk->batch->count) {
                walk->batch = scan_next(walk->scans[walk->kind]);
                walk->batch_row = 0;
                if (walk->batch == NULL) break;
            }
            const uint32_t    row = walk->batch_row++;
            const ScanValues *columns = walk->batch->columns;
            const bool        is_slice = walk->kind == 0;
            const uint64_t    source = columns[is_slice ? SCAN_SLICE_SOURCE : SCAN_INSTANT_SOURCE].u64[row];
            if (source == UINT64_MAX && (!is_slice || columns[SCAN_SLICE_END_SOURCE].u64[row] == UINT64_MAX))
                continue;
            walk->id = columns[is_slice ? SCAN_SLICE_ID : SCAN_INSTANT_ID].u64[row];
            return true;
        }
    }
    return false;
}

/* Reads the event again. An event that cannot be read has no arguments. */
static void read_event(ArgumentsWalk *walk)
{
    const OrderedEvent event = { .kind = walk->kind == 0 ? ORDER_SLICE : ORDER_INSTANT, .id = walk->id };
    StringView         args = { 0 }, other = { 0 };
    bytes_clear(&walk->args);
    bytes_clear(&walk->other);
    lock_take(walk->lock);
    if (walk->trace->arguments->read(walk->trace->arguments->context, &event, &args, &other)) {
        bytes_append(&walk->args, args.bytes, args.size);
        bytes_append(&walk->other, other.bytes, other.size);
    }
    lock_give(walk->lock);
    walk->is_field = false;
    walk->has_members = json_members_open(bytes_view(&walk->args), &walk->members);
}

static void set_row(ArgumentsWalk *walk, StringView key, StringView value)
{
    const char first = value.size == 0 ? '\0' : value.bytes[0];
    bytes_clear(&walk->key);
    bytes_clear(&walk->value);
    json_text_append(key, &walk->key);
    json_plain_append(value, &walk->value);
    walk->is_number = first == '-' || (first >= '0' && first <= '9');
    if (!walk->is_number) return;
    const char *number = bytes_text(&walk->value);
    if (number != NULL) walk->number = strtod(number, NULL);
}

bool arguments_next(ArgumentsWalk *walk)
{
    StringView key, value;
    if (walk->trace->arguments == NULL) return false;
    for (;;) {
        if (walk->has_members && json_members_next(&walk->members, &key, &value)) {
            set_row(walk, key, value);
            return true;
        }
        if (walk->has_members && !walk->is_field) {
            walk->is_field = true;
            walk->has_members = json_members_open(bytes_view(&walk->other), &walk->members);
        } else if (next_event(walk)) {
            read_event(walk);
        } else {
            return false;
        }
    }
}

SchemaCell arguments_cell(const ArgumentsWalk *walk, uint32_t column)
{
    switch (column) {
    case ARG_SLICE:
        return (SchemaCell){ .is_null = walk->kind != 0, .integer = (int64_t)walk->id };
    case ARG_INSTANT:
        return (SchemaCell){ .is_null = walk->kind != 1, .integer = (int64_t)walk->id };
    case ARG_KEY:
        return (SchemaCell){ .is_null = walk->key.failed, .text = bytes_view(&walk->key) };
    case ARG_VALUE:
        return (SchemaCell){ .is_null = walk->value.failed, .text = bytes_view(&walk->value) };
    case ARG_NUMBER:
        return (SchemaCell){ .is_null = !walk->is_number, .real = walk->number };
    case ARG_IS_FIELD:
        return (SchemaCell){ .integer = walk->is_field };
    default:
        return (SchemaCell){ .is_null = true };
    }
}

void arguments_release(ArgumentsWalk *walk)
{
    if (walk == NULL) return;
    bytes_release(&walk->args);
    bytes_release(&walk->other);
    bytes_release(&walk->key);
    bytes_release(&walk->value);
}
