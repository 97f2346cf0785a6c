/* base/csv.h - escapes fields of CSV (RFC 4180). */
#ifndef BASE_CSV_H
#define BASE_CSV_H
#include "base/string_view.h"

/* Appends a field, in quotes if it needs them. An empty text gets quotes too, because an empty field is NULL. */
void csv_append_field(StringView text, Bytes *out);

#endif
