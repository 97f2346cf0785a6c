#include "format/go/feed/steps.h"
#include "format/go/v2/spec.h"

#include <string.h>

enum { MOST_ARGS = 3, MOST_BYTES = 1 + 4 * (1 + MOST_ARGS) };

/* The variables of a thread's loop over its steps, held in registers as far as possible. */
typedef struct ThreadSteps {
    Feed          *feed;
    GoTrace       *trace;
    FeedRun       *lane;   /* of the processor */
    FeedRun       *thread; /* lane of the thread; NULL unless threads are shown */
    uint32_t       self;   /* place of the thread in the scheduler */
    const uint8_t *begin;  /* first byte of the event */
    const uint8_t *at;     /* after its time; when it is taken, after the event */
    uint64_t       origin; /* offset in the input of address 0 */
    int64_t        time;   /* of the event, as in the file */
    int64_t        limit;  /* the loop ends after this time; INT64_MIN: with the current event */
    int64_t        last_time;
    uint64_t       count; /* events taken */
} ThreadSteps;

/* True if the string and the stack of the event exist. *stack: the place of the stack. */
static ALWAYS_INLINE bool has_texts(const GoTables *tables, unsigned type, const uint64_t *args,
                                    uint32_t *stack)
{
    uint64_t id = 0, string = 0;
    if (type == V2_GO_UNBLOCK) {
        id = args[2];
    } else if (type == V2_GO_BLOCK || type == V2_GO_STOP) {
        string = args[0];
        id = args[1];
    } else if (type == V2_GO_SYSCALL_BEGIN) {
        id = args[1];
    }
    *stack = go_stack_find(tables, id);
    return (id == 0 || *stack != 0) && (string == 0 || go_string_find(tables, string) != 0);
}

static ALWAYS_INLINE EventPos pos_of(const ThreadSteps *steps)
{
    return (EventPos){ steps->origin + (uint64_t)(uintptr_t)steps->begin,
                       steps->trace->event_count + steps->count };
}

/* Shows an event, checked already by the scheduler, through the general path. args: as far as it has them. */
static void show_slowly(const ThreadSteps *steps, const SchedStep *step, const uint64_t *args, uint32_t stack)
{
    GoEvent event = {
        .type = *steps->begin, .time = steps->last_time, .offset = pos_of(steps).offset, .stack = stack
    };
    memcpy(event.args, args, MOST_ARGS * sizeof *args);
    scheduler_step_tell(&steps->trace->scheduler, step, steps->self, &event);
    steps->feed->event = pos_of(steps).event;
    feed_take(steps->feed, &event);
}

/* ---- steps on the lanes of processors ---- */

/* Show a step. False, without effect, where the general path is needed. */
static ALWAYS_INLINE bool show_starts(Feed *feed, uint32_t place, FeedRun *lane, int64_t time, EventPos pos)
{
    FeedG *const g = &feed->places.gs[place];
    if (UNLIKELY(lane->shows != 0 || g->label.index == 0 || g->is_assisting ||
                 !feed_step_changes(feed, g, GO_STATE_RUNNABLE, GO_STATE_RUNNING)))
        return false;
    lane->g = place;
    feed_run_mark(feed, lane, time, g->label, pos);
    if (place < feed->arrows.waker_capacity && feed->arrows.wakers[place].from[0].index != 0) {
        FeedWaker *const waker = &feed->arrows.wakers[place];
        if (lane->track.index != 0 && feed_thins_arrow(feed)) {
            waker->from[0] = TRACK_NONE;
        } else {
            feed_arrow_to_run(feed, place, lane, NULL, time);
        }
    }
    return true;
}

/* to: waiting or runnable. A goroutine with a label has a name as well. */
static ALWAYS_INLINE bool show_stops(Feed *feed, uint32_t place, FeedRun *lane, GoState to, int64_t time,
                                     EventPos pos)
{
    FeedG *const g = &feed->places.gs[place];
    if (UNLIKELY(lane->g != place || lane->inside_count != 0 || g->label.index == 0 ||
                 !feed_step_changes(feed, g, GO_STATE_RUNNING, to)))
        return false;
    lane->g = 0;
    feed_run_mark(feed, lane, time, LABEL_NONE, pos);
    return true;
}

