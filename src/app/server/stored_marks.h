/* app/server/stored_marks.h - view files that the page stores between runs, with the marks of traces: one for each identity
 * (format/identity.h), in the folder `marks` of the user's state, readable by the user alone. */
#ifndef APP_SERVER_STORED_MARKS_H
#define APP_SERVER_STORED_MARKS_H
#include "base/arena.h"
#include "base/err.h"

/* A longer file is not stored. */
enum { STORED_MARKS_MAX = 4 << 20 };

/* Appends the stored file of an identity; nothing without one. False, with the reason, if it cannot be read, or if the text
 * is not an identity (ERR_USAGE). */
bool stored_marks_read(const char *identity, Bytes *out, Err *err) WARN_UNUSED;
/* Stores a file; an empty one is removed. Fails as stored_marks_read. */
bool stored_marks_write(const char *identity, const void *bytes, size_t size, Err *err) WARN_UNUSED;

#endif
