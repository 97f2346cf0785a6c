#include "export/arrow.h"

#include "export/arrow_columns.h"
#include "export/flatbuffer.h"

#include <string.h>

/* Enumerators of Arrow's format: Message.fbs, Schema.fbs. */
enum { METADATA_V5 = 4 };
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_RECORD = 3 };
enum { TYPE_INT = 2, TYPE_FLOATING_POINT = 3, TYPE_UTF8 = 5, TYPE_BOOL = 6 };
enum { PRECISION_DOUBLE = 2 };

typedef struct ArrowBuffer {
    uint64_t at, size; /* in the body */
} ArrowBuffer;

typedef struct ArrowNode {
    uint64_t rows, nulls;
} ArrowNode;

typedef struct ArrowOut {
    const SchemaTrace *trace;
    const SchemaTable *table;
    TableReader       *reader;
    const OutputSink  *sink;
    Bytes              metadata, body, text;
    Arena              arena;   /* of the batch */
    ArrowNode         *nodes;   /* of the batch, one for each column */
    ArrowBuffer       *buffers; /* of the batch, at most ARROW_BUFFERS_MOST for each column */
    uint32_t           node_count, buffer_count;
} ArrowOut;

/* -- messages -- */

/* Begins the metadata of a message. Returns the position of the reference to its header. */
static size_t begin_message(ArrowOut *a, uint8_t header, uint64_t body_size)
{
    static const uint8_t SIZES[] = { 2, 1, 4, 8 }; /* version, header_type, header, bodyLength */
    bytes_clear(&a->metadata);
    flat_begin(&a->metadata);
    const FlatTable message = flat_table(&a->metadata, SIZES, sizeof SIZES);
    flat_refer(&a->metadata, 0, message.at);
    flat_set(&a->metadata, message.fields[0], METADATA_V5, 2);
    flat_set(&a->metadata, message.fields[1], header, 1);
    flat_set(&a->metadata, message.fields[3], body_size, 8);
    return message.fields[2];
}

/* Writes the message: 0xffffffff, the size of the metadata, the metadata padded to 8 bytes, the body. */
static bool end_message(ArrowOut *a, Err *err)
{
    static const uint8_t ZEROS[8] = { 0 };
    uint8_t              head[8] = { 0xff, 0xff, 0xff, 0xff };
    bytes_append(&a->metadata, ZEROS, -a->metadata.size & 7);
    if (a->metadata.failed || a->body.failed) return err_set(err, ERR_MEMORY, "out of memory for the output");
    for (size_t i = 0; i < 4; i++)
        head[4 + i] = (uint8_t)(a->metadata.size >> 8 * i);
    return a->sink->append(a->sink->context, head, sizeof head, err) &&
           writer_flush(a->sink, &a->metadata, 0, err) && writer_flush(a->sink, &a->body, 0, err);
}

/* -- the schema -- */

static size_t put_int_type(Bytes *out, unsigned bits)
{
    static const uint8_t SIZES[] = { 4, 1 }; /* bitWidth, is_signed */
    const FlatTable      type = flat_table(out, SIZES, sizeof SIZES);
    flat_set(out, type.fields[0], bits, 4);
    flat_set(out, type.fields[1], 1, 1);
    return type.at;
}

static size_t put_type(Bytes *out, SchemaType type)
{
    static const uint8_t SIZES[] = { 2 }; /* FloatingPoint.precision */
    if (type == SCHEMA_INT) return put_int_type(out, 64);
    if (type != SCHEMA_REAL) return flat_table(out, SIZES, 0).at;
    const FlatTable real = flat_table(out, SIZES, sizeof SIZES);
    flat_set(out, real.fields[0], PRECISION_DOUBLE, 2);
    return real.at;
}

static size_t put_field(ArrowOut *a, uint32_t column)
{
    /* by SchemaType */
    static const uint8_t TYPES[] = { TYPE_BOOL, TYPE_INT, TYPE_FLOATING_POINT, TYPE_UTF8 };
    /* id, indexType */
    static const uint8_t ENCODING[] = { 8, 4 };
    const SchemaColumn  *schema = &a->table->columns[column];
    const bool           has_dictionary = table_reader_has_dictionary(a->reader, column);
    Bytes               *out = &a->metadata;
    /* name, nullable, type_type, type, dictionary, children */
    const uint8_t   sizes[] = { 4, 1, 1, 4, has_dictionary ? 4 : 0, 4 };
    const FlatTable field = flat_table(out, sizes, sizeof sizes);
    flat_refer(out, field.fields[0], flat_string(out, schema->name));
    flat_set(out, field.fields[1], 1, 1);
    flat_set(out, field.fields[2], TYPES[schema->type], 1);
    flat_refer(out, field.fields[3], put_type(out, schema->type));
    flat_refer(out, field.fields[5], flat_vector(out, 0, 4));
    if (has_dictionary) {
        const FlatTable encoding = flat_table(out, ENCODING, sizeof ENCODING);
        flat_refer(out, field.fields[4], encoding.at);
        flat_set(out, encoding.fields[0], values_texts(schema), 8);
        flat_refer(out, encoding.fields[1], put_int_type(out, 32));
    }
    return field.at;
}

static bool put_schema(ArrowOut *a, Err *err)
{
    static const uint8_t SIZES[] = { 2, 4 }; /* endianness (0 = little), fields */
    const size_t         header = begin_message(a, HEADER_SCHEMA, 0);
    const FlatTable      schema = flat_table(&a->metadata, SIZES, sizeof SIZES);
    const size_t         fields = flat_vector(&a->metadata, a->table->column_count, 4);
    flat_refer(&a->metadata, header, schema.at);
    flat_refer(&a->metadata, schema.fields[1], fields);
    for (uint32_t i = 0; i < a->table->column_count; i++)
        flat_refer(&a->metadata, fields + 4 + (size_t)4 * i, put_field(a, i));
    return end_message(a, err);
}

