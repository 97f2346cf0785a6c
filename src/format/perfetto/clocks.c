#include "format/perfetto/clocks.h"

#include "base/checked.h"
#include "base/search.h"
#include "format/perfetto/fields.h"
#include "format/wire.h"

#include <string.h>

/* Ids of clocks of a sequence. */
enum { FIRST_LOCAL = 64, LAST_LOCAL = 127, LOCAL_BITS = 7 };
enum { MOST_SNAPSHOT_CLOCKS = 64 };
/* Points in the middle: those near the end move few others. */
enum { NEAR_END = 64, MOST_LATE = 4096 };

typedef struct SnapshotClock {
    uint64_t time, unit_ns;
    uint32_t id;
    bool     is_incremental;
} SnapshotClock;

void clocks_open(Clocks *clocks, Arena *arena)
{
    *clocks = (Clocks){ .arena = arena, .primary = BUILTIN_BOOTTIME };
    clocks->index.arena = arena;
}

/* Ids of the trace have even keys. */
static uint64_t key_of(uint32_t sequence, uint32_t id)
{
    if (id < FIRST_LOCAL || id > LAST_LOCAL) return (uint64_t)id << 1;
    return ((uint64_t)sequence << LOCAL_BITS | (id - FIRST_LOCAL)) << 1 | 1;
}

static TraceClock *find_clock(const Clocks *clocks, uint32_t sequence, uint32_t id)
{
    const uint32_t found = id_map_find(&clocks->index, key_of(sequence, id));
    return found == 0 ? NULL : &clocks->all.items[found];
}

/* Returns the clock of an id, added on first use; NULL when out of memory. */
static TraceClock *clock_of(Clocks *clocks, uint32_t sequence, uint32_t id)
{
    TraceClock *found = find_clock(clocks, sequence, id);
    if (found != NULL) return found;
    if (clocks->all.count == 0 && ARENA_LIST_PUSH(&clocks->all, clocks->arena) == NULL) return NULL;
    const uint32_t index = (uint32_t)clocks->all.count;
    if (ARENA_LIST_PUSH(&clocks->all, clocks->arena) == NULL ||
        !id_map_put(&clocks->index, key_of(sequence, id), index))
        return NULL;
    clocks->all.items[index].unit_ns = 1;
    return &clocks->all.items[index];
}

/* False: the time does not fit into 63 bits of ns. */
static bool to_ns(uint64_t time, uint64_t unit_ns, int64_t *ns)
{
    if (unit_ns != 0 && time > (uint64_t)INT64_MAX / unit_ns) return false;
    *ns = (int64_t)(time * unit_ns);
    return true;
}

/* Sets *out to `to` plus the distance of a time from `from`. False: it is out of range. */
static bool moved(int64_t time, int64_t from, int64_t to, int64_t *out)
{
    bool clamped = false;
    *out = i64_add_clamped(to, i64_sub_clamped(time, from, &clamped), &clamped);
    return !clamped;
}

/* Returns the last point at or before a time, else the first one. */
static const ClockPoint *point_for(TraceClock *clock, int64_t own)
{
    const ClockPoint *points = clock->points.items;
    const size_t      count = clock->points.count;
    const size_t      hint = clock->hint;
    if (LIKELY(points[hint].own <= own && (hint + 1 == count || points[hint + 1].own > own)))
        return &points[hint];
    size_t after = 0;
    LOWER_BOUND(size_t, after, count, i, points[i].own <= own);
    clock->hint = (uint32_t)(after == 0 ? 0 : after - 1);
    return &points[clock->hint];
}

/* Converts a time of a clock, in ns. False: it is out of range. */
static bool convert(TraceClock *clock, int64_t own, int64_t *ns)
{
    const ClockPoint *point = point_for(clock, own);
    return moved(own, point->own, point->trace, ns);
}

/* Adds a point. False: out of memory. */
static bool add_point(Clocks *clocks, TraceClock *clock, ClockPoint point)
{
    size_t at = clock->points.count;
    if (at == UINT32_MAX) return true;
    if (at > 0 && clock->points.items[at - 1].own > point.own) {
        at = 0;
        LOWER_BOUND(size_t, at, clock->points.count, i, clock->points.items[i].own <= point.own);
    }
    if (clock->points.count - at > NEAR_END && ++clock->late_count > MOST_LATE) return true;
    if (at > 0 && clock->points.items[at - 1].own == point.own) {
        clock->points.items[at - 1] = point;
        return true;
    }
    if (ARENA_LIST_PUSH(&clock->points, clocks->arena) == NULL) return false;
    ClockPoint *items = clock->points.items;
    memmove(items + at + 1, items + at, (clock->points.count - 1 - at) * sizeof *items);
    items[at] = point;
    return true;
}

