#include "analysis/flame.h"

#include "base/checked.h"
#include "base/hash.h"

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
    arena_release(&flame->arena);
    *flame = (Flame){ .nodes = NULL };
}

static uint64_t hash_of(const Flame *flame, uint32_t parent, StringId name)
{
    return hash_pair(parent, name.index, flame->key);
}

static uint64_t node_hash(const void *flame, uint32_t node)
{
    const FlameNode *of = &((const Flame *)flame)->nodes[node];
    return hash_of(flame, of->parent, of->name);
}

bool flame_create(const StringTable *strings, Flame *flame, Err *err)
{
    *flame = (Flame){ .strings = strings, .key = hash_random_key() };
    flame->nodes = memory_map(LEAST_NODES * sizeof *flame->nodes);
    if (flame->nodes == NULL) return no_memory(err);
    flame->capacity = LEAST_NODES;
    flame->node_count = 1;
    return true;
}

static uint32_t find_child(const Flame *flame, uint32_t parent, StringId name)
{
    uint32_t         child;
    const FlameNode *nodes = flame->nodes;
    HASH_FIND(&flame->index, hash_of(flame, parent, name), child,
              nodes[child].parent == parent && nodes[child].name.index == name.index);
    return child;
}

/* Doubles the room for nodes. False when out of memory. */
static bool grow(Flame *flame)
{
    const size_t size = (size_t)flame->capacity * sizeof *flame->nodes;
    if (flame->capacity > UINT32_MAX / 4 || size > SIZE_MAX / 2) return false;
    FlameNode *nodes = memory_remap(flame->nodes, size, 2 * size);
    if (nodes == NULL) return false;
    flame->nodes = nodes;
    flame->capacity *= 2;
    return true;
}

uint32_t flame_find_child(const Flame *flame, uint32_t parent, StringId name)
{
    const uint32_t child = find_child(flame, parent, name);
    return child == 0 ? FLAME_NONE : child;
}

uint32_t flame_child(Flame *flame, uint32_t parent, StringId name)
{
    const uint32_t known = find_child(flame, parent, name);
    if (known != 0) return known;
    const uint32_t node = flame->node_count;
    if (node == flame->capacity && !grow(flame)) return FLAME_NONE;
    flame->nodes[node] = (FlameNode){ .name = name, .parent = parent };
    if (!hash_index_add(&flame->index, &flame->arena, node, node_hash, flame)) return FLAME_NONE;
    flame->node_count++;
    return node;
}

/* ---- slices ---- */

const uint64_t FLAME_PLACE_COLUMNS = SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_NAME) |
                                     SCAN_COLUMN(SCAN_SLICE_TRACK) | SCAN_COLUMN(SCAN_SLICE_LANE) |
                                     SCAN_COLUMN(SCAN_SLICE_DEPTH) | SCAN_COLUMN(SCAN_SLICE_PARENT) |
                                     SCAN_COLUMN(SCAN_SLICE_HIDDEN);
static const uint64_t CPU_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CPU) | SCAN_COLUMN(SCAN_SLICE_DURATION);

/* Begins another row. The previous row is the row above if it is one level further out in the same lane. */
static void next_row(FlamePlacer *placer, uint32_t track, uint32_t lane, uint32_t depth)
{
    const Placements emptied = placer->above;
    const bool       nests = track == placer->track && lane == placer->lane && depth == placer->depth + 1;
    placer->above = placer->row;
    placer->row = emptied;
    vec_clear(&placer->row);
    if (!nests) vec_clear(&placer->above);
    if (placer->roots == FLAME_BY_TRACK && track != placer->track)
        placer->root = flame_child(placer->flame, 0, (StringId){ track });
    placer->at = 0;
    placer->track = track;
    placer->lane = lane;
    placer->depth = depth;
}

