/* varve/record.h - records the slices and other events of a program to a .spall file, at about the cost of reading the
 * clock.
 *
 * One header for C11 and C++11 with gcc or clang. It needs POSIX and pthreads, and no other file. One source file of
 * the program contains the implementation; it includes this header before all others:
 *
 *     #define VARVE_RECORD_IMPLEMENTATION
 *     #include <varve/record.h>
 *
 *     int main(void)
 *     {
 *         varve_record_start("program.spall");
 *         {
 *             VARVE_SCOPE("load"); // a slice until the end of the block
 *             load();
 *         }
 *         varve_begin("compute"); // a slice until the matching varve_end
 *         compute();
 *         varve_end();
 *         return varve_record_stop();
 *     }
 *
 * THE FILE is .spall version 3. After varve_record_stop, or a normal exit, a recording of slices contains only records
 * that every reader of this version knows. Other events (varve_instant, ...) are inside Pad_Skip records: Varve shows
 * them, the native Spall viewer skips them, Spall's web viewer rejects the file. `varve convert` writes a file without
 * them, or Trace Event JSON with them. While the program runs, and after it was killed, each chunk ends with padding,
 * which is a Pad_Skip, too.
 *
 * CRASHES. The events are written directly to the mapped pages of the file. An event is complete when its first eight
 * bytes are stored, and these are stored last. So when a process is killed at any instruction, the file contains all
 * events recorded before. They are in the page cache: a crash of the system may lose them. Disk space is reserved
 * before it is used. When the disk is full the recording ends, its events so far remain, and varve_record_stop returns
 * ENOSPC.
 *
 * THREADS. Each thread writes to its own chunk of the file. To record an event takes no lock, no allocation, no system
 * call and no write to memory that threads share. Once for 320 KiB a thread takes a mutex, reserves the next chunk
 * and maps it. All functions may be called from all threads, except that varve_record_start and varve_record_stop must
 * not run at the same time. varve_record_stop may run while other threads record; it discards the events that begin
 * after it.
 *
 * SIGNALS. A signal handler may record. If it interrupts its own thread inside a function of this header, its events
 * are discarded and counted (varve_record_lost).
 *
 * FORK. A child process goes on recording to the same file, under its own process id. The process that called
 * varve_record_start also stops: the events of a child after that are lost. vfork is not supported.
 *
 * A FLIGHT RECORDER (varve_record_start_ring) records to memory and keeps the latest events. varve_record_dump writes them
 * to a file at any time, a fatal signal does after varve_record_dump_on_crash. Nothing is written if the process is
 * killed by SIGKILL. A child process does not record in the ring of its parent.
 *
 * THE CLOCK is the processor's counter if it has a constant rate (x86-64 with an invariant TSC, 64-bit ARM), otherwise
 * CLOCK_MONOTONIC. varve_record_start takes 2 ms to measure the rate. The measurement is refined as long as the
 * recording runs, so a recording of a second has its durations exact to one part in a million.
 *
 * LIMITS. A name and the arguments of a slice have up to 255 bytes each; longer texts are cut between two characters. */
#ifndef VARVE_RECORD_H
#define VARVE_RECORD_H

#if defined VARVE_RECORD_IMPLEMENTATION && !defined _GNU_SOURCE
#define _GNU_SOURCE /* syscall(): the thread ids of Linux */
#endif
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a recording to a new file at `path`, which replaces an existing one. Returns 0, or an errno: EBUSY if a
 * recording is running. exit() ends the recording like varve_record_stop. */
int varve_record_start(const char *path);

/* Ends the recording and removes the padding: copies the events to `path`.part and renames it to `path`. This takes a
 * second per gigabyte or two. Returns 0, or the errno of the first failure since the start; the file then has all
 * events up to the failure, with padding. Returns 0 if no recording is running. Discards the events of a ring. */
int varve_record_stop(void);

/* Begins a recording that keeps the latest `size` bytes of events, at least 1.3 MB. Each thread that has recorded an
 * event takes 320 KiB of them until it exits; if the ring is too small for the threads, the events of the others are
 * discarded and counted. Returns 0, or an errno: ENOTSUP outside Linux. */
int varve_record_start_ring(size_t size);

/* Writes the events of the ring to `path`.part and renames it to `path`. The recording goes on. A slice whose begin is
 * overwritten is an end without a begin in the file. Returns 0, or an errno: EINVAL if no ring is recorded. */
int varve_record_dump(const char *path);

/* Writes the ring to `path` when one of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT arrives; the handlers that were
 * installed before run after that. A thread whose stack has overflowed needs an alternate stack (sigaltstack).
 * Returns 0, or an errno. */
int varve_record_dump_on_crash(const char *path);

/* Returns the number of discarded events of this thread: of signal handlers that interrupted this header, and for lack
 * of a free part of the ring. */
uint64_t varve_record_lost(void);

/* Names the calling thread in this and later recordings, with up to 63 bytes. Without this call a thread has the name
 * that pthread_setname_np gave to it before its first event. */
void varve_thread_name(const char *name);

