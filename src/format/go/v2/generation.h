/* format/go/v2/generation.h - a generation of a v2 trace: finds and checks its batches, tables and clock. The events stay
 * encoded.
 *
 * A trace of version 1.22 or later is a sequence of generations of about a second, each complete in itself. One object
 * serves them one after the other: it is scanned as bytes arrive, opened at its end, read through the frontier
 * (frontier.h), and reused. Faults go to the GoReport.
 *
 *     file        := header item*
 *     item        := 01 gen m time size data[size]       a batch; the first byte of its data is its kind
 *                  | 31 exp gen m time size data[size]   of an experiment (1.23)
 *                  | 34                                  the end of the generation (1.26)
 *
 * Sources: Go's internal/trace/batch.go, generation.go and tracev2, 1.22 to 1.26. */
#ifndef FORMAT_GO_V2_GENERATION_H
#define FORMAT_GO_V2_GENERATION_H
#include "base/err.h"
#include "format/go/common/buffer.h"
#include "format/go/common/event.h"
#include "format/go/common/tables.h"

typedef struct GoBatch {
    uint64_t time;       /* ticks */
    int64_t  m;          /* thread id of the kernel; GO_NONE = no thread */
    uint64_t at;         /* offset of its data from the generation's first byte */
    uint64_t table_at;   /* of a table: offset from GoTables.bytes */
    uint32_t size;       /* bytes of its data */
    uint32_t next;       /* 1 + index of the thread's next batch of events; 0 = none */
    uint8_t  experiment; /* 0 = none */
    bool     is_events;
} GoBatch;

/* A thread's batches of events, in the order of the file. */
typedef struct GoThread {
    int64_t  m;
    uint32_t first, last; /* 1 + index of a batch */
    uint32_t batch_count;
} GoThread;

typedef struct GoSample {
    int64_t  time; /* ns */
    int64_t  m, p, g;
    uint64_t stack;  /* id */
    uint64_t offset; /* in the input */
} GoSample;

typedef struct GoSnapshot {
    bool     is_known;
    uint64_t ticks; /* its time */
    uint64_t mono_ns, unix_sec, unix_nsec;
} GoSnapshot;

/* The begin of the heap and the units of the ids, from an experiment (alloc_free.h). */
typedef struct GoHeapLayout {
    bool     is_known;
    uint64_t address, page_bytes, object_bytes, stack_bytes;
} GoHeapLayout;

typedef enum {
    SCAN_NEEDS_MORE, /* the end of the generation is not in these bytes */
    SCAN_COMPLETE,   /* the end was found */
    SCAN_CUT,        /* the input ends or is unreadable inside it; the part before that can be used */
    SCAN_NOTHING     /* no generation follows */
} ScanResult;

typedef struct GoGeneration {
    unsigned        version;
    const GoReport *report; /* borrowed */
    Arena          *arena;  /* borrowed */
    uint64_t        number; /* 0 = no batch yet */
    uint64_t        origin; /* offset in the input of its first byte */
    uint64_t        size;   /* bytes scanned; once complete: of all of it */
    ReadAgain       again;  /* reads earlier bytes of the input; zeroed: the generation is in memory */
    GoBuffer        kept;   /* with `again`: the bytes of its tables */
    GoBatch        *batches;
    uint32_t        batch_count, batch_capacity;
    GoThread       *threads; /* by first appearance */
    uint32_t        thread_count, thread_capacity;
    GoSample       *samples; /* by time */
    uint32_t        sample_count, sample_capacity;
    IdMap           thread_map; /* -> 1 + index into threads */
    IdMap           known_threads;
    GoTables        tables;
    uint64_t        frequency; /* ticks a second; 0 = unknown */
    uint64_t        previous_frequency;
    double          ns_per_tick;
    uint64_t        min_ticks; /* of all batches */
    GoSnapshot      snapshot;
    GoHeapLayout    heap;
    IdMap type_map; /* id of an object type, in batches of the experiment -> its offset from the first byte */
    uint64_t skip_begin; /* offset of the begin of unreadable bytes; ERR_NOWHERE = none */
    bool     is_cut;
    bool     is_clock_damaged; /* its events have no usable times and are omitted */
    bool     out_of_memory;
} GoGeneration;

/* Prepares for the generation that begins at this offset of the input. */
void generation_begin(GoGeneration *generation, uint64_t origin);
/* Continues the scan with the bytes after `size`. */
ScanResult generation_scan(GoGeneration *generation, const uint8_t *bytes, size_t size, InputState input);
/* Reads the tables of the scanned generation. `bytes`, all of it, must stay until the next generation_begin; with
 * `again` it is NULL. False when out of memory. */
bool generation_open(GoGeneration *generation, const uint8_t *bytes) WARN_UNUSED;

/* Converts ticks to ns like Go: a product in floating point, truncated; clamped if out of range. */
static inline int64_t go_ticks_to_ns(double ns_per_tick, uint64_t ticks)
{
    double ns = (double)ticks * ns_per_tick;
    return LIKELY(ns < 0x1p63) ? (int64_t)ns : INT64_MAX;
}

#endif
