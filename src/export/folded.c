#include "export/folded.h"

#include "base/vec.h"
#include "export/call_tree.h"
#include "export/left_out.h"
#include "trace/store/choose_tracks.h"

static void put_name(const Flame *tree, uint32_t node, Bytes *out)
{
    const StringView name = string_table_view(tree->strings, tree->nodes[node].name);
    const size_t     from = out->size;
    if (name.size == 0) bytes_append_text(out, "(none)");
    bytes_append(out, name.bytes, name.size);
    for (size_t i = from; i < out->size; i++) {
        if (out->data[i] == ';') out->data[i] = ':';
        if (out->data[i] < ' ' || out->data[i] == 0x7f) out->data[i] = ' ';
    }
}

/* The frames of a path, outermost first, each with its ";". */
typedef struct FramePath {
    Bytes text;
    VEC(size_t) begins; /* by depth: the offset of the frame in `text` */
} FramePath;

/* Replaces the frames from `depth` on by a node. The walk visits parents first, so `depth` is at most one more than that of
 * the last call. */
static void path_enter(FramePath *path, const Flame *tree, uint32_t node, uint32_t depth)
{
    if (depth < vec_count(&path->begins)) {
        path->text.size = path->begins.items[depth];
        vec_cut(&path->begins, depth);
    }
    vec_push(&path->begins, path->text.size);
    put_name(tree, node, &path->text);
    bytes_append(&path->text, ";", 1);
}

/* Appends the innermost frames and a space. */
static void put_path(const FramePath *path, Bytes *out)
{
    const size_t count = vec_count(&path->begins);
    const size_t from = count > FOLDED_MOST_FRAMES ? path->begins.items[count - FOLDED_MOST_FRAMES] : 0;
    bytes_append(out, path->text.data + from, path->text.size - from - 1);
    bytes_append(out, " ", 1);
}

bool folded_write(const FlameLayout *layout, FlameWeight by, const Clock *clock, const OutputSink *sink,
                  Err *err)
{
    const Flame *tree = layout->flame;
    const bool   is_ticks = by != FLAME_COUNT && by != FLAME_CPU;
    FlameWalk    walk = flame_walk(layout);
    FramePath    path = { .begins = VEC_EMPTY };
    Bytes        out = { 0 };
    bool         is_done = true;
    while (is_done && flame_walk_next(&walk)) {
        const uint64_t own = layout->own[walk.node];
        path_enter(&path, tree, walk.node, walk.depth);
        out.failed |= path.text.failed || path.begins.bytes.failed;
        if (own == 0 && !out.failed) continue;
        if (!out.failed) put_path(&path, &out);
        bytes_append_u64(&out, is_ticks ? clock_span_to_ns(clock, own) : own);
        bytes_append(&out, "\n", 1);
        is_done = writer_flush(sink, &out, WRITER_BLOCK_BYTES, err);
    }
    is_done = is_done && writer_flush(sink, &out, 0, err);
    bytes_release(&out);
    bytes_release(&path.text);
    vec_release(&path.begins);
    return is_done;
}

/* Reports the call paths that lose their outermost frames. */
static void report_deep_paths(const FlameLayout *layout, WriterReport *report)
{
    uint64_t  count = 0;
    FlameWalk walk = flame_walk(layout);
    while (flame_walk_next(&walk))
        count += walk.depth >= FOLDED_MOST_FRAMES && layout->own[walk.node] > 0;
    writer_report(report, count, "call paths of more than 1000 frames lose the outermost");
}

static bool write_folded(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    const Trace *trace = loaded->trace;
    Arena        arena = arena_create(0);
    Flame        flame = { .nodes = NULL };
    FlameLayout  layout;
    uint32_t    *tracks = ARENA_ARRAY(&arena, uint32_t, (size_t)trace->track_count + 1);
    bool         is_done = tracks != NULL || err_set(err, ERR_MEMORY, "out of memory for the list of tracks");
    is_done = is_done && flame_create(trace->strings, &flame, err) &&
              call_tree_add(&flame, trace, tracks, choose_tracks_all(trace, tracks), FLAME_TOGETHER, err) &&
              flame_layout(&flame, FLAME_TOTAL, &arena, &layout, err) &&
              folded_write(&layout, FLAME_TOTAL, &trace->clock, sink, err);
    if (is_done) {
        report_deep_paths(&layout, report);
        report_left_out_slices(trace, report);
        report_left_out(trace, report);
    }
    flame_release(&flame);
    arena_release(&arena);
    return is_done;
}

const FormatWriter FOLDED_WRITER = {
    .name = "folded",
    .suffix = "folded",
    .what = "call paths with their self times, a line each",
    .write = write_folded,
};
