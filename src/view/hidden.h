/* view/hidden.h - hidden categories. */
#ifndef VIEW_HIDDEN_H
#define VIEW_HIDDEN_H
#include "view/trace_view.h"

/* Stores the counts without a filter, and applies the outline's filter. False when out of memory. */
bool hidden_init(TraceView *trace);
bool hidden_next_request(TraceView *trace, uint32_t index, ViewRequest *request);
/* Copies the hidden categories to a later outline of the same trace. tracks[i] is the later index of track i. The old
 * counts hold until new ones arrive. False when out of memory. */
bool hidden_carry(const TraceView *before, TraceView *after, const uint32_t *tracks);

#endif
