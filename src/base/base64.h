/* base/base64.h - base64 for URLs (RFC 4648, section 5), without padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H
#include "base/arena.h"
#include "base/string_table.h"

/* Appends the decoded bytes. Sets *fault to the offset of the first wrong character and returns false if `code` is not in that
 * form. When out of memory `out` has failed. */
bool base64_url_append(StringView code, Bytes *out, size_t *fault) WARN_UNUSED;

#endif
