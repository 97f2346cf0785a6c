#include "format/go/feed_steps.h"
#include "format/go/v1_stream.h"

enum { MOST_NUMBERS = 4, MOST_BYTES = 2 + 4 * MOST_NUMBERS };

/* Who has its turn: as far as it can all of this lives in registers. */
typedef struct StepTurn {
    Feed          *feed;
    GoTrace       *trace;
    V1G           *gs; /* GoV1.gs */
    V1Stream      *stream;
    V1P           *p;
    FeedRun       *lane;
    const uint8_t *begin;  /* of the event */
    const uint8_t *at;     /* behind its time; once it is taken, behind it */
    uint64_t       origin; /* offset in the input of address 0 */
    uint64_t       ticks;  /* of the event */
    int64_t        limit;  /* its turn ends before this time; INT64_MIN: after the event at hand */
    uint32_t       g;      /* place in gs: who runs; 0 = nobody */
    uint32_t       of;     /* likewise: whom the last event was about */
    uint64_t       count;  /* of events taken */
} StepTurn;

static ALWAYS_INLINE EventPos pos_of(const StepTurn *turn)
{
    return (EventPos){ turn->origin + (uint64_t)(uintptr_t)turn->begin,
                       turn->trace->event_count + turn->count };
}

/* -- what a step does: what v1_merge.c knows of order and v1_check.c of what may follow, as long as all is as it should be -- */

/* The goroutine gets to run. Its first start, which takes over a stack, is no step. */
static ALWAYS_INLINE bool starts(StepTurn *turn, V1G *g)
{
    if (UNLIKELY(g->status != V1_RUNNABLE || g->state != V1_RUNNABLE || g->model != GO_STATE_RUNNABLE ||
                 g->is_created || turn->p->g != 0))
        return false;
    g->status = g->state = V1_RUNNING;
    g->model = GO_STATE_RUNNING;
    g->start = pos_of(turn).offset;
    g->exists = true;
    g->link_from = 0;
    turn->p->g = g->id;
    return true;
}

/* It leaves its processor, runnable or waiting. */
static ALWAYS_INLINE bool stops(StepTurn *turn, V1G *g, V1Status status, GoState to)
{
    if (UNLIKELY(g->status != V1_RUNNING || g->state != V1_RUNNING || g->model != GO_STATE_RUNNING ||
                 turn->p->g != g->id))
        return false;
    g->status = g->state = (uint8_t)status;
    g->model = (uint8_t)to;
    g->start = 0;
    g->link_from = pos_of(turn).offset;
    g->link_type = *turn->begin & V1_TYPE_MASK;
    turn->p->g = 0;
    return true;
}

/* It is woken by who runs on the processor; timers and the network have processors of their own. */
static ALWAYS_INLINE bool wakes(StepTurn *turn, V1G *g)
{
    const V1G *const waker = &turn->gs[turn->g];
    const bool       is_net = g->link_from != 0 && g->link_type == V1_GO_BLOCK_NET;
    if (UNLIKELY(g->status != V1_WAITING || g->state != V1_WAITING || g->model != GO_STATE_WAITING ||
                 is_net || turn->p->g != waker->id || waker->state != V1_RUNNING ||
                 id_map_find(&turn->trace->v1.timer_gs, waker->id) != 0))
        return false;
    g->status = g->state = V1_RUNNABLE;
    g->model = GO_STATE_RUNNABLE;
    g->link_from = pos_of(turn).offset;
    g->link_type = V1_GO_UNBLOCK;
    g->exists = true;
    return true;
}

/* -- events -- */

/* What an event does, and whether it says behind whom it is about what number that has in the order. */
typedef enum { NO_STEP, STARTS, STARTS_NEXT, WAKES, WAKES_NEXT, WAITS, YIELDS } StepKind;

static ALWAYS_INLINE bool take_effect(StepTurn *turn, V1G *g, StepKind kind)
{
    switch (kind) {
    case STARTS:
    case STARTS_NEXT:
        return starts(turn, g);
    case WAKES:
    case WAKES_NEXT:
        return wakes(turn, g);
    case WAITS:
        return stops(turn, g, V1_WAITING, GO_STATE_WAITING);
    default:
        return stops(turn, g, V1_RUNNABLE, GO_STATE_RUNNABLE);
    }
}

static ALWAYS_INLINE bool show(StepTurn *turn, uint32_t of, StepKind kind, int64_t time)
{
    Feed *const    feed = turn->feed;
    V1G *const     g = &turn->gs[of];
    const uint32_t place = feed_step_g(feed, (int64_t)g->id, &g->shown);
    feed_reach(feed, time);
    switch (kind) {
    case STARTS:
    case STARTS_NEXT:
        return feed_step_starts(feed, place, turn->lane, time, pos_of(turn));
    case WAKES:
    case WAKES_NEXT:
        return feed_step_wakes(feed, place, turn->lane, (int64_t)turn->gs[turn->g].id, time);
    default:
        return feed_step_stops(feed, place, turn->lane, kind == WAITS ? GO_STATE_WAITING : GO_STATE_RUNNABLE,
                               time, pos_of(turn));
    }
}

