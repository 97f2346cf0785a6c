/* record/recorder.h - the state of the recorder, its lock, its clock and the list of threads.
 *
 * While a recording to a file runs, the file is
 *
 *     control  8192 bytes  the file's header; one buffer of padding with the number of chunks at 4096
 *     chunk    327680 bytes each: one buffer of a thread: its records, then padding
 *
 * Both sizes are multiples of the page size up to 4096 bytes. They are also multiples of 20, apart from the file's
 * header: a chunk whose thread was killed before it wrote the header consists of zeros, and a reader sees empty
 * buffers of 20 bytes there. The control pages are shared with child processes. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define VARVE_COLD_ __attribute__((no_instrument_function, noinline))

typedef struct VarveMoment_ { /* one time on both clocks */
    uint64_t ticks, ns;
} VarveMoment_;

typedef struct VarveRingChunk_ {
    uint64_t      number; /* of all chunks in order of time, from 1; 0 = the chunk is empty */
    VarveThread_ *owner;  /* the thread that writes to it, or NULL */
} VarveRingChunk_;

typedef struct VarveRing_ {
    uint8_t         *memory; /* of the chunks; mapped */
    VarveRingChunk_ *chunks; /* owned */
    uint32_t         count;
    uint32_t users;  /* the recording and each thread that has a chunk; the last one releases the ring */
    uint64_t latest; /* the largest number */
} VarveRing_;

typedef struct VarveRecorder_ {
    pthread_mutex_t      lock;       /* for all fields but is_on */
    uint32_t             is_on;      /* atomic */
    int                  file;       /* -1 = no recording */
    int                  failure;    /* errno of the first failure, or 0 */
    char                *path;       /* owned */
    VarveRing_          *ring;       /* not NULL: records to it */
    struct VarveStream_ *stream;     /* not NULL: records to it; both NULL: to the file at `path` */
    char                *crash_path; /* owned */
    uint8_t             *control;    /* mapped */
    pid_t                owner;      /* the process that started */
    uint32_t             counter;    /* see VarveThread_ */
    VarveMoment_         start, refined;
    VarveThread_        *threads;     /* the threads of this process that have a chunk */
    pthread_key_t        key;         /* its destructor releases the chunk of a thread */
    uint32_t             is_prepared; /* the key and the handlers of exit and fork exist */
} VarveRecorder_;

static VarveRecorder_ varve_recorder_ = {
    PTHREAD_MUTEX_INITIALIZER, 0, -1, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, { 0, 0 }, { 0, 0 }, NULL, 0, 0
};
static uint8_t        varve_scratch_[VARVE_CHUNK_]; /* a chunk that is copied to a file */
static uint8_t        varve_zeros_[VARVE_PIECE_];   /* never changed */
__thread VarveThread_ varve_thread_;

VARVE_INLINE_ void varve_store32_(uint8_t *to, uint32_t value)
{
    value = VARVE_LE32_(value);
    memcpy(to, &value, sizeof value);
}

VARVE_INLINE_ uint32_t varve_load32_(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return VARVE_LE32_(value);
}

VARVE_COLD_ size_t varve_cut_text_(const char *text)
{
    size_t size = VARVE_TEXT_MAX_;
    while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) /* inside a UTF-8 sequence */
        size--;
    return size;
}

/* -- the clock -- */

VARVE_COLD_ uint64_t varve_clock_ns_(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* True if the processor has a counter with a constant rate. */
static uint32_t varve_has_counter_(void)
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

/* Reads both clocks. The attempt with the fewest ticks around the slower clock wins: it was not interrupted. */
static VarveMoment_ varve_read_clocks_(void)
{
    VarveThread_ thread;
    VarveMoment_ best = { 0, 0 };
    uint64_t     least = UINT64_MAX;
    memset(&thread, 0, sizeof thread);
    thread.counter = varve_recorder_.counter;
    for (int attempt = 0; attempt < 8; attempt++) {
        const uint64_t before = varve_now_(&thread), ns = varve_clock_ns_(), after = varve_now_(&thread);
        if (after - before >= least) continue;
        least = after - before;
        best.ticks = before + (after - before) / 2;
        best.ns = ns;
    }
    return best;
}

/* Writes the length of a tick to the file's header. */
static void varve_write_unit_(uint8_t *header, VarveMoment_ now)
{
    const VarveMoment_ start = varve_recorder_.start;
    double             unit = 1;
    uint64_t           bits;
    if (varve_recorder_.counter != 0 && now.ticks > start.ticks)
        unit = (double)(now.ns - start.ns) / (double)(now.ticks - start.ticks);
    memcpy(&bits, &unit, sizeof bits);
    varve_store64_(header + VARVE_UNIT_AT_, bits);
}

/* Measures the rate again each time the recording has become twice as long. */
static void varve_refine_unit_(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (recorder->counter == 0) return;
    const VarveMoment_ now = varve_read_clocks_();
    if (now.ns - recorder->start.ns < 2 * (recorder->refined.ns - recorder->start.ns)) return;
    recorder->refined = now;
    if (recorder->control != NULL) varve_write_unit_(recorder->control, now);
}

static void varve_write_header_(uint8_t *to, VarveMoment_ now)
{
    varve_store64_(to, 0x0BADF00D);
    varve_store64_(to + 8, 3);
    varve_write_unit_(to, now);
    varve_store64_(to + 24, 0);
}

/* -- the lock and the threads -- */

/* Takes the lock. A signal handler of this thread does not record until varve_unlock_, so it does not wait for the lock. */
static void varve_lock_(void)
{
    varve_thread_.busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pthread_mutex_lock(&varve_recorder_.lock);
}

static void varve_unlock_(void)
{
    pthread_mutex_unlock(&varve_recorder_.lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    varve_thread_.busy = 0;
}

static uint32_t varve_thread_id_(void)
{
#ifdef __linux__
    return (uint32_t)syscall(SYS_gettid);
#else
    static uint32_t count;
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
#endif
}

static void varve_remember_thread_(VarveThread_ *thread)
{
    if (thread->is_known != 0) return;
    thread->is_known = 1;
    thread->before = NULL;
    thread->next = varve_recorder_.threads;
    if (thread->next != NULL) thread->next->before = thread;
    varve_recorder_.threads = thread;
    pthread_setspecific(varve_recorder_.key, thread);
}

static void varve_forget_thread_(VarveThread_ *thread)
{
    if (thread->is_known == 0) return;
    thread->is_known = 0;
    if (thread->next != NULL) thread->next->before = thread->before;
    if (thread->before != NULL) thread->before->next = thread->next;
    if (varve_recorder_.threads == thread) varve_recorder_.threads = thread->next;
}
