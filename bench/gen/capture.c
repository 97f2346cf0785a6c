/* varve-gen-capture: writes a large apitrace capture for benchmarks and tests: usage: varve-gen-capture CALLS FILE
 *
 * Frames of some sixty calls: state, vertex arrays, draws with uniforms, a query, nested debug groups; one
 * frame in eight writes a whole mesh anew, a second thread uploads now and then. The mix is that of a
 * recorded run of glmark2 (whose own capture of ten million calls has 100 bytes a call in the file and 375 in
 * the stream): 33 bytes a call, and nine tenths of the stream in few large blobs of vertices that Snappy
 * packs four to one. The same number of calls gives the same bytes on every machine. */
#include "base/file.h"
#include "codec/encoder.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTER, LEAVE };
enum { DETAIL_END, DETAIL_ARGUMENT, DETAIL_RESULT };
enum {
    TAG_NULL,
    TAG_FALSE,
    TAG_SINT = 3,
    TAG_UINT,
    TAG_FLOAT,
    TAG_STRING = 7,
    TAG_BLOB,
    TAG_ENUM,
    TAG_BITMASK,
    TAG_ARRAY,
    TAG_OPAQUE = 13
};

typedef struct Function {
    const char *name;
    const char *args[10];
} Function;

enum {
    BIND_BUFFER,
    BUFFER_SUB_DATA,
    USE_PROGRAM,
    UNIFORM,
    UNIFORM_MATRIX,
    ENABLE,
    DRAW,
    GET_ERROR,
    PUSH,
    POP,
    CLEAR,
    SWAP,
    VERTEX_POINTER,
    ENABLE_ARRAY,
    FUNCTION_COUNT
};

static const Function FUNCTIONS[FUNCTION_COUNT] = {
    [BIND_BUFFER] = { "glBindBuffer", { "target", "buffer" } },
    [BUFFER_SUB_DATA] = { "glBufferSubData", { "target", "offset", "size", "data" } },
    [USE_PROGRAM] = { "glUseProgram", { "program" } },
    [UNIFORM] = { "glUniform4f", { "location", "v0", "v1", "v2", "v3" } },
    [UNIFORM_MATRIX] = { "glUniformMatrix4fv", { "location", "count", "transpose", "value" } },
    [ENABLE] = { "glEnable", { "cap" } },
    [DRAW] = { "glDrawElements", { "mode", "count", "type", "indices" } },
    [GET_ERROR] = { "glGetError", { NULL } },
    [PUSH] = { "glPushDebugGroup", { "source", "id", "length", "message" } },
    [POP] = { "glPopDebugGroup", { NULL } },
    [CLEAR] = { "glClear", { "mask" } },
    [SWAP] = { "glXSwapBuffers", { "dpy", "drawable" } },
    [VERTEX_POINTER] = { "glVertexAttribPointer",
                         { "index", "size", "type", "normalized", "stride", "pointer" } },
    [ENABLE_ARRAY] = { "glEnableVertexAttribArray", { "index" } },
};

typedef struct Generator {
    Bytes    stream;
    uint64_t random;
    bool     defined[FUNCTION_COUNT], has_enum, has_mask;
    uint64_t call;
    uint32_t thread;
    unsigned next_argument;
    uint32_t phase; /* of the wave in the meshes */
} Generator;

/* In [0, bound). */
static uint32_t below(Generator *g, uint32_t bound)
{
    return (uint32_t)(random_next(&g->random) % bound);
}

static void put_byte(Generator *g, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(&g->stream, &b, 1);
}

static void put_uint(Generator *g, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(g, (unsigned)(value & 0x7f) | 0x80);
    put_byte(g, (unsigned)value);
}

static void put_u32le(Generator *g, uint32_t value)
{
    const uint8_t b[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                           (uint8_t)(value >> 24) };
    bytes_append(&g->stream, b, sizeof b);
}

static void put_string(Generator *g, const char *text)
{
    put_uint(g, strlen(text));
    bytes_append_text(&g->stream, text);
}

static void enter(Generator *g, unsigned id)
{
    const Function *function = &FUNCTIONS[id];
    put_byte(g, ENTER);
    put_uint(g, g->thread);
    put_uint(g, id);
    g->next_argument = 0;
    if (g->defined[id]) return;
    g->defined[id] = true;
    unsigned count = 0;
    while (count < 10 && function->args[count] != NULL)
        count++;
    put_string(g, function->name);
    put_uint(g, count);
    for (unsigned i = 0; i < count; i++)
        put_string(g, function->args[i]);
}