/* varve_begin, varve_begin_args and varve_end are defined below; without a recording they do nothing. */

/* -- internal: the state and the functions that the inline functions need -- */

enum {
    VARVE_TYPE_BEGIN_ = 3, /* of records */
    VARVE_TYPE_END_ = 4,
    VARVE_TYPE_PAD_ = 7,
    VARVE_TYPE_PROCESS_ = 8,
    VARVE_TYPE_THREAD_ = 9,
    VARVE_TYPE_INSTANT_ = 10, /* inside a Pad_Skip: other readers skip it */
    VARVE_TYPE_COUNTER_ = 11,
    VARVE_TYPE_WHOLE_ = 12,
    VARVE_TYPE_ASYNC_ = 13,
    VARVE_TYPE_FLOW_ = 14,
    VARVE_MAGIC_ = 0x31767256, /* the first four bytes of the filler of such a Pad_Skip */
    VARVE_TEXT_MAX_ = 255,     /* bytes of a name, and of the arguments */
    VARVE_BEGIN_SIZE_ = 11,    /* type u8, time u64, name size u8, arguments size u8 */
    VARVE_END_SIZE_ = 9,       /* type u8, time u64 */
    VARVE_COUNTER_SIZE_ = 18,  /* type u8, time u64, name size u8, value f64 */
    VARVE_SKIP_SIZE_ = 9,      /* type u8, size u32, magic u32 */
    VARVE_PAD_SIZE_ = 8,       /* type u8, size u32, three zeros of the filler */
    VARVE_ID_SIZE_ = 19,       /* type u8, time u64, id u64, role u8, name size u8 */
    VARVE_WHOLE_SIZE_ = 19,    /* type u8, time u64, duration u64, name size u8, arguments size u8 */
    VARVE_RECORD_MAX_ = VARVE_SKIP_SIZE_ + VARVE_WHOLE_SIZE_ + 2 * VARVE_TEXT_MAX_ + VARVE_PAD_SIZE_,
    VARVE_HEADER_ = 32, /* of the file */
    VARVE_UNIT_AT_ = 16,
    VARVE_BUFFER_HEADER_ = 20,
    VARVE_CONTROL_ = 8192, /* see the implementation */
    VARVE_COUNT_AT_ = 4096,
    VARVE_CHUNK_ = 327680
};

struct VarveRing_;

typedef struct VarveThread_ {
    uint8_t *at;      /* the padding after the last record; NULL without a chunk */
    uint8_t *full;    /* a record fits if at < full; NULL without a chunk, and after varve_record_stop */
    uint8_t *end;     /* of the chunk */
    uint32_t busy;    /* 1 while the thread is inside this header */
    uint32_t counter; /* 1: times are of the processor's counter, 0: of CLOCK_MONOTONIC */
    uint64_t lost;
    uint32_t is_known; /* 1 if the thread is in the list of threads */
    struct VarveThread_ *next, *before;
    struct VarveRing_   *ring;     /* that contains the chunk; NULL: a file contains it */
    char                 name[64]; /* "" = not known yet */
} VarveThread_;

extern __thread VarveThread_ varve_thread_;

/* Gives the thread a chunk with room for a record. Returns 0 if no recording runs. */
int varve_next_chunk_(VarveThread_ *thread);
/* Returns CLOCK_MONOTONIC in ns. */
uint64_t varve_clock_ns_(void);
/* Returns the size of the longest part of a text of up to VARVE_TEXT_MAX_ bytes that ends between two characters. */
size_t varve_cut_text_(const char *text);

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VARVE_LE32_(x) __builtin_bswap32(x)
#define VARVE_LE64_(x) __builtin_bswap64(x)
#else
#define VARVE_LE32_(x) (x)
#define VARVE_LE64_(x) (x)
#endif

#define VARVE_INLINE_ static inline __attribute__((always_inline, unused, no_instrument_function))

VARVE_INLINE_ void varve_store64_(uint8_t *to, uint64_t value)
{
    value = VARVE_LE64_(value);
    memcpy(to, &value, sizeof value);
}

VARVE_INLINE_ uint64_t varve_now_(const VarveThread_ *thread)
{
#if defined __x86_64__
    if (thread->counter != 0) return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    if (thread->counter != 0) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#else
    (void)thread;
#endif
    return varve_clock_ns_();
}

/* Returns the place of the next record, which has at most VARVE_RECORD_MAX_ bytes with the padding after it, or NULL
 * if the event cannot be recorded. After a place varve_leave_ must follow. */
VARVE_INLINE_ uint8_t *varve_enter_(VarveThread_ *thread)
{
    if (__builtin_expect(thread->busy != 0, 0)) { /* a signal interrupted this header */
        thread->lost++;
        return NULL;
    }
    thread->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(thread->at >= __atomic_load_n(&thread->full, __ATOMIC_RELAXED), 0) &&
        varve_next_chunk_(thread) == 0) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread->busy = 0;
        return NULL;
    }
    return thread->at;
}

/* Completes the record from thread->at to `end`, of at least 8 bytes: its first eight bytes are `head`, the others
 * are written. */
