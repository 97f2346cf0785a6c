#include "schema/reader.h"

#include "base/vec.h"
#include "schema/arguments.h"

#include <assert.h>
#include <string.h>

/* A text of a batch of cells: a part of TableReader.text. */
typedef struct CellText {
    size_t at, size;
} CellText;

struct TableReader {
    const SchemaTrace *trace;
    const SchemaTable *table;
    TableColumn       *columns;
    ValuesValid       *valid; /* by column */
    TableBatch         batch;
    Scan              *scan;      /* TABLE_SCAN */
    ArgumentsWalk     *arguments; /* TABLE_ARGUMENTS */
    Lock              *lock;
    uint64_t           row; /* TABLE_SMALL: the next one */
    VEC(CellText) cells;    /* of the batch */
    /* of the cells of the batch; of a scan: the last text that table_reader_text made */
    Bytes text;
    bool  failed; /* a text was not made: out of memory */
};

/* -- opening -- */

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the rows of a table");
}

static uint64_t scan_columns_of(const SchemaTable *table)
{
    uint64_t columns = 0;
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].form != FORM_TRACE_NAME) columns |= SCAN_COLUMN(table->columns[i].scan_column);
    return columns;
}

static bool open_rows(TableReader *reader, const TableBounds *bounds, Arena *arena, Err *err)
{
    const Trace *trace = reader->trace->trace;
    ScanQuery    query;
    if (reader->table->source == TABLE_SMALL) return true;
    if (reader->table->source == TABLE_ARGUMENTS) {
        reader->lock = lock_create(arena);
        if (reader->lock == NULL) return no_memory(err);
        reader->arguments = arguments_begin(reader->trace, reader->lock, bounds, arena, err);
        return reader->arguments != NULL;
    }
    if (!bounds_query(bounds, reader->table, reader->table->scan, trace, arena, &query, err)) return false;
    query.columns = scan_columns_of(reader->table);
    reader->scan = scan_begin(trace, &query, arena, err);
    return reader->scan != NULL;
}

bool table_reader_renew(TableReader *reader, Arena *arena, Err *err)
{
    const uint32_t count = reader->table->column_count;
    TableColumn   *columns = ARENA_ARRAY(arena, TableColumn, count);
    ValuesValid   *valid = ARENA_ARRAY(arena, ValuesValid, count);
    bool           is_done = columns != NULL && valid != NULL;
    for (uint32_t i = 0; is_done && i < count; i++) {
        columns[i].values = ARENA_ARRAY(arena, uint64_t, SCAN_BATCH_ROWS);
        is_done = columns[i].values != NULL;
    }
    if (!is_done) return no_memory(err);
    reader->columns = columns;
    reader->valid = valid;
    return true;
}

TableReader *table_reader_open(const SchemaTrace *trace, const SchemaTable *table, const TableBounds *bounds,
                               Arena *arena, Err *err)
{
    static const TableBounds ALL = { 0 };
    TableReader             *reader = ARENA_NEW(arena, TableReader);
    bool                     is_open = reader != NULL;
    if (is_open) {
        *reader = (TableReader){ .trace = trace, .table = table };
        is_open = table_reader_renew(reader, arena, err);
    } else {
        (void)no_memory(err);
    }
    if (!is_open) return NULL;
    if (open_rows(reader, bounds == NULL ? &ALL : bounds, arena, err)) return reader;
    table_reader_close(reader);
    return NULL;
}

void table_reader_close(TableReader *reader)
{
    if (reader == NULL) return;
    arguments_release(reader->arguments);
    lock_destroy(reader->lock);
    vec_release(&reader->cells);
    bytes_release(&reader->text);
}

/* -- rows of a scan -- */

static void read_scan(TableReader *reader)
{
    const SchemaTable *table = reader->table;
    const ScanBatch   *batch = scan_next(reader->scan);
    uint32_t           scanned_count;
    const ScanColumn  *scanned = scan_columns(table->scan, &scanned_count);
    reader->batch.count = batch == NULL ? 0 : batch->count;
    for (uint32_t i = 0; batch != NULL && i < table->column_count; i++) {
        const SchemaColumn *column = &table->columns[i];
        assert(column->scan_column < scanned_count);
        const bool has_null = values_read(reader->trace->trace, column, &scanned[column->scan_column], batch,
                                          reader->columns[i].values, &reader->valid[i]);
        reader->columns[i].valid = has_null ? reader->valid[i].words : NULL;
    }
}

