/* trace/log/sample_log.h - values of counters as they were added. For src/trace only.
 *
 * They are in pieces. The large ones have one size and are usually adjacent, so that their pages can become pages of
 * columns (trace/log/page_pool.h). */
#ifndef TRACE_LOG_SAMPLE_LOG_H
#define TRACE_LOG_SAMPLE_LOG_H
#include "base/vec.h"
#include "trace/log/page_pool.h"

typedef struct SampleRecord {
    int64_t  tick;
    double   value;
    uint32_t series; /* index into TraceBuilder.counters.series */
} SampleRecord;

typedef struct SamplePiece {
    SampleRecord *samples; /* in an arena */
    size_t        count;
} SamplePiece;

/* A zeroed log is empty. */
typedef struct SampleLog {
    VEC(SamplePiece) pieces; /* `count` of the last one is its capacity */
    SampleRecord *at, *end;  /* the room for the next ones; equal if it is full */
} SampleLog;

/* Makes room for one more. False when out of memory. */
bool sample_log_grow(SampleLog *log, Arena *arena) WARN_UNUSED;

/* Appends a value; there must be room: at != end. */
static inline void sample_log_put(SampleLog *log, const SampleRecord *sample)
{
    *log->at++ = *sample;
}

size_t sample_log_pieces(const SampleLog *log);
/* Returns a piece, in the order in which the values were added; valid until the next one is added. */
SamplePiece sample_log_piece(const SampleLog *log, size_t index);
/* Gives the pages of all values to the pool. The log must not be read afterwards. */
void sample_log_give(SampleLog *log, PagePool *pool);
/* Empties the log after its arena was cleared. */
void sample_log_clear(SampleLog *log);
void sample_log_release(SampleLog *log);

#endif
