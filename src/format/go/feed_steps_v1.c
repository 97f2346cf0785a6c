/* The steps of all processors, time by time, and of each time one processor after the other.
 *
 * As long as there is nothing but steps, what happens on one processor depends on the others by the goroutines
 * alone: one can only go on where another has left it. So there is no need to go from event to event in their
 * order: in a window of time each processor goes on as far as it can, again and again, until all are
 * at its end. What cannot be taken so, and what is no step, goes the way of all events, when its turn comes. */
#include "format/go/feed_steps.h"
#include "format/go/v1_ahead.h"
#include "format/go/v1_stream.h"

/* A processor, in a window. */
typedef struct StepLane {
    V1Stream *stream;
    V1Ahead  *ahead;
    V1P      *p;
    FeedRun  *run;
    V1G      *g;     /* who runs; NULL = nobody */
    uint32_t  index; /* of the stream */
    uint32_t  first; /* of its steps in V1Ahead */
    uint32_t  limit; /* of V1Step.ticks */
    bool      is_done;
} StepLane;

enum { MOST_LANES = 256, FIRST_SPAN = 1 << 16, MOST_SPAN = 1 << 30 };

typedef struct FeedStepsV1 {
    Feed    *feed;              /* borrowed */
    GoTrace *trace;             /* borrowed */
    V1Ahead *ahead[MOST_LANES]; /* by stream, modulo their number; NULL until needed */
    uint64_t span;              /* ticks: a window is at most so long */
    /* The window at hand: */
    StepLane lanes[MOST_LANES];
    uint32_t lane_count;
    uint64_t of[V1_YIELDS + 1]; /* steps taken, by kind */
} StepWindow;

/* -- goroutines -- */

/* All of it is what v1_merge.c knows of order and v1_check.c of what may follow, as long as all is as it should be. */
#define STATES(...) (((V1G){ __VA_ARGS__ }).states)
#define ALL_OF(v1, go) STATES(.status = (v1), .state = (v1), .model = (go), .is_plain = true)
#define ALL_STATES (ALL_OF(0xff, 0xff) | STATES(.is_plain = 0xff))
#define LINK_TYPE STATES(.link_type = 0xff)

/* Whether there is nothing unusual about a goroutine, neither for who shows it nor for whom it has to wait. */
static bool is_plain(Feed *feed, V1G *g)
{
    if (g->is_plain) return true;
    if (g->id == 0 || g->waiter != 0 || g->is_timer) return false;
    const uint32_t     place = feed_step_g(feed, (int64_t)g->id, &g->shown);
    const FeedG *const shown = &feed->gs[place];
    if (place == 0 || shown->label.index == 0 || shown->is_assisting || shown->state != g->model ||
        feed_waker(feed, place) == NULL)
        return false;
    g->is_plain = true;
    return true;
}

/* -- what a step does -- */

/* What it takes to take steps: as far as it can all of this lives in registers. */
typedef struct Taking {
    Feed           *feed;
    FeedRun        *run;
    V1G            *g;  /* who runs; NULL = nobody */
    V1G            *gs; /* GoV1.gs; likewise below */
    const IdMap    *g_map;
    const uint32_t *dense; /* [dense_count], places of small ids */
    uint32_t        dense_count;
    FeedG          *shown; /* Feed.gs */
    FeedWaker      *wakers;
    AnywhereMark   *mark, *marks_end; /* of the run: where the next one goes */
    TrackId         track;
    LabelId         unblock;
    uint64_t        ticks, offset; /* of the step at hand */
    int64_t         time;
} Taking;

/* Whether it is in a state that it can leave by a step. */
static ALWAYS_INLINE bool is_in(Taking *t, V1G *g, uint64_t looked_at, uint64_t wanted)
{
    if (LIKELY((g->states & looked_at) == wanted)) return true;
    if (!is_plain(t->feed, g)) return false;
    t->wakers = t->feed->wakers; /* it may have got its place there just now */
    return (g->states & looked_at) == wanted;
}

static ALWAYS_INLINE V1G *find_g(const Taking *t, uint32_t id)
{
    return &t->gs[LIKELY(id < t->dense_count) ? t->dense[id] : id_map_find(t->g_map, id)];
}

