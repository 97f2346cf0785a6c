/* The v1 fast path: steps of all processors, window by window, and in each window one processor after the other.
 *
 * Between steps the processors depend on each other by the goroutines alone: a goroutine can continue only from the
 * state in which another processor left it. So the events need not be taken in their global order. In a window each
 * processor advances as far as possible, repeatedly, until all have reached its end. Events that are not steps, or
 * cannot be taken this way, go through the general path in their order. */
#include "format/go/feed/steps.h"
#include "format/go/v1/ahead.h"
#include "format/go/v1/stream.h"

#include <stdlib.h>

/* A processor in a window. */
typedef struct StepLane {
    V1Stream *stream;
    V1Ahead  *ahead;
    V1P      *p;
    FeedRun  *run;
    V1G      *g;              /* the running goroutine; NULL = none */
    uint32_t  index;          /* of the stream */
    uint32_t  entered, first; /* indices in V1Ahead of its first step since it entered, and in the window */
    uint32_t  limit;          /* end of the window, in the unit of V1Step.ticks */
    bool      is_done;
} StepLane;

/* A step that is shown when all earlier events have been: a syscall, or the size of the heap. */
typedef struct StepNote {
    uint64_t ticks, offset;
    uint32_t value; /* id of the stack, or size */
    TrackId  track; /* of a syscall; else TRACK_NONE */
} StepNote;

enum { MOST_LANES = 256, FIRST_SPAN = 1 << 16, MOST_SPAN = 1 << 30 };

/* Notes that are not shown yet, in no order. */
typedef struct StepNotes {
    StepNote *items;
    uint32_t  count, capacity;
} StepNotes;

/* The processors of the current window, in order of their entry. */
typedef struct StepLanes {
    StepLane items[MOST_LANES];
    uint32_t count;
} StepLanes;

typedef struct FeedStepsV1 {
    Feed     *feed;              /* borrowed */
    GoTrace  *trace;             /* borrowed */
    V1Ahead  *ahead[MOST_LANES]; /* by stream modulo MOST_LANES; NULL until needed */
    uint64_t  span;              /* longest window, in ticks */
    StepNotes notes;
    StepLanes lanes;
    uint64_t  taken[V1_TELLS + 1]; /* steps of the current window, by kind */
} StepWindow;

/* -- goroutines -- */

/* The combined rules of v1/merge.c (order) and v1/check.c (valid successors) for the regular case. */
#define STATES(...) (((V1G){ __VA_ARGS__ }).states)
#define ALL_OF(v1, go) STATES(.status = (v1), .state = (v1), .model = (go), .is_plain = true)
#define ALL_STATES (ALL_OF(0xff, 0xff) | STATES(.is_plain = 0xff))
#define LINK_TYPE STATES(.link_type = 0xff)

/* True if no special case applies to a goroutine: neither in how it is shown nor in its order. */
static bool is_plain(Feed *feed, V1G *g)
{
    if (g->is_plain) return true;
    if (g->id == 0 || g->waiter != 0 || g->is_timer) return false;
    const uint32_t     place = feed_step_g(feed, (int64_t)g->id, &g->shown);
    const FeedG *const shown = &feed->places.gs[place];
    if (place == 0 || shown->label.index == 0 || shown->is_assisting || shown->state != g->model ||
        feed_waker(feed, place) == NULL)
        return false;
    g->is_plain = true;
    return true;
}

/* -- one step -- */

/* The variables of the inner loop, held in registers as far as possible. */
typedef struct Taking {
    Feed           *feed;
    FeedRun        *run;
    V1G            *g;  /* the running goroutine; NULL = none */
    V1G            *gs; /* V1State.gs, and likewise g_map and dense */
    const IdMap    *g_map;
    const uint32_t *dense; /* [dense_count]: places of small ids */
    uint32_t        dense_count;
    FeedG          *shown; /* FeedPlaces.gs */
    FeedWaker      *wakers;
    AnywhereMark   *mark, *marks_end; /* next and end of the buffer of `run`; NULL = not buffered */
    TrackId         track;
    LabelId         unblock;
    uint64_t        ticks, offset; /* of the current step */
    int64_t         time;
} Taking;

