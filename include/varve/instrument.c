/* varve/instrument.c - records every function of a program that a compiler has instrumented.
 *
 * Compile the program with one of
 *
 *     cc -finstrument-functions ...   gcc and clang: a call at the begin and the end of each function
 *     clang -fxray-instrument ...     XRay: the same from functions of a size on, patched in when the program starts
 *
 * and compile and link this file, without these options, beside it (C11 or C++11, -pthread). The environment variable
 * VARVE_INSTRUMENT is the path of the recording; without it nothing is recorded. `varve open` finds the names of the
 * functions in the program, which must not be stripped and stays where it was.
 *
 * THE FILE is a native stream of .spall, version 3 (docs/formats/spall.md): for each event a tag, and the differences of
 * time, address and caller from the event before, 4 to 25 bytes. Each thread fills a buffer of 64 KiB, which is appended
 * to the file when it is full, when the thread exits, and when the program exits. A program that is killed loses these
 * buffers. A child process appends to the same file, with the ids of its own threads. Functions that a signal handler calls while
 * its thread records are left out, with their ends.
 *
 * XRay calls the recorder by a pointer. Its functions are found as weak symbols, so that this file links without XRay. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#if defined __clang__
#define VARVE_PLAIN_ __attribute__((no_instrument_function, xray_never_instrument))
#else
#define VARVE_PLAIN_ __attribute__((no_instrument_function))
#endif

enum {
    BUFFER_BYTES = 1 << 16,
    HEADER_BYTES = 20, /* of a buffer: size u32, thread u32, first time u64, depth u32 */
    BEGIN_BYTES = 32   /* limit of a begin, whose fields are written as 8 bytes */
};

typedef struct Buffer {
    uint8_t       *at;
    uint8_t       *full; /* a begin fits if at < full; NULL: no buffer */
    uint64_t       time, address, caller;
    uint32_t       is_busy; /* the thread is inside this file */
    uint32_t       skipped; /* open calls that are left out */
    struct Buffer *next, *before;
    uint8_t        bytes[BUFFER_BYTES];
} Buffer;

static struct {
    int             file; /* -1: no recording */
    uint32_t        has_counter;
    uint64_t        start_ticks, start_ns;
    pthread_key_t   key;
    pthread_mutex_t lock;    /* for the list */
    Buffer         *buffers; /* of all threads */
} recorder = { -1, 0, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, NULL };

static __thread Buffer  *buffer;
static __thread uint32_t is_closed; /* the thread exits */

/* -- time -- */

VARVE_PLAIN_ static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

VARVE_PLAIN_ static inline uint64_t read_ticks(void)
{
#if defined __x86_64__
    if (recorder.has_counter != 0) return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
    return clock_ns();
}

VARVE_PLAIN_ static uint32_t has_counter(void)
{
#if defined __x86_64__
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) != 0 && (edx & 1u << 8) != 0;
#elif defined __aarch64__
    return 1;
#else
    return 0;
#endif
}

/* -- bytes: integers are little-endian -- */

VARVE_PLAIN_ static inline uint8_t *put(uint8_t *to, uint64_t value, unsigned size)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(to, &value, sizeof value); /* the next field overwrites the rest */
    return to + size;
}

VARVE_PLAIN_ static inline unsigned log2_bytes(uint64_t value)
{
    return (unsigned)(value > 0xFF) + (unsigned)(value > 0xFFFF) + (unsigned)(value > 0xFFFFFFFF);
}

VARVE_PLAIN_ static void write_all(const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(recorder.file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        size -= (size_t)written;
    }
}

/* -- buffers -- */

/* Appends the events to the file: one call of write, which the system does not mix with those of other threads. */
VARVE_PLAIN_ static void flush(Buffer *of)
{
    const size_t size = (size_t)(of->at - of->bytes);
    if (size > HEADER_BYTES) {
        uint8_t head[8];
        put(head, (uint64_t)(size - HEADER_BYTES) | (uint64_t)(uint32_t)syscall(SYS_gettid) << 32, 8);
        memcpy(of->bytes, head, sizeof head);
        write_all(of->bytes, size);
    }
    of->at = of->bytes + HEADER_BYTES;
}

