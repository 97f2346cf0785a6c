#include "trace/flow_log.h"

#include <assert.h>

/* Lanes hold what overlaps without nesting, levels what is nested absurdly deep: so many are looked at. */
enum { MOST_LANES = 64, MOST_LEVELS = 256 };

/* Rows of one lane, by depth. */
typedef struct Lane {
    const Row *rows;
    uint32_t   count;
} Lane;

static Lane lane_of(const Trace *trace, const Track *track, uint32_t track_index, uint32_t lane)
{
    const Row *rows = &trace->rows[track->first_row];
    if (LIKELY(track->lane_count == 1 && track->row_count > 0 && rows->depth == 0))
        return (Lane){ rows, track->row_count };
    uint32_t first = trace_find_row(trace, track_index, lane, 0), end = track->first_row + track->row_count;
    if (first == UINT32_MAX) return (Lane){ NULL, 0 };
    if (lane + 1 < track->lane_count) {
        uint32_t next = trace_find_row(trace, track_index, lane + 1, 0);
        if (next != UINT32_MAX) end = next;
    }
    return (Lane){ &trace->rows[first], end - first };
}

/* As ticks_lower_bound, looked for from `near` on in steps that double. */
static uint32_t find_far(const int64_t *ticks, uint32_t count, uint32_t near, int64_t tick)
{
    uint32_t low = near, high = near, step = 1; /* the bound is in [low, high] */
    if (near < count && ticks[near] < tick) {
        do {
            low = high + 1;
            high = count - high > step ? high + step : count;
            step *= 2;
        } while (high < count && ticks[high] < tick);
    } else {
        for (; low > 0 && ticks[low - 1] >= tick; step *= 2) {
            high = low - 1;
            low = low > step ? low - step : 0;
        }
    }
    return low + ticks_lower_bound(ticks + low, high - low, tick);
}

/* As row_lower_bound: looked for from where the row was asked last, mostly a few slices on. */
static inline uint32_t find_bound(FlowBinder *binder, const Row *row, int64_t tick)
{
    enum { FEW = 8 };
    if (row->slice_count == 0) return 0;
    RowHint       *hint = &binder->hints[(size_t)(row - binder->trace->rows) % FLOW_HINTS];
    const int64_t *ticks = binder->trace->slices.begin_tick + row->first_slice;
    const uint32_t count = row->slice_count, near = hint->row == row ? hint->bound : 0;
    const uint32_t end = count - near < FEW ? count : near + FEW;
    uint32_t       bound = near;
    while (bound < end && ticks[bound] < tick)
        bound++;
    if (UNLIKELY((bound == end && end < count) || (bound == near && near > 0 && ticks[near - 1] >= tick)))
        bound = find_far(ticks, count, bound, tick);
    *hint = (RowHint){ row, bound };
    return bound;
}

/* The last slice of the row that begins before `tick`, or at it; FLOW_LOST when there is none. */
typedef enum { BEGINS_BEFORE, BEGINS_BY } BeginRule;
static uint64_t last_begun(FlowBinder *binder, const Row *row, int64_t tick, BeginRule rule)
{
    if (rule == BEGINS_BY && tick == INT64_MAX && row->slice_count > 0)
        return row->first_slice + row->slice_count - 1;
    uint32_t after = find_bound(binder, row, rule == BEGINS_BY && tick < INT64_MAX ? tick + 1 : tick);
    return after == 0 ? FLOW_LOST : row->first_slice + after - 1;
}

/* Nesting makes these true for the rows down to some depth and for none below. */
typedef enum {
    HOLDS_CLOSED, /* a slice that began by then ends no earlier */
    HOLDS_OPEN,   /* ... ends later, or begins right there */
    HOLDS_BEFORE  /* a slice that began before ends no earlier */
} HoldRule;

static bool row_holds(FlowBinder *binder, const Row *row, int64_t tick, HoldRule rule)
{
    const Trace *trace = binder->trace;
    uint64_t     slice = last_begun(binder, row, tick, rule == HOLDS_BEFORE ? BEGINS_BEFORE : BEGINS_BY);
    if (slice == FLOW_LOST) return false;
    int64_t end = trace_slice_end(trace, slice);
    if (rule == HOLDS_OPEN) return end > tick || trace->slices.begin_tick[slice] == tick;
    return end >= tick;
}

