/* Second pass: merges the streams of the processors into the order of causes. */
#include "base/compare.h"
#include "format/go/v1/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* -- goroutines -- */

uint32_t v1_add_g(GoV1 *v1, uint64_t id)
{
    V1G     *gs = v1->state.gs;
    uint32_t place = v1->state.free_g;
    if (place == 0) {
        gs = arena_grow(v1->arena, v1->state.gs, v1->state.g_count, &v1->state.g_capacity, sizeof *gs);
        place = v1->state.g_count;
    }
    if (gs == NULL || !id_map_put(&v1->state.g_map, id, place)) {
        v1->out_of_memory = true;
        return 0;
    }
    v1->state.gs = gs;
    if (place == v1->state.g_count) {
        v1->state.g_count++;
    } else {
        v1->state.free_g = gs[place].wakeup;
    }
    gs[place] = (V1G){ .id = id,
                       .model = GO_STATE_NOT_EXIST,
                       .is_timer = id_map_find(&v1->checks.timer_gs, id) != 0 };
    return place;
}

static void forget_wakeups(GoV1 *v1, V1G *g)
{
    while (g->wakeup != 0) {
        V1Wakeup *wakeup = &v1->wakeups.items[g->wakeup - 1];
        uint32_t  before = wakeup->before;
        wakeup->before = v1->wakeups.free;
        v1->wakeups.free = g->wakeup;
        g->wakeup = before;
    }
}

/* Frees the place of a goroutine after its end. */
static void forget_g(GoV1 *v1, uint64_t id)
{
    uint32_t place = id_map_find(&v1->state.g_map, id);
    V1G     *g = &v1->state.gs[place];
    /* waiting streams or open regions, in a damaged trace: it stays */
    if (place == 0 || g->waiter != 0 || g->region != 0) return;
    id_map_remove(&v1->state.g_map, id);
    forget_wakeups(v1, g);
    g->wakeup = v1->state.free_g;
    v1->state.free_g = place;
}

/* -- a stream -- */

/* Converts a record to the stream's event. Numbers after the record's are zero. The time is the stream's; so are G and
 * P unless the type sets others. */
static void make_event(const GoV1 *v1, V1Stream *stream, const V1Record *record)
{
    const V1Spec   *spec = &V1_SPECS[record->type];
    const unsigned  first = v1->version < GO_1_7 ? 2 : 1;
    const unsigned  wanted = v1->layouts.number_counts[record->type];
    const unsigned  values = wanted - first - (unsigned)spec->has_stack;
    const uint64_t *numbers = record->numbers + first;
    assert(wanted >= first + (unsigned)spec->has_stack && values <= V1_MOST_VALUES);
    GoEvent *event = &stream->event;
    *event = (GoEvent){
        .type = record->type, .kind = spec->kind, .offset = record->offset, .p = stream->p, .m = GO_NONE
    };
    if (first == 2) stream->seq += numbers[-2];
    stream->ticks += numbers[-1];
    event->time = (int64_t)stream->ticks;
    for (unsigned i = 0; i < V1_MOST_VALUES; i++)
        event->args[i] = i < values ? numbers[i] : 0;
    if (spec->has_stack) event->args[V1_STACK_ARG] = numbers[values];
    v1_choose_who(stream, V1_WHOSE[spec->whose], event->args[0]);
    if (UNLIKELY(record->type == V1_USER_LOG)) { /* its message follows its numbers */
        event->extra_task = record->message_at;
        event->args[3] = record->message_size;
    }
}

/* Loads a batch, usually 64 KB. If the bytes cannot be read again, the batch ends there. */
static void load_segment(GoV1 *v1, V1Stream *stream, const V1Segment *segment)
{
    stream->loaded.size = 0;
    if (!go_buffer_load(v1->arena, &stream->loaded, &v1->source.again, segment->begin,
                        (size_t)(segment->end - segment->begin)))
        v1->out_of_memory = true;
    stream->c = cursor_over(stream->loaded.data, stream->loaded.size, segment->begin);
}

static bool begin_stream_segment(GoV1 *v1, V1Stream *stream, uint32_t place)
{
    stream->segment = place;
    if (place == 0) return false;
    const V1Segment *segment = &v1->parts.segments[place - 1];
    if (v1->source.again.read != NULL) {
        load_segment(v1, stream, segment);
    } else {
        stream->c = cursor_over(v1->source.bytes, (size_t)segment->end, 0);
        stream->c.at = (size_t)segment->begin;
    }
    stream->ticks = segment->ticks;
    stream->seq = segment->seq;
    return true;
}

