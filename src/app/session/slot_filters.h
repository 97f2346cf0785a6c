/* app/session/slot_filters.h - the filters of a trace that requests use. For app/session only.
 *
 * A slot caches several, so that requests for tiles with different filters do not replace them. */
#ifndef APP_SESSION_SLOT_FILTERS_H
#define APP_SESSION_SLOT_FILTERS_H
#include "app/session/context.h"
#include "trace/store/filter.h"

/* Lives in `arena`. NULL when out of memory. */
SlotFilters *slot_filters_create(Arena *arena) WARN_UNUSED;
void         slot_filters_destroy(SlotFilters *filters);
/* Called after a change to a generation, while no request reads the trace: removes filters that were not used
 * for some time. */
void slot_filters_age(SlotFilters *filters, uint64_t generation);
/* Finds the filter for the parameter "hide": *filter, NULL if it hides nothing. Valid until the request is
 * answered. False: the answer is a failure. Call once for a request. */
bool param_filter(RequestContext *ctx, const Filter **filter) WARN_UNUSED;
/* Reads the client's number of the filter ("filter"; 0 without). False: the answer is a failure. */
bool param_filter_number(RequestContext *ctx, uint32_t *number) WARN_UNUSED;
/* Releases the filter of an answered request. */
void release_filter(RequestContext *ctx);

#endif