/* waker: id of the goroutine that runs on the lane. */
static ALWAYS_INLINE bool show_wakes(Feed *feed, uint32_t place, const FeedRun *lane, int64_t waker,
                                     int64_t time)
{
    FeedG *const g = &feed->places.gs[place];
    if (UNLIKELY(place >= feed->arrows.waker_capacity || g->label.index == 0 ||
                 !feed_step_changes(feed, g, GO_STATE_WAITING, GO_STATE_RUNNABLE)))
        return false;
    const bool is_shown = waker > 0 && waker != g->id && feed->places.gs[lane->g].id == waker;
    feed->arrows.wakers[place] = (FeedWaker){ .time = time,
                                              .from[0] = is_shown ? lane->track : TRACK_NONE,
                                              .label = feed->names.labels[FEED_UNBLOCK] };
    return true;
}

/* ---- steps on the tracks of goroutines ---- */

/* True if nothing but the state of the goroutine, and the goroutine on the lane, changes. */
static ALWAYS_INLINE bool is_plain(const Feed *feed, const FeedG *g, uint32_t place, const FeedRun *lane,
                                   unsigned type)
{
    if (UNLIKELY(!feed_step_has_track(g) || feed->lanes != NULL)) return false;
    return type == V2_GO_UNBLOCK || (type == V2_GO_START ? lane->shows == 0 : lane->g == place);
}

/* Finds the place of the goroutine that wakes another: 0 if none does. False: it has no own track. */
static ALWAYS_INLINE bool find_waker(const Feed *feed, SchedG *waker, uint32_t *place)
{
    *place = waker->id <= 0 ? 0 : feed_step_g(feed, waker->id, &waker->shown);
    const FeedG *const g = &feed->places.gs[*place];
    return *place == 0 || (g->states.index != 0 && g->lane == 0);
}

/* Updates the goroutine and the load of the lane of the processor, which is not shown. */
static ALWAYS_INLINE void follow_lane(Feed *feed, FeedRun *lane, unsigned type, uint32_t place)
{
    if (type == V2_GO_START) lane->g = place;
    if (type == V2_GO_STOP || type == V2_GO_BLOCK) lane->g = 0;
    if (type == V2_GO_SYSCALL_BEGIN && lane->load == LOAD_RUNS) feed_set_load(feed, lane, LOAD_SYSCALL);
    if (type == V2_GO_SYSCALL_END && lane->load == LOAD_SYSCALL) feed_set_load(feed, lane, LOAD_RUNS);
}

/* True if nothing but the step begins or ends on a lane. */
static ALWAYS_INLINE bool lane_takes(const FeedRun *lane, unsigned type, uint32_t place)
{
    if (type == V2_GO_UNBLOCK) return true;
    if (type == V2_GO_START) return lane->shows == 0;
    if (type != V2_GO_SYSCALL_END) return lane->g == place && lane->inside_count == 0;
    return lane->g == place && lane->inside_count == 1 && lane->inside[0].kind == INSIDE_SYSCALL;
}

static ALWAYS_INLINE void show_on_lane(const ThreadSteps *steps, FeedRun *lane, unsigned type, uint32_t place)
{
    const int64_t  time = steps->last_time;
    const EventPos pos = pos_of(steps);
    const LabelId  syscall = steps->feed->names.labels[FEED_SYSCALL];
    const LabelId  label = type == V2_GO_START           ? steps->feed->places.gs[place].label
                           : type == V2_GO_SYSCALL_BEGIN ? syscall
                                                         : LABEL_NONE;
    if (type == V2_GO_UNBLOCK) return;
    if (type == V2_GO_SYSCALL_BEGIN) lane->inside[0] = (FeedInside){ INSIDE_SYSCALL, syscall, { time, pos } };
    lane->g = type == V2_GO_STOP || type == V2_GO_BLOCK ? 0 : place;
    lane->inside_count = type == V2_GO_SYSCALL_BEGIN;
    feed_run_mark(steps->feed, lane, time, label, pos);
}

