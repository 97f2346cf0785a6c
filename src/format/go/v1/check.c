/* Checks, links and interprets the events in their final order. */
#include "format/go/common/version.h"
#include "format/go/v1/v1.h"

#include <assert.h>
#include <inttypes.h>

/* One event being checked. */
typedef struct Check {
    GoV1    *v1;
    GoEvent *event;
    uint32_t g; /* places of its goroutine and processor */
    uint32_t p;
    bool     failed; /* out of memory */
} Check;

static V1G *own_g(const Check *check)
{
    return &check->v1->state.gs[check->g];
}

static V1P *own_p(const Check *check)
{
    return &check->v1->state.ps[check->p];
}

/* Reports an invalid event. Go's reader stops here; this reader continues as if the required state had been there. */
static void complain(const Check *check, const char *what, int64_t id)
{
    go_report(check->v1->report, "broken-order", check->event->offset,
              "%s: %s (%" PRId64 ", time %" PRId64 " ns)", V1_SPECS[check->event->type].name, what, id,
              check->event->time);
}

static inline void link_to(Check *check, uint64_t from)
{
    GoV1 *v1 = check->v1;
    if (from == 0) return;
    V1Link *links = arena_grow(v1->arena, v1->checks.links, v1->checks.link_count, &v1->checks.link_capacity,
                               sizeof *links);
    if (links == NULL) {
        check->failed = true;
        return;
    }
    v1->checks.links = links;
    links[v1->checks.link_count++] = (V1Link){ from, check->event->offset };
}

static uint32_t add_p(GoV1 *v1, int64_t id)
{
    V1P *ps = arena_grow(v1->arena, v1->state.ps, v1->state.p_count, &v1->state.p_capacity, sizeof *ps);
    if (ps == NULL || !id_map_put(&v1->state.p_map, (uint64_t)id, v1->state.p_count)) {
        v1->out_of_memory = true;
        return 0;
    }
    v1->state.ps = ps;
    ps[v1->state.p_count] = (V1P){ .id = id, .thread = GO_NONE };
    return v1->state.p_count++;
}

static inline uint32_t find_p(GoV1 *v1, int64_t id)
{
    uint32_t place = id_map_find(&v1->state.p_map, (uint64_t)id);
    return LIKELY(place != 0) ? place : add_p(v1, id);
}

bool v1_check_begin(GoV1 *v1)
{
    id_map_clear(&v1->state.p_map);
    v1->state.p_map.arena = v1->arena;
    id_map_clear(&v1->checks.open_tasks);
    v1->checks.open_tasks.arena = v1->arena;
    v1->state.p_count = v1->checks.region_count = v1->checks.free_region = v1->checks.task_count = 0;
    V1P *ps = arena_grow(v1->arena, v1->state.ps, 0, &v1->state.p_capacity, sizeof *ps);
    if (ps == NULL) return false;
    v1->state.ps = ps;
    ps[0] = (V1P){ .id = GO_NONE };
    v1->state.p_count = 1;
    v1->state.gs[0].state = V1_RUNNING; /* goroutine 0 is the runtime */
    v1->state.gs[0].exists = true;
    v1->checks.gc_begin = v1->checks.stw_begin = 0;
    v1->merge.is_starting = true;
    return true;
}

/* -- shared by several types -- */

static void transition(const Check *check, GoResource resource, int64_t id, uint8_t from, uint8_t to)
{
    GoEvent *event = check->event;
    event->resource = (uint8_t)resource;
    event->id = id;
    event->from = from;
    event->to = to;
}

static void own_transition(const Check *check)
{
    V1G    *g = own_g(check);
    uint8_t to = V1_SPECS[check->event->type].to;
    transition(check, GO_RESOURCE_GOROUTINE, check->event->g, g->model, to);
    g->model = to;
}

static inline void check_running(const Check *check, bool allows_zero)
{
    const GoEvent *event = check->event;
    if (own_g(check)->state != V1_RUNNING) {
        complain(check, "the goroutine is not running", event->g);
    } else if (own_p(check)->g != (uint64_t)event->g) {
        complain(check, "the processor does not run this goroutine", event->g);
    } else if (!allows_zero && event->g == 0) {
        complain(check, "goroutine 0 cannot do this", 0);
    }
}

/* The goroutine leaves its processor. */
static inline void stop_running(Check *check, V1Status state)
{
    check_running(check, false);
    V1G *g = own_g(check);
    link_to(check, g->start);
    g->start = 0;
    g->state = (uint8_t)state;
    own_p(check)->g = 0;
}

static void wait_from_here(const Check *check)
{
    V1G *g = own_g(check);
    g->link_from = check->event->offset;
    g->link_type = check->event->type;
}

