#include "trace/flows.h"

#include "base/bits.h"
#include "base/thread.h"
#include "trace/flow_log.h"
#include "trace/flow_reach.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- making the columns ---- */

enum { ENDS_A_JOB = 4096, MOST_FOLLOWED = 1 << 16 };

typedef struct FlowBuild {
    Finish         *finish;
    FlowMatches     matches;
    SlicesByOffset  by_offset;
    BoundEnd       *event_ends; /* by event */
    const ArrowLog *arrows;     /* the builder's; bound */
    size_t          arrow_count;
} FlowBuild;

static FlowBinding binding_of(const FlowEvent *event)
{
    return (FlowBinding)(event->place >> FLOW_BINDING_SHIFT & 3);
}

static void bind_events(void *context, size_t job)
{
    FlowBuild *build = (FlowBuild *)context;
    size_t     end = (job + 1) * ENDS_A_JOB;
    FlowBinder binder = { .trace = build->finish->trace };
    if (end > build->matches.event_count) end = build->matches.event_count;
    for (size_t i = job * ENDS_A_JOB; i < end; i++) {
        const FlowEvent *event = &build->matches.events[i];
        uint32_t         track = build->finish->track_of[event->thread];
        if (binding_of(event) == FLOW_BIND_SLICE) {
            uint32_t slice = flow_slice_at(&build->by_offset, place_offset(event->place));
            build->event_ends[i] = (BoundEnd){ event->tick, slice, slice != FLOW_LOST };
        } else {
            build->event_ends[i] = flow_bind(&binder, track, binding_of(event), event->tick);
            if (binding_of(event) == FLOW_BIND_TRACK && track != 0) build->event_ends[i].ref = track;
        }
    }
}

/* In place: the thread becomes what BoundEnd.ref is, the binding BoundEnd.is_bound. */
static void bind_point(const FlowBuild *build, FlowBinder *binder, uint32_t *ref, uint8_t *binding,
                       int64_t *tick)
{
    const uint32_t track = build->finish->track_of[*ref];
    const BoundEnd end = flow_bind(binder, track, (FlowBinding)*binding, *tick);
    *ref = end.is_bound ? end.ref : track;
    *binding = end.is_bound;
    *tick = end.tick;
}

static void bind_arrows(void *context, size_t job)
{
    FlowBuild *build = (FlowBuild *)context;
    size_t     end = (job + 1) * ENDS_A_JOB;
    FlowBinder from = { .trace = build->finish->trace }, to = { .trace = build->finish->trace };
    if (end > build->arrow_count) end = build->arrow_count;
    for (size_t i = job * ENDS_A_JOB; i < end; i++) {
        ArrowRecord *arrow = arrow_log_at(build->arrows, i);
        bind_point(build, &from, &arrow->from, &arrow->from_binding, &arrow->from_tick);
        bind_point(build, &to, &arrow->to, &arrow->to_binding, &arrow->to_tick);
    }
}

static void warn_lost(TraceBuilder *builder, const FlowEvent *event)
{
    uint64_t offset = place_offset(event->place);
    Warning  warning = { .kind = "flow-without-slice",
                         .count = 1,
                         .first = { .offset = offset,
                                    .event = builder_event_number(builder, offset, event->event),
                                    .message =
                                        "an event of a flow that no slice of its thread can be found for: "
                                         "kept, but not drawn" } };
    builder_add_warning(builder, &warning);
}

/* Arrows of the pairs whose both ends are known, behind those of the reader. An arrow leaves a slice that is a flow event
 * itself where that ends, and enters it where it begins. */
static bool add_pairs(FlowBuild *build)
{
    const EventPair *pairs = VECTOR(build->matches.pairs, const EventPair);
    const Trace     *trace = build->finish->trace;
    for (size_t i = 0; i < VECTOR_COUNT(build->matches.pairs, EventPair); i++) {
        BoundEnd         from = build->event_ends[pairs[i].from], to = build->event_ends[pairs[i].to];
        const FlowEvent *start = &build->matches.events[pairs[i].from];
        bool             has_label = binding_of(start) != FLOW_BIND_SLICE;
        if (from.ref == FLOW_LOST || to.ref == FLOW_LOST) continue;
        if (binding_of(start) == FLOW_BIND_SLICE) from.tick = trace_slice_end(trace, from.ref);
        ArrowRecord *arrow = arrow_log_push(build->finish->builder);
        if (arrow == NULL) return false;
        *arrow = (ArrowRecord){ from.tick,     to.tick,    from.ref, to.ref, has_label ? start->label : 0,
                                from.is_bound, to.is_bound };
        build->arrow_count++;
    }
    return true;
}

