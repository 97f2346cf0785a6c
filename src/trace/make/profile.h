/* trace/make/profile.h - samples of call stacks: from the builder's log to tracks of slices. For src/trace only.
 *
 * A sample lasts until the next one; the last sample of a sampler, unless it is idle, for the median of
 * those before it. The common outer frames of two
 * consecutive stacks continue as one slice; the others end and begin. */
#ifndef TRACE_MAKE_PROFILE_H
#define TRACE_MAKE_PROFILE_H
#include "trace/make/finish.h"

/* A future track; in the builder's log arena. */
struct ProfileGroup {
    uint32_t       thread; /* of the builder */
    uint32_t       sampler;
    StackSample   *samples; /* by time; stacks are the trace's */
    size_t         sample_count;
    Interval      *intervals; /* by row, then begin */
    IntervalExtra *extras;    /* one for each */
    size_t         interval_count;
    WorkRow       *rows; /* by depth */
    uint32_t       row_count;
};

/* Fills ProfileGroup.thread and sorts groups of samplers in the order of tracks: by thread, then name. False when out of
 * memory. */
bool profile_sort_groups(const TraceBuilder *builder, Arena *arena, ProfileGroup *groups,
                         size_t count) WARN_UNUSED;
/* Returns the median of keys in ws->keys, which it sorts; 0 for no keys, or when out of memory (and ws->failed). */
uint64_t profile_median(Workspace *ws, SortKey *keys, size_t count);
/* Returns the label of a frame's slices. 0: out of memory, the builder has failed. */
uint32_t profile_label(TraceBuilder *builder, const StackFrame *frame);
/* Sorts all samples and converts them to slices: fills finish->profiles; extends the builder's time range to the end of the
 * last samples. Stacks must be settled. False when out of memory. */
bool profiles_prepare(Finish *finish) WARN_UNUSED;
/* Returns the first group of a thread; any number if it has none. */
uint32_t profiles_first_of(const Finish *finish, uint32_t thread);
/* Fills a track's part of the columns of samples. */
void profiles_fill(Finish *finish, const ProfileGroup *group, const Track *track);

#endif
