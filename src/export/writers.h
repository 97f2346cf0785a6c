/* export/writers.h - the list of the writers of whole traces. export/tables.h writes tables of a trace. */
#ifndef EXPORT_WRITERS_H
#define EXPORT_WRITERS_H
#include "format/writer.h"

/* Returns the writer of that name, as in --to=, or NULL. */
const FormatWriter *writer_find(const char *name);
/* Returns the writer with the longest suffix that the path ends with, after a point; or NULL. */
const FormatWriter *writer_for_path(const char *path);
/* Returns the name of the format, of a whole trace or a table, whose files other programs give the suffix of the path; NULL = none.
 * The suffixes of the formats themselves are not among them. */
const char *export_format_by_other_suffix(const char *path);
/* Returns writer i = 0, 1, ...; NULL past the end. */
const FormatWriter *writer_at(size_t i);

#endif