/* Copies the message of a log, which must outlive its batch. */
static void keep_message(GoV1 *v1, V1Stream *stream, const V1Record *record)
{
    V1Message *message = &stream->messages[stream->next_message];
    stream->next_message ^= 1;
    message->at = record->message_at;
    message->text.size = 0;
    if (!go_buffer_reserve(v1->arena, &message->text, record->message_size)) {
        v1->out_of_memory = true;
        return;
    }
    if (record->message_size > 0)
        memcpy(message->text.data, stream->c.bytes + (record->message_at - stream->c.origin),
               record->message_size);
    message->text.size = record->message_size;
}

/* Finds the stream's next event of any kind. False at its end. Skips silently the records that the scan reported. */
static bool stream_find(GoV1 *v1, V1Stream *stream)
{
    for (;;) {
        V1Record record = { .numbers = { 0 } };
        while (cursor_left(&stream->c) == 0) {
            uint32_t next = stream->segment == 0 ? 0 : v1->parts.segments[stream->segment - 1].next;
            if (!begin_stream_segment(v1, stream, next)) return false;
        }
        if (v1_read_record(&stream->c, v1->version, &record) != V1_RECORD_GOOD) {
            stream->c.failed = false;
            stream->c.at = stream->c.size;
            continue;
        }
        if (record.type >= V1_TYPE_COUNT) continue;
        const V1Spec *spec = &V1_SPECS[record.type];
        if (spec->name == NULL || spec->since > v1->version || spec->kind == GO_BAD) continue;
        if (record.count < v1->layouts.number_counts[record.type]) continue;
        if (record.type == V1_CPU_SAMPLE) { /* merged separately, by its own time */
            stream->ticks += record.numbers[0];
            continue;
        }
        make_event(v1, stream, &record);
        if (UNLIKELY(record.type == V1_USER_LOG && v1->source.again.read != NULL))
            keep_message(v1, stream, &record);
        return !v1->out_of_memory;
    }
}

static ALWAYS_INLINE bool stream_read(GoV1 *v1, V1Stream *stream)
{
    stream->is_read = true;
    return LIKELY(v1_read_plain(v1, stream)) || stream_find(v1, stream);
}

/* Reads the time of the stream's next event, or the whole event. */
static ALWAYS_INLINE bool stream_next(GoV1 *v1, V1Stream *stream)
{
    return LIKELY(v1_read_time(v1, stream)) || stream_read(v1, stream);
}

/* -- the merge heap: by time, then offset -- */

static bool comes_before(const GoV1 *v1, uint32_t a, uint32_t b)
{
    const GoEvent *x = &v1->parts.streams[a].event, *y = &v1->parts.streams[b].event;
    return x->time != y->time ? x->time < y->time : x->offset < y->offset;
}

/* Returns the heap entry of a stream, no earlier than `ticks`: the fast path may have advanced others to there. Entries
 * at `ticks` are ordered by their original times. Without the fast path all others have come that far anyway. */
static MergeEntry entry_behind(const GoV1 *v1, uint32_t index, uint64_t ticks)
{
    const GoEvent *event = &v1->parts.streams[index].event;
    if (LIKELY(v1->merge.steps_end == 0 || event->time >= (int64_t)ticks))
        return (MergeEntry){ event->time, (int64_t)event->offset, index };
    return (MergeEntry){ (int64_t)ticks, (int64_t)((uint64_t)event->time - ticks), index };
}

static MergeEntry entry_of(const GoV1 *v1, uint32_t index)
{
    return entry_behind(v1, index, v1->parts.streams[index].last_out);
}

/* After a change of the goroutine, enters the streams that wait for it into the heap if they are ready. */
static void wake_waiters(GoV1 *v1, V1G *g)
{
    uint32_t waiter = g->waiter;
    g->waiter = 0;
    while (waiter != 0) {
        V1Stream *stream = &v1->parts.streams[waiter - 1];
        assert(waiter <= v1->parts.stream_count);
        uint32_t next = stream->next_waiter;
        if (v1_is_ready(v1, g, &stream->event)) {
            merge_heap_enter(&v1->merge.ready, entry_behind(v1, waiter - 1, g->last_ticks));
        } else {
            stream->next_waiter = g->waiter;
            g->waiter = waiter;
        }
        waiter = next;
    }
}

