/* Columns of bound flows: in the order of their begins, with an index of the order of their ends.
 *
 * Flows arrive nearly in order of time, and so do the slices of a row. One bucket for each slice, or
 * for a few, puts them nearly at their positions, which are written sequentially in each row. Only
 * flows that are out of order in their bucket are sorted afterwards. */
#include "base/compare.h"
#include "base/vec.h"
#include "trace/make/flow_log.h"
#include "trace/store/begins.h"
#include "trace/store/flow_reach.h"
#include "trace/store/flows.h"

#include <stdlib.h>
#include <string.h>

/* The order of one side: bound arrows by slice, then unbound ones by track, both in order of time. */
typedef struct FlowOrder {
    Finish   *finish;
    uint64_t  slice_end; /* the place of track 0 */
    uint32_t *next;      /* of each bucket: the position of its next arrow */
    size_t    bucket_count;
    unsigned  shift;        /* place >> shift is a bucket */
    VEC(SparseValue) longs; /* offsets */
} FlowOrder;

static uint64_t place_of(const FlowOrder *order, uint32_t ref, bool is_bound)
{
    return is_bound ? ref : order->slice_end + ref;
}

static size_t bucket_of(const FlowOrder *order, uint32_t ref, bool is_bound)
{
    return (size_t)(place_of(order, ref, is_bound) >> order->shift);
}

/* Chooses the size of buckets, so that there are only slightly more buckets than arrows. */
static bool plan_buckets(FlowOrder *order, uint64_t count)
{
    enum { BUCKETS_AN_ARROW = 2 };
    const Trace   *trace = order->finish->trace;
    const uint64_t places = order->slice_end + trace->track_count + 1;
    Workspace     *ws = &order->finish->workspaces[0];
    while (places >> order->shift > count * BUCKETS_AN_ARROW)
        order->shift++;
    order->bucket_count = (size_t)(places >> order->shift) + 1;
    order->next = (uint32_t *)workspace_pages(ws, &ws->keys, order->bucket_count, sizeof(uint32_t));
    return order->next != NULL;
}

static void clear_buckets(const FlowOrder *order)
{
    memset(order->next, 0, order->bucket_count * sizeof *order->next);
}

/* Converts the number of arrows of each bucket to the position of its first one. */
static void place_buckets(const FlowOrder *order)
{
    uint32_t at = 0;
    for (size_t i = 0; i < order->bucket_count; i++) {
        const uint32_t here = order->next[i];
        order->next[i] = at;
        at += here;
    }
}

/* ---- columns ---- */

/* Returns the offset from the begin of the slice, or of the trace. */
static uint64_t offset_of(const FlowOrder *order, uint32_t ref, bool is_bound, int64_t tick)
{
    const Trace *trace = order->finish->trace;
    return (uint64_t)tick - (uint64_t)(is_bound ? begins_at(&trace->slices, ref) : trace->begin_tick);
}

static ALWAYS_INLINE uint32_t store_offset(FlowOrder *order, uint32_t ref, bool is_bound, int64_t tick,
                                           uint64_t key)
{
    const uint64_t offset = offset_of(order, ref, is_bound, tick);
    if (LIKELY(offset < UINT32_MAX)) return (uint32_t)offset;
    vec_push(&order->longs, (SparseValue){ key, offset });
    return UINT32_MAX;
}

static uint8_t flags_of(bool goes_back, bool from_is_bound, bool to_is_bound)
{
    return (uint8_t)((goes_back ? (unsigned)FLOW_BACKWARDS : 0) |
                     (from_is_bound ? 0 : (unsigned)FLOW_FROM_UNBOUND) |
                     (to_is_bound ? 0 : (unsigned)FLOW_TO_UNBOUND));
}

static void count_piece(const FlowOrder *order, const ArrowPiece *piece)
{
    for (uint32_t i = 0; i < piece->count; i++) {
        const ArrowRecord arrow = arrow_bound(piece, i);
        order->next[bucket_of(order, arrow.from, arrow.from_binding)]++;
    }
}

static void put_piece(FlowOrder *order, FlowColumns columns, const ArrowPiece *piece)
{
    FlowColumns *const flows = &columns; /* a local copy: no store to the columns can change it */
    for (uint32_t i = 0; i < piece->count; i++) {
        const ArrowRecord arrow = arrow_bound(piece, i);
        const uint32_t    at = order->next[bucket_of(order, arrow.from, arrow.from_binding)]++;
        flows->from[at] = arrow.from;
        flows->to[at] = arrow.to;
        flows->from_offset[at] = store_offset(order, arrow.from, arrow.from_binding, arrow.from_tick,
                                              2 * (uint64_t)at + FLOW_FROM);
        flows->to_offset[at] =
            store_offset(order, arrow.to, arrow.to_binding, arrow.to_tick, 2 * (uint64_t)at + FLOW_TO);
        flows->label[at] = arrow.label;
        flows->flags[at] = flags_of(arrow.to_tick < arrow.from_tick, arrow.from_binding, arrow.to_binding);
        flow_reach_note(flows, FLOW_FROM, at, arrow.to_tick);
    }
}