VARVE_INLINE_ void varve_leave_(VarveThread_ *thread, uint64_t head, uint8_t *end)
{
    varve_store64_(end, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - end - 5) << 8);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    varve_store64_(thread->at, head);
    thread->at = end;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
}

VARVE_INLINE_ size_t varve_text_size_(const char *text)
{
    const size_t size = strlen(text);
    return size <= VARVE_TEXT_MAX_ ? size : varve_cut_text_(text);
}

VARVE_INLINE_ void varve_begin_sized_(const char *name, size_t name_size, const char *args, size_t args_size)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    memcpy(at + VARVE_BEGIN_SIZE_, name, name_size);
    if (args_size > 0) memcpy(at + VARVE_BEGIN_SIZE_ + name_size, args, args_size);
    at[9] = (uint8_t)name_size;
    at[10] = (uint8_t)args_size;
    const uint64_t now = varve_now_(thread);
    at[8] = (uint8_t)(now >> 56);
    varve_leave_(thread, VARVE_TYPE_BEGIN_ | now << 8, at + VARVE_BEGIN_SIZE_ + name_size + args_size);
}

/* -- the slices of the calling thread -- */

/* Begins a slice. The text is copied, so it may change afterwards; the size of a literal is computed by the
 * compiler. */
VARVE_INLINE_ void varve_begin(const char *name)
{
    varve_begin_sized_(name, varve_text_size_(name), NULL, 0);
}

/* Begins a slice with arguments. A JSON object (`{"rows":12}`) is shown as fields, any other text as text. */
VARVE_INLINE_ void varve_begin_args(const char *name, const char *args)
{
    varve_begin_sized_(name, varve_text_size_(name), args, varve_text_size_(args));
}

/* Ends the latest slice that has not ended. */
VARVE_INLINE_ void varve_end(void)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    const uint64_t now = varve_now_(thread);
    at[8] = (uint8_t)(now >> 56);
    varve_leave_(thread, VARVE_TYPE_END_ | now << 8, at + VARVE_END_SIZE_);
}

/* -- events that version 3 of .spall has no records for; docs/formats/spall.md has their layouts -- */

/* Completes a Pad_Skip at thread->at that contains a record of `size` bytes; all but its first eight bytes are written. */
VARVE_INLINE_ void varve_leave_skip_(VarveThread_ *thread, size_t size)
{
    uint8_t *const at = thread->at;
    at[8] = VARVE_MAGIC_ >> 24;
    varve_leave_(thread,
                 VARVE_TYPE_PAD_ | (uint64_t)(VARVE_SKIP_SIZE_ - 5 + size) << 8 |
                     (uint64_t)(VARVE_MAGIC_ & 0xFFFFFF) << 40,
                 at + VARVE_SKIP_SIZE_ + size);
}

VARVE_INLINE_ void varve_instant_sized_(const char *name, size_t name_size, const char *args,
                                        size_t args_size)
{
    VarveThread_ *const thread = &varve_thread_;
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = VARVE_TYPE_INSTANT_;
    record[9] = (uint8_t)name_size;
    record[10] = (uint8_t)args_size;
    memcpy(record + VARVE_BEGIN_SIZE_, name, name_size);
    if (args_size > 0) memcpy(record + VARVE_BEGIN_SIZE_ + name_size, args, args_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_skip_(thread, VARVE_BEGIN_SIZE_ + name_size + args_size);
}

/* Records a moment of the calling thread. */
VARVE_INLINE_ void varve_instant(const char *name)
{
    varve_instant_sized_(name, varve_text_size_(name), NULL, 0);
}

VARVE_INLINE_ void varve_instant_args(const char *name, const char *args)
{
    varve_instant_sized_(name, varve_text_size_(name), args, varve_text_size_(args));
}

/* Sets the value of a counter of the process from now on. A value that is not finite is a gap. */
VARVE_INLINE_ void varve_counter(const char *name, double value)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    uint64_t       bits;
    memcpy(&bits, &value, sizeof bits);
    record[0] = VARVE_TYPE_COUNTER_;
    record[9] = (uint8_t)name_size;
    varve_store64_(record + 10, bits);
    memcpy(record + VARVE_COUNTER_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_skip_(thread, VARVE_COUNTER_SIZE_ + name_size);
}

/* Returns the current time for varve_complete; 0 without a recording. */
VARVE_INLINE_ uint64_t varve_time(void)
{
    VarveThread_ *const thread = &varve_thread_;
    if (varve_enter_(thread) == NULL) return 0;
    const uint64_t now = varve_now_(thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
    return now;
}

/* Records a slice of the calling thread from `begin`, a result of varve_time, to now: for a slice that is known to be
 * of interest only at its end. Does nothing if `begin` is 0. */
VARVE_INLINE_ void varve_complete_args(const char *name, const char *args, uint64_t begin)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name), args_size = varve_text_size_(args);
    uint8_t *const      at = begin == 0 ? NULL : varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = VARVE_TYPE_WHOLE_;
    record[17] = (uint8_t)name_size;
    record[18] = (uint8_t)args_size;
    memcpy(record + VARVE_WHOLE_SIZE_, name, name_size);
    memcpy(record + VARVE_WHOLE_SIZE_ + name_size, args, args_size);
    const uint64_t now = varve_now_(thread);
    varve_store64_(record + 1, now);
    varve_store64_(record + 9, now > begin ? now - begin : 0);
    varve_leave_skip_(thread, VARVE_WHOLE_SIZE_ + name_size + args_size);
}

