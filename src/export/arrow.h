/* export/arrow.h - a table as an Arrow IPC stream: https://arrow.apache.org/docs/format/Columnar.html
 *
 * The stream is the schema, one dictionary batch for each dictionary, and a record batch for each batch of rows, with the
 * columns of export/arrow_columns.h. */
#ifndef EXPORT_ARROW_H
#define EXPORT_ARROW_H
#include "format/writer.h"
#include "schema/reader.h"

/* Writes the rows of an open reader, from the first one on. False: err is that of the sink, ERR_MEMORY, or ERR_LIMIT if
 * the texts of a dictionary take 2 GiB or more. */
bool arrow_write(const SchemaTrace *trace, const SchemaTable *table, TableReader *reader,
                 const OutputSink *sink, Err *err) WARN_UNUSED;

#endif
