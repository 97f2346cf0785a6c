/* format/go/v1/ahead.h - decodes the next steps of a processor in advance.
 *
 * The order of events within one processor is predictable for the CPU's branch predictor: a goroutine wakes another,
 * waits, and the other one runs. The order between processors is not. So the events of each processor are decoded by
 * themselves, as long as they are steps: starts, stops, waits, wake-ups, syscalls and heap sizes in records of short
 * numbers. */
#ifndef FORMAT_GO_V1_AHEAD_H
#define FORMAT_GO_V1_AHEAD_H
#include "format/go/v1/v1.h"

/* The effect of a step. With V1_HAS_SEQ it has a sequence number of its goroutine. */
typedef enum {
    V1_NO_STEP,
    V1_STARTS,
    V1_WAKES,
    V1_WAITS,
    V1_YIELDS,
    V1_BLOCKS, /* in a syscall: it loses the processor */
    V1_CALLS,  /* begins a syscall, which may block */
    V1_TELLS,  /* the size of the heap */
    V1_HAS_SEQ = 8
} V1StepKind;
enum { V1_KIND_SHIFT = 28, V1_SEQ_MASK = (1 << V1_KIND_SHIFT) - 1 };

typedef struct V1Step {
    uint32_t ticks; /* from V1Ahead.base; UINT32_MAX after the last step */
    uint32_t at;    /* offset of its record from V1Ahead.begin */
    /* the goroutine that starts or is woken; of a wait, yield or syscall its stack; the size */
    uint32_t id;
    uint32_t
        how; /* V1StepKind << V1_KIND_SHIFT | the sequence number; of a wait or yield the record's type */
} V1Step;

enum { V1_AHEAD_STEPS = 256 };

/* Zeroed: not filled. */
typedef struct V1Ahead {
    const V1Stream *stream;  /* borrowed */
    uint32_t        segment; /* of the stream */
    uint32_t        next, count;
    bool            is_full;                   /* more steps may follow */
    bool            is_used;                   /* a window uses it */
    size_t          begin, behind;             /* range of the records in the bytes of the segment's cursor */
    uint64_t        base;                      /* ticks */
    uint64_t        horizon;                   /* ticks: no event that is not decoded is earlier */
    V1Step          steps[V1_AHEAD_STEPS + 1]; /* ticks never decrease */
} V1Ahead;

/* Decodes steps from the stream's next event on, of which only the time is read. */
void v1_ahead_fill(V1Ahead *ahead, const GoV1 *v1, const V1Stream *stream);

#endif
