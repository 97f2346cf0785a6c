/* Captures of apitrace: opening them, printing them, decompressing them with the library alone, and
 * printing them with apitrace where it is installed. */
#include "bench.h"

#include "base/cursor.h"
#include "base/file.h"
#include "base/thread.h"
#include "codec/snappy.h"
#include "format/text.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the library: every chunk of the mapped file into memory that is used again -- */

enum { MOST_THREADS = 64 };

typedef struct Chunk {
    const uint8_t *block;
    size_t         size, plain_size;
} Chunk;

typedef struct Room { /* for the chunk that a thread is at */
    atomic_bool taken;
    uint8_t    *plain;
} Room;

typedef struct Decompression {
    Bytes       chunks; /* Chunk[] */
    size_t      largest, plain_bytes;
    Room        rooms[MOST_THREADS];
    atomic_bool failed;
} Decompression;

static bool find_chunks(Decompression *d, const Bytes *file)
{
    ByteCursor c = cursor_over(file->data, file->size, 0);
    (void)cursor_take(&c, SNAPPY_MAGIC_BYTES);
    while (cursor_left(&c) > 0) {
        Chunk chunk = { .size = cursor_u32le(&c) };
        chunk.block = cursor_take(&c, chunk.size);
        if (chunk.block == NULL || !snappy_plain_size(chunk.block, chunk.size, &chunk.plain_size))
            return false;
        if (chunk.plain_size > d->largest) d->largest = chunk.plain_size;
        d->plain_bytes += chunk.plain_size;
        bytes_append(&d->chunks, &chunk, sizeof chunk);
    }
    return !d->chunks.failed && d->chunks.size > 0;
}

static void decompress(void *context, size_t i)
{
    Decompression *d = (Decompression *)context;
    const Chunk   *chunk = (const Chunk *)(const void *)d->chunks.data + i;
    for (size_t r = 0;; r = (r + 1) % MOST_THREADS) {
        Room *room = &d->rooms[r];
        if (atomic_exchange(&room->taken, true)) continue;
        if (room->plain == NULL) room->plain = (uint8_t *)malloc(d->largest);
        if (room->plain == NULL || !snappy_decode(chunk->block, chunk->size, room->plain, chunk->plain_size))
            atomic_store(&d->failed, true);
        atomic_store(&room->taken, false);
        return;
    }
}

static bool measure_library(const char *path, unsigned threads, Sample *sample, Err *err)
{
    Bytes         file = { .data = NULL };
    Decompression d = { .largest = 0 };
    double        start = bench_now(), cpu_start = bench_cpu_seconds();
    bool          is_read = file_read_whole(path, &file, err);
    bool          done = is_read && find_chunks(&d, &file);
    if (done) thread_run(threads, d.chunks.size / sizeof(Chunk), decompress, &d);
    sample->library_seconds = bench_now() - start;
    sample->library_cpu_seconds = bench_cpu_seconds() - cpu_start;
    sample->stream_bytes = d.plain_bytes;
    done = done && !atomic_load(&d.failed);
    for (size_t i = 0; i < MOST_THREADS; i++)
        free(d.rooms[i].plain);
    bytes_release(&d.chunks);
    bytes_release(&file);
    if (is_read && !done) (void)err_set(err, ERR_CORRUPT, "a chunk cannot be decompressed");
    return done;
}

/* -- the text -- */

static const char *no_option(const void *context, const char *name)
{
    (void)context, (void)name;
    return NULL;
}

/* To the same place as apitrace's. */
static bool write_text(void *context, const Bytes *text)
{
    const int *file = (const int *)context;
    return text->size == 0 || write(*file, text->data, text->size) == (ssize_t)text->size;
}

static void end_text(void *context, const TextResult *result)
{
    (void)context, (void)result;
}

static bool measure_dump(const char *path, unsigned threads, Sample *sample, Err *err)
{
    int         nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    TextRequest request = {
        .option = no_option, .write = write_text, .context = &nowhere, .threads = threads
    };
    LoadOptions  options = { .threads = threads };
    LoadObserver observer = { .text = &request, .text_end = end_text };
    double       start = bench_now(), cpu_start = bench_cpu_seconds();
    bool         done = load_observe(path, &options, &observer, err);
    sample->dump_seconds = bench_now() - start;
    sample->dump_cpu_seconds = bench_cpu_seconds() - cpu_start;
    close(nowhere);
    return done;
}

/* 0 seconds where it is not installed. */
static void measure_apitrace(const char *path, Sample *sample)
{
    const char *const arguments[] = { "apitrace", "dump", "--color=never", path, NULL };
    ChildCost         cost;
    if (bench_child(arguments, &cost)) sample->apitrace_seconds = cost.seconds;
}

bool bench_capture(const char *path, unsigned threads, Sample *sample, Err *err)
{
    if (!measure_library(path, threads, sample, err) || !measure_dump(path, threads, sample, err))
        return false;
    measure_apitrace(path, sample);
    return true;
}
