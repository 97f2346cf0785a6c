#include "format/go/feed_steps.h"
#include "format/go/v1_stream.h"

/* What an event does, and whether it says behind whom it is about what number that has in the order. */
typedef enum { NO_STEP, STARTS, STARTS_NEXT, WAKES, WAKES_NEXT, WAITS, YIELDS } StepKind;

/* Whose stream's next event may be a step. */
typedef struct StepTurn {
    V1Stream      *stream; /* NULL = nobody's */
    V1P           *p;
    FeedRun       *lane;
    V1G           *g;      /* who runs; GoV1.gs[0]: nobody */
    const V1G     *of;     /* whom the last event was about */
    uint64_t       origin; /* offset in the input of address 0 */
    const uint8_t *end;    /* from there on none is plain */
    const uint8_t *begin;  /* of the next event; bytes of stream->c */
    const uint8_t *at;     /* behind its time */
    uint64_t       ticks;  /* its time */
    uint64_t       before; /* of the event before it */
    StepKind       kind;
} StepTurn;

/* As far as it can all of this lives in registers. */
typedef struct V1Steps {
    Feed          *feed;
    GoTrace       *trace;
    StepTurn      *turn;  /* who has it: what follows is newer than there */
    const uint8_t *begin; /* of the event at hand */
    const uint8_t *at;    /* behind its time; once it is taken, behind it */
    uint64_t       ticks; /* its time */
    int64_t        limit; /* the turn ends before this time; INT64_MIN: after the event at hand */
    uint64_t       event; /* its number */
} V1Steps;

static ALWAYS_INLINE uint64_t offset_at(const StepTurn *turn, const uint8_t *bytes)
{
    return turn->origin + (uint64_t)(uintptr_t)bytes;
}

static ALWAYS_INLINE uint64_t offset_of(const V1Steps *steps)
{
    return offset_at(steps->turn, steps->begin);
}

/* -- what a step does -- */

/* All of it is what v1_merge.c knows of order and v1_check.c of what may follow, as long as all is as it should be.
 * Goroutines as they are seen by a step: in the same state whoever asks, and nothing unusual. */
#define STATES(...) (((V1G){ __VA_ARGS__ }).states)
#define ALL_OF(v1, go) STATES(.status = (v1), .state = (v1), .model = (go))
#define ALL_STATES ALL_OF(0xff, 0xff)
#define LINK_TYPE STATES(.link_type = 0xff)

/* The goroutine gets to run. Its first start, which takes over a stack, is no step. */
static ALWAYS_INLINE bool starts(const V1Steps *steps, V1G *g)
{
    const uint64_t looked_at = ALL_STATES | STATES(.is_created = true);
    if (UNLIKELY((g->states & looked_at) != ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE) || steps->turn->p->g != 0))
        return false;
    g->states = (g->states & ~ALL_STATES) | ALL_OF(V1_RUNNING, GO_STATE_RUNNING) | STATES(.exists = true);
    g->start = offset_of(steps);
    g->link_from = 0;
    steps->turn->p->g = g->id;
    return true;
}

/* It leaves its processor, runnable or waiting. */
static ALWAYS_INLINE bool stops(const V1Steps *steps, V1G *g, V1Status status, GoState to)
{
    if (UNLIKELY((g->states & ALL_STATES) != ALL_OF(V1_RUNNING, GO_STATE_RUNNING) ||
                 steps->turn->p->g != g->id))
        return false;
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF((uint8_t)status, (uint8_t)to) |
                (*steps->begin & V1_TYPE_MASK) * STATES(.link_type = 1);
    g->start = 0;
    g->link_from = offset_of(steps);
    steps->turn->p->g = 0;
    return true;
}

/* It is woken by who runs on the processor; timers and the network have processors of their own. */
static ALWAYS_INLINE bool wakes(const V1Steps *steps, const V1G *waker, V1G *g)
{
    if (UNLIKELY((g->states & ALL_STATES) != ALL_OF(V1_WAITING, GO_STATE_WAITING) ||
                 g->link_type == V1_GO_BLOCK_NET || steps->turn->p->g != waker->id ||
                 (waker->states & STATES(.state = 0xff, .is_timer = true)) != STATES(.state = V1_RUNNING)))
        return false;
    g->states = (g->states & ~(ALL_STATES | LINK_TYPE)) | ALL_OF(V1_RUNNABLE, GO_STATE_RUNNABLE) |
                STATES(.link_type = V1_GO_UNBLOCK, .exists = true);
    g->link_from = offset_of(steps);
    return true;
}

