/* codec/encoder.h - compresses a stream. Native build only.
 *
 *   gzip    one member
 *   zstd    the seekable format: frames of 2 MiB, then a seek table in a skippable frame
 *   Brotli  a window of 24 bits
 *   Snappy  apitrace's container, chunks of 1 MiB (codec/snappy.h) */
#ifndef CODEC_ENCODER_H
#define CODEC_ENCODER_H
#include "codec/codec.h"

typedef struct Encoder Encoder;

/* The compression levels of a codec. `usual` is the default of apitrace's `repack`, except for Brotli, whose highest
 * level is slow. Snappy has no levels: all three are 0. */
typedef struct EncoderLevels {
    int least, most, usual;
} EncoderLevels;
EncoderLevels encoder_levels(CodecKind kind);

/* Creates an encoder for any kind except CODEC_NONE, CODEC_ZIP and CODEC_PAGE. `level` is within encoder_levels(kind). Returns NULL
 * with ERR_MEMORY on failure. The caller frees it with encoder_close. */
Encoder *encoder_open(CodecKind kind, int level, Err *err) WARN_UNUSED;
/* Compresses `size` bytes and appends the output that is available so far to `out`. */
bool encoder_run(Encoder *encoder, const uint8_t *bytes, size_t size, Bytes *out, Err *err) WARN_UNUSED;
/* Appends the rest of the output. Call it once, after the last byte. */
bool encoder_finish(Encoder *encoder, Bytes *out, Err *err) WARN_UNUSED;
void encoder_close(Encoder *encoder); /* NULL is allowed */

#endif
