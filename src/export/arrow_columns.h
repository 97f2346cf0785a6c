/* export/arrow_columns.h - the columns of a table in the layout of Arrow: https://arrow.apache.org/docs/format/Columnar.html
 *
 * The IPC stream (export/arrow.h) and the C stream (export/arrow_stream.h) have these buffers. Names and values are those
 * of SQL: integers are int64, reals double, booleans bool. Texts of tables with many rows are indices (int32) into
 * dictionaries, which columns share; others are utf8. Numbers, indices and the bits of NULL rows are the arrays of the
 * reader, without a copy. */
#ifndef EXPORT_ARROW_COLUMNS_H
#define EXPORT_ARROW_COLUMNS_H
#include "schema/reader.h"

enum { ARROW_BUFFERS_MOST = 3 };

typedef struct ArrowColumn {
    uint64_t nulls;
    uint32_t buffer_count; /* 2; of texts 3 */
    /* the bits of rows that are not NULL (NULL: all), then the values; of texts the offsets and the bytes */
    const void *buffers[ARROW_BUFFERS_MOST];
    size_t      sizes[ARROW_BUFFERS_MOST]; /* in bytes */
} ArrowColumn;

/* Makes a column of a batch of the reader. It is valid as long as the batch, `arena` and `text`, whose content is replaced by
 * the texts of a column of utf8. False: err is ERR_MEMORY, or ERR_LIMIT where the texts take 2 GiB or more. */
bool arrow_column(TableReader *reader, const SchemaTable *table, const TableBatch *batch, uint32_t column,
                  Arena *arena, Bytes *text, ArrowColumn *out, Err *err) WARN_UNUSED;
/* Makes the column of the entries of a dictionary. No entry is NULL: rows are. As arrow_column. */
bool arrow_dictionary(const SchemaTrace *trace, ValueTexts texts, Arena *arena, Bytes *text, ArrowColumn *out,
                      Err *err) WARN_UNUSED;

#endif
