/* format/heph/names.h - options for names of streams and substreams, for which the format has no place of its own.
 *
 * Other readers skip them by their size, as they do with every option that they do not know. */
#ifndef FORMAT_HEPH_NAMES_H
#define FORMAT_HEPH_NAMES_H
#include "format/heph/packet.h"

#define HEPH_STREAM_NAME "stream-name"       /* u32 stream, string */
#define HEPH_SUBSTREAM_NAME "substream-name" /* u32 stream, u64 substream, string */

typedef struct HephName {
    bool       is_substream;
    uint32_t   stream;
    uint64_t   substream;
    StringView text; /* any bytes */
} HephName;

/* False when the option is another one, or is not made so to its last byte: then it is one that nobody knows. */
bool heph_name_decode(const HephOption *option, HephName *name);

#endif
