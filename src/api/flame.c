/* Flame graphs. */
#include "analysis/compare.h"
#include "api/api.h"
#include "api/flame_png.h"
#include "export/folded.h"
#include "export/go_flame.h"

#include <assert.h>
#include <string.h>

static_assert((int)VARVE_FLAME_TOTAL == (int)FLAME_TOTAL && (int)VARVE_FLAME_CPU == (int)FLAME_CPU,
              "VarveFlameWeight has the values of FlameWeight");
static_assert((int)VARVE_FLAME_WAITS_SCHEDULER - (int)VARVE_FLAME_WAITS_NETWORK == (int)GO_PROFILE_SCHED,
              "VarveFlameSource has the values of GoProfile");

/* The parts of the title that the caller gave; NULL = not given. */
typedef struct GivenTexts {
    const char *name, *find, *thread, *range; /* in the arena of the graph */
} GivenTexts;

struct VarveFlame {
    Arena             arena; /* holds this too */
    const VarveTrace *trace;
    VarveFlameOptions options;
    GivenTexts        texts;
    FlameNames        hidden; /* in the arena */
    Clock             clock;
    GoStats           waits; /* has the names of `all`, of waits */
    Flame             all, made;
    const Flame      *shown; /* one of both */
    FlameShape        shape;
    VarveFlameNode   *nodes; /* made by the first varve_flame_nodes */
};

static bool is_of_waits(const VarveFlame *flame)
{
    return flame->options.source >= VARVE_FLAME_WAITS_NETWORK;
}

static GoProfile waits_profile(const VarveFlame *flame)
{
    return (GoProfile)(flame->options.source - VARVE_FLAME_WAITS_NETWORK);
}

/* Finds the names of the options that the trace has. False: out of memory. */
static bool find_hidden(VarveFlame *flame, const StringTable *strings)
{
    const VarveFlameOptions *options = &flame->options;
    StringId                *ids = ARENA_ARRAY(&flame->arena, StringId, FLAME_MOST_NAMES);
    flame->hidden.ids = ids;
    for (uint64_t i = 0; ids != NULL && i < options->hidden_count; i++) {
        const char    *name = options->hidden_names[i];
        const StringId id = string_table_find(strings, name, strlen(name));
        if (id.index != STRING_NONE.index) ids[flame->hidden.count++] = id;
    }
    return ids != NULL;
}

/* Adds up the slices of the part. */
static bool add_slices(VarveFlame *flame, const VarvePart *part, Err *err)
{
    const Trace *trace = flame->trace->loaded.trace;
    const bool   has_tracks = part != NULL && (part->thread != NULL || part->track_id != 0);
    FlameQuery   query = { .slices = api_slices(part), .roots = FLAME_TOGETHER };
    if (!find_hidden(flame, trace->strings))
        return err_set(err, ERR_MEMORY, "out of memory for the hidden names");
    query.hidden = flame->hidden;
    if (!api_part(trace, part, &flame->arena, &query.part, err)) return false;
    /* the times of other tracks overlap: they count only when they are chosen */
    query.part.kinds = flame->options.source == VARVE_FLAME_SAMPLES ? 1U << TRACK_SAMPLES
                       : has_tracks                                 ? 0
                                    : 1U << TRACK_THREAD | 1U << TRACK_SAMPLES;
    flame->clock = trace->clock;
    return flame_create(trace->strings, &flame->all, err) &&
           flame_add_slices(&flame->all, trace, &query, err);
}

/* Adds up the waits of goroutines. */
static bool add_waits(VarveFlame *flame, Err *err)
{
    const Loaded        *loaded = &flame->trace->loaded;
    const GoStatsRequest request = go_stats_window(loaded->trace);
    flame->clock = clock_ns();
    return go_stats_loaded(loaded, &request, &flame->waits, err) &&
           go_flame(&flame->waits, waits_profile(flame), &flame->all, err);
}

/* Returns the tree of the options, of slices of `name`; NULL = all. */
static FlameShape shape_of(const VarveFlame *flame, const char *name)
{
    const VarveFlameOptions *options = &flame->options;
    const bool               is_inverted = options->order == VARVE_FLAME_INVERTED;
    FlameShape               shape = { .tree = is_inverted ? FLAME_INVERTED : FLAME_CALLS,
                                       .by = (FlameWeight)options->weight };
    if (options->recursion == VARVE_RECURSION_COLLAPSED) shape.recursion = FLAME_COLLAPSE_RECURSION;
    if (name == NULL) return shape;
    shape.tree = is_inverted ? FLAME_CALLERS : FLAME_CALLEES;
    shape.name = string_table_find(flame->all.strings, name, strlen(name));
    if (shape.name.index == STRING_NONE.index) shape.name.index = UINT32_MAX; /* no node has it */
    return shape;
}

