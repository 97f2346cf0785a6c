/* The answer "flame": a call tree as rows of frames for a screen, or whole as bytes. The tree of all slices
 * is cached for the next request with the same time, tracks and categories, so that a zoom or another view
 * does not count the trace again. */
#include "analysis/compare.h"
#include "app/session/answer_json.h"
#include "app/session/flame_json.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"
#include "app/session/slot_go.h"
#include "base/digits.h"
#include "base/vec.h"
#include "export/folded.h"
#include "export/found_slices.h"
#include "export/go_flame.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_FRAMES = 4096,
    MOST_PARTS = 4096,
    USUAL_PARTS = 1200,
    MOST_KEPT_NODES = 1 << 20,
    MOST_DEPTH = 1 << 20,
    MOST_SLICES = 20000
};

/* ---- the request ---- */

typedef enum {
    FLAME_TO_ROWS,
    FLAME_TO_FOLDED,
    FLAME_TO_JSON,
    FLAME_TO_SVG,
    FLAME_TO_HTML,
    FLAME_TO_SLICES
} FlameTo;
static const char *const TO_NAMES[] = { "rows", "folded", "json", "svg", "html", "slices" };
static const char *const TO_TYPES[] = { "application/json", "text/plain; charset=utf-8", "application/json",
                                        "image/svg+xml",    "text/html; charset=utf-8",  "application/json" };
static const char *const TREE_NAMES[] = { "calls", "inverted", "callers", "callees" }; /* by FlameTree */
static const char *const THEME_NAMES[] = { "dark", "light" };                          /* by Theme */
static const char *const RECURSION_NAMES[] = { "kept", "collapsed" };                  /* by FlameRecursion */

typedef struct FlameRequest {
    RequestContext    *ctx;
    const CallProfile *against; /* of `flame-change`; NULL: no comparison */
    bool               is_of_waits;
    GoProfile          profile; /* of waits */
    FlameShape         shape;   /* its name comes later, from the tree's strings */
    FlameTo            to;
    size_t             theme;
    StringView         name, find; /* bytes NULL: not given */
    uint64_t           front_key, first_row, parts, slice;
    bool               has_slice;
    const uint8_t     *slices; /* those of `search`: slice_set_has; NULL = all */
    FlameNames         hidden; /* not of waits */
} FlameRequest;

static bool param_source(FlameRequest *request)
{
    const StringView *source = request_param(request->ctx->request, "source");
    if (source == NULL || string_equal(*source, STRING_LITERAL("slices"))) return true;
    if (string_equal(*source, STRING_LITERAL("samples"))) return true;
    char text[16] = "";
    if (source->size < sizeof text) memcpy(text, source->bytes, source->size);
    request->is_of_waits = go_profile_find(text, &request->profile);
    return request->is_of_waits ||
           answer_fail(request->ctx->answer, SESSION_BAD_REQUEST,
                       "source= must be slices, samples, net, sync, syscall or sched");
}

static bool param_key(FlameRequest *request)
{
    const StringView *text = request_param(request->ctx->request, "at");
    for (size_t i = 0; text != NULL && i < text->size; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text->bytes[i]);
        if (digit == NULL || text->size > 16)
            return answer_fail(request->ctx->answer, SESSION_BAD_REQUEST, "at= must be the key of a frame");
        request->front_key = request->front_key << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

static bool param_shape(FlameRequest *request)
{
    RequestContext   *ctx = request->ctx;
    const StringView *by = request_param(ctx->request, "by"), *name = request_param(ctx->request, "name");
    size_t            tree, recursion, to;
    if (!PARAM_WORD(ctx, "tree", TREE_NAMES, &tree) ||
        !PARAM_WORD(ctx, "recursion", RECURSION_NAMES, &recursion) || !PARAM_WORD(ctx, "to", TO_NAMES, &to) ||
        !PARAM_WORD(ctx, "theme", THEME_NAMES, &request->theme))
        return false;
    if (by != NULL && !flame_weight_find(*by, &request->shape.by))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "by= must be total, self, count or cpu");
    request->shape.tree = (FlameTree)tree;
    request->shape.recursion = (FlameRecursion)recursion;
    request->to = (FlameTo)to;
    const bool needs_name = request->shape.tree == FLAME_CALLERS || request->shape.tree == FLAME_CALLEES;
    if (needs_name && name == NULL) return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "name= is missing");
    if (needs_name) request->name = *name;
    return true;
}

