/* The C SDK of Perfetto as a recorder of bench/record.sh: perfetto_c.h. Its service runs in the process, and its trace is
 * written to the file at the stop.
 *
 * A thread waits while the memory shared with the service is full (BUFFER_EXHAUSTED_STALL_THEN_DROP). The events in the file are
 * counted; lost ones are reported. */
#include "recorders.h"

#include <errno.h>
#include <fcntl.h>
#include <perfetto_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARED_KB = 32 << 10 };

#define CATEGORIES(C) C(bench, "bench", "Events of the benchmark")
PERFETTO_TE_CATEGORIES_DEFINE(CATEGORIES)

static struct PerfettoTracingSessionImpl *session;
static FILE                              *file;
static uint64_t                           recorded; /* events; atomic */
static _Thread_local uint64_t             thread_recorded;
static _Thread_local int                  depth;

static void init_once(void)
{
    static int                      initialized;
    struct PerfettoProducerInitArgs args = PERFETTO_PRODUCER_INIT_ARGS_INIT();
    if (initialized++ != 0) return;
    args.backends = PERFETTO_BACKEND_IN_PROCESS;
    args.shmem_size_hint_kb = SHARED_KB;
    PerfettoProducerInit(args);
    PerfettoTeInit();
    PERFETTO_TE_REGISTER_CATEGORIES(CATEGORIES);
}

static int start_perfetto(const char *path)
{
    /* A TraceConfig: buffers { size_kb: 2097151 fill_policy: DISCARD }
     * data_sources { config { name: "track_event" buffer_exhausted_policy: BUFFER_EXHAUSTED_STALL_THEN_DROP
     *     track_event_config { enabled_categories: "*" } } } */
    static uint8_t config[] = { 0x0A, 6,    0x08, 0xFF, 0xFF, 0x7F, 0x20, 2,   0x12, 23,  0x0A,
                                21,   0x0A, 11,   't',  'r',  'a',  'c',  'k', '_',  'e', 'v',
                                'e',  'n',  't',  0x48, 3,    0x8A, 7,    3,   0x12, 1,   '*' };
    init_once();
    file = fopen(path, "w+b");
    if (file == NULL) return errno;
    session = PerfettoTracingSessionCreate(PERFETTO_BACKEND_IN_PROCESS);
    PerfettoTracingSessionSetup(session, config, sizeof config);
    PerfettoTracingSessionStartBlocking(session);
    recorded = 0;
    return 0;
}

static void write_part(struct PerfettoTracingSessionImpl *of, const void *data, size_t size, bool more,
                       void *unused)
{
    (void)of;
    (void)more;
    (void)unused;
    if (fwrite(data, 1, size, file) != size) abort();
}

static uint64_t read_number(const uint8_t **at, const uint8_t *end)
{
    uint64_t number = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) break;
    }
    return number;
}

/* True if a TracePacket has a track_event (field 11). */
static bool packet_has_event(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        const uint64_t tag = read_number(&at, end);
        if (tag == (11 << 3 | 2)) return true;
        switch (tag & 7) {
        case 0:
            read_number(&at, end);
            break;
        case 1:
            at += 8;
            break;
        case 2: {
            const uint64_t size = read_number(&at, end);
            if (size > (uint64_t)(end - at)) return false;
            at += size;
            break;
        }
        case 5:
            at += 4;
            break;
        default:
            return false;
        }
    }
    return false;
}

static uint64_t count_events(const char *bytes, size_t size)
{
    const uint8_t       *at = (const uint8_t *)bytes;
    const uint8_t *const end = at + size;
    uint64_t             count = 0;
    while (at < end && read_number(&at, end) == (1 << 3 | 2)) {
        const uint64_t packet = read_number(&at, end);
        if (packet > (uint64_t)(end - at)) break;
        count += packet_has_event(at, at + packet);
        at += packet;
    }
    return count;
}

static int report_lost(void)
{
    struct stat status;
    fflush(file);
    if (fstat(fileno(file), &status) != 0 || status.st_size == 0) return EIO;
    void *const bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (bytes == MAP_FAILED) return errno;
    const uint64_t count = count_events(bytes, (size_t)status.st_size);
    munmap(bytes, (size_t)status.st_size);
    if (count < recorded)
        fprintf(stderr, "Perfetto lost %llu of %llu events\n", (unsigned long long)(recorded - count),
                (unsigned long long)recorded);
    return 0;
}

static int stop_perfetto(void)
{
    PerfettoTracingSessionStopBlocking(session);
    PerfettoTracingSessionReadTraceBlocking(session, write_part, NULL);
    PerfettoTracingSessionDestroy(session);
    const int failed = report_lost();
    return fclose(file) != 0 || failed != 0;
}

static void record_perfetto(void)
{
    for (int i = 0; i < BLOCK; i += 2) {
        PERFETTO_TE(bench, PERFETTO_TE_SLICE_BEGIN("a_function_name"));
        PERFETTO_TE(bench, PERFETTO_TE_SLICE_END());
    }
    thread_recorded += BLOCK;
}

static void flush_perfetto(void)
{
    __atomic_fetch_add(&recorded, thread_recorded, __ATOMIC_RELAXED);
    thread_recorded = 0;
}

static void begin_perfetto(const char *function, void **memory)
{
    (void)memory;
    PERFETTO_TE(bench, PERFETTO_TE_SLICE_BEGIN(function));
    depth++;
}

/* A function may have begun before the recording. */
static void end_perfetto(void)
{
    if (depth == 0) return;
    depth--;
    PERFETTO_TE(bench, PERFETTO_TE_SLICE_END());
}

const Peer PEER_PERFETTO = { { "Perfetto SDK", start_perfetto, record_perfetto, flush_perfetto,
                               stop_perfetto },
                             begin_perfetto,
                             end_perfetto };
