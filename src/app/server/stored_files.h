/* app/server/stored_files.h - files that the page stores between runs, in the user's state, readable by the user alone:
 * "settings", the settings of the viewer, and "marks/IDENTITY", a view file with the marks of a trace (varve_identity). */
#ifndef APP_SERVER_STORED_FILES_H
#define APP_SERVER_STORED_FILES_H
#include "base/arena.h"
#include "base/err.h"

/* A longer file is not stored. */
enum { STORED_FILE_MAX = 4 << 20 };

/* True for the path of a stored file, and for a wrong identity. */
bool is_stored_file(const char *target) WARN_UNUSED;
/* Appends the stored file; nothing if it is absent. False, with the reason, if it cannot be read, or if the identity is not
 * one (ERR_USAGE). */
bool stored_file_read(const char *target, Bytes *out, Err *err) WARN_UNUSED;
/* Stores a file; an empty one is removed. Fails as stored_file_read. */
bool stored_file_write(const char *target, const void *bytes, size_t size, Err *err) WARN_UNUSED;

#endif