/* Begins a range. *active is the offset of the open range, which must be 0. */
static void range_begins(const Check *check, uint64_t *active, const char *fault)
{
    if (*active != 0) complain(check, fault, check->event->p);
    *active = check->event->offset;
}

static void range_ends(Check *check, uint64_t *active, const char *fault)
{
    if (*active == 0) complain(check, fault, check->event->p);
    link_to(check, *active);
    *active = 0;
}

/* -- regions -- */

static StringId text_of(const Check *check, unsigned arg)
{
    return go_string_intern(&check->v1->tables, check->event->args[arg]);
}

static void begin_region(Check *check)
{
    GoV1    *v1 = check->v1;
    uint32_t place = v1->checks.free_region;
    if (place != 0) {
        v1->checks.free_region = v1->checks.regions[place - 1].outer;
    } else {
        V1Region *regions = arena_grow(v1->arena, v1->checks.regions, v1->checks.region_count,
                                       &v1->checks.region_capacity, sizeof *regions);
        if (regions == NULL) {
            check->failed = true;
            return;
        }
        v1->checks.regions = regions;
        place = ++v1->checks.region_count;
    }
    V1G *g = own_g(check);
    assert(place <= v1->checks.region_count);
    v1->checks.regions[place - 1] =
        (V1Region){ check->event->args[0], check->event->offset, text_of(check, 2), g->region };
    g->region = place;
}

static void pop_region(Check *check)
{
    GoV1     *v1 = check->v1;
    V1G      *g = own_g(check);
    uint32_t  place = g->region;
    V1Region *region = &v1->checks.regions[place - 1];
    link_to(check, region->offset);
    g->region = region->outer;
    region->outer = v1->checks.free_region;
    v1->checks.free_region = place;
}

static void end_region(Check *check)
{
    const V1G *g = own_g(check);
    if (g->region == 0) return; /* it began before the trace */
    const V1Region *region = &check->v1->checks.regions[g->region - 1];
    if (region->task != check->event->args[0] || region->name.index != text_of(check, 2).index) {
        complain(check, "the region that ends is not the innermost one that is open", check->event->g);
        return;
    }
    pop_region(check);
}

/* -- tasks -- */

static void create_task(Check *check)
{
    GoV1    *v1 = check->v1;
    uint64_t id = check->event->args[0];
    uint32_t place = id_map_find(&v1->checks.open_tasks, id);
    if (place == 0) {
        V1Task *tasks = arena_grow(v1->arena, v1->checks.tasks, v1->checks.task_count,
                                   &v1->checks.task_capacity, sizeof *tasks);
        if (tasks == NULL || !id_map_put(&v1->checks.open_tasks, id, v1->checks.task_count + 1)) {
            check->failed = true;
            return;
        }
        v1->checks.tasks = tasks;
        place = ++v1->checks.task_count;
        tasks[place - 1] = (V1Task){ .offset = 0 };
    }
    assert(place <= v1->checks.task_count);
    if (v1->checks.tasks[place - 1].offset != 0) complain(check, "a task with this id is open", (int64_t)id);
    v1->checks.tasks[place - 1] =
        (V1Task){ check->event->offset, check->event->args[1], check->event->extra };
}

static void end_task(Check *check)
{
    uint32_t place = id_map_find(&check->v1->checks.open_tasks, check->event->args[0]);
    if (place == 0) return;
    V1Task *task = &check->v1->checks.tasks[place - 1];
    link_to(check, task->offset);
    check->event->extra = task->name;
    check->event->extra_task = task->parent;
    task->offset = 0;
}

/* -- processors -- */

static void check_proc(const Check *check)
{
    V1P *p = own_p(check);
    bool starts = check->event->type == V1_PROC_START;
    if (p->is_running == starts) {
        complain(check, starts ? "the processor runs already" : "the processor does not run", p->id);
    } else if (!starts && p->g != 0) {
        complain(check, "the processor still runs a goroutine", (int64_t)p->g);
    }
    p->is_running = starts;
    if (starts) p->thread = check->event->m = (int64_t)check->event->args[0];
    transition(check, GO_RESOURCE_PROC, p->id, starts ? GO_PROC_IDLE : GO_PROC_RUNNING,
               starts ? GO_PROC_RUNNING : GO_PROC_IDLE);
}

