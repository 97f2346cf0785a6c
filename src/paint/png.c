#include "paint/png.h"

#include "base/thread.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

enum {
    CHUNK = 64 << 10,
    STEP = 16 << 10,
    BAND_ROWS = 128,
    PIXEL_BYTES = 3,
    LEVEL = 2,
    RAW_WINDOW = -15,
    REPEATS_FEW = 4
};
enum { COLOUR_RGB = 2, FILTER_NONE = 0, FILTER_UP = 2 };

static const char NO_MEMORY[] = "out of memory for the picture";

/* Compressed rows, whose data do not refer to other rows. */
typedef struct Part {
    Bytes data;
    uLong adler; /* of the rows */
} Part;

static const uint32_t REPEATS_ROWS[] = { 64, 16, 8, 4, 2, 1 };
enum { REPEATS_SIZES = sizeof REPEATS_ROWS / sizeof REPEATS_ROWS[0] };

typedef struct Encoder {
    const PngPicture *picture;
    size_t            row_size;               /* filter byte and pixels */
    Part              repeats[REPEATS_SIZES]; /* numbers of rows that equal the row above */
    Part             *bands;                  /* BAND_ROWS rows each */
    uint32_t          band_count;
    Err              *errors; /* of the bands */
    atomic_uint       next;   /* the next band to make */
} Encoder;

/* Paints and compresses bands, one after the other. */
typedef struct BandWriter {
    const Encoder *encoder;
    Part          *band;
    z_stream       deflate;
    Bytes          pixels;  /* of the row above the band and of the band */
    Bytes          colours; /* red, green and blue of the row and of the row above */
    Bytes          row;     /* filter byte and pixels */
    bool           row_is_odd;
    uint32_t       repeat_count; /* rows that equal the row above and are not yet written */
} BandWriter;

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

