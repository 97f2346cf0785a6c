/* The v1 fast path: steps of all processors, window by window, and in each window one processor after the other.
 *
 * Between steps the processors depend on each other by the goroutines alone: a goroutine can continue only from the
 * state in which another processor left it. So the events need not be taken in their global order. In a window each
 * processor advances as far as possible, repeatedly, until all have reached its end. Events that are not steps, or
 * cannot be taken this way, go through the general path in their order. */
#include "format/go/feed/step_notes.h"
#include "format/go/feed/steps.h"
#include "format/go/v1/ahead.h"
#include "format/go/v1/stream.h"

/* A processor in a window. */
typedef struct StepLane {
    V1Stream *stream;
    V1Ahead  *ahead;
    V1P      *p;
    FeedRun  *run, *thread;   /* thread: NULL unless threads are shown */
    V1G      *g;              /* the running goroutine; NULL = none */
    uint32_t  index;          /* of the stream */
    uint32_t  entered, first; /* indices in V1Ahead of its first step since it entered, and in the window */
    uint32_t  limit;          /* end of the window, in the unit of V1Step.ticks */
    bool      is_done;
} StepLane;

enum { MOST_LANES = 256, FIRST_SPAN = 1 << 16, MOST_SPAN = 1 << 30 };

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
    uint64_t  taken[V1_TELLS + 1];  /* steps of the current window, by kind */
    LabelId   waits[V1_TYPE_COUNT]; /* by type of the event: the labels of waits; LABEL_NONE until known */
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
    if (place == 0 || shown->state != g->model) return false;
    if (feed->shows.gs && !feed_step_has_track(shown)) return false;
    if (feed->shows.ps && (shown->label.index == 0 || shown->is_assisting || feed_waker(feed, place) == NULL))
        return false;
    g->is_plain = true;
    return true;
}

/* -- one step -- */

/* The variables of the inner loop, held in registers as far as possible. */
typedef struct Taking {
    Feed           *feed;
    FeedRun        *run, *thread;
    V1G            *g;  /* the running goroutine; NULL = none */
    V1G            *gs; /* V1State.gs, and likewise g_map and dense */
    const IdMap    *g_map;
    const uint32_t *dense; /* [dense_count]: places of small ids */
    uint32_t        dense_count;
    FeedG          *shown; /* FeedPlaces.gs */
    FeedWaker      *wakers;
    AnywhereMark   *mark, *marks_end; /* next and end of the buffer of `run`; NULL = not buffered */
    TrackId         track;
    StepsOf         of; /* constant in each loop */
    LabelId         unblock;
    LabelId        *waits; /* StepWindow.waits */
    StepNotes      *notes;
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
    if (UNLIKELY(t->mark == t->marks_end)) feed_run_flush(t->feed, t->run);
}

static ALWAYS_INLINE void put_mark(Taking *t, LabelId label)
{
    const EventPos pos = { t->offset, t->feed->event };
    if (!(t->of & STEPS_OF_PROCESSORS)) return;
    if (t->of == STEPS_OF_ALL) feed_run_mark(t->feed, t->thread, t->time, label, pos);
    if (UNLIKELY(t->mark == t->marks_end)) {
        leave_marks(t);
        feed_run_mark(t->feed, t->run, t->time, label, pos);
        find_marks(t);
    } else {
        *t->mark++ = (AnywhereMark){ t->time, label };
    }
}

/* Shows the change of a goroutine's state on its track. */
static ALWAYS_INLINE void put_state(const Taking *t, FeedG *shown, int64_t time, LabelId label, StackId stack)
{
    if (!(t->of & STEPS_OF_GOROUTINES)) return;
    if (UNLIKELY(!feed_put_state(t->feed, shown, time, label, stack))) {
        const FeedChange change = { .time = time,
                                    .label = label,
                                    .begin_stack = stack,
                                    .end_stack = stack,
                                    .pos = { t->offset, t->feed->event } };
        feed_show_own_change(t->feed, shown, &change, shown->has_state);
    }
    shown->has_state = true;
}

