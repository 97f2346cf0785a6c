#include "format/go/v2/frontier.h"

#include "base/checked.h"
#include "format/go/v2/spec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* -- a thread's events -- */

static ByteCursor batch_bytes(GoGeneration *generation, GoCursor *cursor, const GoBatch *batch)
{
    const uint64_t offset = generation->origin + batch->at;
    if (generation->again.read == NULL)
        return cursor_over(generation->tables.bytes + batch->at, batch->size, offset);
    cursor->loaded.size = 0;
    if (!go_buffer_load(generation->arena, &cursor->loaded, &generation->again, offset, batch->size))
        generation->out_of_memory = true;
    return cursor_over(cursor->loaded.data, cursor->loaded.size, offset);
}

/* Moves to the thread's next batch that is not empty. */
static bool next_batch(GoGeneration *generation, GoCursor *cursor, uint32_t batch)
{
    for (; batch != 0; batch = generation->batches[batch - 1].next) {
        const GoBatch *b = &generation->batches[batch - 1];
        assert(batch <= generation->batch_count);
        if (b->size == 0) continue;
        cursor->batch = batch;
        cursor->c = batch_bytes(generation, cursor, b);
        if (cursor_left(&cursor->c) == 0) continue;
        cursor->time = go_ticks_to_ns(generation->ns_per_tick, b->time);
        return true;
    }
    cursor->batch = 0;
    return false;
}

/* Moves to the time of an event `ticks` after the one before it. Go's reader converts each difference by itself. False,
 * without effect: beyond 2^63 ns. */
static ALWAYS_INLINE bool pass_time(const GoGeneration *generation, GoCursor *cursor, uint64_t ticks)
{
    bool          clamped = false;
    const int64_t time =
        i64_add_clamped(cursor->time, go_ticks_to_ns(generation->ns_per_tick, ticks), &clamped);
    if (UNLIKELY(clamped)) return false;
    cursor->time = time;
    return true;
}

static void begin_event(GoCursor *cursor, uint8_t type)
{
    cursor->event.type = cursor->event.record_type = type;
    cursor->event.time = cursor->time;
}

/* Reads the time of an event (type dt arg*) that is not near the end of its batch. False, without effect, for
 * others. */
static ALWAYS_INLINE bool read_time(const GoGeneration *generation, GoCursor *cursor)
{
    enum { MOST_BYTES = 1 + 4 };
    ByteCursor *const c = &cursor->c;
    if (UNLIKELY(c->size - c->at < MOST_BYTES)) return false;
    const uint8_t *const begin = c->bytes + c->at;
    uint64_t             ticks;
    const uint8_t *const at = varint_brief(begin + 1, &ticks);
    if (UNLIKELY(at == NULL || !V2_SPECS[*begin < V2_TYPE_COUNT ? *begin : 0].is_timed ||
                 !pass_time(generation, cursor, ticks)))
        return false;
    cursor->begin = c->at;
    cursor->is_read = false;
    c->at = (size_t)(at - c->bytes);
    return true;
}

static const char ARGUMENT_FAULT[] = "an argument runs over the batch";

static void lose_batch(const GoGeneration *generation, GoCursor *cursor, const char *fault)
{
    go_report(generation->report, "bad-event", cursor->event.offset,
              "%s: the rest of this batch is lost (thread %" PRId64 ")", fault, cursor->m);
    cursor->c.at = cursor->c.size;
    cursor->c.failed = false;
}

/* Reads an event of any kind. Returns NULL or the fault. */
static const char *read_event(const GoGeneration *generation, GoCursor *cursor)
{
    ByteCursor   *c = &cursor->c;
    GoEvent      *event = &cursor->event;
    uint8_t       type = cursor_u8(c);
    const V2Spec *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
    if (UNLIKELY(!spec->is_timed))
        return spec->name == NULL ? "unknown event type" : "an event without a time in a thread's batch";
    uint64_t ticks = cursor_varint(c, ULEB_REFUSE_EXCESS);
    if (UNLIKELY(c->failed)) return "a time runs over the batch";
    cursor_varints(c, ULEB_REFUSE_EXCESS, event->args, spec->arg_count);
    if (UNLIKELY(c->failed)) return ARGUMENT_FAULT;
    if (!pass_time(generation, cursor, ticks)) return "a time beyond 2^63 ns";
    begin_event(cursor, type);
    return NULL;
}

/* Finds the thread's next event of any kind. False at its end. A fault skips the rest of the batch. */
static bool cursor_find(GoGeneration *generation, GoCursor *cursor)
{
    for (;;) {
        if (cursor_left(&cursor->c) == 0 &&
            !next_batch(generation, cursor,
                        cursor->batch == 0 ? 0 : generation->batches[cursor->batch - 1].next))
            return false;
        cursor->event.offset = cursor_offset(&cursor->c);
        cursor->is_read = true;
        const char *fault = read_event(generation, cursor);
        if (fault == NULL) return true;
        lose_batch(generation, cursor, fault);
    }
}

