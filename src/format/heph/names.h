/* format/heph/names.h - names of streams and substreams: options, since the format has no place of its own for them.
 *
 * Other readers skip them by their size, as they do with every option that they do not know. */
#ifndef FORMAT_HEPH_NAMES_H
#define FORMAT_HEPH_NAMES_H
#include "format/heph/packet.h"

#define HEPH_STREAM_NAME "stream-name"       /* u32 stream, string */
#define HEPH_SUBSTREAM_NAME "substream-name" /* u32 stream, u64 substream, string */

/* What they are called if nobody names them, before the id. */
#define HEPH_STREAM_TITLE "Stream"
#define HEPH_SUBSTREAM_TITLE "Substream"

typedef struct HephName {
    bool       is_substream;
    uint32_t   stream;
    uint64_t   substream;
    StringView text; /* any bytes */
} HephName;

/* False when the option is another one, or is not made so to its last byte: then it is one that nobody knows. */
bool heph_name_decode(const HephOption *option, HephName *name);

#endif
