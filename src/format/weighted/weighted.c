#include "format/weighted/weighted.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

bool weighted_open(Weighted *weighted, Arena *arena, TraceBuilder *builder, const char *title)
{
    static const char AXIS[] = "\"values of stacks, not times: they lie one after another\"";
    *weighted = (Weighted){ .arena = arena, .builder = builder, .children = { .arena = arena } };
    weighted->process = builder_process(builder, ident_int(1));
    builder_name_process(builder, weighted->process, builder_string(builder, title, strlen(title)));
    builder_property(builder, builder_string(builder, "axis", 4), AXIS, sizeof AXIS - 1);
    weighted->event_kind = builder_event_kind(builder, "sample", 6);
    return ARENA_LIST_PUSH(&weighted->nodes, arena) != NULL;
}

void weighted_add_kind(Weighted *weighted, StringId name, ValueUnit unit, EventPos pos)
{
    TraceBuilder  *builder = weighted->builder;
    const uint32_t kind = weighted->kind_count;
    if (kind == WEIGHTED_MOST_KINDS) {
        builder_warn(builder, "too-many-kinds", pos,
                     "there are more than %d kinds of values: the rest is left out", WEIGHTED_MOST_KINDS);
        return;
    }
    weighted->kinds[kind].thread = builder_thread(builder, weighted->process, ident_int((int64_t)kind + 1));
    weighted->kinds[kind].unit = unit;
    weighted->kinds[kind].pos = pos;
    weighted->kind_count++;
    if (name.index != 0) builder_name_thread(builder, weighted->kinds[kind].thread, name);
    builder_sort_thread(builder, weighted->kinds[kind].thread, kind);
    value_unit_warn(builder, unit, pos);
}

uint32_t weighted_step(Weighted *weighted, uint32_t parent, FrameId frame, StringId function)
{
    const uint64_t key = (uint64_t)parent << 32 | frame.index;
    const uint32_t found = id_map_find(&weighted->children, key), made = (uint32_t)weighted->nodes.count;
    if (found != 0) return found;
    WeightedNode *node = weighted->failed ? NULL : ARENA_LIST_PUSH(&weighted->nodes, weighted->arena);
    if (node == NULL || !id_map_put(&weighted->children, key, made)) {
        weighted->failed = true;
        return 0;
    }
    *node = (WeightedNode){ .parent = parent,
                            .frame = frame,
                            .label = builder_label(weighted->builder, function, STRING_NONE),
                            .stack = builder_stack(weighted->builder, weighted->nodes.items[parent].stack,
                                                   frame) };
    return made;
}

void weighted_add(Weighted *weighted, uint32_t node, uint32_t kind, int64_t ticks, EventPos pos)
{
    if (ticks < 0)
        builder_warn(weighted->builder, "negative-value", pos, "a value is negative: it has no width");
    if (ticks <= 0 || kind >= weighted->kind_count) return;
    WeightedValue *value = ARENA_LIST_PUSH(&weighted->values, weighted->arena);
    if (value == NULL)
        weighted->failed = true;
    else
        *value = (WeightedValue){ .node = node, .kind = kind, .ticks = ticks };
}

void weighted_event(Weighted *weighted, uint32_t node, EventPos pos)
{
    if (weighted->kind_count == 0) return;
    builder_other(weighted->builder, OTHER_EVENT, weighted->event_kind,
                  &(EventHead){ .thread = weighted->kinds[0].thread,
                                .label = weighted->nodes.items[node].label,
                                .pos = pos,
                                .is_timeless = true });
    builder_count_events(weighted->builder, weighted->event_kind, 1);
}

/* ---- layout ---- */

/* A node with the ticks in and below it; sorted by parent, then the widest first, then in order of the file. */
typedef struct Wide {
    uint64_t ticks;
    uint32_t parent, node;
} Wide;

typedef struct Layout {
    uint64_t *own;   /* ticks of the stack itself, by node */
    Wide     *wide;  /* sorted; the root is the first */
    uint32_t *first; /* by node: place of its first child in `wide`; 0 = none */
    uint32_t *place; /* by node: its place in `wide` */
} Layout;

