#include "trace/store/event_order.h"

#include "base/heap.h"
#include "base/search.h"
#include "trace/store/begins.h"
#include "trace/store/flows.h"
#include "trace/store/window.h"

#include <stdlib.h>

/* A stream of events in the order of a row. */
typedef struct Stream {
    OrderKind kind;
    uint32_t  track, depth; /* 0 for ORDER_OTHER */
    uint32_t  row;
    /* for ORDER_OTHER an index into EventOrder.others; for ORDER_FLOW_TO into FlowColumns.by_to */
    uint64_t id;
    uint64_t end; /* one behind the last id */
} Stream;

/* The next event of a stream. Few bytes, because the heap moves them for each event. */
typedef struct NextEvent {
    int64_t  tick;   /* INT64_MIN for an event without a time */
    uint64_t place;  /* track, then depth; 0 for an event without a time, which comes before all tracks */
    Stream  *stream; /* in EventOrder.streams */
} NextEvent;

/* A raw event, for qsort. */
typedef struct OtherKey {
    int64_t  tick;
    uint64_t index; /* into Trace.records.others */
    uint32_t track;
    bool     has_tick;
} OtherKey;

struct EventOrder {
    const Trace *trace;
    bool         has_repeats; /* trace_has_repeats */
    OtherKey    *others;      /* sorted */
    Stream      *streams;     /* those of the heap and those at their end */
    NextEvent   *heap;        /* the least is first */
    size_t       stream_count, count;
};

/* -- raw events: in file order, so sorted here -- */

static int other_compare(const void *left, const void *right)
{
    const OtherKey *a = left, *b = right;
    if (a->has_tick != b->has_tick) return a->has_tick ? 1 : -1;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    if (a->has_tick && a->track != b->track) return a->track < b->track ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static OtherKey *others_sorted(const Trace *trace, Arena *arena, uint64_t *count)
{
    OtherKey    *keys = ARENA_ARRAY(arena, OtherKey, (size_t)trace->records.other_count);
    WindowBegins begins;
    *count = 0;
    if (keys == NULL || !window_begins_collect(trace, arena, &begins)) return NULL;
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (!window_has_other(trace, &begins, other)) continue;
        keys[(*count)++] = (OtherKey){ .tick = other->has_tick ? other->tick : 0,
                                       .index = i,
                                       .track = trace_other_thread(trace, other),
                                       .has_tick = other->has_tick };
    }
    if (*count > 0) qsort(keys, (size_t)*count, sizeof *keys, other_compare);
    return keys;
}

/* -- the heap -- */

static bool next_before(const NextEvent *a, const NextEvent *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    if (a->place != b->place) return a->place < b->place;
    if (a->stream->row != b->stream->row) return a->stream->row < b->stream->row;
    return a->stream->kind < b->stream->kind;
}

static void heap_sink(EventOrder *order, size_t at)
{
    HEAP_SINK(NextEvent, order->heap, order->count, at, next_before);
}

/* Returns the arrow of a stream of arrows. */
static uint64_t stream_flow(const EventOrder *order, const Stream *stream)
{
    return stream->kind == ORDER_FLOW_TO ? order->trace->flows.by_to[stream->id] : stream->id;
}

static uint64_t place_of(const Stream *stream)
{
    return (uint64_t)stream->track << 32 | stream->depth;
}

/* Returns the next event of the stream of raw events. */
static NextEvent next_other(const EventOrder *order, Stream *stream)
{
    const OtherKey *other = &order->others[stream->id];
    if (!other->has_tick) return (NextEvent){ .tick = INT64_MIN, .stream = stream };
    return (NextEvent){ other->tick, (uint64_t)other->track << 32, stream };
}

static int64_t next_tick(const EventOrder *order, const Stream *stream)
{
    switch (stream->kind) {
    case ORDER_SLICE:
        return begins_at(&order->trace->slices, stream->id);
    case ORDER_INSTANT:
        return order->trace->instants.tick[stream->id];
    case ORDER_OTHER:
        break;
    case ORDER_VALUE:
        return order->trace->samples.tick[stream->id];
    case ORDER_FLOW_FROM:
        return trace_flow_tick(order->trace, stream->id, FLOW_FROM);
    case ORDER_FLOW_TO:
        return trace_flow_tick(order->trace, stream_flow(order, stream), FLOW_TO);
    }
    assert(stream->kind != ORDER_OTHER);
    return INT64_MIN;
}

static NextEvent stream_look(const EventOrder *order, Stream *stream)
{
    if (stream->kind == ORDER_OTHER) return next_other(order, stream);
    return (NextEvent){ next_tick(order, stream), place_of(stream), stream };
}