/* -- rows that are read cell by cell -- */

static bool next_cells(TableReader *reader)
{
    if (reader->table->source == TABLE_ARGUMENTS) return arguments_next(reader->arguments);
    return reader->row < reader->table->row_count(reader->trace);
}

static SchemaCell cell_of(const TableReader *reader, uint32_t column)
{
    SchemaCell cell = { .text = { reader->trace->name, strlen(reader->trace->name) } };
    if (reader->table->columns[column].form == FORM_TRACE_NAME) return cell;
    if (reader->table->source == TABLE_ARGUMENTS) return arguments_cell(reader->arguments, column);
    reader->table->cell(reader->trace, reader->row, column, &cell);
    return cell;
}

static void put_cell(TableReader *reader, uint32_t column, uint32_t row)
{
    const SchemaCell cell = cell_of(reader, column);
    void            *values = reader->columns[column].values;
    if (cell.is_null) reader->valid[column].words[row / 64] &= ~((uint64_t)1 << row % 64);
    switch (reader->table->columns[column].type) {
    case SCHEMA_BOOL:
        ((uint8_t *)values)[row] = cell.integer != 0;
        break;
    case SCHEMA_INT:
        ((int64_t *)values)[row] = cell.integer;
        break;
    case SCHEMA_REAL:
        ((double *)values)[row] = cell.real;
        break;
    case SCHEMA_TEXT: {
        const CellText text = { reader->text.size, cell.is_null ? 0 : cell.text.size };
        ((uint32_t *)values)[row] = (uint32_t)(vec_count(&reader->cells));
        bytes_append(&reader->text, cell.text.bytes, text.size);
        vec_push(&reader->cells, text);
        break;
    }
    }
}

/* Ends a batch early where its texts are long. */
enum { MOST_TEXT_BYTES = 1 << 20 };

static void read_cells(TableReader *reader)
{
    const uint32_t column_count = reader->table->column_count;
    uint32_t       count = 0;
    bytes_clear(&reader->text);
    vec_clear(&reader->cells);
    memset(reader->valid, 0xff, column_count * sizeof *reader->valid);
    for (; count < SCAN_BATCH_ROWS && reader->text.size < MOST_TEXT_BYTES && next_cells(reader); count++) {
        for (uint32_t i = 0; i < column_count; i++)
            put_cell(reader, i, count);
        reader->row++;
    }
    for (uint32_t i = 0; i < column_count; i++)
        reader->columns[i].valid = reader->valid[i].words;
    reader->batch.count = count;
}

/* -- batches -- */

bool table_reader_next(TableReader *reader, const TableBatch **batch, Err *err)
{
    if (reader->table->source == TABLE_SCAN) {
        read_scan(reader);
    } else {
        read_cells(reader);
    }
    reader->batch.columns = reader->columns;
    *batch = reader->batch.count == 0 ? NULL : &reader->batch;
    reader->failed |= reader->text.failed || reader->cells.bytes.failed;
    return !reader->failed || no_memory(err);
}

bool table_reader_has_dictionary(const TableReader *reader, uint32_t column)
{
    return reader->table->source == TABLE_SCAN && reader->table->columns[column].type == SCHEMA_TEXT;
}

StringView table_reader_text(TableReader *reader, uint32_t column, uint32_t index)
{
    const SchemaColumn *schema = &reader->table->columns[column];
    assert(schema->type == SCHEMA_TEXT);
    if (!table_reader_has_dictionary(reader, column)) {
        const CellText *cell = &reader->cells.items[index];
        return (StringView){ cell->size == 0 ? "" : (const char *)reader->text.data + cell->at, cell->size };
    }
    if (schema->form == FORM_TEXT) return trace_string(reader->trace->trace, (StringId){ index });
    bytes_clear(&reader->text);
    (void)values_append_text(reader->trace->trace, reader->trace->name, values_texts(schema), index,
                             &reader->text);
    reader->failed |= reader->text.failed;
    return bytes_view(&reader->text);
}
