/* format/go/feed/steps.h - the fast path for most events, used when lanes of processors, goroutines, or all tracks are
 * shown.
 *
 * A step is a simple event: a goroutine starts, stops, waits or is woken, with no special case. Steps go from the bytes
 * to the lanes and the goroutine's track without a GoEvent in memory. v2 has one loop (steps_v2.c). v1 has two: it
 * decodes the events of each processor ahead (v1/ahead.h) and applies them in windows of time (steps_v1.c). All other
 * events take the general path.
 *
 * The result of a step is the same as that of feed_take. */
#ifndef FORMAT_GO_FEED_STEPS_H
#define FORMAT_GO_FEED_STEPS_H
#include "format/go/feed/feed.h"

/* Returns the place of the goroutine with this id; 0 = unknown. *shown, which belongs to the goroutine, keeps it. */
static ALWAYS_INLINE uint32_t feed_step_g(const Feed *feed, int64_t id, uint32_t *shown)
{
    if (UNLIKELY(*shown == 0)) *shown = id_map_find(&feed->places.g_map, (uint64_t)id);
    return *shown;
}

/* Returns the lane of a processor, cached likewise; NULL if the processor is unknown. */
static inline FeedRun *feed_step_lane(const Feed *feed, int64_t id, uint32_t *shown)
{
    if (UNLIKELY(*shown == 0)) *shown = id_map_find(&feed->places.p_map, (uint64_t)id);
    return *shown == 0 ? NULL : &feed->places.ps[*shown];
}

/* Returns the lane of a thread; NULL if it is unknown. */
static inline FeedRun *feed_step_thread(const Feed *feed, int64_t id)
{
    const uint32_t place = id_map_find(&feed->places.m_map, (uint64_t)id);
    return place == 0 ? NULL : &feed->places.ms[place];
}

/* Moves a goroutine from state `from` to state `to`. False, without effect, if it is not shown in `from`. */
static ALWAYS_INLINE bool feed_step_changes(Feed *feed, FeedG *g, GoState from, GoState to)
{
    if (UNLIKELY(g->state != from)) return false;
    g->state = (uint8_t)to;
    feed->counters.states[from].count--;
    feed->counters.states[to].count++;
    feed->counters.has_uncounted = true;
    return true;
}

/* True if only the state of the goroutine changes with a step on its track. */
static ALWAYS_INLINE bool feed_step_has_track(const FeedG *g)
{
    return g->states.index != 0 && g->lane == 0 && g->name.index != 0 && !g->is_working;
}

/* Returns the label of a wait before 1.22. LABEL_NONE: it is not made yet. reason: NULL = unknown. */
LabelId feed_step_wait(const Feed *feed, const char *reason);

/* The tracks of the steps: lanes of processors; goroutines; or both and lanes of threads. */
typedef enum {
    STEPS_OF_PROCESSORS = 1 << 0,
    STEPS_OF_GOROUTINES = 1 << 1,
    STEPS_OF_ALL = STEPS_OF_PROCESSORS | STEPS_OF_GOROUTINES
} StepsOf;

typedef enum { STEP_SYSCALL_BEGIN, STEP_SYSCALL_END } SyscallStep;
/* Begins or ends a syscall of the goroutine that runs on the lane. False, without effect, where the general path is
 * needed. */
bool feed_step_syscall(Feed *feed, uint32_t place, FeedRun *lane, SyscallStep step, int64_t time,
                       EventPos pos);

bool feed_steps_v1(Feed *feed, GoTrace *trace);
bool feed_steps_v2(Feed *feed, GoTrace *trace);

#endif
