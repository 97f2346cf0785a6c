/* A bound for the readers of .spall files: it scans a file of varve-gen, version 1 or 3, with a stack for each thread, and
 * makes the columns begin, duration and label. It knows only the records that varve-gen writes, and it checks nothing, makes
 * no rows and no index. bench/peers/peers.py builds and runs it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BLOCK = 1 << 20,
    HEADER = 32,
    FRAME = 20,
    DEPTH = 1024,
    THREADS = 256,
    LABELS = 1 << 16,
    LONGEST = 1024
};
enum { BEGIN = 3, END = 4 };

typedef struct Thread {
    uint32_t depth;
    size_t   open[DEPTH]; /* the slices, by depth */
} Thread;

static Thread   threads[THREADS]; /* by the low bits of the tid */
static uint32_t label_count, label_of[LABELS];
static struct {
    uint32_t size;
    char     bytes[256];
} names[LABELS / 2];

static uint64_t *begins, *durations;
static uint32_t *labels;
static size_t    count;

static uint64_t u64_at(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t f64_at(const uint8_t *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return (uint64_t)value;
}

/* Returns the label of a name. The bytes behind the name may be read, up to the next multiple of 8. */
static uint32_t label(const uint8_t *name, uint32_t size)
{
    uint64_t hash = size;
    for (uint32_t i = 0; i < size; i += 8) {
        const uint64_t rest = size - i < 8 ? size - i : 8;
        hash = (hash ^ (u64_at(name + i) & (~UINT64_C(0) >> (64 - 8 * rest)))) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    for (uint64_t slot = hash % LABELS;; slot = (slot + 1) % LABELS) {
        const uint32_t found = label_of[slot];
        if (found != 0 && names[found].size == size && memcmp(names[found].bytes, name, size) == 0)
            return found;
        if (found != 0) continue;
        if (label_count + 1 == LABELS / 2) exit(1);
        label_of[slot] = ++label_count;
        names[label_count].size = size;
        memcpy(names[label_count].bytes, name, size);
        return label_count;
    }
}

static void begin(Thread *thread, uint64_t tick, const uint8_t *name, uint32_t size)
{
    begins[count] = tick;
    labels[count] = label(name, size);
    if (thread->depth < DEPTH) thread->open[thread->depth++] = count;
    count++;
}

static void end(Thread *thread, uint64_t tick)
{
    if (thread->depth == 0) return;
    const size_t slice = thread->open[--thread->depth];
    durations[slice] = tick - begins[slice];
}

/* Reads records of version 1 while LONGEST bytes, or all of the last ones, are there. Returns the first unread byte. */
static const uint8_t *read_1(const uint8_t *at, const uint8_t *last)
{
    while (at < last) {
        if (*at == BEGIN) {
            begin(&threads[u32_at(at + 6) % THREADS], f64_at(at + 10), at + 20, at[18]);
            at += 20 + at[18] + at[19];
        } else {
            end(&threads[u32_at(at + 5) % THREADS], f64_at(at + 9));
            at += 17;
        }
    }
    return at;
}

/* The same for version 3: `left` bytes of the frame of `thread` remain. */
static const uint8_t *read_3(const uint8_t *at, const uint8_t *last)
{
    static size_t  left;
    static Thread *thread = threads;
    while (at < last) {
        const uint8_t *record = at;
        if (left == 0) {
            left = u32_at(at);
            thread = &threads[u32_at(at + 4) % THREADS];
            at += FRAME;
            continue;
        }
        if (*at == BEGIN) {
            begin(thread, u64_at(at + 1), at + 11, at[9]);
            at += 11 + at[9] + at[10];
        } else if (*at == END) {
            end(thread, u64_at(at + 1));
            at += 9;
        } else { /* a name of a process or a thread */
            at += 2 + at[1];
        }
        left -= (size_t)(at - record);
    }
    return at;
}

int main(int argc, char **argv)
{
    static uint8_t block[LONGEST + BLOCK + LONGEST];
    struct stat    status;
    FILE          *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fstat(fileno(file), &status) != 0 || fread(block, 1, HEADER, file) != HEADER)
        return 1;
    const uint64_t version = u64_at(block + 8);
    const size_t   most = (size_t)status.st_size / 11; /* the least record that begins a slice */
    begins = malloc(most * sizeof *begins);
    durations = malloc(most * sizeof *durations);
    labels = malloc(most * sizeof *labels);
    if (begins == NULL || durations == NULL || labels == NULL || (version != 1 && version != 3)) return 1;
    size_t kept = 0, got;
    do {
        got = fread(block + kept, 1, BLOCK, file);
        const uint8_t *stop = block + kept + got, *last = got < BLOCK ? stop : stop - LONGEST;
        const uint8_t *at = version == 1 ? read_1(block, last) : read_3(block, last);
        kept = at < stop ? (size_t)(stop - at) : 0;
        memmove(block, at, kept);
    } while (got == BLOCK);
    printf("%zu slices, %u names\n", count, label_count);
    return 0;
}
