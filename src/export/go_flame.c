#include "export/go_flame.h"

#include "base/checked.h"

static const StringView NO_STACK = STRING_LITERAL("(no stack)"), NO_NAME = STRING_LITERAL("?");

/* Returns the name of a stack's innermost frame, or a text for a missing stack. STRING_NONE: out of
 * memory. */
static StringId name_of(const GoStats *stats, uint32_t node)
{
    const StringId name = stats->frames[stats->nodes[node].frame].function;
    if (node != 0 && name.index != 0) return name;
    const StringView text = node == 0 ? NO_STACK : NO_NAME;
    return string_table_intern(stats->texts, text.bytes, text.size);
}

/* Adds the waits of each stack to its node. `nodes` is filled with the nodes of the stacks. */
static bool add_stacks(const GoStats *stats, GoProfile profile, uint32_t *nodes, Flame *flame)
{
    for (uint32_t i = 0; i < stats->node_count; i++) {
        const GoStackNode *stack = &stats->nodes[i];
        const uint32_t     parent = stack->parent == 0 ? 0 : nodes[stack->parent];
        if (i == 0 && stack->count[profile] == 0) continue;
        const StringId name = name_of(stats, i);
        nodes[i] = name.index == 0 ? FLAME_NONE : flame_child(flame, parent, name);
        if (nodes[i] == FLAME_NONE) return false;
        FlameNode *node = &flame->nodes[nodes[i]];
        node->count += stack->count[profile];
        if (stack->ns[profile] > 0)
            node->total = u64_add_saturated(node->total, (uint64_t)stack->ns[profile]);
    }
    return true;
}

bool go_flame(const GoStats *stats, GoProfile profile, Flame *flame, Err *err)
{
    if (!flame_create(stats->texts, flame, err)) return false;
    Arena      arena = arena_create(0);
    uint32_t  *nodes = ARENA_ARRAY(&arena, uint32_t, (size_t)stats->node_count + 1);
    const bool done = nodes != NULL && add_stacks(stats, profile, nodes, flame);
    arena_release(&arena);
    for (uint32_t i = flame->node_count - 1; i > 0; i--) { /* from own numbers to sums */
        FlameNode *parent = &flame->nodes[flame->nodes[i].parent];
        parent->total = u64_add_saturated(parent->total, flame->nodes[i].total);
        parent->count = u64_add_saturated(parent->count, flame->nodes[i].count);
    }
    flame->has_whole_counts = true;
    return done || err_set(err, ERR_MEMORY, "out of memory for the call tree");
}
