#include "query/fill.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(bool) == sizeof(uint8_t), "DuckDB's BOOLEAN is the array of a SCHEMA_BOOL");

static void set_null(const DuckDb *duck, DuckVector vector, uint32_t row)
{
    duck->vector_ensure_validity_writable(vector);
    duck->vector_get_validity(vector)[row / 64] &= ~((uint64_t)1 << row % 64);
}

/* -- texts -- */

static DuckVector make_texts(const FillTrace *t, ValueTexts texts)
{
    const DuckDb   *duck = t->duck;
    const uint32_t  count = values_text_count(t->trace, texts);
    DuckLogicalType type = duck->create_logical_type(DUCK_VARCHAR);
    DuckVector      vector = duck->create_vector(type, count);
    Bytes           text = { 0 };
    duck->destroy_logical_type(&type);
    for (uint32_t i = 0; vector != NULL && i < count; i++) {
        bytes_clear(&text);
        if (values_append_text(t->trace, t->name, texts, i, &text) && !text.failed) {
            duck->vector_assign_string_element_len(vector, i, (const char *)text.data, text.size);
        } else {
            set_null(duck, vector, i);
        }
    }
    bytes_release(&text);
    return vector;
}

static DuckVector texts_of(FillTrace *t, ValueTexts texts)
{
    lock_take(t->lock);
    if (t->texts[texts] == NULL) t->texts[texts] = make_texts(t, texts);
    DuckVector vector = t->texts[texts];
    lock_give(t->lock);
    return vector;
}

void fill_trace_release(FillTrace *t)
{
    for (uint32_t i = 0; i < TEXTS_COUNT; i++)
        if (t->texts[i] != NULL) t->duck->destroy_vector(&t->texts[i]);
}

/* -- columns -- */

/* Makes `to` a dictionary vector. */
static void fill_texts(FillTrace *t, const SchemaColumn *column, const ScanColumn *scanned,
                       const ScanBatch *batch, DuckVector to)
{
    const DuckDb *duck = t->duck;
    DuckSelection selection = duck->create_selection_vector(batch->count);
    ValuesValid   valid; /* not needed: NULL is an entry of the dictionary */
    (void)values_read(t->trace, column, scanned, batch, duck->selection_vector_get_data_ptr(selection),
                      &valid);
    duck->vector_reference_vector(to, texts_of(t, values_texts(column)));
    duck->slice_vector(to, selection, batch->count);
    duck->destroy_selection_vector(selection);
}

void fill_column(FillTrace *t, const SchemaColumn *column, const ScanColumn *scanned, const ScanBatch *batch,
                 DuckVector to)
{
    ValuesValid valid;
    if (column->type == SCHEMA_TEXT) {
        fill_texts(t, column, scanned, batch, to);
    } else if (values_read(t->trace, column, scanned, batch, t->duck->vector_get_data(to), &valid)) {
        t->duck->vector_ensure_validity_writable(to);
        memcpy(t->duck->vector_get_validity(to), valid.words,
               (batch->count + 63) / 64 * sizeof valid.words[0]);
    }
}

void fill_cell(const DuckDb *duck, SchemaType type, const SchemaCell *cell, DuckVector to, uint32_t row)
{
    if (cell->is_null) {
        set_null(duck, to, row);
        return;
    }
    switch (type) {
    case SCHEMA_BOOL:
        ((bool *)duck->vector_get_data(to))[row] = cell->integer != 0;
        break;
    case SCHEMA_INT:
        ((int64_t *)duck->vector_get_data(to))[row] = cell->integer;
        break;
    case SCHEMA_REAL:
        ((double *)duck->vector_get_data(to))[row] = cell->real;
        break;
    case SCHEMA_TEXT:
        duck->vector_assign_string_element_len(to, row, cell->text.bytes, cell->text.size);
        break;
    }
}
