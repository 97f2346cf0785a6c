/* schema/values.h - columns of the schema as plain arrays, from batches of a scan.
 *
 * SQL vectors, Arrow arrays, CSV and JSON Lines are made from these. The array of a column has an element for each row:
 *     SCHEMA_BOOL  uint8_t, 0 or 1
 *     SCHEMA_INT   int64_t; integers above INT64_MAX, which only damaged sources give, become INT64_MAX
 *     SCHEMA_REAL  double
 *     SCHEMA_TEXT  uint32_t: an index into the column's dictionary
 * The element of a NULL row is unspecified, but a text's is a valid index.
 *
 * Dictionaries belong to the trace: all batches of a trace have the same. They are not stored: values_append_text makes
 * one entry. Entry 0 is NULL in those of strings, tracks and processes. Any thread may call these functions. */
#ifndef SCHEMA_VALUES_H
#define SCHEMA_VALUES_H
#include "schema/schema.h"

typedef enum {
    TEXTS_TRACE_NAME,
    TEXTS_STRINGS,
    TEXTS_TRACKS,
    TEXTS_PROCESSES,
    TEXTS_KINDS,
    TEXTS_SCOPES,
    TEXTS_COUNT
} ValueTexts;

/* Returns the dictionary of a text column of a TABLE_SCAN. */
ValueTexts values_texts(const SchemaColumn *column);
/* Returns the number of entries of a dictionary. */
uint32_t values_text_count(const Trace *trace, ValueTexts texts);
/* Appends an entry, which may contain NUL bytes. False: the entry is NULL, nothing was appended. `name` is the value of the
 * column `trace`. */
bool values_append_text(const Trace *trace, const char *name, ValueTexts texts, uint32_t index, Bytes *out);

/* Bit i % 64 of word i / 64 is set if row i is not NULL. */
typedef struct ValuesValid {
    uint64_t words[(SCAN_BATCH_ROWS + 63) / 64];
} ValuesValid;

/* Returns the bytes of an element of the array of a column of that type. */
size_t values_size(SchemaType type);
/* Writes one column of a batch into `values`, which has room for batch->count elements. `scanned` describes the column of
 * the scan that it is made from. Returns true if any row is NULL: then `valid` is filled, else it is not. */
bool values_read(const Trace *trace, const SchemaColumn *column, const ScanColumn *scanned,
                 const ScanBatch *batch, void *values, ValuesValid *valid);

#endif
