/* `.varve` files: the input itself, if it is one, else one that is made of the input as a trace and then changed in a few
 * bytes. Checksums are repaired, so that the changes reach the checks behind them. A file that opens has a sound trace. */
#include "fuzz.h"

#include "format/varve/writer.h"
#include "support/varve_repair.h"

#include <string.h>

#define MEMORY_LIMIT (UINT64_C(1) << 28)

/* Opens a file and reads its trace and its arguments. */
static void open_file(const uint8_t *bytes, size_t size)
{
    enum { MOST = 64 };
    const LoadOptions options = { .format_name = "varve", .threads = 1 };
    Loaded            loaded;
    Err               err;
    if (!load_bytes(bytes, size, "fuzz", &options, &loaded, &err)) return;
    if (!trace_check_rows(loaded.trace, &err)) expect(false, err.message);
    for (uint64_t i = 0; i < loaded.trace->slices.count && i < MOST; i++) {
        EventDetails details = { 0 };
        const bool   done = load_slice_details(&loaded, i, &details, &err);
        expect(done || err.code != ERR_NONE, "details without an error");
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    loaded_release(&loaded);
}

/* Changes a few bytes, chosen by the input. */
static void change(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (uint32_t i = 0; i < seed % 4 && size > 0; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[seed % size] ^= (uint8_t)(1u << (seed >> 24) % 8);
    }
}

static void make_file(const uint8_t *data, size_t size)
{
    const uint32_t         seed = choose(data, size, 1 << 16);
    const VarveFileOptions options = { .packing = seed % 2 == 0 ? VARVE_PACKED : VARVE_MAPPED,
                                       .details = VARVE_DETAILS_STORED };
    const LoadOptions      load = { .threads = 1 };
    WriterReport           report = { .loss_count = 0 };
    Bytes                  file = { 0 };
    const OutputSink       sink = output_to_bytes(&file);
    Loaded                 loaded;
    Err                    err;
    if (!load_bytes(data, size, "fuzz", &load, &loaded, &err)) return;
    const bool is_written = trace_file_write(&loaded, &options, &sink, &report, &err);
    loaded_release(&loaded);
    if (is_written) {
        Loaded again;
        if (load_bytes(file.data, file.size, "fuzz", &load, &again, &err)) {
            if (!trace_check(again.trace, &err)) expect(false, err.message);
            loaded_release(&again);
        } else {
            expect(err.code == ERR_MEMORY, err.message);
        }
        change(file.data, file.size, seed);
        if (seed % 8 != 0) varve_repair(file.data, file.size);
        open_file(file.data, seed % 16 == 1 ? file.size - seed % file.size : file.size);
    }
    bytes_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memory_set_limit(MEMORY_LIMIT);
    if (size < sizeof VARVE_MAGIC || memcmp(data, VARVE_MAGIC, sizeof VARVE_MAGIC) != 0) {
        make_file(data, size);
        return 0;
    }
    Bytes copy = { 0 };
    bytes_append(&copy, data, size);
    if (!copy.failed) {
        varve_repair(copy.data, copy.size);
        open_file(copy.data, copy.size);
    }
    bytes_release(&copy);
    return 0;
}
