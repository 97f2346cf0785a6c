#include "export/tables.h"

#include "base/csv.h"
#include "base/json_writer.h"
#include "export/arrow.h"
#include "schema/reader.h"

#include <math.h>
#include <string.h>

/* The last text of a column that was written, escaped. Titles of threads and processes repeat from row to row. */
typedef struct LastText {
    bool     is_set;
    uint32_t index;
    Bytes    escaped;
} LastText;

typedef struct TableOut {
    TableForm          form;
    const SchemaTable *table;
    TableReader       *reader;
    LastText          *last; /* by column */
    Bytes              out;
} TableOut;

/* by TableForm */
static const char *const NAMES[] = { "csv", "jsonl", "arrow" }, *const SUFFIXES[] = { "csv", "jsonl",
                                                                                      "arrows" };

const char *table_form_name(TableForm form)
{
    return NAMES[form];
}

const char *table_form_suffix(TableForm form)
{
    return SUFFIXES[form];
}

/* -- values -- */

static void put_text(TableOut *t, uint32_t column, uint32_t index, Bytes *out)
{
    LastText  *last = &t->last[column];
    const bool is_repeated =
        last->is_set && last->index == index && table_reader_has_dictionary(t->reader, column);
    if (!is_repeated) {
        const StringView text = table_reader_text(t->reader, column, index);
        bytes_clear(&last->escaped);
        if (t->form == TABLE_FORM_CSV) {
            csv_append_field(text, &last->escaped);
        } else {
            JsonWriter json = json_writer_to(&last->escaped, 0);
            json_string_bytes(&json, text);
        }
        last->is_set = true;
        last->index = index;
    }
    out->failed |= last->escaped.failed;
    bytes_append(out, last->escaped.data, last->escaped.size);
}

/* Appends a value other than NULL. CSV and JSON write numbers alike, except infinities, which JSON cannot write. */
static void put_value(TableOut *t, uint32_t column, const void *values, uint32_t row)
{
    JsonWriter json;
    switch (t->table->columns[column].type) {
    case SCHEMA_BOOL:
        bytes_append_text(&t->out, ((const uint8_t *)values)[row] != 0 ? "true" : "false");
        break;
    case SCHEMA_INT: {
        const int64_t whole = ((const int64_t *)values)[row];
        if (whole < 0) bytes_append(&t->out, "-", 1);
        bytes_append_u64(&t->out, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole);
        break;
    }
    case SCHEMA_REAL: {
        const double real = ((const double *)values)[row];
        if (t->form == TABLE_FORM_CSV && isinf(real)) {
            bytes_append_text(&t->out, real > 0 ? "inf" : "-inf");
        } else {
            json = json_writer_to(&t->out, 0);
            json_double(&json, real);
        }
        break;
    }
    case SCHEMA_TEXT:
        put_text(t, column, ((const uint32_t *)values)[row], &t->out);
        break;
    }
}

/* -- rows -- */

static void put_csv_heading(TableOut *t)
{
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        const char *name = t->table->columns[i].name;
        if (i > 0) bytes_append(&t->out, ",", 1);
        csv_append_field((StringView){ name, strlen(name) }, &t->out);
    }
    bytes_append(&t->out, "\r\n", 2);
}

static void put_csv_row(TableOut *t, const TableBatch *batch, uint32_t row)
{
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        if (i > 0) bytes_append(&t->out, ",", 1);
        if (!table_is_null(&batch->columns[i], row)) put_value(t, i, batch->columns[i].values, row);
    }
    bytes_append(&t->out, "\r\n", 2);
}

static void put_json_row(TableOut *t, const TableBatch *batch, uint32_t row)
{
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        bytes_append(&t->out, i == 0 ? "{\"" : ",\"", 2);
        bytes_append_text(&t->out, t->table->columns[i].name);
        bytes_append(&t->out, "\":", 2);
        if (table_is_null(&batch->columns[i], row)) {
            bytes_append(&t->out, "null", 4);
        } else {
            put_value(t, i, batch->columns[i].values, row);
        }
    }
    bytes_append(&t->out, "}\n", 2);
}

static bool put_rows(TableOut *t, const OutputSink *sink, Err *err)
{
    const TableBatch *batch;
    if (t->form == TABLE_FORM_CSV) put_csv_heading(t);
    while (table_reader_next(t->reader, &batch, err)) {
        if (batch == NULL) return writer_flush(sink, &t->out, 0, err);
        for (uint32_t row = 0; row < batch->count; row++) {
            if (t->form == TABLE_FORM_CSV) {
                put_csv_row(t, batch, row);
            } else {
                put_json_row(t, batch, row);
            }
            if (!writer_flush(sink, &t->out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    return false;
}

bool table_write(TableForm form, const SchemaTrace *trace, const SchemaTable *table,
                 const TableBounds *bounds, const OutputSink *sink, Err *err)
{
    Arena    arena = arena_create(0);
    TableOut t = { .form = form, .table = table, .last = ARENA_ARRAY(&arena, LastText, table->column_count) };
    bool     is_done = t.last != NULL || err_set(err, ERR_MEMORY, "out of memory for the output");
    if (is_done) {
        t.reader = table_reader_open(trace, table, bounds, &arena, err);
        is_done =
            t.reader != NULL && (form == TABLE_FORM_ARROW ? arrow_write(trace, table, t.reader, sink, err)
                                                          : put_rows(&t, sink, err));
        table_reader_close(t.reader);
        for (uint32_t i = 0; i < table->column_count; i++)
            bytes_release(&t.last[i].escaped);
    }
    bytes_release(&t.out);
    arena_release(&arena);
    return is_done;
}
