#include "export/arrow_stream.h"

#include "export/arrow_columns.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/* -- memory that several structures of the interface share -- */

/* Freed with its last user. A user is an ArrowSchema or an ArrowArray, which a consumer may move out of its parent, or the
 * stream. */
typedef struct Shared {
    _Atomic uint32_t users;
    Arena            arena; /* holds this too */
    Bytes           *texts; /* owned */
    uint32_t         text_count;
} Shared;

/* Returns memory with one user and room for `text_count` texts; NULL when out of memory. */
static Shared *shared_create(uint32_t text_count)
{
    Arena   arena = arena_create(0);
    Shared *shared = ARENA_NEW(&arena, Shared);
    Bytes  *texts = ARENA_ARRAY(&arena, Bytes, text_count);
    if (shared == NULL || texts == NULL) {
        arena_release(&arena);
        return NULL;
    }
    shared->arena = arena;
    shared->texts = texts;
    shared->text_count = text_count;
    atomic_init(&shared->users, 1);
    return shared;
}

static Shared *shared_use(Shared *shared)
{
    atomic_fetch_add(&shared->users, 1);
    return shared;
}

static void shared_release(Shared *shared)
{
    if (shared == NULL || atomic_fetch_sub(&shared->users, 1) > 1) return;
    for (uint32_t i = 0; i < shared->text_count; i++)
        bytes_release(&shared->texts[i]);
    Arena arena = shared->arena;
    arena_release(&arena);
}

/* -- the stream -- */

/* A dictionary of the trace. */
typedef struct Dictionary {
    bool        is_made;
    uint32_t    count;
    ArrowColumn column;
} Dictionary;

typedef struct Stream {
    Arena              arena; /* holds this too */
    SchemaTrace        trace;
    const SchemaTable *table;
    TableReader       *reader;
    Shared            *texts; /* of the dictionaries */
    Dictionary         dictionaries[TEXTS_COUNT];
    Err                err; /* of the last call */
} Stream;

static int failed(const Stream *stream)
{
    return stream->err.code == ERR_MEMORY ? ENOMEM : EIO;
}

static int no_memory(Stream *stream)
{
    (void)err_set(&stream->err, ERR_MEMORY, "out of memory for the rows of a table");
    return ENOMEM;
}

/* -- the schema -- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    shared_release(schema->private_data);
}

static struct ArrowSchema schema_of(const char *format, const char *name, Shared *shared)
{
    return (struct ArrowSchema){ .format = format,
                                 .name = name,
                                 .flags = ARROW_FLAG_NULLABLE,
                                 .release = release_schema,
                                 .private_data = shared_use(shared) };
}

static int get_schema(struct ArrowArrayStream *from, struct ArrowSchema *out)
{
    static const char *const FORMATS[] = { "b", "l", "g", "u" }; /* by SchemaType */
    Stream                  *stream = from->private_data;
    const uint32_t           count = stream->table->column_count;
    Shared                  *shared = shared_create(0);
    struct ArrowSchema      *columns =
        shared == NULL ? NULL : ARENA_ARRAY(&shared->arena, struct ArrowSchema, 2 * (size_t)count);
    struct ArrowSchema **children =
        shared == NULL ? NULL : ARENA_ARRAY(&shared->arena, struct ArrowSchema *, count);
    if (columns == NULL || children == NULL) {
        shared_release(shared);
        return no_memory(stream);
    }
    for (uint32_t i = 0; i < count; i++) {
        const SchemaColumn *column = &stream->table->columns[i];
        const bool          has_dictionary = table_reader_has_dictionary(stream->reader, i);
        children[i] = &columns[i];
        columns[i] = schema_of(has_dictionary ? "i" : FORMATS[column->type], column->name, shared);
        if (!has_dictionary) continue;
        columns[count + i] = schema_of("u", "", shared);
        columns[i].dictionary = &columns[count + i];
    }
    *out = schema_of("+s", "", shared);
    out->flags = 0; /* the rows themselves are not NULL */
    out->n_children = count;
    out->children = children;
    shared_release(shared);
    return 0;
}

/* -- rows -- */

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    array->release = NULL;
    shared_release(array->private_data);
}

/* Makes an array with the buffers of a column, which live in `shared`. `buffers` has room for their addresses. */
static struct ArrowArray array_of(const ArrowColumn *column, uint32_t rows, const void **buffers,
                                  Shared *shared)
{
    memcpy(buffers, column->buffers, column->buffer_count * sizeof *buffers);
    return (struct ArrowArray){ .length = rows,
                                .null_count = (int64_t)column->nulls,
                                .n_buffers = column->buffer_count,
                                .buffers = buffers,
                                .release = release_array,
                                .private_data = shared_use(shared) };
}

/* The arrays of a batch while it is made. All in Shared.arena. */
typedef struct BatchOut {
    Shared             *shared;
    struct ArrowArray  *arrays; /* of the columns, then of their dictionaries */
    struct ArrowArray **children;
    const void        **buffers; /* ARROW_BUFFERS_MOST for each array, then one for the rows */
} BatchOut;