/* Events that arrows would have joined, had they a slice. */
static bool report_lost(FlowBuild *build)
{
    if (build->finish->is_growing) return true;
    const EventPair *pairs = VECTOR(build->matches.pairs, const EventPair);
    uint8_t *reported = ARENA_ARRAY(&build->finish->builder->log_arena, uint8_t, build->matches.event_count);
    if (reported == NULL) return false;
    for (size_t i = 0; i < VECTOR_COUNT(build->matches.pairs, EventPair); i++) {
        uint32_t ends[] = { pairs[i].from, pairs[i].to };
        for (int e = 0; e < 2; e++) {
            if (build->event_ends[ends[e]].ref != FLOW_LOST || reported[ends[e]]) continue;
            reported[ends[e]] = 1;
            warn_lost(build->finish->builder, &build->matches.events[ends[e]]);
        }
    }
    return true;
}

static bool bind_everything(FlowBuild *build)
{
    Finish *finish = build->finish;
    Arena  *arena = &finish->builder->log_arena;
    size_t  given = finish->builder->arrows.count;
    size_t  events = build->matches.event_count, pairs = VECTOR_COUNT(build->matches.pairs, EventPair);
    if (given + pairs > INT32_MAX) return false; /* so that place and index fit 64 bits: sort_arrows */
    build->event_ends = ARENA_ARRAY(arena, BoundEnd, events);
    if (build->event_ends == NULL) return false;
    if (!flow_find_slices(finish, &build->matches, &build->by_offset)) return false;
    build->arrows = &finish->builder->arrows;
    build->arrow_count = given;
    thread_run(finish->workers, (events + ENDS_A_JOB - 1) / ENDS_A_JOB, bind_events, build);
    thread_run(finish->workers, (given + ENDS_A_JOB - 1) / ENDS_A_JOB, bind_arrows, build);
    return add_pairs(build) && report_lost(build);
}

static BoundEnd end_of(const ArrowRecord *arrow, FlowSide side)
{
    return side == FLOW_FROM ? (BoundEnd){ arrow->from_tick, arrow->from, arrow->from_binding != 0 }
                             : (BoundEnd){ arrow->to_tick, arrow->to, arrow->to_binding != 0 };
}

/* Arrows in the order of one side: bound ones by slice, then unbound ones by track, each by time. The index of each stands in the low
 * bits of a word, above them the place of its end. */
typedef struct ArrowOrder {
    FlowSide  side;
    uint64_t *words; /* in workspaces[0].keys */
    uint32_t *place; /* FLOW_FROM: NULL; FLOW_TO: where each arrow stands in the order of where they begin */
    uint64_t  slice_end; /* the place of track 0 */
    unsigned  index_bits;
} ArrowOrder;

static size_t index_at(const ArrowOrder *order, size_t i)
{
    return (size_t)(order->words[i] & ((UINT64_C(1) << order->index_bits) - 1));
}

static uint64_t place_at(const ArrowOrder *order, size_t i)
{
    return order->words[i] >> order->index_bits;
}

static uint64_t place_of(const ArrowOrder *order, const BoundEnd *end)
{
    return end->is_bound ? end->ref : order->slice_end + end->ref;
}

/* One of several arrows at a place. What begins at one time stands as it ends, what ends at one time as it begins. */
typedef struct ArrowTie {
    int64_t  tick;
    uint64_t other_place;
    int64_t  other_tick;
    size_t   index;
} ArrowTie;

static ArrowTie tie_of(const FlowBuild *build, const ArrowOrder *order, size_t index)
{
    const ArrowRecord *arrow = arrow_log_at(build->arrows, index);
    if (order->side == FLOW_TO) return (ArrowTie){ arrow->to_tick, order->place[index], 0, index };
    const BoundEnd to = end_of(arrow, FLOW_TO);
    return (ArrowTie){ arrow->from_tick, place_of(order, &to), arrow->to_tick, index };
}

