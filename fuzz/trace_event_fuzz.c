/* Any bytes as Trace Event JSON: load, verify every invariant, decode all arguments. */
#include "base/json_check.h"
#include "format/load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef bool (*DetailsFunction)(const Loaded *loaded, uint64_t index, EventDetails *details, Err *err);

static void check_json(const Bytes *json)
{
    if (json->size > 0 && !json_valid((const char *)json->data, json->size)) abort();
}

static void decode_all(const Loaded *loaded, DetailsFunction decode, uint64_t count)
{
    enum { MOST = 1000 };
    for (uint64_t i = 0; i < count && i < MOST; i++) {
        EventDetails details = { 0 };
        Err          err = { 0 };
        if (!decode(loaded, i, &details, &err)) abort();
        check_json(&details.args);
        check_json(&details.other);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LoadOptions options = { .format_name = "trace-event", .threads = 1, .memory_limit = (uint64_t)1 << 28 };
    Loaded      loaded;
    Err         err = { 0 };
    if (!load_bytes(data, size, "fuzz.json", &options, &loaded, &err)) return 0;
    const Trace *trace = loaded.trace;
    if (!trace_check(trace, &err)) abort();
    for (uint32_t i = 0; i < trace->property_count; i++) {
        if (!json_valid(trace->properties[i].json, trace->properties[i].size)) abort();
    }
    decode_all(&loaded, load_slice_details, trace->slices.count);
    decode_all(&loaded, load_instant_details, trace->instants.count);
    decode_all(&loaded, load_other_details, trace->other_count);
    loaded_release(&loaded);
    return 0;
}