VARVE_PLAIN_ static void remove_buffer(Buffer *of)
{
    if (of->before != NULL) of->before->next = of->next;
    if (of->next != NULL) of->next->before = of->before;
    if (recorder.buffers == of) recorder.buffers = of->next;
}

VARVE_PLAIN_ static void leave_thread(void *buffer_)
{
    Buffer *const of = (Buffer *)buffer_;
    is_closed = 1;
    buffer = NULL;
    flush(of);
    pthread_mutex_lock(&recorder.lock);
    remove_buffer(of);
    pthread_mutex_unlock(&recorder.lock);
    free(of);
}

VARVE_PLAIN_ static Buffer *make_buffer(void)
{
    if (recorder.file < 0 || is_closed != 0) return NULL;
    is_closed = 1; /* malloc may call instrumented functions */
    Buffer *const made = (Buffer *)malloc(sizeof *made);
    if (made == NULL) return NULL;
    memset(made, 0, sizeof *made);
    made->at = made->bytes + HEADER_BYTES;
    made->full = made->bytes + BUFFER_BYTES - BEGIN_BYTES;
    pthread_setspecific(recorder.key, made);
    pthread_mutex_lock(&recorder.lock);
    made->next = recorder.buffers;
    if (made->next != NULL) made->next->before = made;
    recorder.buffers = made;
    pthread_mutex_unlock(&recorder.lock);
    buffer = made;
    is_closed = 0;
    return made;
}

/* Begins the differences anew: at the start of a buffer. */
VARVE_PLAIN_ static void begin_buffer(Buffer *of, uint64_t now)
{
    if (of->at >= of->full) flush(of);
    of->time = now;
    of->address = of->caller = 0;
    put(of->bytes + 8, now, 8);
    memset(of->bytes + 16, 0, 4);
}

/* -- events -- */

VARVE_PLAIN_ static inline void record_begin(uint64_t address, uint64_t caller)
{
    Buffer *to = buffer;
    if (__builtin_expect(to == NULL, 0)) {
        to = make_buffer();
        if (to == NULL) return;
    }
    if (__builtin_expect(to->is_busy != 0, 0)) { /* a signal handler */
        to->skipped++;
        return;
    }
    to->is_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const uint64_t now = read_ticks();
    if (__builtin_expect(to->at >= to->full || to->at == to->bytes + HEADER_BYTES, 0)) begin_buffer(to, now);
    const uint64_t time = now - to->time, function = address ^ to->address, from = caller ^ to->caller;
    const unsigned time_log2 = log2_bytes(time), function_log2 = log2_bytes(function),
                   from_log2 = log2_bytes(from);
    uint8_t *at = to->at;
    *at++ = (uint8_t)(time_log2 << 4 | function_log2 << 2 | from_log2);
    at = put(at, time, 1u << time_log2);
    at = put(at, function, 1u << function_log2);
    to->at = put(at, from, 1u << from_log2);
    to->time = now;
    to->address = address;
    to->caller = caller;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    to->is_busy = 0;
}

VARVE_PLAIN_ static inline void record_end(void)
{
    Buffer *const to = buffer;
    if (__builtin_expect(to == NULL, 0)) return;
    if (__builtin_expect(to->skipped != 0, 0)) {
        to->skipped--;
        return;
    }
    if (__builtin_expect(to->is_busy != 0, 0)) return;
    to->is_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const uint64_t now = read_ticks();
    if (__builtin_expect(to->at >= to->full || to->at == to->bytes + HEADER_BYTES, 0)) begin_buffer(to, now);
    const uint64_t time = now - to->time;
    const unsigned time_log2 = log2_bytes(time);
    *to->at = (uint8_t)(0x40 | time_log2 << 4);
    to->at = put(to->at + 1, time, 1u << time_log2);
    to->time = now;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    to->is_busy = 0;
}

#ifdef __cplusplus
extern "C" {
#endif

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

VARVE_PLAIN_ void __cyg_profile_func_enter(void *function, void *caller)
{
    record_begin((uintptr_t)function, (uintptr_t)caller);
}

VARVE_PLAIN_ void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    record_end();
}

/* -- XRay: the functions of its runtime -- */