/* -- the order of 1.5: each event has a number -- */

static uint64_t most_events(const GoV1 *v1)
{
    uint64_t most = 0;
    for (size_t type = 0; type < V1_TYPE_COUNT; type++) {
        if (V1_SPECS[type].kind != GO_BAD) most += v1->scan.counts.of[type];
    }
    return most;
}

static bool add_numbered(GoV1 *v1)
{
    uint64_t count = 0, capacity = most_events(v1);
    size_t   room = (size_t)capacity;
    v1->numbered.items = ARENA_ARRAY(v1->arena, V1Numbered, room);
    if (v1->numbered.items == NULL) return false;
    for (uint32_t i = 0; i < v1->parts.stream_count; i++) {
        V1Stream *stream = &v1->parts.streams[i];
        if (!begin_stream_segment(v1, stream, stream->first)) continue;
        while (stream_read(v1, stream)) {
            const GoEvent *event = &stream->event;
            V1Numbered     numbered = { stream->seq, stream->ticks, event->offset, (uint64_t)event->g,
                                        stream->p };
            if (event->type == V1_GO_SYS_EXIT) { /* written late: it contains its own number */
                numbered.seq = event->args[1];
                if (event->args[2] != 0) numbered.ticks = event->args[2];
            }
            assert(count < capacity);
            v1->numbered.items[count++] = numbered;
        }
    }
    v1->numbered.count = count;
    return true;
}

/* Sorts items that all differ, so that any order of comparing gives the same result. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 0) qsort(items, count, size, compare); /* `items` may be NULL without items */
}

/* Compares numbers that may have wrapped around: as signed ones. */
static int compare_wrapped(uint64_t a, uint64_t b)
{
    return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

static int compare_numbered(const void *left, const void *right)
{
    const V1Numbered *a = left, *b = right;
    return a->seq != b->seq ? compare_wrapped(a->seq, b->seq) : compare_u64(a->offset, b->offset);
}

static GoEvent *numbered_next(GoV1 *v1)
{
    if (v1->numbered.next == v1->numbered.count) return NULL;
    const V1Numbered *numbered = &v1->numbered.items[v1->numbered.next++];
    V1Stream          stream = { .p = numbered->p, .g = numbered->g };
    V1Record          record = { .numbers = { 0 } };
    ByteCursor        c = cursor_over(v1->source.bytes, (size_t)v1->source.size, 0);
    c.at = (size_t)numbered->offset;
    (void)v1_read_record(&c, v1->version, &record);
    make_event(v1, &stream, &record);
    v1->merge.apart = stream.event;
    v1->merge.apart.time = (int64_t)numbered->ticks;
    return &v1->merge.apart;
}

/* -- the order of 1.7 and later -- */

/* Lets the earliest waiting event through when no event may come. */
static bool force_one(GoV1 *v1)
{
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < v1->parts.stream_count; i++) {
        bool waits = v1->parts.streams[i].segment != 0;
        if (waits && (chosen == UINT32_MAX || comes_before(v1, i, chosen))) chosen = i;
    }
    if (chosen == UINT32_MAX) return false;
    V1Stream      *stream = &v1->parts.streams[chosen];
    V1G           *g = v1_order_goroutine(v1, stream);
    const V1Order *order = &V1_SPECS[stream->event.type].order;
    uint32_t      *link = &g->waiter;
    while (*link != chosen + 1)
        link = &v1->parts.streams[*link - 1].next_waiter;
    *link = stream->next_waiter;
    if (v1->merge.forced_count++ == 0 && v1->mode != V1_PREPARE) {
        go_report(v1->report, "no-order", stream->event.offset,
                  "no event could come next in the known state: %s of goroutine %" PRId64 " was let through",
                  V1_SPECS[stream->event.type].name,
                  order->of == V1_OF_ARG ? (int64_t)stream->event.args[0] : stream->event.g);
    }
    stream->is_forced = true;
    if (v1->merge.steps_end > v1->merge.last_ticks_out) v1->merge.last_ticks_out = v1->merge.steps_end;
    merge_heap_enter(&v1->merge.ready, entry_of(v1, chosen));
    return true;
}