VARVE_INLINE_ void varve_complete(const char *name, uint64_t begin)
{
    varve_complete_args(name, "", begin);
}

VARVE_INLINE_ void varve_id_event_(unsigned type, unsigned role, const char *name, uint64_t id)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    uint8_t *const record = at + VARVE_SKIP_SIZE_;
    record[0] = (uint8_t)type;
    varve_store64_(record + 9, id);
    record[17] = (uint8_t)role;
    record[18] = (uint8_t)name_size;
    memcpy(record + VARVE_ID_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_skip_(thread, VARVE_ID_SIZE_ + name_size);
}

/* Asynchronous slices: begun on one thread, ended on the same or another one, with moments between. Events with equal ids
 * in a process belong together; an end closes the innermost open slice of its name and id. */
VARVE_INLINE_ void varve_async_begin(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 0, name, id);
}

VARVE_INLINE_ void varve_async_end(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 1, name, id);
}

VARVE_INLINE_ void varve_async_instant(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_ASYNC_, 2, name, id);
}

/* Flows: arrows from the current slice of the thread to that of the next event with the same id in the process. */
VARVE_INLINE_ void varve_flow_begin(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 0, name, id);
}

VARVE_INLINE_ void varve_flow_end(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 1, name, id);
}

VARVE_INLINE_ void varve_flow_step(const char *name, uint64_t id)
{
    varve_id_event_(VARVE_TYPE_FLOW_, 2, name, id);
}

#define VARVE_JOIN_(a, b) a##b
#define VARVE_NAME_(line) VARVE_JOIN_(varve_scope_, line)

#ifdef __cplusplus
} /* extern "C" */

struct VarveScope_ {
    explicit VarveScope_(const char *name)
    {
        varve_begin(name);
    }
    VarveScope_(const char *name, const char *args)
    {
        varve_begin_args(name, args);
    }
    ~VarveScope_()
    {
        varve_end();
    }
    VarveScope_(const VarveScope_ &) = delete;
    VarveScope_ &operator=(const VarveScope_ &) = delete;
};
/* A slice from here to the end of the block. */
#define VARVE_SCOPE(name) const VarveScope_ VARVE_NAME_(__LINE__)(name)
#define VARVE_SCOPE_ARGS(name, args) const VarveScope_ VARVE_NAME_(__LINE__)(name, args)
extern "C" {
#else
VARVE_INLINE_ void varve_end_scope_(const char *unused)
{
    (void)unused;
    varve_end();
}
#define VARVE_SCOPE(name)                                                                                    \
    const char VARVE_NAME_(__LINE__) __attribute__((cleanup(varve_end_scope_), unused)) =                    \
        (varve_begin(name), 0)
#define VARVE_SCOPE_ARGS(name, args)                                                                         \
    const char VARVE_NAME_(__LINE__) __attribute__((cleanup(varve_end_scope_), unused)) =                    \
        (varve_begin_args(name, args), 0)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
#if defined VARVE_RECORD_IMPLEMENTATION && !defined VARVE_RECORD_IMPLEMENTED
#define VARVE_RECORD_IMPLEMENTED
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* While a recording runs its file is
 *
 *     control  8192 bytes  the file's header; one buffer of padding with the number of chunks at 4096
 *     chunk    327680 bytes each: one buffer of a thread: its records, then padding
 *
 * Both sizes are multiples of the page size up to 4096 bytes. They are also multiples of 20, apart from the file's
 * header: a chunk whose thread was killed before it wrote the header consists of zeros, and a reader sees empty
 * buffers of 20 bytes there. The control pages are shared with child processes. */
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
    pthread_mutex_t lock;       /* for all fields but is_on */
    uint32_t        is_on;      /* atomic */
    int             file;       /* -1 = no recording */
    int             failure;    /* errno of the first failure, or 0 */
    char           *path;       /* owned */
    VarveRing_     *ring;       /* NULL: records to the file at `path` */
    char           *crash_path; /* owned */
    uint8_t        *control;    /* mapped */
    pid_t           owner;      /* the process that started */
    uint32_t        counter;    /* see VarveThread_ */
    VarveMoment_    start, refined;
    VarveThread_   *threads;     /* the threads of this process that have a chunk */
    pthread_key_t   key;         /* its destructor releases the chunk of a thread */
    uint32_t        is_prepared; /* the key and the handlers of exit and fork exist */
} VarveRecorder_;

static VarveRecorder_ varve_recorder_ = {
    PTHREAD_MUTEX_INITIALIZER, 0, -1, 0, NULL, NULL, NULL, NULL, 0, 0, { 0, 0 }, { 0, 0 }, NULL, 0, 0
};
static uint8_t        varve_scratch_[VARVE_CHUNK_]; /* a chunk that is copied to a file */
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

