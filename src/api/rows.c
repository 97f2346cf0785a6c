/* The tables of a trace, as batches and as Arrow C streams. */
#include "api/api.h"
#include "export/arrow_stream.h"
#include "export/event_reader.h"
#include "schema/reader.h"

#include <assert.h>
#include <string.h>

/* A table that is read: the trace of its rows, and the reader of its arguments. */
typedef struct TableSource {
    EventReader reader;
    SchemaTrace trace;
} TableSource;

struct VarveRows {
    Arena              arena; /* holds this too */
    TableSource        source;
    const SchemaTable *table;
    TableReader       *reader;
    VarveColumn       *columns;
};

static_assert((int)VARVE_BOOL == (int)SCHEMA_BOOL && (int)VARVE_INTEGER == (int)SCHEMA_INT &&
                  (int)VARVE_REAL == (int)SCHEMA_REAL && (int)VARVE_TEXT == (int)SCHEMA_TEXT,
              "VarveType has the values of SchemaType");

const char *varve_table_name(uint32_t index)
{
    const SchemaTable *table = schema_table(index);
    return table == NULL ? NULL : table->name;
}

const char *varve_table_help(const char *table)
{
    const SchemaTable *found = schema_find_table(table);
    return found == NULL ? NULL : found->help;
}

bool varve_table_column(const char *table, uint32_t index, VarveColumnInfo *column)
{
    const SchemaTable *found = api_table(table, NULL);
    if (found == NULL || index >= found->column_count) return false;
    const SchemaColumn *from = &found->columns[index];
    *column = (VarveColumnInfo){ from->name, (VarveType)from->type, from->unit, from->help };
    return true;
}

const char *varve_table_parameter(const char *table, uint32_t index)
{
    const SchemaTable *found = schema_find_table(table);
    return found == NULL ? NULL : schema_parameter(found, index);
}

const char *varve_type_name(VarveType type)
{
    return schema_type_name((SchemaType)type);
}

bool varve_schema_json(VarveBytes *out, VarveError *error)
{
    Bytes      text = { 0 };
    JsonWriter w = json_writer_to(&text, 1);
    schema_write_json(&w);
    bytes_append_text(&text, "\n");
    return api_give_text(&text, out, error);
}

static TableBounds row_bounds(const VarvePart *part)
{
    TableBounds bounds = api_bounds(part);
    bounds.track_is_column = true;
    return bounds;
}

static bool source_open(TableSource *source, const VarveTrace *trace, Err *err)
{
    if (!event_reader_open(&source->reader, &trace->loaded, NULL))
        return err_set(err, ERR_MEMORY, "out of memory for the rows of a table");
    source->trace = (SchemaTrace){ .trace = trace->loaded.trace,
                                   .name = trace->loaded.name,
                                   .bytes = trace->loaded.bytes,
                                   .arguments = &source->reader.source };
    return true;
}

/* -- batches -- */

VarveRows *varve_rows_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                           VarveError *error)
{
    const TableBounds  bounds = row_bounds(part);
    Err                err = API_ERR;
    const SchemaTable *found = api_table(table, &err);
    if (found == NULL) {
        (void)api_fail(&err, error);
        return NULL;
    }
    VarveRows *rows = API_HANDLE(VarveRows, error);
    if (rows == NULL) return NULL;
    rows->table = found;
    rows->columns = ARENA_ARRAY(&rows->arena, VarveColumn, found->column_count);
    if (rows->columns == NULL) (void)err_set(&err, ERR_MEMORY, "out of memory for the rows of a table");
    if (rows->columns != NULL && source_open(&rows->source, trace, &err))
        rows->reader = table_reader_open(&rows->source.trace, found, &bounds, &rows->arena, &err);
    if (rows->reader != NULL) return rows;
    (void)api_fail(&err, error);
    varve_rows_close(rows);
    return NULL;
}