/* Where the run's next mark goes. */
static ALWAYS_INLINE void find_marks(Taking *t)
{
    const bool gathers = t->run->marks != NULL;
    t->mark = gathers ? t->run->marks + t->run->mark_count : NULL;
    t->marks_end = gathers ? t->run->marks + FEED_LANE_MARKS : NULL;
}

/* The run learns how many there are. */
static ALWAYS_INLINE void leave_marks(const Taking *t)
{
    if (t->run->marks == NULL) return;
    t->run->mark_count = (uint32_t)(t->mark - t->run->marks);
    if (UNLIKELY(t->mark == t->marks_end)) feed_run_marks_go(t->feed, t->run);
}

static ALWAYS_INLINE void put_mark(Taking *t, LabelId label)
{
    if (UNLIKELY(t->mark == t->marks_end)) {
        leave_marks(t);
        feed_run_mark(t->feed, t->run, t->time, label, (EventPos){ t->offset, t->feed->event });
        find_marks(t);
    } else {
        *t->mark++ = (AnywhereMark){ t->time, label };
    }
}

/* The goroutine gets to run. Its first start, which takes over a stack, is no step. */
static ALWAYS_INLINE bool starts(Taking *t, V1G *g)
{
    const uint64_t looked_at = ALL_STATES | STATES(.is_created = true);
    if (UNLIKELY(!is_in(t, g, looked_at, ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE)))) return false;
    FeedG *const     shown = &t->shown[g->shown];
    FeedWaker *const waker = &t->wakers[g->shown];
    g->states = (g->states & ~ALL_STATES) | ALL_OF(V1_RUNNING, GO_STATE_RUNNING) | STATES(.exists = true);
    g->start = t->offset;
    g->link_from = 0;
    g->seq++;
    g->last_ticks = t->ticks;
    shown->state = GO_STATE_RUNNING;
    put_mark(t, shown->label);
    t->g = g;
    if (waker->from[0].index == 0) return true;
    if (feed_leaves_out_arrow(t->feed)) {
        waker->from[0] = TRACK_NONE;
    } else {
        feed_arrow_arrives(t->feed, g->shown, t->run, NULL, t->time);
    }
    return true;
}

/* It is woken by who runs on the processor; timers and the network have processors of their own. */
static ALWAYS_INLINE bool wakes(Taking *t, V1G *g)
{
    if (UNLIKELY(!is_in(t, g, ALL_STATES, ALL_OF(V1_WAITING, GO_STATE_WAITING)) ||
                 g->link_type == V1_GO_BLOCK_NET))
        return false;
    FeedWaker *const waker = &t->wakers[g->shown];
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE) |
                STATES(.link_type = V1_GO_UNBLOCK, .exists = true);
    g->link_from = t->offset;
    g->seq++;
    g->last_ticks = t->ticks;
    t->shown[g->shown].state = GO_STATE_RUNNABLE;
    waker->time = t->time;
    waker->from[0] = t->track;
    waker->from[1] = waker->states = TRACK_NONE;
    waker->label = t->unblock;
    return true;
}

/* It leaves its processor, runnable or waiting. */
static ALWAYS_INLINE void stops(Taking *t, uint32_t type, V1Status status, GoState to)
{
    V1G *const g = t->g;
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF((uint8_t)status, (uint8_t)to) |
                type * STATES(.link_type = 1);
    g->start = 0;
    g->link_from = t->offset;
    g->last_ticks = t->ticks;
    t->shown[g->shown].state = (uint8_t)to;
    put_mark(t, LABEL_NONE);
    t->g = NULL;
}

/* -- the steps of a processor -- */

/* Whether the goroutine is as far as the step needs it; else that waits for another processor, or is none. */
static ALWAYS_INLINE bool has_come(const V1G *g, const V1Step *step, uint64_t ticks)
{
    const bool has_seq = ((step->how >> V1_KIND_SHIFT) & V1_HAS_SEQ) != 0;
    return g->last_ticks <= ticks && (!has_seq || (step->how & V1_SEQ_MASK) == g->seq);
}

