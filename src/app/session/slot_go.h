/* app/session/slot_go.h - the last statistics of a Go trace, for requests. For app/session only. */
#ifndef APP_SESSION_SLOT_GO_H
#define APP_SESSION_SLOT_GO_H
#include "app/session/context.h"
#include "format/go/stats/stats.h"

/* Lives in `arena`. NULL when out of memory. */
SlotGo *slot_go_create(Arena *arena) WARN_UNUSED;
void    slot_go_destroy(SlotGo *go);

/* Computes the statistics of a Go trace in the range of the parameters "begin" and "end" (default: its
 * window), and locks them until unlock_go_stats. False: the answer is a failure, and nothing is locked. */
bool lock_go_stats(RequestContext *ctx, const GoStats **stats) WARN_UNUSED;
void unlock_go_stats(RequestContext *ctx);

#endif