/* True if a step can be shown on the lanes of its processor and thread. */
static ALWAYS_INLINE bool lanes_take(const ThreadSteps *steps, unsigned type, uint32_t place)
{
    const Feed *const  feed = steps->feed;
    const FeedG *const g = &feed->places.gs[place];
    if (type == V2_GO_START && (g->label.index == 0 || g->is_assisting)) return false;
    if (type == V2_GO_UNBLOCK && place >= feed->arrows.waker_capacity) return false;
    return lane_takes(steps->lane, type, place) && lane_takes(steps->thread, type, place);
}

static ALWAYS_INLINE void show_on_lanes(const ThreadSteps *steps, unsigned type, uint32_t place,
                                        uint32_t waker)
{
    Feed *const    feed = steps->feed;
    FeedRun *const lane = steps->lane, *const thread = steps->thread;
    show_on_lane(steps, lane, type, place);
    show_on_lane(steps, thread, type, place);
    if (type == V2_GO_START) feed_arrow_to_run(feed, place, lane, thread, steps->last_time);
    if (type != V2_GO_UNBLOCK) return;
    feed->arrows.wakers[place] = (FeedWaker){ 0 };
    if (waker == 0) return;
    feed->arrows.wakers[place] = (FeedWaker){ .time = steps->last_time,
                                              .from[0] = lane->g == waker ? lane->track : TRACK_NONE,
                                              .from[1] = thread->g == waker ? thread->track : TRACK_NONE,
                                              .label = feed->names.labels[FEED_UNBLOCK] };
}

/* Shows a step as a change of state. False, without effect, where the general path is needed. */
static ALWAYS_INLINE bool show_change(const ThreadSteps *steps, StepsOf of, unsigned type,
                                      const SchedStep *step, uint32_t place, const uint64_t *args,
                                      uint32_t stack)
{
    Feed *const   feed = steps->feed;
    FeedG *const  g = &feed->places.gs[place];
    const GoState to = (GoState)step->to;
    const bool    is_own = type != V2_GO_START && type != V2_GO_UNBLOCK; /* the stack is the goroutine's */
    uint32_t      waker = 0;
    if (UNLIKELY(!is_plain(feed, g, place, steps->lane, type))) return false;
    if (of == STEPS_OF_ALL && UNLIKELY(!lanes_take(steps, type, place))) return false;
    if (type == V2_GO_UNBLOCK && UNLIKELY(!find_waker(feed, &steps->trace->scheduler.gs[step->ran], &waker)))
        return false;
    if (UNLIKELY(!feed_step_changes(feed, g, (GoState)step->from, to))) return false;
    follow_lane(feed, steps->lane, type, place);
    if (of == STEPS_OF_ALL) show_on_lanes(steps, type, place, waker);
    const StringId reason =
        to == GO_STATE_WAITING ? go_string_intern(&steps->trace->generation.tables, args[0]) : STRING_NONE;
    const StackId own = is_own ? feed_stack(feed, stack) : STACK_NONE;
    const LabelId label = feed_state_label(feed, to, reason);
    if (UNLIKELY(!feed_put_state(feed, g, steps->last_time, label, own))) {
        const FeedChange change = { .time = steps->last_time,
                                    .label = label,
                                    .begin_stack = own,
                                    .end_stack = own,
                                    .pos = pos_of(steps) };
        feed_show_own_change(feed, g, &change, g->has_state);
    }
    g->has_state = label.index != 0;
    if (waker != 0)
        feed_add_arrow(feed, feed->places.gs[waker].states, steps->last_time, g->states, steps->last_time,
                       feed->names.labels[FEED_UNBLOCK]);
    return true;
}

