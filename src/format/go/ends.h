/* format/go/ends.h - how a run on a processor or thread ends and begins, read again from the input when somebody asks.
 *
 * There are too many runs to keep a stack of each. What is kept (kept.h) leads to the event that ended a run:
 * of 1.22 and later its generation is put in order once more, up to that event (a second of a trace or less);
 * before, a batch or two of its processor are decoded, and the tables of the footer. A run goes on where the
 * goroutine's last run ended: that one is found in the columns. Memory and time are those of a generation, or
 * a batch and the footer, however long the trace is. */
#ifndef FORMAT_GO_ENDS_H
#define FORMAT_GO_ENDS_H
#include "format/go/kept.h"

/* As FormatReader.has_ends and ends. */
bool go_has_ends(const Trace *trace, uint64_t slice);
bool go_ends(const Trace *trace, uint64_t slice, const ReadAgain *again, Arena *arena, SliceEnds *ends,
             Err *err);

/* -- shared by the parts -- */

/* What is asked of the input: an event of a goroutine. */
typedef struct GoMoment {
    bool      is_wanted;
    bool      is_stop; /* the goroutine's run ends with it, and nothing else will do */
    int64_t   time;    /* as the trace has it */
    int64_t   since;   /* of a stop: when the run began */
    int64_t   g, p;    /* p: whose lane it is seen on; GO_NONE = that of a thread */
    SliceEnd *end;     /* to be filled in: as it comes if there is no such event */
} GoMoment;

enum { GO_MOMENT_COUNT = 2 };

typedef struct GoLookup {
    const GoKept    *kept; /* borrowed; likewise below */
    const ReadAgain *again;
    Arena           *arena; /* of what is found, and of the work */
    GoMoment         moments[GO_MOMENT_COUNT];
} GoLookup;

/* Fill in the moments. False: memory is out, or the input cannot be read. */
bool go_lookup_v2(GoLookup *lookup, Err *err); /* ends_v2.c */
bool go_lookup_v1(GoLookup *lookup, Err *err); /* ends_v1.c */

/* [begin, end) of the input, with `room` bytes in front that are the caller's. NULL: err says why. */
uint8_t *go_lookup_bytes(GoLookup *lookup, uint64_t begin, uint64_t end, size_t room, Err *err);
/* The frames of a stack, if it says anything. False when out of memory. */
bool go_lookup_stack(GoLookup *lookup, GoTables *tables, uint32_t place, SliceEnd *end);
/* "what: reason", or without a reason what alone. False when out of memory. */
bool go_lookup_why(GoLookup *lookup, const char *what, StringView reason, SliceEnd *end);

#endif
