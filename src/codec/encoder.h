/* codec/encoder.h - compresses a stream, natively only.
 *
 * gzip: one member. zstd: the seekable variant (frames of 2 MiB and a seek table in a skippable frame behind
 * them). Brotli: a window of 24 bits. Snappy: apitrace's file of chunks of 1 MiB (codec/snappy.h). */
#ifndef CODEC_ENCODER_H
#define CODEC_ENCODER_H
#include "codec/codec.h"

typedef struct Encoder Encoder;

/* What a kind allows; the default is what apitrace's `repack` uses, but for Brotli, whose best is slow.
 * Snappy has none. */
typedef struct EncoderLevels {
    int least, most, usual;
} EncoderLevels;
EncoderLevels encoder_levels(CodecKind kind);

/* Any kind but CODEC_NONE and CODEC_ZIP; a level that it allows. NULL on failure. Free with encoder_close. */
Encoder *encoder_open(CodecKind kind, int level, Err *err) WARN_UNUSED;
/* Appends to `out` what these bytes give so far. */
bool encoder_run(Encoder *encoder, const uint8_t *bytes, size_t size, Bytes *out, Err *err) WARN_UNUSED;
/* Once, behind the last byte: appends the rest. */
bool encoder_finish(Encoder *encoder, Bytes *out, Err *err) WARN_UNUSED;
void encoder_close(Encoder *encoder); /* NULL is allowed */

#endif