__attribute__((weak)) int       __xray_set_handler(void (*handler)(int32_t id, int kind));
__attribute__((weak)) int       __xray_patch(void);
__attribute__((weak)) uintptr_t __xray_function_address(int32_t id);
__attribute__((weak)) size_t    __xray_max_function_id(void);

#ifdef __cplusplus
}
#endif

static uintptr_t *xray_addresses; /* by id */

VARVE_PLAIN_ static void handle_xray(int32_t id, int kind)
{
    enum { ENTRY = 0, EXIT = 1, TAIL = 2, ENTRY_WITH_ARGUMENT = 3 };
    if (kind == ENTRY || kind == ENTRY_WITH_ARGUMENT) record_begin(xray_addresses[id], 0);
    if (kind == EXIT || kind == TAIL) record_end();
}

VARVE_PLAIN_ static void start_xray(void)
{
    if (__xray_set_handler == NULL || __xray_max_function_id == NULL) return;
    const size_t count = __xray_max_function_id() + 1;
    xray_addresses = (uintptr_t *)calloc(count, sizeof *xray_addresses);
    if (xray_addresses == NULL) return;
    for (size_t id = 1; id < count; id++)
        xray_addresses[id] = __xray_function_address((int32_t)id);
    __xray_set_handler(handle_xray);
    __xray_patch();
}

/* -- start and end -- */

VARVE_PLAIN_ static double tick_ns(void)
{
    const uint64_t ns = clock_ns(), ticks = read_ticks();
    if (recorder.has_counter == 0 || ticks <= recorder.start_ticks) return 1;
    return (double)(ns - recorder.start_ns) / (double)(ticks - recorder.start_ticks);
}

/* Writes the file's header. */
VARVE_PLAIN_ static void write_header(void)
{
    uint8_t       header[34 + 4096 + 8];
    const double  unit = tick_ns();
    uint64_t      bits;
    const ssize_t size = readlink("/proc/self/exe", (char *)header + 34, 4096);
    memcpy(&bits, &unit, sizeof bits);
    put(header, 0xABADF00D, 8);
    put(header + 8, 3, 8);
    put(header + 16, bits, 8);
    put(header + 24, getauxval(AT_PHDR) - sizeof(ElfW(Ehdr)), 8); /* where the program is in memory */
    header[32] = (uint8_t)(size > 0 ? size : 0);
    header[33] = (uint8_t)(size > 0 ? size >> 8 : 0);
    write_all(header, 34 + (size_t)(size > 0 ? size : 0));
}

VARVE_PLAIN_ static void begin_child(void)
{
    for (Buffer *of = recorder.buffers, *next; of != NULL; of = next) {
        next = of->next;
        if (of != buffer) {
            remove_buffer(of);
            free(of);
        }
    }
    if (buffer != NULL) buffer->at = buffer->bytes + HEADER_BYTES;
    pthread_mutex_unlock(&recorder.lock);
}

VARVE_PLAIN_ static void lock(void)
{
    pthread_mutex_lock(&recorder.lock);
}

VARVE_PLAIN_ static void unlock(void)
{
    pthread_mutex_unlock(&recorder.lock);
}

__attribute__((constructor)) VARVE_PLAIN_ static void start_recording(void)
{
    const char *const path = getenv("VARVE_INSTRUMENT");
    if (path == NULL || path[0] == 0 || pthread_key_create(&recorder.key, leave_thread) != 0) return;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
        fprintf(stderr, "VARVE_INSTRUMENT: %s: %s\n", path, strerror(errno));
        return;
    }
    recorder.has_counter = has_counter();
    recorder.start_ns = clock_ns();
    recorder.start_ticks = read_ticks();
    const struct timespec pause = { 0, 2000000 };
    if (recorder.has_counter != 0) nanosleep(&pause, NULL);
    pthread_atfork(lock, unlock, begin_child);
    recorder.file = file;
    write_header();
    start_xray();
}

/* Writes the buffers of all threads, whose events end here. */
__attribute__((destructor)) VARVE_PLAIN_ static void end_recording(void)
{
    if (recorder.file < 0) return;
    is_closed = 1;
    buffer = NULL;
    pthread_mutex_lock(&recorder.lock);
    for (Buffer *of = recorder.buffers; of != NULL; of = of->next)
        flush(of);
    pthread_mutex_unlock(&recorder.lock);
}