static bool put_note(const Taking *t, StepNote note)
{
    note.ticks = t->ticks;
    note.offset = t->offset;
    return step_notes_add(t->feed, t->notes, &note);
}

/* Sets the builder's stack of an id. False: it is not made yet, because ids are in the order of events. */
static ALWAYS_INLINE bool find_stack(const Taking *t, uint32_t id, StackId *stack)
{
    const GoTables *const tables = &t->feed->trace->v1.tables;
    const uint32_t        place = go_stack_find(tables, id);
    *stack = (StackId){ place == 0 ? 0 : tables->stacks[place - 1].known };
    return place == 0 || stack->index != 0;
}

/* Returns the label of a wait that ends the record of this type; LABEL_NONE: it is not made yet. */
static ALWAYS_INLINE LabelId find_wait(const Taking *t, uint32_t type)
{
    if (LIKELY(t->waits[type].index != 0)) return t->waits[type];
    return t->waits[type] = feed_step_wait(t->feed, V1_SPECS[type].reason);
}

/* The arrows to the runs that begin, shown in the order of events. */
static ALWAYS_INLINE bool note_run_arrows(Taking *t, FeedWaker *waker)
{
    const TrackId to[] = { t->track, t->thread->track };
    for (size_t i = 0; i < 2; i++) {
        const StepNote note = { .kind = NOTE_ARRIVES,
                                .since = waker->time,
                                .from = waker->from[i],
                                .to = to[i],
                                .value = waker->label.index };
        if (waker->from[i].index != 0 && !put_note(t, note)) return false;
        waker->from[i] = TRACK_NONE;
    }
    return true;
}

/* The arrows to the runs that begin. Without those of goroutines, thinning may choose them in any order. */
static ALWAYS_INLINE bool add_run_arrows(Taking *t, uint32_t place)
{
    if (!(t->of & STEPS_OF_PROCESSORS)) return true;
    FeedWaker *const waker = &t->wakers[place];
    if (t->of == STEPS_OF_ALL) return note_run_arrows(t, waker);
    if (waker->from[0].index == 0) return true;
    if (feed_thins_arrow(t->feed)) {
        waker->from[0] = TRACK_NONE;
    } else {
        feed_arrow_to_run(t->feed, place, t->run, NULL, t->time);
    }
    return true;
}

/* The goroutine starts to run. Its first start, which takes over a stack, is not a step. */
static ALWAYS_INLINE bool starts(Taking *t, V1G *g)
{
    const uint64_t looked_at = ALL_STATES | STATES(.is_created = true);
    if (UNLIKELY(!is_in(t, g, looked_at, ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE)))) return false;
    FeedG *const shown = &t->shown[g->shown];
    g->states = (g->states & ~ALL_STATES) | ALL_OF(V1_RUNNING, GO_STATE_RUNNING) | STATES(.exists = true);
    g->start = t->offset;
    g->link_from = 0;
    g->seq++;
    g->last_ticks = t->ticks;
    shown->state = GO_STATE_RUNNING;
    put_mark(t, shown->label);
    put_state(t, shown, t->time, t->feed->names.labels[FEED_RUNNING], STACK_NONE);
    t->g = g;
    return add_run_arrows(t, g->shown);
}

/* The arrows of a wake-up: between lanes when the goroutine runs, and between goroutines now. */
static ALWAYS_INLINE bool put_arrow(Taking *t, uint32_t place)
{
    if (t->of & STEPS_OF_PROCESSORS)
        t->wakers[place] = (FeedWaker){ .time = t->time,
                                        .from[0] = t->track,
                                        .from[1] = t->of == STEPS_OF_ALL ? t->thread->track : TRACK_NONE,
                                        .label = t->unblock };
    return !(t->of & STEPS_OF_GOROUTINES) || put_note(t, (StepNote){ .kind = NOTE_WOKEN,
                                                                     .from = t->shown[t->g->shown].states,
                                                                     .to = t->shown[place].states,
                                                                     .value = t->unblock.index });
}

