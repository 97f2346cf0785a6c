/* format/spall/reader.h - the state of a reader, shared by reader.c (header, buffers, damage) and records.c (the
 * records of one stretch). For format/spall only. */
#ifndef FORMAT_SPALL_STATE_H
#define FORMAT_SPALL_STATE_H
#include "format/reader.h"
#include "format/spall/layout.h"
#include "format/spall/names.h"
#include "format/spall/native.h"
#include "format/spall/time.h"

/* What the next byte of the input is. */
typedef enum {
    STAGE_HEADER,
    STAGE_FRAME,   /* a buffer's header */
    STAGE_RECORDS, /* of a buffer, or of the file where it has none */
    STAGE_SKIP,    /* filler of a Pad_Skip: skip_left bytes */
    STAGE_ZEROS,   /* nothing but zeros since `zeros`: a preallocated or crashed file, or damage */
    STAGE_DROP,    /* what is left of a damaged buffer */
    STAGE_DONE     /* records without buffers cannot be found again after damage */
} Stage;

enum { THREAD_CACHE = 256 };

typedef struct CachedThread {
    uint64_t  pid, tid;
    ProcessId process;
    TrackId   track; /* TRACK_NONE = the entry is empty */
} CachedThread;

typedef struct SpallReader {
    TraceBuilder      *builder; /* borrowed */
    Arena             *arena;   /* borrowed: the load's */
    ReadContext        context;
    NativeReader      *native; /* NULL unless it is a native stream: then nothing below is used */
    const SpallLayout *layout; /* static; NULL until the header was read */
    Stage              stage;
    uint64_t           offset;               /* of the bytes handed to `read` */
    uint64_t           event;                /* number of the next record */
    uint64_t           counts[RECORD_KINDS]; /* told to the builder at the end */
    bool               out_of_memory;        /* here; the builder has its own */

    uint64_t frame_offset; /* of the current buffer's header */
    uint64_t frame_size;   /* of its records */
    uint64_t frame_left;   /* bytes of them still to come; UINT64_MAX where the layout has no buffers */
    uint64_t frame_pid, frame_tid;
    uint64_t skip_left;
    EventPos zeros;      /* where the last run of zeros began */
    uint64_t zero_bytes; /* of it so far, in STAGE_ZEROS and for buffer headers of nothing but zeros */

    uint64_t  pid, tid; /* of the current thread */
    ProcessId process;
    TrackId   track;     /* TRACK_NONE = not known yet */
    int64_t  *last_tick; /* latest time of it: in `time`, or no_tick when out of memory */
    int64_t   no_tick;
    SpallTime time;
    /* by hash: more threads than fit cost a look-up in the builder each */
    CachedThread threads[THREAD_CACHE];
    NameCache    names;
    uint8_t      end_type; /* of the layout; Begin's is one less */
    bool         has_blocks;
} SpallReader;

/* Why a stretch of records ended. */
typedef enum {
    RUN_USED_UP,   /* all bytes are used, or those that are left are the start of a record */
    RUN_SKIP,      /* a Pad_Skip's filler follows: skip_left */
    RUN_ZEROS,     /* the record is nothing but zeros */
    RUN_BAD_TYPE,  /* no record has this type */
    RUN_PAST_FRAME /* the record is longer than what is left of its buffer */
} RunEnd;

/* Hands the records at the start of `bytes`, which stand at `offset` in the input, to the builder. Says in *used how
 * far it came and moves frame_left and event along. */
RunEnd spall_read_records(SpallReader *reader, const uint8_t *bytes, size_t size, uint64_t offset,
                          size_t *used);

#endif
