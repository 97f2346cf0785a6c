/* base/json_check.h - whether text is JSON, for what is passed on as it is (json_raw). */
#ifndef BASE_JSON_CHECK_H
#define BASE_JSON_CHECK_H
#include <stdbool.h>
#include <stddef.h>

enum { JSON_CHECK_MAX_DEPTH = 512 };

/* True if the text is exactly one JSON value (RFC 8259) in valid UTF-8, with white space around it allowed, nested at
 * most JSON_CHECK_MAX_DEPTH deep. Does not recurse. */
bool json_valid(const char *text, size_t size);

/* The same, and the value is an object. */
bool json_valid_object(const char *text, size_t size);

#endif
