/* base/base64.h - base64 (RFC 4648). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H
#include "base/string_view.h"

/* Appends the decoded bytes of base64 for URLs (section 5), without padding. Sets *fault to the offset of the first
 * wrong character and returns false if `code` is not in that form. When out of memory `out` has failed. */
bool base64_url_append(StringView code, Bytes *out, size_t *fault) WARN_UNUSED;

/* Appends bytes in base64 (section 4), with padding. When out of memory `out` has failed. */
void base64_append(const void *bytes, size_t size, Bytes *out);

#endif
