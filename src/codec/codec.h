/* codec/codec.h - decompresses byte streams, in chunks of any size.
 *
 * The format is detected by content, never by file name.
 *
 *   gzip    ISA-L or zlib (codec/inflate.h). RFC 1952; several members; zero padding between and after members is tolerated.
 *   zstd    libzstd. Several frames, skippable frames.
 *   Brotli  libbrotli. RFC 7932; one stream. It has no magic, so codec_detect does not detect it.
 *   Snappy  decoded block by block, also in the browser: codec/snappy.h.
 *   HTML    a page with a trace in base64: codec/page.h. codec_detect does not detect it.
 *
 * In the browser build the page decompresses gzip, zstd and Brotli before the engine gets the bytes; the functions
 * below fail with ERR_VERSION there (codec_wasm.c). */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H
#include "base/arena.h"
#include "base/err.h"

typedef enum {
    CODEC_NONE,
    CODEC_GZIP,
    CODEC_ZSTD,
    CODEC_ZIP,
    CODEC_SNAPPY,
    CODEC_BROTLI,
    CODEC_PAGE
} CodecKind;

/* Returns the compression of an input from its first bytes; 8 are enough. CODEC_NONE: not recognised. */
CodecKind codec_detect(const uint8_t *head, size_t size);
/* Returns "none", "gzip", "zstd", "zip", "snappy", "brotli" or "html", as in `info --json`. */
const char *codec_name(CodecKind kind);

/* The unused rest of an input and of the room for the output. */
typedef struct CodecStream {
    const uint8_t *in;
    size_t         in_size;
    uint8_t       *out;
    size_t         out_size;
} CodecStream;

typedef struct Decoder Decoder;

/* Creates a decoder for gzip, zstd or Brotli. Zip archives are read with codec/zip.h, pages
 * with codec/page.h, Snappy with codec/snappy.h.
 * Returns NULL on failure: ERR_USAGE for another kind, ERR_MEMORY, ERR_VERSION in the browser. The caller frees it
 * with decoder_close. */
Decoder *decoder_open(CodecKind kind, Err *err) WARN_UNUSED;
void     decoder_close(Decoder *decoder); /* accepts NULL in the native build */

typedef enum { DECODE_MORE, DECODE_END, DECODE_FAILED } DecodeState;

/* Decompresses from stream->in to stream->out and advances both.
 *
 * DECODE_MORE    Call again with the rest of the input, with more input, or with more room.
 * DECODE_END     The compressed data ended. Following members and frames were decoded too. Other bytes after the end
 *                stay in the input, except a prefix that matched the beginning of a magic number.
 * DECODE_FAILED  `err` has the offset in the compressed input. The output so far is valid. */
DecodeState decoder_run(Decoder *decoder, CodecStream *stream, Err *err);

/* Ends the input. Call it when decoder_run without input gives no more output. Returns true if the input ended at the
 * end of a member, frame or stream, else false: ERR_TRUNCATED, or the error of an earlier decoder_run. */
bool decoder_finish(Decoder *decoder, Err *err) WARN_UNUSED;

#endif
