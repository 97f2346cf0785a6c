/* format/go/quote.h - text as Go's %q prints it. */
#ifndef FORMAT_GO_QUOTE_H
#define FORMAT_GO_QUOTE_H
#include "base/string_table.h"

/* Appends the quoted text. Bytes that are no UTF-8 and characters that do not show are escaped. */
void go_quoted_append(StringView text, Bytes *out);

#endif
