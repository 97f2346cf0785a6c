/* format/format.h - the tables of formats: those that are read, and those that are written. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H
#include "format/reader.h"

/* The format of this name ("trace-event", "spall"), or NULL. */
const FormatReader *format_find(const char *name);
/* The surest of all; ties go to the earlier row. NULL and err (ERR_UNKNOWN, a sentence that says what was
 * expected) when none recognises the bytes. */
const FormatReader *format_probe(const uint8_t *head, size_t size, Err *err);
/* How sure the surest is; 0 when none recognises the bytes. */
int format_probe_sure(const uint8_t *head, size_t size);
/* Row i of the table, NULL behind the last. */
const FormatReader *format_at(size_t i);

#endif