static int compare_wide(const void *a, const void *b)
{
    const Wide *x = (const Wide *)a, *y = (const Wide *)b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->ticks != y->ticks) return x->ticks > y->ticks ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool layout_open(Weighted *weighted, Layout *layout)
{
    const size_t count = weighted->nodes.count;
    layout->own = ARENA_ARRAY(weighted->arena, uint64_t, count);
    layout->wide = ARENA_ARRAY(weighted->arena, Wide, count);
    layout->first = ARENA_ARRAY(weighted->arena, uint32_t, count);
    layout->place = ARENA_ARRAY(weighted->arena, uint32_t, count);
    return layout->own != NULL && layout->wide != NULL && layout->first != NULL && layout->place != NULL;
}

/* Computes the widths of a kind and the order of the nodes. The root is node 0, and first among its own children. */
static void lay_out(const Weighted *weighted, uint32_t kind, Layout *layout)
{
    const uint32_t count = (uint32_t)weighted->nodes.count;
    memset(layout->own, 0, count * sizeof *layout->own);
    memset(layout->first, 0, count * sizeof *layout->first);
    for (size_t i = 0; i < weighted->values.count; i++) {
        const WeightedValue *value = &weighted->values.items[i];
        if (value->kind == kind) u64_accumulate(&layout->own[value->node], (uint64_t)value->ticks);
    }
    for (uint32_t i = 0; i < count; i++)
        layout->wide[i] = (Wide){ layout->own[i], weighted->nodes.items[i].parent, i };
    for (uint32_t i = count; i-- > 1;)
        u64_accumulate(&layout->wide[layout->wide[i].parent].ticks, layout->wide[i].ticks);
    layout->wide[0].ticks = UINT64_MAX;
    qsort(layout->wide, count, sizeof *layout->wide, compare_wide);
    for (uint32_t i = count; i-- > 1;) {
        layout->first[layout->wide[i].parent] = i;
        layout->place[layout->wide[i].node] = i;
    }
}

/* Adds the samples of a kind in the order of the tree: the children of a node, then the node itself. */
static void give_kind(Weighted *weighted, uint32_t kind, const Layout *layout)
{
    const uint32_t      count = (uint32_t)weighted->nodes.count;
    const WeightedKind *of = &weighted->kinds[kind];
    const SamplerId     sampler =
        builder_sampler(weighted->builder, of->thread, builder_string(weighted->builder, "stacks", 6));
    double   unit = 1;
    uint32_t node = 0;
    uint64_t at = 0;
    for (unsigned i = 0; i < of->unit.exponent; i++)
        unit *= 10;
    for (bool descends = true;;) {
        while (descends && layout->first[node] != 0)
            node = layout->wide[layout->first[node]].node;
        const uint64_t own = layout->own[node];
        if (own > 0)
            builder_stack_sample(weighted->builder, sampler, (int64_t)at, weighted->nodes.items[node].stack,
                                 of->unit.kind == VALUES_COUNT ? (double)own / unit : 1);
        if (own > (uint64_t)INT64_MAX - at)
            builder_warn(weighted->builder, "time-out-of-range", of->pos,
                         "the sum of the values exceeds 64 bits: widths are clamped");
        at = own > (uint64_t)INT64_MAX - at ? (uint64_t)INT64_MAX : at + own;
        if (node == 0) break;
        const uint32_t next = layout->place[node] + 1, parent = weighted->nodes.items[node].parent;
        descends = next < count && layout->wide[next].parent == parent;
        node = descends ? layout->wide[next].node : parent;
    }
    if (at > 0) builder_stack_sample(weighted->builder, sampler, (int64_t)at, STACK_NONE, 0);
}

void weighted_finish(Weighted *weighted)
{
    Layout layout;
    if (weighted->failed || weighted->kind_count == 0) return;
    if (!layout_open(weighted, &layout)) {
        weighted->failed = true;
        return;
    }
    for (uint32_t kind = 0; kind < weighted->kind_count; kind++) {
        lay_out(weighted, kind, &layout);
        give_kind(weighted, kind, &layout);
    }
}