static void put_header(const PngPicture *picture, Bytes *out)
{
    static const char SIGNATURE[] = "\x89PNG\r\n\x1A\n";
    uint8_t           header[13] = { [8] = 8 /* bits */, [9] = COLOUR_RGB };
    for (unsigned i = 0; i < 4; i++) {
        header[i] = (uint8_t)(picture->width >> (24 - 8 * i));
        header[4 + i] = (uint8_t)(picture->height >> (24 - 8 * i));
    }
    bytes_append(out, SIGNATURE, sizeof SIGNATURE - 1);
    put_chunk(out, "IHDR", header, sizeof header);
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

/* Appends a part, of `size` bytes of rows. */
static void append_part(Part *part, const Part *next, size_t size)
{
    bytes_append(&part->data, next->data.data, next->data.size);
    part->data.failed |= next->data.failed;
    part->adler = adler32_combine(part->adler, next->adler, (z_off_t)size);
}

/* -- equal rows -- */

/* Sets a row to zeros with the filter Up. */
static void clear_row(Bytes *row, size_t row_size)
{
    memset(row->data, 0, row_size);
    row->data[0] = FILTER_UP;
}

/* Makes the bytes of `rows` rows that equal the row above. */
static bool make_repeats(Part *repeats, uint32_t rows, const Bytes *row, size_t row_size)
{
    z_stream deflater = { 0 };
    if (deflateInit2(&deflater, LEVEL, Z_DEFLATED, RAW_WINDOW, 8, Z_RLE) != Z_OK) return false;
    repeats->adler = adler32(0, NULL, 0);
    for (uint32_t i = 1; i <= rows; i++) {
        repeats->adler = adler32(repeats->adler, row->data, (uInt)row_size);
        compress_to(&deflater, row->data, row_size, i == rows ? Z_FULL_FLUSH : Z_NO_FLUSH, &repeats->data);
    }
    (void)deflateEnd(&deflater);
    return !repeats->data.failed;
}

static bool make_all_repeats(Encoder *encoder)
{
    Bytes row = { 0 };
    bool  done = bytes_reserve(&row, encoder->row_size) != NULL;
    if (done) clear_row(&row, encoder->row_size);
    for (unsigned i = 0; done && i < REPEATS_SIZES; i++)
        done = make_repeats(&encoder->repeats[i], REPEATS_ROWS[i], &row, encoder->row_size);
    bytes_release(&row);
    return done;
}

/* -- a band -- */

static void put_data(BandWriter *writer, const uint8_t *bytes, size_t size, int flush)
{
    compress_to(&writer->deflate, bytes, size, flush, &writer->band->data);
}

/* Compresses the row. */
static void put_filtered(BandWriter *writer)
{
    const size_t size = writer->encoder->row_size;
    writer->band->adler = adler32(writer->band->adler, writer->row.data, (uInt)size);
    put_data(writer, writer->row.data, size, Z_NO_FLUSH);
}

/* Writes the repeated rows. The data before several of them ends with a full flush, so that later data does not refer to it. */
static void put_repeats(BandWriter *writer)
{
    const size_t row_size = writer->encoder->row_size;
    if (writer->repeat_count >= REPEATS_FEW) {
        put_data(writer, NULL, 0, Z_FULL_FLUSH);
        for (unsigned i = 0; i < REPEATS_SIZES; i++) {
            const uint32_t rows = REPEATS_ROWS[i];
            for (; writer->repeat_count >= rows; writer->repeat_count -= rows)
                append_part(writer->band, &writer->encoder->repeats[i], rows * row_size);
        }
    }
    for (; writer->repeat_count > 0; writer->repeat_count--) {
        clear_row(&writer->row, row_size);
        put_filtered(writer);
    }
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

/* Copies the colours of a row. */
static void copy_colours(const uint32_t *pixels, uint32_t width, uint8_t *to)
{
    for (uint32_t x = 0; x < width; x++, to += PIXEL_BYTES) {
        to[0] = (uint8_t)(pixels[x] >> 16);
        to[1] = (uint8_t)(pixels[x] >> 8);
        to[2] = (uint8_t)pixels[x];
    }
}

/* Writes a row. `above`: the row above it, NULL = the row is the first one. */
static void put_row(BandWriter *writer, const uint32_t *pixels, const uint32_t *above)
{
    const uint32_t width = writer->encoder->picture->width;
    const size_t   size = writer->encoder->row_size - 1;
    if (above != NULL && memcmp(pixels, above, (size_t)width * sizeof *pixels) == 0) {
        writer->repeat_count++;
        return;
    }
    put_repeats(writer);
    uint8_t *own = writer->colours.data + (writer->row_is_odd ? size : 0);
    uint8_t *before = writer->colours.data + (writer->row_is_odd ? 0 : size);
    copy_colours(pixels, width, own);
    filter_row(own, before, size, writer->row.data);
    writer->row_is_odd = !writer->row_is_odd;
    put_filtered(writer);
}

/* Takes the memory of a writer. */
static bool open_writer(BandWriter *writer)
{
    const Encoder *encoder = writer->encoder;
    const size_t   size = encoder->row_size;
    const uint32_t height = encoder->picture->height, rows = height < BAND_ROWS ? height : BAND_ROWS;
    return bytes_reserve(&writer->row, size) != NULL &&
           bytes_reserve(&writer->colours, (size - 1) * 2) != NULL &&
           bytes_reserve(&writer->pixels, ((size_t)rows + 1) * encoder->picture->width * sizeof(uint32_t)) !=
               NULL &&
           deflateInit2(&writer->deflate, LEVEL, Z_DEFLATED, RAW_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

static void close_writer(BandWriter *writer)
{
    (void)deflateEnd(&writer->deflate); /* also if it was never opened */
    bytes_release(&writer->pixels);
    bytes_release(&writer->colours);
    bytes_release(&writer->row);
}

/* Paints and compresses a band. The data of each but the last one end at a byte and can be continued. */
static bool make_band(BandWriter *writer, uint32_t index, Err *err)
{
    const PngPicture *picture = writer->encoder->picture;
    const uint32_t    first = index * BAND_ROWS, left = picture->height - first;
    const uint32_t    end = left > BAND_ROWS ? first + BAND_ROWS : picture->height;
    const uint32_t    top = first > 0 ? first - 1 : 0; /* the row above is painted, too */
    uint32_t         *pixels = (uint32_t *)(void *)writer->pixels.data;
    const size_t      size = writer->encoder->row_size - 1;
    writer->band = &writer->encoder->bands[index];
    writer->band->adler = adler32(0, NULL, 0);
    writer->row_is_odd = false;
    if (!picture->paint(picture->context, top, end, pixels, err)) return false;
    memset(writer->colours.data, 0, size * 2);
    if (first > 0) copy_colours(pixels, picture->width, writer->colours.data + size);
    for (uint32_t y = first; y < end; y++) {
        const uint32_t *row = pixels + (size_t)(y - top) * picture->width;
        put_row(writer, row, y > 0 ? row - picture->width : NULL);
    }
    put_repeats(writer);
    put_data(writer, NULL, 0, end == picture->height ? Z_FINISH : Z_FULL_FLUSH);
    (void)deflateReset(&writer->deflate);
    return true;
}

/* Makes bands until there are no more. A band that cannot be made has an error. */
static void make_bands(void *context, size_t thread)
{
    Encoder   *encoder = context;
    BandWriter writer = { .encoder = encoder };
    const bool is_open = open_writer(&writer);
    (void)thread;
    for (uint32_t i; (i = atomic_fetch_add(&encoder->next, 1)) < encoder->band_count;) {
        if (is_open)
            (void)make_band(&writer, i, &encoder->errors[i]);
        else
            (void)err_set(&encoder->errors[i], ERR_MEMORY, NO_MEMORY);
    }
    close_writer(&writer);
}

/* -- the file -- */

/* Writes the bands, as the data of zlib (RFC 1950): a header of two bytes, deflate, and the checksum. Returns false when out of
 * memory. */
static bool put_bands(const Encoder *encoder, Bytes *out)
{
    static const uint8_t HEADER[] = { 0x78, 0x01 };
    Part                 all = { .adler = adler32(0, NULL, 0) };
    uint32_t             left = encoder->picture->height;
    bytes_append(&all.data, HEADER, sizeof HEADER);
    for (uint32_t i = 0; i < encoder->band_count; i++) {
        const uint32_t rows = left < BAND_ROWS ? left : BAND_ROWS;
        append_part(&all, &encoder->bands[i], rows * encoder->row_size);
        left -= rows;
    }
    put_u32be(&all.data, (uint32_t)all.adler);
    const bool done = !all.data.failed;
    for (size_t at = 0, size; done && at < all.data.size; at += size) {
        size = all.data.size - at < CHUNK ? all.data.size - at : CHUNK;
        put_chunk(out, "IDAT", all.data.data + at, size);
    }
    bytes_release(&all.data);
    return done;
}

/* Writes the file. */
static bool write_file(Encoder *encoder, unsigned threads, Bytes *out, Err *err)
{
    if (encoder->bands == NULL || encoder->errors == NULL || !make_all_repeats(encoder))
        return err_set(err, ERR_MEMORY, NO_MEMORY);
    if (threads == 0) threads = thread_count_default();
    thread_run(threads, threads < encoder->band_count ? threads : encoder->band_count, make_bands, encoder);
    for (uint32_t i = 0; i < encoder->band_count; i++) {
        if (encoder->errors[i].code == ERR_NONE) continue;
        *err = encoder->errors[i];
        return false;
    }
    put_header(encoder->picture, out);
    const bool done = put_bands(encoder, out);
    put_chunk(out, "IEND", NULL, 0);
    return (done && !out->failed) || err_set(err, ERR_MEMORY, NO_MEMORY);
}

bool png_write(const PngPicture *picture, unsigned threads, Bytes *out, Err *err)
{
    Arena   arena = arena_create(0);
    Encoder encoder = { .picture = picture,
                        .row_size = (size_t)picture->width * PIXEL_BYTES + 1,
                        .band_count = (picture->height + BAND_ROWS - 1) / BAND_ROWS };
    encoder.bands = ARENA_ARRAY(&arena, Part, encoder.band_count);
    encoder.errors = ARENA_ARRAY(&arena, Err, encoder.band_count);
    const bool done = write_file(&encoder, threads, out, err);
    for (uint32_t i = 0; encoder.bands != NULL && i < encoder.band_count; i++)
        bytes_release(&encoder.bands[i].data);
    for (unsigned i = 0; i < REPEATS_SIZES; i++)
        bytes_release(&encoder.repeats[i].data);
    arena_release(&arena);
    return done;
}
