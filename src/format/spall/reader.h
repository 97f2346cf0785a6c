/* format/spall/reader.h - the state of a reader, shared by reader.c (header, buffers, damage) and records.c
 * (consecutive records). For format/spall only. */
#ifndef FORMAT_SPALL_STATE_H
#define FORMAT_SPALL_STATE_H
#include "format/reader.h"
#include "format/spall/ahead.h"
#include "format/spall/layout.h"
#include "format/spall/names.h"
#include "format/spall/native.h"
#include "format/spall/time.h"

/* The meaning of the next byte of the input. */
typedef enum {
    STAGE_HEADER,
    STAGE_FRAME,   /* a buffer's header */
    STAGE_RECORDS, /* records of a buffer, or of a file without buffers */
    STAGE_SKIP,    /* filler of a Pad_Skip: skip_left bytes */
    STAGE_ZEROS,   /* only zeros since `zeros`: a preallocated file, a crashed system, or damage */
    STAGE_DROP,    /* the rest of a damaged buffer */
    STAGE_DONE     /* after damage in a file without buffers, where the next record cannot be found */
} Stage;

enum { THREAD_CACHE = 256 };

typedef struct CachedThread {
    uint64_t  pid, tid;
    ProcessId process;
    TrackId   track; /* TRACK_NONE = the entry is empty */
} CachedThread;

typedef struct SpallReader {
    TraceBuilder      *builder; /* borrowed */
    Arena             *arena;   /* borrowed from the load */
    ReadContext        context;
    NativeReader      *native; /* of a native stream, which does not use the members below; else NULL */
    const SpallLayout *layout; /* static; NULL until the header was read */
    Stage              stage;
    uint64_t           offset;               /* of the bytes passed to `read` */
    uint64_t           event;                /* index of the next record */
    uint64_t           counts[RECORD_KINDS]; /* passed to the builder at the end */
    bool               out_of_memory;        /* in the reader; the builder has its own flag */

    uint64_t frame_offset; /* of the current buffer's header */
    uint64_t frame_size;   /* of its records */
    uint64_t frame_left;   /* bytes of its records still to read; UINT64_MAX if the layout has no buffers */
    uint64_t frame_pid, frame_tid;
    uint64_t skip_left;
    uint64_t arguments_at; /* offset of the Arguments before the next record; 0 = the next record has none */
    EventPos zeros;        /* begin of the last run of zeros */
    uint64_t zero_bytes;   /* its size so far, in STAGE_ZEROS and for buffer headers of zeros */

    uint64_t  pid, tid; /* of the current thread */
    ProcessId process;
    TrackId   track;     /* TRACK_NONE = not known yet */
    int64_t  *last_tick; /* its latest time: in `time`, or no_tick when out of memory */
    int64_t   no_tick;
    SpallTime time;
    /* by hash; other threads are looked up in the builder */
    CachedThread threads[THREAD_CACHE];
    NameCache    names;
    AheadRuns    ahead;
    uint8_t      end_type; /* of the layout; Begin's is one less. 0 = spall_read_blocks reads nothing */
} SpallReader;

/* The reason why spall_read_records ended. */
typedef enum {
    RUN_USED_UP,   /* all bytes are used, or the remaining bytes are the start of a record */
    RUN_SKIP,      /* a Pad_Skip's filler follows: skip_left */
    RUN_ZEROS,     /* the next record is all zeros */
    RUN_BAD_TYPE,  /* the next record has an invalid type */
    RUN_PAST_FRAME /* the next record exceeds its buffer */
} RunEnd;

/* Passes the records at the start of `bytes`, which are at `offset` in the input, to the builder. Sets *used to the
 * number of bytes used. Updates frame_left and event. */
RunEnd spall_read_records(SpallReader *reader, const uint8_t *bytes, size_t size, uint64_t offset,
                          size_t *used);

#endif