/* -- records that are rare -- */

/* Appends a Name_Process or Name_Thread record. It may be shorter than the eight bytes that complete a record; these
 * then include padding. The chunk has room. */
static void varve_append_name_(VarveThread_ *thread, uint8_t type, const char *name)
{
    const size_t size = varve_text_size_(name);
    uint8_t      record[2 + VARVE_TEXT_MAX_ + VARVE_PAD_SIZE_];
    uint8_t     *end = thread->at + 2 + size;
    uint64_t     head;
    record[0] = type;
    record[1] = (uint8_t)size;
    memcpy(record + 2, name, size);
    varve_store64_(record + 2 + size, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - end - 5) << 8);
    memcpy(&head, record, sizeof head);
    memcpy(thread->at + 8, record + 8, 2 + size + VARVE_PAD_SIZE_ - 8);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(thread->at, &head, sizeof head);
    thread->at = end;
}

/* Reads the name of a process or thread from a file of /proc. Sets an empty text if the file is missing. */
static void varve_read_name_(const char *path, char name[32])
{
    const int     file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, name, 31);
    name[size > 0 ? size : 0] = 0;
    name[strcspn(name, "\n")] = 0;
    if (file >= 0) close(file);
}

/* Appends the names to each chunk: those in the first chunk of a ring are overwritten. */
static void varve_append_names_(VarveThread_ *thread)
{
    char process[32];
    varve_read_name_("/proc/self/comm", process);
    if (thread->name[0] == 0) varve_read_name_("/proc/thread-self/comm", thread->name);
    if (process[0] != 0) varve_append_name_(thread, VARVE_TYPE_PROCESS_, process);
    if (thread->name[0] != 0 && strcmp(thread->name, process) != 0)
        varve_append_name_(thread, VARVE_TYPE_THREAD_, thread->name);
}

/* -- chunks; the caller has the lock -- */

static uint32_t varve_thread_id_(void)
{
#ifdef __linux__
    return (uint32_t)syscall(SYS_gettid);
#else
    static uint32_t count;
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
#endif
}

static void varve_leave_ring_(VarveRing_ *ring)
{
    if (--ring->users > 0) return;
    munmap(ring->memory, (size_t)ring->count * VARVE_CHUNK_);
    free(ring->chunks);
    free(ring);
}

static void varve_release_chunk_(VarveThread_ *thread)
{
    if (thread->ring != NULL) {
        const size_t index = (size_t)(thread->end - thread->ring->memory) / VARVE_CHUNK_ - 1;
        thread->ring->chunks[index].owner = NULL;
        varve_leave_ring_(thread->ring);
        thread->ring = NULL;
    } else if (thread->at != NULL) {
        munmap(thread->end - VARVE_CHUNK_, VARVE_CHUNK_);
    }
    thread->at = thread->end = NULL;
    __atomic_store_n(&thread->full, (uint8_t *)NULL, __ATOMIC_RELAXED);
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

/* Makes a chunk the thread's. The header is written before the padding: without its size the padding would be read as
 * the header of another buffer. */
static void varve_begin_chunk_(VarveThread_ *thread, uint8_t *chunk)
{
    thread->counter = varve_recorder_.counter;
    varve_store32_(chunk + 8, (uint32_t)getpid());
    varve_store64_(chunk + 12, varve_now_(thread));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    varve_store64_(chunk, (VARVE_CHUNK_ - VARVE_BUFFER_HEADER_) | (uint64_t)varve_thread_id_() << 32);
    thread->at = chunk + VARVE_BUFFER_HEADER_;
    thread->end = chunk + VARVE_CHUNK_;
    varve_store64_(thread->at, VARVE_TYPE_PAD_ | (uint64_t)(thread->end - thread->at - 5) << 8);
    __atomic_store_n(&thread->full, thread->end - VARVE_RECORD_MAX_, __ATOMIC_RELAXED);
}

/* Reserves the next chunk of the file and maps it. */
static int varve_map_chunk_(VarveThread_ *thread)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    uint64_t *const       count = (uint64_t *)(void *)(recorder->control + VARVE_COUNT_AT_);
    const uint64_t        index = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    const off_t           offset = (off_t)(VARVE_CONTROL_ + index * VARVE_CHUNK_);
    const int             failure = posix_fallocate(recorder->file, offset, VARVE_CHUNK_);
    if (failure != 0) return failure;
    void *const mapped = mmap(NULL, VARVE_CHUNK_, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, offset);
    if (mapped == MAP_FAILED) return errno;
    varve_begin_chunk_(thread, (uint8_t *)mapped);
    return 0;
}

