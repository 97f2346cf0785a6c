/* app/session/search_params.h - reads the parameters of a request that choose slices by a search, and the profile in its body.
 * For app/session only.
 *
 * Functions that return false have made the answer a failure. */
#ifndef APP_SESSION_SEARCH_PARAMS_H
#define APP_SESSION_SEARCH_PARAMS_H
#include "analysis/call_profile.h"
#include "analysis/find_pattern.h"
#include "app/session/context.h"
#include "export/found_slices.h"

/* Parses the search in the parameter "text"; its copy is in `arena`. Release the pattern in either case. */
bool param_pattern(RequestContext *ctx, FindPattern *pattern, Arena *arena) WARN_UNUSED;
/* Reads the optional parameters of a set of slices: "search" and "in", or "inside": the slice with this id and the slices inside
 * it. Without them the set stays zeroed. Release the set in either case. */
bool param_slices(RequestContext *ctx, FoundSlices *found, Arena *arena) WARN_UNUSED;
/* Reads the profile of the other trace, the body of the request. Release the profile in either case. */
bool param_body_profile(RequestContext *ctx, CallProfile *profile) WARN_UNUSED;

#endif
