/* Decompression through ISA-L or zlib, libzstd and libbrotli.
 *
 * A gzip file is a sequence of members, a zstd file a sequence of frames ("members" below, too). Each begins with
 * magic bytes. The decoder recognises the magic bytes itself and passes each member to the library, so that the bytes
 * after a member are treated the same way for any chunking. Brotli is one stream without magic bytes. */
#include "codec/codec.h"
#include "codec/inflate.h"

#include <assert.h>
#include <brotli/decode.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { MAGIC_MAX = 4, ZSTD_BLOCK_HEADER = 3 };

typedef enum {
    AT_MAGIC,  /* before a member: collecting its magic bytes in `held` */
    AT_DATA,   /* inside a member */
    AT_END,    /* after the last member; other bytes follow, or the end of the input */
    AT_FAILURE /* `failure` holds the error */
} Place;

typedef enum { STEP_GOING, STEP_MEMBER_END, STEP_FAILED } Step;

struct Decoder {
    Arena               arena; /* holds the decoder itself and the inflater */
    CodecKind           kind;
    Place               place;
    uint8_t             held[MAGIC_MAX];
    size_t              held_size;
    uint64_t            offset;       /* of the next byte in the compressed input */
    uint64_t            member_count; /* members begun so far */
    bool                out_pending;  /* the library may give more output without more input */
    Inflater           *gzip;
    ZSTD_DStream       *zstd;      /* owned */
    size_t              zstd_hint; /* bytes of input that libzstd suggests for the next call */
    BrotliDecoderState *brotli;    /* owned */
    Err                 failure;
};

/* -- gzip -- */

static bool gzip_open(Decoder *d, Err *err)
{
    d->gzip = inflater_create(&d->arena, INFLATE_GZIP);
    return d->gzip != NULL || err_set(err, ERR_MEMORY, "out of memory for decompressing gzip");
}

static Step gzip_step(Decoder *d, CodecStream *stream, Err *err)
{
    const size_t       in_size = stream->in_size;
    const char        *failure = NULL;
    const InflateState state = inflater_run(d->gzip, stream, &failure);
    d->offset += in_size - stream->in_size;
    if (state == INFLATE_MORE) return STEP_GOING;
    if (state == INFLATE_END) {
        inflater_restart(d->gzip);
        return STEP_MEMBER_END;
    }
    err_set_at(err, failure == NULL ? ERR_MEMORY : ERR_CORRUPT, d->offset, ERR_NOWHERE, "gzip data: %s",
               failure == NULL ? "out of memory" : failure);
    return STEP_FAILED;
}

/* -- zstd -- */

static bool zstd_open(Decoder *d, Err *err)
{
    d->zstd = ZSTD_createDStream();
    return d->zstd != NULL || err_set(err, ERR_MEMORY, "out of memory for decompressing zstd");
}

static Step zstd_step(Decoder *d, CodecStream *stream, Err *err)
{
    /* libzstd discards the output of a call that fails, and its hint covers a block and the next block's header.
     * Input that stops before that header yields every block before a damaged one. Shorter parts are fed byte by
     * byte, so that the output is the same for any chunking. */
    size_t wanted = d->zstd_hint > ZSTD_BLOCK_HEADER ? d->zstd_hint - ZSTD_BLOCK_HEADER : 1;
    if (wanted > stream->in_size) wanted = stream->in_size;
    ZSTD_inBuffer  in = { .src = stream->in, .size = wanted };
    ZSTD_outBuffer out = { .dst = stream->out, .size = stream->out_size };
    size_t         result = ZSTD_decompressStream(d->zstd, &out, &in);
    stream->in += in.pos, stream->in_size -= in.pos, d->offset += in.pos;
    stream->out += out.pos, stream->out_size -= out.pos;

    if (!ZSTD_isError(result)) {
        d->zstd_hint = result;
        return result == 0 ? STEP_MEMBER_END : STEP_GOING;
    }
    ErrCode code = ERR_CORRUPT;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) code = ERR_MEMORY;
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) code = ERR_LIMIT;
    err_set_at(err, code, d->offset, ERR_NOWHERE, "zstd data: %s", ZSTD_getErrorName(result));
    return STEP_FAILED;
}

/* -- Brotli -- */

static bool brotli_open(Decoder *d, Err *err)
{
    d->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    d->place = AT_DATA;
    return d->brotli != NULL || err_set(err, ERR_MEMORY, "out of memory for decompressing Brotli");
}

static Step brotli_step(Decoder *d, CodecStream *stream, Err *err)
{
    size_t              in_size = stream->in_size;
    BrotliDecoderResult result = BrotliDecoderDecompressStream(d->brotli, &stream->in_size, &stream->in,
                                                               &stream->out_size, &stream->out, NULL);
    d->offset += in_size - stream->in_size;
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return STEP_MEMBER_END;
    if (result != BROTLI_DECODER_RESULT_ERROR) return STEP_GOING;
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(d->brotli);
    bool                   is_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                     code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    err_set_at(err, is_memory ? ERR_MEMORY : ERR_CORRUPT, d->offset, ERR_NOWHERE, "Brotli data: %s",
               BrotliDecoderErrorString(code));
    return STEP_FAILED;
}

/* -- members -- */

