#include "app/cli/query_rows.h"

#include "app/cli/table_text.h"
#include "app/cli/traces.h"
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <assert.h>

enum { MEASURED_ROWS = 1000, WIDEST_PADDED = 60, OUTPUT_BLOCK_BYTES = 256 << 10 };

static bool is_number(VarveCellKind kind)
{
    return kind == VARVE_CELL_INTEGER || kind == VARVE_CELL_UNSIGNED || kind == VARVE_CELL_REAL ||
           kind == VARVE_CELL_NUMBER;
}

static bool next_rows(VarveQuery *query, uint32_t *rows, Err *err)
{
    VarveError error;
    if (varve_query_next(query, rows, &error)) return true;
    *err = cli_library_err(&error);
    return false;
}

/* Writes and clears the text if it has at least `least` bytes. */
static bool flush(FileWriter *file, Bytes *text, size_t least, Err *err)
{
    if (text->failed) return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (text->size < least || text->size == 0) return true;
    const bool is_done = file_writer_append(file, text->data, text->size, err);
    bytes_clear(text);
    return is_done;
}

/* -- CSV -- */

static bool write_csv(VarveQuery *query, FileWriter *file, Bytes *out, Err *err)
{
    const uint32_t columns = varve_query_column_count(query);
    for (uint32_t i = 0; i < columns; i++) {
        const char *name = varve_query_column_name(query, i);
        if (i > 0) bytes_append_text(out, ",");
        csv_append_field(c_string_view(name), out);
    }
    bytes_append_text(out, "\r\n");
    uint32_t rows = 0;
    bool     is_done = true;
    while (is_done && (is_done = next_rows(query, &rows, err)) && rows > 0) {
        for (uint32_t row = 0; row < rows; row++) {
            for (uint32_t i = 0; i < columns; i++) {
                char      text[VARVE_CELL_TEXT_BYTES];
                VarveCell cell;
                if (i > 0) bytes_append_text(out, ",");
                if (!varve_query_cell(query, i, row, &cell) || cell.kind == VARVE_CELL_NULL) continue;
                csv_append_field(text_view(varve_cell_text(&cell, text)), out);
            }
            bytes_append_text(out, "\r\n");
        }
        is_done = flush(file, out, OUTPUT_BLOCK_BYTES, err);
    }
    return is_done;
}

/* -- JSON -- */

static void put_json_value(JsonWriter *w, const VarveCell *cell)
{
    switch (cell->kind) {
    case VARVE_CELL_NULL:
        json_null(w);
        break;
    case VARVE_CELL_BOOL:
        json_bool(w, cell->integer != 0);
        break;
    case VARVE_CELL_INTEGER:
        json_i64(w, cell->integer);
        break;
    case VARVE_CELL_UNSIGNED:
        json_u64(w, cell->unsigned_integer);
        break;
    case VARVE_CELL_REAL:
        json_double(w, cell->real);
        break;
    case VARVE_CELL_NUMBER:
    case VARVE_CELL_JSON:
        json_raw(w, cell->text.bytes, cell->text.size_bytes);
        break;
    case VARVE_CELL_TEXT:
        json_string_bytes(w, text_view(cell->text));
        break;
    }
}

static bool write_json(VarveQuery *query, FileWriter *file, Bytes *out, Err *err)
{
    const uint32_t columns = varve_query_column_count(query);
    uint32_t       rows = 0;
    bool           is_first = true, is_done = true;
    bytes_append_text(out, "[");
    while (is_done && (is_done = next_rows(query, &rows, err)) && rows > 0) {
        for (uint32_t row = 0; row < rows; row++) {
            JsonWriter w = json_writer_to(out, 0);
            bytes_append_text(out, is_first ? "\n" : ",\n");
            is_first = false;
            json_object_begin(&w);
            for (uint32_t i = 0; i < columns; i++) {
                const char *name = varve_query_column_name(query, i);
                VarveCell   cell = { .kind = VARVE_CELL_NULL };
                (void)varve_query_cell(query, i, row, &cell);
                json_key_bytes(&w, c_string_view(name));
                put_json_value(&w, &cell);
            }
            json_object_end(&w);
        }
        is_done = flush(file, out, OUTPUT_BLOCK_BYTES, err);
    }
    bytes_append_text(out, is_first ? "]\n" : "\n]\n");
    return is_done;
}

/* -- a table -- */

/* The values of a row one after the other, each with a NUL at its end; then the next row. */
typedef struct TableRows {
    Bytes    text;
    uint32_t count;
} TableRows;

