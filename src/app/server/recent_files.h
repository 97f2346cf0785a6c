/* app/server/recent_files.h - the files that were opened last, the latest first, for the start page and the palette.
 *
 * The list is recent.json in the user's state, which only its owner can read: {"varve_recent": 1, "files": ["/data/x.json"]}.
 * The file may be damaged or edited: entries that are not absolute paths are ignored, of a file that is not JSON all of it. */
#ifndef APP_SERVER_RECENT_FILES_H
#define APP_SERVER_RECENT_FILES_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_view.h"

enum { RECENT_MOST = 20 };

/* Appends {"files": [PATH, ...]}: the listed files that exist. Fails if the list cannot be read. */
bool recent_files_write(Bytes *out, Err *err) WARN_UNUSED;
/* Puts a file first in the list. Does nothing if it is not a regular file, or its path is not UTF-8. */
bool recent_files_add(const char *path, Err *err) WARN_UNUSED;
/* True if the list has the path. */
bool recent_files_has(StringView path) WARN_UNUSED;
/* Removes the list. */
bool recent_files_clear(Err *err) WARN_UNUSED;

#endif