static ALWAYS_INLINE bool show(const ThreadSteps *steps, StepsOf of, unsigned type, const SchedStep *step,
                               const uint64_t *args, uint32_t stack)
{
    Scheduler *const s = &steps->trace->scheduler;
    SchedG *const    g = &s->gs[step->place];
    Feed *const      feed = steps->feed;
    const uint32_t   place = feed_step_g(feed, g->id, &g->shown);
    feed_reach(feed, steps->last_time);
    if (of & STEPS_OF_GOROUTINES) return show_change(steps, of, type, step, place, args, stack);
    switch (type) {
    case V2_GO_START:
        return show_starts(feed, place, steps->lane, steps->last_time, pos_of(steps));
    case V2_GO_STOP:
        return show_stops(feed, place, steps->lane, GO_STATE_RUNNABLE, steps->last_time, pos_of(steps));
    case V2_GO_BLOCK:
        return show_stops(feed, place, steps->lane, GO_STATE_WAITING, steps->last_time, pos_of(steps));
    case V2_GO_UNBLOCK:
        return show_wakes(feed, place, steps->lane, s->gs[step->ran].id, steps->last_time);
    default:
        return feed_step_syscall(feed, place, steps->lane,
                                 type == V2_GO_SYSCALL_BEGIN ? STEP_SYSCALL_BEGIN : STEP_SYSCALL_END,
                                 steps->last_time, pos_of(steps));
    }
}

/* Takes the event of this type at steps->at. False, without effect: it is not a step. */
static ALWAYS_INLINE bool take(ThreadSteps *steps, StepsOf of, unsigned type, unsigned arg_count)
{
    GoTrace *const trace = steps->trace;
    const uint8_t *at = steps->at;
    uint64_t       args[MOST_ARGS] = { 0 };
    SchedStep      step;
    uint32_t       stack;
    for (unsigned i = 0; i < arg_count; i++) {
        at = varint_brief(at, &args[i]);
        if (UNLIKELY(at == NULL)) return false;
    }
    if (UNLIKELY(!has_texts(&trace->generation.tables, type, args, &stack) ||
                 !scheduler_step(&trace->scheduler, type, args, steps->self, &step)))
        return false;
    const int64_t last_time = steps->last_time;
    steps->last_time = steps->time > last_time || last_time == INT64_MAX ? steps->time : last_time + 1;
    trace->counts.of[type]++;
    if (UNLIKELY(!show(steps, of, type, &step, args, stack))) {
        const ThreadSteps steps_now = *steps; /* copies, so that the originals can stay in registers */
        const SchedStep   step_now = step;
        const uint64_t    args_now[MOST_ARGS] = { args[0], args[1], args[2] };
        show_slowly(&steps_now, &step_now, args_now, stack);
        steps->limit = INT64_MIN;
    }
    steps->at = at;
    steps->count++;
    return true;
}

static ALWAYS_INLINE bool take_any(ThreadSteps *steps, StepsOf of)
{
    switch (*steps->begin) {
    case V2_GO_START:
        return take(steps, of, V2_GO_START, 2);
    case V2_GO_STOP:
        return take(steps, of, V2_GO_STOP, 2);
    case V2_GO_BLOCK:
        return take(steps, of, V2_GO_BLOCK, 2);
    case V2_GO_UNBLOCK:
        return take(steps, of, V2_GO_UNBLOCK, 3);
    case V2_GO_SYSCALL_BEGIN:
        return take(steps, of, V2_GO_SYSCALL_BEGIN, 2);
    case V2_GO_SYSCALL_END:
        return take(steps, of, V2_GO_SYSCALL_END, 0);
    default:
        return false;
    }
}

/* Reads the time of the next event at steps->at. False, without effect: the event is not a step, or its time has an
 * unusual encoding. */
static ALWAYS_INLINE bool pass_time(ThreadSteps *steps, const uint8_t *end, double ns_per_tick)
{
    const uint8_t *const begin = steps->at;
    uint64_t             ticks;
    bool                 clamped = false;
    if (UNLIKELY(begin >= end || *begin < V2_GO_START || *begin > V2_GO_SYSCALL_END)) return false;
    const uint8_t *const at = varint_brief(begin + 1, &ticks);
    if (UNLIKELY(at == NULL)) return false;
    const int64_t time = i64_add_clamped(steps->time, go_ticks_to_ns(ns_per_tick, ticks), &clamped);
    if (UNLIKELY(clamped)) return false;
    steps->begin = begin;
    steps->at = at;
    steps->time = time;
    return true;
}