/* True if the goroutine's states have the wanted values, so that a step can change them. */
static ALWAYS_INLINE bool is_in(Taking *t, V1G *g, uint64_t looked_at, uint64_t wanted)
{
    if (LIKELY((g->states & looked_at) == wanted)) return true;
    if (!is_plain(t->feed, g)) return false;
    t->wakers = t->feed->arrows.wakers; /* is_plain may have grown the array */
    return (g->states & looked_at) == wanted;
}

static ALWAYS_INLINE V1G *find_g(const Taking *t, uint32_t id)
{
    return &t->gs[LIKELY(id < t->dense_count) ? t->dense[id] : id_map_find(t->g_map, id)];
}

/* Sets t->mark and t->marks_end to the buffer of the run. */
static ALWAYS_INLINE void find_marks(Taking *t)
{
    const bool gathers = t->run->marks != NULL;
    t->mark = gathers ? t->run->marks + t->run->mark_count : NULL;
    t->marks_end = gathers ? t->run->marks + FEED_LANE_MARKS : NULL;
}

/* Stores the fill of the buffer in the run, and flushes a full buffer. */
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

/* The goroutine starts to run. Its first start, which takes over a stack, is not a step. */
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

/* The goroutine on the processor wakes another one. Wake-ups by timers and network are not steps. */
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

/* The running goroutine leaves its processor, runnable or waiting. */
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

/* The running goroutine loses its processor in a syscall. */
static ALWAYS_INLINE void blocks(Taking *t)
{
    V1G *const g = t->g;
    g->states = (g->states & ~ALL_STATES) | ALL_OF(V1_WAITING, GO_STATE_SYSCALL);
    g->start = 0;
    g->block_ticks = g->last_ticks = t->ticks;
    t->shown[g->shown].state = GO_STATE_SYSCALL;
    put_mark(t, LABEL_NONE);
    t->g = NULL;
}

/* The running goroutine begins a syscall. It may not block, so it goes on. */
static ALWAYS_INLINE void calls(Taking *t)
{
    V1G *const g = t->g;
    g->states = (g->states & ~LINK_TYPE) | STATES(.link_type = V1_GO_SYS_CALL);
    g->link_from = t->offset;
}

/* -- the steps of a processor -- */

/* Adds a step to the notes. False when out of memory. */
static bool take_note(StepWindow *window, const Taking *t, uint32_t value, TrackId track)
{
    Feed *const      feed = window->feed;
    StepNotes *const notes = &window->notes;
    StepNote *const  items =
        arena_grow(feed->arena, notes->items, notes->count, &notes->capacity, sizeof *items);
    if (items == NULL) {
        feed->out_of_memory = true;
        return false;
    }
    notes->items = items;
    items[notes->count++] =
        (StepNote){ .ticks = t->ticks, .offset = t->offset, .value = value, .track = track };
    return true;
}

/* True if the goroutine is in the order that the step needs. Otherwise the step waits for another processor, or is not
 * valid. */
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
    } else if (kind == V1_TELLS) {
        if (UNLIKELY(!take_note(window, t, step->id, TRACK_NONE))) return false;
    } else {
        if (UNLIKELY(t->g == NULL)) return false;
        if (LIKELY(kind == V1_WAITS)) {
            stops(t, step->id, V1_WAITING, GO_STATE_WAITING);
        } else if (kind == V1_YIELDS) {
            stops(t, step->id, V1_RUNNABLE, GO_STATE_RUNNABLE);
        } else if (kind == V1_BLOCKS) {
            blocks(t);
        } else {
            if (UNLIKELY(!take_note(window, t, step->id, t->track))) return false;
            calls(t);
        }
    }
    window->taken[kind]++;
    return true;
}

