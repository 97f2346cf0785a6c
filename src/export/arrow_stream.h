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
#include "base/arrow_abi.h"
#include "schema/reader.h"

/* Opens a stream of the rows of a table within the bounds (NULL: all rows). The trace and all that `trace` points to must
 * outlive the stream, but not its arrays, which own their values; `bounds` is not needed later. False: err is ERR_USAGE for bounds that make no
 * sense, ERR_MEMORY, or ERR_LIMIT where the texts of a dictionary take 2 GiB or more. */
bool arrow_stream_open(const SchemaTrace *trace, const SchemaTable *table, const TableBounds *bounds,
                       struct ArrowArrayStream *out, Err *err) WARN_UNUSED;

#endif
