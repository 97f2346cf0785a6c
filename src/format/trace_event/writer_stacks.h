/* format/trace_event/writer_stacks.h - stacks and samples as the format has them: `stackFrames`, `samples`,
 * `sf`, `esf`.
 *
 * For traces of other formats: one that was Trace Event JSON has all these in its own fields, which are written as they
 * were, but for the names of frames of an event's own (writer_fit.h). A frame is a stack here: its id is the stack's
 * number. Beside name, category and parent, which viewers know, it has file, line, column, address and idle where they
 * are known. */
#ifndef FORMAT_TRACE_EVENT_WRITER_STACKS_H
#define FORMAT_TRACE_EVENT_WRITER_STACKS_H
#include "format/trace_event/writer_line.h"

/* `"7":{...}`: a stack as a member of stackFrames. */
void writer_put_frame(const Trace *trace, uint32_t stack, Bytes *out);
/* An object of `samples`: sample `index` of ProfileColumns, which is on this track. */
void writer_put_sample(const LineWriter *lines, const Clock *clock, uint32_t track, uint64_t index,
                       Bytes *out);
/* `"sf":"7"` and `"esf":"9"` for what there is of them, with a comma between. */
void writer_put_stacks(StackId begin, StackId end, Bytes *out);
/* A slice has what its end's own event said as the member "end" of its fields. Where that event is written again: its
 * members, and the fields without them. */
void writer_put_end_members(const Bytes *other, Bytes *out);
void writer_cut_end_members(Bytes *other);
/* Removes the member "scope" and appends its decoded value to `text`. */
void writer_cut_scope(Bytes *other, Bytes *text);
/* Where it is not: the end's stack as an X has it, `"esf":9` or `"inline_estack":[...]`. */
void writer_put_end_stack(const Bytes *other, Bytes *out);

#endif