/* ---- flows that are out of order in their bucket ---- */

/* An arrow outside of the columns; places and ticks by FlowSide. */
typedef struct FlowItem {
    uint64_t place[2];
    int64_t  tick[2];
    uint32_t label;
    uint32_t order; /* its position in the columns so far: input order within one bucket */
} FlowItem;

static FlowItem take_item(const FlowOrder *order, uint32_t flow)
{
    const Trace       *trace = order->finish->trace;
    const FlowColumns *flows = &trace->flows;
    const uint8_t      flags = flows->flags[flow];
    return (
        FlowItem){ .place = { place_of(order, flows->from[flow], !(flags & FLOW_FROM_UNBOUND)),
                              place_of(order, flows->to[flow], !(flags & FLOW_TO_UNBOUND)) },
                   .tick = { trace_flow_tick(trace, flow, FLOW_FROM), trace_flow_tick(trace, flow, FLOW_TO) },
                   .label = flows->label[flow],
                   .order = flow };
}

/* Compares by begin, then by end. */
static int compare_from(const void *left, const void *right)
{
    const FlowItem *a = (const FlowItem *)left, *b = (const FlowItem *)right;
    int             sign = compare_u64(a->place[FLOW_FROM], b->place[FLOW_FROM]);
    if (sign == 0) sign = compare_i64(a->tick[FLOW_FROM], b->tick[FLOW_FROM]);
    if (sign == 0) sign = compare_u64(a->place[FLOW_TO], b->place[FLOW_TO]);
    if (sign == 0) sign = compare_i64(a->tick[FLOW_TO], b->tick[FLOW_TO]);
    return sign != 0 ? sign : compare_u64(a->order, b->order);
}

/* Compares by end, then by begin. */
static int compare_to(const void *left, const void *right)
{
    const FlowItem *a = (const FlowItem *)left, *b = (const FlowItem *)right;
    int             sign = compare_u64(a->place[FLOW_TO], b->place[FLOW_TO]);
    if (sign == 0) sign = compare_i64(a->tick[FLOW_TO], b->tick[FLOW_TO]);
    return sign != 0 ? sign : compare_u64(a->order, b->order);
}