/* The goroutine on the processor wakes another one. Wake-ups by timers and network are not steps. */
static ALWAYS_INLINE bool wakes(Taking *t, V1G *g)
{
    if (UNLIKELY(!is_in(t, g, ALL_STATES, ALL_OF(V1_WAITING, GO_STATE_WAITING)) ||
                 g->link_type == V1_GO_BLOCK_NET))
        return false;
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE) |
                STATES(.link_type = V1_GO_UNBLOCK, .exists = true);
    g->link_from = t->offset;
    g->seq++;
    g->last_ticks = t->ticks;
    t->shown[g->shown].state = GO_STATE_RUNNABLE;
    put_state(t, &t->shown[g->shown], t->time, t->feed->names.labels[FEED_RUNNABLE], STACK_NONE);
    return put_arrow(t, g->shown);
}

/* The running goroutine leaves its processor, runnable or waiting. False: its label or stack is not made yet. */
static ALWAYS_INLINE bool stops(Taking *t, const V1Step *step, V1Status status, GoState to)
{
    V1G *const     g = t->g;
    FeedG *const   shown = &t->shown[g->shown];
    const uint32_t type = step->how & V1_TYPE_MASK;
    LabelId        label = t->feed->names.labels[FEED_RUNNABLE];
    StackId        stack = STACK_NONE;
    if (t->of & STEPS_OF_GOROUTINES) {
        if (to == GO_STATE_WAITING) label = find_wait(t, type);
        if (UNLIKELY(label.index == 0 || !find_stack(t, step->id, &stack))) return false;
        if (UNLIKELY(shown->has_syscall)) feed_note_syscall(t->feed, shown, false);
    }
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF((uint8_t)status, (uint8_t)to) |
                type * STATES(.link_type = 1);
    g->start = 0;
    g->link_from = t->offset;
    g->last_ticks = t->ticks;
    shown->state = (uint8_t)to;
    put_mark(t, LABEL_NONE);
    put_state(t, shown, t->time, label, stack);
    t->g = NULL;
    return true;
}

/* The running goroutine loses its processor in a syscall. False: the syscall began before, and its stack is not made
 * yet. */
static ALWAYS_INLINE bool blocks(Taking *t)
{
    V1G *const   g = t->g;
    FeedG *const shown = &t->shown[g->shown];
    if (t->of & STEPS_OF_GOROUTINES) {
        if (!shown->has_syscall || !feed_has_stack(t->feed, shown->syscall_stack)) return false;
        put_state(t, shown, shown->syscall_since, t->feed->names.labels[FEED_BLOCKING_SYSCALL],
                  feed_stack(t->feed, shown->syscall_stack));
        feed_note_syscall(t->feed, shown, false);
    }
    g->states = (g->states & ~ALL_STATES) | ALL_OF(V1_WAITING, GO_STATE_SYSCALL);
    g->start = 0;
    g->block_ticks = g->last_ticks = t->ticks;
    shown->state = GO_STATE_SYSCALL;
    put_mark(t, LABEL_NONE);
    t->g = NULL;
    return true;
}

/* The running goroutine begins a syscall. It may not block, so it goes on. */
static ALWAYS_INLINE bool calls(Taking *t, const V1Step *step)
{
    V1G *const   g = t->g;
    FeedG *const shown = &t->shown[g->shown];
    g->states = (g->states & ~LINK_TYPE) | STATES(.link_type = V1_GO_SYS_CALL);
    g->link_from = t->offset;
    if (t->of & STEPS_OF_GOROUTINES) {
        feed_note_syscall(t->feed, shown, true);
        shown->syscall_since = t->time;
        shown->syscall_stack = go_stack_find(&t->feed->trace->v1.tables, step->id);
    }
    return !(t->of & STEPS_OF_PROCESSORS) ||
           put_note(t, (StepNote){ .kind = NOTE_SYSCALL, .to = t->track, .value = step->id });
}

