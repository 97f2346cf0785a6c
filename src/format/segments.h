/* format/segments.h - reads the bytes that a reader got again, from a source that has them in another order or
 * encoding. For src/format only.
 *
 * It is used where no copy of the bytes is kept: for uncompressed UTF-16, and for the parts that the browser
 * unpacked. A list of segments maps the offsets of the reader's bytes to offsets of the source. */
#ifndef FORMAT_SEGMENTS_H
#define FORMAT_SEGMENTS_H
#include "base/vec.h"
#include "codec/utf16.h"
#include "format/load.h"

typedef struct Segments {
    InputStore below;         /* owned once taken as a store */
    VEC(struct Segment) list; /* owned, sorted by both offsets */
} Segments;

/* Adds a segment: the reader's bytes from `offset` come from `source_offset`, in UTF-16 the begin of a character.
 * Returns false when out of memory. */
bool segments_add(Segments *segments, uint64_t offset, uint64_t source_offset,
                  TextEncoding encoding) WARN_UNUSED;
/* Returns a store that owns the list and `below`. `segments` must not move. */
InputStore segments_store(Segments *segments);
void       segments_release(Segments *segments); /* releases the list, not `below` */

#endif