static const uint8_t PLAIN_TYPES[V1_TYPE_COUNT] = { [V1_GO_START_LOCAL] = V1_GO_START,
                                                    [V1_GO_UNBLOCK_LOCAL] = V1_GO_UNBLOCK,
                                                    [V1_GO_SYS_EXIT_LOCAL] = V1_GO_SYS_EXIT };

/* Replaces the Local types. In these the sequence number is implied; from here on there is no difference. */
static void make_plain(GoEvent *event)
{
    if (event->type == V1_GO_SYS_EXIT_LOCAL) { /* its time is in the place of the other type's number */
        event->args[2] = event->args[1];
        event->args[1] = 0;
    }
    if (PLAIN_TYPES[event->type] != 0) event->type = PLAIN_TYPES[event->type];
}

static GoEvent *take_cpu_sample(GoV1 *v1)
{
    assert(v1->merge.next_sample < v1->parts.sample_count);
    const V1Sample *sample = &v1->parts.samples[v1->merge.next_sample++];
    v1->merge.apart = (GoEvent){ .type = V1_CPU_SAMPLE,
                                 .kind = GO_SAMPLE,
                                 .time = (int64_t)sample->ticks,
                                 .p = (int64_t)sample->p,
                                 .g = (int64_t)sample->g,
                                 .m = GO_NONE,
                                 .offset = sample->offset,
                                 .args = { 0, sample->p, sample->g, 0, sample->stack } };
    return &v1->merge.apart;
}

enum { NEXT_IS_SAMPLE = UINT8_MAX }; /* in V1Recorded.streams; else the index of a stream */

/* Returns the next event in the order that the pass before found. */
static GoEvent *recorded_next(GoV1 *v1)
{
    if (v1->recorded.next == v1->recorded.count) return NULL;
    uint8_t index = v1->recorded.streams[v1->recorded.next++];
    if (index == NEXT_IS_SAMPLE) return take_cpu_sample(v1);
    assert(index < v1->parts.stream_count);
    V1Stream *stream = &v1->parts.streams[index];
    if (!stream_read(v1, stream)) return NULL;
    make_plain(&stream->event);
    return &stream->event;
}

static void record_next(GoV1 *v1, uint32_t stream)
{
    if (v1->recorded.streams != NULL && v1->mode == V1_PREPARE)
        v1->recorded.streams[v1->recorded.count++] = (uint8_t)stream;
}

/* The last event was the first stream's. */
void v1_go_on(GoV1 *v1)
{
    const uint32_t index = v1->merge.ready.stream[0];
    V1Stream      *stream = &v1->parts.streams[index];
    const uint32_t of = stream->of;
    v1->merge.taken = false;
    if (LIKELY(stream_next(v1, stream)))
        merge_heap_go_on(&v1->merge.ready, entry_of(v1, index));
    else
        merge_heap_leave(&v1->merge.ready);
    if (of != 0) {
        V1G *g = of == V1_THE_GC ? &v1->state.gc : &v1->state.gs[of];
        if (UNLIKELY(g->waiter != 0)) wake_waiters(v1, g);
    }
}

void v1_enter(GoV1 *v1, uint32_t index)
{
    if (stream_next(v1, &v1->parts.streams[index])) merge_heap_enter(&v1->merge.ready, entry_of(v1, index));
}

static bool sample_comes_first(const GoV1 *v1, MergeEntry entry)
{
    const V1Sample  *sample = &v1->parts.samples[v1->merge.next_sample];
    const MergeEntry of_sample = { (int64_t)sample->ticks, (int64_t)sample->offset, 0 };
    return merge_entry_is_before(of_sample, entry);
}

/* Sets the goroutine's state for the order after the event. */
static void take_effect(V1G *g, const GoEvent *event)
{
    const V1Order *order = &V1_SPECS[event->type].order;
    const uint64_t after[] = { [V1_SETS_SAME] = g->seq,
                               [V1_SETS_ONE] = 1,
                               [V1_SETS_TWO] = 2,
                               [V1_SETS_NEXT] = g->seq + 1,
                               [V1_SETS_AFTER_ARG] = event->args[1] + 1,
                               [V1_SETS_AFTER_ARG0] = event->args[0] + 1 };
    g->status = order->then;
    g->seq = after[order->sets];
    g->is_plain = false;
}

