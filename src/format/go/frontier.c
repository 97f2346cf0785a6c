#include "format/go/frontier.h"

#include "base/checked.h"
#include "format/go/v2_spec.h"

#include <inttypes.h>
#include <stdio.h>

/* -- a thread's events -- */

/* The next batch of the thread that is not empty. */
static bool next_batch(const GoGeneration *generation, GoCursor *cursor, uint32_t batch)
{
    for (; batch != 0; batch = generation->batches[batch - 1].next) {
        const GoBatch *b = &generation->batches[batch - 1];
        if (b->size == 0) continue;
        cursor->batch = batch;
        cursor->c = cursor_over(generation->tables.bytes + b->at, b->size, generation->origin + b->at);
        cursor->time = go_ticks_to_ns(generation->ns_per_tick, b->time);
        return true;
    }
    cursor->batch = 0;
    return false;
}

/* The event's numbers are read: its time is `ticks` behind the one before it. Go converts each difference of time by itself. False:
 * beyond 2^63 ns. */
static ALWAYS_INLINE bool begin_event(const GoGeneration *generation, GoCursor *cursor, uint8_t type,
                                      uint64_t ticks)
{
    GoEvent *event = &cursor->event;
    bool     clamped = false;
    event->type = type;
    cursor->time = i64_add_clamped(cursor->time, go_ticks_to_ns(generation->ns_per_tick, ticks), &clamped);
    event->time = cursor->time;
    return !clamped;
}

/* type dt arg*. An event of short numbers that does not stand at the end of its batch: false, and nothing done, if it is not so. */
static ALWAYS_INLINE bool read_usual(const GoGeneration *generation, GoCursor *cursor)
{
    enum { MOST_BYTES = 1 + 4 * (1 + GO_MOST_ARGS) };
    ByteCursor *c = &cursor->c;
    if (UNLIKELY(c->size - c->at < MOST_BYTES)) return false;
    const uint8_t *at = c->bytes + c->at;
    const uint8_t  type = *at;
    const V2Spec  *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
    uint64_t       ticks;
    at = varint_short(at + 1, &ticks);
    if (UNLIKELY(!spec->is_timed || at == NULL)) return false;
    for (unsigned i = 0; i < spec->arg_count; i++) {
        at = varint_short(at, &cursor->event.args[i]);
        if (UNLIKELY(at == NULL)) return false;
    }
    cursor->event.offset = cursor_offset(c);
    c->at = (size_t)(at - c->bytes);
    if (UNLIKELY(!begin_event(generation, cursor, type, ticks))) {
        c->at = (size_t)(cursor->event.offset - c->origin);
        return false;
    }
    return true;
}

/* Any event. NULL, or what is wrong. */
static const char *read_event(const GoGeneration *generation, GoCursor *cursor)
{
    ByteCursor   *c = &cursor->c;
    GoEvent      *event = &cursor->event;
    uint8_t       type = cursor_u8(c);
    const V2Spec *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
    if (UNLIKELY(!spec->is_timed))
        return spec->name == NULL ? "there is no event of this type"
                                  : "an event without a time in a thread's batch";
    uint64_t ticks = cursor_varint(c, VARINT_REFUSE_EXCESS);
    if (UNLIKELY(c->failed)) return "a time runs over the batch";
    cursor_varints(c, VARINT_REFUSE_EXCESS, event->args, spec->arg_count);
    if (UNLIKELY(c->failed)) return "an argument runs over the batch";
    return begin_event(generation, cursor, type, ticks) ? NULL : "a time beyond 2^63 ns";
}

/* The thread's next event, whatever it is. False: it has no more. What cannot be read costs the rest of its batch. */
static bool cursor_find(const GoGeneration *generation, GoCursor *cursor)
{
    for (;;) {
        if (cursor_left(&cursor->c) == 0 &&
            !next_batch(generation, cursor,
                        cursor->batch == 0 ? 0 : generation->batches[cursor->batch - 1].next))
            return false;
        cursor->event.offset = cursor_offset(&cursor->c);
        const char *fault = read_event(generation, cursor);
        if (fault == NULL) return true;
        go_report(generation->report, "bad-event", cursor->event.offset,
                  "%s: the rest of this batch is lost (thread %" PRId64 ")", fault, cursor->m);
        cursor->c.at = cursor->c.size;
        cursor->c.failed = false;
    }
}

static ALWAYS_INLINE bool cursor_next(const GoGeneration *generation, GoCursor *cursor)
{
    return LIKELY(read_usual(generation, cursor)) || cursor_find(generation, cursor);
}

/* -- the heap -- */