static int compare_ties(const void *a, const void *b)
{
    const ArrowTie *x = a, *y = b;
    if (x->tick != y->tick) return x->tick < y->tick ? -1 : 1;
    if (x->other_place != y->other_place) return x->other_place < y->other_place ? -1 : 1;
    if (x->other_tick != y->other_tick) return x->other_tick < y->other_tick ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the arrows of one place, which mostly are few and in order. */
static bool sort_place(FlowBuild *build, const ArrowOrder *order, size_t first, size_t count)
{
    const uint64_t place = place_at(order, first) << order->index_bits;
    ArrowTie       before = tie_of(build, order, index_at(order, first));
    bool           is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++) {
        const ArrowTie next = tie_of(build, order, index_at(order, first + i));
        is_sorted = compare_ties(&before, &next) < 0;
        before = next;
    }
    if (is_sorted) return true;
    ArrowTie *ties = ARENA_ARRAY(&build->finish->builder->log_arena, ArrowTie, count);
    if (ties == NULL) return false;
    for (size_t i = 0; i < count; i++)
        ties[i] = tie_of(build, order, index_at(order, first + i));
    qsort(ties, count, sizeof *ties, compare_ties);
    for (size_t i = 0; i < count; i++)
        order->words[first + i] = place | ties[i].index;
    return true;
}

static bool sort_arrows(FlowBuild *build, const ArrowOrder *order)
{
    const size_t count = build->arrow_count;
    for (size_t i = 0; i < count; i++) {
        const BoundEnd end = end_of(arrow_log_at(build->arrows, i), order->side);
        order->words[i] = place_of(order, &end) << order->index_bits | i;
    }
    if (!workspace_sort_words(&build->finish->workspaces[0], count, order->index_bits)) return false;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && place_at(order, end) == place_at(order, first);)
            end++;
        if (end - first > 1 && !sort_place(build, order, first, end - first)) return false;
    }
    return true;
}

static bool map_flow_columns(FlowColumns *flows, uint64_t count)
{
    bool failed = false;
    flows->from = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->to = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->from_offset = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->to_offset = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->label = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->flags = (uint8_t *)layout_map_column(count, sizeof(uint8_t), &failed);
    flows->by_to = (uint32_t *)layout_map_column(count, sizeof(uint32_t), &failed);
    flows->count = count;
    return !failed;
}

static uint32_t offset_in(FlowBuild *build, const BoundEnd *end, uint64_t flow, FlowSide side, Bytes *longs)
{
    const Trace *trace = build->finish->trace;
    int64_t      begin = end->is_bound ? trace->slices.begin_tick[end->ref] : trace->begin_tick;
    uint64_t     offset = (uint64_t)end->tick - (uint64_t)begin;
    if (offset < UINT32_MAX) return (uint32_t)offset;
    bytes_append(longs, &(SparseValue){ 2 * flow + (uint64_t)side, offset }, sizeof(SparseValue));
    return UINT32_MAX;
}

/* Columns in that order. */
static void fill_columns(FlowBuild *build, const ArrowOrder *order, Bytes *longs)
{
    FlowColumns *flows = &build->finish->trace->flows;
    for (size_t i = 0; i < build->arrow_count; i++) {
        const ArrowRecord *arrow = arrow_log_at(build->arrows, index_at(order, i));
        const BoundEnd     from = end_of(arrow, FLOW_FROM), to = end_of(arrow, FLOW_TO);
        unsigned           flags = to.tick < from.tick ? FLOW_BACKWARDS : 0;
        if (!from.is_bound) flags |= FLOW_FROM_UNBOUND;
        if (!to.is_bound) flags |= FLOW_TO_UNBOUND;
        flows->from[i] = from.ref;
        flows->to[i] = to.ref;
        flows->from_offset[i] = offset_in(build, &from, i, FLOW_FROM, longs);
        flows->to_offset[i] = offset_in(build, &to, i, FLOW_TO, longs);
        flows->label[i] = arrow->label;
        flows->flags[i] = (uint8_t)flags;
    }
}

