/* format/spall/probe.h - finds the layout of a version 0 file by trying each layout. */
#ifndef FORMAT_SPALL_PROBE_H
#define FORMAT_SPALL_PROBE_H
#include "format/reader.h"
#include "format/spall/layout.h"

/* The most bytes that layout_probe needs. */
enum { LAYOUT_PROBE_BYTES = 1 << 20 };

/* Returns the layout whose records fit `head` best: the start of the file, up to its end or LAYOUT_PROBE_BYTES. Returns
 * NULL if no layout fits even one record. *fits is false if the best layout does not fit up to the end of `head`. */
const SpallLayout *layout_probe(const uint8_t *head, size_t size, bool *fits);

#endif
