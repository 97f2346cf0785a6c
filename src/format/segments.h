/* format/segments.h - the bytes that a reader got, read again out of a source that holds them in another order or
 * encoding. For src/format only.
 *
 * Where no copy is kept (UTF-16 that is not compressed; the parts that the browser unpacked), a list of segments says
 * from where in the source, and how, each stretch of what was given comes. */
#ifndef FORMAT_SEGMENTS_H
#define FORMAT_SEGMENTS_H
#include "codec/utf16.h"
#include "format/load.h"

typedef struct Segments {
    InputStore below; /* owned once taken as a store */
    Bytes      list;  /* owned: Segment[], in order of both offsets */
} Segments;

/* What is given from `offset` on comes from `source_offset` on; in UTF-16, where a character begins. */
bool segments_add(Segments *segments, uint64_t offset, uint64_t source_offset,
                  TextEncoding encoding) WARN_UNUSED;
/* The store of both; `segments` must stay where it is. */
InputStore segments_store(Segments *segments);
void       segments_release(Segments *segments); /* without a store: `below` is left alone */

#endif