/* Takes the steps of a processor up to its limit, or to one that cannot be taken. */
static void take_steps(StepWindow *window, StepLane *lane)
{
    Feed *const       feed = window->feed;
    const GoV1 *const v1 = &window->trace->v1;
    V1Ahead *const    ahead = lane->ahead;
    FeedRun *const    run = lane->run;
    const uint32_t    limit = lane->limit;
    const uint64_t    base = ahead->base, since = base - v1->clock.first_ticks;
    const uint64_t    origin = lane->stream->c.origin + ahead->begin;
    const double      ns_per_tick = v1->clock.ns_per_tick;
    const V1Step     *step = &ahead->steps[ahead->next];
    Taking            t = { .feed = feed,
                            .run = run,
                            .g = lane->g,
                            .gs = v1->state.gs,
                            .g_map = &v1->state.g_map,
                            .dense = v1->state.g_map.dense,
                            .dense_count = v1->state.g_map.dense_count,
                            .shown = feed->places.gs,
                            .wakers = feed->arrows.wakers,
                            .track = run->track,
                            .unblock = feed->names.labels[FEED_UNBLOCK] };
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

/* -- begin and end of a window -- */

/* Returns the decoded steps of the stream. NULL: no steps, another stream of the window uses the slot, or memory is
 * out. */
static V1Ahead *look_ahead(StepWindow *window, const V1Stream *stream, uint32_t index)
{
    enum { FEW = V1_AHEAD_STEPS / 16 };
    V1Ahead **const place = &window->ahead[index % MOST_LANES];
    if (*place == NULL) *place = ARENA_NEW(window->feed->arena, V1Ahead);
    V1Ahead *const ahead = *place;
    if (ahead == NULL || ahead->is_used) return NULL;
    const size_t at = stream->c.at;
    if (ahead->stream == stream &&
        ahead->segment == stream->segment) { /* the general path may have taken some */
        while (ahead->next < ahead->count && ahead->begin + ahead->steps[ahead->next].at < at)
            ahead->next++;
        const uint32_t left = ahead->count - ahead->next;
        if (left > (ahead->is_full ? FEW : 0) && ahead->begin + ahead->steps[ahead->next].at == at)
            return ahead;
    }
    v1_ahead_fill(ahead, &window->trace->v1, stream);
    return ahead->count > 0 ? ahead : NULL;
}

/* Adds a stream's processor to the window. False if its state is not the regular one between steps. */
static bool enter_lane(StepWindow *window, uint32_t index, StepLane *lane)
{
    Feed *const     feed = window->feed;
    GoV1 *const     v1 = &window->trace->v1;
    V1Stream *const stream = &v1->parts.streams[index];
    if (stream->is_read || stream->event.time != v1->merge.ready.time[0]) return false;
    if (UNLIKELY(stream->p_place == 0)) stream->p_place = id_map_find(&v1->state.p_map, (uint64_t)stream->p);
    if (UNLIKELY(v1->state.gs[stream->g_place].id != stream->g))
        stream->g_place = id_map_find(&v1->state.g_map, stream->g);
    V1G *const g = &v1->state.gs[stream->g_place];
    if (UNLIKELY(stream->p_place == 0 || g->id != stream->g)) return false;
    V1P *const     p = &v1->state.ps[stream->p_place];
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

/* Writes a processor's state back to the reader, and enters the stream into the heap with its next event. */
static void leave_lane(GoV1 *v1, const StepLane *lane)
{
    V1Stream *const stream = lane->stream;
    V1Ahead *const  ahead = lane->ahead;
    const uint32_t  next = ahead->next;
    ahead->is_used = false;
    if (next > lane->entered) {
        stream->g = lane->g == NULL ? 0 : lane->g->id;
        stream->g_place = lane->g == NULL ? 0 : (uint32_t)(lane->g - v1->state.gs);
        lane->p->g = stream->g;
        lane->run->g = lane->g == NULL ? 0 : lane->g->shown;
        stream->ticks = ahead->base + ahead->steps[next - 1].ticks;
    }
    stream->c.at = next < ahead->count ? ahead->begin + ahead->steps[next].at : ahead->behind;
    v1_enter(v1, lane->index);
}

/* -- a window -- */

/* Returns the latest end of a window that begins at `begin`: the counters add no item between two of its events, because
 * they need the events in order. */
static int64_t counts_end(const Feed *feed, const GoV1 *v1, int64_t begin)
{
    const int64_t time = v1_ticks_to_ns(v1, (uint64_t)begin), due = feed_counts_due(feed, time);
    const double  ticks = (double)(due > time ? due : time + 1) / v1->clock.ns_per_tick;
    if (!(ticks < (double)v1->clock.ticks_that_fit)) return INT64_MAX;
    uint64_t last = v1->clock.first_ticks + (uint64_t)ticks + 1;
    while (last > (uint64_t)begin && v1_ticks_to_ns(v1, last) >= due)
        last--;
    return (int64_t)last + 1;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint64_t step_ticks(const StepLane *lane, uint32_t step)
{
    return lane->ahead->base + lane->ahead->steps[step].ticks;
}

/* Returns the time of the next event: of a processor in the window or of another one. */
static int64_t next_ticks(const StepWindow *window)
{
    const MergeHeap *const ready = &window->trace->v1.merge.ready;
    int64_t                next = ready->count > 0 ? ready->time[0] : INT64_MAX;
    for (uint32_t i = 0; i < window->lanes.count; i++) {
        const StepLane *const lane = &window->lanes.items[i];
        const V1Ahead *const  ahead = lane->ahead;
        const bool            has_step = ahead->next < ahead->count;
        next = earlier(next, (int64_t)(has_step ? step_ticks(lane, ahead->next) : ahead->horizon));
    }
    return next;
}

/* Chooses the end of the next window, and adds the processors with steps before it. The window is shortened where a
 * processor may have none. False: it is empty. */
static bool begin_window(StepWindow *window, int64_t begin)
{
    GoV1 *const      v1 = &window->trace->v1;
    MergeHeap *const ready = &v1->merge.ready;
    int64_t end = begin < INT64_MAX - (int64_t)window->span ? begin + (int64_t)window->span : INT64_MAX;
    for (uint32_t i = 0; i < window->lanes.count; i++)
        end = earlier(end, (int64_t)window->lanes.items[i].ahead->horizon);
    end = earlier(end, v1_sample_ticks(v1));
    if (end <= begin) return false;
    end = earlier(end, counts_end(window->feed, v1, begin));
    while (ready->count > 0 && ready->time[0] < end) {
        StepLane *const lane = &window->lanes.items[window->lanes.count];
        if (window->lanes.count == MOST_LANES || !enter_lane(window, ready->stream[0], lane)) {
            end = ready->time[0];
            break;
        }
        end = earlier(end, (int64_t)lane->ahead->horizon);
        lane->ahead->is_used = true;
        lane->entered = lane->ahead->next;
        window->lanes.count++;
        merge_heap_leave(ready);
    }
    for (uint32_t i = 0; i < window->lanes.count; i++) {
        StepLane *const lane = &window->lanes.items[i];
        const int64_t   passed = end - (int64_t)lane->ahead->base;
        lane->limit = passed <= 0 ? 0 : passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
        lane->first = lane->ahead->next;
        lane->is_done = false;
    }
    return end > begin;
}

/* Advances the processors in rounds until all reach the window's end or none can continue. Returns the number of
 * processors that did not reach it. */
static uint32_t take_lanes(StepWindow *window)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t left = window->lanes.count, rounds = 0;
    for (bool goes_on = true; left > 0 && goes_on && rounds < MOST_ROUNDS; rounds++) {
        goes_on = false;
        for (uint32_t i = 0; i < window->lanes.count; i++) {
            StepLane *const lane = &window->lanes.items[i];
            const uint32_t  next = lane->ahead->next;
            if (lane->is_done) continue;
            take_steps(window, lane);
            left -= lane->is_done;
            goes_on |= lane->ahead->next > next;
        }
    }
    /* many rounds: the processors depend on each other within shorter times */
    if (rounds > 2 && window->span > 1) window->span /= 2;
    if (rounds == 1 && window->span < MOST_SPAN) window->span *= 2;
    return left;
}

static void count_states(Feed *feed, const uint64_t of[V1_TELLS + 1])
{
    FeedCount *const states = feed->counters.states;
    states[GO_STATE_RUNNING].count += of[V1_STARTS] - of[V1_WAITS] - of[V1_YIELDS] - of[V1_BLOCKS];
    states[GO_STATE_RUNNABLE].count += of[V1_WAKES] + of[V1_YIELDS] - of[V1_STARTS];
    states[GO_STATE_WAITING].count += of[V1_WAITS] - of[V1_WAKES];
    states[GO_STATE_SYSCALL].count += of[V1_BLOCKS];
    if (of[V1_STARTS] + of[V1_WAKES] + of[V1_WAITS] + of[V1_YIELDS] + of[V1_BLOCKS] > 0)
        feed->counters.has_uncounted = true;
}

/* Returns the time of the last step taken, in ticks; 0 = no step was taken. */
static uint64_t lane_last(const StepLane *lane)
{
    return lane->ahead->next > lane->first ? step_ticks(lane, lane->ahead->next - 1) : 0;
}

/* Adds the window's steps to the counters. Returns the time of the last step; 0 = no step was taken. */
static uint64_t count_window(StepWindow *window)
{
    Feed *const feed = window->feed;
    GoV1 *const v1 = &window->trace->v1;
    uint64_t    first = UINT64_MAX, last = 0, count = 0;
    for (uint32_t i = 0; i < window->lanes.count; i++) {
        const StepLane *const lane = &window->lanes.items[i];
        if (lane->ahead->next == lane->first) continue;
        count += lane->ahead->next - lane->first;
        if (step_ticks(lane, lane->first) < first) first = step_ticks(lane, lane->first);
        if (lane_last(lane) > last) last = lane_last(lane);
    }
    if (count == 0) return 0;
    feed_reach(feed, v1_ticks_to_ns(v1, first));
    feed_reach(feed, v1_ticks_to_ns(v1, last));
    count_states(feed, window->taken);
    v1->merge.ordinal += count;
    window->trace->event_count += count;
    return last;
}

static int compare_notes(const void *left, const void *right)
{
    const StepNote *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void show_note(Feed *feed, const GoV1 *v1, const StepNote *note)
{
    const int64_t time = v1_ticks_to_ns(v1, note->ticks);
    if (note->track.index == 0) {
        feed_metric(feed, FEED_METRIC_HEAP, time, (double)note->value);
        return;
    }
    builder_instant(feed->builder, note->track, time, feed->names.labels[FEED_SYSCALL], INSTANT_THREAD,
                    (EventPos){ note->offset, feed->event }, 0);
    builder_instant_stack(feed->builder, note->track, INSTANT_THREAD,
                          feed_stack(feed, go_stack_find(&v1->tables, note->value)));
}

/* Shows the notes before the next event, in the order of events. */
static void show_notes(StepWindow *window)
{
    const GoV1 *const      v1 = &window->trace->v1;
    StepNotes *const       notes = &window->notes;
    const MergeHeap *const ready = &v1->merge.ready;
    uint32_t               shown = 0;
    if (notes->count > 1) qsort(notes->items, notes->count, sizeof *notes->items, compare_notes);
    for (; shown < notes->count; shown++) {
        const StepNote *const note = &notes->items[shown];
        const MergeEntry      entry = { (int64_t)note->ticks, (int64_t)note->offset, 0 };
        if (ready->count > 0 && !merge_entry_is_before(entry, merge_heap_at(ready, 0))) break;
        show_note(window->feed, v1, note);
    }
    if (shown == 0) return;
    notes->count -= shown;
    memmove(notes->items, notes->items + shown, notes->count * sizeof *notes->items);
}

/* Takes a window. True if it had steps and all of them were taken. */
static bool take_window(StepWindow *window)
{
    GoV1 *const    v1 = &window->trace->v1;
    const int64_t  begin = next_ticks(window);
    const uint64_t ticks = (uint64_t)begin;
    if (ticks < v1->merge.last_ticks_out || ticks - v1->clock.first_ticks >= v1->clock.ticks_that_fit ||
        !begin_window(window, begin))
        return false;
    memset(window->taken, 0, sizeof window->taken);
    const bool     is_whole = take_lanes(window) == 0;
    const uint64_t last = count_window(window);
    /* if not whole, other processors may be past the next event, but not by an event that it depends on
     * (V1G.last_ticks) */
    if (last > v1->merge.steps_end) v1->merge.steps_end = last;
    if (is_whole && last > v1->merge.last_ticks_out) v1->merge.last_ticks_out = last;
    return is_whole && last > 0;
}

/* Takes windows as long as the same processors can go on. True if steps were taken, and the last window is whole. */
static bool take_windows(StepWindow *window)
{
    bool goes_on = false;
    window->lanes.count = 0;
    while (take_window(window) && !window->feed->out_of_memory)
        goes_on = true;
    for (uint32_t i = 0; i < window->lanes.count; i++)
        leave_lane(&window->trace->v1, &window->lanes.items[i]);
    return goes_on;
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
    StepWindow *const window = v1_allows_steps(v1) ? window_of(feed, trace) : NULL;
    while (window != NULL && v1_has_next(v1) && take_windows(window) && !feed->out_of_memory)
        ;
    if (window != NULL) show_notes(window);
    return !feed->out_of_memory;
}
