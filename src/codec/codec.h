/* codec/codec.h - one interface over compression: bytes in, bytes out, in any chunking.
 *
 * Detected by content, never by file name. gzip (RFC 1952, several members, zero padding
 * between and after them tolerated) through zlib; zstd (several frames, skippable frames)
 * through libzstd; Brotli (RFC 7932, one stream), which has no magic and is not detected here,
 * through libbrotli. In the browser build the page decompresses these before the engine sees the
 * bytes, and codec_wasm.c answers ERR_VERSION. Snappy comes in blocks that are decoded one by
 * one, there too: codec/snappy.h. */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H
#include "base/arena.h"
#include "base/err.h"

typedef enum { CODEC_NONE, CODEC_GZIP, CODEC_ZSTD, CODEC_ZIP, CODEC_SNAPPY, CODEC_BROTLI } CodecKind;

/* From the first bytes of an input (8 are enough); CODEC_NONE for anything else. */
CodecKind codec_detect(const uint8_t *head, size_t size);
/* "none", "gzip", "zstd", "zip", "snappy", "brotli", as in `info --json`. */
const char *codec_name(CodecKind kind);

typedef struct Decoder Decoder;

/* For gzip, zstd and Brotli; an archive has members (codec/zip.h), Snappy blocks (codec/snappy.h). NULL on
 * failure. Free with decoder_close. */
Decoder *decoder_open(CodecKind kind, Err *err) WARN_UNUSED;
void     decoder_close(Decoder *decoder);

typedef enum { DECODE_MORE, DECODE_END, DECODE_FAILED } DecodeState;

/* Decompresses from `in` into `out`. Sets how much of each was used. DECODE_MORE: call again
 * with what is left of `in`, or with more input once it is used up, or more room. DECODE_END:
 * the compressed data ended here (a following member or frame is gone on with by itself; bytes
 * that are neither are left in `in`, save the first few of them that a member could begin with).
 * DECODE_FAILED: err says why, with the offset in the compressed input; everything written to
 * `out` before stays good. */
DecodeState decoder_run(Decoder *decoder, const uint8_t *in, size_t in_size, size_t *in_used, uint8_t *out,
                        size_t out_size, size_t *out_used, Err *err);

/* Tells the decoder that the input has ended, once decoder_run without input gives no more output: true if
 * it ended at a member's or frame's end, false (err: ERR_TRUNCATED) if in the middle. */
bool decoder_finish(Decoder *decoder, Err *err) WARN_UNUSED;

#endif
