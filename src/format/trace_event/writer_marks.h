/* format/trace_event/writer_marks.h - which slices must be written as begins, so that a reader that pairs begins and
 * ends by name finds what this trace holds. */
#ifndef FORMAT_TRACE_EVENT_WRITER_MARKS_H
#define FORMAT_TRACE_EVENT_WRITER_MARKS_H
#include "trace/trace.h"

typedef enum {
    FORM_COMPLETE,   /* X */
    FORM_BEGIN,      /* B without an E */
    FORM_BEGIN_END,  /* B and E */
    FORM_NO_DURATION /* X without "dur": unfinished, where a later E would take a B for its own */
} SliceForm;

typedef struct SliceMarks {
    const Trace *trace;
    uint64_t    *as_begin;       /* a bit for each slice of a thread that is a B */
    int64_t     *last_stray;     /* by track: tick of the last E that belongs to nothing; INT64_MIN = none */
    int64_t     *last_pair;      /* by track: the last tick at which a pair is open */
    bool         has_end_stacks; /* of E events of their own */
    uint64_t     lost_causes;    /* slices whose SLICE_NO_END cannot be kept */
    uint64_t
        lost_ties; /* slices without length whose place among what begins or ends at their time is lost */
} SliceMarks;

/* In `arena`; false when out of memory. `end_kind`: the kind of other events that are ends, UINT16_MAX = none. */
bool slice_marks_make(SliceMarks *marks, const Trace *trace, uint16_t end_kind, Arena *arena) WARN_UNUSED;

SliceForm slice_marks_form(const SliceMarks *marks, uint64_t slice);

#endif
