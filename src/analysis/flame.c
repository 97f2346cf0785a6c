#include "analysis/flame.h"

#include "base/checked.h"
#include "trace/scan.h"

#include <string.h>

enum { LEAST_NODES = 1024 };

/* ---- nodes ---- */

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the call tree");
}

void flame_release(Flame *flame)
{
    memory_unmap(flame->nodes, (size_t)flame->capacity * sizeof *flame->nodes);
    memory_unmap(flame->slots, (size_t)flame->slot_count * sizeof *flame->slots);
    *flame = (Flame){ .nodes = NULL };
}

/* Returns the slot of (parent, name) under the key of the tree. The input chooses both numbers, but does not know the
 * key: it cannot make them collide. */
static uint64_t slot_of(const Flame *flame, uint32_t parent, StringId name)
{
    uint64_t mixed = ((uint64_t)parent << 32 | name.index) ^ flame->key;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (mixed ^ mixed >> 31) & (flame->slot_count - 1);
}

/* Gives room for `capacity` nodes, a power of two. False when out of memory: the tree is as it was. */
static bool grow(Flame *flame, uint32_t capacity)
{
    const size_t slot_count = (size_t)capacity * 2;
    if (slot_count > SIZE_MAX / sizeof(FlameNode)) return false;
    FlameNode *nodes = memory_map(capacity * sizeof *nodes);
    uint32_t  *slots = memory_map(slot_count * sizeof *slots);
    if (nodes == NULL || slots == NULL) {
        memory_unmap(nodes, capacity * sizeof *nodes);
        memory_unmap(slots, slot_count * sizeof *slots);
        return false;
    }
    Flame grown = *flame;
    grown.nodes = nodes;
    grown.slots = slots;
    grown.capacity = capacity;
    grown.slot_count = slot_count;
    if (flame->node_count > 0) memcpy(nodes, flame->nodes, flame->node_count * sizeof *nodes);
    for (uint32_t i = 1; i < flame->node_count; i++) {
        uint64_t slot = slot_of(&grown, nodes[i].parent, nodes[i].name);
        while (slots[slot] != 0)
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = i;
    }
    memory_unmap(flame->nodes, (size_t)flame->capacity * sizeof *flame->nodes);
    memory_unmap(flame->slots, (size_t)flame->slot_count * sizeof *flame->slots);
    *flame = grown;
    return true;
}

bool flame_create(const StringTable *strings, Flame *flame, Err *err)
{
    *flame = (Flame){ .strings = strings, .key = hash_random_key() };
    if (!grow(flame, LEAST_NODES)) return no_memory(err);
    flame->node_count = 1;
    return true;
}

uint32_t flame_child(Flame *flame, uint32_t parent, StringId name)
{
    uint64_t slot = slot_of(flame, parent, name);
    for (uint32_t i; (i = flame->slots[slot]) != 0; slot = (slot + 1) & (flame->slot_count - 1)) {
        if (flame->nodes[i].parent == parent && flame->nodes[i].name.index == name.index) return i;
    }
    if (flame->node_count == flame->capacity) {
        if (flame->capacity > UINT32_MAX / 4 || !grow(flame, flame->capacity * 2)) return FLAME_NONE;
        return flame_child(flame, parent, name);
    }
    flame->nodes[flame->node_count] = (FlameNode){ .name = name, .parent = parent };
    flame->slots[slot] = flame->node_count;
    return flame->node_count++;
}

/* ---- slices ---- */

/* A slice of a row and its node. Within a row slices ascend. */
typedef struct Placed {
    uint64_t slice;
    uint32_t node;
} Placed;

typedef struct SliceWalk {
    Flame   *flame;
    uint32_t track, lane, depth; /* of the current row */
    Bytes    above, row;         /* Placed[] */
    size_t   at;                 /* into `above` */
} SliceWalk;

static const uint64_t FLAME_COLUMNS = SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_NAME) |
                                      SCAN_COLUMN(SCAN_SLICE_CLIPPED) | SCAN_COLUMN(SCAN_SLICE_TRACK) |
                                      SCAN_COLUMN(SCAN_SLICE_LANE) | SCAN_COLUMN(SCAN_SLICE_DEPTH) |
                                      SCAN_COLUMN(SCAN_SLICE_PARENT) | SCAN_COLUMN(SCAN_SLICE_HIDDEN);
static const uint64_t CPU_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CPU) | SCAN_COLUMN(SCAN_SLICE_DURATION);