static ALWAYS_INLINE bool cursor_next(GoGeneration *generation, GoCursor *cursor)
{
    return LIKELY(read_time(generation, cursor)) || cursor_find(generation, cursor);
}

/* Decodes the event. False: it cannot be read, and the thread must move on. */
static ALWAYS_INLINE bool cursor_read(const GoGeneration *generation, GoCursor *cursor)
{
    if (cursor->is_read) return true;
    cursor->is_read = true;
    cursor->event.offset = cursor->c.origin + cursor->begin;
    begin_event(cursor, cursor->c.bytes[cursor->begin]);
    const unsigned count = V2_SPECS[cursor->event.type].arg_count;
    cursor_varints(&cursor->c, ULEB_REFUSE_EXCESS, cursor->event.args, count);
    if (LIKELY(!cursor->c.failed)) return true;
    lose_batch(generation, cursor, ARGUMENT_FAULT);
    return false;
}

/* -- the heap -- */

static void heap_put(Frontier *frontier, uint32_t i, int64_t time, uint32_t cursor)
{
    frontier->heap_time[i] = time;
    frontier->heap_cursor[i] = cursor;
}

static void heap_copy(Frontier *frontier, uint32_t to, uint32_t from)
{
    heap_put(frontier, to, frontier->heap_time[from], frontier->heap_cursor[from]);
}

/* Sets the number of threads in the heap. */
static void heap_set_count(Frontier *frontier, uint32_t count)
{
    frontier->heap_count = count;
    for (uint32_t i = count; i < count + HEAP_BEHIND; i++)
        heap_put(frontier, i, INT64_MAX, 0);
}

static uint32_t heap_up(Frontier *frontier, uint32_t i)
{
    const int64_t  time = frontier->heap_time[i];
    const uint32_t cursor = frontier->heap_cursor[i];
    for (; i > 0 && frontier->heap_time[(i - 1) / 2] > time; i = (i - 1) / 2)
        heap_copy(frontier, i, (i - 1) / 2);
    heap_put(frontier, i, time, cursor);
    return i;
}

static void heap_remove(Frontier *frontier, uint32_t i)
{
    assert(i < frontier->heap_count);
    for (; i > 0; i = (i - 1) / 2) /* move its ancestors down */
        heap_copy(frontier, i, (i - 1) / 2);
    heap_copy(frontier, 0, frontier->heap_count - 1);
    heap_set_count(frontier, frontier->heap_count - 1);
    if (frontier->heap_count > 0) frontier_heap_down(frontier, 0);
}

/* Sorts the heap, which keeps it a heap. Threads are few. Insertion keeps equal times in place, as Go's sort does with
 * up to twelve items. */
static void heap_sort(Frontier *frontier)
{
    for (uint32_t i = 1; i < frontier->heap_count; i++) {
        const int64_t  time = frontier->heap_time[i];
        const uint32_t cursor = frontier->heap_cursor[i];
        uint32_t       j = i;
        for (; j > 0 && time < frontier->heap_time[j - 1]; j--)
            heap_copy(frontier, j, j - 1);
        heap_put(frontier, j, time, cursor);
    }
}

/* -- the order -- */

/* Makes room for `count` threads and keeps their buffers. False when out of memory. */
static bool reserve_cursors(Frontier *frontier, uint32_t count)
{
    Arena *const arena = frontier->generation->arena;
    if (count <= frontier->capacity) return true;
    GoCursor *const cursors = ARENA_ARRAY(arena, GoCursor, count);
    frontier->heap_time = ARENA_ARRAY(arena, int64_t, (size_t)count + HEAP_BEHIND);
    frontier->heap_cursor = ARENA_ARRAY(arena, uint32_t, (size_t)count + HEAP_BEHIND);
    if (cursors == NULL || frontier->heap_time == NULL || frontier->heap_cursor == NULL) return false;
    for (uint32_t i = 0; i < frontier->capacity; i++)
        cursors[i].loaded = frontier->cursors[i].loaded;
    frontier->cursors = cursors;
    frontier->capacity = count;
    return true;
}

bool frontier_open(Frontier *frontier)
{
    GoGeneration *generation = frontier->generation;
    uint32_t      thread_count = generation->is_clock_damaged ? 0 : generation->thread_count;
    if (!reserve_cursors(frontier, thread_count)) return false;
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
        *cursor = (GoCursor){ .m = generation->threads[i].m, .loaded = cursor->loaded };
        if (!next_batch(generation, cursor, generation->threads[i].first)) continue;
        if (!cursor_next(generation, cursor)) continue;
        heap_put(frontier, frontier->heap_count, cursor->time, i);
        (void)heap_up(frontier, frontier->heap_count);
        heap_set_count(frontier, frontier->heap_count + 1);
    }
    assert(frontier->heap_count <= thread_count);
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