static void check_range(Check *check)
{
    GoV1    *v1 = check->v1;
    GoEvent *event = check->event;
    /* before 1.10 each processor stops the world by itself */
    uint64_t *stw = v1->version < GO_1_10 ? &own_p(check)->stw : &v1->checks.stw_begin;
    switch (event->type) {
    case V1_GC_START:
        range_begins(check, &v1->checks.gc_begin, "the previous cycle has not ended");
        event->p = V1_GC_P;
        return;
    case V1_GC_DONE:
        range_ends(check, &v1->checks.gc_begin, "no cycle has begun");
        return;
    case V1_STW_START:
        range_begins(check, stw, "the world is stopped already");
        return;
    case V1_STW_DONE:
        range_ends(check, stw, "the world is not stopped");
        return;
    case V1_GC_SWEEP_START:
        transition(check, GO_RESOURCE_PROC, event->p, 0, 0);
        range_begins(check, &own_p(check)->sweep, "the processor sweeps already");
        return;
    case V1_GC_SWEEP_DONE:
        transition(check, GO_RESOURCE_PROC, event->p, 0, 0);
        range_ends(check, &own_p(check)->sweep, "the processor does not sweep");
        return;
    case V1_GC_MARK_ASSIST_START:
        transition(check, GO_RESOURCE_GOROUTINE, event->g, 0, 0);
        range_begins(check, &own_g(check)->assist, "the goroutine assists already");
        return;
    default: /* GCMarkAssistDone, whose begin may be before the trace */
        transition(check, GO_RESOURCE_GOROUTINE, event->g, 0, 0);
        link_to(check, own_g(check)->assist);
        own_g(check)->assist = 0;
        return;
    }
}

/* -- goroutines -- */

static void check_create(Check *check)
{
    GoV1    *v1 = check->v1;
    GoEvent *event = check->event;
    check_running(check, true);
    uint32_t place = v1_find_g(v1, event->args[0]);
    if (place == 0) return;
    V1G *created = &v1->state.gs[place];
    if (created->exists) complain(check, "the goroutine exists already", (int64_t)event->args[0]);
    created->exists = created->is_created = true;
    created->state = V1_RUNNABLE;
    created->link_from = event->offset;
    created->link_type = event->type;
    created->new_stack = event->args[1];
    created->model = GO_STATE_RUNNABLE;
    event->id_stack = v1->version < GO_1_7 ? 0 : go_stack_find(&v1->tables, event->args[1]);
    transition(check, GO_RESOURCE_GOROUTINE, (int64_t)event->args[0],
               v1->merge.is_starting ? GO_STATE_UNDETERMINED : GO_STATE_NOT_EXIST, GO_STATE_RUNNABLE);
}

/* Handles a start. The first start takes over the stack of the goroutine's creation. */
static void check_start(Check *check)
{
    GoV1    *v1 = check->v1;
    GoEvent *event = check->event;
    V1G     *g = own_g(check);
    V1P     *p = own_p(check);
    if (g->state != V1_RUNNABLE) complain(check, "the goroutine is not runnable", event->g);
    if (p->g != 0) complain(check, "the processor runs another goroutine", (int64_t)p->g);
    g->state = V1_RUNNING;
    g->start = event->offset;
    g->exists = true;
    p->g = (uint64_t)event->g;
    if (g->is_created) {
        g->is_created = false;
        if (v1->version >= GO_1_7) {
            event->args[V1_STACK_ARG] = g->new_stack;
            event->stack = go_stack_find(&v1->tables, g->new_stack);
        }
    }
    link_to(check, g->link_from);
    g->link_from = 0;
    own_transition(check);
}

static void check_unblock(Check *check)
{
    GoV1    *v1 = check->v1;
    GoEvent *event = check->event;
    if (own_g(check)->state != V1_RUNNING) {
        complain(check, "the goroutine that wakes is not running", event->g);
    } else if (event->p != V1_TIMER_P && own_p(check)->g != (uint64_t)event->g) {
        complain(check, "the processor does not run the goroutine that wakes", event->g);
    }
    uint32_t place = v1_find_g(v1, event->args[0]);
    if (place == 0) return;
    V1G *woken = &v1->state.gs[place];
    if (woken->state != V1_WAITING) complain(check, "the goroutine does not wait", (int64_t)event->args[0]);
    if (woken->link_from != 0 && woken->link_type == V1_GO_BLOCK_NET && event->p != V1_TIMER_P)
        event->p = V1_NETPOLL_P;
    link_to(check, woken->link_from);
    woken->exists = true;
    woken->state = V1_RUNNABLE;
    woken->link_from = event->offset;
    woken->link_type = event->type;
    transition(check, GO_RESOURCE_GOROUTINE, (int64_t)event->args[0], woken->model, GO_STATE_RUNNABLE);
    woken->model = GO_STATE_RUNNABLE;
}

static void check_syscall(Check *check)
{
    V1G *g = own_g(check);
    switch (check->event->type) {
    case V1_GO_SYS_CALL:
        check_running(check, false);
        wait_from_here(check);
        break;
    case V1_GO_SYS_BLOCK: /* the block is linked from its GoSysCall */
        stop_running(check, V1_WAITING);
        break;
    default:
        if (g->state != V1_WAITING) complain(check, "the goroutine is in no syscall", check->event->g);
        if (g->link_type == V1_GO_SYS_CALL) link_to(check, g->link_from);
        g->exists = true;
        g->state = V1_RUNNABLE;
        wait_from_here(check);
        break;
    }
    own_transition(check);
}

