/* export/writers.h - the list of formats that a whole trace is written in. Tables of a trace: export/tables.h. */
#ifndef EXPORT_WRITERS_H
#define EXPORT_WRITERS_H
#include "format/writer.h"

/* The writer of that name, as in --to=, or NULL. */
const FormatWriter *writer_find(const char *name);
/* The writer of the longest suffix that the path has behind a point, or NULL. */
const FormatWriter *writer_for_path(const char *path);
/* All of them, i = 0, 1, ...; NULL past the end. */
const FormatWriter *writer_at(size_t i);

/* True if a file name ends with a point and `suffix`. */
bool path_has_suffix(const char *path, const char *suffix);

#endif