/* Reads the labels whose names have no frames; the names are in `arena`. False: the answer is a failure. */
static bool param_without(RequestContext *ctx, FlameNames *hidden, Arena *arena)
{
    const StringView *text = request_param(ctx->request, "without");
    if (text == NULL) return true;
    StringId  *ids = ARENA_ARRAY(arena, StringId, FLAME_MOST_NAMES);
    StringView rest = *text, part;
    if (ids == NULL) return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the hidden frames");
    hidden->ids = ids;
    while (text->size > 0 && text_next_part(&rest, ',', &part)) {
        uint64_t label;
        if (!text_to_u64(part, &label) || label > ctx->trace->label_count ||
            hidden->count == FLAME_MOST_NAMES)
            return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                               "without= must be at most %d labels with commas between", FLAME_MOST_NAMES);
        ids[hidden->count++] = ctx->trace->labels[label].name;
    }
    return true;
}

/* Reads the parameters that do not choose the slices. False: the answer is a failure. */
static bool param_view(FlameRequest *request)
{
    RequestContext   *ctx = request->ctx;
    const StringView *find = request_param(ctx->request, "find");
    request->parts = USUAL_PARTS;
    if (!param_source(request) || !param_shape(request) || !param_key(request) ||
        !param_optional(ctx, "row", UINT32_MAX, &request->first_row) ||
        !param_optional(ctx, "parts", MOST_PARTS, &request->parts))
        return false;
    if (request->parts == 0)
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "parts= must be at least 1");
    if (!request->is_of_waits && !param_without(ctx, &request->hidden, ctx->arena)) return false;
    if (find != NULL && find->size > 0) request->find = *find;
    request->has_slice = request_param(ctx->request, "slice") != NULL;
    return !request->has_slice || param_slice_id(ctx, "slice", &request->slice);
}

/* Returns the string id of the requested name; an id without nodes if the strings do not contain it. */
static StringId id_of_name(const FlameRequest *request, const StringTable *strings)
{
    const StringId none = { UINT32_MAX };
    const StringId name = string_table_find(strings, request->name.bytes, request->name.size);
    return name.index == 0 && request->name.size > 0 ? none : name;
}

/* ---- the tree of all slices ---- */

/* The parameters that choose the slices. */
static const char *const CHOOSING[] = { "begin",  "end", "tracks", "thread",  "hide", "source",
                                        "search", "in",  "inside", "without", NULL };

/* The progress of a search for slices, and then of the tree. */
typedef struct FlameWork {
    FoundSlices found; /* of `search` or `inside`; else unused */
    Flame       all;   /* of all counted slices */
    FlameCount  count;
} FlameWork;

/* Returns the kinds of tracks to count. Threads and samples have call stacks, as for `varve flame`; other tracks count only
 * if the query has no track of these kinds. */
static uint32_t kinds_of(const RequestContext *ctx, const FlameQuery *query)
{
    const StringView *source = request_param(ctx->request, "source");
    const uint32_t    stacks = 1U << TRACK_THREAD | 1U << TRACK_SAMPLES;
    if (source != NULL && string_equal(*source, STRING_LITERAL("samples"))) return 1U << TRACK_SAMPLES;
    for (uint32_t i = 0; i < query->part.track_count; i++)
        if ((stacks & 1U << ctx->trace->tracks[query->part.tracks[i]].kind) != 0) return stacks;
    return query->part.tracks == NULL ? stacks : 0;
}