/* True if the first stream's event may come now. Otherwise its stream has left the heap or moved back in it. */
static ALWAYS_INLINE bool first_can_come(GoV1 *v1)
{
    const uint32_t  index = v1->merge.ready.stream[0];
    V1Stream *const stream = &v1->parts.streams[index];
    const bool      is_new = !stream->is_read;
    /* the fast path's events are all earlier */
    if ((int64_t)v1->merge.steps_end <= v1->merge.ready.time[0] &&
        v1->merge.last_ticks_out < v1->merge.steps_end)
        v1->merge.last_ticks_out = v1->merge.steps_end;
    if (is_new && UNLIKELY(!stream_read(v1, stream))) {
        merge_heap_leave(&v1->merge.ready);
        return false;
    }
    if (is_new &&
        UNLIKELY((int64_t)stream->event.offset != v1->merge.ready.place[0])) { /* an event was skipped */
        merge_heap_go_on(&v1->merge.ready, entry_of(v1, index));
        return false;
    }
    if (UNLIKELY(!v1_offer(v1, index))) {
        merge_heap_leave(&v1->merge.ready);
        return false;
    }
    const uint64_t last = v1_order_goroutine(v1, stream)->last_ticks;
    if (LIKELY((int64_t)last <= v1->merge.ready.time[0] || v1->merge.steps_end == 0)) return true;
    merge_heap_go_on(&v1->merge.ready,
                     entry_behind(v1, index, last)); /* its cause is later: the event moves behind it */
    return false;
}

/* Returns the next event by causes alone, its time in ticks. The caller may change it; valid until the next call. */
static GoEvent *merge_next(GoV1 *v1)
{
    if (v1->version < GO_1_7) return numbered_next(v1);
    if (v1->recorded.is_followed) return recorded_next(v1);
    if (v1->merge.taken) v1_go_on(v1);
    for (;;) {
        const bool has_sample = v1->merge.next_sample < v1->parts.sample_count,
                   is_empty = v1->merge.ready.count == 0;
        if (UNLIKELY(v1->out_of_memory || (is_empty && !has_sample && !force_one(v1)))) return NULL;
        if (UNLIKELY(has_sample &&
                     (is_empty || sample_comes_first(v1, merge_heap_at(&v1->merge.ready, 0))))) {
            record_next(v1, NEXT_IS_SAMPLE);
            return take_cpu_sample(v1);
        }
        if (LIKELY(first_can_come(v1))) break;
    }
    const uint32_t  index = v1->merge.ready.stream[0];
    V1Stream *const stream = &v1->parts.streams[index];
    GoEvent *const  event = &stream->event;
    record_next(v1, index);
    if (stream->of != 0) take_effect(v1_order_goroutine(v1, stream), event);
    v1->merge.taken = true;
    stream->is_forced = false;
    make_plain(event);
    return v1->out_of_memory ? NULL : event;
}

/* -- corrected times, and the true ends of syscalls -- */

/* Sets the true time of a syscall's end. True if it differs from the record's order. */
static bool place_exit(GoV1 *v1, GoEvent *event)
{
    if (event->type != V1_GO_SYS_BLOCK && event->type != V1_GO_IN_SYSCALL && event->type != V1_GO_SYS_EXIT)
        return false;
    uint32_t place = v1_find_g(v1, (uint64_t)event->g);
    if (place == 0) return false;
    V1G *g = &v1->state.gs[place];
    if (event->type != V1_GO_SYS_EXIT) {
        g->block_ticks = (uint64_t)event->time;
        return false;
    }
    int64_t ticks = (int64_t)event->args[2];
    if (ticks == 0 || v1->version < GO_1_7) return false;
    if (g->block_ticks == 0) {
        if (v1->mode != V1_PREPARE)
            go_report(v1->report, "stray-syscall-exit", event->offset,
                      "goroutine %" PRId64 " comes out of a syscall it never went into", event->g);
        return false;
    }
    if (ticks < (int64_t)g->block_ticks) {
        if (v1->mode != V1_PREPARE)
            go_report(v1->report, "time-order", event->offset,
                      "goroutine %" PRId64 " comes out of a syscall before it blocked in it", event->g);
        ticks = (int64_t)g->block_ticks;
    }
    event->time = ticks;
    return true;
}