/* -- the steps of a processor -- */

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
    bool           taken;
    if (kind == V1_WAKES) {
        V1G *const g = find_g(t, step->id);
        taken = t->g != NULL && has_come(g, step, t->ticks) && wakes(t, g);
    } else if (kind == V1_STARTS) {
        V1G *const g = find_g(t, step->id);
        taken = t->g == NULL && has_come(g, step, t->ticks) && starts(t, g);
    } else if (kind == V1_TELLS) {
        taken = put_note(t, (StepNote){ .kind = NOTE_HEAP, .value = step->id });
    } else if (UNLIKELY(t->g == NULL)) {
        return false;
    } else if (LIKELY(kind == V1_WAITS)) {
        taken = stops(t, step, V1_WAITING, GO_STATE_WAITING);
    } else if (kind == V1_YIELDS) {
        taken = stops(t, step, V1_RUNNABLE, GO_STATE_RUNNABLE);
    } else {
        taken = kind == V1_BLOCKS ? blocks(t) : calls(t, step);
    }
    window->taken[kind] += taken;
    return taken;
}

/* Takes the steps of a processor up to its limit, or to one that cannot be taken. */
static ALWAYS_INLINE void take_steps_of(StepWindow *window, StepLane *lane, StepsOf of)
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
                            .thread = lane->thread,
                            .g = lane->g,
                            .gs = v1->state.gs,
                            .g_map = &v1->state.g_map,
                            .dense = v1->state.g_map.dense,
                            .dense_count = v1->state.g_map.dense_count,
                            .shown = feed->places.gs,
                            .wakers = feed->arrows.wakers,
                            .track = run->track,
                            .of = of,
                            .unblock = feed->names.labels[FEED_UNBLOCK],
                            .waits = window->waits,
                            .notes = &window->notes };
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

/* Separate functions, because their loops have other variables in registers. */
static void take_processor_steps(StepWindow *window, StepLane *lane)
{
    take_steps_of(window, lane, STEPS_OF_PROCESSORS);
}

static void take_goroutine_steps(StepWindow *window, StepLane *lane)
{
    take_steps_of(window, lane, STEPS_OF_GOROUTINES);
}

static void take_all_steps(StepWindow *window, StepLane *lane)
{
    take_steps_of(window, lane, STEPS_OF_ALL);
}

static void take_steps(StepWindow *window, StepLane *lane)
{
    const FeedShows shows = window->feed->shows;
    if (!shows.gs) {
        take_processor_steps(window, lane);
    } else if (!shows.ps) {
        take_goroutine_steps(window, lane);
    } else {
        take_all_steps(window, lane);
    }
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

/* True if a processor of the window has this thread. In a trace whose clocks disagree two of them may have it at a time: then
 * its states are those of the events in order. */
static bool has_thread(const StepLanes *lanes, const FeedRun *thread)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        if (lanes->items[i].thread == thread) return true;
    return false;
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
    if (run == NULL || (feed->shows.ps && run->track.index == 0) || run->inside_count != 0 || run->is_idle ||
        p->g != g->id)
        return false;
    FeedRun *const thread = feed->shows.ms ? feed_step_thread(feed, p->thread) : NULL;
    if (feed->shows.ms &&
        (thread == NULL || thread->shows != run->shows || has_thread(&window->lanes, thread)))
        return false;
    if (g->id == 0 ? run->g != 0
                   : !is_plain(feed, g) || run->g != g->shown ||
                         (g->states & ALL_STATES) != ALL_OF(V1_RUNNING, GO_STATE_RUNNING))
        return false;
    *lane = (StepLane){ .stream = stream,
                        .ahead = look_ahead(window, stream, index),
                        .p = p,
                        .run = run,
                        .thread = thread,
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
        if (lane->thread != NULL) lane->thread->g = lane->run->g;
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
    const bool        has_steps = v1_allows_steps(v1) && feed->lanes == NULL;
    StepWindow *const window = has_steps ? window_of(feed, trace) : feed->steps_v1;
    while (has_steps && window != NULL && v1_has_next(v1) && take_windows(window) && !feed->out_of_memory)
        ;
    if (window != NULL) step_notes_show(feed, &window->notes, v1);
    return !feed->out_of_memory;
}