/* Takes the oldest chunk of the ring that no thread writes to. Returns EAGAIN if every chunk has a thread. */
static int varve_take_chunk_(VarveThread_ *thread)
{
    VarveRing_ *const ring = varve_recorder_.ring;
    VarveRingChunk_  *oldest = NULL;
    for (uint32_t i = 0; i < ring->count; i++) {
        VarveRingChunk_ *const chunk = &ring->chunks[i];
        if (chunk->owner == NULL && (oldest == NULL || chunk->number < oldest->number)) oldest = chunk;
    }
    if (oldest == NULL) return EAGAIN;
    oldest->number = 0; /* a dump after a crash skips it until it is complete */
    oldest->owner = thread;
    thread->ring = ring;
    ring->users++;
    varve_begin_chunk_(thread, ring->memory + (size_t)(oldest - ring->chunks) * VARVE_CHUNK_);
    oldest->number = ++ring->latest;
    return 0;
}

VARVE_COLD_ int varve_next_chunk_(VarveThread_ *thread)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (__atomic_load_n(&recorder->is_on, __ATOMIC_ACQUIRE) == 0 && thread->at == NULL) return 0;
    pthread_mutex_lock(&recorder->lock);
    varve_release_chunk_(thread);
    if (recorder->is_on != 0) {
        const int failure = recorder->ring != NULL ? varve_take_chunk_(thread) : varve_map_chunk_(thread);
        if (failure == 0) {
            varve_remember_thread_(thread);
            varve_refine_unit_();
            varve_append_names_(thread);
        } else if (failure == EAGAIN) {
            thread->lost++;
        } else {
            recorder->failure = failure;
            __atomic_store_n(&recorder->is_on, 0u, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&recorder->lock);
    return thread->at != NULL;
}

VARVE_COLD_ void varve_thread_name(const char *name)
{
    VarveThread_ *const thread = &varve_thread_;
    snprintf(thread->name, sizeof thread->name, "%s", name);
    if (varve_enter_(thread) == NULL) return;
    varve_append_name_(thread, VARVE_TYPE_THREAD_, thread->name);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = 0;
}

VARVE_COLD_ uint64_t varve_record_lost(void)
{
    return varve_thread_.lost;
}

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

/* -- exits of threads and processes -- */

static void varve_leave_thread_(void *of_key)
{
    VarveThread_ *const thread = (VarveThread_ *)of_key;
    varve_lock_();
    varve_release_chunk_(thread);
    varve_forget_thread_(thread);
    varve_unlock_();
}

static void varve_leave_process_(void)
{
    (void)varve_record_stop();
}

/* The child has one thread; the chunks belong to the threads of the parent. A ring is the parent's. */
static void varve_begin_child_(void)
{
    VarveThread_ *const thread = &varve_thread_;
    varve_release_chunk_(thread);
    thread->is_known = 0;
    varve_recorder_.threads = NULL;
    if (varve_recorder_.ring != NULL) varve_recorder_.is_on = 0;
    varve_unlock_();
}

/* -- start -- */

static int varve_prepare_process_(void)
{
    if (varve_recorder_.is_prepared != 0) return 0;
    const int failure = pthread_key_create(&varve_recorder_.key, varve_leave_thread_);
    if (failure != 0) return failure;
    varve_recorder_.is_prepared = 1;
    if (atexit(varve_leave_process_) != 0) return ENOMEM;
    return pthread_atfork(varve_lock_, varve_unlock_, varve_begin_child_);
}

static void varve_write_header_(uint8_t *to, VarveMoment_ now)
{
    varve_store64_(to, 0x0BADF00D);
    varve_store64_(to + 8, 3);
    varve_write_unit_(to, now);
    varve_store64_(to + 24, 0);
}

/* Creates the ring: memory that a file descriptor names, so that a dump reads it as it reads a file. */
static int varve_create_ring_(size_t size)
{
#ifdef __linux__
    VarveRecorder_ *const recorder = &varve_recorder_;
    const size_t          wanted = size / VARVE_CHUNK_ < 4 ? 4 : size / VARVE_CHUNK_;
    const uint32_t        count = wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
    const size_t          bytes = (size_t)count * VARVE_CHUNK_;
    recorder->file = memfd_create("varve-record", MFD_CLOEXEC);
    if (recorder->file < 0) return errno;
    const int failure = posix_fallocate(recorder->file, 0, (off_t)bytes);
    if (failure != 0) return failure;
    VarveRing_ *const      ring = (VarveRing_ *)calloc(1, sizeof *ring);
    VarveRingChunk_ *const chunks = (VarveRingChunk_ *)calloc(count, sizeof *chunks);
    void *const            mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, 0);
    if (ring == NULL || chunks == NULL || mapped == MAP_FAILED) {
        if (mapped != MAP_FAILED) munmap(mapped, bytes);
        free(chunks);
        free(ring);
        return ENOMEM;
    }
    ring->memory = (uint8_t *)mapped;
    ring->chunks = chunks;
    ring->count = count;
    ring->users = 1;
    recorder->ring = ring;
    return 0;
#else
    (void)size;
    return ENOTSUP;
#endif
}