/* Returns the next event in the order of causes. *moved: it has its true time, out of order. */
static GoEvent *causal_next(GoV1 *v1, bool *moved)
{
    GoEvent *event = merge_next(v1);
    if (event == NULL) return NULL;
    if (v1->merge.ordinal == 0)
        v1->clock.first_ticks = (uint64_t)event->time; /* no event is moved before it */
    V1Stream *const stream = v1->merge.taken ? &v1->parts.streams[v1->merge.ready.stream[0]] : NULL;
    V1G *const      g = stream == NULL ? v1->state.gs : v1_order_goroutine(v1, stream);
    if (g->last_ticks > v1->merge.last_ticks_out) v1->merge.last_ticks_out = g->last_ticks;
    if (v1->merge.ordinal++ > 0 && event->time < (int64_t)v1->merge.last_ticks_out) {
        if (v1->mode != V1_PREPARE)
            go_report(v1->report, "time-order", event->offset,
                      "time stamps out of order: %s is %" PRIu64 " ticks before the event it follows",
                      V1_SPECS[event->type].name, v1->merge.last_ticks_out - (uint64_t)event->time);
        event->time = (int64_t)v1->merge.last_ticks_out;
    }
    v1->merge.last_ticks_out = (uint64_t)event->time;
    if (stream != NULL) stream->last_out = v1->merge.last_ticks_out;
    if (g != v1->state.gs) g->last_ticks = v1->merge.last_ticks_out;
    *moved = place_exit(v1, event);
    return event;
}

/* -- preparation -- */

static bool add_exit(GoV1 *v1, const GoEvent *event)
{
    V1Exit *exits =
        arena_grow(v1->arena, v1->exits.items, v1->exits.count, &v1->exits.capacity, sizeof *exits);
    if (exits == NULL) return false;
    v1->exits.items = exits;
    exits[v1->exits.count++] = (V1Exit){ (uint64_t)event->time, v1->merge.ordinal - 1, *event };
    return true;
}

static bool remove_wakeup(GoV1 *v1, V1G *g, uint64_t block_ordinal)
{
    uint64_t ordinal = block_ordinal;
    uint32_t wakeup = g->wakeup;
    for (;;) {
        uint64_t *removed = arena_grow(v1->arena, v1->wakeups.removed, v1->wakeups.removed_count,
                                       &v1->wakeups.removed_capacity, sizeof *removed);
        if (removed == NULL) return false;
        v1->wakeups.removed = removed;
        removed[v1->wakeups.removed_count++] = ordinal;
        if (wakeup == 0) return true;
        assert(wakeup <= v1->wakeups.count);
        ordinal = v1->wakeups.items[wakeup - 1].ordinal;
        wakeup = v1->wakeups.items[wakeup - 1].before;
    }
}

static bool add_wakeup(GoV1 *v1, uint64_t id, bool is_first)
{
    uint32_t  place = v1_find_g(v1, id);
    V1Wakeup *wakeups = v1->wakeups.free != 0 ? v1->wakeups.items
                                              : arena_grow(v1->arena, v1->wakeups.items, v1->wakeups.count,
                                                           &v1->wakeups.capacity, sizeof *wakeups);
    if (wakeups == NULL || place == 0) return false;
    v1->wakeups.items = wakeups;
    V1G *g = &v1->state.gs[place];
    if (is_first) forget_wakeups(v1, g);
    uint32_t at = v1->wakeups.free;
    if (at != 0) {
        v1->wakeups.free = wakeups[at - 1].before;
    } else {
        at = ++v1->wakeups.count;
    }
    assert(at > 0 && at <= v1->wakeups.count);
    wakeups[at - 1] = (V1Wakeup){ v1->merge.ordinal - 1, g->wakeup };
    g->wakeup = at;
    return true;
}

/* Collects futile wake-ups: a goroutine that was woken in vain and blocks again counts as waiting all the time. */
static bool note_futile(GoV1 *v1, const GoEvent *event)
{
    switch (event->type) {
    case V1_GO_UNBLOCK:
        return add_wakeup(v1, event->args[0], true);
    case V1_FUTILE_WAKEUP: {
        uint32_t place = v1_find_g(v1, (uint64_t)event->g);
        v1->state.gs[place].is_futile = true;
        return add_wakeup(v1, (uint64_t)event->g, false);
    }
    case V1_GO_START:
    case V1_GO_PREEMPT:
        return add_wakeup(v1, (uint64_t)event->g, false);
    case V1_GO_BLOCK:
    case V1_GO_BLOCK_SEND:
    case V1_GO_BLOCK_RECV:
    case V1_GO_BLOCK_SELECT:
    case V1_GO_BLOCK_SYNC:
    case V1_GO_BLOCK_COND: {
        V1G *g = &v1->state.gs[v1_find_g(v1, (uint64_t)event->g)];
        bool done = !g->is_futile || remove_wakeup(v1, g, v1->merge.ordinal - 1);
        g->is_futile = false;
        forget_wakeups(v1, g);
        return done;
    }
    default:
        return true;
    }
}