static void argument(Generator *g, unsigned tag)
{
    put_byte(g, DETAIL_ARGUMENT);
    put_uint(g, g->next_argument++);
    put_byte(g, tag);
}

static void number(Generator *g, uint64_t value)
{
    argument(g, TAG_UINT);
    put_uint(g, value);
}

static void put_float(Generator *g, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32le(g, bits);
}

static void decimal(Generator *g, float value)
{
    argument(g, TAG_FLOAT);
    put_float(g, value);
}

/* One table for all, as in real captures: some three thousand names. */
static void put_enum(Generator *g, uint64_t value)
{
    enum { NAMES = 3000 };
    put_uint(g, 0);
    if (!g->has_enum) {
        g->has_enum = true;
        put_uint(g, NAMES);
        for (unsigned i = 0; i < NAMES; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "GL_CONSTANT_%u", i);
            put_string(g, name);
            put_byte(g, TAG_UINT);
            put_uint(g, 0x1000 + i);
        }
    }
    put_byte(g, TAG_UINT);
    put_uint(g, value);
}

static void constant(Generator *g, uint64_t value)
{
    argument(g, TAG_ENUM);
    put_enum(g, 0x1000 + value);
}

/* A coordinate in [0.5, 2) with all its bits in use. */
static uint32_t coordinate(uint32_t axis, uint32_t index)
{
    uint64_t seed = (uint64_t)axis << 32 | index;
    return UINT32_C(0x3f000000) + (uint32_t)(random_next(&seed) % UINT32_C(0x01000000));
}

enum { VERTEX_BYTES = 20, QUAD_VERTICES = 6, WAVE = 61 };

/* Three coordinates, two of a texture, with zeros here and there as in flat and untextured parts. */
static void vertex(Generator *g, uint32_t column, uint32_t row)
{
    const uint32_t wave = (column + row + g->phase) % WAVE;
    put_u32le(g, coordinate(0, column));
    put_u32le(g, coordinate(1, row));
    put_u32le(g, wave % 3 == 0 ? 0 : coordinate(2, wave));
    put_u32le(g, 0);
    put_u32le(g, wave % 3 == 1 ? 0 : coordinate(3, wave % 31));
}

/* The triangles of a grid of `columns` quads in each row, moved by a wave: each vertex occurs up to six times. */
static void mesh(Generator *g, uint32_t columns, uint32_t rows)
{
    argument(g, TAG_BLOB);
    put_uint(g, (uint64_t)columns * rows * QUAD_VERTICES * VERTEX_BYTES);
    g->phase++;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            vertex(g, column, row), vertex(g, column + 1, row), vertex(g, column, row + 1);
            vertex(g, column, row + 1), vertex(g, column + 1, row), vertex(g, column + 1, row + 1);
        }
    }
}

static void leave(Generator *g)
{
    put_byte(g, DETAIL_END);
    put_byte(g, LEAVE);
    put_uint(g, g->call++);
    put_byte(g, DETAIL_END);
}

static void vertex_array(Generator *g, uint32_t index)
{
    enter(g, VERTEX_POINTER), number(g, index), number(g, 3), constant(g, 1406), argument(g, TAG_FALSE);
    number(g, 12), number(g, below(g, 40) * (uint64_t)1000), leave(g);
    enter(g, ENABLE_ARRAY), number(g, index), leave(g);
}

static void draw(Generator *g)
{
    enter(g, UNIFORM), number(g, below(g, 30));
    for (int i = 0; i < 4; i++)
        decimal(g, (float)below(g, 100000) / 1000.0F);
    leave(g);
    if (below(g, 3) == 0) {
        enter(g, UNIFORM_MATRIX), number(g, 3), number(g, 1), constant(g, 0), argument(g, TAG_ARRAY);
        put_uint(g, 16);
        for (int i = 0; i < 16; i++)
            put_byte(g, TAG_FLOAT), put_float(g, i % 3 == 0 ? (float)below(g, 2000) / 999.0F : 0);
        leave(g);
    }
    if (below(g, 2) == 0) vertex_array(g, below(g, 3));
    enter(g, ENABLE), constant(g, below(g, 40)), leave(g);
    enter(g, DRAW), constant(g, 4), number(g, below(g, 9000)), constant(g, 1405), argument(g, TAG_NULL);
    leave(g);
}