/* True in a cut generation, where events may contradict each other because others are lost. */
static bool is_loose(Frontier *frontier)
{
    return frontier->is_loose && !frontier->scheduler->out_of_memory;
}

static void broken(Frontier *frontier, uint64_t offset, const char *fault)
{
    go_report(frontier->generation->report, "broken-order", offset,
              "%s: the rest of generation %" PRIu64 " is lost", fault, frontier->generation->number);
    frontier->is_ended = true;
    scheduler_reset(frontier->scheduler);
}

/* The thread at `i` in the heap is done with its event: goes on to its next. */
void frontier_go_on(Frontier *frontier, uint32_t i)
{
    assert(i < frontier->heap_count);
    GoCursor *cursor = &frontier->cursors[frontier->heap_cursor[i]];
    if (UNLIKELY(!cursor_next(frontier->generation, cursor))) {
        heap_remove(frontier, i);
        return;
    }
    frontier->heap_time[i] = cursor->time;
    if (UNLIKELY(i != 0)) i = heap_up(frontier, i);
    frontier_heap_down(frontier, i);
}

/* Tries the event of the thread at heap index `i`. Skips an invalid one in a cut generation. */
static ALWAYS_INLINE Advance try_advance(Frontier *frontier, uint32_t i)
{
    GoCursor *cursor = &frontier->cursors[frontier->heap_cursor[i]];
    if (UNLIKELY(!cursor_read(frontier->generation, cursor))) {
        frontier_go_on(frontier, i);
        return ADVANCE_BROKEN;
    }
    Advance advance = scheduler_advance(frontier->scheduler, &cursor->event, cursor->m, &cursor->self);
    if (UNLIKELY(advance == ADVANCE_BROKEN)) {
        if (is_loose(frontier)) {
            frontier_go_on(frontier, i);
        } else {
            broken(frontier, cursor->event.offset, frontier->scheduler->fault);
        }
    }
    if (advance != ADVANCE_DONE) return advance;
    frontier->current = &cursor->event;
    frontier->moved = i + 1;
    return advance;
}

static void take_sample(Frontier *frontier)
{
    assert(frontier->next_sample < frontier->generation->sample_count);
    const GoSample *sample = &frontier->generation->samples[frontier->next_sample++];
    frontier->apart = (GoEvent){ .kind = GO_SAMPLE,
                                 .type = V2_CPU_SAMPLE,
                                 .record_type = V2_CPU_SAMPLE,
                                 .time = sample->time,
                                 .g = sample->g,
                                 .p = sample->p,
                                 .m = sample->m,
                                 .offset = sample->offset,
                                 .args = { [GO_MOST_ARGS - 1] = sample->stack } };
    frontier->current = &frontier->apart;
    frontier->scheduler->before_count = 0;
}

/* Handles the state in which no thread can continue. In a cut generation the cause may be lost: the earliest event is
 * let through, or else skipped. Otherwise, returns false: the end. */
static bool let_through(Frontier *frontier)
{
    assert(frontier->heap_count > 0);
    const GoGeneration *generation = frontier->generation;
    const GoCursor     *first = &frontier->cursors[frontier->heap_cursor[0]];
    char                fault[96];
    snprintf(fault, sizeof fault, "no thread can go on (%s of thread %" PRId64 " waits)",
             V2_SPECS[first->event.type].name, first->m);
    if (!generation->is_cut) {
        broken(frontier, first->event.offset, fault);
        return false;
    }
    if (!frontier->is_loose)
        go_report(generation->report, "no-order", first->event.offset,
                  "%s: the lost part of generation %" PRIu64 " is assumed to contain the missing event",
                  fault, generation->number);
    frontier->is_loose = true;
    scheduler_let_through(frontier->scheduler, &first->event, first->self);
    const Advance advance = try_advance(frontier, 0);
    if (advance == ADVANCE_WAITS && is_loose(frontier)) frontier_go_on(frontier, 0);
    return advance == ADVANCE_DONE;
}

/* Takes one event, or skips one. False at the end. */
static ALWAYS_INLINE bool step(Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    bool                has_sample = frontier->next_sample < generation->sample_count;
    if (LIKELY(frontier->moved != 0)) frontier_go_on(frontier, frontier->moved - 1);
    frontier->moved = frontier->next_before = 0;
    if (frontier->is_ended || (frontier->heap_count == 0 && !has_sample)) return false;
    if (has_sample && (frontier->heap_count == 0 ||
                       generation->samples[frontier->next_sample].time < frontier->heap_time[0])) {
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

/* Finds the stacks and checks the strings of the event. */
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
        assert(frontier->current != NULL);
        event = frontier->current;
        frontier->current = NULL;
    }
    if (event->kind != GO_SYNC) resolve(frontier, event);
    bump(frontier, event);
    return event;
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