static int compare_exits(const void *left, const void *right)
{
    const V1Exit *a = left, *b = right;
    return a->ticks != b->ticks ? compare_wrapped(a->ticks, b->ticks) : compare_u64(a->ordinal, b->ordinal);
}

static bool begin_pass(GoV1 *v1, V1Mode mode);

/* True if the last event's record is before the window, where the order of records is sufficient. */
static bool leads_up(const GoV1 *v1)
{
    return v1->window.is_set && v1_ticks_to_ns(v1, v1->merge.last_ticks_out) < v1->window.begin;
}

/* True if a syscall's end is moved to its true time. */
static bool is_exit_wanted(const GoV1 *v1, const GoEvent *event)
{
    return !v1->window.is_set ||
           (!leads_up(v1) && v1_ticks_to_ns(v1, (uint64_t)event->time) <= v1->window.end);
}

static bool prepare(GoV1 *v1, V1Mode mode)
{
    bool needs_exits =
        mode == V1_BY_TIME && v1->version >= GO_1_7 &&
        (v1->scan.counts.of[V1_GO_SYS_EXIT] > 0 || v1->scan.counts.of[V1_GO_SYS_EXIT_LOCAL] > 0);
    bool needs_futile = v1->scan.counts.of[V1_FUTILE_WAKEUP] > 0;
    v1->exits.count = v1->wakeups.removed_count = v1->wakeups.count = v1->wakeups.free = 0;
    if (!needs_exits && !needs_futile) return true;
    bool     moved;
    GoEvent *event;
    if (v1->parts.stream_count < NEXT_IS_SAMPLE && !v1->window.is_set) {
        v1->recorded.streams = ARENA_ARRAY(v1->arena, uint8_t, (size_t)most_events(v1));
        if (v1->recorded.streams == NULL) return false;
    }
    if (!begin_pass(v1, V1_PREPARE)) return false;
    while ((event = causal_next(v1, &moved)) != NULL) {
        if (moved && needs_exits && is_exit_wanted(v1, event) && !add_exit(v1, event)) return false;
        if (needs_futile && !note_futile(v1, event)) return false;
        if (v1->window.is_set && event->type == V1_GO_END) forget_g(v1, (uint64_t)event->g);
    }
    /* after a forced event the next pass must find the order again, to report it */
    v1->recorded.is_followed =
        v1->recorded.streams != NULL && v1->version >= GO_1_7 && v1->merge.forced_count == 0;
    sort(v1->wakeups.removed, v1->wakeups.removed_count, sizeof *v1->wakeups.removed, compare_first_u64);
    sort(v1->exits.items, v1->exits.count, sizeof *v1->exits.items, compare_exits);
    return !v1->out_of_memory;
}

/* -- reading events -- */

/* By time: signal handlers wrote the CPU samples in the order in which they got the buffer. */
static int compare_samples(const void *left, const void *right)
{
    const V1Sample *a = left, *b = right;
    return a->ticks != b->ticks ? compare_u64(a->ticks, b->ticks) : compare_u64(a->offset, b->offset);
}

static bool begin_pass(GoV1 *v1, V1Mode mode)
{
    v1->mode = mode;
    id_map_clear(&v1->state.g_map);
    v1->state.g_map.arena = v1->arena;
    v1->state.g_count = 0;
    V1G *gs = arena_grow(v1->arena, v1->state.gs, 0, &v1->state.g_capacity, sizeof *gs);
    if (gs == NULL) return false;
    v1->state.gs = gs;
    v1->state.gs[0] = (V1G){ .id = 0 };
    v1->state.g_count = 1;
    v1->state.gc = (V1G){ .id = 0 };
    v1->merge.next_sample = 0;
    v1->merge.taken = false;
    if (!merge_heap_create(&v1->merge.ready, v1->arena, v1->parts.stream_count)) return false;
    v1->numbered.next = v1->merge.ordinal = v1->merge.forced_count = v1->wakeups.futile_count =
        v1->recorded.next = 0;
    v1->exits.next = v1->wakeups.next_removed = v1->state.free_g = 0;
    v1->clock.has_first = false;
    v1->merge.pending = NULL;
    if (v1->version < GO_1_7) return true;
    for (uint32_t i = 0; i < v1->parts.stream_count; i++) {
        V1Stream *stream = &v1->parts.streams[i];
        stream->g = stream->g_place = stream->p_place = stream->of = 0;
        stream->last_out = 0;
        stream->c = cursor_over(NULL, 0, 0);
        bool has_records = begin_stream_segment(v1, stream, stream->first);
        if (v1->recorded.is_followed) continue;
        stream->is_forced = false;
        if (has_records && stream_next(v1, stream)) merge_heap_enter(&v1->merge.ready, entry_of(v1, i));
    }
    return !v1->out_of_memory;
}