/* True if the stream's next event repeats another one, or is an arrow that is not in the range. */
static bool is_left_out(const EventOrder *order, const Stream *stream)
{
    switch (stream->kind) {
    case ORDER_SLICE:
        return order->has_repeats && trace_repeats_slice(order->trace, stream->id);
    case ORDER_INSTANT:
        return order->has_repeats && trace_repeats_instant(order->trace, stream->id);
    case ORDER_FLOW_FROM:
    case ORDER_FLOW_TO:
        return !trace_window_has_flow(order->trace, stream_flow(order, stream));
    case ORDER_OTHER:
    case ORDER_VALUE:
        break;
    }
    return false;
}

/* Skips the events that are left out. */
static void stream_skip(const EventOrder *order, Stream *stream)
{
    while (stream->id < stream->end && is_left_out(order, stream))
        stream->id++;
}

static void heap_add(EventOrder *order, Stream stream)
{
    stream_skip(order, &stream);
    if (stream.id == stream.end) return;
    Stream *added = &order->streams[order->stream_count++];
    *added = stream;
    order->heap[order->count++] = stream_look(order, added);
}

static Stream row_slices(const Trace *trace, uint32_t index, const RowWindow *window)
{
    const Row *row = &trace->rows[index];
    return (Stream){ .kind = ORDER_SLICE,
                     .track = row->track,
                     .depth = row->depth,
                     .row = index,
                     .id = window->first_slice,
                     .end = window->slice_end };
}

static Stream row_instants(const Trace *trace, uint32_t index, const RowWindow *window)
{
    Stream stream = row_slices(trace, index, window);
    stream.kind = ORDER_INSTANT;
    stream.id = window->first_instant;
    stream.end = window->instant_end;
    return stream;
}

static void heap_add_values(EventOrder *order, uint32_t index)
{
    RowWindow window = row_window(order->trace, &order->trace->rows[index]);
    Stream    stream = row_slices(order->trace, index, &window);
    stream.kind = ORDER_VALUE;
    stream.id = window.first_sample;
    stream.end = window.sample_end;
    heap_add(order, stream);
}

/* Adds the arrows that begin or end in a row, whose ticks are in order; `row` UINT32_MAX: on the track itself. */
static void heap_add_flows(EventOrder *order, uint32_t track, uint32_t row, FlowSide side)
{
    FlowRange range = row == UINT32_MAX ? flows_of_track(order->trace, track, side, 0, UINT64_MAX)
                                        : flows_of_row(order->trace, row, side, 0, UINT64_MAX);
    heap_add(order, (Stream){ .kind = side == FLOW_FROM ? ORDER_FLOW_FROM : ORDER_FLOW_TO,
                              .track = track,
                              .depth = row == UINT32_MAX ? 0 : order->trace->rows[row].depth,
                              .row = row,
                              .id = range.first,
                              .end = range.first + range.count });
}

static void heap_add_columns(EventOrder *order)
{
    const Trace *trace = order->trace;
    for (uint32_t row = 0; row < trace->row_count; row++) {
        heap_add_values(order, row);
        for (FlowSide side = FLOW_FROM; side <= FLOW_TO && trace->flows.count > 0; side++)
            heap_add_flows(order, trace->rows[row].track, row, side);
    }
    for (uint32_t track = 1; track <= trace->track_count && trace->flows.count > 0; track++) {
        for (FlowSide side = FLOW_FROM; side <= FLOW_TO; side++)
            heap_add_flows(order, track, UINT32_MAX, side);
    }
}

static void heap_add_row(EventOrder *order, uint32_t index)
{
    RowWindow window = row_window(order->trace, &order->trace->rows[index]);
    heap_add(order, row_slices(order->trace, index, &window));
    heap_add(order, row_instants(order->trace, index, &window));
}

static void heap_order(EventOrder *order)
{
    for (size_t at = order->count / 2; at-- > 0;)
        heap_sink(order, at);
}

/* The contents of the order besides slices, instants and raw events. */
typedef enum { WITH_NOTHING, WITH_SAMPLES_AS_SLICES, WITH_COLUMNS } OrderContent;

/* Returns an order without streams, with room for all of them. NULL when out of memory. */
static EventOrder *order_new(const Trace *trace, OrderContent content, Arena *arena)
{
    const size_t rows = trace->row_count;
    const size_t most =
        content == WITH_COLUMNS ? rows * 5 + (size_t)trace->track_count * 2 + 1 : rows * 2 + 1;
    EventOrder *order = ARENA_NEW(arena, EventOrder);
    if (order == NULL) return NULL;
    *order = (EventOrder){ .trace = trace,
                           .has_repeats = trace_has_repeats(trace),
                           .streams = ARENA_ARRAY(arena, Stream, most),
                           .heap = ARENA_ARRAY(arena, NextEvent, most) };
    return order->streams == NULL || order->heap == NULL ? NULL : order;
}