/* Sets *copy to a text in the arena of the graph; NULL stays NULL. False: out of memory. */
static bool keep_text(VarveFlame *flame, const char *text, const char **copy)
{
    if (text != NULL) *copy = arena_push_copy(&flame->arena, text, strlen(text) + 1);
    return text == NULL || *copy != NULL;
}

static bool keep_texts(VarveFlame *flame, const VarvePart *part)
{
    GivenTexts *texts = &flame->texts;
    return part == NULL ||
           (keep_text(flame, part->name, &texts->name) && keep_text(flame, part->thread, &texts->thread) &&
            keep_text(flame, part->range, &texts->range) &&
            keep_text(flame, api_searched_text(part), &texts->find));
}

static bool check(const VarveFlameOptions *options, Err *err)
{
    if ((unsigned)options->order <= VARVE_FLAME_INVERTED && (unsigned)options->weight <= VARVE_FLAME_CPU &&
        (unsigned)options->source <= VARVE_FLAME_WAITS_SCHEDULER &&
        (unsigned)options->recursion <= VARVE_RECURSION_COLLAPSED &&
        options->hidden_count <= FLAME_MOST_NAMES)
        return true;
    return err_set(err, ERR_USAGE, "the options of the flame graph have an unknown value, or too many names");
}

static bool flame_fill(VarveFlame *flame, const VarvePart *part, Err *err)
{
    if (!check(&flame->options, err)) return false;
    if (!keep_texts(flame, part)) return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    if (!(is_of_waits(flame) ? add_waits(flame, err) : add_slices(flame, part, err))) return false;
    flame->shape = shape_of(flame, flame->texts.name);
    return flame_shaped(&flame->all, &flame->shape, &flame->made, &flame->shown, err);
}

VarveFlame *varve_flame_open(const VarveTrace *trace, const VarvePart *part, const VarveFlameOptions *options,
                             VarveError *error)
{
    Err         err = API_ERR;
    VarveFlame *flame = API_HANDLE(VarveFlame, error);
    if (flame == NULL) return NULL;
    flame->trace = trace;
    if (options != NULL) flame->options = *options;
    if (flame_fill(flame, part, &err)) return flame;
    (void)api_fail(&err, error);
    varve_flame_close(flame);
    return NULL;
}

void varve_flame_close(VarveFlame *flame)
{
    if (flame == NULL) return;
    flame_release(&flame->made);
    flame_release(&flame->all);
    if (is_of_waits(flame)) go_stats_release(&flame->waits);
    api_handle_release(flame);
}

uint32_t varve_flame_count(const VarveFlame *flame)
{
    return flame->shown->node_count - 1;
}

const VarveFlameNode *varve_flame_nodes(VarveFlame *flame, uint32_t *node_count)
{
    const Flame *tree = flame->shown;
    FlameLayout  layout, times;
    Err          err = API_ERR;
    Arena       *arena = &flame->arena;
    uint32_t     count = 0;
    *node_count = flame->nodes == NULL ? 0 : varve_flame_count(flame);
    if (flame->nodes != NULL) return flame->nodes;
    uint32_t       *places = ARENA_ARRAY(arena, uint32_t, tree->node_count);
    VarveFlameNode *nodes = ARENA_ARRAY(arena, VarveFlameNode, tree->node_count);
    if (places == NULL || nodes == NULL ||
        !flame_layout(tree, (FlameWeight)flame->options.weight, arena, &layout, &err) ||
        !flame_layout(tree, FLAME_TOTAL, arena, &times, &err))
        return NULL;
    for (FlameWalk walk = flame_walk(&layout); flame_walk_next(&walk); count++) {
        const FlameNode *node = &tree->nodes[walk.node];
        places[walk.node] = count;
        nodes[count] = (VarveFlameNode){ .name = api_text(string_table_view(tree->strings, node->name)),
                                         .parent = walk.depth == 0 ? UINT32_MAX : places[node->parent],
                                         .depth = walk.depth,
                                         .count = node->count,
                                         .total_ns = clock_span_to_ns(&flame->clock, times.sum[walk.node]),
                                         .self_ns = clock_span_to_ns(&flame->clock, times.own[walk.node]) };
    }
    flame->nodes = nodes;
    *node_count = count;
    return nodes;
}