/* -- batches -- */

static void begin_batch(ArrowOut *a)
{
    bytes_clear(&a->body);
    arena_clear(&a->arena);
    a->node_count = a->buffer_count = 0;
}

/* Appends the buffers of a column to the body, each padded to 8 bytes. */
static void put_column(ArrowOut *a, const ArrowColumn *column, uint64_t rows)
{
    static const uint8_t ZEROS[8] = { 0 };
    a->nodes[a->node_count++] = (ArrowNode){ rows, column->nulls };
    for (uint32_t i = 0; i < column->buffer_count; i++) {
        a->buffers[a->buffer_count++] = (ArrowBuffer){ a->body.size, column->sizes[i] };
        bytes_append(&a->body, column->buffers[i], column->sizes[i]);
        bytes_append(&a->body, ZEROS, -a->body.size & 7);
    }
}

/* Appends the RecordBatch of the body, and returns its position. */
static size_t put_record(ArrowOut *a, uint64_t rows)
{
    static const uint8_t SIZES[] = { 8, 4, 4 }; /* length, nodes, buffers */
    Bytes               *out = &a->metadata;
    const FlatTable      record = flat_table(out, SIZES, sizeof SIZES);
    const size_t nodes = flat_vector(out, a->node_count, 16), buffers = flat_vector(out, a->buffer_count, 16);
    flat_set(out, record.fields[0], rows, 8);
    flat_refer(out, record.fields[1], nodes);
    flat_refer(out, record.fields[2], buffers);
    for (uint32_t i = 0; i < a->node_count; i++) {
        flat_set(out, nodes + 4 + (size_t)16 * i, a->nodes[i].rows, 8);
        flat_set(out, nodes + 12 + (size_t)16 * i, a->nodes[i].nulls, 8);
    }
    for (uint32_t i = 0; i < a->buffer_count; i++) {
        flat_set(out, buffers + 4 + (size_t)16 * i, a->buffers[i].at, 8);
        flat_set(out, buffers + 12 + (size_t)16 * i, a->buffers[i].size, 8);
    }
    return record.at;
}

/* -- dictionaries -- */

static bool put_dictionary(ArrowOut *a, ValueTexts texts, Err *err)
{
    static const uint8_t SIZES[] = { 8, 4 }; /* id, data */
    const uint32_t       count = values_text_count(a->trace->trace, texts);
    ArrowColumn          column;
    begin_batch(a);
    if (!arrow_dictionary(a->trace, texts, &a->arena, &a->text, &column, err)) return false;
    put_column(a, &column, count);
    const size_t    header = begin_message(a, HEADER_DICTIONARY, a->body.size);
    const FlatTable dictionary = flat_table(&a->metadata, SIZES, sizeof SIZES);
    flat_refer(&a->metadata, header, dictionary.at);
    flat_set(&a->metadata, dictionary.fields[0], texts, 8);
    flat_refer(&a->metadata, dictionary.fields[1], put_record(a, count));
    return end_message(a, err);
}

static bool put_dictionaries(ArrowOut *a, Err *err)
{
    bool is_written[TEXTS_COUNT] = { false };
    for (uint32_t i = 0; i < a->table->column_count; i++) {
        if (!table_reader_has_dictionary(a->reader, i)) continue;
        const ValueTexts texts = values_texts(&a->table->columns[i]);
        if (!is_written[texts] && !put_dictionary(a, texts, err)) return false;
        is_written[texts] = true;
    }
    return true;
}

/* -- rows -- */

static bool put_batch(ArrowOut *a, const TableBatch *batch, Err *err)
{
    begin_batch(a);
    for (uint32_t i = 0; i < a->table->column_count; i++) {
        ArrowColumn column;
        if (!arrow_column(a->reader, a->table, batch, i, &a->arena, &a->text, &column, err)) return false;
        put_column(a, &column, batch->count);
    }
    const size_t header = begin_message(a, HEADER_RECORD, a->body.size);
    flat_refer(&a->metadata, header, put_record(a, batch->count));
    return end_message(a, err);
}

static bool put_all(ArrowOut *a, Err *err)
{
    static const uint8_t END[8] = { 0xff, 0xff, 0xff, 0xff };
    const TableBatch    *batch;
    if (!put_schema(a, err) || !put_dictionaries(a, err)) return false;
    while (table_reader_next(a->reader, &batch, err)) {
        if (batch == NULL) return a->sink->append(a->sink->context, END, sizeof END, err);
        if (!put_batch(a, batch, err)) return false;
    }
    return false;
}

bool arrow_write(const SchemaTrace *trace, const SchemaTable *table, TableReader *reader,
                 const OutputSink *sink, Err *err)
{
    Arena    arena = arena_create(0);
    ArrowOut a = { .trace = trace,
                   .table = table,
                   .reader = reader,
                   .sink = sink,
                   .nodes = ARENA_ARRAY(&arena, ArrowNode, table->column_count),
                   .buffers =
                       ARENA_ARRAY(&arena, ArrowBuffer, (size_t)table->column_count * ARROW_BUFFERS_MOST) };
    bool     is_done =
        (a.nodes != NULL && a.buffers != NULL) || err_set(err, ERR_MEMORY, "out of memory for the output");
    is_done = is_done && put_all(&a, err);
    bytes_release(&a.metadata);
    bytes_release(&a.body);
    bytes_release(&a.text);
    arena_release(&a.arena);
    arena_release(&arena);
    return is_done;
}