/* Reads the parameters that choose the slices. The tracks are copied into `arena`. False: the answer is a failure. */
static bool param_query(RequestContext *ctx, FlameQuery *query, Arena *arena)
{
    const uint32_t *tracks;
    *query = (FlameQuery){ .part.tracks = NULL };
    if (!param_range(ctx, &query->part.begin_tick, &query->part.end_tick)) return false;
    if (!param_tracks(ctx, &tracks, &query->part.track_count) ||
        !param_thread(ctx, &tracks, &query->part.track_count) || !param_filter(ctx, &query->part.filter))
        return false;
    if (!param_without(ctx, &query->hidden, arena)) return false;
    query->part.tracks = tracks;
    query->part.kinds = kinds_of(ctx, query);
    return long_tracks(ctx, &query->part.tracks, query->part.track_count, arena);
}

static bool flame_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    FlameWork *work = state;
    FlameQuery query;
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_query(ctx, &query, arena) || !param_slices(ctx, &work->found, arena)) return false;
    query.slices = work->found.slices;
    return (flame_create(ctx->trace->strings, &work->all, &err) &&
            flame_count_begin(&work->count, &work->all, ctx->trace, &query, arena, &err)) ||
           answer_fail_err(ctx->answer, &err);
}

/* Returns the part of `most` that is done, less than 1. */
static double share_of(uint64_t done, uint64_t most)
{
    return (double)done / ((double)most + 1);
}

static bool flame_work_step(void *state, double *share, Err *err)
{
    FlameWork  *work = state;
    FlameCount *count = &work->count;
    const bool  has_search = work->found.slices != NULL;
    if (found_slices_pending(&work->found)) {
        if (!found_slices_step(&work->found, err)) return false;
        *share = work->found.share / 2;
        if (!work->found.is_complete) return true;
    }
    if (!flame_count_step(count, LONG_STEP_SLICES, err)) return false;
    *share = count->is_done ? 1 : share_of(count->counted, count->most);
    if (has_search) *share = 0.5 + *share / 2;
    return true;
}

static void flame_work_release(void *state)
{
    FlameWork *work = state;
    flame_count_release(&work->count);
    flame_release(&work->all);
    found_slices_release(&work->found);
}

static const LongKind FLAME_KIND = { .size = sizeof(FlameWork),
                                     .parameters = CHOOSING,
                                     .begin = flame_work_begin,
                                     .step = flame_work_step,
                                     .release = flame_work_release };

/* ---- the slices of a frame ---- */

/* The parameters that choose the slices of a frame. */
static const char *const CHOOSING_FRAME[] = { "begin",     "end", "tracks", "thread",  "hide", "source",
                                              "search",    "in",  "inside", "without", "tree", "name",
                                              "recursion", "by",  "at",     NULL };

/* The tree of all slices, which gives the nodes of the frame, and then the slices of these nodes. */
typedef struct FrameWork {
    FlameWork   tree; /* the first member: flame_work_begin and flame_work_step expect it */
    FlameShape  shape;
    uint64_t    key;
    bool        has_tree;
    uint8_t    *marks; /* by node: 1 = in the frame; owned pages */
    size_t      marks_bytes;
    FlamePlacer placer;
    uint64_t    read;
    uint64_t    count;
    VEC(uint64_t) slices; /* the first MOST_SLICES ids */
} FrameWork;

static bool frame_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    FrameWork   *work = state;
    FlameRequest request = { .ctx = ctx };
    if (!param_view(&request)) return false;
    work->shape = request.shape;
    if (request.name.bytes != NULL) work->shape.name = id_of_name(&request, ctx->trace->strings);
    work->key = request.front_key;
    return flame_work_begin(ctx, &work->tree, arena);
}

/* Marks the nodes of the frame, and returns to the first slice. False: err filled. */
static bool mark_nodes(FrameWork *work, Err *err)
{
    assert(!work->has_tree && work->marks == NULL);
    const Flame *all = &work->tree.all, *shown;
    Flame        made;
    work->marks_bytes = all->node_count;
    work->marks = memory_map(work->marks_bytes);
    bool done = flame_shaped(all, &work->shape, &made, &shown, err);
    if (done && work->marks == NULL) done = err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    done = done && flame_mark_frame(all, &work->shape, shown, work->key, work->marks, err);
    flame_release(&made);
    scan_restart(work->tree.count.scan);
    work->placer = (FlamePlacer){ .flame = &work->tree.all,
                                  .slices = work->tree.found.slices,
                                  .hidden = work->tree.count.placer.hidden };
    work->has_tree = true;
    return done;
}

