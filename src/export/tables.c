#include "export/tables.h"

#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "export/arrow.h"
#include "schema/reader.h"

#include <math.h>
#include <string.h>

/* A column of the output. The last text that was written is kept, escaped: titles of threads and processes repeat from row to
 * row. */
typedef struct ColumnOut {
    SchemaType type;
    StringView before;         /* the text before its values, of `befores` */
    bool       has_dictionary; /* an index means the same text in all rows */
    bool       has_last;
    uint32_t   last;
    Bytes      escaped;
} ColumnOut;

typedef struct TableOut {
    TableForm          form;
    const SchemaTable *table;
    TableReader       *reader;
    ColumnOut         *columns;
    Bytes              befores;
    size_t             row_room; /* the longest row without its texts and real numbers */
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

static void put_text(TableOut *t, uint32_t column, uint32_t index)
{
    ColumnOut *own = &t->columns[column];
    if (!own->has_last || own->last != index || !own->has_dictionary) {
        const StringView text = table_reader_text(t->reader, column, index);
        bytes_clear(&own->escaped);
        if (t->form == TABLE_FORM_CSV) {
            csv_append_field(text, &own->escaped);
        } else {
            JsonWriter json = json_writer_to(&own->escaped, 0);
            json_string_bytes(&json, text);
        }
        own->has_last = true;
        own->last = index;
    }
    t->out.failed |= own->escaped.failed;
    bytes_append(&t->out, own->escaped.data, own->escaped.size);
}

/* CSV and JSON write numbers alike, except infinities, which JSON cannot write. */
static void put_real(TableOut *t, double real)
{
    if (t->form == TABLE_FORM_CSV && isinf(real)) {
        bytes_append_text(&t->out, real > 0 ? "inf" : "-inf");
    } else {
        JsonWriter json = json_writer_to(&t->out, 0);
        json_double(&json, real);
    }
}

/* -- rows -- */

/* Copies a short text to `at`. Returns its end. */
static char *put_short(char *at, StringView text)
{
    if (text.size == 1) { /* the comma of CSV */
        *at = text.bytes[0];
        return at + 1;
    }
    memcpy(at, text.bytes, text.size);
    return at + text.size;
}

static char *put_whole(char *at, int64_t whole)
{
    if (whole < 0) *at++ = '-';
    return digits_put(at, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole);
}

static char *put_bool(char *at, bool value)
{
    return put_short(at, value ? STRING_LITERAL("true") : STRING_LITERAL("false"));
}

/* Appends a row. Whole numbers are written directly into the room of the row, texts and real numbers are appended. */
static void put_row(TableOut *t, const TableBatch *batch, uint32_t row)
{
    const StringView none = t->form == TABLE_FORM_CSV ? STRING_LITERAL("") : STRING_LITERAL("null");
    const StringView end = t->form == TABLE_FORM_CSV ? STRING_LITERAL("\r\n") : STRING_LITERAL("}\n");
    char            *begin = (char *)bytes_reserve(&t->out, t->row_room), *at = begin;
    if (at == NULL) return;
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        const ColumnOut *column = &t->columns[i];
        const void      *values = batch->columns[i].values;
        at = put_short(at, column->before);
        if (table_is_null(&batch->columns[i], row)) {
            at = put_short(at, none);
        } else if (column->type == SCHEMA_INT) {
            at = put_whole(at, ((const int64_t *)values)[row]);
        } else if (column->type == SCHEMA_BOOL) {
            at = put_bool(at, ((const uint8_t *)values)[row] != 0);
        } else {
            bytes_grow(&t->out, (size_t)(at - begin));
            if (column->type == SCHEMA_TEXT)
                put_text(t, i, ((const uint32_t *)values)[row]);
            else
                put_real(t, ((const double *)values)[row]);
            begin = at = (char *)bytes_reserve(&t->out, t->row_room);
            if (at == NULL) return;
        }
    }
    at = put_short(at, end);
    bytes_grow(&t->out, (size_t)(at - begin));
}

static void put_csv_heading(TableOut *t)
{
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        const char *name = t->table->columns[i].name;
        if (i > 0) bytes_append(&t->out, ",", 1);
        csv_append_field(c_string_view(name), &t->out);
    }
    bytes_append(&t->out, "\r\n", 2);
}

/* Makes the texts before the values of each column. False when out of memory. */
static bool make_befores(TableOut *t)
{
    enum { VALUE_ROOM = 24, END_ROOM = 8 };
    size_t at = 0;
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        if (t->form == TABLE_FORM_CSV)
            bytes_append_text(&t->befores, i == 0 ? "" : ",");
        else
            bytes_printf(&t->befores, "%s\"%s\":", i == 0 ? "{" : ",", t->table->columns[i].name);
        t->columns[i].before.size = t->befores.size - at;
        at = t->befores.size;
    }
    if (t->befores.failed) return false;
    at = 0;
    for (uint32_t i = 0; i < t->table->column_count; i++) {
        ColumnOut *column = &t->columns[i];
        column->before.bytes = t->befores.size == 0 ? "" : (const char *)t->befores.data + at;
        column->type = t->table->columns[i].type;
        column->has_dictionary = table_reader_has_dictionary(t->reader, i);
        at += column->before.size;
    }
    t->row_room = at + t->table->column_count * (size_t)VALUE_ROOM + END_ROOM;
    return true;
}

static bool put_rows(TableOut *t, const OutputSink *sink, Err *err)
{
    const TableBatch *batch;
    if (!make_befores(t)) return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (t->form == TABLE_FORM_CSV) put_csv_heading(t);
    while (table_reader_next(t->reader, &batch, err)) {
        if (batch == NULL) return writer_flush(sink, &t->out, 0, err);
        for (uint32_t row = 0; row < batch->count; row++) {
            put_row(t, batch, row);
            if (!writer_flush(sink, &t->out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    return false;
}

bool table_write(TableForm form, const SchemaTrace *trace, const SchemaTable *table,
                 const TableBounds *bounds, const OutputSink *sink, Err *err)
{
    Arena    arena = arena_create(0);
    TableOut t = { .form = form,
                   .table = table,
                   .columns = ARENA_ARRAY(&arena, ColumnOut, table->column_count) };
    bool     is_done = t.columns != NULL || err_set(err, ERR_MEMORY, "out of memory for the output");
    if (is_done) {
        t.reader = table_reader_open(trace, table, bounds, &arena, err);
        is_done =
            t.reader != NULL && (form == TABLE_FORM_ARROW ? arrow_write(trace, table, t.reader, sink, err)
                                                          : put_rows(&t, sink, err));
        table_reader_close(t.reader);
        for (uint32_t i = 0; i < table->column_count; i++)
            bytes_release(&t.columns[i].escaped);
    }
    bytes_release(&t.befores);
    bytes_release(&t.out);
    arena_release(&arena);
    return is_done;
}