/* -- events -- */

static ALWAYS_INLINE bool take_effect(const V1Steps *steps, V1G *g, StepKind kind)
{
    switch (kind) {
    case STARTS:
    case STARTS_NEXT:
        return starts(steps, g);
    case WAKES:
    case WAKES_NEXT:
        return wakes(steps, steps->turn->g, g);
    case WAITS:
        return stops(steps, g, V1_WAITING, GO_STATE_WAITING);
    default:
        return stops(steps, g, V1_RUNNABLE, GO_STATE_RUNNABLE);
    }
}

static ALWAYS_INLINE bool show(const V1Steps *steps, V1G *g, StepKind kind, int64_t time)
{
    Feed *const    feed = steps->feed;
    FeedRun *const lane = steps->turn->lane;
    const EventPos pos = { offset_of(steps), steps->event };
    const uint32_t place = feed_step_g(feed, (int64_t)g->id, &g->shown);
    feed_reach(feed, time);
    switch (kind) {
    case STARTS:
    case STARTS_NEXT:
        return feed_step_starts(feed, place, lane, time, pos);
    case WAKES:
    case WAKES_NEXT:
        return feed_step_wakes(feed, place, lane, (int64_t)steps->turn->g->id, time);
    default:
        return feed_step_stops(feed, place, lane, kind == WAITS ? GO_STATE_WAITING : GO_STATE_RUNNABLE, time,
                               pos);
    }
}

/* The event was taken, and has more to say than is shown on the short way. */
static void show_slowly(const V1Steps *steps, const V1G *g, StepKind kind, uint64_t stack, int64_t time)
{
    static const struct {
        uint8_t from, to;
    } STATES_OF[] = { [STARTS] = { GO_STATE_RUNNABLE, GO_STATE_RUNNING },
                      [WAKES] = { GO_STATE_WAITING, GO_STATE_RUNNABLE },
                      [WAITS] = { GO_STATE_RUNNING, GO_STATE_WAITING },
                      [YIELDS] = { GO_STATE_RUNNING, GO_STATE_RUNNABLE } };
    const StepTurn *const turn = steps->turn;
    const StepKind        as = kind == STARTS_NEXT ? STARTS : kind == WAKES_NEXT ? WAKES : kind;
    const uint8_t         type = *steps->begin & V1_TYPE_MASK;
    const V1G *const      who = as == WAKES ? turn->g : g;
    const GoEvent         event = { .type = as == STARTS  ? V1_GO_START
                                            : as == WAKES ? V1_GO_UNBLOCK
                                                          : type,
                                    .kind = GO_TRANSITION,
                                    .resource = GO_RESOURCE_GOROUTINE,
                                    .time = time,
                                    .offset = offset_of(steps),
                                    .id = (int64_t)g->id,
                                    .g = (int64_t)who->id,
                                    .p = turn->p->id,
                                    .m = turn->p->thread,
                                    .from = STATES_OF[as].from,
                                    .to = STATES_OF[as].to,
                                    .stack = go_stack_find(&steps->trace->v1.tables, stack) };
    steps->feed->event = steps->event;
    feed_take(steps->feed, &event);
}