static uint32_t depth_held(FlowBinder *binder, const Lane *lane, int64_t tick, HoldRule rule)
{
    uint32_t low = 0, high = lane->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row_holds(binder, &lane->rows[middle], tick, rule)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t find_enclosing(FlowBinder *binder, const Lane *lane, int64_t tick)
{
    const Trace *trace = binder->trace;
    uint32_t     open = depth_held(binder, lane, tick, HOLDS_OPEN);
    uint64_t     slice = FLOW_LOST;
    if (open > 0) slice = last_begun(binder, &lane->rows[open - 1], tick, BEGINS_BY);
    if (slice != FLOW_LOST && trace->slices.begin_tick[slice] == tick) return slice;
    uint32_t closed = depth_held(binder, lane, tick, HOLDS_CLOSED);
    return closed == 0 ? FLOW_LOST : last_begun(binder, &lane->rows[closed - 1], tick, BEGINS_BY);
}

/* The first slice to begin: inside the innermost that is open, else inside the one around that, ... */
static uint64_t find_next(FlowBinder *binder, const Lane *lane, int64_t tick)
{
    const Trace *trace = binder->trace;
    uint32_t     depth = depth_held(binder, lane, tick, HOLDS_BEFORE);
    for (uint32_t steps = 0;; steps++) {
        if (steps == MOST_LEVELS) depth = 0;
        const Row *row = &lane->rows[depth];
        uint32_t   i = depth < lane->count ? find_bound(binder, row, tick) : 0;
        bool       has = depth < lane->count && i < row->slice_count;
        if (depth == 0) return has ? row->first_slice + i : FLOW_LOST;
        uint64_t around = last_begun(binder, &lane->rows[depth - 1], tick, BEGINS_BEFORE);
        if (has && trace->slices.begin_tick[row->first_slice + i] <= trace_slice_end(trace, around))
            return row->first_slice + i;
        depth--;
    }
}

/* Of two lanes' slices. What begins right at the tick begins latest. */
static bool is_better(const Trace *trace, FlowBinding binding, uint64_t slice, uint64_t best)
{
    int64_t begin = trace->slices.begin_tick[slice], best_begin = trace->slices.begin_tick[best];
    return binding == FLOW_BIND_NEXT ? begin < best_begin : begin > best_begin;
}

/* What ends right there gives way to nothing: what begins there is the last one begun. */
static uint64_t find_outermost(FlowBinder *binder, const Track *track, uint32_t track_index, int64_t tick)
{
    const Trace *trace = binder->trace;
    const Lane   lane = lane_of(trace, track, track_index, 0);
    if (track->lane_count == 0 || lane.count == 0) return FLOW_LOST;
    const uint64_t slice = last_begun(binder, &lane.rows[0], tick, BEGINS_BY);
    if (slice == FLOW_LOST) return FLOW_LOST;
    const uint64_t passed = (uint64_t)tick - (uint64_t)trace->slices.begin_tick[slice];
    const bool     holds = passed <= trace->slices.duration[slice] || trace_slice_end(trace, slice) >= tick;
    return LIKELY(holds) ? slice : FLOW_LOST;
}

static uint64_t find_in_lanes(FlowBinder *binder, const Track *track, uint32_t track_index,
                              FlowBinding binding, int64_t tick)
{
    const Trace *trace = binder->trace;
    uint64_t     best = FLOW_LOST;
    for (uint32_t i = 0; i < track->lane_count && i < MOST_LANES; i++) {
        Lane lane = lane_of(trace, track, track_index, i);
        if (lane.count == 0) continue;
        uint64_t slice =
            binding == FLOW_BIND_NEXT ? find_next(binder, &lane, tick) : find_enclosing(binder, &lane, tick);
        if (slice >= FLOW_LOST) continue;
        if (best == FLOW_LOST || is_better(trace, binding, slice, best)) best = slice;
    }
    return best;
}

BoundEnd flow_bind(FlowBinder *binder, uint32_t track_index, FlowBinding binding, int64_t tick)
{
    const Trace *trace = binder->trace;
    BoundEnd     end = { .tick = tick, .ref = FLOW_LOST };
    if (track_index == 0 || binding == FLOW_BIND_SLICE || binding == FLOW_BIND_TRACK) return end;
    const Track   *track = &trace->tracks[track_index];
    const uint64_t slice = binding == FLOW_BIND_OUTERMOST
                               ? find_outermost(binder, track, track_index, tick)
                               : find_in_lanes(binder, track, track_index, binding, tick);
    if (slice >= FLOW_LOST) return end;
    end.ref = (uint32_t)slice;
    end.is_bound = true;
    if (binding == FLOW_BIND_NEXT) end.tick = trace->slices.begin_tick[slice];
    return end;
}

/* ---- slices that are flow events themselves ---- */

static size_t slot_of(const SlicesByOffset *found, uint64_t offset)
{
    size_t at = (size_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (found->capacity - 1);
    while (found->offsets[at] != UINT64_MAX && found->offsets[at] != offset)
        at = (at + 1) & (found->capacity - 1);
    return at;
}

static bool binds_to_slice(const FlowEvent *event)
{
    FlowBinding binding = (FlowBinding)(event->place >> FLOW_BINDING_SHIFT & 3);
    return binding == FLOW_BIND_SLICE;
}

static void find_slice(SlicesByOffset *found, uint64_t offset, uint64_t slice)
{
    const size_t at = slot_of(found, offset);
    if (found->offsets[at] != UINT64_MAX && found->slices[at] == FLOW_LOST && slice < FLOW_LOST)
        found->slices[at] = (uint32_t)slice;
}

/* Of a trace that grows. */
static void look_through_rows(const Trace *trace, const Track *track, SlicesByOffset *found)
{
    for (uint32_t r = track->first_row; r < track->first_row + track->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (uint64_t slice = row->first_slice; slice < row->first_slice + row->slice_count; slice++)
            if (trace->slices.flags[slice] & SLICE_SOURCE)
                find_slice(found, trace->live->source[slice], slice);
    }
}

static void look_through_track(const Trace *trace, const Track *track, SlicesByOffset *found)
{
    uint64_t source = track->first_source;
    for (uint64_t slice = track->first_slice; slice < track->first_slice + track->slice_count; slice++) {
        if (!(trace->slices.flags[slice] & SLICE_SOURCE)) continue;
        find_slice(found, trace->slices.source[source++], slice);
    }
}

bool flow_find_slices(Finish *finish, const FlowMatches *matches, SlicesByOffset *found)
{
    Arena *arena = &finish->builder->log_arena;
    size_t count = 0, capacity = 16;
    for (size_t i = 0; i < matches->event_count; i++)
        count += binds_to_slice(&matches->events[i]);
    *found = (SlicesByOffset){ 0 };
    if (count == 0) return true;
    while (capacity < 2 * count)
        capacity *= 2;
    found->capacity = capacity;
    found->offsets = ARENA_ARRAY(arena, uint64_t, capacity);
    found->slices = ARENA_ARRAY(arena, uint32_t, capacity);
    if (found->offsets == NULL || found->slices == NULL) return false;
    for (size_t i = 0; i < capacity; i++) {
        found->offsets[i] = UINT64_MAX;
        found->slices[i] = FLOW_LOST;
    }
    for (size_t i = 0; i < matches->event_count; i++) {
        if (!binds_to_slice(&matches->events[i])) continue;
        uint64_t offset = place_offset(matches->events[i].place);
        found->offsets[slot_of(found, offset)] = offset;
    }
    const Trace *trace = finish->trace;
    for (uint32_t i = 1; i <= trace->track_count && trace->live != NULL; i++)
        look_through_rows(trace, &trace->tracks[i], found);
    for (uint32_t i = 1; i <= trace->track_count; i++)
        if (trace->slices.source_count > 0) look_through_track(trace, &trace->tracks[i], found);
    return true;
}

uint32_t flow_slice_at(const SlicesByOffset *found, uint64_t offset)
{
    if (found->capacity == 0) return FLOW_LOST;
    size_t at = slot_of(found, offset);
    return found->offsets[at] == offset ? found->slices[at] : FLOW_LOST;
}