bool v1_open(GoV1 *v1, const uint8_t *bytes, size_t size, V1Mode mode)
{
    v1->source.bytes = bytes;
    v1->source.size = size;
    v1->tables.bytes = v1->source.again.read != NULL ? v1->source.kept.data : bytes;
    v1->clock.ns_per_tick = v1->clock.frequency == 0 ? 1.0 : 1e9 / (double)v1->clock.frequency;
    v1->clock.ticks_that_fit = v1->clock.ns_per_tick <= 0x1p6 ? UINT64_C(1) << 56 : 0;
    sort(v1->parts.samples, v1->parts.sample_count, sizeof *v1->parts.samples, compare_samples);
    if (v1->version < GO_1_7) {
        if (!add_numbered(v1)) return false;
        sort(v1->numbered.items, (size_t)v1->numbered.count, sizeof *v1->numbered.items, compare_numbered);
    }
    return prepare(v1, mode) && begin_pass(v1, mode) && v1_check_begin(v1);
}

/* Returns the next event that is not part of a futile wake-up. *ordinal: its number in causal order. */
static GoEvent *unfutile_next(GoV1 *v1, bool *moved, uint64_t *ordinal)
{
    GoEvent *event;
    while ((event = causal_next(v1, moved)) != NULL) {
        *ordinal = v1->merge.ordinal - 1;
        bool is_removed = v1->wakeups.next_removed < v1->wakeups.removed_count &&
                          v1->wakeups.removed[v1->wakeups.next_removed] == *ordinal;
        if (!is_removed) break;
        v1->wakeups.next_removed++;
        v1->wakeups.futile_count++;
    }
    return event;
}

/* Merges the ends of syscalls at their true times into the other events. */
static GoEvent *timed_next(GoV1 *v1)
{
    bool     moved;
    uint64_t ordinal;
    if (v1->mode != V1_BY_TIME || (v1->exits.count == 0 && !v1->window.is_set))
        return unfutile_next(v1, &moved, &ordinal);
    while (v1->merge.pending == NULL) {
        GoEvent *event = unfutile_next(v1, &moved, &v1->merge.pending_ordinal);
        if (event == NULL) break;
        if (!moved || !is_exit_wanted(v1, event)) v1->merge.pending = event;
    }
    GoEvent *pending = v1->merge.pending;
    if (v1->exits.next < v1->exits.count) {
        V1Exit *next = &v1->exits.items[v1->exits.next];
        bool    comes_first =
            pending == NULL || (int64_t)next->ticks < pending->time ||
            ((int64_t)next->ticks == pending->time && next->ordinal < v1->merge.pending_ordinal);
        if (comes_first) {
            v1->exits.next++;
            return &next->event;
        }
    }
    v1->merge.pending = NULL;
    return pending;
}

GoEvent *v1_next(GoV1 *v1)
{
    GoEvent *event = timed_next(v1);
    if (event == NULL) return NULL;
    if (!v1->clock.has_first) {
        v1->clock.has_first = true;
        v1->clock.first_ticks = (uint64_t)event->time;
    }
    event->time = v1_ticks_to_ns(v1, (uint64_t)event->time);
    event->stack = go_stack_find(&v1->tables, event->args[V1_STACK_ARG]);
    uint32_t g = event->g == 0 ? 0 : v1_find_g(v1, (uint64_t)event->g);
    if (v1->out_of_memory || !v1_check(v1, event, g)) return NULL;
    v1->state.gs[g].is_plain = false;
    if (UNLIKELY(v1->window.is_set && event->type == V1_GO_END)) forget_g(v1, (uint64_t)event->g);
    return event;
}