/* -- pictures -- */

static bool put_title(const VarveFlame *flame, const VarveFlamePicture *picture, Bytes *out)
{
    const GivenTexts *texts = &flame->texts;
    flame_put_title(
        &(FlameTitle){ .file = flame->trace->loaded.name,
                       .waits = is_of_waits(flame) ? go_profile_name(waits_profile(flame)) : NULL,
                       .by = (FlameWeight)flame->options.weight,
                       .tree = flame->shape.tree,
                       .name = texts->name,
                       .find = texts->find,
                       .thread = texts->thread,
                       .range = picture->range == NULL ? texts->range : picture->range,
                       .hidden = flame->hidden,
                       .strings = flame->all.strings,
                       .against = picture->against == NULL ? NULL : picture->against->trace->loaded.name },
        out);
    return !out->failed;
}

static bool put_picture(const FlameOut *graph, VarveFlameKind kind, Bytes *out, Err *err)
{
    const OutputSink sink = output_to_bytes(out);
    switch (kind) {
    case VARVE_FLAME_SVG:
        flame_put_svg(graph, out);
        break;
    case VARVE_FLAME_HTML:
        flame_put_html(graph, out);
        break;
    case VARVE_FLAME_PNG:
        return flame_put_png(graph, out, err);
    case VARVE_FLAME_JSON:
        flame_put_json(graph, out);
        break;
    case VARVE_FLAME_FOLDED:
        return folded_write(graph->layout, graph->by, graph->clock, &sink, err);
    }
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for the flame graph");
}

static bool check_picture(const VarveFlame *flame, const VarveFlamePicture *picture, Err *err)
{
    const VarveFlame *against = picture->against;
    if ((unsigned)picture->kind > VARVE_FLAME_FOLDED)
        return err_set(err, ERR_USAGE, "there is no kind %d of flame graphs", (int)picture->kind);
    if (against == NULL) return true;
    if (picture->kind == VARVE_FLAME_FOLDED) return err_set(err, ERR_USAGE, "folded lines have no changes");
    if (memcmp(&flame->options, &against->options, sizeof flame->options) != 0)
        return err_set(err, ERR_USAGE, "the options of the two flame graphs differ");
    return compare_is_possible(&against->clock, &flame->clock) ||
           err_set(err, ERR_USAGE, "one trace has times and the other does not");
}

static bool draw(const VarveFlame *flame, const VarveFlamePicture *picture, Bytes *out, Err *err)
{
    const FlameWeight by = (FlameWeight)flame->options.weight;
    FlameLayout       layout, times;
    Bytes             title = { 0 };
    Arena             arena = arena_create(0);
    FlameOut          graph = { .layout = &layout,
                                .times = &times,
                                .by = by,
                                .clock = &flame->clock,
                                .theme = picture->theme == VARVE_DARK ? THEME_DARK : THEME_LIGHT,
                                .counted = is_of_waits(flame) ? "wait" : "call" };
    bool              is_done =
        check_picture(flame, picture, err) &&
        (put_title(flame, picture, &title) || err_set(err, ERR_MEMORY, "out of memory for the title")) &&
        flame_layout(flame->shown, by, &arena, &layout, err) &&
        (picture->kind == VARVE_FLAME_FOLDED || flame_layout(flame->shown, FLAME_TOTAL, &arena, &times, err));
    graph.title = (const char *)title.data;
    if (is_done && !is_of_waits(flame)) {
        graph.colours = flame_label_colours(flame->trace->loaded.trace, &flame->all, &arena);
        is_done = graph.colours != NULL || err_set(err, ERR_MEMORY, "out of memory for the colours");
    }
    if (is_done && picture->against != NULL) {
        const FlameAgainst against = { picture->against->shown, &picture->against->clock, flame->shape.tree };
        is_done = flame_compare(&against, &arena, &graph, err);
    }
    is_done = is_done && put_picture(&graph, picture->kind, out, err);
    bytes_release(&title);
    arena_release(&arena);
    return is_done;
}

bool varve_flame_draw(const VarveFlame *flame, const VarveFlamePicture *picture, VarveBytes *out,
                      VarveError *error)
{
    static const VarveFlamePicture USUAL = { .kind = VARVE_FLAME_SVG };
    Err                            err = API_ERR;
    Bytes                          made = { 0 };
    const bool                     is_done = draw(flame, picture == NULL ? &USUAL : picture, &made, &err);
    if (is_done) api_give_bytes(&made, out);
    bytes_release(&made);
    return is_done || api_fail(&err, error);
}
