/* format/go/trace/ends.h - finds the reasons and stacks with which a run on a processor or thread begins and ends, on
 * request.
 *
 * There are too many runs to store a stack for each. The offsets in kept.h lead to the event that ended a run. From
 * 1.22 on its generation is put in order again up to that event: a second of a trace or less. Before 1.22 a few batches
 * of its processor and the tables of the footer are decoded. A run begins where the goroutine's run before it ended;
 * that run is found in the columns. Memory and time are those of a generation, or of a few batches and the footer, for
 * any length of trace. */
#ifndef FORMAT_GO_TRACE_ENDS_H
#define FORMAT_GO_TRACE_ENDS_H
#include "format/go/trace/kept.h"

/* Implement SliceContext.has_ends and ends. */
bool go_has_ends(const Trace *trace, uint64_t slice);
bool go_ends(const Trace *trace, uint64_t slice, const ReadAgain *again, Arena *arena, SliceEnds *ends,
             Err *err);

/* -- shared by ends*.c -- */

/* An event of a goroutine to find in the input. */
typedef struct GoMoment {
    bool      is_wanted;
    bool      is_stop; /* only an event that ends the goroutine's run will do */
    int64_t   time;    /* as in the trace */
    int64_t   since;   /* of a stop: begin of the run */
    int64_t   g, p;    /* p: the processor of the lane; GO_NONE = a thread's lane */
    SliceEnd *end;     /* out; unchanged if there is no such event */
} GoMoment;

enum { GO_MOMENT_COUNT = 2 };

typedef struct GoLookup {
    const GoKept    *kept; /* borrowed; likewise below */
    const ReadAgain *again;
    Arena           *arena; /* for results and work */
    GoMoment         moments[GO_MOMENT_COUNT];
} GoLookup;

/* Fill in the moments. False: out of memory, or the input cannot be read. */
bool go_lookup_v2(GoLookup *lookup, Err *err); /* ends_v2.c */
bool go_lookup_v1(GoLookup *lookup, Err *err); /* ends_v1.c */

/* Reads [begin, end) of the input, preceded by `room` bytes for the caller. NULL: see err. */
uint8_t *go_lookup_bytes(GoLookup *lookup, uint64_t begin, uint64_t end, size_t room, Err *err);
/* Sets the frames of a stack, unless it is empty. False when out of memory. */
bool go_lookup_stack(GoLookup *lookup, GoTables *tables, uint32_t place, SliceEnd *end);
/* Sets the text to `what: reason`, or to `what` if there is no reason. False when out of memory. */
bool go_lookup_why(GoLookup *lookup, const char *what, StringView reason, SliceEnd *end);

#endif