/* Finds the slices of the next batches. Sets *share, which is 1 after the last one. False: err filled. */
static bool find_slices(FrameWork *work, double *share, Err *err)
{
    uint32_t nodes[SCAN_BATCH_ROWS];
    for (uint64_t read = 0; read < LONG_STEP_SLICES;) {
        const ScanBatch *batch = scan_next(work->tree.count.scan);
        *share = 1;
        if (batch == NULL) return true;
        bool placed = flame_place(&work->placer, batch, nodes);
        for (uint32_t i = 0; placed && i < batch->count; i++) {
            assert(nodes[i] == FLAME_NONE || nodes[i] < work->marks_bytes);
            if (nodes[i] == FLAME_NONE || work->marks[nodes[i]] == 0) continue;
            if (work->count++ < MOST_SLICES) vec_push(&work->slices, batch->columns[SCAN_SLICE_ID].u64[i]);
        }
        if (!placed || work->slices.bytes.failed)
            return err_set(err, ERR_MEMORY, "out of memory for the slices of a frame");
        read += batch->count;
        work->read += batch->count;
    }
    *share = 0.5 + share_of(work->read, work->tree.count.most) / 2;
    return true;
}

static bool frame_work_step(void *state, double *share, Err *err)
{
    FrameWork *work = state;
    if (work->has_tree) return find_slices(work, share, err);
    const bool done = flame_work_step(&work->tree, share, err) && (*share < 1 || mark_nodes(work, err));
    *share /= 2;
    return done;
}

static void frame_work_release(void *state)
{
    FrameWork *work = state;
    flame_placer_release(&work->placer);
    memory_unmap(work->marks, work->marks_bytes);
    vec_release(&work->slices);
    flame_work_release(&work->tree);
}

static const LongKind FRAME_KIND = { .size = sizeof(FrameWork),
                                     .parameters = CHOOSING_FRAME,
                                     .begin = frame_work_begin,
                                     .step = frame_work_step,
                                     .release = frame_work_release };

static void write_frame_slices(RequestContext *ctx)
{
    const FrameWork *work = long_work(ctx, &FRAME_KIND);
    if (work == NULL) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_u64(&w, "count", work->count);
    json_put_array(&w, "slices");
    for (size_t i = 0; i < vec_count(&work->slices); i++)
        write_place(&w, ctx, work->slices.items[i]);
    json_array_end(&w);
    json_object_end(&w);
    long_work_done(ctx, work, LONG_WORK_KEEP);
}

/* ---- the answer ---- */

static uint32_t node_of_key(const uint64_t *keys, uint32_t count, uint64_t key)
{
    for (uint32_t i = 1; i < count; i++)
        if (keys[i] == key) return i;
    return 0;
}

/* Removes the hidden names of a path. Returns the number of the others; 0 if the last one is hidden. */
static uint32_t without_hidden(const FlameRequest *request, StringId *names, uint32_t count)
{
    uint32_t left = 0;
    if (flame_names_have(request->hidden, names[count - 1])) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!flame_names_have(request->hidden, names[i])) names[left++] = names[i];
    return left;
}

