/* Trees made of call trees: upside down, of one name, without recursion. Two trees compared. */
#include "analysis/flame.h"

#include "base/checked.h"

#include <string.h>

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the call tree");
}

static void add_numbers(FlameNode *node, const FlameNode *more)
{
    node->count = u64_add_saturated(node->count, more->count);
    node->total = u64_add_saturated(node->total, more->total);
    node->cpu_ns = u64_add_saturated(node->cpu_ns, more->cpu_ns);
}

static uint64_t less(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* The nodes with their own numbers in the place of the whole ones, in `arena`: those of children taken off. */
static FlameNode *own_numbers(const Flame *flame, Arena *arena)
{
    FlameNode *own = ARENA_ARRAY(arena, FlameNode, flame->node_count);
    if (own == NULL) return NULL;
    memcpy(own, flame->nodes, flame->node_count * sizeof *own);
    for (uint32_t i = 1; i < flame->node_count; i++) {
        FlameNode *parent = &own[flame->nodes[i].parent];
        parent->total = less(parent->total, flame->nodes[i].total);
        parent->cpu_ns = less(parent->cpu_ns, flame->nodes[i].cpu_ns);
        if (flame->has_whole_counts) parent->count = less(parent->count, flame->nodes[i].count);
    }
    return own;
}

/* ---- two trees ---- */

/* Returns the id of a name in another table. *found is false if that does not have it. */
static StringId same_name(const StringTable *strings, StringId name, const StringTable *other, bool *found)
{
    const StringView text = string_table_view(strings, name);
    const StringId   same = name.index == 0 ? STRING_NONE : string_table_find(other, text.bytes, text.size);
    *found = same.index != 0 || name.index == 0;
    return same;
}

void flame_pair_paths(const Flame *flame, const Flame *other, uint32_t *same)
{
    same[0] = 0;
    for (uint32_t i = 1; i < flame->node_count; i++) { /* parents come before their children */
        bool           found;
        const uint32_t parent = same[flame->nodes[i].parent];
        const StringId name = same_name(flame->strings, flame->nodes[i].name, other->strings, &found);
        same[i] = found && parent != FLAME_NONE ? flame_find_child(other, parent, name) : FLAME_NONE;
    }
}

/* ---- upside down ---- */

/* True if a frame of this name is among the callers of a node. */
static bool is_recursive(const Flame *flame, uint32_t node)
{
    const StringId name = flame->nodes[node].name;
    uint32_t       at = flame->nodes[node].parent;
    for (int i = 0; at != 0 && i < FLAME_MOST_CALLERS; i++, at = flame->nodes[at].parent)
        if (flame->nodes[at].name.index == name.index) return true;
    return false;
}

/* Adds the path of a node, from it outwards, with these numbers. */
static bool add_path(const Flame *flame, uint32_t node, const FlameNode *numbers, Flame *made)
{
    uint32_t at = 0;
    add_numbers(&made->nodes[0], numbers);
    for (int i = 0; node != 0 && i < FLAME_MOST_CALLERS; i++, node = flame->nodes[node].parent) {
        at = flame_child(made, at, flame->nodes[node].name);
        if (at == FLAME_NONE) return false;
        add_numbers(&made->nodes[at], numbers);
    }
    return true;
}

/* Adds the paths of all nodes, or of those of one name. */
static bool invert(const Flame *flame, const StringId *name, FlameWeight by, Flame *made, Err *err)
{
    if (!flame_create(flame->strings, made, err)) return false;
    Arena      arena = arena_create(0);
    FlameNode *own = own_numbers(flame, &arena);
    bool       done = own != NULL;
    for (uint32_t i = 1; done && i < flame->node_count; i++) {
        if (name != NULL && flame->nodes[i].name.index != name->index) continue;
        FlameNode numbers = own[i];
        if (by == FLAME_TOTAL) {
            const bool counts = !is_recursive(flame, i);
            numbers.total = counts ? flame->nodes[i].total : 0;
            numbers.cpu_ns = counts ? flame->nodes[i].cpu_ns : 0;
        }
        done = add_path(flame, i, &numbers, made);
    }
    arena_release(&arena);
    made->has_whole_counts = true;
    made->left_out_tracks = flame->left_out_tracks;
    made->perspective = flame->perspective;
    return done || no_memory(err);
}

/* ---- merged ---- */

/* The rule by which a node becomes a node of another tree. */
typedef struct Merge {
    bool (*is_outermost)(const FlameNode *node, const void *context);
    bool (*is_parent_itself)(const FlameNode *node, const FlameNode *parent);
    const void *context;
} Merge;

static bool merge(const Flame *flame, const Merge *rule, Flame *made, Err *err)
{
    if (!flame_create(flame->strings, made, err)) return false;
    Arena     arena = arena_create(0);
    uint32_t *to = (uint32_t *)arena_push_raw(&arena, flame->node_count, sizeof(uint32_t));
    bool      done = to != NULL;
    if (done) to[0] = FLAME_NONE;
    for (uint32_t i = 1; done && i < flame->node_count; i++) {
        const FlameNode *node = &flame->nodes[i];
        const uint32_t   parent = to[node->parent];
        to[i] = FLAME_NONE;
        if (parent == FLAME_NONE && !rule->is_outermost(node, rule->context)) continue;
        if (parent != FLAME_NONE && rule->is_parent_itself(node, &made->nodes[parent])) {
            to[i] = parent;
            if (!flame->has_whole_counts)
                made->nodes[parent].count = u64_add_saturated(made->nodes[parent].count, node->count);
            continue;
        }
        to[i] = flame_child(made, parent == FLAME_NONE ? 0 : parent, node->name);
        done = to[i] != FLAME_NONE;
        if (done) add_numbers(&made->nodes[to[i]], node);
        if (done && parent == FLAME_NONE) add_numbers(&made->nodes[0], node);
    }
    arena_release(&arena);
    made->has_whole_counts = flame->has_whole_counts;
    made->left_out_tracks = flame->left_out_tracks;
    made->perspective = flame->perspective;
    return done || no_memory(err);
}

static bool has_name(const FlameNode *node, const void *context)
{
    return node->name.index == ((const StringId *)context)->index;
}

static bool is_any(const FlameNode *node, const void *context)
{
    (void)node;
    (void)context;
    return true;
}

static bool is_of_same_name(const FlameNode *node, const FlameNode *parent)
{
    return node->name.index == parent->name.index;
}

static bool is_never(const FlameNode *node, const FlameNode *parent)
{
    (void)node;
    (void)parent;
    return false;
}

static bool collapse(const Flame *flame, Flame *made, Err *err)
{
    return merge(flame, &(Merge){ is_any, is_of_same_name, NULL }, made, err);
}

/* ---- the tree of a view ---- */

/* Makes another tree than that of all calls with recursion. */
static bool make_shape(const Flame *flame, const FlameShape *wanted, Flame *made, Err *err)
{
    switch (wanted->tree) {
    case FLAME_INVERTED:
        return invert(flame, NULL, wanted->by, made, err);
    case FLAME_CALLERS:
        return invert(flame, &wanted->name, FLAME_TOTAL, made, err);
    case FLAME_CALLEES:
        return merge(flame, &(Merge){ has_name, is_never, &wanted->name }, made, err);
    case FLAME_CALLS:
        break;
    }
    return collapse(flame, made, err);
}

bool flame_shaped(const Flame *flame, const FlameShape *wanted, Flame *made, const Flame **shown, Err *err)
{
    *shown = made;
    *made = (Flame){ .nodes = NULL };
    if (wanted->tree != FLAME_CALLS && wanted->recursion == FLAME_COLLAPSE_RECURSION) {
        Flame      collapsed;
        const bool done = collapse(flame, &collapsed, err) && make_shape(&collapsed, wanted, made, err);
        flame_release(&collapsed);
        return done;
    }
    if (wanted->tree != FLAME_CALLS || wanted->recursion == FLAME_COLLAPSE_RECURSION)
        return make_shape(flame, wanted, made, err);
    *shown = flame;
    return true;
}

static uint32_t without_recursion(StringId *names, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (left == 0 || names[left - 1].index != names[i].index) names[left++] = names[i];
    return left;
}

static uint32_t reversed(StringId *names, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const StringId name = names[i];
        names[i] = names[count - 1 - i];
        names[count - 1 - i] = name;
    }
    return count < FLAME_MOST_CALLERS ? count : FLAME_MOST_CALLERS;
}

uint32_t flame_shaped_path(const FlameShape *wanted, StringId *names, uint32_t count)
{
    if (wanted->recursion == FLAME_COLLAPSE_RECURSION) count = without_recursion(names, count);
    if (count == 0 || wanted->tree == FLAME_CALLS) return count;
    if (wanted->tree == FLAME_INVERTED) return reversed(names, count);
    if (wanted->tree == FLAME_CALLERS)
        return names[count - 1].index == wanted->name.index ? reversed(names, count) : 0;
    uint32_t first = 0;
    while (first < count && names[first].index != wanted->name.index)
        first++;
    memmove(names, names + first, (count - first) * sizeof *names);
    return count - first;
}
