/* varve/record.h - records the slices and other events of a program, at about the cost of reading the clock.
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
 * The manual has three parts: recordings (start and stop), events, and arguments. Names with a `_` at the end are
 * internal.
 *
 * THE FILE is .spall version 3. After varve_record_stop, or a normal exit, a recording of slices contains only records
 * that every reader of this version knows. Other events (varve_instant, ...) and arguments with types are inside
 * Pad_Skip records: Varve shows them, the native Spall viewer skips them, Spall's web viewer rejects the file. `varve
 * convert` writes a file without them, or Trace Event JSON with them. While the program runs, and after it was killed,
 * each chunk ends with padding, which is a Pad_Skip, too. varve_record_start_stream writes the events as Trace Event
 * JSON or Heph packets instead, to a file or to a running `varve listen`.
 *
 * CRASHES. The events are written directly to the mapped pages of the file. An event is complete when its first eight
 * bytes are stored, and these are stored last. So when a process is killed at any instruction, the file contains all
 * events recorded before. They are in the page cache: a crash of the system may lose them. Disk space is reserved
 * before it is used. When the disk is full the recording ends, its events so far remain, and varve_record_stop returns
 * ENOSPC.
 *
 * THREADS. Each thread writes to its own chunk of the file. To record an event takes no lock, no allocation, no system
 * call and no write to memory that threads share. Once for 320 KiB a thread takes a mutex, reserves the next chunk
 * and maps it; once for 64 KiB of a file it takes the mutex and the next pages. All functions may be called from all
 * threads, except that the functions that start a recording and varve_record_stop must not run at the same time.
 * varve_record_stop may run while other threads record; it discards the events that begin after it.
 *
 * SIGNALS. A signal handler may record. If it interrupts its own thread inside a function of this header, its events
 * are discarded and counted (varve_record_lost).
 *
 * FORK. A child process goes on recording to the same file, under its own process id. The process that called
 * varve_record_start also stops: the events of a child after that are lost. A child does not record in the ring or the
 * stream of its parent. vfork is not supported.
 *
 * THE CLOCK is the processor's counter if it has a constant rate (x86-64 with an invariant TSC, 64-bit ARM), otherwise
 * CLOCK_MONOTONIC. varve_record_start takes 2 ms to measure the rate. The measurement is refined as long as the
 * recording runs, so a recording of a second has its durations exact to one part in a million.
 *
 * LIMITS. A name and the argument text of an event have up to 255 bytes each; longer texts are cut between two
 * characters. Arguments with types have up to 500 bytes for an event; an argument that does not fit is left out. */
#ifndef VARVE_RECORD_H
#define VARVE_RECORD_H