static void upload(Generator *g, uint32_t columns, uint32_t rows)
{
    uint64_t size = (uint64_t)columns * rows * QUAD_VERTICES * VERTEX_BYTES;
    enter(g, BIND_BUFFER), constant(g, 2000), number(g, below(g, 500)), leave(g);
    enter(g, BUFFER_SUB_DATA), constant(g, 2000), number(g, 0), number(g, size), mesh(g, columns, rows);
    leave(g);
}

static void frame(Generator *g)
{
    enum { DRAWS = 13, MESH_COLUMNS = 100, MESH_ROWS = 15 };
    enter(g, CLEAR), argument(g, TAG_BITMASK);
    put_uint(g, 0);
    if (!g->has_mask) {
        g->has_mask = true;
        put_uint(g, 2), put_string(g, "GL_DEPTH_BUFFER_BIT"), put_uint(g, 0x100),
            put_string(g, "GL_COLOR_BUFFER_BIT"), put_uint(g, 0x4000);
    }
    put_uint(g, 0x4100);
    leave(g);
    if (below(g, 8) == 0) upload(g, MESH_COLUMNS, MESH_ROWS);
    enter(g, PUSH), constant(g, 10), number(g, 0), argument(g, TAG_SINT), put_uint(g, 1),
        argument(g, TAG_STRING);
    put_string(g, "scene"), leave(g);
    for (int i = 0; i < DRAWS; i++) {
        if (i % 5 == 0) enter(g, USE_PROGRAM), number(g, 1 + below(g, 20)), leave(g);
        draw(g);
    }
    enter(g, POP), leave(g);
    if (below(g, 24) == 0) {
        g->thread = 1;
        upload(g, 1 + below(g, 10), 1 + below(g, 10));
        g->thread = 0;
    }
    enter(g, GET_ERROR);
    put_byte(g, DETAIL_END), put_byte(g, LEAVE), put_uint(g, g->call++), put_byte(g, DETAIL_RESULT),
        put_byte(g, TAG_ENUM), put_enum(g, 0), put_byte(g, DETAIL_END);
    enter(g, SWAP), argument(g, TAG_OPAQUE), put_uint(g, 0x55d0c0ffee10), number(g, 62914562), leave(g);
}

static bool flush(Generator *g, Encoder *encoder, Bytes *packed, FileWriter *writer, Err *err)
{
    bool done = encoder_run(encoder, g->stream.data, g->stream.size, packed, err) &&
                file_writer_append(writer, packed->data, packed->size, err);
    bytes_clear(&g->stream);
    bytes_clear(packed);
    return done;
}

int main(int argc, char **argv)
{
    enum { FLUSH_BYTES = 4 << 20, EXIT_USAGE = 1, EXIT_OUTPUT = 4 };
    if (argc != 3) {
        (void)fputs("usage: varve-gen-capture CALLS FILE\n", stderr);
        return EXIT_USAGE;
    }
    Generator  g = { .random = 1 };
    Bytes      packed = { 0 };
    FileWriter writer = { 0 };
    Err        err;
    uint64_t   calls = strtoull(argv[1], NULL, 10);
    Encoder   *encoder = encoder_open(CODEC_SNAPPY, 0, &err);
    bool       done = encoder != NULL && file_writer_open(&writer, argv[2], &err);
    put_byte(&g, 6), put_byte(&g, 6), put_string(&g, "process.name"), put_string(&g, "/usr/bin/game"),
        put_byte(&g, 0);
    while (done && g.call < calls) {
        frame(&g);
        if (g.stream.size > FLUSH_BYTES) done = flush(&g, encoder, &packed, &writer, &err);
    }
    done = done && flush(&g, encoder, &packed, &writer, &err) && encoder_finish(encoder, &packed, &err) &&
           file_writer_append(&writer, packed.data, packed.size, &err) && file_writer_commit(&writer, &err);
    if (!done) (void)fprintf(stderr, "varve-gen-capture: %s\n", err.message);
    encoder_close(encoder);
    bytes_release(&packed);
    bytes_release(&g.stream);
    return done ? EXIT_SUCCESS : EXIT_OUTPUT;
}