/* Creates the file with its control pages. */
static int varve_create_file_(const char *path)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    recorder->path = strdup(path);
    if (recorder->path == NULL) return ENOMEM;
    recorder->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recorder->file < 0) return errno;
    const int failure = posix_fallocate(recorder->file, 0, VARVE_CONTROL_);
    if (failure != 0) return failure;
    void *const mapped = mmap(NULL, VARVE_CONTROL_, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->file, 0);
    if (mapped == MAP_FAILED) return errno;
    recorder->control = (uint8_t *)mapped;
    uint8_t *const buffer = recorder->control + VARVE_HEADER_;
    varve_store32_(buffer, VARVE_CONTROL_ - VARVE_HEADER_ - VARVE_BUFFER_HEADER_);
    varve_store32_(buffer + 4, varve_thread_id_());
    varve_store32_(buffer + 8, (uint32_t)getpid());
    varve_store64_(buffer + VARVE_BUFFER_HEADER_,
                   VARVE_TYPE_PAD_ | (uint64_t)(VARVE_CONTROL_ - VARVE_HEADER_ - VARVE_BUFFER_HEADER_ - 5)
                                         << 8);
    varve_write_header_(recorder->control, varve_read_clocks_());
    return 0;
}

static void varve_close_file_(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    if (recorder->control != NULL) munmap(recorder->control, VARVE_CONTROL_);
    if (recorder->ring != NULL) varve_leave_ring_(recorder->ring);
    if (recorder->file >= 0) close(recorder->file);
    free(recorder->path);
    recorder->ring = NULL;
    recorder->control = NULL;
    recorder->file = -1;
    recorder->path = NULL;
}

/* Starts a recording to a file, or to a ring if `path` is NULL. */
static int varve_start_(const char *path, size_t ring_size)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    int                   failure = varve_prepare_process_();
    if (failure != 0) return failure;
    recorder->counter = varve_has_counter_();
    recorder->start = varve_read_clocks_();
    recorder->owner = getpid();
    recorder->failure = 0;
    do
        recorder->refined = varve_read_clocks_();
    while (recorder->counter != 0 && recorder->refined.ns - recorder->start.ns < 2000000);
    failure = path == NULL ? varve_create_ring_(ring_size) : varve_create_file_(path);
    if (failure != 0)
        varve_close_file_();
    else
        __atomic_store_n(&recorder->is_on, 1u, __ATOMIC_RELEASE);
    return failure;
}

VARVE_COLD_ int varve_record_start(const char *path)
{
    varve_lock_();
    const int failure = varve_recorder_.file < 0 ? varve_start_(path, 0) : EBUSY;
    varve_unlock_();
    return failure;
}

VARVE_COLD_ int varve_record_start_ring(size_t size)
{
    varve_lock_();
    const int failure = varve_recorder_.file < 0 ? varve_start_(NULL, size) : EBUSY;
    varve_unlock_();
    return failure;
}

/* -- stop and dump -- */

/* True if an event of the recording can have this time. The margin is for counters of processors that differ. */
static int varve_is_time_(const uint8_t *field, uint64_t now)
{
    uint64_t time;
    memcpy(&time, field, sizeof time);
    return VARVE_LE64_(time) - varve_recorder_.start.ticks <= now - varve_recorder_.start.ticks + 0x40000000;
}

/* Returns the size of a chunk's header and records, without the padding at its end. If its thread wrote while the chunk
 * was copied, the copy may contain half of a store; the time of this last record is then out of range. */
static size_t varve_used_(const uint8_t *chunk, uint64_t now)
{
    size_t at = VARVE_BUFFER_HEADER_;
    while (at < VARVE_CHUNK_ - VARVE_RECORD_MAX_ + VARVE_PAD_SIZE_) {
        const uint8_t *const record = chunk + at;
        if (record[0] == VARVE_TYPE_BEGIN_ && varve_is_time_(record + 1, now)) {
            at += VARVE_BEGIN_SIZE_ + (size_t)record[9] + record[10];
        } else if (record[0] == VARVE_TYPE_END_ && varve_is_time_(record + 1, now)) {
            at += VARVE_END_SIZE_;
        } else if (record[0] == VARVE_TYPE_PAD_ && varve_load32_(record + 5) == VARVE_MAGIC_ &&
                   varve_is_time_(record + VARVE_SKIP_SIZE_ + 1, now)) {
            at += 5 + (size_t)varve_load32_(record + 1);
        } else if (record[0] == VARVE_TYPE_PROCESS_ || record[0] == VARVE_TYPE_THREAD_) {
            at += 2 + (size_t)record[1];
        } else {
            break;
        }
    }
    return at;
}

static int varve_write_all_(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Returns the offset of the next chunk in order of time, or -1 at the end of a ring; at the end of a file the offset is
 * that of the end. *number is the number of the chunk before, and at first 0. */
static off_t varve_chunk_after_(uint64_t *number, uint64_t latest)
{
    const VarveRing_ *const ring = varve_recorder_.ring;
    if (ring == NULL) return (off_t)(VARVE_CONTROL_ + (*number)++ * VARVE_CHUNK_);
    uint64_t least = UINT64_MAX;
    uint32_t index = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        const uint64_t found = ring->chunks[i].number;
        if (found <= *number || found > latest || found >= least) continue;
        least = found;
        index = i;
    }
    *number = least;
    return least == UINT64_MAX ? -1 : (off_t)index * VARVE_CHUNK_;
}

