/* format/go/feed/steps.h - the fast path for most events, used when only lanes of processors, or since 1.22 only states of
 * goroutines, are shown.
 *
 * A step is a simple event: a goroutine starts, stops, waits or is woken, with no special case. Steps go from the bytes
 * to the processor's lane or the goroutine's track without a GoEvent in memory. v2 has one loop (steps_v2.c). v1 has two: it decodes the
 * events of each processor ahead (v1/ahead.h) and applies them in windows of time (steps_v1.c). All other events
 * take the general path.
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

typedef enum { STEP_SYSCALL_BEGIN, STEP_SYSCALL_END } SyscallStep;
/* Begins or ends a syscall of the goroutine that runs on the lane. False, without effect, where the general path is
 * needed. */
bool feed_step_syscall(Feed *feed, uint32_t place, FeedRun *lane, SyscallStep step, int64_t time,
                       EventPos pos);

bool feed_steps_v1(Feed *feed, GoTrace *trace);
bool feed_steps_v2(Feed *feed, GoTrace *trace);

#endif