/* Begins another row: the one before is the row above if it is one level further out in the same lane. */
static void next_row(SliceWalk *walk, uint32_t track, uint32_t lane, uint32_t depth)
{
    const Bytes emptied = walk->above;
    const bool  nests = track == walk->track && lane == walk->lane && depth == walk->depth + 1;
    walk->above = walk->row;
    walk->row = emptied;
    bytes_clear(&walk->row);
    if (!nests) bytes_clear(&walk->above);
    walk->at = 0;
    walk->track = track;
    walk->lane = lane;
    walk->depth = depth;
}

/* The node of a slice of the row above; the root where it is not there. Asked for in ascending order. */
static uint32_t node_of_parent(SliceWalk *walk, uint64_t parent)
{
    const Placed *above = (const Placed *)(const void *)walk->above.data;
    const size_t  count = walk->above.size / sizeof *above;
    while (walk->at < count && above[walk->at].slice < parent)
        walk->at++;
    return walk->at < count && above[walk->at].slice == parent ? above[walk->at].node : 0;
}

static void node_add(FlameNode *node, const ScanBatch *batch, uint32_t i)
{
    const uint64_t *cpu = batch->columns[SCAN_SLICE_CPU].u64;
    node->count++;
    node->total = u64_add_saturated(node->total, batch->columns[SCAN_SLICE_CLIPPED].u64[i]);
    if (cpu == NULL || cpu[i] == UINT64_MAX) return;
    const uint64_t ns = scan_clipped_cpu(cpu[i], batch->columns[SCAN_SLICE_CLIPPED].u64[i],
                                         batch->columns[SCAN_SLICE_DURATION].u64[i]);
    node->cpu_ns = u64_add_saturated(node->cpu_ns, ns);
}

static bool add_batch(SliceWalk *walk, const ScanBatch *batch)
{
    const uint32_t *tracks = batch->columns[SCAN_SLICE_TRACK].u32, *lanes = batch->columns[SCAN_SLICE_LANE].u32;
    const uint32_t *depths = batch->columns[SCAN_SLICE_DEPTH].u32, *names = batch->columns[SCAN_SLICE_NAME].u32;
    const uint64_t *parents = batch->columns[SCAN_SLICE_PARENT].u64;
    const uint8_t  *hidden = batch->columns[SCAN_SLICE_HIDDEN].u8;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (depths[i] != walk->depth || lanes[i] != walk->lane || tracks[i] != walk->track)
            next_row(walk, tracks[i], lanes[i], depths[i]);
        const uint32_t parent = node_of_parent(walk, parents[i]);
        uint32_t       node = parent;
        if (!hidden[i]) {
            node = flame_child(walk->flame, parent, (StringId){ names[i] });
            if (node == FLAME_NONE) return false;
            node_add(&walk->flame->nodes[node], batch, i);
            if (parent == 0) node_add(&walk->flame->nodes[0], batch, i);
        }
        const Placed placed = { batch->columns[SCAN_SLICE_ID].u64[i], node };
        bytes_append(&walk->row, &placed, sizeof placed);
    }
    return !walk->row.failed;
}

bool flame_add_slices(Flame *flame, const Trace *trace, const FlameQuery *query, Progress *progress, Err *err)
{
    Arena     arena = arena_create(0);
    SliceWalk walk = { .flame = flame };
    ScanQuery slices = scan_query(SCAN_SLICES, FLAME_COLUMNS | (trace_has_cpu_times(trace) ? CPU_COLUMNS : 0));
    slices.rows = SCAN_COUNTED;
    slices.hidden = SCAN_MARK_HIDDEN;
    slices.begin_tick = query->begin_tick;
    slices.end_tick = query->end_tick;
    slices.tracks = query->tracks;
    slices.track_count = query->track_count;
    slices.kinds = query->kinds;
    slices.filter = query->filter;
    slices.progress = progress;
    Scan *scan = scan_begin(trace, &slices, &arena, err);
    bool  done = scan != NULL;
    for (const ScanBatch *batch; done && (batch = scan_next(scan)) != NULL;)
        done = add_batch(&walk, batch) || no_memory(err);
    if (done && progress_cancelled(progress)) done = err_set(err, ERR_CANCELLED, "stopped");
    if (done) {
        flame->left_out_tracks = scan_left_out_tracks(scan);
        flame->perspective = scan_perspective(scan);
    }
    bytes_release(&walk.above);
    bytes_release(&walk.row);
    arena_release(&arena);
    return done;
}
