#include "codec/codec.h"

#include <string.h>

CodecKind codec_detect(const uint8_t *head, size_t size)
{
    if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b) return CODEC_GZIP;
    if (size < 4) return CODEC_NONE;
    if (memcmp(head, "PK\x03\x04", 4) == 0 || memcmp(head, "PK\x05\x06", 4) == 0 ||
        memcmp(head, "PK\x07\x08", 4) == 0 || memcmp(head, "PK00", 4) == 0)
        return CODEC_ZIP; /* the second is empty, the others begin with the mark of a split or once split archive */
    if (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0) return CODEC_ZSTD;
    if ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0)
        return CODEC_ZSTD; /* skippable */
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
    }
    return "none";
}
