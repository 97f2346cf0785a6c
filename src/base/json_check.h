/* base/json_check.h - validates JSON text before it is copied into other JSON (json_raw). */
#ifndef BASE_JSON_CHECK_H
#define BASE_JSON_CHECK_H
#include <stdbool.h>
#include <stddef.h>

enum { JSON_CHECK_MAX_DEPTH = 512 };

/* True if the text is exactly one JSON value (RFC 8259) in valid UTF-8, nested at most JSON_CHECK_MAX_DEPTH deep. White
 * space around the value is allowed. Does not recurse. */
bool json_valid(const char *text, size_t size);

/* As json_valid; sets *fault to the offset of the first wrong byte, the size if the text ends too early. */
bool json_valid_until(const char *text, size_t size, size_t *fault);

/* True if the text is valid as for json_valid and the value is an object. */
bool json_valid_object(const char *text, size_t size);

#endif
