#include "codec/codec.h"

#include "base/bits.h"
#include "codec/snappy.h"

#include <string.h>

/* True for an apitrace Snappy file: "at" and, if the first chunk's size is present, a size within the limit. */
static bool is_snappy_file(const uint8_t *head, size_t size)
{
    if (size < SNAPPY_MAGIC_BYTES || memcmp(head, "at", SNAPPY_MAGIC_BYTES) != 0) return false;
    if (size < SNAPPY_MAGIC_BYTES + SNAPPY_SIZE_BYTES) return true;
    return bits_load_u32(head + SNAPPY_MAGIC_BYTES) <= SNAPPY_PACKED_MOST;
}

CodecKind codec_detect(const uint8_t *head, size_t size)
{
    if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b) return CODEC_GZIP;
    if (is_snappy_file(head, size)) return CODEC_SNAPPY;
    if (size < 4) return CODEC_NONE;
    if (memcmp(head, "PK\x03\x04", 4) == 0 || memcmp(head, "PK\x05\x06", 4) == 0 ||
        memcmp(head, "PK\x07\x08", 4) == 0 || memcmp(head, "PK00", 4) == 0)
        /* in this order: a member, an empty archive, a split archive, a formerly split one */
        return CODEC_ZIP;
    if (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0) return CODEC_ZSTD;
    if ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0)
        return CODEC_ZSTD; /* a skippable frame, 184D2A50 to 184D2A5F */
    return CODEC_NONE;
}

const char *codec_name(CodecKind kind)
{
    switch (kind) {
    case CODEC_NONE:
        return "none";
    case CODEC_GZIP:
        return "gzip";
    case CODEC_ZSTD:
        return "zstd";
    case CODEC_ZIP:
        return "zip";
    case CODEC_SNAPPY:
        return "snappy";
    case CODEC_BROTLI:
        return "brotli";
    case CODEC_PAGE:
        return "html";
    }
    return "none";
}