/* Sorts and fills in all columns. */
static bool fill_flows(FlowBuild *build, Bytes *longs)
{
    const size_t   count = build->arrow_count;
    const uint64_t slice_count = build->finish->trace->slices.count;
    Workspace     *ws = &build->finish->workspaces[0];
    uint32_t      *by_to = build->finish->trace->flows.by_to;
    uint32_t      *place = ARENA_ARRAY(&build->finish->builder->log_arena, uint32_t, count);
    ArrowOrder     order = { .side = FLOW_FROM,
                             .words = (uint64_t *)workspace_pages(ws, &ws->keys, count, sizeof(uint64_t)),
                             .slice_end = slice_count < FLOW_LOST ? slice_count : FLOW_LOST,
                             .index_bits = bits_highest_u64(count) + 1 };
    if (place == NULL || order.words == NULL || !sort_arrows(build, &order)) return false;
    fill_columns(build, &order, longs);
    for (size_t i = 0; i < count; i++)
        place[index_at(&order, i)] = (uint32_t)i;
    order.side = FLOW_TO;
    order.place = place;
    if (!sort_arrows(build, &order)) return false;
    for (size_t i = 0; i < count; i++)
        by_to[i] = place[index_at(&order, i)];
    return true;
}

static bool make_columns(FlowBuild *build)
{
    Finish      *finish = build->finish;
    FlowColumns *flows = &finish->trace->flows;
    if (build->arrow_count == 0) return true;
    Bytes longs = { 0 };
    bool  done = map_flow_columns(flows, build->arrow_count) && fill_flows(build, &longs);
    flows->long_count = VECTOR_COUNT(longs, SparseValue);
    if (done && flows->long_count > 0) {
        flows->long_offsets =
            (SparseValue *)(void *)arena_push_copy(&finish->builder->arena, longs.data, longs.size);
        done = flows->long_offsets != NULL;
    }
    done = done && !longs.failed && flow_reach_build(finish->trace);
    bytes_release(&longs);
    return done;
}

bool flows_build(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    if (builder->flow_events.failed) return false;
    if (builder->flow_events.size == 0 && builder->arrows.count == 0) return true;
    FlowBuild build = { .finish = finish };
    bool      done = flow_match(finish, &build.matches) && bind_everything(&build) && make_columns(&build);
    bytes_release(&build.matches.pairs);
    return done;
}

void flows_release(Trace *trace)
{
    const FlowColumns *f = &trace->flows;
    size_t             count = (size_t)f->count;
    memory_unmap(f->from, count * sizeof *f->from);
    memory_unmap(f->to, count * sizeof *f->to);
    memory_unmap(f->from_offset, count * sizeof *f->from_offset);
    memory_unmap(f->to_offset, count * sizeof *f->to_offset);
    memory_unmap(f->label, count * sizeof *f->label);
    memory_unmap(f->flags, count * sizeof *f->flags);
    memory_unmap(f->by_to, count * sizeof *f->by_to);
    flow_reach_release(trace);
}

uint64_t flows_bytes(const Trace *trace)
{
    return trace->flows.count * (6 * sizeof(uint32_t) + sizeof(uint8_t)) +
           trace->flows.long_count * sizeof(SparseValue) + flow_reach_bytes(trace);
}

/* ---- reading them ---- */

static uint64_t offset_of_end(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    uint32_t offset = side == FLOW_FROM ? flows->from_offset[flow] : flows->to_offset[flow];
    if (LIKELY(offset < UINT32_MAX)) return offset;
    const SparseValue *value =
        trace_find_sparse(flows->long_offsets, flows->long_count, 2 * flow + (uint64_t)side);
    return value == NULL ? offset : value->value;
}

static bool is_unbound(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    return (flows->flags[flow] & (side == FLOW_FROM ? FLOW_FROM_UNBOUND : FLOW_TO_UNBOUND)) != 0;
}

static uint32_t ref_of(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    return side == FLOW_FROM ? flows->from[flow] : flows->to[flow];
}

int64_t trace_flow_tick(const Trace *trace, uint64_t flow, FlowSide side)
{
    const FlowColumns *flows = &trace->flows;
    assert(flow < flows->count);
    int64_t begin = is_unbound(flows, flow, side) ? trace->begin_tick
                                                  : trace->slices.begin_tick[ref_of(flows, flow, side)];
    return (int64_t)((uint64_t)begin + offset_of_end(flows, flow, side));
}

FlowEnd trace_flow_end(const Trace *trace, uint64_t flow, FlowSide side)
{
    const FlowColumns *flows = &trace->flows;
    FlowEnd            end = { .tick = trace_flow_tick(trace, flow, side), .slice = FLOW_NO_SLICE };
    if (is_unbound(flows, flow, side)) {
        end.track = ref_of(flows, flow, side);
        return end;
    }
    end.slice = ref_of(flows, flow, side);
    uint32_t row = trace_slice_row(trace, end.slice);
    end.track = trace->rows[row].track;
    end.row = row - trace->tracks[end.track].first_row;
    return end;
}

