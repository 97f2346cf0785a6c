/* analysis/find.h - the next slice that matches something.
 *
 * "Next" and "previous" are in the order of begin, then of row (as they stand in the trace), then of place in the row:
 * that is the order of (begin_tick, slice id). */
#ifndef ANALYSIS_FIND_H
#define ANALYSIS_FIND_H
#include "base/progress.h"
#include "trace/filter.h"

typedef enum { FIND_NEXT, FIND_PREVIOUS } FindMove;

typedef struct FindQuery {
    StringView
        text; /* part of a name or category, whatever the case of its ASCII letters; "" matches nothing */
    FindMove      move;
    bool          has_from;
    const Filter *filter; /* what it hides is not found; NULL = nothing */
    uint64_t from; /* the slice to go on from; without it the first (FIND_NEXT) or last of all is found */
    bool     has_from_tick; /* or, where no slice stands, a moment: slices that begin then are behind it */
    int64_t  from_tick;
} FindQuery;

typedef struct FindResult {
    bool     found;   /* else nothing in the trace matches */
    bool     wrapped; /* there was no more in that direction, it went on at the other end */
    uint64_t slice;
    uint64_t count; /* matches in the whole trace */
    uint64_t index; /* place of `slice` among them, from 1 */
} FindResult;

/* Looks at the label of every slice once. Fails with ERR_MEMORY or ERR_CANCELLED. `progress` may be NULL. */
bool find_text(const Trace *trace, const FindQuery *query, FindResult *result, Progress *progress,
               Err *err) WARN_UNUSED;

/* Whether `part` stands in `text`, whatever the case of ASCII letters; "" stands in nothing. */
bool find_is_part(StringView text, StringView part);

/* The nearest slice of the same name in the same track in that direction, without going round; false if none.
 * It is not one that the filter (NULL = none) hides. */
bool find_same_name(const Trace *trace, const Filter *filter, uint64_t slice, FindMove move, uint64_t *found);

#endif
