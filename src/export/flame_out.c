#include "export/flame_out.h"

#include "base/file.h"
#include "base/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const WEIGHTS[] = { "total", "self", "count", "cpu" }; /* by FlameWeight */

bool flame_weight_find(StringView name, FlameWeight *by)
{
    for (size_t i = 0; i < sizeof WEIGHTS / sizeof WEIGHTS[0]; i++) {
        *by = (FlameWeight)i;
        if (string_equal(name, c_string_view(WEIGHTS[i]))) return true;
    }
    return false;
}

void flame_put_title(const FlameTitle *title, Bytes *out)
{
    bytes_printf(out, "%s: ", file_name_of(title->file));
    if (title->waits != NULL) bytes_printf(out, "waits (%s), ", title->waits);
    bytes_append_text(out, WEIGHTS[title->by]);
    if (title->tree == FLAME_INVERTED || title->tree == FLAME_CALLERS) bytes_append_text(out, ", inverted");
    if (title->name != NULL) bytes_printf(out, ", %s", title->name);
    if (title->find != NULL) bytes_printf(out, ", %s", title->find);
    if (title->thread != NULL) bytes_printf(out, ", %s", title->thread);
    if (title->range != NULL) bytes_printf(out, ", %s", title->range);
    for (uint32_t i = 0; i < title->hidden.count; i++) {
        const StringView name = string_table_view(title->strings, title->hidden.ids[i]);
        bytes_printf(out, i == 0 ? ", without %.*s" : ", %.*s", (int)(name.size < 100 ? name.size : 100),
                     name.bytes);
    }
    if (title->against != NULL) bytes_printf(out, ", against %s", file_name_of(title->against));
    bytes_append(out, "", 1);
}

/* ---- shared by the outputs ---- */

FlameBox *flame_boxes(const FlameLayout *layout, double least_share, uint32_t most_depth, Arena *arena,
                      uint32_t *count)
{
    const uint32_t node_count = layout->flame->node_count;
    const double   all = (double)layout->sum[0];
    FlameBox      *boxes = ARENA_ARRAY(arena, FlameBox, node_count);
    double        *next = ARENA_ARRAY(arena, double, node_count); /* by node: the begin of its next child */
    *count = 0;
    if (boxes == NULL || next == NULL) return NULL;
    boxes[(*count)++] = (FlameBox){ .share = 1 };
    FlameWalk walk = flame_walk(layout);
    for (bool more = all > 0 && flame_walk_next(&walk); more;) {
        const uint32_t parent = layout->flame->nodes[walk.node].parent;
        const double   share = (double)layout->sum[walk.node] / all, begin = next[parent];
        next[parent] += share;
        next[walk.node] = begin;
        if (share < least_share || walk.depth + 1 > most_depth) {
            more = flame_walk_skip(&walk);
            continue;
        }
        boxes[(*count)++] = (FlameBox){ walk.node, walk.depth + 1, begin, share };
        more = flame_walk_next(&walk);
    }
    return boxes;
}

void flame_put_name(const FlameOut *flame, uint32_t node, Bytes *out)
{
    assert(node < flame->layout->flame->node_count);
    const Flame     *tree = flame->layout->flame;
    const StringView name = string_table_view(tree->strings, tree->nodes[node].name);
    if (name.size > 0) {
        bytes_append(out, name.bytes, name.size);
    } else {
        bytes_append_text(out, node == 0 ? "all" : "(none)");
    }
}

/* ---- changes ---- */