static ALWAYS_INLINE bool take_step(StepWindow *window, Taking *t, const V1Step *step)
{
    const unsigned kind = (step->how >> V1_KIND_SHIFT) & ~(unsigned)V1_HAS_SEQ;
    if (kind == V1_WAKES) {
        V1G *const g = find_g(t, step->id);
        if (UNLIKELY(t->g == NULL || !has_come(g, step, t->ticks) || !wakes(t, g))) return false;
    } else if (kind == V1_STARTS) {
        V1G *const g = find_g(t, step->id);
        if (UNLIKELY(t->g != NULL || !has_come(g, step, t->ticks) || !starts(t, g))) return false;
    } else {
        if (UNLIKELY(t->g == NULL)) return false;
        if (LIKELY(kind == V1_WAITS)) {
            stops(t, step->id, V1_WAITING, GO_STATE_WAITING);
        } else {
            stops(t, step->id, V1_RUNNABLE, GO_STATE_RUNNABLE);
        }
    }
    window->of[kind]++;
    return true;
}

/* Takes its steps up to its limit, or to one that cannot be taken. */
static void take_steps(StepWindow *window, StepLane *lane)
{
    Feed *const       feed = window->feed;
    const GoV1 *const v1 = &window->trace->v1;
    V1Ahead *const    ahead = lane->ahead;
    FeedRun *const    run = lane->run;
    const uint32_t    limit = lane->limit;
    const uint64_t    base = ahead->base, since = base - v1->first_ticks;
    const uint64_t    origin = lane->stream->c.origin + ahead->begin;
    const double      ns_per_tick = v1->ns_per_tick;
    const V1Step     *step = &ahead->steps[ahead->next];
    Taking            t = { .feed = feed,
                            .run = run,
                            .g = lane->g,
                            .gs = v1->gs,
                            .g_map = &v1->g_map,
                            .dense = v1->g_map.dense,
                            .dense_count = v1->g_map.dense_count,
                            .shown = feed->gs,
                            .wakers = feed->wakers,
                            .track = run->track,
                            .unblock = feed->labels[FEED_UNBLOCK] };
    find_marks(&t);
    for (; step->ticks < limit; step++) {
        t.ticks = base + step->ticks;
        t.offset = origin + step->at;
        t.time = (int64_t)((double)(int64_t)(since + step->ticks) * ns_per_tick);
        if (UNLIKELY(!take_step(window, &t, step))) break;
    }
    leave_marks(&t);
    ahead->next = (uint32_t)(step - ahead->steps);
    lane->g = t.g;
    lane->is_done = step->ticks >= limit;
}

/* -- into a window, and out of it -- */

/* What is decoded of the stream. NULL: nothing, or another one of the window has its place; or out of memory. */
static V1Ahead *look_ahead(StepWindow *window, const V1Stream *stream, uint32_t index)
{
    enum { FEW = V1_AHEAD_STEPS / 16 };
    V1Ahead **const place = &window->ahead[index % MOST_LANES];
    if (*place == NULL) *place = ARENA_NEW(window->feed->arena, V1Ahead);
    V1Ahead *const ahead = *place;
    if (ahead == NULL || ahead->is_used) return NULL;
    const size_t at = stream->c.at;
    if (ahead->stream == stream && ahead->segment == stream->segment) { /* some may have gone another way */
        while (ahead->next < ahead->count && ahead->begin + ahead->steps[ahead->next].at < at)
            ahead->next++;
        const uint32_t left = ahead->count - ahead->next;
        if (left > (ahead->is_full ? FEW : 0) && ahead->begin + ahead->steps[ahead->next].at == at)
            return ahead;
    }
    v1_ahead_fill(ahead, &window->trace->v1, stream);
    return ahead->count > 0 ? ahead : NULL;
}

