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
        cursor->event.time = go_ticks_to_ns(generation->ns_per_tick, b->time);
        return true;
    }
    cursor->batch = 0;
    return false;
}

/* type dt arg*; Go converts each difference of time by itself. */
static const char *read_event(const GoGeneration *generation, GoCursor *cursor)
{
    ByteCursor   *c = &cursor->c;
    GoEvent      *event = &cursor->event;
    uint8_t       type = cursor_u8(c);
    const V2Spec *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
    if (!spec->is_timed || type == V2_CLOCK_SNAPSHOT)
        return spec->name == NULL ? "there is no event of this type"
                                  : "an event without a time in a thread's batch";
    uint64_t ticks = cursor_varint(c, VARINT_REFUSE_EXCESS);
    if (c->failed) return "a time runs over the batch";
    cursor_varints(c, VARINT_REFUSE_EXCESS, event->args, spec->arg_count);
    if (c->failed) return "an argument runs over the batch";
    bool clamped = false;
    event->type = type;
    event->time = i64_add_clamped(event->time, go_ticks_to_ns(generation->ns_per_tick, ticks), &clamped);
    return clamped ? "a time beyond 2^63 ns" : NULL;
}

/* The thread's next event. False: it has no more. What cannot be read costs the rest of its batch. */
static bool cursor_next(const GoGeneration *generation, GoCursor *cursor)
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

/* -- the heap -- */

static int64_t heap_time(const Frontier *frontier, uint32_t i)
{
    return frontier->cursors[frontier->heap[i]].event.time;
}

static void heap_swap(Frontier *frontier, uint32_t a, uint32_t b)
{
    uint32_t moved = frontier->heap[a];
    frontier->heap[a] = frontier->heap[b];
    frontier->heap[b] = moved;
}

static uint32_t heap_up(Frontier *frontier, uint32_t i)
{
    while (i > 0 && heap_time(frontier, (i - 1) / 2) > heap_time(frontier, i)) {
        heap_swap(frontier, (i - 1) / 2, i);
        i = (i - 1) / 2;
    }
    return i;
}

static void heap_down(Frontier *frontier, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < frontier->heap_count; child++) {
            if (heap_time(frontier, child) < heap_time(frontier, least)) least = child;
        }
        if (least == i) return;
        heap_swap(frontier, i, least);
        i = least;
    }
}

static void heap_remove(Frontier *frontier, uint32_t i)
{
    for (; i > 0; i = (i - 1) / 2)
        heap_swap(frontier, (i - 1) / 2, i);
    heap_swap(frontier, 0, --frontier->heap_count);
    heap_down(frontier, 0);
}

/* A sorted heap is still one. Few threads mostly: insertion keeps equal times in place, as Go's sort does with up to twelve. */
static void heap_sort(Frontier *frontier)
{
    for (uint32_t i = 1; i < frontier->heap_count; i++) {
        for (uint32_t j = i; j > 0 && heap_time(frontier, j) < heap_time(frontier, j - 1); j--)
            heap_swap(frontier, j, j - 1);
    }
}

/* -- in order -- */

bool frontier_open(Frontier *frontier)
{
    GoGeneration *generation = frontier->generation;
    uint32_t      thread_count = generation->is_clock_damaged ? 0 : generation->thread_count;
    if (thread_count > frontier->capacity) {
        frontier->cursors = ARENA_ARRAY(generation->arena, GoCursor, thread_count);
        frontier->heap = ARENA_ARRAY(generation->arena, uint32_t, thread_count);
        frontier->capacity = 0;
        if (frontier->cursors == NULL || frontier->heap == NULL) return false;
        frontier->capacity = thread_count;
    }
    frontier->heap_count = 0;
    frontier->next_sample = generation->is_clock_damaged ? generation->sample_count : 0;
    frontier->next_out = 0;
    frontier->is_ended = frontier->missing_string = frontier->missing_stack = false;
    frontier->scheduler->out_count = 0;
    frontier->scheduler->generation = generation->number;
    frontier->scheduler->tables = &generation->tables;
    frontier->scheduler->allows_missing = generation->is_cut;
    for (uint32_t i = 0; i < thread_count; i++) {
        GoCursor *cursor = &frontier->cursors[i];
        *cursor = (GoCursor){ .m = generation->threads[i].m };
        if (!next_batch(generation, cursor, generation->threads[i].first)) continue;
        if (!cursor_next(generation, cursor)) continue;
        frontier->heap[frontier->heap_count] = i;
        (void)heap_up(frontier, frontier->heap_count++);
    }
    frontier->scheduler->out[0] =
        (GoEvent){ .kind = GO_SYNC,
                   .time = go_ticks_to_ns(generation->ns_per_tick, generation->min_ticks),
                   .g = GO_NONE,
                   .p = GO_NONE,
                   .m = GO_NONE,
                   .offset = generation->origin,
                   .args[0] = ++frontier->sync_count };
    frontier->scheduler->out_count = 1;
    return true;
}