bool flame_compare(const FlameAgainst *against, Arena *arena, FlameOut *flame, Err *err)
{
    const FlameLayout *layout = flame->layout;
    const uint32_t     count = layout->flame->node_count;
    const bool         is_ticks = flame->by == FLAME_TOTAL || flame->by == FLAME_SELF;
    const bool         is_inverted = against->tree == FLAME_INVERTED || against->tree == FLAME_CALLERS;
    const double unit = is_ticks ? clock_ns_per_tick(against->clock) / clock_ns_per_tick(flame->clock) : 1;
    uint32_t    *same = ARENA_ARRAY(arena, uint32_t, count);
    double      *before = ARENA_ARRAY(arena, double, count);
    FlameLayout  old;
    if (same == NULL || before == NULL) return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    if (!flame_layout(against->flame, flame->by, arena, &old, err)) return false;
    flame_pair_paths(layout->flame, against->flame, same);
    flame->weights = is_inverted ? layout->sum : layout->own;
    const uint64_t *weights_before = is_inverted ? old.sum : old.own;
    for (uint32_t i = 1; i < count; i++) {
        if (same[i] != FLAME_NONE) before[i] = (double)weights_before[same[i]] * unit;
        const double change = fabs((double)flame->weights[i] - before[i]);
        if (change > flame->most_change) flame->most_change = change;
    }
    flame->before = before;
    return true;
}

static double change_of(const FlameOut *flame, uint32_t node)
{
    assert(node < flame->layout->flame->node_count);
    return (double)flame->weights[node] - flame->before[node];
}

/* Returns the colour between two, at `share` (0 to 1) of the distance. */
static uint32_t mixed_colour(uint32_t from, uint32_t to, double share)
{
    uint32_t rgba = 0xff;
    for (unsigned shift = 8; shift < 32; shift += 8) {
        const double a = from >> shift & 0xff, b = to >> shift & 0xff;
        rgba |= (uint32_t)(a + (b - a) * share + 0.5) << shift;
    }
    return rgba;
}

/* Sets the colours of the names of threads' states that have none: those of the timeline. */
static bool colour_states(const Trace *trace, Arena *arena, uint32_t *colours)
{
    ScanQuery query = scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_NAME));
    uint32_t  last = 0;
    Err       err;
    query.kinds = 1U << TRACK_STATES;
    Scan *scan = scan_begin(trace, &query, arena, &err);
    for (const ScanBatch *batch; scan != NULL && (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++) {
            const uint32_t name = batch->columns[SCAN_SLICE_NAME].u32[i];
            if (name == last || colours[name] != 0) continue;
            const StringView  text = trace_string(trace, (StringId){ name });
            const ThreadState state = colour_state_of(text.bytes, text.size);
            if (state != STATE_COUNT) colours[name] = COLOUR_OF_STATE + (uint32_t)state;
            last = name;
        }
    }
    return scan != NULL;
}

const uint32_t *flame_label_colours(const Trace *trace, const Flame *flame, Arena *arena)
{
    const bool has_states = trace->counts.states > 0 && (flame->kinds & 1U << TRACK_STATES) != 0;
    uint32_t  *colours = ARENA_ARRAY(arena, uint32_t, (size_t)string_table_count(trace->strings) + 1);
    for (uint32_t i = colours == NULL ? 0 : trace->label_count; i > 0; i--)
        if (trace->labels[i].colour != 0) colours[trace->labels[i].name.index] = trace->labels[i].colour;
    if (colours == NULL || (has_states && !colour_states(trace, arena, colours))) return NULL;
    return colours;
}

NameColour flame_colour(const FlameOut *flame, uint32_t node, const Bytes *name)
{
    static const uint32_t SAME = 0xd3d6daff, MORE = 0xf27466ff, LESS = 0x6aa9f4ff, TEXT = 0x0b0d10ff;
    const uint32_t        own = flame->colours == NULL || node == 0
                                    ? 0
                                    : flame->colours[flame->layout->flame->nodes[node].name.index];
    if (flame->before == NULL && own != 0) return colour_label(flame->theme, own);
    if (flame->before == NULL)
        return colour_look(flame->theme, colour_of_name((const char *)name->data, name->size));
    /* The change of the root, the sum of all frames, may exceed that of any frame. */
    const double change = change_of(flame, node);
    const double share = flame->most_change > 0 ? fmin(fabs(change) / flame->most_change, 1) : 0;
    /* The square root keeps small changes visible. */
    return (NameColour){ .fill = mixed_colour(SAME, change > 0 ? MORE : LESS, sqrt(share)), .text = TEXT };
}

