/* An input in blocks, read ahead of the reader: src/format/blocks.c, and the pieces of input.c and chunk_file.c. */
#include "format/blocks.h"

#include "codec/encoder.h"
#include "codec/snappy.h"
#include "support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs ---- */

/* Bytes that compress a little, the same for each seed. */
static Bytes plain_of(size_t size, uint64_t seed)
{
    TestRandom random = { seed };
    Bytes      out = { NULL, 0, 0, false };
    uint8_t   *room = (uint8_t *)bytes_reserve(&out, size + 1);
    CHECK(room != NULL);
    for (size_t i = 0; i < size; i++)
        room[i] = (uint8_t)(i % 7 == 0 ? test_random_below(&random, 256) : i / 64);
    bytes_grow(&out, size);
    return out;
}

/* Makes chunks of any size below `most`, sometimes an empty one, and one of `large`. */
static Bytes chunks_of(const Bytes *plain, size_t most, size_t large, uint64_t seed)
{
    TestRandom random = { seed };
    Bytes      out = { NULL, 0, 0, false };
    bytes_append_text(&out, "at");
    for (size_t at = 0, number = 0, size; at < plain->size; at += size, number++) {
        size = (size_t)test_random_below(&random, most);
        if (number % 50 == 40) size = 0;
        if (number % 50 == 20) size = large;
        if (size > plain->size - at) size = plain->size - at;
        Bytes chunk = { NULL, 0, 0, false };
        snappy_encode(&chunk, plain->data + at, size);
        for (unsigned i = 0; i < SNAPPY_SIZE_BYTES; i++)
            bytes_append(&out, &(uint8_t){ (uint8_t)(chunk.size >> 8 * i) }, 1);
        bytes_append(&out, chunk.data, chunk.size);
        bytes_release(&chunk);
    }
    CHECK(!out.failed);
    return out;
}

static Bytes gzip_of(const Bytes *plain)
{
    Bytes    out = { NULL, 0, 0, false };
    Err      err;
    Encoder *encoder = encoder_open(CODEC_GZIP, 1, &err);
    CHECK(encoder != NULL && encoder_run(encoder, plain->data, plain->size, &out, &err) &&
          encoder_finish(encoder, &out, &err));
    encoder_close(encoder);
    return out;
}

/* ---- reading ---- */

typedef struct Sum {
    const Block  *block; /* of the jobs */
    size_t        parts;
    atomic_size_t bytes;
} Sum;

static void sum_part(void *context, size_t i)
{
    Sum   *sum = (Sum *)context;
    size_t begin = sum->block->size * i / sum->parts, end = sum->block->size * (i + 1) / sum->parts,
           bytes = 0;
    for (size_t at = begin; at < end; at++)
        bytes += sum->block->bytes[at];
    atomic_fetch_add(&sum->bytes, bytes);
}

static size_t sum_of(const Block *block)
{
    size_t bytes = 0;
    for (size_t at = 0; at < block->size; at++)
        bytes += block->bytes[at];
    return bytes;
}

typedef struct Reading {
    Arena   arena;
    Input  *input;
    Blocks *blocks;
} Reading;

static void begin_reading(Reading *r, unsigned threads, size_t first_size)
{
    Err   err;
    bool  found;
    Bytes first = { NULL, 0, 0, false };
    CHECK_DONE(input_begin_part(r->input, NULL, &found, &err), err);
    if (first_size > 0) {
        size_t got;
        CHECK_DONE(input_fill(r->input, bytes_reserve(&first, first_size), first_size, &got, &err), err);
        bytes_grow(&first, got);
    }
    r->blocks = blocks_create(&r->arena, r->input, threads, NULL, first_size > 0 ? &first : NULL);
    CHECK(r->blocks != NULL && first.data == NULL);
}

static Reading reading_of(const Bytes *file, unsigned threads, size_t first_size)
{
    Err     err;
    Reading r = { .arena = arena_create(0) };
    r.input = input_open_bytes(&r.arena, file->data, file->size, &err);
    CHECK(r.input != NULL);
    begin_reading(&r, threads, first_size);
    return r;
}

static void reading_end_of(Reading *r)
{
    blocks_release(r->blocks);
    input_close(r->input);
    arena_release(&r->arena);
}

