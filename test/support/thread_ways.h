/* support/thread_ways.h - a load gives the same trace with any number of threads. */
#ifndef TEST_SUPPORT_THREAD_WAYS_H
#define TEST_SUPPORT_THREAD_WAYS_H
#include "format/load.h"
#include "support/reader_ways.h"
#include "support/test.h"

/* Appends the trace of a load as bytes. */
static void load_with(unsigned threads, const Bytes *file, uint64_t record_limit, Bytes *out)
{
    const LoadOptions options = { .threads = threads, .record_limit = record_limit };
    Loaded            loaded;
    Err               err = { 0 };
    CHECK_DONE(load_bytes(file->data, file->size, "large", &options, &loaded, &err), err);
    CHECK_DONE(arrays_put(loaded.trace, append_array, out, &err), err);
    loaded_release(&loaded);
}

static void compare_threads(const Bytes *file, uint64_t record_limit)
{
    Bytes one = { 0 };
    load_with(1, file, record_limit, &one);
    for (unsigned threads = 2; threads <= 4; threads++) {
        Bytes other = { 0 };
        load_with(threads, file, record_limit, &other);
        CHECK(one.size == other.size && memcmp(one.data, other.data, one.size) == 0);
        bytes_release(&other);
    }
    bytes_release(&one);
}

#endif