uint64_t flow_at(const Trace *trace, FlowRange range, uint64_t i)
{
    assert(i < range.count);
    return range.side == FLOW_FROM ? range.first + i : trace->flows.by_to[range.first + i];
}

/* Where the place of an arrow stands in the order of a side. */
static uint64_t place_key(const FlowColumns *flows, FlowSide side, uint64_t position)
{
    uint64_t flow = side == FLOW_FROM ? position : flows->by_to[position];
    return (uint64_t)is_unbound(flows, flow, side) << 32 | ref_of(flows, flow, side);
}

/* The first position whose key is not below `key`. */
static uint64_t lower_bound(const FlowColumns *flows, FlowSide side, uint64_t key)
{
    uint64_t low = 0, high = flows->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (place_key(flows, side, middle) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static FlowRange range_of_keys(const Trace *trace, FlowSide side, uint64_t first, uint64_t end)
{
    uint64_t low = lower_bound(&trace->flows, side, first);
    return (FlowRange){ side, low, lower_bound(&trace->flows, side, end) - low };
}

/* How many of a range, whose times never fall, stand before `offset`. */
static uint64_t count_before(const Trace *trace, FlowRange range, uint64_t offset)
{
    uint64_t low = 0, high = range.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int64_t  tick = trace_flow_tick(trace, flow_at(trace, range, middle), range.side);
        if ((uint64_t)tick - (uint64_t)trace->begin_tick < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static FlowRange cut_to_time(const Trace *trace, FlowRange range, uint64_t begin, uint64_t end)
{
    uint64_t before = count_before(trace, range, begin);
    uint64_t by_end = end == UINT64_MAX ? range.count : count_before(trace, range, end);
    range.first += before;
    range.count = by_end > before ? by_end - before : 0;
    return range;
}

FlowRange flows_of_slice(const Trace *trace, uint64_t slice, FlowSide side)
{
    if (slice >= FLOW_LOST) return (FlowRange){ side, 0, 0 };
    return range_of_keys(trace, side, slice, slice + 1);
}

FlowRange flows_of_row(const Trace *trace, uint32_t row, FlowSide side, uint64_t begin, uint64_t end)
{
    const Row *r = &trace->rows[row];
    uint64_t   first = r->first_slice, last = r->first_slice + r->slice_count;
    if (first > FLOW_LOST) first = FLOW_LOST;
    if (last > FLOW_LOST) last = FLOW_LOST;
    return cut_to_time(trace, range_of_keys(trace, side, first, last), begin, end);
}

FlowRange flows_of_track(const Trace *trace, uint32_t track, FlowSide side, uint64_t begin, uint64_t end)
{
    uint64_t key = UINT64_C(1) << 32 | track;
    return cut_to_time(trace, range_of_keys(trace, side, key, key + 1), begin, end);
}

/* The earliest slice at the other end of a range's arrows. */
static bool earliest_of(const Trace *trace, FlowRange range, FlowSide towards, uint64_t *found)
{
    int64_t earliest = 0;
    bool    any = false;
    for (uint64_t i = 0; i < range.count && i < MOST_FOLLOWED; i++) {
        uint64_t flow = flow_at(trace, range, i);
        if (is_unbound(&trace->flows, flow, towards)) continue;
        int64_t tick = trace_flow_tick(trace, flow, towards);
        if (any && tick >= earliest) continue;
        any = true;
        earliest = tick;
        *found = ref_of(&trace->flows, flow, towards);
    }
    return any;
}

/* Back from a state: to what ended it, if that led to the state that follows at once; else to what led to the states before
 * it, as far as they follow each other at once. */
static bool follow_states(const Trace *trace, uint64_t slice, uint64_t *found)
{
    enum { MOST_STATES = 64 };
    const Row *row = &trace->rows[trace_slice_row(trace, slice)];
    uint64_t   next = slice + 1, first = row->first_slice, end = first + row->slice_count;
    if (next < end && trace_slice_end(trace, slice) == trace->slices.begin_tick[next] &&
        earliest_of(trace, flows_of_slice(trace, next, FLOW_TO), FLOW_FROM, found))
        return true;
    for (int i = 0; i < MOST_STATES && slice > first; i++, slice--) {
        if (trace_slice_end(trace, slice - 1) != trace->slices.begin_tick[slice]) return false;
        if (earliest_of(trace, flows_of_slice(trace, slice - 1, FLOW_TO), FLOW_FROM, found)) return true;
    }
    return false;
}

bool flows_follow(const Trace *trace, uint64_t slice, FlowSide towards, uint64_t *found)
{
    FlowSide side = towards == FLOW_TO ? FLOW_FROM : FLOW_TO;
    if (earliest_of(trace, flows_of_slice(trace, slice, side), towards, found)) return true;
    if (trace->flows.count == 0) return false;
    uint32_t     index = trace->rows[trace_slice_row(trace, slice)].track;
    const Track *track = &trace->tracks[index], *above = track - 1;
    if (track->kind == TRACK_STATES) return side == FLOW_TO && follow_states(trace, slice, found);
    if (track->kind != TRACK_THREAD || above->kind != TRACK_STATES || above->thread != index ||
        above->row_count == 0)
        return false;
    uint64_t begin = (uint64_t)trace->slices.begin_tick[slice] - (uint64_t)trace->begin_tick;
    uint64_t end = (uint64_t)trace_slice_end(trace, slice) - (uint64_t)trace->begin_tick;
    return earliest_of(trace, flows_of_row(trace, above->first_row, side, begin, end), towards, found);
}

/* ---- checking them ---- */

static bool fails(Err *err, const char *what, uint64_t index)
{
    return err_set(err, ERR_CORRUPT, "trace_check: %s (%llu)", what, (unsigned long long)index);
}

static bool check_end(const Trace *trace, uint64_t flow, FlowSide side, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    uint32_t           ref = ref_of(flows, flow, side);
    if (is_unbound(flows, flow, side) ? ref == 0 || ref > trace->track_count : ref >= trace->slices.count)
        return fails(err, "an arrow's end at nothing", flow);
    int64_t tick = trace_flow_tick(trace, flow, side);
    if (tick < trace->begin_tick || tick > trace->end_tick)
        return fails(err, "an arrow outside the time", flow);
    if (!is_unbound(flows, flow, side) &&
        (tick < trace->slices.begin_tick[ref] || tick > trace_slice_end(trace, ref)))
        return fails(err, "an arrow's end outside its slice", flow);
    return true;
}

static bool check_order(const Trace *trace, FlowSide side, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    FlowRange          all = { side, 0, flows->count };
    for (uint64_t i = 1; i < flows->count; i++) {
        uint64_t before = place_key(flows, side, i - 1), key = place_key(flows, side, i);
        int64_t  tick_before = trace_flow_tick(trace, flow_at(trace, all, i - 1), side);
        int64_t  tick = trace_flow_tick(trace, flow_at(trace, all, i), side);
        if (before > key || (before == key && tick_before > tick))
            return fails(err, "arrows out of order", i);
    }
    return true;
}

bool flows_check(const Trace *trace, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    uint64_t           sum = 0, long_seen = 0;
    for (uint64_t i = 0; i < flows->count; i++) {
        if (flows->by_to[i] >= flows->count) return fails(err, "an arrow that there is not", i);
        sum += flows->by_to[i];
        if (flows->label[i] > trace->label_count) return fails(err, "an arrow with an unknown label", i);
        if (!check_end(trace, i, FLOW_FROM, err) || !check_end(trace, i, FLOW_TO, err)) return false;
        bool backwards = trace_flow_tick(trace, i, FLOW_TO) < trace_flow_tick(trace, i, FLOW_FROM);
        if (backwards != ((flows->flags[i] & FLOW_BACKWARDS) != 0))
            return fails(err, "an arrow's direction", i);
        long_seen += flows->from_offset[i] == UINT32_MAX;
        long_seen += flows->to_offset[i] == UINT32_MAX;
    }
    if (flows->count > 0 && sum != flows->count * (flows->count - 1) / 2)
        return fails(err, "arrows missing from the order of ends", sum);
    if (long_seen != flows->long_count) return fails(err, "long offsets of arrows", long_seen);
    if (!flow_reach_check(trace)) return fails(err, "how far arrows reach", flows->count);
    return check_order(trace, FLOW_FROM, err) && check_order(trace, FLOW_TO, err);
}
