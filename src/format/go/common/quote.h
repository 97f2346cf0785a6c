/* format/go/common/quote.h - text as Go's %q prints it. */
#ifndef FORMAT_GO_COMMON_QUOTE_H
#define FORMAT_GO_COMMON_QUOTE_H
#include "base/string_view.h"

/* Appends the text in quotes. Escapes invalid UTF-8 and unprintable characters. */
void go_quoted_append(StringView text, Bytes *out);

#endif
