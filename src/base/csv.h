/* base/csv.h - the only escaper of CSV (RFC 4180). */
#ifndef BASE_CSV_H
#define BASE_CSV_H
#include "base/arena.h"
#include "base/string_table.h"

/* Appends a field, in quotes where it must be. An empty text is in quotes too: an empty field has no value. */
void csv_append_field(StringView text, Bytes *out);

#endif
