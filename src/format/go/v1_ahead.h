/* format/go/v1_ahead.h - the next steps of a processor, decoded before their turn comes.
 *
 * What comes next on one processor is nearly always foreseen: one wakes another, waits, and that one runs. Which of
 * several processors comes next is a toss-up. So the events of each are decoded by themselves, as far as they are
 * steps: of a goroutine that gets to run, stops, waits or is woken, in a record of short numbers. */
#ifndef FORMAT_GO_V1_AHEAD_H
#define FORMAT_GO_V1_AHEAD_H
#include "format/go/v1.h"

/* What a step does; with V1_HAS_SEQ it says behind how many others of its goroutine it comes. */
typedef enum { V1_NO_STEP, V1_STARTS, V1_WAKES, V1_WAITS, V1_YIELDS, V1_HAS_SEQ = 8 } V1StepKind;
enum { V1_KIND_SHIFT = 28, V1_SEQ_MASK = (1 << V1_KIND_SHIFT) - 1 };

typedef struct V1Step {
    uint32_t ticks; /* from V1Ahead.base; UINT32_MAX behind the last */
    uint32_t at;    /* of its record, from V1Ahead.begin */
    uint32_t id;    /* of the goroutine that starts or is woken; else the record's type */
    uint32_t how;   /* V1StepKind << V1_KIND_SHIFT | the number of V1_HAS_SEQ */
} V1Step;

enum { V1_AHEAD_STEPS = 256 };

/* Zeroed: of no stream. */
typedef struct V1Ahead {
    const V1Stream *stream;  /* borrowed */
    uint32_t        segment; /* of the stream */
    uint32_t        next, count;
    bool            is_full;                   /* there may be more steps behind them */
    bool            is_used;                   /* whoever has it takes steps */
    size_t          begin, behind;             /* of their records, in the bytes of the segment's cursor */
    uint64_t        base;                      /* ticks */
    uint64_t        horizon;                   /* ticks: what is not decoded is not before it */
    V1Step          steps[V1_AHEAD_STEPS + 1]; /* ticks never decrease */
} V1Ahead;

/* Decodes from the stream's next event on, of which nothing is read yet but its time. */
void v1_ahead_fill(V1Ahead *ahead, const GoV1 *v1, const V1Stream *stream);

#endif