/* Sets the mark of the frame with the selected slice. False: out of memory. */
static bool mark_slice(const FlameRequest *request, const Flame *flame, uint8_t *marks)
{
    const Trace *trace = request->ctx->trace;
    Bytes        path = { 0 };
    uint64_t     slice = request->slice;
    uint32_t     row = trace_slice_row(trace, slice), met = 0, count = 0;
    for (bool more = true; more && met < MOST_DEPTH; met++) {
        const StringId name = trace->labels[trace_slice_label(trace, slice)].name;
        bytes_append(&path, &name, sizeof name);
        /* outermost so far */
        if (request->slices == NULL || slice_set_has(request->slices, slice)) count = met + 1;
        more = trace_slice_parent(trace, row, slice, &slice);
        if (more) row = trace_slice_row(trace, slice);
    }
    const bool done = !path.failed;
    assert(count <= met && met <= MOST_DEPTH);
    if (done && count > 0) {
        StringId *names = (StringId *)(void *)path.data;
        for (uint32_t i = 0; i < count / 2; i++) {
            const StringId name = names[i];
            names[i] = names[count - 1 - i];
            names[count - 1 - i] = name;
        }
        count = without_hidden(request, names, count);
        flame_mark_path(flame, names, flame_shaped_path(&request->shape, names, count), marks);
    }
    bytes_release(&path);
    return done;
}

/* Lays out the visible rows. False: err filled. */
static bool put_rows(const FlameRequest *request, const FlameOut *out, Bytes *body, Err *err)
{
    const Flame *flame = out->layout->flame;
    Arena       *arena = request->ctx->arena;
    FlameMatches matches;
    uint8_t     *marks = ARENA_ARRAY(arena, uint8_t, flame->node_count);
    FlameScreen  screen = { .out = *out,
                            .keys = flame_keys(flame, arena),
                            .marks = marks,
                            .first_row = (uint32_t)request->first_row,
                            .trace = request->is_of_waits ? NULL : request->ctx->trace,
                            .has_cpu = !request->is_of_waits && trace_has_cpu_times(request->ctx->trace) };
    if (marks == NULL || screen.keys == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    if (request->front_key != 0)
        screen.front = node_of_key(screen.keys, flame->node_count, request->front_key);
    assert(screen.front < flame->node_count);
    const FlameRowsQuery query = { .front = screen.front,
                                   .least_share = 1.0 / (double)request->parts,
                                   .first_row = screen.first_row,
                                   .most_frames = MOST_FRAMES };
    if (!flame_rows(out->layout, &query, arena, &screen.rows, err)) return false;
    if (request->find.bytes != NULL) {
        screen.matches = &matches;
        if (!flame_match(out->layout, request->find, screen.front, marks, &matches, err)) return false;
    }
    const bool done = (!request->has_slice || request->is_of_waits || mark_slice(request, flame, marks)) &&
                      flame_json_put(&screen, body);
    return done || err_set(err, ERR_MEMORY, "out of memory for the flame graph");
}

static bool put_answer(const FlameRequest *request, const FlameOut *out, Err *err)
{
    Bytes *body = &request->ctx->answer->body;
    request->ctx->answer->content_type = TO_TYPES[request->to];
    switch (request->to) {
    case FLAME_TO_ROWS:
        return put_rows(request, out, body, err);
    case FLAME_TO_FOLDED: {
        const OutputSink sink = output_to_bytes(body);
        return folded_write(out->layout, out->by, out->clock, &sink, err);
    }
    case FLAME_TO_JSON:
        flame_put_json(out, body);
        break;
    case FLAME_TO_SVG:
        flame_put_svg(out, body);
        break;
    case FLAME_TO_HTML:
        flame_put_html(out, body);
        break;
    case FLAME_TO_SLICES: /* see write_frame_slices */
        break;
    }
    return true;
}

/* Compares the graph with the other trace, if there is one. False: err filled. */
static bool compare_tree(const FlameRequest *request, FlameOut *out, Err *err)
{
    if (request->against == NULL) return true;
    FlameAgainst against = { .clock = &request->against->clock, .tree = request->shape.tree };
    FlameShape   shape = request->shape;
    Flame        made;
    if (request->name.bytes != NULL) shape.name = id_of_name(request, request->against->strings);
    const bool done = flame_shaped(&request->against->paths, &shape, &made, &against.flame, err) &&
                      flame_compare(&against, request->ctx->arena, out, err);
    flame_release(&made);
    return done;
}

/* Answers from the tree of all slices or of waits. */
static void write_graph(FlameRequest *request, const Flame *all, const Clock *clock)
{
    const FlameWeight by = request->shape.by;
    const Flame      *shown;
    Flame             made = { .nodes = NULL };
    FlameLayout       layout, times;
    Bytes             title = { 0 };
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    const StringView *search = request_param(request->ctx->request, "search");
    const char       *name = NULL;
    if (request->name.bytes != NULL) {
        request->shape.name = id_of_name(request, all->strings);
        name = request->name.bytes; /* decoded texts end with a zero byte */
    }
    flame_put_title(&(FlameTitle){ .file = request->ctx->slot->name,
                                   .waits = request->is_of_waits ? go_profile_name(request->profile) : NULL,
                                   .by = by,
                                   .tree = request->shape.tree,
                                   .name = name,
                                   .find = search == NULL ? NULL : search->bytes,
                                   .hidden = request->hidden,
                                   .strings = all->strings },
                    &title);
    bool done = (!title.failed || err_set(&err, ERR_MEMORY, "out of memory for the title")) &&
                flame_shaped(all, &request->shape, &made, &shown, &err) &&
                flame_layout(shown, by, request->ctx->arena, &layout, &err) &&
                flame_layout(shown, FLAME_TOTAL, request->ctx->arena, &times, &err);
    FlameOut out = { .layout = &layout,
                     .times = &times,
                     .by = by,
                     .clock = clock,
                     .theme = (Theme)request->theme,
                     .title = (const char *)title.data,
                     .counted = request->is_of_waits ? "wait" : "call" };
    if (done && !request->is_of_waits) {
        out.colours = flame_label_colours(request->ctx->trace, all, request->ctx->arena);
        done = out.colours != NULL || err_set(&err, ERR_MEMORY, "out of memory for the colours");
    }
    done = done && compare_tree(request, &out, &err) && put_answer(request, &out, &err);
    if (!done) (void)answer_fail_err(request->ctx->answer, &err);
    bytes_release(&title);
    flame_release(&made);
}

static void write_waits_graph(FlameRequest *request)
{
    const Clock    clock = clock_ns();
    const GoStats *stats;
    Flame          all = { .nodes = NULL };
    Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!lock_go_stats(request->ctx, &stats)) return;
    if (go_flame(stats, request->profile, &all, &err)) {
        write_graph(request, &all, &clock);
    } else {
        (void)answer_fail_err(request->ctx->answer, &err);
    }
    flame_release(&all);
    unlock_go_stats(request->ctx);
}