static uint32_t heap_up(Frontier *frontier, uint32_t i)
{
    FrontierTurn *const heap = frontier->heap;
    const FrontierTurn  moved = heap[i];
    for (; i > 0 && heap[(i - 1) / 2].time > moved.time; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
    return i;
}

static ALWAYS_INLINE void heap_down(Frontier *frontier, uint32_t i)
{
    FrontierTurn *const heap = frontier->heap;
    const uint32_t      count = frontier->heap_count;
    const FrontierTurn  moved = heap[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count) break;
        /* no jump: which of the two is earlier is a toss-up (there is room behind the last) */
        child += (uint32_t)(child + 1 < count) & (uint32_t)(heap[child + 1].time < heap[child].time);
        if (heap[child].time >= moved.time) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void heap_remove(Frontier *frontier, uint32_t i)
{
    FrontierTurn *const heap = frontier->heap;
    for (; i > 0; i = (i - 1) / 2) /* what stood above it, a step down each */
        heap[i] = heap[(i - 1) / 2];
    heap[0] = heap[--frontier->heap_count];
    if (frontier->heap_count > 0) heap_down(frontier, 0);
}

/* A sorted heap is still one. Few threads mostly: insertion keeps equal times in place, as Go's sort does with up to twelve. */
static void heap_sort(Frontier *frontier)
{
    FrontierTurn *const heap = frontier->heap;
    for (uint32_t i = 1; i < frontier->heap_count; i++) {
        const FrontierTurn moved = heap[i];
        uint32_t           j = i;
        for (; j > 0 && moved.time < heap[j - 1].time; j--)
            heap[j] = heap[j - 1];
        heap[j] = moved;
    }
}

/* -- in order -- */

bool frontier_open(Frontier *frontier)
{
    GoGeneration *generation = frontier->generation;
    uint32_t      thread_count = generation->is_clock_damaged ? 0 : generation->thread_count;
    if (thread_count > frontier->capacity) {
        frontier->cursors = ARENA_ARRAY(generation->arena, GoCursor, thread_count);
        frontier->heap = ARENA_ARRAY(generation->arena, FrontierTurn, (size_t)thread_count + 1);
        frontier->capacity = 0;
        if (frontier->cursors == NULL || frontier->heap == NULL) return false;
        frontier->capacity = thread_count;
    }
    frontier->heap_count = 0;
    frontier->next_sample = generation->is_clock_damaged ? generation->sample_count : 0;
    frontier->next_before = 0;
    frontier->moved = 0;
    frontier->is_loose = false;
    frontier->is_ended = frontier->missing_string = frontier->missing_stack = false;
    frontier->scheduler->before_count = 0;
    frontier->scheduler->generation = generation->number;
    frontier->scheduler->tables = &generation->tables;
    frontier->scheduler->allows_missing = generation->is_cut;
    for (uint32_t i = 0; i < thread_count; i++) {
        GoCursor *cursor = &frontier->cursors[i];
        *cursor = (GoCursor){ .m = generation->threads[i].m };
        if (!next_batch(generation, cursor, generation->threads[i].first)) continue;
        if (!cursor_next(generation, cursor)) continue;
        frontier->heap[frontier->heap_count] = (FrontierTurn){ cursor->time, i };
        (void)heap_up(frontier, frontier->heap_count++);
    }
    frontier->apart = (GoEvent){ .kind = GO_SYNC,
                                 .time = go_ticks_to_ns(generation->ns_per_tick, generation->min_ticks),
                                 .g = GO_NONE,
                                 .p = GO_NONE,
                                 .m = GO_NONE,
                                 .offset = generation->origin,
                                 .args[0] = ++frontier->sync_count };
    frontier->current = &frontier->apart;
    return true;
}

/* In a generation that is cut short events contradict each other where others are lost between them. */
static bool is_loose(Frontier *frontier)
{
    return frontier->is_loose && !frontier->scheduler->out_of_memory;
}

static void broken(Frontier *frontier, uint64_t offset, const char *fault)
{
    go_report(frontier->generation->report, "broken-order", offset,
              "%s: what follows in generation %" PRIu64 " is lost", fault, frontier->generation->number);
    frontier->is_ended = true;
    scheduler_reset(frontier->scheduler);
}

/* The thread at `i` in the heap is done with its event: goes on to its next. */
static ALWAYS_INLINE void go_on(Frontier *frontier, uint32_t i)
{
    GoCursor *cursor = &frontier->cursors[frontier->heap[i].cursor];
    if (UNLIKELY(!cursor_next(frontier->generation, cursor))) {
        heap_remove(frontier, i);
        return;
    }
    frontier->heap[i].time = cursor->time;
    if (UNLIKELY(i != 0)) i = heap_up(frontier, i);
    heap_down(frontier, i);
}

/* Tries the event of the thread at `i` in the heap. */
static ALWAYS_INLINE Advance try_advance(Frontier *frontier, uint32_t i)
{
    GoCursor *cursor = &frontier->cursors[frontier->heap[i].cursor];
    Advance   advance = scheduler_advance(frontier->scheduler, &cursor->event, cursor->m, &cursor->self);
    if (UNLIKELY(advance == ADVANCE_BROKEN) && !is_loose(frontier))
        broken(frontier, cursor->event.offset, frontier->scheduler->fault);
    if (advance != ADVANCE_DONE) return advance;
    frontier->current = &cursor->event;
    frontier->moved = i + 1;
    return advance;
}

static void take_sample(Frontier *frontier)
{
    const GoSample *sample = &frontier->generation->samples[frontier->next_sample++];
    frontier->apart = (GoEvent){ .kind = GO_SAMPLE,
                                 .type = V2_CPU_SAMPLE,
                                 .time = sample->time,
                                 .g = sample->g,
                                 .p = sample->p,
                                 .m = sample->m,
                                 .offset = sample->offset,
                                 .args = { [GO_MOST_ARGS - 1] = sample->stack } };
    frontier->current = &frontier->apart;
    frontier->scheduler->before_count = 0;
}

/* No thread can go on. False, and all is over, unless what they wait for may be lost: then the earliest is let through, or left out if
 * that does not help. */
static bool let_through(Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    const GoCursor     *first = &frontier->cursors[frontier->heap[0].cursor];
    char                fault[96];
    snprintf(fault, sizeof fault, "no thread can go on (%s of thread %" PRId64 " waits)",
             V2_SPECS[first->event.type].name, first->m);
    if (!generation->is_cut) {
        broken(frontier, first->event.offset, fault);
        return false;
    }
    if (!frontier->is_loose)
        go_report(generation->report, "no-order", first->event.offset,
                  "%s: what is lost of generation %" PRIu64 " is taken to have let it through", fault,
                  generation->number);
    frontier->is_loose = true;
    scheduler_let_through(frontier->scheduler, &first->event, first->self);
    if (try_advance(frontier, 0) == ADVANCE_DONE) return true;
    if (is_loose(frontier)) go_on(frontier, 0);
    return false;
}

/* Lets one event take effect, if none has to be left out. False at the end. */
static ALWAYS_INLINE bool step(Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    bool                has_sample = frontier->next_sample < generation->sample_count;
    if (LIKELY(frontier->moved != 0)) go_on(frontier, frontier->moved - 1);
    frontier->moved = frontier->next_before = 0;
    if (frontier->is_ended || (frontier->heap_count == 0 && !has_sample)) return false;
    if (has_sample && (frontier->heap_count == 0 ||
                       generation->samples[frontier->next_sample].time < frontier->heap[0].time)) {
        take_sample(frontier);
        return true;
    }
    Advance  advance = try_advance(frontier, 0);
    uint32_t tried = 0;
    if (LIKELY(advance == ADVANCE_DONE)) return true;
    if (advance == ADVANCE_WAITS) heap_sort(frontier);
    while (advance == ADVANCE_WAITS && ++tried < frontier->heap_count)
        advance = try_advance(frontier, tried);
    if (advance == ADVANCE_WAITS) return let_through(frontier);
    if (advance == ADVANCE_BROKEN && is_loose(frontier)) go_on(frontier, tried);
    return advance == ADVANCE_DONE;
}

static inline uint32_t find_stack(Frontier *frontier, const GoEvent *event, unsigned arg)
{
    uint64_t id = event->args[arg];
    uint32_t place = go_stack_find(&frontier->generation->tables, id);
    if (UNLIKELY(place == 0 && id != 0 && !frontier->missing_stack)) {
        frontier->missing_stack = true;
        go_report(frontier->generation->report, "missing-stack", event->offset,
                  "%s names stack %" PRIu64 ", which generation %" PRIu64 " does not have",
                  V2_SPECS[event->type].name, id, frontier->generation->number);
    }
    return place;
}

/* Looks up what the event refers to. */
static void resolve(Frontier *frontier, GoEvent *event)
{
    const V2Spec *spec = &V2_SPECS[event->type];
    if (spec->stack_arg != 0) event->stack = find_stack(frontier, event, spec->stack_arg - 1u);
    if (event->type == V2_GO_CREATE || event->type == V2_GO_CREATE_BLOCKED)
        event->id_stack = find_stack(frontier, event, 1);
    for (unsigned strings = spec->strings, i = 0; strings != 0; strings >>= 1, i++) {
        uint64_t id = event->args[i];
        if ((strings & 1) == 0 || id == 0 || go_string_find(&frontier->generation->tables, id) != 0) continue;
        if (frontier->missing_string) continue;
        frontier->missing_string = true;
        go_report(frontier->generation->report, "missing-string", event->offset,
                  "%s names string %" PRIu64 ", which generation %" PRIu64 " does not have", spec->name, id,
                  frontier->generation->number);
    }
}

static void bump(Frontier *frontier, GoEvent *event)
{
    if (event->time <= frontier->last_time && frontier->last_time < INT64_MAX)
        event->time = frontier->last_time + 1;
    frontier->last_time = event->time;
}

static bool has_more(const Frontier *frontier)
{
    const bool has_sample = frontier->next_sample < frontier->generation->sample_count;
    return !frontier->is_ended && (frontier->heap_count > 0 || has_sample);
}

const GoEvent *frontier_next(Frontier *frontier)
{
    const Scheduler *scheduler = frontier->scheduler;
    GoEvent         *event;
    while (frontier->current == NULL && !step(frontier)) {
        if (has_more(frontier)) continue;
        if (frontier->is_loose) scheduler_reset(frontier->scheduler);
        return NULL;
    }
    if (UNLIKELY(frontier->next_before < scheduler->before_count)) {
        event = &frontier->scheduler->before[frontier->next_before++];
    } else {
        event = frontier->current;
        frontier->current = NULL;
    }
    if (event->kind != GO_SYNC) resolve(frontier, event);
    bump(frontier, event);
    return event;
}

/* -- steps -- */

/* What the step of a thread's event refers to: its stack's place. False: its stack or string is not there. */
static ALWAYS_INLINE bool resolve_step(const GoTables *tables, const GoEvent *event, uint32_t *stack)
{
    uint64_t id = 0, string = 0;
    if (event->type == V2_GO_UNBLOCK) {
        id = event->args[2];
    } else if (event->type == V2_GO_BLOCK || event->type == V2_GO_STOP) {
        string = event->args[0];
        id = event->args[1];
    } else if (event->type == V2_GO_SYSCALL_BEGIN) {
        id = event->args[1];
    }
    *stack = go_stack_find(tables, id);
    return (id == 0 || *stack != 0) && (string == 0 || go_string_find(tables, string) != 0);
}

/* The steps of the thread that comes first, as long as it does: up to the time of `limit`. Behind the last of them *more is
 * whether another step may come. */
static uint32_t thread_steps(Frontier *frontier, int64_t limit, GoStep *steps, uint32_t most, bool *more)
{
    const GoGeneration *generation = frontier->generation;
    GoCursor           *cursor = &frontier->cursors[frontier->heap[0].cursor];
    const GoEvent      *event = &cursor->event;
    int64_t             last_time = frontier->last_time;
    uint32_t            count = 0;
    for (*more = false; count < most && cursor->time <= limit;) {
        GoStep *step = &steps[count];
        if (!resolve_step(&generation->tables, event, &step->stack) ||
            !scheduler_step(frontier->scheduler, event->type, event->args, cursor->self, step))
            break;
        last_time = event->time > last_time || last_time == INT64_MAX ? event->time : last_time + 1;
        step->time = last_time;
        step->offset = event->offset;
        step->type = event->type;
        count++;
        if (UNLIKELY(!read_usual(generation, cursor))) {
            frontier->moved = 1;
            *more = true;
            break;
        }
    }
    *more |= count == most || cursor->time > limit;
    frontier->last_time = last_time;
    frontier->heap[0].time = cursor->time;
    return count;
}

/* Up to this time the thread that comes first goes on. */
static int64_t limit_of_first(const Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    int64_t             limit = INT64_MAX;
    for (uint32_t i = 1; i < 3 && i < frontier->heap_count; i++)
        if (frontier->heap[i].time < limit) limit = frontier->heap[i].time;
    if (frontier->next_sample < generation->sample_count &&
        generation->samples[frontier->next_sample].time < limit)
        limit = generation->samples[frontier->next_sample].time;
    return limit;
}

uint32_t frontier_steps(Frontier *frontier, GoStep *steps, uint32_t most)
{
    uint32_t count = 0;
    bool     more = frontier->current == NULL && !frontier->is_ended;
    while (more && count < most) {
        if (frontier->moved != 0) go_on(frontier, frontier->moved - 1);
        frontier->moved = 0;
        if (frontier->heap_count == 0) break;
        const int64_t limit = limit_of_first(frontier);
        if (frontier->cursors[frontier->heap[0].cursor].self == 0 || frontier->heap[0].time > limit) break;
        count += thread_steps(frontier, limit, steps + count, most - count, &more);
        if (frontier->moved == 0) heap_down(frontier, 0);
    }
    return count;
}

const GoEvent *frontier_end(Frontier *frontier)
{
    frontier->apart = (GoEvent){ .kind = GO_SYNC,
                                 .time = frontier->last_time,
                                 .g = GO_NONE,
                                 .p = GO_NONE,
                                 .m = GO_NONE,
                                 .args[0] = ++frontier->sync_count };
    bump(frontier, &frontier->apart);
    return &frontier->apart;
}