/* Reads all blocks, and leaves a part of nearly every block, and all of some. Checks that each block's bytes are those
 * of `plain`, and that they still are when the next one is available, if a part of the block was used. Jobs read a
 * block in parallel with the next one. Returns the number of bytes. */
static uint64_t read_all(Reading *r, const Bytes *plain, uint64_t seed)
{
    TestRandom random = { seed };
    Err        err;
    Sum        sum = { .parts = 5 };
    uint64_t   end = 0;
    for (Block before = { .size = 0 };;) {
        const Block block = *blocks_current(r->blocks);
        if (before.size > 0) {
            blocks_join(r->blocks);
            CHECK_UINT(atomic_load(&sum.bytes), sum_of(&before));
            CHECK(memcmp(before.bytes, plain->data + before.offset, before.size) == 0);
        }
        end = block.offset + block.size;
        CHECK(end <= plain->size);
        CHECK(block.size == 0 || memcmp(block.bytes, plain->data + block.offset, block.size) == 0);
        if (block.is_last) return end;
        size_t used = (size_t)test_random_below(&random, block.size + 1);
        if (test_random_below(&random, 8) == 0) used = 0;
        if (block.size > 3 << 20) used = block.size - 1;
        before = block;
        if (used == 0) before.size = 0;
        sum.block = &before;
        atomic_store(&sum.bytes, 0);
        if (used > 0) blocks_post(r->blocks, &(BlockJobs){ sum.parts, sum_part, &sum });
        const size_t least = (size_t)test_random_below(&random, 1 << 20);
        CHECK_DONE(blocks_next(r->blocks, used, least, &err), err);
        const Block *next = blocks_current(r->blocks);
        CHECK(used > 0 || next->is_last || next->size > block.size);
        CHECK(next->is_last || next->size >= least || next->offset + next->size == plain->size);
    }
}

TEST(all_bytes_come_once_and_in_order)
{
    Bytes plain = plain_of(20 << 20, 1);
    Bytes files[] = { chunks_of(&plain, 3 << 20, 5 << 20, 2), chunks_of(&plain, 200 << 10, 1 << 20, 3),
                      chunks_of(&plain, 20 << 10, 4 << 20, 4), gzip_of(&plain), plain_of(20 << 20, 1) };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            Reading r = reading_of(&files[i], threads, threads == 1 ? 0 : (size_t)100 << 10 << threads);
            CHECK_UINT(read_all(&r, &plain, i * 8 + threads), plain.size);
            CHECK(!blocks_current(r.blocks)->failed);
            CHECK_UINT(blocks_current(r.blocks)->raw_read, files[i].size);
            reading_end_of(&r);
        }
        bytes_release(&files[i]);
    }
    bytes_release(&plain);
}

/* The data before the fault is complete, also if a thread reads ahead. */
TEST(a_fault_ends_it_where_it_stands)
{
    Bytes    plain = plain_of(8 << 20, 5), file = chunks_of(&plain, 100 << 10, 1 << 20, 6);
    size_t   sizes[] = { file.size - 10, file.size / 2, file.size / 3 };
    uint64_t before = plain.size;
    for (size_t i = 0; i < 3; i++) {
        Bytes    cut = { .data = file.data, .size = sizes[i] };
        uint64_t ends[2];
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            Reading r = reading_of(&cut, threads, 0);
            ends[threads / 4] = read_all(&r, &plain, 7);
            CHECK(blocks_current(r.blocks)->failed);
            CHECK_INT(blocks_current(r.blocks)->err.code, ERR_TRUNCATED);
            reading_end_of(&r);
        }
        CHECK_UINT(ends[0], ends[1]);
        CHECK(ends[0] < before && ends[0] > 0);
        before = ends[0];
    }
    for (size_t i = 0; i < 3; i++) { /* a chunk that claims a larger size: damaged, not cut */
        const size_t at = SNAPPY_MAGIC_BYTES + SNAPPY_SIZE_BYTES;
        Reading      r;
        file.data[at] ^= 1;
        r = reading_of(&file, i == 0 ? 1 : 3, 0);
        CHECK_UINT(read_all(&r, &plain, 8), 0);
        CHECK_INT(blocks_current(r.blocks)->err.code, ERR_CORRUPT);
        CHECK_UINT(blocks_current(r.blocks)->err.offset, SNAPPY_MAGIC_BYTES);
        reading_end_of(&r);
        file.data[at] ^= 1;
    }
    bytes_release(&file);
    bytes_release(&plain);
}

