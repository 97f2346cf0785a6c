/* format/go/feed_steps.h - where lanes of processors alone are shown: the shortest way there, for nearly all
 * that there is in a trace.
 *
 * A step is a goroutine that gets to run, stops, waits or is woken, with nothing unusual about it. From the
 * bytes of who has its turn to the lane of its processor there is one loop for v2 (feed_steps_v2.c), and for
 * v1 two: what a processor says is decoded ahead (v1_ahead.h), and taken by windows of time (feed_steps_v1.c).
 * A step is decoded, tried and shown without ever being an event in memory. What is none goes the way of all events.
 *
 * What is shown of a step here is what feed_take would show. */
#ifndef FORMAT_GO_FEED_STEPS_H
#define FORMAT_GO_FEED_STEPS_H
#include "format/go/feed.h"

/* The place of the goroutine that has this id; *shown: where it was, when this was asked the last time. 0 =
 * it is not known. */
static ALWAYS_INLINE uint32_t feed_step_g(const Feed *feed, int64_t id, uint32_t *shown)
{
    if (UNLIKELY(feed->gs[*shown].id != id)) *shown = id_map_find(&feed->g_map, (uint64_t)id);
    return *shown;
}

/* The lane of a processor, likewise. NULL: there is none. */
static inline FeedRun *feed_step_lane(const Feed *feed, int64_t id, uint32_t *shown)
{
    if (UNLIKELY(*shown == 0)) *shown = id_map_find(&feed->p_map, (uint64_t)id);
    return *shown == 0 ? NULL : &feed->ps[*shown];
}

/* From a state that it is shown in. False, and nothing done, where there is more to say of the goroutine or
 * the lane; likewise below. */
static ALWAYS_INLINE bool feed_step_changes(Feed *feed, FeedG *g, GoState from, GoState to)
{
    if (UNLIKELY(g->state != from)) return false;
    g->state = (uint8_t)to;
    feed->g_states[from].count--;
    feed->g_states[to].count++;
    feed->has_uncounted = true;
    return true;
}

/* A syscall of who runs on the lane begins or ends, as all that goes on within the run. */
bool feed_step_syscall(Feed *feed, uint32_t place, FeedRun *lane, bool begins, int64_t time, EventPos pos);

bool feed_steps_v1(Feed *feed, GoTrace *trace);
bool feed_steps_v2(Feed *feed, GoTrace *trace);

#endif
