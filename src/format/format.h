/* format/format.h - the table of readers: FORMATS in formats.c. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H
#include "format/reader.h"

extern const FormatReader *const FORMATS[];
extern const size_t              FORMAT_COUNT;

/* Returns the reader with this name ("trace-event", "spall"), or NULL. */
const FormatReader *format_find(const char *name);
/* Returns the reader with the highest confidence for these first bytes; ties go to the earlier row. Returns NULL with
 * ERR_UNKNOWN if no reader recognises them. */
const FormatReader *format_probe(const uint8_t *head, size_t size, Err *err);
/* Returns the highest confidence of all readers, 0-100; 0 if no reader recognises the bytes. */
int format_probe_sure(const uint8_t *head, size_t size);
/* Returns row i of the table, NULL after the last row. */
const FormatReader *format_at(size_t i);

#endif