#if defined VARVE_RECORD_IMPLEMENTATION && !defined _GNU_SOURCE
#define _GNU_SOURCE /* syscall(): the thread ids of Linux */
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARVE_INLINE_ static inline __attribute__((always_inline, unused, no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

/* -- recordings -- */

/* Begins a recording to a new file at `path`, which replaces an existing one. Returns 0, or an errno: EBUSY if a
 * recording is running. exit() ends the recording like varve_record_stop. */
int varve_record_start(const char *path);

/* Ends the recording. Of a file, removes the padding: copies the events to `path`.part and renames it to `path`, which
 * takes a second per gigabyte or two. Of a stream, writes the last events. Of a ring, discards the events. Returns 0, or
 * the errno of the first failure since the start; the output then has all events up to the failure. Returns 0 if no
 * recording is running. */
int varve_record_stop(void);

/* Begins a recording that keeps the latest `size` bytes of events in memory, at least 1.3 MB: a flight recorder. Nothing
 * is written without a dump, also if the process is killed by SIGKILL. Each thread that has recorded an event takes
 * 320 KiB of the ring until it exits; if the ring is too small for the threads, the events of the others are discarded
 * and counted. Returns 0, or an errno: ENOTSUP outside Linux. */
int varve_record_start_ring(size_t size);

/* Writes the events of the ring to `path`.part and renames it to `path`. The recording goes on. A slice whose begin is
 * overwritten is an end without a begin in the file. Returns 0, or an errno: EINVAL if no ring is recorded. */
int varve_record_dump(const char *path);

/* Writes the ring to `path` when one of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT arrives; the handlers that were
 * installed before run after that. A thread whose stack has overflowed needs an alternate stack (sigaltstack).
 * Returns 0, or an errno. */
int varve_record_dump_on_crash(const char *path);

typedef enum VarveRecordFormat {
    VARVE_RECORD_SPALL, /* .spall version 3 */
    VARVE_RECORD_JSON,  /* Trace Event JSON */
    VARVE_RECORD_HEPH   /* packets of Heph */
} VarveRecordFormat;

/* Begins a recording that a thread of the recorder writes in this format, 20 times a second. Other threads record to
 * memory at the same cost as to a file; they wait while more than 20 MB of events are not written yet, so that none is
 * lost. A process that is killed loses the events that are not written.
 *
 * `address` is one that `varve listen` has (tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, pipe:PATH), or file:PATH for a new file.
 * HOST is a numeric address, by default 127.0.0.1. Only Heph packets can be sent by UDP, which may lose some.
 *
 * Heph has slices alone. They are written when they end; open slices end at the stop. Instants, counters,
 * flows and asynchronous events become slices without length, with their values as attributes.
 *
 * Returns 0, or an errno: EINVAL for an address or a format that is not supported. */
int varve_record_start_stream(const char *address, VarveRecordFormat format);

/* Returns the number of discarded events of this thread: of signal handlers that interrupted this header, and for lack
 * of a free part of the ring. */
uint64_t varve_record_lost(void);

/* Names the calling thread in this and later recordings, with up to 63 bytes. Without this call a thread has the name
 * that pthread_setname_np gave to it before its first event. */
void varve_thread_name(const char *name);

/* -- events: without a recording these functions do nothing; texts are not NULL, are copied and may change afterwards -- */

/* VARVE_SCOPE(name) is a slice of the calling thread from here to the end of the block, in C++ also if an exception ends
 * the block. VARVE_SCOPE_ARGS(name, text) and VARVE_SCOPE_WITH(name, VARVE_ARG(key, value), ...) have arguments. */

/* Begins a slice of the calling thread. The compiler computes the size of a literal. */
VARVE_INLINE_ void varve_begin(const char *name);
/* Begins a slice with an argument text. A JSON object (`{"rows":12}`) is shown as fields, any other text as text. */
VARVE_INLINE_ void varve_begin_args(const char *name, const char *args);
/* Ends the latest slice of the calling thread that has not ended. */
VARVE_INLINE_ void varve_end(void);

/* Records a moment of the calling thread. */
VARVE_INLINE_ void varve_instant(const char *name);
VARVE_INLINE_ void varve_instant_args(const char *name, const char *args);

/* Sets the value of a counter of the process from now on. A value that is not finite is a gap. */
VARVE_INLINE_ void varve_counter(const char *name, double value);

/* Returns the current time for varve_complete; 0 without a recording. */
VARVE_INLINE_ uint64_t varve_time(void);
/* Records a slice of the calling thread from `begin`, a result of varve_time, to now: for a slice that is known to be
 * of interest only at its end. Does nothing if `begin` is 0. */
VARVE_INLINE_ void varve_complete(const char *name, uint64_t begin);
VARVE_INLINE_ void varve_complete_args(const char *name, const char *args, uint64_t begin);

/* Record an asynchronous slice: begun on one thread, ended on the same or another one, with moments between. Events with
 * equal ids in a process belong together; an end closes the innermost open slice of its name and id. */
VARVE_INLINE_ void varve_async_begin(const char *name, uint64_t id);
VARVE_INLINE_ void varve_async_end(const char *name, uint64_t id);
VARVE_INLINE_ void varve_async_instant(const char *name, uint64_t id);

/* Record a flow: an arrow from the current slice of the thread to that of the next event with the same id in the
 * process. */
VARVE_INLINE_ void varve_flow_begin(const char *name, uint64_t id);
VARVE_INLINE_ void varve_flow_end(const char *name, uint64_t id);
VARVE_INLINE_ void varve_flow_step(const char *name, uint64_t id);

/* -- arguments with types -- */

/* VARVE_ARG(key, value) is an argument: an integer, a floating-point number, a bool or a text. In C, `true` is an int
 * before C23: (bool)true, or a variable. The events with a list of arguments are
 *
 *     VARVE_SCOPE_WITH("load", VARVE_ARG("rows", 12), VARVE_ARG("file", path));
 *     VARVE_BEGIN_WITH("load", VARVE_ARG("ratio", 0.5));
 *     VARVE_INSTANT_WITH("retry", VARVE_ARG("attempt", attempt));
 *     VARVE_COMPLETE_WITH("slow", begin, VARVE_ARG("rows", rows)); */
typedef struct VarveArgument {
    const char *key;
    uint32_t    kind; /* VARVE_INT_ ... */
    union {
        int64_t     integer;
        uint64_t    natural;
        double      number;
        const char *text;
    } value;
} VarveArgument;

/* The functions of these macros: `count` arguments, in this order. */
VARVE_INLINE_ void varve_begin_with(const char *name, const VarveArgument *arguments, size_t count);
VARVE_INLINE_ void varve_instant_with(const char *name, const VarveArgument *arguments, size_t count);
VARVE_INLINE_ void varve_complete_with(const char *name, const VarveArgument *arguments, size_t count,
                                       uint64_t begin);

#ifdef __cplusplus
} /* extern "C" */
#endif

// clang-format off: each part uses those before it
#include "record/event.h"
#include "record/arguments.h"
#include "record/scope.h"
// clang-format on
#endif

#if defined VARVE_RECORD_IMPLEMENTATION && !defined VARVE_RECORD_IMPLEMENTED
#define VARVE_RECORD_IMPLEMENTED
// clang-format off
#include "record/recorder.h"
#include "record/chunks.h"
#include "record/ring.h"
#include "record/stream.h"
#include "record/stream_json.h"
#include "record/stream_heph.h"
#include "record/sender.h"
#include "record/start.h"
#include "record/stop.h"
#include "record/crash.h"
// clang-format on
#endif
