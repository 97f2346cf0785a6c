/* trace/filter.h - a trace seen without the slices and instants of some labels.
 *
 * What is hidden is not in the columns' way: ids, rows and depths stay. A filter has its own level-of-detail
 * index, which sums up what is visible alone, and counts that tell in a bounded number of reads how many of a
 * range are visible and which is the next one. So a tile under a filter shows exactly what a tile of a trace
 * without the hidden events would, at the same cost. Some 1.9 bytes a slice, built in one pass.
 *
 * Of a trace that grows (trace/live.h) a filter follows the trace: it is told which rows have changed, from
 * where on, and filter_catch_up brings its counts and its index up to date there alone.
 *
 * Everywhere a `const Filter *` is asked for, NULL stands for "nothing is hidden". Immutable but for that. */
#ifndef TRACE_FILTER_H
#define TRACE_FILTER_H
#include "trace/lod.h"

typedef struct Filter Filter;

/* hidden: one byte a label id, label_count + 1 of them; copied. hidden_tracks: one byte a track id, for
 * counters, which have no label; NULL = none. `progress` may be NULL. NULL: err filled. */
Filter  *filter_build(const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks,
                      unsigned threads, Progress *progress, Err *err) WARN_UNUSED;
void     filter_release(Filter *filter); /* NULL is allowed */
uint64_t filter_bytes(const Filter *filter);

/* Of a trace that grows, after it has changed and before the filter is used again: hidden and hidden_tracks
 * as filter_build would take them now. Nobody may read the filter meanwhile, and filters of one trace are
 * built, caught up and released by one thread at a time, none while the trace changes. False: labels that
 * were there are hidden otherwise now, the trace is another one, or memory is out: build another filter. What
 * is read is added to *reads, which may be NULL. */
bool filter_catch_up(Filter *filter, const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks,
                     LodReads *reads) WARN_UNUSED;
/* For trace/live.h: a row has changed from these slices and instants on (UINT32_MAX: not), for all filters of
 * the list. */
void filters_note(Filter *followers, const Row *row, uint32_t first_slice, uint32_t first_instant);

bool filter_hides_label(const Filter *filter, uint32_t label);
/* Whether a track of kind TRACK_COUNTER is hidden. */
bool filter_hides_track(const Filter *filter, uint32_t track);

/* Visible ones among the slices [first, last), of one row if the trace grows. Each of these reads at most 128
 * labels; they are added to *reads, which may be NULL. */
uint64_t filter_count_slices(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                             LodReads *reads);
/* The first visible slice of [first, last), or `last`. */
uint64_t filter_next_slice(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                           LodReads *reads);
/* The last visible slice of [first, last), or `last`. */
uint64_t filter_last_slice(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                           LodReads *reads);
/* The same of instants. */
uint64_t filter_count_instants(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                               LodReads *reads);
uint64_t filter_next_instant(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                             LodReads *reads);

/* lod_summarise of the visible slices of [first, last). */
LodSummary filter_summarise(const Trace *trace, const Filter *filter, const Row *row, uint32_t first,
                            uint32_t last, LodReads *reads);

#endif
