#include "paint/png.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 64 << 10, PIXEL_BYTES = 3, LEVEL = 3 };
enum { COLOUR_RGB = 2, FILTER_NONE = 0, FILTER_UP = 2 };

typedef struct PngWriter {
    z_stream deflate;
    Bytes    chunk; /* compressed data for the next IDAT */
    Bytes    row;   /* filter byte and pixels */
    Bytes   *out;
} PngWriter;

static void put_u32be(Bytes *out, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                               (uint8_t)value };
    bytes_append(out, bytes, sizeof bytes);
}

/* Chunk: u32 size, 4 letters, data, CRC-32 of letters and data; big-endian. */
static void put_chunk(Bytes *out, const char letters[4], const uint8_t *data, size_t size)
{
    uLong crc = crc32(0, (const Bytef *)letters, 4);
    if (size > 0) crc = crc32(crc, data, (uInt)size); /* at most CHUNK */
    put_u32be(out, (uint32_t)size);
    bytes_append(out, letters, 4);
    bytes_append(out, data, size);
    put_u32be(out, (uint32_t)crc);
}

static void put_header(const Pixels *pixels, Bytes *out)
{
    static const char SIGNATURE[] = "\x89PNG\r\n\x1A\n";
    uint8_t           header[13] = { [8] = 8 /* bits */, [9] = COLOUR_RGB };
    for (unsigned i = 0; i < 4; i++) {
        header[i] = (uint8_t)(pixels->width >> (24 - 8 * i));
        header[4 + i] = (uint8_t)(pixels->height >> (24 - 8 * i));
    }
    bytes_append(out, SIGNATURE, sizeof SIGNATURE - 1);
    put_chunk(out, "IHDR", header, sizeof header);
}

/* Compresses bytes and writes full chunks; with Z_FINISH the last one, too. */
static void put_data(PngWriter *png, const uint8_t *bytes, size_t size, int flush)
{
    int result = Z_OK;
    png->deflate.next_in = (z_const Bytef *)(uintptr_t)bytes;
    png->deflate.avail_in = (uInt)size;
    do {
        png->deflate.next_out = png->chunk.data + png->chunk.size;
        png->deflate.avail_out = (uInt)(CHUNK - png->chunk.size);
        result = deflate(&png->deflate, flush);
        assert(result != Z_STREAM_ERROR);
        png->chunk.size = CHUNK - png->deflate.avail_out;
        if (png->chunk.size < CHUNK && result != Z_STREAM_END) continue;
        put_chunk(png->out, "IDAT", png->chunk.data, png->chunk.size);
        png->chunk.size = 0;
    } while (png->deflate.avail_in > 0 || (flush == Z_FINISH && result != Z_STREAM_END));
}

static void put_row(PngWriter *png, const Pixels *pixels, uint32_t y)
{
    const uint8_t *bytes = pixels->bytes + pixels->stride * y;
    const size_t   size = (size_t)pixels->width * sizeof(uint32_t);
    uint8_t       *to = png->row.data;
    if (y > 0 && memcmp(bytes, bytes - pixels->stride, size) == 0) {
        if (to[0] != FILTER_UP) memset(to, 0, png->row.size);
        to[0] = FILTER_UP;
    } else {
        *to++ = FILTER_NONE;
        for (uint32_t x = 0; x < pixels->width; x++, to += PIXEL_BYTES) {
            uint32_t pixel;
            memcpy(&pixel, bytes + x * sizeof pixel, sizeof pixel);
            to[0] = (uint8_t)(pixel >> 16);
            to[1] = (uint8_t)(pixel >> 8);
            to[2] = (uint8_t)pixel;
        }
    }
    put_data(png, png->row.data, png->row.size, Z_NO_FLUSH);
}

bool png_write(const Pixels *pixels, Bytes *out, Err *err)
{
    PngWriter    png = { .out = out };
    const size_t row_size = 1 + (size_t)pixels->width * PIXEL_BYTES;
    bool done = bytes_reserve(&png.chunk, CHUNK) != NULL && bytes_reserve(&png.row, row_size) != NULL &&
                deflateInit(&png.deflate, LEVEL) == Z_OK;
    if (done) {
        bytes_grow(&png.row, row_size);
        put_header(pixels, out);
        for (uint32_t y = 0; y < pixels->height; y++)
            put_row(&png, pixels, y);
        put_data(&png, NULL, 0, Z_FINISH);
        put_chunk(out, "IEND", NULL, 0);
        (void)deflateEnd(&png.deflate);
        done = !out->failed;
    }
    bytes_release(&png.chunk);
    bytes_release(&png.row);
    return done || err_set(err, ERR_MEMORY, "out of memory for the picture");
}
