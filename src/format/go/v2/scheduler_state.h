/* format/go/v2/scheduler_state.h - the attempt to take one event; shared by scheduler*.c. */
#ifndef FORMAT_GO_V2_SCHEDULER_STATE_H
#define FORMAT_GO_V2_SCHEDULER_STATE_H
#include "format/go/v2/scheduler.h"
#include "format/go/v2/spec.h"

#include <inttypes.h>

typedef struct Trial {
    Scheduler *s;
    GoEvent   *event;    /* with the G, P and M before it */
    uint32_t   self;     /* place of its thread in s->ms; 0 = no thread */
    uint32_t   g, p;     /* places of the thread's goroutine and processor */
    int64_t    m;        /* id of the thread */
    unsigned   has;      /* NEEDS_ bits for these */
    bool       is_first; /* this is the first generation that the scheduler knows */
} Trial;

enum { NEEDS_NOT_SHIFT = 3 };
typedef enum {
    NEEDS_M = 1,
    NEEDS_P = 2,
    NEEDS_G = 4,
    NEEDS_USER = NEEDS_M | NEEDS_P | NEEDS_G,
    NEEDS_NO_P = NEEDS_P << NEEDS_NOT_SHIFT,
    NEEDS_NO_G = NEEDS_G << NEEDS_NOT_SHIFT
} Needs;

Advance trial_broken(Trial *trial, const char *format, ...) PRINTF_LIKE(2, 3);
Advance trial_out_of_memory(Trial *trial);
bool    trial_lacks(Trial *trial, unsigned needs); /* sets trial->s->fault; returns false */
/* True if the thread has the G, P and M that the event needs; else sets trial->s->fault. */
static inline bool trial_has(Trial *trial, unsigned needs)
{
    bool has_all = ((needs & NEEDS_USER & ~trial->has) | (needs >> NEEDS_NOT_SHIFT & trial->has)) == 0;
    return LIKELY(has_all) || trial_lacks(trial, needs);
}
/* Sets the event's transition: GoState of a goroutine or GoProcState of a processor. */
static inline void trial_set_transition(Trial *trial, GoResource resource, int64_t id, uint8_t from,
                                        uint8_t to)
{
    GoEvent *event = trial->event;
    event->resource = (uint8_t)resource;
    event->id = id;
    event->from = from;
    event->to = to;
}
static inline void trial_set_g_transition(Trial *trial, int64_t id, GoState from, GoState to)
{
    trial_set_transition(trial, GO_RESOURCE_GOROUTINE, id, (uint8_t)from, (uint8_t)to);
}
static inline void trial_set_p_transition(Trial *trial, int64_t id, GoProcState from, GoProcState to)
{
    trial_set_transition(trial, GO_RESOURCE_PROC, id, (uint8_t)from, (uint8_t)to);
}

/* Returns the place of an id; 0 = unknown. */
static inline uint32_t trial_find_g(const Trial *trial, int64_t id)
{
    uint32_t place = id_map_find(&trial->s->g_map, (uint64_t)id);
    return trial->s->gs[place].status == 0 ? 0 : place;
}

/* True if a sequence number directly follows the last one in the generation. */
static inline bool trial_follows(const Trial *trial, uint64_t generation, uint64_t last, uint64_t seq)
{
    return generation == trial->s->generation && seq == last + 1;
}

static inline const char *trial_name(const Trial *trial)
{
    return V2_SPECS[trial->event->type].name;
}

/* Add a goroutine with its status in this generation, or a processor. Return the place; 0 = out of memory. */
uint32_t trial_add_g(Trial *trial, int64_t id, uint8_t status);
uint32_t trial_add_p(Trial *trial, int64_t id);

/* -- scheduler_ranges.c: ranges, tasks, regions, and events that change nothing -- */

Advance advance_annotation(Trial *trial);
Advance advance_heap(Trial *trial);
Advance advance_experimental(Trial *trial);
Advance advance_gc_active(Trial *trial);
Advance advance_gc_begin(Trial *trial);
Advance advance_gc_end(Trial *trial);
Advance advance_sweep_begin(Trial *trial);
Advance advance_sweep_active(Trial *trial);
Advance advance_sweep_end(Trial *trial);
Advance advance_stw_begin(Trial *trial);
Advance advance_stw_end(Trial *trial);
Advance advance_assist_begin(Trial *trial);
Advance advance_assist_active(Trial *trial);
Advance advance_assist_end(Trial *trial);
Advance advance_task_begin(Trial *trial);
Advance advance_task_end(Trial *trial);
Advance advance_region_begin(Trial *trial);
Advance advance_region_end(Trial *trial);

#endif
