#include "paint/png.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

enum {
    CHUNK = 64 << 10,
    STEP = 16 << 10,
    PIXEL_BYTES = 3,
    LEVEL = 3,
    REPEATS_LEVEL = 9,
    RAW_WINDOW = -15,
    REPEATS_FEW = 8
};
enum { COLOUR_RGB = 2, FILTER_NONE = 0, FILTER_UP = 2 };

/* Rows that equal the row above, compressed. The bytes do not refer to other bytes of the data. */
typedef struct Repeats {
    Bytes data; /* empty: not yet made */
    uLong adler;
} Repeats;

static const uint32_t REPEATS_ROWS[] = { 64, 16, REPEATS_FEW };
enum { REPEATS_SIZES = sizeof REPEATS_ROWS / sizeof REPEATS_ROWS[0] };

typedef struct PngWriter {
    z_stream deflate;
    Bytes    data;   /* compressed data for the next IDAT */
    Bytes    pixels; /* red, green and blue of the row and of the row above */
    Bytes    row;    /* filter byte and pixels */
    size_t   row_size;
    bool     row_is_odd;
    Repeats  repeats[REPEATS_SIZES];
    uint32_t repeat_count; /* rows that equal the row above and are not yet written */
    uLong    adler;        /* of all rows */
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

/* Writes a chunk if there is data for one. */
static void put_full_chunk(PngWriter *png)
{
    if (png->data.size < CHUNK) return;
    put_chunk(png->out, "IDAT", png->data.data, png->data.size);
    bytes_clear(&png->data);
}

/* Appends the compressed form of bytes to `out`. */
static void compress_to(z_stream *deflater, const uint8_t *bytes, size_t size, int flush, Bytes *out)
{
    deflater->next_in = (z_const Bytef *)(uintptr_t)bytes;
    deflater->avail_in = (uInt)size;
    do {
        deflater->next_out = (Bytef *)bytes_reserve(out, STEP);
        if (deflater->next_out == NULL) return;
        deflater->avail_out = STEP;
        const int result = deflate(deflater, flush);
        assert(result != Z_STREAM_ERROR);
        (void)result;
        bytes_grow(out, STEP - deflater->avail_out);
    } while (deflater->avail_out == 0);
}

static void put_data(PngWriter *png, const uint8_t *bytes, size_t size, int flush)
{
    compress_to(&png->deflate, bytes, size, flush, &png->data);
    put_full_chunk(png);
}

/* Makes the bytes of `rows` rows that equal the row above: zeros with the filter Up. */
static void make_repeats(PngWriter *png, Repeats *repeats, uint32_t rows)
{
    z_stream deflater = { 0 };
    repeats->data.failed =
        deflateInit2(&deflater, REPEATS_LEVEL, Z_DEFLATED, RAW_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK;
    if (repeats->data.failed) return;
    memset(png->row.data, 0, png->row_size);
    png->row.data[0] = FILTER_UP;
    repeats->adler = adler32(0, NULL, 0);
    for (uint32_t row = 1; row <= rows; row++) {
        repeats->adler = adler32(repeats->adler, png->row.data, (uInt)png->row_size);
        compress_to(&deflater, png->row.data, png->row_size, row == rows ? Z_FULL_FLUSH : Z_NO_FLUSH,
                    &repeats->data);
    }
    (void)deflateEnd(&deflater);
}

/* Writes a row of zeros with the filter Up as data. */
static void put_zeros(PngWriter *png)
{
    memset(png->row.data, 0, png->row_size);
    png->row.data[0] = FILTER_UP;
    png->adler = adler32(png->adler, png->row.data, (uInt)png->row_size);
    put_data(png, png->row.data, png->row_size, Z_NO_FLUSH);
}

/* Writes the repeated rows. The data before many of them ends with a full flush, so that later data does not refer to it. */
static void put_repeats(PngWriter *png)
{
    if (png->repeat_count >= REPEATS_FEW) put_data(png, NULL, 0, Z_FULL_FLUSH);
    for (unsigned i = 0; i < REPEATS_SIZES; i++) {
        Repeats       *repeats = &png->repeats[i];
        const uint32_t rows = REPEATS_ROWS[i];
        for (; png->repeat_count >= rows; png->repeat_count -= rows) {
            if (repeats->data.size == 0) make_repeats(png, repeats, rows);
            if (repeats->data.failed) png->data.failed = true;
            bytes_append(&png->data, repeats->data.data, repeats->data.size);
            png->adler = adler32_combine(png->adler, repeats->adler, (z_off_t)(rows * png->row_size));
            put_full_chunk(png);
        }
    }
    for (; png->repeat_count > 0; png->repeat_count--)
        put_zeros(png);
}

/* Chooses the filter of a row by the row above: Up if more than half of the bytes are the same. Fills the row. */
static void filter_row(const uint8_t *restrict pixels, const uint8_t *restrict above, size_t size,
                       uint8_t *restrict row)
{
    size_t same = 0;
    for (size_t i = 0; i < size; i++)
        same += pixels[i] == above[i];
    row[0] = same > size / 2 ? FILTER_UP : FILTER_NONE;
    if (row[0] == FILTER_NONE) {
        memcpy(row + 1, pixels, size);
        return;
    }
    for (size_t i = 0; i < size; i++)
        row[1 + i] = (uint8_t)(pixels[i] - above[i]);
}

static void put_row(PngWriter *png, const Pixels *pixels, uint32_t y)
{
    const uint8_t *bytes = pixels->bytes + pixels->stride * y;
    const size_t   size = png->row_size - 1;
    if (y > 0 && memcmp(bytes, bytes - pixels->stride, (size_t)pixels->width * sizeof(uint32_t)) == 0) {
        png->repeat_count++;
        return;
    }
    put_repeats(png);
    uint8_t *own = png->pixels.data + (png->row_is_odd ? size : 0), *to = own;
    uint8_t *above = png->pixels.data + (png->row_is_odd ? 0 : size);
    for (uint32_t x = 0; x < pixels->width; x++, to += PIXEL_BYTES) {
        uint32_t pixel;
        memcpy(&pixel, bytes + x * sizeof pixel, sizeof pixel);
        to[0] = (uint8_t)(pixel >> 16);
        to[1] = (uint8_t)(pixel >> 8);
        to[2] = (uint8_t)pixel;
    }
    filter_row(own, above, size, png->row.data);
    png->row_is_odd = !png->row_is_odd;
    png->adler = adler32(png->adler, png->row.data, (uInt)png->row_size);
    put_data(png, png->row.data, png->row_size, Z_NO_FLUSH);
}

/* Writes all rows, as the data of zlib (RFC 1950): a header of two bytes, deflate, and the checksum. */
static void put_rows(PngWriter *png, const Pixels *pixels)
{
    static const uint8_t HEADER[] = { 0x78, 0x01 };
    png->adler = adler32(0, NULL, 0);
    bytes_append(&png->data, HEADER, sizeof HEADER);
    for (uint32_t y = 0; y < pixels->height; y++)
        put_row(png, pixels, y);
    put_repeats(png);
    put_data(png, NULL, 0, Z_FINISH);
    put_u32be(&png->data, (uint32_t)png->adler);
    put_chunk(png->out, "IDAT", png->data.data, png->data.size);
}

/* Takes zeroed memory for a row, and for the row above the first one. */
static bool take_rows(PngWriter *png, const Pixels *pixels)
{
    const size_t size = (size_t)pixels->width * PIXEL_BYTES;
    if (bytes_reserve(&png->row, size + 1) == NULL || bytes_reserve(&png->pixels, size * 2) == NULL)
        return false;
    memset(png->pixels.data, 0, size * 2);
    png->row_size = size + 1;
    return true;
}

bool png_write(const Pixels *pixels, Bytes *out, Err *err)
{
    PngWriter png = { .out = out };
    bool      done = take_rows(&png, pixels) &&
                deflateInit2(&png.deflate, LEVEL, Z_DEFLATED, RAW_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    if (done) {
        put_header(pixels, out);
        put_rows(&png, pixels);
        put_chunk(out, "IEND", NULL, 0);
        (void)deflateEnd(&png.deflate);
        done = !out->failed && !png.data.failed;
    }
    for (unsigned i = 0; i < REPEATS_SIZES; i++)
        bytes_release(&png.repeats[i].data);
    bytes_release(&png.data);
    bytes_release(&png.pixels);
    bytes_release(&png.row);
    return done || err_set(err, ERR_MEMORY, "out of memory for the picture");
}
