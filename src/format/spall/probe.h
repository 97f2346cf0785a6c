/* format/spall/probe.h - which of the version 0 layouts a file has: by trying each. */
#ifndef FORMAT_SPALL_PROBE_H
#define FORMAT_SPALL_PROBE_H
#include "format/reader.h"
#include "format/spall/layout.h"

/* What layout_probe looks at, at most. */
enum { LAYOUT_PROBE_BYTES = 1 << 20 };

/* The layout whose records fit `head`, the start of the file up to its end or LAYOUT_PROBE_BYTES. NULL when none
 * has even one record; *fits is false when the best breaks off before the end of `head`. */
const SpallLayout *layout_probe(const uint8_t *head, size_t size, bool *fits);

#endif
