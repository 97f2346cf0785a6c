/* trace/sample_log.h - values of counters as they were fed. For src/trace only.
 *
 * They stand in pieces, the large ones of one size and mostly one behind the other: so their pages can become those
 * of columns (trace/page_pool.h). */
#ifndef TRACE_SAMPLE_LOG_H
#define TRACE_SAMPLE_LOG_H
#include "trace/page_pool.h"

typedef struct SampleRecord {
    int64_t  tick;
    double   value;
    uint32_t series; /* index into TraceBuilder.series */
} SampleRecord;

typedef struct SamplePiece {
    SampleRecord *samples; /* in an arena */
    size_t        count;
} SamplePiece;

/* A zeroed one is empty. */
typedef struct SampleLog {
    Bytes         pieces;   /* SamplePiece[]; of the last one `count` is its room */
    SampleRecord *at, *end; /* where the next one goes; equal where there is no room */
} SampleLog;

/* Room for one more. False when out of memory. */
bool sample_log_grow(SampleLog *log, Arena *arena) WARN_UNUSED;

/* There must be room: at != end. */
static inline void sample_log_put(SampleLog *log, const SampleRecord *sample)
{
    *log->at++ = *sample;
}

size_t sample_log_pieces(const SampleLog *log);
/* In the order in which they were fed; until another one is. */
SamplePiece sample_log_piece(const SampleLog *log, size_t index);
/* Gives the pages of all of them to the pool: nobody needs them. */
void sample_log_give(SampleLog *log, PagePool *pool);
/* The arena was cleared: so is the log. */
void sample_log_clear(SampleLog *log);
void sample_log_release(SampleLog *log);

#endif