static void check_goroutine(Check *check)
{
    V1G *g = own_g(check);
    switch (check->event->type) {
    case V1_GO_CREATE:
        check_create(check);
        return;
    case V1_GO_START:
    case V1_GO_START_LABEL:
        check_start(check);
        return;
    case V1_GO_UNBLOCK:
        check_unblock(check);
        return;
    case V1_GO_SYS_CALL:
    case V1_GO_SYS_BLOCK:
    case V1_GO_SYS_EXIT:
        check_syscall(check);
        return;
    case V1_GO_WAITING:
    case V1_GO_IN_SYSCALL:
        if (g->state != V1_RUNNABLE) complain(check, "the goroutine is not runnable", check->event->g);
        g->exists = true;
        g->state = V1_WAITING;
        wait_from_here(check);
        break;
    case V1_GO_END:
    case V1_GO_STOP:
        stop_running(check, V1_DEAD);
        while (check->event->type == V1_GO_END && own_g(check)->region != 0)
            pop_region(check);
        break;
    case V1_GO_SCHED:
    case V1_GO_PREEMPT:
        stop_running(check, V1_RUNNABLE);
        wait_from_here(check);
        break;
    default:
        stop_running(check, V1_WAITING);
        wait_from_here(check);
        break;
    }
    own_transition(check);
}

/* -- all events -- */

static void check_region(Check *check)
{
    GoEvent *event = check->event;
    event->extra = text_of(check, 2);
    if (event->args[1] == 0) {
        begin_region(check);
    } else if (event->args[1] == 1) {
        event->kind = GO_REGION_END;
        end_region(check);
    } else {
        complain(check, "a region neither begins nor ends", (int64_t)event->args[1]);
        event->kind = GO_EXPERIMENTAL;
    }
}

static void check_kind(Check *check)
{
    switch ((GoKind)check->event->kind) {
    case GO_TRANSITION:
        if (check->event->type == V1_PROC_START || check->event->type == V1_PROC_STOP) {
            check_proc(check);
        } else {
            check_goroutine(check);
        }
        return;
    case GO_RANGE_BEGIN:
    case GO_RANGE_END:
        check_range(check);
        return;
    case GO_TASK_BEGIN:
        check->event->extra = text_of(check, 2);
        create_task(check);
        return;
    case GO_TASK_END:
        end_task(check);
        return;
    case GO_REGION_BEGIN:
        check_region(check);
        return;
    default:
        return;
    }
}

bool v1_check(GoV1 *v1, GoEvent *event, uint32_t g)
{
    v1->checks.link_count = 0;
    /* move events to the pseudo processors */
    if (event->type == V1_GO_UNBLOCK && v1->state.gs[g].is_timer) event->p = V1_TIMER_P;
    if (event->type == V1_GO_SYS_EXIT) event->p = V1_SYSCALL_P;
    Check check = { .v1 = v1, .event = event, .g = g, .p = find_p(v1, event->p) };
    event->m = v1->state.ps[check.p].thread;
    if (v1->merge.is_starting && event->kind != GO_SAMPLE) {
        v1->merge.is_starting =
            event->type == V1_GO_CREATE || event->type == V1_GO_WAITING || event->type == V1_GO_IN_SYSCALL;
    }
    check_kind(&check);
    return !check.failed && !v1->out_of_memory;
}

/* Returns a log's message: from the input in memory, or from the copy in its stream. */
static StringView message_of(const GoV1 *v1, const GoEvent *event)
{
    if (v1->source.again.read == NULL)
        return (StringView){ (const char *)v1->source.bytes + event->extra_task, (size_t)event->args[3] };
    for (uint32_t i = 0; i < v1->parts.stream_count; i++) {
        for (size_t k = 0; k < 2; k++) {
            const V1Message *message = &v1->parts.streams[i].messages[k];
            if (message->at == event->extra_task)
                return (StringView){ (const char *)message->text.data, message->text.size };
        }
    }
    return (StringView){ "", 0 };
}

unsigned v1_event_texts(const GoV1 *v1, const GoEvent *event, StringView texts[2])
{
    switch (event->type) {
    case V1_STW_START: {
        const char *reason = v1_stw_reason(v1->version, event->args[0]);
        texts[0] = c_string_view(reason);
        return 1;
    }
    case V1_GO_START_LABEL:
    case V1_USER_TASK_CREATE:
    case V1_USER_REGION:
        texts[0] = go_string_view(&v1->tables, event->args[2]);
        return 1;
    case V1_USER_LOG:
        texts[0] = go_string_view(&v1->tables, event->args[1]);
        texts[1] = message_of(v1, event);
        return 2;
    default:
        return 0;
    }
}