/* The event was taken, and has more to say than is shown on the short way. */
static void show_slowly(const StepTurn *turn, uint32_t of, StepKind kind, uint64_t stack, int64_t time)
{
    static const struct {
        uint8_t from, to;
    } STATES[] = { [STARTS] = { GO_STATE_RUNNABLE, GO_STATE_RUNNING },
                   [WAKES] = { GO_STATE_WAITING, GO_STATE_RUNNABLE },
                   [WAITS] = { GO_STATE_RUNNING, GO_STATE_WAITING },
                   [YIELDS] = { GO_STATE_RUNNING, GO_STATE_RUNNABLE } };
    const StepKind as = kind == STARTS_NEXT ? STARTS : kind == WAKES_NEXT ? WAKES : kind;
    const uint8_t  type = *turn->begin & V1_TYPE_MASK;
    const V1G     *g = &turn->gs[of], *who = as == WAKES ? &turn->gs[turn->g] : g;
    const GoEvent  event = { .type = as == STARTS  ? V1_GO_START
                                     : as == WAKES ? V1_GO_UNBLOCK
                                                   : type,
                             .kind = GO_TRANSITION,
                             .resource = GO_RESOURCE_GOROUTINE,
                             .time = time,
                             .offset = pos_of(turn).offset,
                             .id = (int64_t)g->id,
                             .g = (int64_t)who->id,
                             .p = turn->p->id,
                             .m = turn->p->thread,
                             .from = STATES[as].from,
                             .to = STATES[as].to,
                             .stack = go_stack_find(&turn->trace->v1.tables, stack) };
    turn->feed->event = pos_of(turn).event;
    feed_take(turn->feed, &event);
}

/* Takes the event at turn->at. False: it is no step, and nothing was done. */
static ALWAYS_INLINE bool take(StepTurn *turn, StepKind kind)
{
    const bool is_named = kind != WAITS && kind != YIELDS,
               has_seq = kind == STARTS_NEXT || kind == WAKES_NEXT;
    GoV1 *const    v1 = &turn->trace->v1;
    const uint8_t *at = turn->at;
    uint64_t       id = 0, seq = 0, stack = 0;
    if (is_named) at = varint_brief(at, &id);
    if (has_seq && at != NULL) at = varint_brief(at, &seq);
    if (kind != STARTS && kind != STARTS_NEXT && at != NULL) at = varint_brief(at, &stack);
    if (UNLIKELY(at == NULL || (kind == WAKES_NEXT && at != turn->begin + 2 + turn->begin[1]))) return false;
    const uint32_t of = is_named ? id_map_find(&v1->g_map, id) : turn->g;
    V1G *const     g = &turn->gs[of];
    if (UNLIKELY(of == 0 || (has_seq && seq != g->seq) || !take_effect(turn, g, kind))) return false;
    const int64_t time = v1_ticks_to_ns(v1, turn->ticks);
    if (UNLIKELY(!show(turn, of, kind, time))) {
        const StepTurn now = *turn; /* so that it can live in registers */
        show_slowly(&now, of, kind, stack, time);
        turn->limit = INT64_MIN;
    }
    if (UNLIKELY(g->waiter != 0)) turn->limit = INT64_MIN;
    if (is_named) g->seq++;
    if (kind == STARTS || kind == STARTS_NEXT) turn->g = of;
    if (!is_named) turn->g = 0;
    turn->of = of;
    turn->at = at;
    turn->count++;
    return true;
}

/* By the first byte of an event with as many numbers as it should have. */
#define BYTE(type, count) [(type) | ((count) - 1) << 6]
static const uint8_t KINDS[256] = {
    BYTE(V1_GO_START_LOCAL, 2) = STARTS,  BYTE(V1_GO_START, 3) = STARTS_NEXT,
    BYTE(V1_GO_UNBLOCK_LOCAL, 3) = WAKES, BYTE(V1_GO_UNBLOCK, 4) = WAKES_NEXT,
    BYTE(V1_GO_SLEEP, 2) = WAITS,         BYTE(V1_GO_BLOCK, 2) = WAITS,
    BYTE(V1_GO_BLOCK_SEND, 2) = WAITS,    BYTE(V1_GO_BLOCK_RECV, 2) = WAITS,
    BYTE(V1_GO_BLOCK_SELECT, 2) = WAITS,  BYTE(V1_GO_BLOCK_SYNC, 2) = WAITS,
    BYTE(V1_GO_BLOCK_COND, 2) = WAITS,    BYTE(V1_GO_BLOCK_NET, 2) = WAITS,
    BYTE(V1_GO_BLOCK_GC, 2) = WAITS,      BYTE(V1_GO_SCHED, 2) = YIELDS,
    BYTE(V1_GO_PREEMPT, 2) = YIELDS,
};