static void write_slices_graph(FlameRequest *request)
{
    RequestContext  *ctx = request->ctx;
    const FlameWork *work = long_work(ctx, &FLAME_KIND);
    if (work == NULL) return;
    request->slices = work->found.slices;
    write_graph(request, &work->all, &ctx->trace->clock);
    long_work_done(ctx, work, work->all.node_count > MOST_KEPT_NODES ? LONG_WORK_FORGET : LONG_WORK_KEEP);
}

void handle_flame(RequestContext *ctx)
{
    FlameRequest request = { .ctx = ctx };
    if (!param_view(&request)) return;
    if (request.is_of_waits && request.to == FLAME_TO_SLICES) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "to=slices is for slices and samples");
    } else if (request.is_of_waits) {
        write_waits_graph(&request);
    } else if (request.to == FLAME_TO_SLICES) {
        ctx->answer->content_type = TO_TYPES[FLAME_TO_SLICES];
        write_frame_slices(ctx);
    } else {
        write_slices_graph(&request);
    }
}

void handle_flame_change(RequestContext *ctx)
{
    CallProfile  profile = { .rows = NULL };
    FlameRequest request = { .ctx = ctx, .against = &profile };
    if (param_view(&request) && param_body_profile(ctx, &profile)) {
        if (request.is_of_waits || request.to == FLAME_TO_SLICES || profile.by != COMPARE_BY_PATH) {
            (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                              "a change is one of slices and of a profile by path");
        } else if (!compare_is_possible(&profile.clock, &ctx->trace->clock)) {
            (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "one trace has times and the other does not");
        } else {
            write_slices_graph(&request);
        }
    }
    call_profile_release(&profile);
}
