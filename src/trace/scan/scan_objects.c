/* The objects and snapshots of a scan: slices and instants of tracks of kind TRACK_OBJECTS, with their properties. */
#include "trace/scan/scan_table.h"
#include "trace/store/object_find.h"

#include <assert.h>

/* Returns the equal column of slices (or instants) for a column of objects (or snapshots); COUNT = none. */
static unsigned column_of_slices(unsigned column)
{
    switch (column) {
    case SCAN_OBJECT_SLICE:
        return SCAN_SLICE_ID;
    case SCAN_OBJECT_BEGIN:
        return SCAN_SLICE_BEGIN;
    case SCAN_OBJECT_DURATION:
        return SCAN_SLICE_DURATION;
    case SCAN_OBJECT_CATEGORY:
        return SCAN_SLICE_CATEGORY;
    case SCAN_OBJECT_THREAD:
        return SCAN_SLICE_THREAD;
    case SCAN_OBJECT_SOURCE:
        return SCAN_SLICE_SOURCE;
    default:
        return SCAN_SLICE_COLUMNS;
    }
}

static void put_life(const Trace *trace, const ObjectLife *life, unsigned column, ScanOut out, uint32_t i)
{
    const Object *object = &trace->objects.objects[life->object];
    switch (column) {
    case SCAN_OBJECT_OBJECT:
        out.u32[i] = life->object;
        break;
    case SCAN_OBJECT_SCOPE:
        out.u32[i] = object->scope.index;
        break;
    case SCAN_OBJECT_KEY:
        out.u32[i] = object->id.index;
        break;
    case SCAN_OBJECT_BASE_TYPE:
        out.u32[i] = life->base_type.index;
        break;
    case SCAN_OBJECT_CREATED:
        out.u8[i] = life->is_created ? 1 : 0;
        break;
    case SCAN_OBJECT_SNAPSHOTS:
        out.u32[i] = life->snapshot_count;
        break;
    default:
        assert(false);
    }
}

void scan_fill_objects(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace   *trace = scope->trace;
    const unsigned same = column_of_slices(column);
    if (same != SCAN_SLICE_COLUMNS) {
        scan_fill_slices(scope, same, part, out);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        put_life(trace, &trace->objects.lives[object_life_of_slice(trace, part_item(part, i))], column, out,
                 i);
}

static unsigned column_of_instants(unsigned column)
{
    switch (column) {
    case SCAN_SNAPSHOT_INSTANT:
        return SCAN_INSTANT_ID;
    case SCAN_SNAPSHOT_THREAD:
        return SCAN_INSTANT_THREAD;
    case SCAN_SNAPSHOT_SOURCE:
        return SCAN_INSTANT_SOURCE;
    default:
        return SCAN_INSTANT_COLUMNS;
    }
}

const void *scan_snapshots_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    return column == SCAN_SNAPSHOT_TICK ? scope->trace->instants.tick + first : NULL;
}

void scan_fill_snapshots(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace   *trace = scope->trace;
    const unsigned same = column_of_instants(column);
    if (same != SCAN_INSTANT_COLUMNS) {
        scan_fill_instants(scope, same, part, out);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const ObjectLife *life = &trace->objects.lives[object_life_of_instant(trace, part_item(part, i))];
        if (column == SCAN_SNAPSHOT_SLICE) {
            out.u64[i] = life->slice;
        } else {
            assert(column == SCAN_SNAPSHOT_OBJECT);
            out.u32[i] = life->object;
        }
    }
}