void varve_rows_close(VarveRows *rows)
{
    if (rows == NULL) return;
    table_reader_close(rows->reader);
    event_reader_release(&rows->source.reader);
    api_handle_release(rows);
}

int32_t varve_rows_column(const VarveRows *rows, const char *name)
{
    for (uint32_t i = 0; i < rows->table->column_count; i++)
        if (strcmp(rows->table->columns[i].name, name) == 0) return (int32_t)i;
    return -1;
}

static VarveColumn column_of(const SchemaColumn *described, const TableColumn *column)
{
    VarveColumn made = { .type = (VarveType)described->type, .valid_bits = column->valid };
    switch (described->type) {
    case SCHEMA_BOOL:
        made.values.bools = column->values;
        break;
    case SCHEMA_INT:
        made.values.integers = column->values;
        break;
    case SCHEMA_REAL:
        made.values.reals = column->values;
        break;
    case SCHEMA_TEXT:
        made.values.texts = column->values;
        break;
    }
    return made;
}

bool varve_rows_next(VarveRows *rows, VarveBatch *batch, VarveError *error)
{
    const TableBatch *read;
    Err               err = API_ERR;
    *batch = (VarveBatch){ .column_count = rows->table->column_count, .columns = rows->columns };
    if (!table_reader_next(rows->reader, &read, &err)) return api_fail(&err, error);
    if (read == NULL) return true;
    for (uint32_t i = 0; i < batch->column_count; i++)
        rows->columns[i] = column_of(&rows->table->columns[i], &read->columns[i]);
    batch->row_count = read->count;
    return true;
}

VarveText varve_rows_text(VarveRows *rows, uint32_t column, uint32_t value)
{
    if (column >= rows->table->column_count || rows->table->columns[column].type != SCHEMA_TEXT)
        return (VarveText){ "", 0 };
    return api_text(table_reader_text(rows->reader, column, value));
}

/* -- Arrow -- */

/* A stream of export/arrow_stream.h with the reader of its arguments. */
typedef struct OwnedStream {
    Arena                   arena; /* holds this too */
    const VarveTrace       *trace; /* used */
    TableSource             source;
    struct ArrowArrayStream rows;
} OwnedStream;

static int owned_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    OwnedStream *owned = stream->private_data;
    return owned->rows.get_schema(&owned->rows, out);
}

static int owned_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    OwnedStream *owned = stream->private_data;
    return owned->rows.get_next(&owned->rows, out);
}

static const char *owned_error(struct ArrowArrayStream *stream)
{
    OwnedStream *owned = stream->private_data;
    return owned->rows.get_last_error(&owned->rows);
}

static void owned_discard(OwnedStream *owned)
{
    if (owned->rows.release != NULL) owned->rows.release(&owned->rows);
    event_reader_release(&owned->source.reader);
    api_trace_release(owned->trace);
    api_handle_release(owned);
}

static void owned_release(struct ArrowArrayStream *stream)
{
    owned_discard(stream->private_data);
    stream->release = NULL;
}

bool varve_arrow_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                      struct ArrowArrayStream *stream, VarveError *error)
{
    const TableBounds  bounds = row_bounds(part);
    Err                err = API_ERR;
    const SchemaTable *found = api_table(table, &err);
    if (found == NULL) return api_fail(&err, error);
    OwnedStream *owned = API_HANDLE(OwnedStream, error);
    if (owned == NULL) return false;
    owned->trace = trace;
    api_trace_use(trace);
    if (!source_open(&owned->source, trace, &err) ||
        !arrow_stream_open(&owned->source.trace, found, &bounds, &owned->rows, &err)) {
        owned_discard(owned);
        return api_fail(&err, error);
    }
    *stream = (struct ArrowArrayStream){ .get_schema = owned_schema,
                                         .get_next = owned_next,
                                         .get_last_error = owned_error,
                                         .release = owned_release,
                                         .private_data = owned };
    return true;
}