void flame_put_before(const FlameOut *flame, uint32_t node, Bytes *out)
{
    const double   before = flame->before[node];
    const uint64_t rounded = before < 18e18 ? (uint64_t)(before + 0.5) : UINT64_MAX;
    const char    *kind = flame->weights == flame->layout->own && flame->by != FLAME_COUNT ? "self " : "";
    const Clock    ns = clock_ns();
    char           text[CLOCK_SPAN_TEXT];
    if (before <= 0) {
        bytes_append_text(out, change_of(flame, node) > 0 ? ", new" : "");
        return;
    }
    if (flame->by == FLAME_COUNT) {
        bytes_printf(out, ", before %" PRIu64, rounded);
    } else {
        (void)clock_format_span(flame->by == FLAME_CPU ? &ns : flame->clock, rounded, text);
        bytes_printf(out, ", %sbefore %s", kind, text);
    }
    bytes_printf(out, " (%+.1f %%)", 100 * change_of(flame, node) / before);
}

void flame_put_numbers(const FlameOut *flame, uint32_t node, Bytes *out)
{
    const FlameNode *numbers = &flame->layout->flame->nodes[node];
    const double     all = (double)flame->layout->sum[0];
    char             total[CLOCK_SPAN_TEXT], self[CLOCK_SPAN_TEXT];
    (void)clock_format_span(flame->clock, numbers->total, total);
    (void)clock_format_span(flame->clock, flame->times->own[node], self);
    bytes_printf(out, "%s, %.1f %%, self %s, %" PRIu64 " %s%s", total,
                 all == 0 ? 0 : 100 * (double)flame->layout->sum[node] / all, self, numbers->count,
                 flame->counted, numbers->count == 1 ? "" : "s");
    if (flame->before != NULL) flame_put_before(flame, node, out);
}

/* ---- JSON ---- */

static void put_json_frame(const FlameOut *flame, uint32_t node, const uint32_t *places, JsonWriter *w)
{
    assert(node < flame->layout->flame->node_count);
    const FlameNode *numbers = &flame->layout->flame->nodes[node];
    json_object_begin(w);
    if (numbers->name.index == 0)
        json_put_null(w, "name");
    else
        json_put_view(w, "name", string_table_view(flame->layout->flame->strings, numbers->name));
    if (numbers->parent == 0)
        json_put_null(w, "parent");
    else
        json_put_u64(w, "parent", places[numbers->parent]);
    json_put_u64(w, "count", numbers->count);
    json_put_u64(w, "total", clock_span_to_ns(flame->clock, numbers->total));
    json_put_u64(w, "self", clock_span_to_ns(flame->clock, flame->times->own[node]));
    if (numbers->cpu_ns > 0) json_put_u64(w, "cpu_ns", numbers->cpu_ns);
    if (flame->before != NULL) {
        const bool   is_ticks = flame->by == FLAME_TOTAL || flame->by == FLAME_SELF;
        const double unit = is_ticks ? clock_ns_per_tick(flame->clock) : 1;
        json_put_double(w, "before", flame->before[node] * unit);
        json_put_double(w, "change", change_of(flame, node) * unit);
    }
    json_object_end(w);
}

void flame_put_json(const FlameOut *flame, Bytes *out)
{
    const Flame *tree = flame->layout->flame;
    Arena        arena = arena_create(0);
    uint32_t    *places = ARENA_ARRAY(&arena, uint32_t, tree->node_count), place = 0;
    JsonWriter   w = json_writer_to(out, 0);
    if (places == NULL) out->failed = true;
    json_object_begin(&w);
    json_put_string(&w, "unit", clock_has_time(flame->clock) ? "ns" : "ticks");
    json_put_string(&w, "by", WEIGHTS[flame->by]);
    if (tree->perspective != NULL) json_put_string(&w, "perspective", tree->perspective);
    json_put_u64(&w, "left_out_tracks", tree->left_out_tracks);
    json_put_array(&w, "frames");
    for (FlameWalk walk = flame_walk(flame->layout); places != NULL && flame_walk_next(&walk);) {
        places[walk.node] = place++;
        put_json_frame(flame, walk.node, places, &w);
    }
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
    arena_release(&arena);
}
