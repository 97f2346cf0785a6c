/* The visible part of a flame graph: rows of wide frames, marks. */
#include "analysis/flame_rows.h"

#include "analysis/find_pattern.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/vec.h"

#include <string.h>

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
}

/* Returns the key of a frame below the frame with the key `above`. */
static uint64_t key_below(uint64_t above, StringId name)
{
    const uint64_t step[] = { above, name.index };
    const uint64_t key = hash_bytes(step, sizeof step, 1);
    return key == 0 ? 1 : key;
}

uint64_t *flame_keys(const Flame *flame, Arena *arena)
{
    uint64_t *keys = ARENA_ARRAY(arena, uint64_t, flame->node_count);
    for (uint32_t i = 1; keys != NULL && i < flame->node_count; i++)
        keys[i] = key_below(keys[flame->nodes[i].parent], flame->nodes[i].name);
    return keys;
}

/* ---- rows ---- */

typedef VEC(FlameFrame) FlameFrames;

/* Appends the children of a frame that are wide enough. Children are in order of weight: the first narrow one ends them. */
static void append_children(const FlameLayout *layout, const FlameFrame *frame, const FlameRowsQuery *query,
                            FlameFrames *below)
{
    const double all = (double)layout->sum[query->front];
    double       begin = frame->begin;
    for (uint32_t i = layout->first[frame->node]; i < layout->first[frame->node + 1]; i++) {
        const uint32_t node = layout->order[i];
        const double   share = all > 0 ? (double)layout->sum[node] / all : 0;
        if (share <= 0 || share < query->least_share) return;
        vec_push(below, (FlameFrame){ node, frame->row + 1, begin, share });
        begin += share;
    }
}

/* Appends a row to the result if it is the next row of the query and the result has room for it. */
static void take_row(const FlameFrames *row, const FlameRowsQuery *query, uint32_t index, FlameFrames *taken,
                     FlameRows *rows)
{
    const size_t count = vec_count(row), before = vec_count(taken);
    if (index != rows->next_row || (before > 0 && before + count > query->most_frames)) return;
    vec_append(taken, row->items, count);
    rows->next_row = index + 1;
}

bool flame_rows(const FlameLayout *layout, const FlameRowsQuery *query, Arena *arena, FlameRows *rows,
                Err *err)
{
    FlameFrames row = VEC_EMPTY, below = row, taken = row;
    *rows = (FlameRows){ .next_row = query->first_row };
    vec_push(&row, (FlameFrame){ query->front, 0, 0, 1 });
    for (uint32_t index = 0; vec_count(&row) > 0; index++) {
        rows->row_count = index + 1;
        take_row(&row, query, index, &taken, rows);
        vec_clear(&below);
        for (size_t i = 0; i < vec_count(&row); i++)
            append_children(layout, &row.items[i], query, &below);
        const FlameFrames emptied = row;
        row = below;
        below = emptied;
    }
    rows->count = (uint32_t)(vec_count(&taken));
    rows->frames = vec_copy(&taken, arena);
    const bool failed = row.bytes.failed || below.bytes.failed || rows->frames == NULL;
    vec_release(&row);
    vec_release(&below);
    vec_release(&taken);
    return !failed || no_memory(err);
}

/* ---- marks ---- */

enum { IS_UNKNOWN, IS_OTHER, IS_MATCH };

/* True if the name holds the text; each name is compared once. */
static bool matches_name(const Flame *flame, StringId name, StringView text, uint8_t *known)
{
    uint8_t *answer = &known[name.index];
    if (*answer == IS_UNKNOWN)
        *answer = find_is_part(string_table_view(flame->strings, name), text) ? IS_MATCH : IS_OTHER;
    return *answer == IS_MATCH;
}

bool flame_match(const FlameLayout *layout, StringView text, uint32_t front, uint8_t *marks,
                 FlameMatches *matches, Err *err)
{
    enum { BELOW_FRONT = 1, BELOW_MATCH = 2 };
    const Flame *flame = layout->flame;
    Arena        arena = arena_create(0);
    uint8_t     *known = ARENA_ARRAY(&arena, uint8_t, (size_t)string_table_count(flame->strings) + 1);
    uint8_t     *state = ARENA_ARRAY(&arena, uint8_t, flame->node_count);
    *matches = (FlameMatches){ 0 };
    for (uint32_t i = 0; known != NULL && state != NULL && i < flame->node_count; i++) {
        const FlameNode *node = &flame->nodes[i];
        state[i] = i == front ? BELOW_FRONT : i == 0 ? 0 : state[node->parent];
        if (i == 0 || !matches_name(flame, node->name, text, known)) continue;
        marks[i] |= FLAME_IS_MATCH;
        const bool is_outermost = (state[i] & BELOW_MATCH) == 0;
        state[i] |= BELOW_MATCH;
        if ((state[i] & BELOW_FRONT) == 0) continue;
        matches->frames++;
        if (is_outermost) matches->weight = u64_add_saturated(matches->weight, layout->sum[i]);
    }
    const bool done = known != NULL && state != NULL;
    arena_release(&arena);
    return done || no_memory(err);
}