/* Copies the records to another file, chunk by chunk, in order of time. */
static int varve_copy_records_(int to)
{
    const VarveRecorder_ *const recorder = &varve_recorder_;
    const VarveMoment_          now = varve_read_clocks_();
    uint8_t *const              chunk = varve_scratch_;
    const uint64_t              latest = recorder->ring == NULL ? 0 : recorder->ring->latest;
    uint64_t                    number = 0;
    varve_write_header_(chunk, now);
    int failure = varve_write_all_(to, chunk, VARVE_HEADER_);
    while (failure == 0) {
        const off_t offset = varve_chunk_after_(&number, latest);
        if (offset < 0) break;
        const ssize_t size = pread(recorder->file, chunk, VARVE_CHUNK_, offset);
        if (size < 0) return errno;
        if (size < VARVE_CHUNK_) break; /* the end of the file */
        const size_t used = varve_used_(chunk, now.ticks);
        if (used == VARVE_BUFFER_HEADER_ || varve_load32_(chunk) == 0) continue;
        varve_store32_(chunk, (uint32_t)(used - VARVE_BUFFER_HEADER_));
        failure = varve_write_all_(to, chunk, used);
    }
    return failure;
}

/* Writes the records to a new file without padding, which replaces the file at `path`. */
static int varve_write_file_(const char *path)
{
    const size_t size = strlen(path) + sizeof ".part";
    char *const  part = (char *)malloc(size);
    if (part == NULL) return ENOMEM;
    snprintf(part, size, "%s.part", path);
    const int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int       failure = file < 0 ? errno : varve_copy_records_(file);
    if (file >= 0 && close(file) != 0 && failure == 0) failure = errno;
    if (failure == 0 && rename(part, path) != 0) failure = errno;
    if (failure != 0 && file >= 0) unlink(part);
    free(part);
    return failure;
}

VARVE_COLD_ int varve_record_stop(void)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    int                   failure = 0;
    varve_lock_();
    __atomic_store_n(&recorder->is_on, 0u, __ATOMIC_RELEASE);
    for (VarveThread_ *thread = recorder->threads; thread != NULL; thread = thread->next)
        __atomic_store_n(&thread->full, (uint8_t *)NULL, __ATOMIC_RELAXED);
    varve_release_chunk_(&varve_thread_);
    if (recorder->file >= 0) {
        failure = recorder->failure;
        if (recorder->path != NULL && recorder->owner == getpid()) {
            const int copy_failure = varve_write_file_(recorder->path);
            if (failure == 0) failure = copy_failure;
        }
        varve_close_file_();
    }
    varve_unlock_();
    return failure;
}

VARVE_COLD_ int varve_record_dump(const char *path)
{
    varve_lock_();
    const int failure = varve_recorder_.ring == NULL ? EINVAL : varve_write_file_(path);
    varve_unlock_();
    return failure;
}

/* -- crashes -- */

static const int        VARVE_CRASHES_[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static struct sigaction varve_before_crash_[sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]];

/* Waits up to a second for the lock: its owner may be the thread that crashed. Returns 0 if it has the lock. */
static int varve_lock_after_crash_(void)
{
    const struct timespec pause = { 0, 1000000 };
    int                   failure = pthread_mutex_trylock(&varve_recorder_.lock);
    for (int attempt = 0; attempt < 1000 && failure != 0; attempt++) {
        nanosleep(&pause, NULL);
        failure = pthread_mutex_trylock(&varve_recorder_.lock);
    }
    return failure;
}

/* Writes the ring, and delivers the signal again, to the handler that was installed before. */
static void varve_handle_crash_(int number)
{
    VarveRecorder_ *const recorder = &varve_recorder_;
    const uint32_t        was_busy = varve_thread_.busy;
    varve_thread_.busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (size_t i = 0; i < sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]; i++)
        sigaction(VARVE_CRASHES_[i], &varve_before_crash_[i], NULL);
    if (recorder->ring != NULL && recorder->owner == getpid()) {
        const int no_lock = varve_lock_after_crash_();
        const int file = open(recorder->crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file >= 0) {
            (void)varve_copy_records_(file);
            close(file);
        }
        if (no_lock == 0) pthread_mutex_unlock(&recorder->lock);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    varve_thread_.busy = was_busy;
    raise(number);
}

VARVE_COLD_ int varve_record_dump_on_crash(const char *path)
{
    struct sigaction action;
    char *const      copy = strdup(path);
    if (copy == NULL) return ENOMEM;
    memset(&action, 0, sizeof action);
    action.sa_handler = varve_handle_crash_;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    varve_lock_();
    char *const old = varve_recorder_.crash_path;
    varve_recorder_.crash_path = copy;
    for (size_t i = 0; old == NULL && i < sizeof VARVE_CRASHES_ / sizeof VARVE_CRASHES_[0]; i++)
        sigaction(VARVE_CRASHES_[i], &action, &varve_before_crash_[i]);
    varve_unlock_();
    free(old);
    return 0;
}

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
