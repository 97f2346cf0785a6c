/* format/go/generation.h - a generation of a v2 trace: its batches, tables and clock, found and
 * checked, events still packed.
 *
 * A trace of version 1.22 or later is a sequence of generations, each of a second or so and complete in
 * itself. One object serves them in turn: it is scanned as bytes come, opened when its end is seen, read
 * through the frontier (frontier.h), and used again. What was found wrong goes to the GoReport.
 *
 *     file        := header item*
 *     item        := 01 gen m time size data[size]       a batch; the first byte of its data says what is in it
 *                  | 31 exp gen m time size data[size]   of an experiment (1.23)
 *                  | 34                                  the end of the generation (1.26)
 *
 * formats/go-trace.md, 4.1. */
#ifndef FORMAT_GO_GENERATION_H
#define FORMAT_GO_GENERATION_H
#include "base/err.h"
#include "format/go/bytes.h"
#include "format/go/event.h"
#include "format/go/tables.h"

typedef struct GoBatch {
    uint64_t time;       /* ticks */
    int64_t  m;          /* kernel's id of the thread, GO_NONE = of no thread */
    uint64_t at;         /* of its data, from the generation's first byte */
    uint64_t table_at;   /* of a table's, from GoTables.bytes */
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
    uint64_t ticks; /* when it was taken */
    uint64_t mono_ns, unix_sec, unix_nsec;
} GoSnapshot;

/* Where the heap begins and what ids of memory count, as an experiment tells it (alloc_free.h). */
typedef struct GoHeapLayout {
    bool     is_known;
    uint64_t address, page_bytes, object_bytes, stack_bytes;
} GoHeapLayout;

typedef enum {
    SCAN_NEEDS_MORE, /* the generation does not end in these bytes */
    SCAN_COMPLETE,   /* its end was seen */
    SCAN_CUT,        /* the input ends, or cannot be read on, inside it: what there is of it is there */
    SCAN_NOTHING     /* there is no generation any more */
} ScanResult;

typedef struct GoGeneration {
    unsigned        version;
    const GoReport *report; /* borrowed */
    Arena          *arena;  /* borrowed */
    uint64_t        number; /* 0 = no batch yet */
    uint64_t        origin; /* offset in the input of its first byte */
    uint64_t        size;   /* bytes scanned; once complete: of the whole */
    ReadAgain       again; /* where bytes that have gone by are had from; zeroed: a generation is in memory */
    GoBytes         kept;  /* with `again`: the bytes of its tables */
    GoBatch        *batches;
    uint32_t        batch_count, batch_capacity;
    GoThread       *threads; /* by first appearance */
    uint32_t        thread_count, thread_capacity;
    GoSample       *samples; /* by time */
    uint32_t        sample_count, sample_capacity;
    IdMap           thread_map; /* -> 1 + index into threads */
    IdMap           known_threads;
    GoTables        tables;
    uint64_t        frequency; /* ticks a second, 0 = not known yet */
    uint64_t        previous_frequency;
    double          ns_per_tick;
    uint64_t        min_ticks; /* the earliest time of a batch */
    GoSnapshot      snapshot;
    GoHeapLayout    heap;
    IdMap
        type_map; /* of objects, in batches of the same experiment -> where they stand, from the first byte */
    uint64_t skip_begin; /* offset from which on nothing could be read, ERR_NOWHERE = none */
    bool     is_cut;
    bool     is_clock_damaged; /* its events cannot be placed: they are not given */
    bool     out_of_memory;
} GoGeneration;

/* For the generation that begins at this offset of the input. */
void generation_begin(GoGeneration *generation, uint64_t origin);
/* Goes on scanning: `bytes` are those behind what was scanned (`size`). input_ends: there is nothing behind. */
ScanResult generation_scan(GoGeneration *generation, const uint8_t *bytes, size_t size, bool input_ends);
/* Reads the tables of the scanned generation. `bytes`, the whole of it, must stay until the next
 * generation_begin; with `again` it is NULL. False when out of memory. */
bool generation_open(GoGeneration *generation, const uint8_t *bytes) WARN_UNUSED;

/* Ticks to ns as Go does it: a product in floating point, cut; out of range: clamped. */
static inline int64_t go_ticks_to_ns(double ns_per_tick, uint64_t ticks)
{
    double ns = (double)ticks * ns_per_tick;
    return LIKELY(ns < 0x1p63) ? (int64_t)ns : INT64_MAX;
}

#endif
