/* A result as an Arrow C stream. DuckDB makes the arrays. */
#include "query/sql_result.h"

#include <errno.h>
#include <string.h>

typedef struct SqlStream {
    Arena      arena; /* holds this too */
    SqlResult *result;
    DuckArrow  options;
    Err        err;
} SqlStream;

/* Releases an error of DuckDB. Returns 0 if it is empty, or else EIO, and keeps its message. */
static int take_error(SqlStream *stream, DuckError error)
{
    const DuckDb *duck = stream->result->database->duck;
    const bool    failed = error != NULL && duck->error_data_has_error(error);
    if (failed) (void)err_set(&stream->err, ERR_UNKNOWN, "DuckDB: %.200s", duck->error_data_message(error));
    if (error != NULL) duck->destroy_error_data(&error);
    return failed ? EIO : 0;
}

static int get_schema(struct ArrowArrayStream *from, struct ArrowSchema *out)
{
    SqlStream       *stream = from->private_data;
    SqlResult       *result = stream->result;
    const DuckDb    *duck = result->database->duck;
    Arena            arena = arena_create(0);
    DuckLogicalType *types = ARENA_ARRAY(&arena, DuckLogicalType, result->column_count);
    const char     **names = ARENA_ARRAY(&arena, const char *, result->column_count);
    int              status = ENOMEM;
    if (types != NULL && names != NULL) {
        for (uint32_t i = 0; i < result->column_count; i++) {
            types[i] = duck->column_logical_type(&result->result, i);
            names[i] = result->columns[i].name;
        }
        status = take_error(stream,
                            duck->to_arrow_schema(stream->options, types, names, result->column_count, out));
        for (uint32_t i = 0; i < result->column_count; i++)
            duck->destroy_logical_type(&types[i]);
    } else {
        (void)err_set(&stream->err, ERR_MEMORY, "out of memory for the result");
    }
    arena_release(&arena);
    return status;
}

static int get_next(struct ArrowArrayStream *from, struct ArrowArray *out)
{
    SqlStream *stream = from->private_data;
    uint32_t   rows;
    memset(out, 0, sizeof *out); /* without `release`: the end */
    if (!sql_next(stream->result, &rows, &stream->err)) return EIO;
    if (rows == 0) return 0;
    return take_error(stream, stream->result->database->duck->data_chunk_to_arrow(
                                  stream->options, stream->result->chunk, out));
}

static const char *get_last_error(struct ArrowArrayStream *from)
{
    const SqlStream *stream = from->private_data;
    return stream->err.code == ERR_NONE ? NULL : stream->err.message;
}

static void release_stream(struct ArrowArrayStream *from)
{
    SqlStream    *stream = from->private_data;
    const DuckDb *duck = stream->result->database->duck;
    Arena         arena = stream->arena;
    duck->destroy_arrow_options(&stream->options);
    sql_release(stream->result);
    arena_release(&arena);
    from->release = NULL;
}

bool sql_arrow_open(SqlResult *result, struct ArrowArrayStream *out, Err *err)
{
    Arena      arena = arena_create(0);
    SqlStream *stream = ARENA_NEW(&arena, SqlStream);
    if (stream == NULL) return err_set(err, ERR_MEMORY, "out of memory for the result");
    *stream = (SqlStream){ .arena = arena,
                           .result = result,
                           .options = result->database->duck->result_get_arrow_options(&result->result) };
    if (stream->options == NULL) {
        arena_release(&arena);
        return err_set(err, ERR_UNKNOWN, "DuckDB has no Arrow options for this result");
    }
    *out = (struct ArrowArrayStream){ .get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = stream };
    return true;
}
