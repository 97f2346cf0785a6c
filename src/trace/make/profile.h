/* trace/make/profile.h - samples of call stacks: from the builder's log to tracks of slices. For src/trace only.
 *
 * A sample lasts until the next one; the last sample of a sampler, unless it is idle, for the median of
 * those before it. If a loaded trace has an interval (builder_sample_interval), that is the duration of the last sample, and of
 * each sample before a gap. The common outer frames of two consecutive stacks continue as one slice; the others end and begin.
 *
 * A SampleWalk makes the slices of one sampler after the other, of loaded and of growing traces. Hostile inputs have stacks
 * so deep that the slices of all their frames would not fit into memory: when there are too many slices for the number of
 * samples, only the outer frames of the sampler are drawn from this tick on. Recordings are far below the limit. */
#ifndef TRACE_MAKE_PROFILE_H
#define TRACE_MAKE_PROFILE_H
#include "trace/make/finish.h"

/* A future track; in the builder's log arena. */
struct ProfileGroup {
    uint32_t     thread; /* of the builder */
    uint32_t     sampler;
    StackSample *samples; /* by time; stacks are the trace's */
    size_t       sample_count;
    VEC(Interval) intervals; /* in order of time; row: the depth */
    IntervalExtras extras;   /* one for each */
    VEC(WorkRow) rows;       /* by depth */
};

/* The drawn part of a stack. */
typedef struct SampleStack {
    uint32_t depth; /* number of its frames */
    uint32_t outer; /* the stack of its outer frames, if it has many; otherwise the stack itself */
} SampleStack;

typedef struct SampleWalk {
    TraceBuilder     *builder;
    const StackTable *table;                /* the trace's */
    VEC(SampleStack) stacks;                /* by stack */
    VEC(uint32_t) labels;                   /* by frame; 0 = not made yet */
    uint64_t     sample_count, slice_count; /* so far, of all samplers */
    ProfileGroup made;                      /* intervals, extras and rows of the current sampler */
    VEC(uint32_t) open;                     /* by depth: the index of its open interval */
    uint32_t before;                        /* the drawn part of the last sample */
    int64_t  outer_from; /* from here on only outer frames are drawn; INT64_MAX = all frames so far */
} SampleWalk;

/* Prepares for the stacks that the table has now. False when out of memory. */
bool sample_walk_prepare(SampleWalk *walk) WARN_UNUSED;
/* Begins another sampler. `outer_from`: see SampleWalk. */
void sample_walk_start(SampleWalk *walk, int64_t outer_from);
/* Adds a slice that is open before the first sample; the outermost slice is the first. False when out of memory. */
bool sample_walk_open(SampleWalk *walk, const Interval *interval, uint32_t stack) WARN_UNUSED;
/* Returns the drawn part of the stack of a sample; 0 if the stack is idle, or 0. */
uint32_t sample_walk_shown(const SampleWalk *walk, uint32_t stack, int64_t tick);
/* Adds a sample; its slices are open until the next one. False when out of memory. */
bool sample_walk_add(SampleWalk *walk, uint32_t stack, int64_t tick) WARN_UNUSED;
/* Ends the open slices; samples may follow. */
void sample_walk_end(SampleWalk *walk, int64_t tick);
void sample_walk_release(SampleWalk *walk);

/* Fills ProfileGroup.thread and sorts groups of samplers in the order of tracks: by thread, then name. False when out of
 * memory. */
bool profile_sort_groups(const TraceBuilder *builder, Arena *arena, ProfileGroup *groups,
                         size_t count) WARN_UNUSED;
/* Returns the median of the intervals between items in order of time, which begin with it; 0 for fewer than two items, or when out
 * of memory (and ws->failed). */
uint64_t profile_median(Workspace *ws, const void *items, size_t count, size_t item_size);
/* Returns the end of a last sample that lasts for `median`. */
int64_t profile_end(int64_t tick, uint64_t median);
/* Sorts all samples and converts them to slices: fills finish->profiles; extends the builder's time range to the end of the
 * last samples. Stacks must be settled. False when out of memory. */
bool profiles_prepare(Finish *finish) WARN_UNUSED;
/* Returns the first group of a thread; any number if it has none. */
uint32_t profiles_first_of(const Finish *finish, uint32_t thread);
/* Fills a track's part of the columns of samples. */
void profiles_fill(Finish *finish, const ProfileGroup *group, const Track *track);
/* Releases the memory of a group, or of all groups. */
void profile_group_release(ProfileGroup *group);
void profiles_release(Finish *finish);

#endif
