/* format/go/scheduler_internal.h - one event being tried: what scheduler.c and its parts share. */
#ifndef FORMAT_GO_SCHEDULER_INTERNAL_H
#define FORMAT_GO_SCHEDULER_INTERNAL_H
#include "format/go/scheduler.h"
#include "format/go/v2_spec.h"

#include <inttypes.h>

typedef struct Turn {
    Scheduler *s;
    GoEvent    event;    /* with the context before it */
    uint32_t   self;     /* place of its thread in s->ms; 0 = of no thread */
    uint32_t   g, p;     /* what that is bound to */
    int64_t    m;        /* its id */
    bool       is_first; /* the generation is the first that the scheduler knows */
} Turn;

typedef enum { NEEDS_M = 1, NEEDS_P = 2, NEEDS_G = 4, NEEDS_USER = 7, NEEDS_NO_P = 8, NEEDS_NO_G = 16 } Needs;

Advance turn_broken(Turn *turn, const char *format, ...) PRINTF_LIKE(2, 3);
Advance turn_out_of_memory(Turn *turn);
/* Whether the thread has what the event needs; else turn->s->fault says so. */
bool turn_has(Turn *turn, unsigned needs);
/* One more event that came of it, to be completed. */
GoEvent *turn_emit(Turn *turn);
void     turn_emit_g(Turn *turn, int64_t id, GoState from, GoState to);
void     turn_emit_p(Turn *turn, int64_t id, GoProcState from, GoProcState to);

/* The place of an id, 0 = not known. */
static inline uint32_t turn_find_g(const Turn *turn, int64_t id)
{
    uint32_t place = id_map_find(&turn->s->g_map, (uint64_t)id);
    return turn->s->gs[place].status == 0 ? 0 : place;
}

/* Whether a sequence number directly follows the last one, within the generation. */
static inline bool turn_follows(const Turn *turn, uint64_t generation, uint64_t last, uint64_t seq)
{
    return generation == turn->s->generation && seq == last + 1;
}

static inline const char *turn_name(const Turn *turn)
{
    return V2_SPECS[turn->event.type].name;
}

/* -- scheduler_ranges.c: ranges, tasks, regions, and what else only needs its context -- */

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
