/* format/trace_event/write/marks.h - decides which slices are written as begin events, so that a reader that pairs
 * begins and ends by name reads the same trace. */
#ifndef FORMAT_TRACE_EVENT_WRITE_MARKS_H
#define FORMAT_TRACE_EVENT_WRITE_MARKS_H
#include "trace/store/trace.h"

typedef enum {
    FORM_COMPLETE,   /* X */
    FORM_BEGIN,      /* B without an E */
    FORM_BEGIN_END,  /* B and E */
    FORM_NO_DURATION /* X without "dur": an unfinished slice that a later E would end if it were a B */
} SliceForm;

typedef struct SliceMarks {
    const Trace *trace;
    uint64_t    *as_begin;       /* a bit per slice: 1 = written as a B */
    int64_t     *last_stray;     /* by track: tick of the last unmatched E; INT64_MIN = none */
    int64_t     *last_pair;      /* by track: the last tick at which a pair is open */
    bool         has_end_stacks; /* the trace has stacks of E events */
    uint64_t     lost_causes;    /* number of slices whose SLICE_NO_END is lost */
    uint64_t     lost_ties; /* number of slices of length 0 whose order among slices at their time is lost */
} SliceMarks;

/* Decides the forms of all slices. Allocates in `arena`; false when out of memory. `end_kind`: the kind of raw events
 * that are ends, UINT16_MAX = none. */
bool slice_marks_make(SliceMarks *marks, const Trace *trace, uint16_t end_kind, Arena *arena) WARN_UNUSED;

SliceForm slice_marks_form(const SliceMarks *marks, uint64_t slice);

#endif
