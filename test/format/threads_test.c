/* Loading with several threads, and several threads that read one trace. Each fixture of each format, plain and in gzip,
 * gives the same trace whatever the number of threads. Under ThreadSanitizer the same test finds data races. */
#include "base/thread.h"
#include "codec/encoder.h"
#include "format/load.h"
#include "support/golden.h"
#include "support/test.h"
#include "trace_describe.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fixtures that load and were compared. */
typedef struct Tally {
    unsigned compared;
} Tally;

/* ---- readers of one trace ---- */

enum { READERS = 4, READ_EVENTS = 40 };

typedef struct Reading {
    const Loaded  *loaded;
    _Atomic size_t bytes[READERS]; /* number of bytes of details, by reader: all read the same events */
} Reading;

static void job_read(void *context, size_t reader)
{
    Reading     *reading = context;
    const Trace *trace = reading->loaded->trace;
    size_t       bytes = 0;
    for (uint64_t i = 0; i < READ_EVENTS && i < trace->slices.count; i++) {
        EventDetails details = { .args = { NULL, 0, 0, false } };
        Err          ignored;
        if (load_slice_details(reading->loaded, i, &details, &ignored))
            bytes += details.args.size + details.other.size;
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    atomic_store(&reading->bytes[reader], bytes);
}

static void read_by_all(const Loaded *loaded)
{
    Reading reading = { .loaded = loaded };
    thread_run(READERS, READERS, job_read, &reading);
    for (size_t i = 1; i < READERS; i++)
        CHECK_UINT(reading.bytes[i], reading.bytes[0]);
}

/* ---- the same input, loaded by other numbers of threads ---- */

static void gzip(const Bytes *plain, Bytes *out)
{
    Err      err = { 0 };
    Encoder *encoder = encoder_open(CODEC_GZIP, encoder_levels(CODEC_GZIP).least, &err);
    CHECK(encoder != NULL);
    CHECK_DONE(encoder_run(encoder, plain->data, plain->size, out, &err), err);
    CHECK_DONE(encoder_finish(encoder, out, &err), err);
    encoder_close(encoder);
}

/* False: the bytes are not a trace of the format, whatever the number of threads. */
static bool compare(const Bytes *input, const FormatReader *reader, const char *name)
{
    static const unsigned THREADS[] = { 2, 5 };
    LoadOptions           options = { .format_name = reader->name, .threads = 1 };
    Loaded                one, other;
    Err                   err = { 0 };
    const bool            loads = load_bytes(input->data, input->size, name, &options, &one, &err);
    for (size_t t = 0; t < sizeof THREADS / sizeof THREADS[0]; t++) {
        options.threads = THREADS[t];
        CHECK(load_bytes(input->data, input->size, name, &options, &other, &err) == loads);
        if (!loads) continue;
        const bool is_same = trace_is_same(one.trace, other.trace);
        if (!is_same) fprintf(stderr, "%s with %u threads\n", name, THREADS[t]);
        CHECK(is_same);
        read_by_all(&other);
        loaded_release(&other);
    }
    if (loads) loaded_release(&one);
    return loads;
}

static int is_fixture(const struct dirent *entry)
{
    const char *point = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && point != NULL && strcmp(point, ".txt") != 0 &&
           strcmp(point, ".md") != 0;
}

static void compare_folder(const FormatReader *reader, const char *folder, Tally *tally)
{
    enum { MOST_BYTES = 64 << 10 };
    char            path[4096], name[512];
    struct dirent **entries;
    fixture_path(folder, path, sizeof path);
    const int count = scandir(path, &entries, is_fixture, alphasort);
    for (int i = 0; i < count; i++) {
        Bytes plain = { 0 }, packed = { 0 };
        (void)snprintf(name, sizeof name, "%s/%s", folder, entries[i]->d_name);
        fixture_read(name, &plain);
        if (plain.size <= MOST_BYTES && compare(&plain, reader, name)) {
            gzip(&plain, &packed);
            (void)compare(&packed, reader, name);
            tally->compared++;
        }
        bytes_release(&plain);
        bytes_release(&packed);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static void compare_format(const FormatReader *reader, unsigned least)
{
    char  folder[64];
    Tally tally = { 0 };
    (void)snprintf(folder, sizeof folder, "%s", reader->name);
    for (char *at = folder; *at != '\0'; at++)
        if (*at == '-') *at = '_';
    compare_folder(reader, folder, &tally);
    fprintf(stderr, "%s: %u\n", reader->name, tally.compared);
    CHECK(tally.compared >= least);
}

TEST(traces_of_every_format_are_the_same_for_any_number_of_threads)
{
    static const unsigned LEAST = 4; /* fixtures of each format */
    const FormatReader   *reader;
    for (size_t i = 0; (reader = format_at(i)) != NULL; i++)
        if (reader->unpack == NULL)
            compare_format(reader, LEAST); /* a .varve file holds a trace of another format */
}

/* Appends a trace of many threads: nested slices, instants, counters, asynchronous slices and arrows. */
static void append_large(Bytes *json)
{
    enum { THREADS = 37, ROUNDS = 150 };
    bytes_append_text(json, "[");
    for (int round = 0; round < ROUNDS; round++) {
        for (int thread = 1; thread <= THREADS; thread++) {
            const int ts = 100 * round + thread;
            bytes_printf(json, "{\"ph\":\"B\",\"name\":\"f%d\",\"pid\":1,\"tid\":%d,\"ts\":%d},", round % 7,
                         thread, ts);
            bytes_printf(json, "{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d},",
                         thread, ts + 1, round % 11);
            bytes_printf(json, "{\"ph\":\"i\",\"name\":\"i\",\"pid\":1,\"tid\":%d,\"ts\":%d},", thread,
                         ts + 2);
            bytes_printf(json, "{\"ph\":\"E\",\"pid\":1,\"tid\":%d,\"ts\":%d},", thread, ts + 40);
            bytes_printf(json, "{\"ph\":\"%c\",\"name\":\"m\",\"id\":%d,\"pid\":1,\"tid\":%d,\"ts\":%d},",
                         thread % 2 == 1 ? 's' : 'f', (round * THREADS + thread) / 2, thread, ts + 3);
            bytes_printf(json, "{\"ph\":\"%c\",\"name\":\"a\",\"id\":%d,\"pid\":1,\"tid\":%d,\"ts\":%d},",
                         round % 2 == 0 ? 'b' : 'e', thread, thread, ts + 4);
        }
        bytes_printf(json, "{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":%d,\"args\":{\"v\":%d}},",
                     100 * round, round);
    }
    bytes_append_text(json, "{}]");
    CHECK(!json->failed);
}

TEST(a_large_trace_is_the_same_for_any_number_of_threads)
{
    Bytes               plain = { 0 }, packed = { 0 };
    const FormatReader *reader = format_find("trace-event");
    append_large(&plain);
    gzip(&plain, &packed);
    CHECK(compare(&plain, reader, "large.json"));
    CHECK(compare(&packed, reader, "large.json.gz"));
    bytes_release(&plain);
    bytes_release(&packed);
}

/* ---- progress ---- */

typedef struct Watched {
    Progress    progress;
    const Bytes input;
    atomic_bool ended;
    bool        loads;
    ErrCode     code;
} Watched;

static void watched_load(void *context)
{
    Watched          *watched = context;
    const LoadOptions options = { .threads = 2, .progress = &watched->progress };
    Loaded            loaded;
    Err               err = { 0 };
    watched->loads = load_bytes(watched->input.data, watched->input.size, "x", &options, &loaded, &err);
    watched->code = err.code;
    if (watched->loads) loaded_release(&loaded);
    atomic_store(&watched->ended, true);
}

TEST(another_thread_reads_the_progress_and_cancels)
{
    Bytes plain = { 0 }, packed = { 0 };
    append_large(&plain);
    gzip(&plain, &packed);
    for (int step = 0; step < 6; step++) { /* step 0 loads to the end */
        Arena    arena = arena_create(0);
        Watched  watched = { .input = packed };
        uint64_t looks = 0;
        Thread  *thread = thread_start(&arena, watched_load, &watched);
        CHECK(thread != NULL);
        while (!atomic_load(&watched.ended)) {
            const uint64_t done = atomic_load(&watched.progress.done);
            looks += done <= plain.size ? 1 : 0;
            if (step > 0 && looks >= (uint64_t)step * 1000) atomic_store(&watched.progress.cancelled, true);
        }
        thread_join(thread);
        CHECK(watched.loads ? atomic_load(&watched.progress.phase) == PROGRESS_DONE
                            : watched.code == ERR_CANCELLED);
        CHECK(step > 0 || watched.loads);
        arena_release(&arena);
    }
    bytes_release(&plain);
    bytes_release(&packed);
}

/* ---- memory ---- */

TEST(any_request_for_memory_of_any_thread_may_fail)
{
    Bytes plain = { 0 }, packed = { 0 };
    append_large(&plain);
    gzip(&plain, &packed);
    bool done = false;
    for (uint64_t n = 0; !done; n += 1 + n / 8) {
        const LoadOptions options = { .threads = 4 };
        Loaded            loaded;
        Err               err = { 0 };
        memory_fail_after(n);
        done = load_bytes(packed.data, packed.size, "x", &options, &loaded, &err);
        memory_fail_after(UINT64_MAX);
        CHECK(done || (err.code == ERR_MEMORY && err.message[0] != '\0'));
        if (done) loaded_release(&loaded);
        CHECK(n < 100000);
    }
    bytes_release(&plain);
    bytes_release(&packed);
}

TEST_MAIN("threads", TEST_CASE(traces_of_every_format_are_the_same_for_any_number_of_threads),
          TEST_CASE(a_large_trace_is_the_same_for_any_number_of_threads),
          TEST_CASE(another_thread_reads_the_progress_and_cancels),
          TEST_CASE(any_request_for_memory_of_any_thread_may_fail))