static void add_table_rows(const VarveQuery *query, uint32_t rows, TableRows *table)
{
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < varve_query_column_count(query); i++) {
            char       text[VARVE_CELL_TEXT_BYTES];
            VarveCell  cell = { .kind = VARVE_CELL_NULL };
            StringView value = STRING_LITERAL("NULL");
            (void)varve_query_cell(query, i, row, &cell);
            if (cell.kind != VARVE_CELL_NULL) value = text_view(varve_cell_text(&cell, text));
            text_append_plain(&table->text, value);
            bytes_append(&table->text, "", 1);
        }
    }
    table->count += rows;
}

static void widen(const TableRows *table, uint32_t columns, int *widths)
{
    assert(columns > 0 || table->count == 0);
    const char *text = (const char *)table->text.data;
    for (uint64_t i = 0; i < (uint64_t)table->count * columns; i++, text += strlen(text) + 1) {
        const int width = table_columns_of(text);
        if (width > widths[i % columns]) widths[i % columns] = width < WIDEST_PADDED ? width : WIDEST_PADDED;
    }
}

static void put_table_cell(Bytes *out, const char *text, int width, bool is_right, bool is_last)
{
    assert(width >= 0);
    const int padding = width - table_columns_of(text);
    if (is_right) bytes_printf(out, "%*s", padding > 0 ? padding : 0, "");
    bytes_append_text(out, text);
    if (!is_right && !is_last) bytes_printf(out, "%*s", padding > 0 ? padding : 0, "");
    bytes_append_text(out, is_last ? "\n" : "  ");
}

static void put_table_rows(const VarveQuery *query, const TableRows *table, const int *widths, Bytes *out)
{
    const uint32_t columns = varve_query_column_count(query);
    const char    *text = (const char *)table->text.data;
    for (uint64_t i = 0; i < (uint64_t)table->count * columns; i++, text += strlen(text) + 1) {
        const uint32_t column = (uint32_t)(i % columns);
        put_table_cell(out, text, widths[column], is_number(varve_query_column_kind(query, column)),
                       column + 1 == columns);
    }
}

static void put_table_heading(const VarveQuery *query, const int *widths, Bytes *out)
{
    const uint32_t columns = varve_query_column_count(query);
    for (uint32_t i = 0; i < columns; i++)
        put_table_cell(out, varve_query_column_name(query, i), widths[i],
                       is_number(varve_query_column_kind(query, i)), i + 1 == columns);
    for (uint32_t i = 0; i < columns; i++) {
        for (int k = 0; k < widths[i]; k++)
            bytes_append_text(out, "-");
        bytes_append_text(out, i + 1 == columns ? "\n" : "  ");
    }
}

static bool write_table(VarveQuery *query, FileWriter *file, Bytes *out, Err *err)
{
    const uint32_t columns = varve_query_column_count(query);
    Arena          arena = arena_create(0);
    int           *widths = ARENA_ARRAY(&arena, int, columns);
    TableRows      table = { 0 };
    uint32_t       rows = 0;
    bool           has_heading = false;
    bool           is_done = widths != NULL || err_set(err, ERR_MEMORY, "out of memory for the rows");
    for (uint32_t i = 0; is_done && i < columns; i++)
        widths[i] = table_columns_of(varve_query_column_name(query, i));
    do {
        is_done = is_done && next_rows(query, &rows, err);
        if (!is_done) break;
        add_table_rows(query, rows, &table);
        is_done = !table.text.failed || err_set(err, ERR_MEMORY, "out of memory for the rows");
        if (!is_done || (rows > 0 && !has_heading && table.count < MEASURED_ROWS)) continue;
        if (!has_heading) {
            widen(&table, columns, widths);
            put_table_heading(query, widths, out);
            has_heading = true;
        }
        put_table_rows(query, &table, widths, out);
        bytes_clear(&table.text);
        table.count = 0;
        is_done = flush(file, out, OUTPUT_BLOCK_BYTES, err);
    } while (is_done && rows > 0);
    bytes_release(&table.text);
    arena_release(&arena);
    return is_done;
}

bool query_rows_write(VarveQuery *query, RowsForm form, FileWriter *file, Err *err)
{
    Bytes out = { 0 };
    bool  is_done = form == ROWS_CSV    ? write_csv(query, file, &out, err)
                    : form == ROWS_JSON ? write_json(query, file, &out, err)
                                        : write_table(query, file, &out, err);
    is_done = is_done && flush(file, &out, 0, err);
    bytes_release(&out);
    return is_done;
}
