/* app/session/near.h - the parts of the requests "near" and "tooltip" about instants, rows and arrows. For
 * app/session only. */
#ifndef APP_SESSION_NEAR_H
#define APP_SESSION_NEAR_H
#include "app/session/context.h"
#include "trace/store/filter.h"

/* The slice or instant at the destination of a move; at most one of both. */
typedef struct Neighbour {
    bool     has_slice, has_instant;
    uint64_t slice, instant;
} Neighbour;

/* Finds the next or previous visible slice or instant in the row of a slice; false if `move` is neither
 * "next" nor "previous". *found must be zeroed. */
bool near_along_row(const Trace *trace, const Filter *filter, uint64_t slice, StringView move,
                    Neighbour *found);
/* Writes {"place", "mark"}. */
void write_neighbour(RequestContext *ctx, const Neighbour *found);
/* Answers "near" of the instant in the parameter "instant": {"place", "mark"}, the slice around it or the
 * nearest instant. */
void handle_near_instant(RequestContext *ctx, StringView move);
/* Answers "near" along an arrow: false if the move is not along arrows. */
bool handle_near_flow(RequestContext *ctx, uint64_t slice, const Filter *filter, StringView move);
/* Answers "tooltip" for an arrow. */
void handle_flow_tooltip(RequestContext *ctx);
/* Appends a line of a tooltip, without control characters, cut if it is long. */
void tooltip_line(Bytes *out, StringView key, StringView value);

#endif
