/* The weights of a call tree's nodes and the order of its children. */
#include "analysis/flame.h"

#include "base/checked.h"

#include <stdlib.h>

typedef struct SortNode {
    uint32_t   parent, node;
    uint64_t   weight;
    StringView name;
} SortNode;

static int compare_nodes(const void *left, const void *right)
{
    const SortNode *a = (const SortNode *)left, *b = (const SortNode *)right;
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    const int order = string_compare(a->name, b->name);
    if (order != 0) return order;
    return a->node < b->node ? -1 : a->node > b->node;
}

static uint64_t whole_of(const FlameNode *node, FlameWeight by)
{
    return by == FLAME_COUNT ? node->count : by == FLAME_CPU ? node->cpu_ns : node->total;
}

/* A node's time includes its children's; its count does where has_whole_counts says so. */
static void weigh(const Flame *flame, FlameWeight by, FlameLayout *layout)
{
    const bool is_own = by == FLAME_COUNT && !flame->has_whole_counts;
    for (uint32_t i = 0; i < flame->node_count; i++)
        layout->own[i] = i == 0 && is_own ? 0 : whole_of(&flame->nodes[i], by);
    for (uint32_t i = 1; i < flame->node_count && !is_own; i++) {
        const uint64_t part = whole_of(&flame->nodes[i], by);
        uint64_t      *own = &layout->own[flame->nodes[i].parent];
        *own = *own > part ? *own - part : 0;
    }
    memcpy(layout->sum, layout->own, flame->node_count * sizeof *layout->sum);
    for (uint32_t i = flame->node_count - 1; i > 0; i--) {
        uint64_t *sum = &layout->sum[flame->nodes[i].parent];
        *sum = u64_add_saturated(*sum, layout->sum[i]);
    }
}

static void put_in_order(const Flame *flame, SortNode *sorted, FlameLayout *layout)
{
    const uint32_t count = flame->node_count - 1;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (SortNode){ .parent = flame->nodes[i + 1].parent,
                                .node = i + 1,
                                .weight = layout->sum[i + 1],
                                .name = string_table_view(flame->strings, flame->nodes[i + 1].name) };
    qsort(sorted, count, sizeof *sorted, compare_nodes);
    uint32_t at = 0;
    for (uint32_t node = 0; node <= flame->node_count; node++) {
        while (at < count && sorted[at].parent < node)
            at++;
        layout->first[node] = node == flame->node_count ? count : at;
    }
    for (uint32_t i = 0; i < count; i++) {
        layout->order[i] = sorted[i].node;
        layout->place[sorted[i].node] = i;
    }
}

bool flame_layout(const Flame *flame, FlameWeight by, Arena *arena, FlameLayout *layout, Err *err)
{
    const size_t count = flame->node_count;
    *layout = (FlameLayout){ .flame = flame,
                             .own = ARENA_ARRAY(arena, uint64_t, count),
                             .sum = ARENA_ARRAY(arena, uint64_t, count),
                             .order = ARENA_ARRAY(arena, uint32_t, count),
                             .place = ARENA_ARRAY(arena, uint32_t, count),
                             .first = ARENA_ARRAY(arena, uint32_t, count + 1) };
    SortNode *sorted = ARENA_ARRAY(arena, SortNode, count);
    if (layout->own == NULL || layout->sum == NULL || layout->order == NULL || layout->place == NULL ||
        layout->first == NULL || sorted == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    weigh(flame, by, layout);
    put_in_order(flame, sorted, layout);
    return true;
}

/* ---- the walk ---- */

FlameWalk flame_walk(const FlameLayout *layout)
{
    return (FlameWalk){ .layout = layout, .depth = UINT32_MAX }; /* at the root */
}

/* The next sibling of a node, or of the nearest node above it that has one. */
bool flame_walk_skip(FlameWalk *walk)
{
    const FlameLayout *layout = walk->layout;
    for (uint32_t node = walk->node; node != 0; walk->depth--) {
        const uint32_t parent = layout->flame->nodes[node].parent;
        const uint32_t next = layout->place[node] + 1;
        if (next < layout->first[parent + 1]) {
            walk->node = layout->order[next];
            return true;
        }
        node = parent;
    }
    return false;
}

bool flame_walk_next(FlameWalk *walk)
{
    const FlameLayout *layout = walk->layout;
    if (layout->first[walk->node] == layout->first[walk->node + 1]) return flame_walk_skip(walk);
    walk->node = layout->order[layout->first[walk->node]];
    walk->depth++;
    return true;
}
