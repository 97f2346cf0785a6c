/* analysis/find_match.h - compares names, categories, tracks and durations of events with a search, without arguments. */
#ifndef ANALYSIS_FIND_MATCH_H
#define ANALYSIS_FIND_MATCH_H
#include "analysis/find_pattern.h"
#include "base/vec.h"
#include "trace/store/event_order.h"
#include "trace/store/filter.h"

/* The part of a trace that is searched. */
typedef enum { FIND_ALL_TIMES, FIND_IN_WINDOW } FindTimes;
typedef struct FindScope {
    const Filter  *filter; /* hidden events are not found; NULL = nothing is hidden */
    const uint8_t *tracks; /* by track id: nonzero = searched; NULL = all */
    FindTimes      times;  /* FIND_IN_WINDOW: only events in the range of --range (trace/store/window.h) */
} FindScope;

/* One thread at a time. */
typedef struct FindMatcher {
    const Trace       *trace;
    const FindPattern *pattern;
    FindScope          scope;
    /* by label: 0 = not compared yet, else LABEL_COMPARED and the terms that match */
    uint32_t *labels;
    uint8_t  *tracks;     /* by track: nonzero = searched */
    uint32_t  all;        /* a bit for each term */
    uint32_t  of_values;  /* bits of the terms that arguments can match */
    uint32_t  of_numbers; /* bits of the terms that compare numbers */
    bool      gave_up;    /* a regular expression did */
    Bytes     scratch;
} FindMatcher;

/* Compares the titles of all tracks. The matcher's memory is in `arena`; the trace, the pattern and the scope's arrays
 * must outlive it. False: err filled. Release it in either case. */
bool find_matcher_open(FindMatcher *matcher, const Trace *trace, const FindPattern *pattern,
                       const FindScope *scope, Arena *arena, Err *err) WARN_UNUSED;
void find_matcher_release(FindMatcher *matcher);

/* A slice or an instant (ORDER_SLICE, ORDER_INSTANT). */
typedef struct FindCandidate {
    OrderKind kind;
    uint64_t  id;
    uint32_t  label, track;
} FindCandidate;

/* Returns false if no arguments could make the event match. Otherwise sets in *missing a bit for each term that the
 * arguments must match: 0 = the event matches without them. */
bool find_matcher_takes(FindMatcher *matcher, const FindCandidate *event, uint32_t *missing);
/* Returns a bit for each term that the name or the category of a label matches. */
uint32_t find_matcher_label(FindMatcher *matcher, uint32_t label);
/* Returns false, err filled, if a regular expression gave up. */
bool find_matcher_check(const FindMatcher *matcher, Err *err) WARN_UNUSED;

/* A track, a counter or a value of a counter. */
typedef struct FindPlace {
    uint32_t track;
    uint32_t row; /* of a value: index into Trace.rows */
    bool     has_value;
    uint64_t sample; /* of a value: for trace_value */
} FindPlace;
typedef VEC(FindPlace) FindPlaces;

/* Appends a FindPlace for each track with a title that matches. If the search compares numbers, appends the values of
 * counters that match instead. Stops at `most` places. The order is that of tracks, rows and time. False: err filled. */
bool find_places(FindMatcher *matcher, uint64_t most, FindPlaces *places, Err *err) WARN_UNUSED;

#endif
