/* The state before the window. It is collected here, and emitted when the window begins, with the original begin
 * times. */
#include "format/go/feed/feed.h"

#include <assert.h>

typedef enum { OPEN_FREE, OPEN_NESTED, OPEN_TASK } OpenKind;

/* An open slice: a region or mark assist of a goroutine, or a task or a region in it. */
typedef struct CarriedOpen {
    OpenKind    kind;
    StringId    text;     /* of GoTrace.texts */
    const char *category; /* NULL for a mark assist */
    uint64_t    task;     /* for OPEN_TASK */
    FeedSince   since;
    StackId     stack;
    uint32_t    place; /* of its stack in the tables, until `stack` is made */
    /* 1 + index of the enclosing one of the same goroutine or task; of a free item, the next free one */
    uint32_t outer;
} CarriedOpen;

typedef struct CarriedG {
    FeedChange now;   /* the change that began its state */
    uint32_t   place; /* place in the tables of the stack from which now.begin_stack is made later */
    uint32_t   open;  /* 1 + index of the innermost open slice */
} CarriedG;

typedef struct CarriedValue {
    bool    is_known;
    int64_t time;
    double  value;
} CarriedValue;

struct FeedCarry {
    CarriedG    *gs; /* by place in FeedPlaces.gs */
    CarriedOpen *opens;
    uint32_t     g_capacity, open_count, open_capacity;
    uint32_t     free_open;  /* 1 + index of the first free item of `opens` */
    IdMap        task_opens; /* task -> 1 + index of the innermost open slice */
    CarriedValue values[FEED_METRIC_COUNT];
};

bool feed_carry_begin(Feed *feed)
{
    FeedCarry *carry = ARENA_NEW(feed->arena, FeedCarry);
    if (carry == NULL) return false;
    carry->task_opens.arena = feed->arena;
    feed->carry = carry;
    return true;
}

/* -- goroutines -- */

static CarriedG *carried_g(Feed *feed, uint32_t g)
{
    FeedCarry *carry = feed->carry;
    CarriedG  *gs = arena_grow(feed->arena, carry->gs, g, &carry->g_capacity, sizeof *gs);
    if (gs == NULL) {
        feed->out_of_memory = true;
        return NULL;
    }
    carry->gs = gs;
    return &gs[g];
}

void feed_carry_state(Feed *feed, uint32_t g, const FeedChange *change, uint32_t stack)
{
    CarriedG *carried = carried_g(feed, g);
    if (carried == NULL) return;
    carried->now = *change;
    carried->place = stack;
}

static void free_open(FeedCarry *carry, uint32_t at)
{
    carry->opens[at - 1] = (CarriedOpen){ .kind = OPEN_FREE, .outer = carry->free_open };
    carry->free_open = at;
}

void feed_carry_forget(Feed *feed, uint32_t g)
{
    CarriedG *carried = carried_g(feed, g);
    FeedRun  *runs[] = { feed->places.ps, feed->places.ms };
    uint32_t  counts[] = { feed->places.p_count, feed->places.m_count };
    if (carried == NULL) return;
    while (carried->open != 0)
        feed_carry_nested_ends(feed, g);
    for (size_t k = 0; k < 2; k++) { /* in a damaged trace it may still run */
        for (uint32_t i = 1; i < counts[k]; i++)
            if (runs[k][i].g == g) runs[k][i].g = 0;
    }
    assert(!feed->places.gs[g].has_syscall);
    id_map_remove(&feed->places.g_map, (uint64_t)feed->places.gs[g].id);
    feed->places.gs[g] = (FeedG){ .first_pending = feed->places.free_g, .is_free = true };
    *carried = (CarriedG){ .place = 0 };
    feed->places.free_g = g;
}

/* -- open slices -- */

