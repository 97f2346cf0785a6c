#include "codec/encoder.h"

#include "codec/snappy.h"

#include <assert.h>
#include <brotli/encode.h>
#include <limits.h>
#include <zlib.h>
#include <zstd.h>

enum { SNAPPY_CHUNK = 1 << 20, ZSTD_FRAME = 2 << 20, ROOM = 64 << 10 };
static const uint32_t SEEK_MAGIC = 0x8F92EAB1u, SKIPPABLE_MAGIC = 0x184D2A5Eu;

struct Encoder {
    Arena               arena; /* the encoder itself is allocated in it */
    CodecKind           kind;
    int                 level;
    z_stream            gzip;
    bool                gzip_open;
    BrotliEncoderState *brotli; /* owned */
    ZSTD_CCtx          *zstd;   /* owned */
    Bytes               plain;  /* Snappy, zstd: input bytes of the incomplete chunk or frame */
    Bytes               table;  /* zstd: the entries of the seek table */
    bool                begun;
};

EncoderLevels encoder_levels(CodecKind kind)
{
    switch (kind) {
    case CODEC_GZIP:
        return (EncoderLevels){ 1, 9, 9 };
    case CODEC_ZSTD:
        return (EncoderLevels){ 1, 22, 3 };
    case CODEC_BROTLI:
        return (EncoderLevels){ 0, 11, 9 };
    case CODEC_SNAPPY:
    case CODEC_ZIP:
    case CODEC_PAGE:
    case CODEC_NONE:
        break;
    }
    return (EncoderLevels){ 0, 0, 0 };
}

static void put_u32le(Bytes *out, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24) };
    bytes_append(out, bytes, sizeof bytes);
}

static bool out_of_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for compressing");
}

/* -- each library -- */

static bool gzip_put(Encoder *e, const uint8_t *bytes, size_t size, int flush, Bytes *out, Err *err)
{
    int result = Z_OK;
    do {
        uInt piece = size > UINT_MAX ? UINT_MAX : (uInt)size;
        e->gzip.next_in = (z_const Bytef *)(uintptr_t)bytes;
        e->gzip.avail_in = piece;
        if (piece > 0) bytes += piece;
        size -= piece;
        do {
            e->gzip.next_out = (Bytef *)bytes_reserve(out, ROOM);
            if (e->gzip.next_out == NULL) return out_of_memory(err);
            e->gzip.avail_out = ROOM;
            result = deflate(&e->gzip, size > 0 ? Z_NO_FLUSH : flush);
            bytes_grow(out, ROOM - e->gzip.avail_out);
        } while (e->gzip.avail_out == 0);
        assert(result != Z_STREAM_ERROR);
    } while (size > 0);
    return flush != Z_FINISH || result == Z_STREAM_END || err_set(err, ERR_CORRUPT, "gzip does not end");
}

static bool brotli_put(Encoder *e, const uint8_t *bytes, size_t size, BrotliEncoderOperation operation,
                       Bytes *out, Err *err)
{
    do {
        size_t   left = ROOM;
        uint8_t *room = (uint8_t *)bytes_reserve(out, ROOM);
        if (room == NULL ||
            !BrotliEncoderCompressStream(e->brotli, operation, &size, &bytes, &left, &room, NULL))
            return out_of_memory(err);
        bytes_grow(out, ROOM - left);
    } while (size > 0 || BrotliEncoderHasMoreOutput(e->brotli));
    return true;
}

static bool snappy_put(const uint8_t *bytes, size_t size, Bytes *out, Err *err)
{
    size_t at = out->size;
    put_u32le(out, 0);
    snappy_encode(out, bytes, size);
    if (out->failed) return out_of_memory(err);
    size_t packed = out->size - at - SNAPPY_SIZE_BYTES;
    for (unsigned i = 0; i < SNAPPY_SIZE_BYTES; i++)
        out->data[at + i] = (uint8_t)(packed >> (8 * i));
    return true;
}

static bool zstd_put(Encoder *e, const uint8_t *bytes, size_t size, Bytes *out, Err *err)
{
    size_t bound = ZSTD_compressBound(size);
    void  *room = bytes_reserve(out, bound);
    if (room == NULL) return out_of_memory(err);
    size_t packed = ZSTD_compressCCtx(e->zstd, room, bound, bytes, size, e->level);
    if (ZSTD_isError(packed)) return err_set(err, ERR_MEMORY, "zstd: %s", ZSTD_getErrorName(packed));
    bytes_grow(out, packed);
    put_u32le(&e->table, (uint32_t)packed);
    put_u32le(&e->table, (uint32_t)size);
    return !e->table.failed || out_of_memory(err);
}