/* A file that becomes shorter ends in front of the missing bytes, with an error, whatever the number of threads. */
TEST(a_file_may_become_shorter)
{
    Bytes plain = plain_of(4 << 20, 12);
    char  path[256];
    test_scratch_path("shorter", path, sizeof path);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const size_t left = (2 << 20) + 1000;
        Err          err;
        FILE        *file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(plain.data, 1, plain.size, file) == plain.size && fclose(file) == 0);
        Reading r = { .arena = arena_create(0) };
        r.input = input_open_file(&r.arena, path, NULL, &err);
        CHECK(r.input != NULL);
        CHECK(truncate(path, (off_t)left) == 0);
        begin_reading(&r, threads, 0);
        CHECK_UINT(read_all(&r, &(Bytes){ .data = plain.data, .size = left }, 13), left);
        CHECK_INT(blocks_current(r.blocks)->err.code, ERR_IO);
        CHECK_UINT(blocks_current(r.blocks)->err.offset, left);
        reading_end_of(&r);
    }
    CHECK(remove(path) == 0);
    bytes_release(&plain);
}

/* Stopping in the middle leaves running helpers and posted jobs. */
TEST(it_can_be_left_at_any_time)
{
    Bytes plain = plain_of(6 << 20, 9), file = chunks_of(&plain, 300 << 10, 1 << 20, 10);
    for (unsigned turns = 0; turns < 8; turns++) {
        Reading r = reading_of(&file, 4, 0);
        Err     err;
        for (unsigned i = 0; i < turns; i++)
            CHECK_DONE(blocks_next(r.blocks, blocks_current(r.blocks)->size, 0, &err), err);
        Sum sum = { .block = blocks_current(r.blocks), .parts = 20 };
        blocks_post(r.blocks, &(BlockJobs){ sum.parts, sum_part, &sum });
        size_t expected = sum_of(sum.block);
        blocks_release(r.blocks);
        r.blocks = NULL;
        CHECK_UINT(atomic_load(&sum.bytes), turns == 0 ? 0 : expected);
        reading_end_of(&r);
    }
    bytes_release(&file);
    bytes_release(&plain);
}

/* A record of many blocks takes little more memory than its size, also when the next one is as large. */
TEST(large_records_are_held_once)
{
    enum { RECORD_BYTES = 32 << 20, RING_BYTES = 8 << 20 };
    Bytes plain = plain_of(3 * RECORD_BYTES, 11), file = gzip_of(&plain);
    for (unsigned threads = 1; threads <= 3; threads++) {
        Err            err;
        Reading        r = reading_of(&file, threads, 1000);
        const uint64_t before = memory_held();
        size_t         used = 0;
        memory_watch();
        for (unsigned records = 0; records < 2; records++) {
            for (size_t least = 1000; least < RECORD_BYTES; used = 0) {
                least = least * 2 < RECORD_BYTES ? least * 2 : RECORD_BYTES;
                CHECK_DONE(blocks_next(r.blocks, used, least, &err), err);
                CHECK(blocks_current(r.blocks)->size >= least);
            }
            used = RECORD_BYTES;
        }
        const Block *block = blocks_current(r.blocks);
        CHECK_UINT(block->offset, RECORD_BYTES);
        CHECK(memcmp(block->bytes, plain.data + block->offset, block->size) == 0);
        CHECK(memory_peak() - before < RECORD_BYTES + RING_BYTES);
        reading_end_of(&r);
    }
    bytes_release(&file);
    bytes_release(&plain);
}

TEST_MAIN("blocks", TEST_CASE(all_bytes_come_once_and_in_order), TEST_CASE(a_fault_ends_it_where_it_stands),
          TEST_CASE(a_file_may_become_shorter), TEST_CASE(it_can_be_left_at_any_time),
          TEST_CASE(large_records_are_held_once))