static EventOrder *create(const Trace *trace, OrderContent content, Arena *arena)
{
    EventOrder *order = order_new(trace, content, arena);
    if (order == NULL) return NULL;
    uint64_t other_count;
    order->others = others_sorted(trace, arena, &other_count);
    if (order->others == NULL) return NULL;
    for (uint32_t row = 0; row < trace->row_count; row++) {
        const Track *track = &trace->tracks[trace->rows[row].track];
        if (!track->is_derived || (content == WITH_SAMPLES_AS_SLICES && track->kind == TRACK_SAMPLES))
            heap_add_row(order, row);
    }
    if (content == WITH_COLUMNS) heap_add_columns(order);
    heap_add(order, (Stream){ .kind = ORDER_OTHER, .end = other_count, .row = UINT32_MAX });
    heap_order(order);
    return order;
}

/* Moves the stream to an event. True if the event comes before that of `behind`. */
static bool stream_is_before(const EventOrder *order, Stream *stream, uint64_t id, Stream *behind)
{
    stream->id = id;
    const NextEvent next = stream_look(order, stream), passed = stream_look(order, behind);
    return next_before(&next, &passed);
}

/* Skips the events of a row up to and including `behind`. */
static void stream_pass(const EventOrder *order, Stream *stream, Stream *behind)
{
    uint64_t low = stream->id;
    if (stream->row == behind->row && stream->kind == behind->kind) {
        if (behind->id >= stream->id) stream->id = behind->id < stream->end ? behind->id + 1 : stream->end;
        return;
    }
    LOWER_BOUND(uint64_t, low, stream->end, i, stream_is_before(order, stream, i, behind));
    stream->id = low;
}

EventOrder *event_order_create_behind(const Trace *trace, const OrderedEvent *behind, DerivedRule derived,
                                      Arena *arena)
{
    EventOrder *order = order_new(trace, WITH_NOTHING, arena);
    if (order == NULL) return NULL;
    Stream passed = { .row = 0 };
    if (behind != NULL) {
        RowWindow whole = row_whole(&trace->rows[behind->row]);
        passed = behind->kind == ORDER_SLICE ? row_slices(trace, behind->row, &whole)
                                             : row_instants(trace, behind->row, &whole);
        passed.id = behind->id;
    }
    for (uint32_t row = 0; row < trace->row_count; row++) {
        RowWindow whole = row_whole(&trace->rows[row]);
        Stream    both[2] = { row_slices(trace, row, &whole), row_instants(trace, row, &whole) };
        if (derived == DERIVED_LEFT_OUT && trace->tracks[trace->rows[row].track].is_derived) continue;
        for (int i = 0; i < 2; i++) {
            if (behind != NULL) stream_pass(order, &both[i], &passed);
            heap_add(order, both[i]);
        }
    }
    heap_order(order);
    return order;
}

EventOrder *event_order_create(const Trace *trace, Arena *arena)
{
    return create(trace, WITH_NOTHING, arena);
}

EventOrder *event_order_create_with_samples(const Trace *trace, Arena *arena)
{
    return create(trace, WITH_SAMPLES_AS_SLICES, arena);
}

EventOrder *event_order_create_with_columns(const Trace *trace, Arena *arena)
{
    return create(trace, WITH_COLUMNS, arena);
}

/* Returns the next slice of a stream. Its bytes are requested, because the rows of a trace are in many places: those of its begin
 * when the slice before it is next, the others now. */
static inline NextEvent next_slice(const EventOrder *order, Stream *stream)
{
    const SliceColumns *slices = &order->trace->slices;
    begins_prefetch(slices, stream->id + 1);
    PREFETCH(&slices->duration[stream->id]);
    PREFETCH(&slices->flags[stream->id]);
    PREFETCH(&slices->label[stream->id]);
    return (NextEvent){ begins_at(slices, stream->id), place_of(stream), stream };
}

bool event_order_next(EventOrder *order, OrderedEvent *event)
{
    if (order->count == 0) return false;
    Stream *first = order->heap[0].stream;
    *event = (OrderedEvent){ first->kind, first->id, first->row, order->heap[0].tick };
    if (first->kind == ORDER_OTHER) event->id = order->others[first->id].index;
    if (first->kind == ORDER_FLOW_TO) event->id = stream_flow(order, first);
    first->id++;
    stream_skip(order, first);
    if (first->id == first->end) {
        order->heap[0] = order->heap[--order->count];
        if (order->count > 0) heap_sink(order, 0);
        return true;
    }
    const NextEvent next =
        LIKELY(first->kind == ORDER_SLICE) ? next_slice(order, first) : stream_look(order, first);
    HEAP_SINK_FROM(NextEvent, order->heap, order->count, 0, next, next_before);
    return true;
}