static CarriedOpen *add_open(Feed *feed, uint32_t *at)
{
    FeedCarry *carry = feed->carry;
    if (carry->free_open != 0) {
        *at = carry->free_open;
        carry->free_open = carry->opens[*at - 1].outer;
        return &carry->opens[*at - 1];
    }
    CarriedOpen *opens =
        arena_grow(feed->arena, carry->opens, carry->open_count, &carry->open_capacity, sizeof *opens);
    if (opens == NULL) {
        feed->out_of_memory = true;
        return NULL;
    }
    carry->opens = opens;
    *at = ++carry->open_count;
    return &opens[*at - 1];
}

static FeedSince since_of(const Feed *feed, const GoEvent *event, int64_t time)
{
    return (FeedSince){ time, { event->offset, feed->event } };
}

void feed_carry_nested(Feed *feed, uint32_t g, const char *category, const GoEvent *event, int64_t since)
{
    uint32_t     at;
    CarriedG    *carried = carried_g(feed, g);
    CarriedOpen *open = add_open(feed, &at);
    if (carried == NULL || open == NULL) return;
    *open = (CarriedOpen){ .kind = OPEN_NESTED,
                           .text = event->extra,
                           .category = category,
                           .since = since_of(feed, event, since),
                           .place = event->stack,
                           .outer = carried->open };
    carried->open = at;
}

void feed_carry_nested_ends(Feed *feed, uint32_t g)
{
    CarriedG *carried = carried_g(feed, g);
    if (carried == NULL || carried->open == 0) return; /* it began before the trace */
    uint32_t at = carried->open;
    carried->open = feed->carry->opens[at - 1].outer;
    free_open(feed->carry, at);
}

static void set_innermost(Feed *feed, uint64_t task, uint32_t at)
{
    id_map_remove(&feed->carry->task_opens, task);
    if (at != 0 && !id_map_put(&feed->carry->task_opens, task, at)) feed->out_of_memory = true;
}

/* Ends the innermost slice with this name, as the builder matches ends to begins. */
static void end_in_task(Feed *feed, uint64_t task, StringId text)
{
    FeedCarry *carry = feed->carry;
    uint32_t   first = id_map_find(&carry->task_opens, task), at = first, inner = 0;
    while (at != 0 && text.index != 0 && carry->opens[at - 1].text.index != text.index) {
        inner = at;
        at = carry->opens[at - 1].outer;
    }
    if (at == 0) return;
    if (inner != 0) {
        carry->opens[inner - 1].outer = carry->opens[at - 1].outer;
    } else {
        set_innermost(feed, task, carry->opens[at - 1].outer);
    }
    free_open(carry, at);
}

void feed_carry_task(Feed *feed, AsyncKind kind, const GoEvent *event, uint64_t task, StringId text,
                     const char *category)
{
    if (kind == ASYNC_END) end_in_task(feed, task, text);
    if (kind != ASYNC_BEGIN) return;
    uint32_t     at;
    CarriedOpen *open = add_open(feed, &at);
    if (open == NULL) return;
    *open = (CarriedOpen){ .kind = OPEN_TASK,
                           .text = text,
                           .category = category,
                           .task = task,
                           .since = since_of(feed, event, event->time),
                           .place = event->stack,
                           .outer = id_map_find(&feed->carry->task_opens, task) };
    set_innermost(feed, task, at);
}

/* -- counters -- */

void feed_carry_metric(Feed *feed, FeedMetric metric, int64_t time, double value)
{
    feed->carry->values[metric] = (CarriedValue){ true, time, value };
}

/* -- stacks, and the begin of the window -- */

void feed_carry_stacks(Feed *feed)
{
    FeedCarry *carry = feed->carry;
    for (uint32_t i = 1; i < feed->places.g_count && i < carry->g_capacity; i++) {
        CarriedG *g = &carry->gs[i];
        if (!feed->places.gs[i].has_state || g->place == 0) continue;
        g->now.begin_stack = feed_stack(feed, g->place);
        g->place = 0;
    }
    for (uint32_t i = 0; i < carry->open_count; i++) {
        CarriedOpen *open = &carry->opens[i];
        if (open->kind == OPEN_FREE || open->place == 0) continue;
        open->stack = feed_stack(feed, open->place);
        open->place = 0;
    }
}

