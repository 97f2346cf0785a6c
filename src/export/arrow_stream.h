/* export/arrow_stream.h - a table as an Arrow C stream: https://arrow.apache.org/docs/format/CStreamInterface.html
 *
 * Another library in the same process (DuckDB, Polars, pyarrow, ...) reads the rows of a table through the three functions
 * of ArrowArrayStream, without a file. The columns are those of export/arrow_columns.h: each batch has arrays of its
 * own, into which the reader writes, so that no array is copied.
 *
 * The consumer owns the schema, the arrays and the stream, and releases each with its member `release`; arrays may outlive
 * the stream. One thread at a time uses a stream. Released arrays free their memory in any thread. */
#ifndef EXPORT_ARROW_STREAM_H
#define EXPORT_ARROW_STREAM_H
#include "schema/reader.h"

/* The binary interface of Arrow, as its specification declares it. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char          *format, *name, *metadata;
    int64_t              flags, n_children;
    struct ArrowSchema **children;
    struct ArrowSchema  *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t             length, null_count, offset, n_buffers, n_children;
    const void        **buffers;
    struct ArrowArray **children;
    struct ArrowArray  *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};
#endif

/* Opens a stream of the rows of a table within the bounds (NULL: all rows). The trace and all that `trace` points to must
 * outlive the stream, but not its arrays, which own their values; `bounds` is not needed later. False: err is ERR_USAGE for bounds that make no
 * sense, ERR_MEMORY, or ERR_LIMIT where the texts of a dictionary take 2 GiB or more. */
bool arrow_stream_open(const SchemaTrace *trace, const SchemaTable *table, const TableBounds *bounds,
                       struct ArrowArrayStream *out, Err *err) WARN_UNUSED;

#endif
