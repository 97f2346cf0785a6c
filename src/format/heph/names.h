/* format/heph/names.h - names of streams and substreams. They are written as options, because the format has no field
 * for them. Other readers skip options that they do not know. */
#ifndef FORMAT_HEPH_NAMES_H
#define FORMAT_HEPH_NAMES_H
#include "format/heph/packet.h"

#define HEPH_STREAM_NAME "stream-name"       /* u32 stream, string */
#define HEPH_SUBSTREAM_NAME "substream-name" /* u32 stream, u64 substream, string */

/* Titles of streams and substreams without a name; the id follows. */
#define HEPH_STREAM_TITLE "Stream"
#define HEPH_SUBSTREAM_TITLE "Substream"

typedef struct HephName {
    bool       is_substream;
    uint32_t   stream;
    uint64_t   substream;
    StringView text; /* any bytes */
} HephName;

/* Decodes an option as a name. Returns false if it has another name, or if its value does not fit up to the last
 * byte. */
bool heph_name_decode(const HephOption *option, HephName *name);

#endif
