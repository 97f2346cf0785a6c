#include "export/arrow_columns.h"

#include "base/utf8.h"

#include <string.h>

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the output");
}

/* -- texts -- */

typedef struct TextsOut {
    uint32_t *offsets; /* int32 in Arrow */
    uint32_t  count;
    Bytes    *text;
} TextsOut;

static bool begin_texts(TextsOut *out, uint32_t count, Arena *arena, Bytes *text, Err *err)
{
    *out = (TextsOut){ .offsets = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1), .text = text };
    bytes_clear(text);
    return out->offsets != NULL || no_memory(err);
}

/* Appends a text as UTF-8. Invalid bytes become U+FFFD. */
static void put_utf8(StringView text, Bytes *out)
{
    for (size_t at = 0; at < text.size;) {
        const size_t valid = utf8_valid_prefix(text.bytes + at, text.size - at);
        size_t       used;
        bytes_append(out, text.bytes + at, valid);
        at += valid;
        if (at == text.size) return;
        (void)utf8_decode(text.bytes + at, text.size - at, &used);
        bytes_append(out, "\xef\xbf\xbd", 3);
        at += used;
    }
}

static void add_text(TextsOut *out, StringView text)
{
    put_utf8(text, out->text);
    out->offsets[++out->count] = (uint32_t)out->text->size; /* end_texts checks the size */
}

static bool end_texts(const TextsOut *texts, ArrowColumn *out, Err *err)
{
    if (texts->text->failed) return no_memory(err);
    if (texts->text->size > INT32_MAX)
        return err_set(err, ERR_LIMIT, "arrow: the texts of a column take 2 GiB or more");
    out->buffer_count = 3;
    out->buffers[1] = texts->offsets;
    out->sizes[1] = ((size_t)texts->count + 1) * sizeof *texts->offsets;
    out->buffers[2] = texts->text->data;
    out->sizes[2] = texts->text->size;
    return true;
}

bool arrow_dictionary(const SchemaTrace *trace, ValueTexts texts, Arena *arena, Bytes *text, ArrowColumn *out,
                      Err *err)
{
    const uint32_t count = values_text_count(trace->trace, texts);
    TextsOut       entries;
    Bytes          entry = { 0 };
    *out = (ArrowColumn){ 0 };
    if (!begin_texts(&entries, count, arena, text, err)) return false;
    for (uint32_t i = 0; i < count && text->size <= INT32_MAX; i++) {
        bytes_clear(&entry);
        const bool has_text = values_append_text(trace->trace, trace->name, texts, i, &entry);
        add_text(&entries, has_text && !entry.failed ? bytes_view(&entry) : STRING_LITERAL(""));
        text->failed |= entry.failed;
    }
    bytes_release(&entry);
    return end_texts(&entries, out, err);
}

/* -- columns -- */

static uint64_t count_nulls(const TableColumn *column, uint32_t rows)
{
    uint64_t nulls = 0;
    for (uint32_t i = 0; column->valid != NULL && i < rows; i++)
        nulls += table_is_null(column, i);
    return nulls;
}

static bool pack_bools(const uint8_t *bools, uint32_t rows, Arena *arena, ArrowColumn *out, Err *err)
{
    out->sizes[1] = (rows + 7) / 8;
    uint8_t *bits = ARENA_ARRAY(arena, uint8_t, out->sizes[1]);
    if (bits == NULL) return no_memory(err);
    for (uint32_t i = 0; i < rows; i++)
        bits[i / 8] = (uint8_t)(bits[i / 8] | (bools[i] != 0) << i % 8);
    out->buffers[1] = bits;
    return true;
}

bool arrow_column(TableReader *reader, const SchemaTable *table, const TableBatch *batch, uint32_t column,
                  Arena *arena, Bytes *text, ArrowColumn *out, Err *err)
{
    const TableColumn *from = &batch->columns[column];
    const SchemaType   type = table->columns[column].type;
    *out = (ArrowColumn){ .nulls = count_nulls(from, batch->count), .buffer_count = 2 };
    if (out->nulls > 0) {
        out->buffers[0] = from->valid;
        out->sizes[0] = (batch->count + 7) / 8;
    }
    if (type == SCHEMA_BOOL) return pack_bools(from->values, batch->count, arena, out, err);
    if (type == SCHEMA_TEXT && !table_reader_has_dictionary(reader, column)) {
        const uint32_t *indices = from->values;
        TextsOut        texts;
        if (!begin_texts(&texts, batch->count, arena, text, err)) return false;
        for (uint32_t i = 0; i < batch->count; i++)
            add_text(&texts, table_reader_text(reader, column, indices[i]));
        return end_texts(&texts, out, err);
    }
    out->buffers[1] = from->values;
    out->sizes[1] = batch->count * values_size(type);
    return true;
}