/* Takes the event at hand. False: it is no step, and nothing was done. */
static ALWAYS_INLINE bool take(V1Steps *steps, StepKind kind)
{
    const bool is_named = kind != WAITS && kind != YIELDS,
               has_seq = kind == STARTS_NEXT || kind == WAKES_NEXT;
    GoV1 *const     v1 = &steps->trace->v1;
    StepTurn *const turn = steps->turn;
    const uint8_t  *at = steps->at;
    uint64_t        id = 0, seq = 0, stack = 0;
    if (is_named) at = varint_brief(at, &id);
    if (has_seq && at != NULL) at = varint_brief(at, &seq);
    if (kind != STARTS && kind != STARTS_NEXT && at != NULL) at = varint_brief(at, &stack);
    if (UNLIKELY(at == NULL || (kind == WAKES_NEXT && at != steps->begin + 2 + steps->begin[1])))
        return false;
    V1G *const g = is_named ? &v1->gs[id_map_find(&v1->g_map, id)] : turn->g;
    if (UNLIKELY(g->id == 0 || (has_seq && seq != g->seq) || !take_effect(steps, g, kind))) return false;
    const int64_t time = v1_ticks_to_ns(v1, steps->ticks);
    if (UNLIKELY(!show(steps, g, kind, time))) {
        const V1Steps now = *steps; /* so that it can live in registers */
        show_slowly(&now, g, kind, stack, time);
        steps->limit = INT64_MIN;
    }
    if (UNLIKELY(g->waiter != 0)) steps->limit = INT64_MIN;
    if (is_named) g->seq++;
    if (kind == STARTS || kind == STARTS_NEXT) turn->g = g;
    if (!is_named) turn->g = v1->gs;
    turn->of = g;
    steps->at = at;
    steps->event++;
    return true;
}

/* By the first byte of an event with as many numbers as it should have. */
#define BYTE(type, count) [(type) | ((count)-1) << 6]
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

/* The commonest by a jump each, which are foreseen better than one jump to many places. */
static ALWAYS_INLINE bool take_any(V1Steps *steps, StepKind kind)
{
    if (kind == WAKES) return take(steps, WAKES);
    if (kind == WAITS) return take(steps, WAITS);
    if (kind == STARTS) return take(steps, STARTS);
    switch (kind) {
    case STARTS_NEXT:
        return take(steps, STARTS_NEXT);
    case WAKES_NEXT:
        return take(steps, WAKES_NEXT);
    case YIELDS:
        return take(steps, YIELDS);
    default:
        return false;
    }
}

/* Goes on to the event behind the one that was taken, and past its time. NO_STEP: it is none; steps->at is before it. */
static ALWAYS_INLINE StepKind pass_time(V1Steps *steps)
{
    const uint8_t *const begin = steps->at;
    uint64_t             ticks;
    if (UNLIKELY(begin >= steps->turn->end)) return NO_STEP;
    const StepKind       kind = (StepKind)KINDS[*begin];
    const uint8_t *const at = varint_brief(begin + 1 + (*begin >= V1_SIZED), &ticks);
    if (UNLIKELY(kind == NO_STEP || at == NULL)) return NO_STEP;
    steps->begin = begin;
    steps->at = at;
    steps->ticks += ticks;
    return kind;
}

/* -- turns -- */

/* False: its next event cannot be a step, or who runs there, or its processor, is not known. */
static bool begin_turn(Feed *feed, GoV1 *v1, V1Stream *stream, StepTurn *turn)
{
    enum { MOST_NUMBERS = 4, MOST_BYTES = 2 + 4 * MOST_NUMBERS };
    const ByteCursor *const c = &stream->c;
    if (stream->is_read || c->size - c->at < MOST_BYTES) return false;
    if (UNLIKELY(stream->p_place == 0)) stream->p_place = id_map_find(&v1->p_map, (uint64_t)stream->p);
    if (UNLIKELY(v1->gs[stream->g_place].id != stream->g))
        stream->g_place = id_map_find(&v1->g_map, stream->g);
    if (UNLIKELY(stream->p_place == 0 || v1->gs[stream->g_place].id != stream->g)) return false;
    V1P *const     p = &v1->ps[stream->p_place];
    FeedRun *const lane = feed_step_lane(feed, p->id, &p->shown);
    if (lane == NULL) return false;
    *turn = (StepTurn){ .stream = stream,
                        .p = p,
                        .lane = lane,
                        .g = &v1->gs[stream->g_place],
                        .of = stream->of == V1_THE_GC ? &v1->gc : &v1->gs[stream->of],
                        .origin = c->origin - (uint64_t)(uintptr_t)c->bytes,
                        .end = c->bytes + c->size - MOST_BYTES,
                        .begin = c->bytes + c->at,
                        .at = c->bytes + c->at + stream->time_size,
                        .ticks = (uint64_t)stream->event.time,
                        .before = stream->ticks,
                        .kind = (StepKind)KINDS[c->bytes[c->at]] };
    return true;
}

