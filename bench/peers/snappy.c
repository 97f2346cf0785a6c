/* Decompresses each chunk of an apitrace capture with libsnappy, and keeps nothing: snappy FILE THREADS. The file is "at"
 * and chunks of a u32 size and so many bytes. bench/peers/peers.py builds and runs it. */
#include <pthread.h>
#include <snappy-c.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { MAGIC_BYTES = 2, SIZE_BYTES = 4, MOST_THREADS = 64 };

static struct {
    const char *bytes;
    size_t     *chunks; /* the places of the sizes of all chunks */
    size_t      count, size;
} capture;

static atomic_size_t next_chunk, plain_bytes;
static atomic_bool   failed;

static size_t chunk_size(size_t place)
{
    uint32_t size;
    memcpy(&size, capture.bytes + place, sizeof size);
    return size;
}

static void find_chunks(void)
{
    size_t room = 0;
    for (size_t at = MAGIC_BYTES; at + SIZE_BYTES <= capture.size; at += SIZE_BYTES + chunk_size(at)) {
        if (chunk_size(at) > capture.size - at - SIZE_BYTES) return;
        if (capture.count == room) {
            room = 2 * room + 1024;
            capture.chunks = realloc(capture.chunks, room * sizeof *capture.chunks);
            if (capture.chunks == NULL) exit(1);
        }
        capture.chunks[capture.count++] = at;
    }
}

static void *decompress(void *context)
{
    char  *plain = NULL;
    size_t room = 0;
    for (size_t i = next_chunk++; i < capture.count; i = next_chunk++) {
        const char  *packed = capture.bytes + capture.chunks[i] + SIZE_BYTES;
        const size_t size = chunk_size(capture.chunks[i]);
        size_t       plain_size = 0;
        if (snappy_uncompressed_length(packed, size, &plain_size) != SNAPPY_OK) failed = true;
        if (plain_size > room) plain = realloc(plain, room = plain_size);
        if (plain == NULL || snappy_uncompress(packed, size, plain, &plain_size) != SNAPPY_OK) failed = true;
        plain_bytes += plain_size;
    }
    free(plain);
    return context;
}

int main(int argc, char **argv)
{
    pthread_t   threads[MOST_THREADS];
    const int   count = argc == 3 ? atoi(argv[2]) : 0;
    FILE       *file = count < 1 || count > MOST_THREADS ? NULL : fopen(argv[1], "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) return 1;
    capture.size = (size_t)status.st_size;
    capture.bytes = mmap(NULL, capture.size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (capture.bytes == MAP_FAILED) return 1;
    find_chunks();
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, decompress, NULL) != 0) return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%zu chunks, %zu bytes\n", capture.count, (size_t)plain_bytes);
    return failed || capture.count == 0;
}