/* Whether what is known of a stream is as it is between steps. */
static bool enter_lane(StepWindow *window, uint32_t index, StepLane *lane)
{
    Feed *const     feed = window->feed;
    GoV1 *const     v1 = &window->trace->v1;
    V1Stream *const stream = &v1->streams[index];
    if (stream->is_read || stream->event.time != v1->ready.time[0]) return false;
    if (UNLIKELY(stream->p_place == 0)) stream->p_place = id_map_find(&v1->p_map, (uint64_t)stream->p);
    if (UNLIKELY(v1->gs[stream->g_place].id != stream->g))
        stream->g_place = id_map_find(&v1->g_map, stream->g);
    V1G *const g = &v1->gs[stream->g_place];
    if (UNLIKELY(stream->p_place == 0 || g->id != stream->g)) return false;
    V1P *const     p = &v1->ps[stream->p_place];
    FeedRun *const run = feed_step_lane(feed, p->id, &p->shown);
    if (run == NULL || run->track.index == 0 || run->inside_count != 0 || run->is_idle || p->g != g->id)
        return false;
    if (g->id == 0 ? run->g != 0
                   : !is_plain(feed, g) || run->g != g->shown ||
                         (g->states & ALL_STATES) != ALL_OF(V1_RUNNING, GO_STATE_RUNNING))
        return false;
    *lane = (StepLane){ .stream = stream,
                        .ahead = look_ahead(window, stream, index),
                        .p = p,
                        .run = run,
                        .g = g->id == 0 ? NULL : g,
                        .index = index };
    return lane->ahead != NULL;
}

/* All else learns what the window did on this processor, and the stream's turn is its next event's. */
static void leave_lane(GoV1 *v1, const StepLane *lane)
{
    V1Stream *const stream = lane->stream;
    V1Ahead *const  ahead = lane->ahead;
    const uint32_t  next = ahead->next;
    ahead->is_used = false;
    if (next > lane->first) {
        stream->g = lane->g == NULL ? 0 : lane->g->id;
        stream->g_place = lane->g == NULL ? 0 : (uint32_t)(lane->g - v1->gs);
        lane->p->g = stream->g;
        lane->run->g = lane->g == NULL ? 0 : lane->g->shown;
        stream->ticks = ahead->base + ahead->steps[next - 1].ticks;
    }
    stream->c.at = next < ahead->count ? ahead->begin + ahead->steps[next].at : ahead->behind;
    v1_enter(v1, lane->index);
}

/* -- a window -- */

/* Goroutines in each state are counted at times that depend on the events before: not within a window. */
static int64_t counts_end(const Feed *feed, const GoV1 *v1, int64_t begin)
{
    const int64_t soon = v1_ticks_to_ns(v1, (uint64_t)begin) + 1;
    const int64_t due = feed->counts_due > soon ? feed->counts_due : soon;
    const double  ticks = (double)due / v1->ns_per_tick;
    if (!(ticks < (double)v1->ticks_that_fit)) return INT64_MAX;
    uint64_t last = v1->first_ticks + (uint64_t)ticks + 1;
    while (last > (uint64_t)begin && v1_ticks_to_ns(v1, last) >= due)
        last--;
    return (int64_t)last + 1;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* All processors that have something before the window's end, which is drawn near where one may have no step. */
static void enter_lanes(StepWindow *window)
{
    GoV1 *const   v1 = &window->trace->v1;
    Turns *const  ready = &v1->ready;
    const int64_t begin = ready->time[0];
    int64_t       end = earlier(counts_end(window->feed, v1, begin), v1_sample_ticks(v1));
    if (end > begin && (uint64_t)(end - begin) > window->span) end = begin + (int64_t)window->span;
    window->lane_count = 0;
    while (ready->count > 0 && ready->time[0] < end) {
        StepLane *const lane = &window->lanes[window->lane_count];
        if (window->lane_count == MOST_LANES || !enter_lane(window, ready->stream[0], lane)) {
            end = ready->time[0];
            break;
        }
        end = earlier(end, (int64_t)lane->ahead->horizon);
        lane->ahead->is_used = true;
        lane->first = lane->ahead->next;
        window->lane_count++;
        turns_leave(ready);
    }
    for (uint32_t i = 0; i < window->lane_count; i++) {
        StepLane *const lane = &window->lanes[i];
        const int64_t   passed = end - (int64_t)lane->ahead->base;
        lane->limit = passed <= 0 ? 0 : passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
    }
}

/* One after the other, until all are at the window's end, or none can go on. Gives how many are not. */
static uint32_t take_lanes(StepWindow *window)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t left = window->lane_count, rounds = 0;
    for (bool goes_on = true; left > 0 && goes_on && rounds < MOST_ROUNDS; rounds++) {
        goes_on = false;
        for (uint32_t i = 0; i < window->lane_count; i++) {
            StepLane *const lane = &window->lanes[i];
            const uint32_t  next = lane->ahead->next;
            if (lane->is_done) continue;
            take_steps(window, lane);
            left -= lane->is_done;
            goes_on |= lane->ahead->next > next;
        }
    }
    /* many rounds: much goes from one processor to others, within shorter times than this */
    if (rounds > 2 && window->span > 1) window->span /= 2;
    if (rounds == 1 && window->span < MOST_SPAN) window->span *= 2;
    return left;
}