/* Appends the seek table of zstd's seekable format as a skippable frame: an entry of compressed and plain size (u32
 * each) per frame, then the number of entries (u32), a descriptor byte (0: no checksums) and the magic. */
static void zstd_put_table(Encoder *e, Bytes *out)
{
    enum { ENTRY = 8, FOOTER = 9 };
    put_u32le(out, SKIPPABLE_MAGIC);
    put_u32le(out, (uint32_t)(e->table.size + FOOTER));
    bytes_append(out, e->table.data, e->table.size);
    put_u32le(out, (uint32_t)(e->table.size / ENTRY));
    bytes_append(out, "\0", 1);
    put_u32le(out, SEEK_MAGIC);
}

/* -- the interface -- */

Encoder *encoder_open(CodecKind kind, int level, Err *err)
{
    assert(kind == CODEC_GZIP || kind == CODEC_BROTLI || kind == CODEC_SNAPPY || kind == CODEC_ZSTD);
    Arena    arena = arena_create(0);
    Encoder *e = ARENA_NEW(&arena, Encoder);
    if (e == NULL) {
        (void)out_of_memory(err);
        return NULL;
    }
    *e = (Encoder){ .arena = arena, .kind = kind, .level = level };
    bool opened = true;
    if (kind == CODEC_GZIP) {
        opened = deflateInit2(&e->gzip, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
        e->gzip_open = opened;
    } else if (kind == CODEC_BROTLI) {
        e->brotli = BrotliEncoderCreateInstance(NULL, NULL, NULL);
        opened = e->brotli != NULL;
        if (opened) (void)BrotliEncoderSetParameter(e->brotli, BROTLI_PARAM_QUALITY, (uint32_t)level);
        if (opened) (void)BrotliEncoderSetParameter(e->brotli, BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS);
    } else if (kind == CODEC_ZSTD) {
        e->zstd = ZSTD_createCCtx();
        opened = e->zstd != NULL;
    }
    if (opened) return e;
    encoder_close(e);
    (void)out_of_memory(err);
    return NULL;
}

/* Snappy and zstd: compresses each `unit` bytes of input separately, as one chunk or frame. */
static bool units_put(Encoder *e, const uint8_t *bytes, size_t size, size_t unit, Bytes *out, Err *err)
{
    while (size > 0) {
        size_t room = unit - e->plain.size, piece = size < room ? size : room;
        bytes_append(&e->plain, bytes, piece);
        if (e->plain.failed) return out_of_memory(err);
        bytes += piece, size -= piece;
        if (e->plain.size < unit) break;
        if (!(e->kind == CODEC_SNAPPY ? snappy_put(e->plain.data, unit, out, err)
                                      : zstd_put(e, e->plain.data, unit, out, err)))
            return false;
        bytes_clear(&e->plain);
    }
    return true;
}

bool encoder_run(Encoder *e, const uint8_t *bytes, size_t size, Bytes *out, Err *err)
{
    if (e->kind == CODEC_SNAPPY && !e->begun) bytes_append_text(out, "at");
    e->begun = true;
    if (e->kind == CODEC_GZIP) return gzip_put(e, bytes, size, Z_NO_FLUSH, out, err);
    if (e->kind == CODEC_BROTLI) return brotli_put(e, bytes, size, BROTLI_OPERATION_PROCESS, out, err);
    return units_put(e, bytes, size, e->kind == CODEC_SNAPPY ? SNAPPY_CHUNK : ZSTD_FRAME, out, err);
}

bool encoder_finish(Encoder *e, Bytes *out, Err *err)
{
    if (!encoder_run(e, NULL, 0, out, err)) return false;
    if (e->kind == CODEC_GZIP) return gzip_put(e, NULL, 0, Z_FINISH, out, err);
    if (e->kind == CODEC_BROTLI) return brotli_put(e, NULL, 0, BROTLI_OPERATION_FINISH, out, err);
    if (e->kind == CODEC_SNAPPY)
        return e->plain.size == 0 || snappy_put(e->plain.data, e->plain.size, out, err);
    if (e->plain.size > 0 && !zstd_put(e, e->plain.data, e->plain.size, out, err)) return false;
    zstd_put_table(e, out);
    return !out->failed || out_of_memory(err);
}

void encoder_close(Encoder *encoder)
{
    if (encoder == NULL) return;
    if (encoder->gzip_open) (void)deflateEnd(&encoder->gzip);
    if (encoder->brotli != NULL) BrotliEncoderDestroyInstance(encoder->brotli);
    (void)ZSTD_freeCCtx(encoder->zstd);
    bytes_release(&encoder->plain);
    bytes_release(&encoder->table);
    Arena arena = encoder->arena; /* a copy, because the encoder itself is allocated in it */
    arena_release(&arena);
}
