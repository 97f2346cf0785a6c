/* Steps (GoStep) where processors alone are shown: nearly all there is in a trace, on the shortest way to the builder. What is not
 * as simple as it mostly is goes the way of all events. */
#include "format/go/feed.h"

bool feed_takes_steps(const Feed *feed)
{
    return feed->shows_ps && !feed->shows_gs && !feed->shows_ms && feed->carry == NULL;
}

static ALWAYS_INLINE void count_step(Feed *feed, FeedG *g, const GoStep *step)
{
    feed->g_states[g->state]--;
    feed->g_states[step->to]++;
    feed->has_uncounted = true;
    g->state = step->to;
}

/* A syscall of who runs there begins or ends, as all that goes on within the run. */
static bool take_syscall(Feed *feed, FeedRun *p, uint32_t place, const GoStep *step, EventPos pos)
{
    const bool begins = step->to == GO_STATE_SYSCALL;
    const bool is_inside = p->inside_count == 1 && p->inside[0].kind == INSIDE_SYSCALL;
    if (p->g != place || p->load != (begins ? LOAD_RUNS : LOAD_SYSCALL) ||
        (begins ? p->inside_count != 0 : !is_inside))
        return false;
    if (begins) {
        const LabelId label = feed->labels[FEED_SYSCALL];
        p->inside[p->inside_count++] = (FeedInside){ INSIDE_SYSCALL, label, { step->time, pos } };
        builder_begin(feed->builder, p->track, step->time, label, pos, EVENT_ANYWHERE);
    } else {
        p->inside_count = 0;
        builder_end(feed->builder, p->track, step->time, LABEL_NONE, pos, EVENT_ANYWHERE);
    }
    feed_set_load(feed, p, begins ? LOAD_SYSCALL : LOAD_RUNS);
    return true;
}

/* As feed_follow_runs and what comes with it. False, and nothing done, where the processor or the goroutine has more to say. */
static ALWAYS_INLINE bool take_step(Feed *feed, const GoStep *step)
{
    const uint32_t place = id_map_find(&feed->g_map, (uint64_t)step->id);
    const uint32_t p_place = id_map_find(&feed->p_map, (uint64_t)step->p);
    FeedG *const   g = &feed->gs[place];
    FeedRun *const p = &feed->ps[p_place];
    const EventPos pos = { step->offset, feed->event };
    if (UNLIKELY(place == 0 || p_place == 0 || g->name.index == 0 || g->is_working || g->is_assisting))
        return false;
    if (step->to == GO_STATE_SYSCALL || step->from == GO_STATE_SYSCALL) {
        if (UNLIKELY(!take_syscall(feed, p, place, step, pos))) return false;
    } else if (UNLIKELY(p->inside_count != 0)) {
        return false;
    } else if (step->to == GO_STATE_RUNNING) {
        if (UNLIKELY(p->g != 0 || p->is_idle || g->label.index == 0)) return false;
        p->g = place;
        builder_begin(feed->builder, p->track, step->time, g->label, pos, EVENT_ANYWHERE);
        if (place < feed->waker_capacity && feed->wakers[place].from[0].index != 0)
            feed_arrow_arrives(feed, place, p, NULL, step->time);
    } else if (step->from == GO_STATE_RUNNING) {
        if (UNLIKELY(p->g != place)) return false;
        p->g = 0;
        builder_end(feed->builder, p->track, step->time, LABEL_NONE, pos, EVENT_ANYWHERE);
    } else {
        const uint32_t waker =
            step->g <= 0 || step->g == step->id ? 0 : id_map_find(&feed->g_map, (uint64_t)step->g);
        if (UNLIKELY(place >= feed->waker_capacity)) return false;
        const bool is_shown = waker != 0 && p->g == waker;
        feed->wakers[place] = (FeedWaker){ .time = step->time,
                                           .from[0] = is_shown ? p->track : TRACK_NONE,
                                           .label = feed->labels[FEED_UNBLOCK] };
    }
    count_step(feed, g, step);
    return true;
}

bool feed_steps(Feed *feed, const GoStep *steps, uint32_t count)
{
    const uint64_t first = feed->trace->event_count - count;
    for (uint32_t i = 0; i < count; i++) {
        const GoStep *step = &steps[i];
        feed->event = first + i;
        feed_reach(feed, step->time);
        if (LIKELY(take_step(feed, step))) continue;
        const GoEvent event = go_step_event(step);
        feed_take(feed, &event);
    }
    feed_leave_out(feed, steps[0].time);
    feed_leave_out(feed, steps[count - 1].time);
    return !feed->out_of_memory;
}