static ALWAYS_INLINE bool take_any(StepTurn *turn)
{
    switch ((StepKind)KINDS[*turn->begin]) {
    case STARTS:
        return take(turn, STARTS);
    case STARTS_NEXT:
        return take(turn, STARTS_NEXT);
    case WAKES:
        return take(turn, WAKES);
    case WAKES_NEXT:
        return take(turn, WAKES_NEXT);
    case WAITS:
        return take(turn, WAITS);
    case YIELDS:
        return take(turn, YIELDS);
    default:
        return false;
    }
}

/* Goes past the time of the next event, at turn->at. False, and nothing done: it is no step. */
static ALWAYS_INLINE bool pass_time(StepTurn *turn, const uint8_t *end)
{
    const uint8_t *const begin = turn->at;
    uint64_t             ticks;
    if (UNLIKELY(begin >= end || KINDS[*begin] == NO_STEP)) return false;
    const uint8_t *const at = varint_brief(begin + 1 + (*begin >= V1_SIZED), &ticks);
    if (UNLIKELY(at == NULL)) return false;
    turn->begin = begin;
    turn->at = at;
    turn->ticks += ticks;
    return true;
}

/* Takes the events of the stream whose turn it is, as long as they are steps and it is. False: the next one is none. */
static bool take_turn(StepTurn *turn)
{
    GoV1 *const          v1 = &turn->trace->v1;
    V1Stream *const      stream = turn->stream;
    const uint8_t *const bytes = stream->c.bytes, *const end = bytes + stream->c.size -
                                                               MOST_BYTES; /* from there on none is plain */
    uint64_t ticks = stream->ticks;                                        /* of the last event taken */
    bool     is_timed = true, is_step = true;
    if (stream->c.size - stream->c.at < MOST_BYTES || (int64_t)turn->ticks < (int64_t)v1->last_ticks_out)
        return false;
    do {
        is_step = take_any(turn);
        if (UNLIKELY(!is_step)) break;
        ticks = turn->ticks;
        is_timed = pass_time(turn, end);
    } while (is_timed && (int64_t)turn->ticks < turn->limit);
    if (turn->count > 0) v1->last_ticks_out = ticks;
    v1->ordinal += turn->count;
    turn->trace->event_count += turn->count;
    stream->g = turn->gs[turn->g].id;
    stream->g_place = turn->g;
    stream->of = turn->of;
    stream->ticks = ticks;
    stream->c.at = (size_t)((is_timed ? turn->begin : turn->at) - bytes);
    if (UNLIKELY(!is_timed || turn->limit == INT64_MIN)) {
        v1_turn_breaks_off(v1);
        return true;
    }
    stream->time_size = (uint8_t)(turn->at - turn->begin);
    stream->event.time = (int64_t)turn->ticks;
    stream->event.offset = pos_of(turn).offset;
    v1_turn_ends(v1, stream);
    return is_step;
}

/* False: who runs there, or its processor, is not known. */
static ALWAYS_INLINE bool begin_turn(StepTurn *turn)
{
    GoV1 *const     v1 = &turn->trace->v1;
    V1Stream *const stream = turn->stream;
    if (UNLIKELY(stream->p_place == 0)) stream->p_place = id_map_find(&v1->p_map, (uint64_t)stream->p);
    if (UNLIKELY(v1->gs[stream->g_place].id != stream->g))
        stream->g_place = id_map_find(&v1->g_map, stream->g);
    if (UNLIKELY(stream->p_place == 0 || v1->gs[stream->g_place].id != stream->g)) return false;
    turn->gs = v1->gs;
    turn->g = stream->g_place;
    turn->p = &v1->ps[stream->p_place];
    turn->lane = feed_step_lane(turn->feed, turn->p->id, &turn->p->shown);
    turn->begin = stream->c.bytes + stream->c.at;
    turn->at = turn->begin + stream->time_size;
    turn->origin = stream->c.origin - (uint64_t)(uintptr_t)stream->c.bytes;
    turn->ticks = (uint64_t)stream->event.time;
    turn->of = stream->of;
    return turn->lane != NULL;
}

bool feed_steps_v1(Feed *feed, GoTrace *trace)
{
    GoV1 *const v1 = &trace->v1;
    int64_t     limit;
    V1Stream   *stream;
    if (!v1_has_turns(v1)) return true;
    while (!feed->out_of_memory && (stream = v1_turn(v1, &limit)) != NULL) {
        StepTurn turn = { .feed = feed, .trace = trace, .stream = stream, .limit = limit };
        if (!begin_turn(&turn) || !take_turn(&turn)) break;
    }
    return !feed->out_of_memory;
}
