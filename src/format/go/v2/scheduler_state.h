/* format/go/v2/scheduler_state.h - the attempt to take one event; shared by scheduler*.c. */
#ifndef FORMAT_GO_V2_SCHEDULER_STATE_H
#define FORMAT_GO_V2_SCHEDULER_STATE_H
#include "format/go/v2/scheduler.h"
#include "format/go/v2/spec.h"

#include <inttypes.h>

typedef struct Turn {
    Scheduler *s;
    GoEvent   *event;    /* with the G, P and M before it */
    uint32_t   self;     /* place of its thread in s->ms; 0 = no thread */
    uint32_t   g, p;     /* places of the thread's goroutine and processor */
    int64_t    m;        /* id of the thread */
    unsigned   has;      /* NEEDS_ bits for these */
    bool       is_first; /* this is the first generation that the scheduler knows */
} Turn;

enum { NEEDS_NOT_SHIFT = 3 };
typedef enum {
    NEEDS_M = 1,
    NEEDS_P = 2,
    NEEDS_G = 4,
    NEEDS_USER = NEEDS_M | NEEDS_P | NEEDS_G,
    NEEDS_NO_P = NEEDS_P << NEEDS_NOT_SHIFT,
    NEEDS_NO_G = NEEDS_G << NEEDS_NOT_SHIFT
} Needs;

Advance turn_broken(Turn *turn, const char *format, ...) PRINTF_LIKE(2, 3);
Advance turn_out_of_memory(Turn *turn);
bool    turn_lacks(Turn *turn, unsigned needs); /* sets turn->s->fault; returns false */
/* True if the thread has the G, P and M that the event needs; else sets turn->s->fault. */
static inline bool turn_has(Turn *turn, unsigned needs)
{
    bool has_all = ((needs & NEEDS_USER & ~turn->has) | (needs >> NEEDS_NOT_SHIFT & turn->has)) == 0;
    return LIKELY(has_all) || turn_lacks(turn, needs);
}
/* Sets the event's transition: GoState of a goroutine or GoProcState of a processor. */
static inline void turn_tell(Turn *turn, GoResource resource, int64_t id, uint8_t from, uint8_t to)
{
    GoEvent *event = turn->event;
    event->resource = (uint8_t)resource;
    event->id = id;
    event->from = from;
    event->to = to;
}
static inline void turn_tell_g(Turn *turn, int64_t id, GoState from, GoState to)
{
    turn_tell(turn, GO_RESOURCE_GOROUTINE, id, (uint8_t)from, (uint8_t)to);
}
static inline void turn_tell_p(Turn *turn, int64_t id, GoProcState from, GoProcState to)
{
    turn_tell(turn, GO_RESOURCE_PROC, id, (uint8_t)from, (uint8_t)to);
}
/* Copies the current event to `before`: the record represents several, and this is not the last. */
void turn_split(Turn *turn);

/* Returns the place of an id; 0 = unknown. */
static inline uint32_t turn_find_g(const Turn *turn, int64_t id)
{
    uint32_t place = id_map_find(&turn->s->g_map, (uint64_t)id);
    return turn->s->gs[place].status == 0 ? 0 : place;
}

/* True if a sequence number directly follows the last one in the generation. */
static inline bool turn_follows(const Turn *turn, uint64_t generation, uint64_t last, uint64_t seq)
{
    return generation == turn->s->generation && seq == last + 1;
}

static inline const char *turn_name(const Turn *turn)
{
    return V2_SPECS[turn->event->type].name;
}

/* Add a goroutine with its status in this generation, or a processor. Return the place; 0 = out of memory. */
uint32_t turn_add_g(Turn *turn, int64_t id, uint8_t status);
uint32_t turn_add_p(Turn *turn, int64_t id);

/* -- scheduler_ranges.c: ranges, tasks, regions, and events that change nothing -- */

Advance advance_annotation(Turn *turn);
Advance advance_heap(Turn *turn);
Advance advance_experimental(Turn *turn);
Advance advance_gc_active(Turn *turn);
Advance advance_gc_begin(Turn *turn);
Advance advance_gc_end(Turn *turn);
Advance advance_sweep_begin(Turn *turn);
Advance advance_sweep_active(Turn *turn);
Advance advance_sweep_end(Turn *turn);
Advance advance_stw_begin(Turn *turn);
Advance advance_stw_end(Turn *turn);
Advance advance_assist_begin(Turn *turn);
Advance advance_assist_active(Turn *turn);
Advance advance_assist_end(Turn *turn);
Advance advance_task_begin(Turn *turn);
Advance advance_task_end(Turn *turn);
Advance advance_region_begin(Turn *turn);
Advance advance_region_end(Turn *turn);

#endif