/* Returns the node of a slice of the row above, or the root of the row if it is not there. Calls come in ascending order. */
static uint32_t node_of_parent(FlamePlacer *placer, uint64_t parent)
{
    const Placed *above = placer->above.items;
    const size_t  count = vec_count(&placer->above);
    while (placer->at < count && above[placer->at].slice < parent)
        placer->at++;
    return placer->at < count && above[placer->at].slice == parent ? above[placer->at].node : placer->root;
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

/* True if the i-th slice of the batch has a node of its own below that of its parent. */
static bool has_node(const FlamePlacer *placer, const ScanBatch *batch, uint32_t i, uint32_t parent)
{
    if (batch->columns[SCAN_SLICE_HIDDEN].u8[i] != 0) return false;
    if (flame_names_have(placer->hidden, (StringId){ batch->columns[SCAN_SLICE_NAME].u32[i] })) return false;
    if (placer->slices == NULL || parent != placer->root) return true;
    return slice_set_has(placer->slices, batch->columns[SCAN_SLICE_ID].u64[i]);
}

bool flame_place(FlamePlacer *placer, const ScanBatch *batch, uint32_t *nodes)
{
    const uint32_t *tracks = batch->columns[SCAN_SLICE_TRACK].u32,
                   *lanes = batch->columns[SCAN_SLICE_LANE].u32;
    const uint32_t *depths = batch->columns[SCAN_SLICE_DEPTH].u32,
                   *names = batch->columns[SCAN_SLICE_NAME].u32;
    const uint64_t *parents = batch->columns[SCAN_SLICE_PARENT].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (depths[i] != placer->depth || lanes[i] != placer->lane || tracks[i] != placer->track)
            next_row(placer, tracks[i], lanes[i], depths[i]);
        Placed placed = { batch->columns[SCAN_SLICE_ID].u64[i], node_of_parent(placer, parents[i]) };
        nodes[i] = FLAME_NONE;
        if (placed.node != FLAME_NONE && has_node(placer, batch, i, placed.node))
            nodes[i] = placed.node = flame_child(placer->flame, placed.node, (StringId){ names[i] });
        if (placed.node == FLAME_NONE) return false;
        vec_push(&placer->row, placed);
    }
    return !placer->row.bytes.failed;
}

void flame_placer_release(FlamePlacer *placer)
{
    vec_release(&placer->above);
    vec_release(&placer->row);
}

static bool add_batch(FlamePlacer *placer, const ScanBatch *batch)
{
    uint32_t nodes[SCAN_BATCH_ROWS];
    if (!flame_place(placer, batch, nodes)) return false;
    FlameNode *tree = placer->flame->nodes;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (nodes[i] == FLAME_NONE) continue;
        node_add(&tree[nodes[i]], batch, i);
        uint32_t above = tree[nodes[i]].parent;
        if (placer->roots == FLAME_BY_TRACK && tree[above].parent == 0) {
            node_add(&tree[above], batch, i); /* a track */
            above = 0;
        }
        if (above == 0) node_add(&tree[0], batch, i);
    }
    return true;
}

/* Returns the number of slices on the tracks of a query: the most that a count meets. */
static uint64_t most_slices(const Trace *trace, const FlameQuery *query)
{
    uint64_t most = 0;
    if (query->part.tracks == NULL) return trace_slice_count(trace);
    for (uint32_t i = 0; i < query->part.track_count; i++)
        if (query->part.tracks[i] <= trace->track_count)
            most += track_slice_count(trace, &trace->tracks[query->part.tracks[i]]);
    return most;
}

bool flame_count_begin(FlameCount *count, Flame *flame, const Trace *trace, const FlameQuery *query,
                       Arena *arena, Err *err)
{
    const uint64_t columns = FLAME_PLACE_COLUMNS | SCAN_COLUMN(SCAN_SLICE_CLIPPED);
    ScanQuery      slices = scan_query_of_part(
        SCAN_SLICES, columns | (trace_has_cpu_times(trace) ? CPU_COLUMNS : 0), &query->part);
    slices.hidden = SCAN_MARK_HIDDEN;
    assert(query->hidden.count <= FLAME_MOST_NAMES);
    const FlamePlacer placer = {
        .flame = flame, .roots = query->roots, .slices = query->slices, .hidden = query->hidden
    };
    *count = (FlameCount){ .flame = flame,
                           .scan = scan_begin(trace, &slices, arena, err),
                           .placer = placer,
                           .most = most_slices(trace, query) };
    flame->kinds |= query->part.kinds == 0 ? UINT32_MAX : query->part.kinds;
    return count->scan != NULL;
}

bool flame_count_step(FlameCount *count, uint64_t slices, Err *err)
{
    for (uint64_t done = 0; done < slices && !count->is_done;) {
        const ScanBatch *batch = scan_next(count->scan);
        if (batch != NULL && !add_batch(&count->placer, batch)) return no_memory(err);
        const uint64_t read = batch == NULL ? 0 : batch->count;
        done += read;
        count->counted += read;
        count->is_done = batch == NULL;
    }
    if (!count->is_done) return true;
    count->flame->left_out_tracks = scan_left_out_tracks(count->scan);
    count->flame->perspective = scan_perspective(count->scan);
    return true;
}

void flame_count_release(FlameCount *count)
{
    flame_placer_release(&count->placer);
}

bool flame_add_slices(Flame *flame, const Trace *trace, const FlameQuery *query, Err *err)
{
    Arena      arena = arena_create(0);
    FlameCount count;
    bool       done = flame_count_begin(&count, flame, trace, query, &arena, err) &&
                flame_count_step(&count, UINT64_MAX, err);
    flame_count_release(&count);
    arena_release(&arena);
    return done;
}
