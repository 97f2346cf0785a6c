#include "app/cli/query_rows.h"

#include "app/cli/table_text.h"
#include "base/csv.h"
#include "base/json_writer.h"

#include <assert.h>

enum { MEASURED_ROWS = 1000, WIDEST_PADDED = 60 };

static bool is_number(SqlKind kind)
{
    return kind == SQL_INTEGER || kind == SQL_UNSIGNED || kind == SQL_REAL || kind == SQL_NUMBER;
}

/* -- CSV -- */

static bool write_csv(SqlResult *result, const OutputSink *sink, Bytes *out, Err *err)
{
    const uint32_t columns = sql_column_count(result);
    Bytes          value = { 0 };
    for (uint32_t i = 0; i < columns; i++) {
        const char *name = sql_column_name(result, i);
        if (i > 0) bytes_append_text(out, ",");
        csv_append_field((StringView){ name, strlen(name) }, out);
    }
    bytes_append_text(out, "\r\n");
    uint32_t rows = 0;
    bool     is_done = true;
    while (is_done && (is_done = sql_next(result, &rows, err)) && rows > 0) {
        for (uint32_t row = 0; row < rows; row++) {
            for (uint32_t i = 0; i < columns; i++) {
                const SqlCell cell = sql_cell(result, i, row);
                if (i > 0) bytes_append_text(out, ",");
                if (cell.is_null) continue;
                bytes_clear(&value);
                sql_put_text(sql_column_kind(result, i), &cell, &value);
                csv_append_field(bytes_view(&value), out);
            }
            bytes_append_text(out, "\r\n");
        }
        is_done = writer_flush(sink, out, WRITER_BLOCK_BYTES, err);
    }
    bytes_release(&value);
    return is_done;
}

/* -- JSON -- */

static void put_json_value(JsonWriter *w, SqlKind kind, const SqlCell *cell)
{
    if (cell->is_null) {
        json_null(w);
        return;
    }
    switch (kind) {
    case SQL_BOOL:
        json_bool(w, cell->boolean);
        break;
    case SQL_INTEGER:
        json_i64(w, cell->integer);
        break;
    case SQL_UNSIGNED:
        json_u64(w, cell->unsigned_integer);
        break;
    case SQL_REAL:
        json_double(w, cell->real);
        break;
    case SQL_NUMBER:
    case SQL_JSON:
        json_raw(w, cell->text.bytes, cell->text.size);
        break;
    case SQL_TEXT:
        json_string_bytes(w, cell->text);
        break;
    }
}

static bool write_json(SqlResult *result, const OutputSink *sink, Bytes *out, Err *err)
{
    const uint32_t columns = sql_column_count(result);
    uint32_t       rows = 0;
    bool           is_first = true, is_done = true;
    bytes_append_text(out, "[");
    while (is_done && (is_done = sql_next(result, &rows, err)) && rows > 0) {
        for (uint32_t row = 0; row < rows; row++) {
            JsonWriter w = json_writer_to(out, 0);
            bytes_append_text(out, is_first ? "\n" : ",\n");
            is_first = false;
            json_object_begin(&w);
            for (uint32_t i = 0; i < columns; i++) {
                const char   *name = sql_column_name(result, i);
                const SqlCell cell = sql_cell(result, i, row);
                json_key_bytes(&w, (StringView){ name, strlen(name) });
                put_json_value(&w, sql_column_kind(result, i), &cell);
            }
            json_object_end(&w);
        }
        is_done = writer_flush(sink, out, WRITER_BLOCK_BYTES, err);
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

static void add_table_rows(const SqlResult *result, uint32_t rows, TableRows *table)
{
    Bytes value = { 0 };
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < sql_column_count(result); i++) {
            const SqlCell cell = sql_cell(result, i, row);
            bytes_clear(&value);
            if (cell.is_null) {
                bytes_append_text(&value, "NULL");
            } else {
                sql_put_text(sql_column_kind(result, i), &cell, &value);
            }
            table_put_plain(&table->text, &value);
            bytes_append(&table->text, "", 1);
        }
    }
    table->count += rows;
    bytes_release(&value);
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

static void put_table_rows(const SqlResult *result, const TableRows *table, const int *widths, Bytes *out)
{
    const uint32_t columns = sql_column_count(result);
    const char    *text = (const char *)table->text.data;
    for (uint64_t i = 0; i < (uint64_t)table->count * columns; i++, text += strlen(text) + 1) {
        const uint32_t column = (uint32_t)(i % columns);
        put_table_cell(out, text, widths[column], is_number(sql_column_kind(result, column)),
                       column + 1 == columns);
    }
}

static void put_table_heading(const SqlResult *result, const int *widths, Bytes *out)
{
    const uint32_t columns = sql_column_count(result);
    for (uint32_t i = 0; i < columns; i++)
        put_table_cell(out, sql_column_name(result, i), widths[i], is_number(sql_column_kind(result, i)),
                       i + 1 == columns);
    for (uint32_t i = 0; i < columns; i++) {
        for (int k = 0; k < widths[i]; k++)
            bytes_append_text(out, "-");
        bytes_append_text(out, i + 1 == columns ? "\n" : "  ");
    }
}

static bool write_table(SqlResult *result, const OutputSink *sink, Bytes *out, Err *err)
{
    const uint32_t columns = sql_column_count(result);
    Arena          arena = arena_create(0);
    int           *widths = ARENA_ARRAY(&arena, int, columns);
    TableRows      table = { 0 };
    uint32_t       rows = 0;
    bool           has_heading = false;
    bool           is_done = widths != NULL || err_set(err, ERR_MEMORY, "out of memory for the rows");
    for (uint32_t i = 0; is_done && i < columns; i++)
        widths[i] = table_columns_of(sql_column_name(result, i));
    do {
        is_done = is_done && sql_next(result, &rows, err);
        if (!is_done) break;
        add_table_rows(result, rows, &table);
        is_done = !table.text.failed || err_set(err, ERR_MEMORY, "out of memory for the rows");
        if (!is_done || (rows > 0 && !has_heading && table.count < MEASURED_ROWS)) continue;
        if (!has_heading) {
            widen(&table, columns, widths);
            put_table_heading(result, widths, out);
            has_heading = true;
        }
        put_table_rows(result, &table, widths, out);
        bytes_clear(&table.text);
        table.count = 0;
        is_done = writer_flush(sink, out, WRITER_BLOCK_BYTES, err);
    } while (is_done && rows > 0);
    bytes_release(&table.text);
    arena_release(&arena);
    return is_done;
}

bool query_rows_write(SqlResult *result, RowsForm form, const OutputSink *sink, Err *err)
{
    Bytes out = { 0 };
    bool  is_done = form == ROWS_CSV    ? write_csv(result, sink, &out, err)
                    : form == ROWS_JSON ? write_json(result, sink, &out, err)
                                        : write_table(result, sink, &out, err);
    is_done = is_done && writer_flush(sink, &out, 0, err);
    bytes_release(&out);
    return is_done;
}