/* Reverses a list that begins with the innermost slice. Returns its new head. */
static uint32_t outermost_first(FeedCarry *carry, uint32_t at)
{
    uint32_t turned = 0;
    while (at != 0) {
        uint32_t outer = carry->opens[at - 1].outer;
        carry->opens[at - 1].outer = turned;
        turned = at;
        at = outer;
    }
    return turned;
}

static LabelId nested_label(Feed *feed, const CarriedOpen *open)
{
    if (open->category == NULL) return feed->names.labels[FEED_ASSIST];
    return strcmp(open->category, FEED_MODE) == 0 ? feed_mode_label(feed, open->text)
                                                  : feed_user_label(feed, open->text, open->category);
}

/* Begins a goroutine's state, regions and mark assists on its tracks, if goroutines are shown. */
static void begin_goroutine(Feed *feed, FeedCarry *carry, uint32_t i)
{
    FeedG *g = &feed->places.gs[i];
    if (!feed->shows.gs || i >= carry->g_capacity || g->is_free) return;
    CarriedG *carried = &carry->gs[i];
    if (g->has_state) {
        feed->report.prefixed_count++;
        carried->now.ends = false;
        feed_change(feed, g, &carried->now);
    }
    for (uint32_t at = outermost_first(carry, carried->open); at != 0; at = carry->opens[at - 1].outer) {
        const CarriedOpen *open = &carry->opens[at - 1];
        LabelId            label = nested_label(feed, open);
        feed->report.prefixed_count++;
        if (g->thread.index == 0) feed_settle(feed, g);
        if (g->thread.index != 0) feed_begin_nested_at(feed, g, open->since, label, open->stack);
    }
}

static void begin_run(Feed *feed, FeedRun *run)
{
    if (run->is_idle != 0 && run->track.index != 0)
        feed_run_mark(feed, run, run->idle_since.time, feed->names.labels[FEED_IDLE], run->idle_since.pos);
    if (run->g == 0 || run->track.index == 0) return;
    feed_run_mark(feed, run, run->run_since.time, feed_run_label(feed, &feed->places.gs[run->g]),
                  run->run_since.pos);
    for (unsigned i = 0; i < run->inside_count; i++)
        feed_run_mark(feed, run, run->inside[i].since.time, run->inside[i].label, run->inside[i].since.pos);
}

void feed_carry_end(Feed *feed)
{
    feed_carry_stacks(feed);
    FeedCarry *carry = feed->carry;
    feed->carry = NULL; /* events are emitted from here on */
    for (uint32_t i = 1; i < feed->places.g_count; i++)
        begin_goroutine(feed, carry, i);
    for (uint32_t i = 1; i < feed->places.p_count; i++)
        begin_run(feed, &feed->places.ps[i]);
    for (uint32_t i = 1; i < feed->places.m_count; i++)
        begin_run(feed, &feed->places.ms[i]);
    for (uint32_t i = 0; i < carry->open_count; i++) {
        const CarriedOpen *open = &carry->opens[i];
        if (open->kind != OPEN_TASK) continue;
        LabelId    label = feed_user_label(feed, open->text, open->category);
        const bool is_repeat = strcmp(open->category, "region") == 0 && feed->shows.gs;
        if (is_repeat) label = feed_label_in_task(feed, label);
        feed->report.prefixed_count += is_repeat ? 0 : 1;
        feed_task_event(feed, ASYNC_BEGIN, open->since, open->task, label, open->stack);
    }
    for (uint32_t i = 0; i < FEED_METRIC_COUNT; i++) {
        const CarriedValue *value = &carry->values[i];
        if (!value->is_known) continue;
        feed->report.prefixed_count++;
        feed_metric(feed, (FeedMetric)i, value->time, value->value);
    }
}