/* Takes events of the thread while they are steps and earlier than all other threads' events. False: the next event is
 * not a step. */
static ALWAYS_INLINE bool take_steps(ThreadSteps *steps, StepsOf of, Frontier *frontier, GoCursor *cursor)
{
    const double         ns_per_tick = frontier->generation->ns_per_tick;
    const uint8_t *const bytes = cursor->c.bytes;
    int64_t              time = steps->time; /* of the last event taken */
    bool                 is_step = true, is_timed = true;
    if (cursor->c.size - cursor->c.at < MOST_BYTES) return false;
    const uint8_t *const end =
        bytes + cursor->c.size - MOST_BYTES; /* from here on an event could exceed the bytes */
    do {
        is_step = take_any(steps, of);
        if (UNLIKELY(!is_step)) break;
        time = steps->time;
        is_timed = pass_time(steps, end, ns_per_tick);
    } while (is_timed && steps->time <= steps->limit);
    frontier->last_time = steps->last_time;
    steps->trace->event_count += steps->count;
    if (UNLIKELY(!is_timed || steps->limit == INT64_MIN)) {
        cursor->c.at = (size_t)((is_timed ? steps->begin : steps->at) - bytes);
        cursor->time = time;
        frontier_put_back_unread(frontier);
        return true;
    }
    cursor->c.at = (size_t)(steps->at - bytes);
    cursor->begin = (size_t)(steps->begin - bytes);
    cursor->time = steps->time;
    frontier_put_back(frontier, cursor);
    return is_step;
}

/* Takes the steps of all threads, as far as the next event is a step. */
static ALWAYS_INLINE void take_threads(Feed *feed, GoTrace *trace, StepsOf of)
{
    Frontier *const  frontier = &trace->frontier;
    Scheduler *const s = &trace->scheduler;
    int64_t          limit;
    GoCursor        *cursor;
    while (!feed->out_of_memory && (cursor = frontier_thread(frontier, &limit)) != NULL) {
        const SchedM *const m = &s->ms[cursor->self];
        SchedP *const       p = &s->ps[m->p];
        const bool          shows_thread = of == STEPS_OF_ALL;
        ThreadSteps         steps = { .feed = feed,
                                      .trace = trace,
                                      .lane = p == s->ps ? NULL : feed_step_lane(feed, p->id, &p->shown),
                                      .thread = shows_thread ? feed_step_thread(feed, m->id) : NULL,
                                      .self = cursor->self,
                                      .begin = cursor->c.bytes + cursor->begin,
                                      .at = cursor->c.bytes + cursor->c.at,
                                      .origin = cursor->c.origin - (uint64_t)(uintptr_t)cursor->c.bytes,
                                      .time = cursor->time,
                                      .limit = limit,
                                      .last_time = frontier->last_time };
        if (steps.lane == NULL || (shows_thread && steps.thread == NULL) ||
            !take_steps(&steps, of, frontier, cursor))
            break;
    }
}

/* Separate functions, because their loops have other variables in registers. */
static NOINLINE void take_processor_steps(Feed *feed, GoTrace *trace)
{
    take_threads(feed, trace, STEPS_OF_PROCESSORS);
}

static NOINLINE void take_goroutine_steps(Feed *feed, GoTrace *trace)
{
    take_threads(feed, trace, STEPS_OF_GOROUTINES);
}

static NOINLINE void take_all_steps(Feed *feed, GoTrace *trace)
{
    take_threads(feed, trace, STEPS_OF_ALL);
}

bool feed_steps_v2(Feed *feed, GoTrace *trace)
{
    if (!feed->shows.gs) {
        take_processor_steps(feed, trace);
    } else if (!feed->shows.ps) {
        take_goroutine_steps(feed, trace);
    } else {
        take_all_steps(feed, trace);
    }
    return !feed->out_of_memory;
}