void flame_mark_path(const Flame *flame, const StringId *names, uint32_t count, uint8_t *marks)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++) {
        node = flame_find_child(flame, node, names[i]);
        if (node == FLAME_NONE) return;
        marks[node] |= FLAME_IS_ON_PATH;
    }
    if (node != 0) marks[node] |= FLAME_IS_SELECTED;
}

/* ---- the slices of a frame ---- */

/* Marks the nodes whose path, from the root or from the outermost frame of the shape's name, has the key. */
static void mark_paths(const Flame *flame, const FlameShape *shape, uint64_t key, uint64_t *keys,
                       uint8_t *marks)
{
    const bool collapses = shape->recursion == FLAME_COLLAPSE_RECURSION,
               is_of_name = shape->tree == FLAME_CALLEES;
    for (uint32_t i = 1; i < flame->node_count; i++) {
        const FlameNode *node = &flame->nodes[i], *parent = &flame->nodes[node->parent];
        const uint64_t   above = keys[node->parent];
        const bool       is_inside =
            above != 0 || (is_of_name ? node->name.index == shape->name.index : node->parent == 0);
        const bool is_merged = collapses && above != 0 && node->name.index == parent->name.index;
        if (is_inside) keys[i] = is_merged ? above : key_below(above, node->name);
        marks[i] = keys[i] == key;
    }
}

/* Marks the nodes whose names, from the node outwards, begin with `names`. callers[i]: the next node outwards. */
static void mark_callers(const Flame *flame, const uint32_t *callers, const StringId *names, uint32_t count,
                         uint8_t *marks)
{
    for (uint32_t i = 1; i < flame->node_count; i++) {
        uint32_t node = i, same = 0;
        while (same < count && node != 0 && flame->nodes[node].name.index == names[same].index) {
            node = callers[node];
            same++;
        }
        marks[i] = same == count;
    }
}

/* Returns for each node its parent, or without recursion the next node outwards of another name. */
static uint32_t *callers_of(const Flame *flame, const FlameShape *shape, Arena *arena)
{
    uint32_t *callers = ARENA_ARRAY(arena, uint32_t, flame->node_count);
    for (uint32_t i = 1; callers != NULL && i < flame->node_count; i++) {
        const uint32_t parent = flame->nodes[i].parent;
        const bool     is_merged = shape->recursion == FLAME_COLLAPSE_RECURSION && parent != 0 &&
                               flame->nodes[parent].name.index == flame->nodes[i].name.index;
        callers[i] = is_merged ? callers[parent] : parent;
    }
    return callers;
}

bool flame_mark_frame(const Flame *flame, const FlameShape *shape, const Flame *shown, uint64_t key,
                      uint8_t *marks, Err *err)
{
    Arena      arena = arena_create(0);
    const bool goes_up = shape->tree == FLAME_INVERTED || shape->tree == FLAME_CALLERS;
    uint64_t  *keys = goes_up ? flame_keys(shown, &arena) : ARENA_ARRAY(&arena, uint64_t, flame->node_count);
    const uint32_t *callers = goes_up ? callers_of(flame, shape, &arena) : NULL;
    StringId       *names = ARENA_ARRAY(&arena, StringId, FLAME_MOST_CALLERS + 1);
    const bool      done = keys != NULL && names != NULL && (!goes_up || callers != NULL);
    if (done && goes_up) {
        uint32_t frame = 0, depth = 0;
        for (uint32_t i = 1; i < shown->node_count && frame == 0; i++)
            if (keys[i] == key) frame = i;
        for (uint32_t i = frame; i != 0; i = shown->nodes[i].parent)
            depth++;
        for (uint32_t i = frame, at = depth; i != 0; i = shown->nodes[i].parent)
            names[--at] = shown->nodes[i].name;
        if (frame != 0) mark_callers(flame, callers, names, depth, marks);
    } else if (done) {
        mark_paths(flame, shape, key, keys, marks);
    }
    arena_release(&arena);
    return done || no_memory(err);
}