static bool batch_create(const Stream *stream, BatchOut *out)
{
    const size_t count = stream->table->column_count;
    *out = (BatchOut){ .shared = shared_create(stream->table->column_count) };
    if (out->shared == NULL) return false;
    Arena *arena = &out->shared->arena;
    out->arrays = ARENA_ARRAY(arena, struct ArrowArray, 2 * count);
    out->children = ARENA_ARRAY(arena, struct ArrowArray *, count);
    out->buffers = ARENA_ARRAY(arena, const void *, 2 * count * ARROW_BUFFERS_MOST + 1);
    return out->arrays != NULL && out->children != NULL && out->buffers != NULL;
}

static bool batch_column(Stream *stream, const BatchOut *out, const TableBatch *batch, uint32_t i)
{
    const uint32_t count = stream->table->column_count;
    ArrowColumn    column;
    if (!arrow_column(stream->reader, stream->table, batch, i, &out->shared->arena, &out->shared->texts[i],
                      &column, &stream->err))
        return false;
    out->arrays[i] =
        array_of(&column, batch->count, out->buffers + (size_t)i * ARROW_BUFFERS_MOST, out->shared);
    out->children[i] = &out->arrays[i];
    if (!table_reader_has_dictionary(stream->reader, i)) return true;
    const Dictionary *dictionary = &stream->dictionaries[values_texts(&stream->table->columns[i])];
    const void      **buffers = out->buffers + ((size_t)count + i) * ARROW_BUFFERS_MOST;
    out->arrays[count + i] = array_of(&dictionary->column, dictionary->count, buffers, stream->texts);
    out->arrays[i].dictionary = &out->arrays[count + i];
    return true;
}

/* Releases the arrays of a batch that was not finished. */
static int batch_discard(const Stream *stream, const BatchOut *out)
{
    for (uint32_t i = 0; out->arrays != NULL && i < stream->table->column_count; i++)
        if (out->arrays[i].release != NULL) out->arrays[i].release(&out->arrays[i]);
    shared_release(out->shared);
    return failed(stream);
}

static int get_next(struct ArrowArrayStream *from, struct ArrowArray *out)
{
    static const ArrowColumn ROWS = { .buffer_count = 1 }; /* no row is NULL */
    Stream                  *stream = from->private_data;
    const TableBatch        *batch;
    BatchOut                 made;
    memset(out, 0, sizeof *out); /* without `release`: the end */
    if (!batch_create(stream, &made)) {
        (void)no_memory(stream);
        return batch_discard(stream, &made);
    }
    if (!table_reader_renew(stream->reader, &made.shared->arena, &stream->err) ||
        !table_reader_next(stream->reader, &batch, &stream->err))
        return batch_discard(stream, &made);
    if (batch == NULL) {
        shared_release(made.shared);
        return 0;
    }
    for (uint32_t i = 0; i < stream->table->column_count; i++)
        if (!batch_column(stream, &made, batch, i)) return batch_discard(stream, &made);
    const size_t column_count = stream->table->column_count;
    *out = array_of(&ROWS, batch->count, made.buffers + 2 * column_count * ARROW_BUFFERS_MOST, made.shared);
    out->n_children = (int64_t)column_count;
    out->children = made.children;
    shared_release(made.shared);
    return 0;
}

/* -- opening -- */

static const char *get_last_error(struct ArrowArrayStream *from)
{
    const Stream *stream = from->private_data;
    return stream->err.code == ERR_NONE ? NULL : stream->err.message;
}

static void stream_release(Stream *stream)
{
    Arena arena = stream->arena;
    table_reader_close(stream->reader);
    shared_release(stream->texts);
    arena_release(&arena);
}

static void release_stream(struct ArrowArrayStream *from)
{
    stream_release(from->private_data);
    from->release = NULL;
}

static bool make_dictionaries(Stream *stream, Err *err)
{
    for (uint32_t i = 0; i < stream->table->column_count; i++) {
        if (!table_reader_has_dictionary(stream->reader, i)) continue;
        const ValueTexts texts = values_texts(&stream->table->columns[i]);
        Dictionary      *dictionary = &stream->dictionaries[texts];
        if (dictionary->is_made) continue;
        dictionary->is_made = true;
        dictionary->count = values_text_count(stream->trace.trace, texts);
        if (!arrow_dictionary(&stream->trace, texts, &stream->texts->arena, &stream->texts->texts[texts],
                              &dictionary->column, err))
            return false;
    }
    return true;
}

bool arrow_stream_open(const SchemaTrace *trace, const SchemaTable *table, const TableBounds *bounds,
                       struct ArrowArrayStream *out, Err *err)
{
    Arena   arena = arena_create(0);
    Stream *stream = ARENA_NEW(&arena, Stream);
    if (stream == NULL) return err_set(err, ERR_MEMORY, "out of memory for the rows of a table");
    *stream =
        (Stream){ .arena = arena, .trace = *trace, .table = table, .texts = shared_create(TEXTS_COUNT) };
    stream->reader = table_reader_open(&stream->trace, table, bounds, &stream->arena, err);
    const bool is_open = stream->reader != NULL &&
                         (stream->texts != NULL || err_set(err, ERR_MEMORY, "out of memory for texts")) &&
                         make_dictionaries(stream, err);
    if (!is_open) {
        stream_release(stream);
        return false;
    }
    *out = (struct ArrowArrayStream){ .get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = stream };
    return true;
}
