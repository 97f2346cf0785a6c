/* What a trace takes in memory: in proportion to the input, whatever that says. */
#include "format/go_support.h"
#include "format/load.h"

#include <stdio.h>

static const uint64_t FIXED_BYTES = UINT64_C(72) << 20;
enum { BYTES_PER_INPUT_BYTE = 64 };

/* The most that was held while the trace was made. */
static uint64_t peak_of(const Bytes *file)
{
    Loaded      loaded;
    LoadOptions options = { .threads = 1 };
    Err         err;
    memory_watch();
    uint64_t before = memory_peak();
    if (load_bytes(file->data, file->size, "x.trace", &options, &loaded, &err)) loaded_release(&loaded);
    return memory_peak() - before;
}

TEST(memory_is_in_proportion_to_the_input)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 };
        CHECK(go_file_read(GO_FILES[i], &file));
        CHECK(peak_of(&file) <= file.size * BYTES_PER_INPUT_BYTE + FIXED_BYTES);
        bytes_release(&file);
    }
}

static void put(Bytes *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(out, &b, 1);
}

static void put_number(Bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(out, (unsigned)(value & 0x7f) | 0x80);
    put(out, (unsigned)value);
}

/* Goroutines of one event each, in as few bytes as there can be: nothing makes more tracks of an input. */
static void make_goroutines(Bytes *file, uint32_t count)
{
    enum { BATCH = 0x41, CREATE = 13 | 3 << 6 };
    bytes_append(file, "go 1.19 trace\0\0\0", 16);
    put(file, BATCH), put(file, 0), put(file, 0);
    for (uint32_t id = 1; id <= count; id++) {
        unsigned bytes = id < 0x80 ? 1 : id < 0x4000 ? 2 : 3;
        put(file, CREATE), put(file, bytes + 3), put(file, 1), put_number(file, id), put(file, 0),
            put(file, 0);
    }
}

TEST(a_goroutine_that_does_nothing_costs_little)
{
    enum { FEW = 20000, MANY = 100000, MOST_BYTES = 3000 };
    uint64_t peaks[2];
    for (size_t i = 0; i < 2; i++) {
        Bytes file = { 0 };
        make_goroutines(&file, i == 0 ? FEW : MANY);
        CHECK(!file.failed);
        peaks[i] = peak_of(&file);
        if (i == 0) CHECK(peaks[0] <= file.size * BYTES_PER_INPUT_BYTE + FIXED_BYTES);
        bytes_release(&file);
    }
    printf("# %llu bytes a goroutine\n", (unsigned long long)(peaks[1] - peaks[0]) / (MANY - FEW));
    CHECK((peaks[1] - peaks[0]) / (MANY - FEW) <= MOST_BYTES);
}

TEST_MAIN("go_memory", TEST_CASE(memory_is_in_proportion_to_the_input),
          TEST_CASE(a_goroutine_that_does_nothing_costs_little))