static void broken(Frontier *frontier, uint64_t offset, const char *fault)
{
    go_report(frontier->generation->report, "broken-order", offset,
              "%s: what follows in generation %" PRIu64 " is lost", fault, frontier->generation->number);
    frontier->is_ended = true;
    scheduler_reset(frontier->scheduler);
}

/* Tries the event of the thread at `i` in the heap and goes on to its next. */
static Advance try_advance(Frontier *frontier, uint32_t i)
{
    GoCursor *cursor = &frontier->cursors[frontier->heap[i]];
    Advance   advance = scheduler_advance(frontier->scheduler, &cursor->event, cursor->m);
    if (advance == ADVANCE_BROKEN) broken(frontier, cursor->event.offset, frontier->scheduler->fault);
    if (advance != ADVANCE_DONE) return advance;
    if (!cursor_next(frontier->generation, cursor)) {
        heap_remove(frontier, i);
    } else if (heap_up(frontier, i) == i) {
        heap_down(frontier, i);
    }
    return advance;
}

static void take_sample(Frontier *frontier)
{
    const GoSample *sample = &frontier->generation->samples[frontier->next_sample++];
    GoEvent        *out = &frontier->scheduler->out[0];
    *out = (GoEvent){ .kind = GO_SAMPLE,
                      .type = V2_CPU_SAMPLE,
                      .time = sample->time,
                      .g = sample->g,
                      .p = sample->p,
                      .m = sample->m,
                      .offset = sample->offset,
                      .args = { [GO_MOST_ARGS - 1] = sample->stack } };
    frontier->scheduler->out_count = 1;
}

/* Lets one event take effect. False at the end. */
static bool step(Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    bool                has_sample = frontier->next_sample < generation->sample_count;
    if (frontier->is_ended || (frontier->heap_count == 0 && !has_sample)) return false;
    frontier->next_out = 0;
    if (has_sample && (frontier->heap_count == 0 ||
                       generation->samples[frontier->next_sample].time < heap_time(frontier, 0))) {
        take_sample(frontier);
        return true;
    }
    Advance advance = try_advance(frontier, 0);
    if (LIKELY(advance == ADVANCE_DONE)) return true;
    if (advance == ADVANCE_WAITS) heap_sort(frontier);
    for (uint32_t i = 1; advance == ADVANCE_WAITS && i < frontier->heap_count; i++)
        advance = try_advance(frontier, i);
    if (advance == ADVANCE_WAITS) {
        const GoCursor *first = &frontier->cursors[frontier->heap[0]];
        char            fault[96];
        snprintf(fault, sizeof fault, "no thread can go on (%s of thread %" PRId64 " waits)",
                 V2_SPECS[first->event.type].name, first->m);
        broken(frontier, first->event.offset, fault);
    }
    return advance == ADVANCE_DONE;
}

static uint32_t find_stack(Frontier *frontier, const GoEvent *event, unsigned arg)
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

bool frontier_next(Frontier *frontier, GoEvent *event)
{
    const Scheduler *scheduler = frontier->scheduler;
    if (frontier->next_out >= scheduler->out_count && !step(frontier)) return false;
    *event = scheduler->out[frontier->next_out++];
    if (event->kind != GO_SYNC) resolve(frontier, event);
    bump(frontier, event);
    return true;
}

void frontier_end(Frontier *frontier, GoEvent *event)
{
    *event = (GoEvent){ .kind = GO_SYNC,
                        .time = frontier->last_time,
                        .g = GO_NONE,
                        .p = GO_NONE,
                        .m = GO_NONE,
                        .args[0] = ++frontier->sync_count };
    bump(frontier, event);
}
