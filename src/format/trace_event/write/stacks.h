/* format/trace_event/write/stacks.h - writes stacks and samples: `stackFrames`, `samples`, `sf`, `esf`.
 *
 * For traces of other formats. In Trace Event JSON these are fields and properties, which are written unchanged
 * except for the keys of an event's own frames (fit.h). A written frame represents a stack; its id is the
 * stack's number. Beside name, category and parent, which viewers read, it has file, line, column, address and idle
 * if they are known. */
#ifndef FORMAT_TRACE_EVENT_WRITE_STACKS_H
#define FORMAT_TRACE_EVENT_WRITE_STACKS_H
#include "format/trace_event/write/line.h"

/* Appends a stack as a member of stackFrames: `"7":{...}`. */
void writer_put_frame(const Trace *trace, uint32_t stack, Bytes *out);
/* A sample of a TRACK_SAMPLES. */
typedef struct WriterSample {
    uint32_t track;
    uint32_t stack; /* StackId.index */
    int64_t  tick;
    double   weight;
} WriterSample;
/* Appends a sample as an object of `samples`. */
void writer_put_sample(const WriterPlaces *places, const Clock *clock, const WriterSample *sample,
                       Bytes *out);
/* Appends `"sf":"7"` and `"esf":"9"` for the stacks that exist, separated by a comma. */
void writer_put_stacks(StackId begin, StackId end, Bytes *out);
/* The fields of a slice have the members of its end event under "end". If the end is written as an event:
 * writer_put_end_members appends these members, writer_cut_end_members removes them from the fields. */
void writer_put_end_members(const Bytes *other, Bytes *out);
void writer_cut_end_members(Bytes *other);
/* Removes the member "scope" and appends its decoded value to `text`. */
void writer_cut_scope(Bytes *other, Bytes *text);
/* If the end is not an event: appends its stack in the form for an X, `"esf":9` or `"inline_estack":[...]`. */
void writer_put_end_stack(const Bytes *other, Bytes *out);

#endif
