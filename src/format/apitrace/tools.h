/* format/apitrace/tools.h - the capture commands: trim, repack, diff, frames. Native build only, except frames. */
#ifndef FORMAT_APITRACE_TOOLS_H
#define FORMAT_APITRACE_TOOLS_H
#include "codec/codec.h"
#include "format/apitrace/call_set.h"
#include "format/apitrace/signatures.h"
#include "format/load.h"

/* The result of reading a capture. */
typedef struct ToolResult {
    bool     complete;
    Err      why;   /* if not complete */
    uint64_t calls; /* number of calls read, written or compared */
} ToolResult;

typedef struct TrimChoice {
    const CallSet *calls, *frames; /* NULL = no condition; both NULL = all calls */
    bool           has_thread;
    uint32_t       thread; /* only its calls */
} TrimChoice;

/* Writes the chosen calls as a capture of version 6 in Snappy chunks. The calls are renumbered and are in the order
 * of their returns, each followed by its return; calls that never return have no return here either. ERR_USAGE: the
 * capture does not have the chosen calls. */
bool apitrace_trim(const char *path, const TrimChoice *choice, const char *out_path, unsigned threads,
                   ToolResult *result, Err *err);

/* Writes the same stream in another container. */
bool apitrace_repack(const char *path, CodecKind kind, int level, const char *out_path, unsigned threads,
                     ToolResult *result, Err *err);

/* -- frames -- */

typedef struct FrameFacts {
    uint64_t frame, first_call, calls, incomplete;
    uint64_t families[FAMILY_COUNT];
    uint64_t redundant;    /* number of state calls that set a value again */
    uint64_t upload_bytes; /* bytes in blobs of arguments */
    bool     ended;        /* false: the last one, which no call ended */
} FrameFacts;

/* Receives the facts of a frame. False: no more frames are wanted. */
typedef bool (*FrameReceiver)(void *context, const FrameFacts *facts);
/* Passes the facts of each frame to `receive`, in order. */
bool apitrace_frames(const char *path, unsigned threads, FrameReceiver receive, void *context,
                     ToolResult *result, Err *err);

/* Does the same for a loaded capture, which must outlive it, in steps of a block of a few megabytes. */
typedef struct FrameCounter FrameCounter;
/* NULL: err */
FrameCounter *frame_counter_open(const Loaded *loaded, unsigned threads, Err *err) WARN_UNUSED;
/* Counts a block. *more false: all frames are counted. After a failure no more can be counted. */
bool frame_counter_step(FrameCounter *counter, bool *more, Err *err) WARN_UNUSED;
/* Returns the frames counted so far, in order, valid until the next step. */
const FrameFacts *frame_counter_facts(const FrameCounter *counter, uint64_t *count);
/* Returns the number of calls counted so far. */
uint64_t frame_counter_calls(const FrameCounter *counter);
void     frame_counter_close(FrameCounter *counter); /* NULL is allowed */

/* -- differences -- */

typedef struct DiffOptions {
    bool           no_addresses; /* all pointers and handles count as equal */
    bool           verbose;      /* includes calls of little interest */
    const CallSet *calls;        /* in both files; NULL = all */
    unsigned       threads;
} DiffOptions;

typedef struct DiffSink {
    bool (*line)(void *context, char mark,
                 const Bytes *text); /* '-' only in A, '+' only in B, '@' position */
    void *context;
} DiffSink;

/* Compares call by call, aligned with few differences (Myers 1986; approximate for very different files). *differing:
 * the number of calls that only one file has. */
bool apitrace_diff(const char *path_a, const char *path_b, const DiffOptions *options, const DiffSink *sink,
                   uint64_t *differing, ToolResult results[2], Err *err);

#endif