static Step member_step(Decoder *d, CodecStream *stream, Err *err)
{
    Step step = d->kind == CODEC_GZIP     ? gzip_step(d, stream, err)
                : d->kind == CODEC_BROTLI ? brotli_step(d, stream, err)
                                          : zstd_step(d, stream, err);
    d->out_pending = step == STEP_GOING && stream->out_size == 0;
    return step;
}

/* True if `held` is a prefix of a member's magic bytes. */
static bool magic_fits(const Decoder *d)
{
    if (d->kind == CODEC_GZIP) return memcmp(d->held, "\x1f\x8b", d->held_size) == 0;
    bool skippable = (d->held[0] & 0xf0) == 0x50;
    return (skippable || d->held[0] == 0x28) &&
           memcmp(d->held + 1, skippable ? "\x2a\x4d\x18" : "\xb5\x2f\xfd", d->held_size - 1) == 0;
}

static bool member_begin(Decoder *d, Err *err)
{
    uint8_t     nowhere;
    CodecStream magic = { .in = d->held, .in_size = d->held_size, .out = &nowhere, .out_size = 0 };
    d->offset -= d->held_size; /* member_step adds them again */
    d->zstd_hint = SIZE_MAX;
    d->member_count++;
    d->held_size = 0;
    d->place = AT_DATA;
    Step step = member_step(d, &magic, err);
    assert(step == STEP_FAILED || magic.in_size == 0);
    d->out_pending = false;
    return step != STEP_FAILED;
}

static bool magic_step(Decoder *d, CodecStream *stream, Err *err)
{
    const size_t magic_size = d->kind == CODEC_GZIP ? 2 : 4;
    while (stream->in_size > 0 && d->place == AT_MAGIC) {
        bool padding =
            d->kind == CODEC_GZIP && d->member_count > 0 && d->held_size == 0 && stream->in[0] == 0;
        if (!padding) {
            d->held[d->held_size++] = stream->in[0];
            if (!magic_fits(d)) {
                if (d->member_count == 0) {
                    return err_set_at(err, ERR_CORRUPT, 0, ERR_NOWHERE, "is not %s data",
                                      codec_name(d->kind));
                }
                d->place = AT_END; /* earlier bytes that matched the magic stay consumed */
                return true;
            }
        }
        stream->in++, stream->in_size--, d->offset++;
        if (d->held_size == magic_size && !member_begin(d, err)) return false;
    }
    return true;
}

/* -- the interface -- */

Decoder *decoder_open(CodecKind kind, Err *err)
{
    if (kind != CODEC_GZIP && kind != CODEC_ZSTD && kind != CODEC_BROTLI) {
        err_set(err, ERR_USAGE, "expected gzip, zstd or Brotli, got %s", codec_name(kind));
        return NULL;
    }
    Arena    arena = arena_create(0);
    Decoder *d = ARENA_NEW(&arena, Decoder);
    if (d == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for decompressing %s", codec_name(kind));
        return NULL;
    }
    d->arena = arena;
    d->kind = kind;
    if (kind == CODEC_GZIP     ? gzip_open(d, err)
        : kind == CODEC_BROTLI ? brotli_open(d, err)
                               : zstd_open(d, err))
        return d;
    decoder_close(d);
    return NULL;
}

void decoder_close(Decoder *decoder)
{
    if (decoder == NULL) return;
    (void)ZSTD_freeDStream(decoder->zstd);
    if (decoder->brotli != NULL) BrotliDecoderDestroyInstance(decoder->brotli);
    Arena arena = decoder->arena; /* a copy, because the decoder itself is allocated in it */
    arena_release(&arena);
}

/* Decompresses until the input or the room is used up, or the data ends or is invalid. */
static void decoder_advance(Decoder *d, CodecStream *stream)
{
    for (;;) {
        if (d->place == AT_MAGIC && !magic_step(d, stream, &d->failure)) d->place = AT_FAILURE;
        if (d->place != AT_DATA || stream->out_size == 0) return;
        if (stream->in_size == 0 && !d->out_pending) return;

        CodecStream before = *stream;
        Step        step = member_step(d, stream, &d->failure);
        if (step == STEP_MEMBER_END) d->place = d->kind == CODEC_BROTLI ? AT_END : AT_MAGIC;
        if (step == STEP_FAILED) d->place = AT_FAILURE;
        if (step == STEP_GOING && stream->in_size == before.in_size && stream->out_size == before.out_size)
            return;
    }
}

DecodeState decoder_run(Decoder *decoder, CodecStream *stream, Err *err)
{
    decoder_advance(decoder, stream);
    switch (decoder->place) {
    case AT_MAGIC:
    case AT_DATA:
        break;
    case AT_END:
        return DECODE_END;
    case AT_FAILURE:
        if (err != NULL) *err = decoder->failure;
        return DECODE_FAILED;
    }
    return DECODE_MORE;
}

bool decoder_finish(Decoder *decoder, Err *err)
{
    bool between = decoder->place == AT_MAGIC && decoder->held_size == 0 && decoder->member_count > 0;
    if (between || decoder->place == AT_END) return true;
    if (decoder->place == AT_FAILURE) {
        if (err != NULL) *err = decoder->failure;
        return false;
    }
    return err_set_at(err, ERR_TRUNCATED, decoder->offset, ERR_NOWHERE, "%s data ends before it is complete",
                      codec_name(decoder->kind));
}