static void sort_items(FlowItem *items, size_t count, int (*compare)(const void *, const void *))
{
    enum { MOST_INSERTED = 32 };
    if (count > MOST_INSERTED) {
        qsort(items, count, sizeof *items, compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const FlowItem item = items[i];
        size_t         j = i;
        for (; j > 0 && compare(&items[j - 1], &item) > 0; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Writes items back to [first, ...). Their long offsets replace a range of the same length. */
static void put_items(const FlowOrder *order, uint32_t first, const FlowItem *items, uint32_t count)
{
    const FlowColumns flows = order->finish->trace->flows;
    uint64_t next_long = trace_sparse_before(flows.long_offsets, flows.long_count, 2 * (uint64_t)first);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t flow = first + i;
        uint32_t      *refs[] = { &flows.from[flow], &flows.to[flow] };
        uint32_t      *offsets[] = { &flows.from_offset[flow], &flows.to_offset[flow] };
        bool           is_bound[2];
        for (size_t side = 0; side < 2; side++) {
            const uint64_t place = items[i].place[side];
            is_bound[side] = place < order->slice_end;
            *refs[side] = (uint32_t)(is_bound[side] ? place : place - order->slice_end);
            const uint64_t offset = offset_of(order, *refs[side], is_bound[side], items[i].tick[side]);
            *offsets[side] = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
            if (offset >= UINT32_MAX)
                flows.long_offsets[next_long++] = (SparseValue){ 2 * (uint64_t)flow + side, offset };
        }
        flows.label[flow] = items[i].label;
        flows.flags[flow] =
            flags_of(items[i].tick[FLOW_TO] < items[i].tick[FLOW_FROM], is_bound[0], is_bound[1]);
    }
}

static uint32_t flow_in(const FlowColumns *flows, FlowSide side, uint32_t position)
{
    return side == FLOW_FROM ? position : flows->by_to[position];
}

/* True if the flow at `position` is in order after the previous one, as most are. */
static bool is_behind(const FlowOrder *order, FlowSide side, uint32_t position)
{
    const FlowColumns *flows = &order->finish->trace->flows;
    const uint32_t     a = flow_in(flows, side, position - 1), b = flow_in(flows, side, position);
    const unsigned     unbound = side == FLOW_FROM ? FLOW_FROM_UNBOUND : FLOW_TO_UNBOUND;
    const uint32_t    *refs = side == FLOW_FROM ? flows->from : flows->to;
    const uint32_t    *offsets = side == FLOW_FROM ? flows->from_offset : flows->to_offset;
    if (LIKELY(((flows->flags[a] | flows->flags[b]) & unbound) == 0)) {
        if (refs[a] < refs[b]) return true;
        if (refs[a] == refs[b] && offsets[a] < offsets[b] && offsets[b] < UINT32_MAX) return true;
    }
    const FlowItem before = take_item(order, a), item = take_item(order, b);
    return (side == FLOW_FROM ? compare_from : compare_to)(&before, &item) < 0;
}

static bool sort_bucket(const FlowOrder *order, FlowSide side, uint32_t first, uint32_t count)
{
    enum { FEW_ITEMS = 32 };
    const FlowColumns *flows = &order->finish->trace->flows;
    FlowItem           few[FEW_ITEMS], *items = few;
    if (count > FEW_ITEMS) items = ARENA_ARRAY(&order->finish->builder->log_arena, FlowItem, count);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        items[i] = take_item(order, flow_in(flows, side, first + i));
    sort_items(items, count, side == FLOW_FROM ? compare_from : compare_to);
    if (side == FLOW_FROM) put_items(order, first, items, count);
    for (uint32_t i = 0; side == FLOW_TO && i < count; i++)
        flows->by_to[first + i] = items[i].order;
    flow_reach_again(order->finish->trace, side, first, first + count);
    return true;
}

/* Sorts the flows in each bucket. Call when all buckets are full: each ends at the begin of the next. */
static bool sort_buckets(const FlowOrder *order, FlowSide side)
{
    uint32_t first = 0;
    for (size_t bucket = 0; bucket < order->bucket_count; bucket++) {
        const uint32_t end = order->next[bucket];
        for (uint32_t i = first + 1; i < end; i++) {
            if (LIKELY(is_behind(order, side, i))) continue;
            if (!sort_bucket(order, side, first, end - first)) return false;
            break;
        }
        first = end;
    }
    return true;
}

/* ---- all together ---- */

static bool keep_longs(const FlowOrder *order, FlowColumns *flows)
{
    flows->long_count = vec_count(&order->longs);
    if (order->longs.bytes.failed) return false;
    if (flows->long_count == 0) return true;
    flows->long_offsets = vec_copy(&order->longs, &order->finish->builder->arena);
    if (flows->long_offsets == NULL) return false;
    qsort(flows->long_offsets, (size_t)flows->long_count, sizeof(SparseValue), compare_first_u64);
    return true;
}

static bool fill_from(FlowOrder *order, FlowColumns *flows, const BoundArrows *arrows)
{
    clear_buckets(order);
    for (size_t i = 0; i < arrows->piece_count; i++)
        count_piece(order, &arrows->pieces[i]);
    place_buckets(order);
    for (size_t i = 0; i < arrows->piece_count; i++)
        put_piece(order, *flows, &arrows->pieces[i]);
    return keep_longs(order, flows) && sort_buckets(order, FLOW_FROM);
}

/* Returns the time of the begin of a flow. */
static ALWAYS_INLINE int64_t from_tick(const FlowOrder *order, const FlowColumns *flows, uint32_t flow)
{
    const Trace   *trace = order->finish->trace;
    const uint32_t offset = flows->from_offset[flow];
    if (UNLIKELY(offset == UINT32_MAX || flows->flags[flow] & FLOW_FROM_UNBOUND))
        return trace_flow_tick(trace, flow, FLOW_FROM);
    return (int64_t)((uint64_t)begins_at(&trace->slices, flows->from[flow]) + offset);
}

static bool fill_by_to(const FlowOrder *order, FlowColumns columns)
{
    FlowColumns *const flows = &columns;
    const uint32_t     count = (uint32_t)flows->count;
    clear_buckets(order);
    for (uint32_t i = 0; i < count; i++)
        order->next[bucket_of(order, flows->to[i], !(flows->flags[i] & FLOW_TO_UNBOUND))]++;
    place_buckets(order);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at =
            order->next[bucket_of(order, flows->to[i], !(flows->flags[i] & FLOW_TO_UNBOUND))]++;
        flows->by_to[at] = i;
        flow_reach_note(flows, FLOW_TO, at, from_tick(order, flows, i));
    }
    return sort_buckets(order, FLOW_TO);
}

bool flow_columns_make(Finish *finish, const BoundArrows *arrows)
{
    FlowColumns   *flows = &finish->trace->flows;
    const uint64_t slice_count = finish->trace->slices.count;
    FlowOrder order = { .finish = finish, .slice_end = slice_count < FLOW_LOST ? slice_count : FLOW_LOST };
    if (arrows->count == 0) return true;
    flows->count = arrows->count;
    bool done =
        flows_map(finish->trace) && plan_buckets(&order, arrows->count) && fill_from(&order, flows, arrows);
    if (done) { /* releases the logs before the columns are written, to limit the peak of memory */
        PagePool *pool = &finish->workspaces[0].spare_pages;
        arrow_log_give(&finish->builder->flows.arrows, pool);
        page_pool_lay(pool, flows->by_to, (size_t)flows->count * sizeof *flows->by_to);
        page_pool_release(pool);
        done = fill_by_to(&order, *flows);
    }
    vec_release(&order.longs);
    return done;
}