/* Decodes the clocks of a snapshot. Returns their number; SIZE_MAX: damage. */
static size_t decode(Clocks *clocks, StringView snapshot, SnapshotClock found[MOST_SNAPSHOT_CLOCKS])
{
    ByteCursor c = wire_message(snapshot);
    WireField  field, part;
    size_t     count = 0;
    uint32_t   primary = 0;
    while (wire_next(&c, &field)) {
        if (field.number == SNAPSHOT_PRIMARY && field.type == WIRE_VARINT) primary = (uint32_t)field.value;
        if (field.number != SNAPSHOT_CLOCKS || count == MOST_SNAPSHOT_CLOCKS) continue;
        SnapshotClock *clock = &found[count++];
        *clock = (SnapshotClock){ .unit_ns = 1 };
        ByteCursor parts = wire_message(field.bytes);
        while (wire_next(&parts, &part)) {
            if (part.number == CLOCK_ID) clock->id = (uint32_t)part.value;
            if (part.number == CLOCK_TIMESTAMP) clock->time = part.value;
            if (part.number == CLOCK_INCREMENTAL) clock->is_incremental = part.value != 0;
            if (part.number == CLOCK_UNIT_NS && part.value != 0) clock->unit_ns = part.value;
        }
        if (parts.failed) return SIZE_MAX;
    }
    if (c.failed) return SIZE_MAX;
    if (!clocks->has_primary && !clocks->is_used && primary != 0) clocks->primary = primary;
    clocks->has_primary |= primary != 0;
    return count;
}

/* Finds the time of a snapshot on the trace's clock. */
static bool place(Clocks *clocks, uint32_t sequence, const SnapshotClock *found, size_t count,
                  int64_t *moment)
{
    int64_t own;
    for (size_t i = 0; i < count; i++)
        if (found[i].id == clocks->primary) return to_ns(found[i].time, found[i].unit_ns, moment);
    for (size_t i = 0; i < count; i++) {
        TraceClock *clock = find_clock(clocks, sequence, found[i].id);
        if (clock == NULL || clock->points.count == 0 ||
            (found[i].id >= FIRST_LOCAL && found[i].id <= LAST_LOCAL))
            continue;
        if (to_ns(found[i].time, found[i].unit_ns, &own) && convert(clock, own, moment)) return true;
    }
    return false;
}

ClockResult clocks_add_snapshot(Clocks *clocks, uint32_t sequence, StringView snapshot)
{
    SnapshotClock found[MOST_SNAPSHOT_CLOCKS];
    const size_t  count = decode(clocks, snapshot, found);
    int64_t       moment = 0;
    if (count == SIZE_MAX) return CLOCK_UNKNOWN;
    const bool is_placed = place(clocks, sequence, found, count, &moment);
    for (size_t i = 0; i < count; i++) {
        const bool  is_local = found[i].id >= FIRST_LOCAL && found[i].id <= LAST_LOCAL;
        TraceClock *clock = clock_of(clocks, sequence, found[i].id);
        int64_t     own;
        if (clock == NULL) return CLOCK_NO_MEMORY;
        clock->unit_ns = found[i].unit_ns;
        clock->is_incremental = found[i].is_incremental && is_local;
        clock->last = found[i].time;
        if (!is_placed || found[i].id == clocks->primary || !to_ns(found[i].time, found[i].unit_ns, &own))
            continue;
        if (!add_point(clocks, clock, (ClockPoint){ own, moment })) return CLOCK_NO_MEMORY;
    }
    return is_placed || count == 0 ? CLOCK_KNOWN : CLOCK_UNKNOWN;
}

ClockResult clocks_to_trace(Clocks *clocks, uint32_t sequence, uint32_t id, uint64_t time, int64_t *ns)
{
    /* without snapshots, the clock of the first event is that of the trace */
    if (!clocks->is_used && clocks->all.count == 0 && id != 0) clocks->primary = id;
    clocks->is_used = true;
    TraceClock *clock = id == 0 ? NULL : find_clock(clocks, sequence, id);
    uint64_t    unit_ns = 1;
    int64_t     own;
    if (clock != NULL) {
        unit_ns = clock->unit_ns;
        if (clock->is_incremental) time = clock->last += time;
    }
    if (!to_ns(time, unit_ns, &own)) return CLOCK_OUT_OF_RANGE;
    *ns = own;
    if (id == 0 || id == clocks->primary) return CLOCK_KNOWN;
    if (clock == NULL || clock->points.count == 0) return CLOCK_UNKNOWN;
    return convert(clock, own, ns) ? CLOCK_KNOWN : CLOCK_OUT_OF_RANGE;
}