static void count_states(Feed *feed, const uint64_t of[V1_YIELDS + 1])
{
    feed->g_states[GO_STATE_RUNNING].count += of[V1_STARTS] - of[V1_WAITS] - of[V1_YIELDS];
    feed->g_states[GO_STATE_RUNNABLE].count += of[V1_WAKES] + of[V1_YIELDS] - of[V1_STARTS];
    feed->g_states[GO_STATE_WAITING].count += of[V1_WAITS] - of[V1_WAKES];
    feed->has_uncounted = true;
}

static uint64_t step_ticks(const StepLane *lane, uint32_t step)
{
    return lane->ahead->base + lane->ahead->steps[step].ticks;
}

/* How far its steps have come, in ticks; 0 = none was taken. */
static uint64_t lane_last(const StepLane *lane)
{
    return lane->ahead->next > lane->first ? step_ticks(lane, lane->ahead->next - 1) : 0;
}

/* What it did is counted, at its times. Gives the last one; 0 = nothing was taken. */
static uint64_t count_window(StepWindow *window)
{
    Feed *const feed = window->feed;
    GoV1 *const v1 = &window->trace->v1;
    uint64_t    first = UINT64_MAX, last = 0, count = 0;
    for (uint32_t i = 0; i < window->lane_count; i++) {
        const StepLane *const lane = &window->lanes[i];
        if (lane->ahead->next == lane->first) continue;
        count += lane->ahead->next - lane->first;
        if (step_ticks(lane, lane->first) < first) first = step_ticks(lane, lane->first);
        if (lane_last(lane) > last) last = lane_last(lane);
    }
    if (count == 0) return 0;
    feed_reach(feed, v1_ticks_to_ns(v1, first));
    feed_reach(feed, v1_ticks_to_ns(v1, last));
    count_states(feed, window->of);
    v1->ordinal += count;
    window->trace->event_count += count;
    return last;
}

/* Whether there was anything in it, and all of it was taken. */
static bool take_window(StepWindow *window)
{
    GoV1 *const    v1 = &window->trace->v1;
    const uint64_t begin = (uint64_t)v1->ready.time[0];
    if (begin < v1->last_ticks_out || begin - v1->first_ticks >= v1->ticks_that_fit) return false;
    memset(window->of, 0, sizeof window->of);
    enter_lanes(window);
    const bool     is_whole = take_lanes(window) == 0;
    const uint64_t last = count_window(window);
    for (uint32_t i = 0; i < window->lane_count; i++)
        leave_lane(v1, &window->lanes[i]);
    /* else others have gone further than what comes next, but none that it depends on (V1G.last_ticks) */
    if (last > v1->steps_end) v1->steps_end = last;
    if (is_whole && last > v1->last_ticks_out) v1->last_ticks_out = last;
    return is_whole && last > 0;
}

static StepWindow *window_of(Feed *feed, GoTrace *trace)
{
    if (feed->steps_v1 != NULL) return feed->steps_v1;
    feed->steps_v1 = ARENA_NEW(feed->arena, StepWindow);
    if (feed->steps_v1 == NULL) {
        feed->out_of_memory = true;
        return NULL;
    }
    *feed->steps_v1 = (StepWindow){ .feed = feed, .trace = trace, .span = FIRST_SPAN };
    return feed->steps_v1;
}

bool feed_steps_v1(Feed *feed, GoTrace *trace)
{
    GoV1 *const       v1 = &trace->v1;
    StepWindow *const window = v1_has_turns(v1) ? window_of(feed, trace) : NULL;
    while (window != NULL && v1_has_next(v1) && take_window(window) && !feed->out_of_memory)
        ;
    return !feed->out_of_memory;
}
