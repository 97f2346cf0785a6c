/* format/go/common/quote.h - text as Go's %q prints it, and numbers. */
#ifndef FORMAT_GO_COMMON_QUOTE_H
#define FORMAT_GO_COMMON_QUOTE_H
#include "base/string_view.h"

/* Appends the text in quotes. Escapes invalid UTF-8 and unprintable characters. */
void go_quoted_append(StringView text, Bytes *out);
/* Appends a text and the decimal digits of a number. It is faster than printf: a dump prints millions of numbers. */
void go_number_append(const char *before, int64_t value, Bytes *out);
void go_unsigned_append(const char *before, uint64_t value, Bytes *out);

#endif