/* The stream learns what its turns have known so far; nobody has this turn any more. */
static void leave_turn(const GoV1 *v1, StepTurn *turn)
{
    V1Stream *const stream = turn->stream;
    if (stream == NULL) return;
    stream->g = turn->g->id;
    stream->g_place = (uint32_t)(turn->g - v1->gs);
    stream->of = turn->of == &v1->gc ? V1_THE_GC : (uint32_t)(turn->of - v1->gs);
    stream->ticks = turn->before;
    stream->c.at = (size_t)(turn->begin - stream->c.bytes);
    stream->time_size = (uint8_t)(turn->at - turn->begin);
    stream->event.time = (int64_t)turn->ticks;
    stream->event.offset = offset_at(turn, turn->begin);
    turn->stream = NULL;
}

typedef enum {
    TURN_ENDS,
    TURN_BREAKS_OFF /* what comes next is to be found out */,
    TURN_IS_NO_STEP
} TurnOutcome;

/* Takes the events of the stream whose turn it is, as long as they are steps and it is. */
static ALWAYS_INLINE TurnOutcome take_turn(V1Steps *steps, StepTurn *turn)
{
    TurnOutcome outcome = TURN_ENDS;
    uint64_t    before = turn->before;
    steps->turn = turn;
    steps->begin = turn->begin;
    steps->at = turn->at;
    steps->ticks = turn->ticks;
    StepKind kind = turn->kind;
    do {
        if (UNLIKELY(!take_any(steps, kind))) {
            outcome = TURN_IS_NO_STEP;
            break;
        }
        before = steps->ticks;
        kind = pass_time(steps);
        if (UNLIKELY(kind == NO_STEP)) {
            steps->begin = steps->at;
            outcome = TURN_BREAKS_OFF;
            break;
        }
    } while ((int64_t)steps->ticks < steps->limit);
    turn->begin = steps->begin;
    turn->at = steps->at;
    turn->ticks = steps->ticks;
    turn->before = before;
    turn->kind = kind;
    return UNLIKELY(steps->limit == INT64_MIN) ? TURN_BREAKS_OFF : outcome;
}

enum { TURNS = 8 };

/* Turn by turn, as long as all are steps. What stands in `turns`, by the index of its stream modulo their
 * number, is known there alone until it is left. */
static ALWAYS_INLINE bool take_turns(V1Steps *steps, StepTurn turns[TURNS])
{
    GoV1 *const  v1 = &steps->trace->v1;
    Turns *const ready = &v1->ready;
    int64_t      last = (int64_t)v1->last_ticks_out;
    TurnOutcome  outcome = ready->time[0] < last ? TURN_IS_NO_STEP : TURN_ENDS;
    while (outcome == TURN_ENDS && v1_limit(v1, &steps->limit) && !steps->feed->out_of_memory) {
        const uint32_t  index = ready->stream[0];
        V1Stream *const stream = &v1->streams[index];
        StepTurn *const turn = &turns[index % TURNS];
        if (UNLIKELY(turn->stream != stream)) {
            leave_turn(v1, turn);
            if (!begin_turn(steps->feed, v1, stream, turn)) break;
        }
        outcome = take_turn(steps, turn);
        if ((int64_t)turn->before > last) last = (int64_t)turn->before;
        if (LIKELY(outcome != TURN_BREAKS_OFF))
            turns_go_on(ready, (Turn){ (int64_t)turn->ticks, offset_at(turn, turn->begin), index });
    }
    for (size_t i = 0; i < TURNS; i++)
        leave_turn(v1, &turns[i]);
    v1->last_ticks_out = (uint64_t)last;
    return outcome == TURN_BREAKS_OFF;
}

bool feed_steps_v1(Feed *feed, GoTrace *trace)
{
    GoV1 *const v1 = &trace->v1;
    bool        goes_on = v1_has_turns(v1);
    while (goes_on && !feed->out_of_memory && v1_has_next(v1)) {
        StepTurn turns[TURNS];
        V1Steps  steps = { .feed = feed, .trace = trace, .event = trace->event_count };
        for (size_t i = 0; i < TURNS; i++)
            turns[i].stream = NULL;
        v1->taken = goes_on = take_turns(&steps, turns);
        v1->ordinal += steps.event - trace->event_count;
        trace->event_count = steps.event;
    }
    return !feed->out_of_memory;
}
