/* The view under any hands and any host: the input is a script of calls, with bytes of its own for
 * outlines, tiles, pages and overviews, some of them real ones with a few bytes changed. Nothing may crash,
 * hang or paint out of range. */
#include "fuzz.h"

#include "trace/log/builder.h"
#include "trace/wire/moments.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"
#include "view/view.h"

#include <math.h>
#include <string.h>

typedef struct Script {
    const uint8_t *bytes;
    size_t         size, at;
} Script;

static uint8_t next_byte(Script *script)
{
    return script->at < script->size ? script->bytes[script->at++] : 0;
}

static uint64_t next_number(Script *script)
{
    uint64_t value = 0;
    for (int i = next_byte(script) % 9; i > 0; i--)
        value = value << 8 | next_byte(script);
    return value;
}

static double next_px(Script *script)
{
    return (double)((int)next_byte(script) << 3 | (next_byte(script) & 7)) - 20;
}

/* A small trace to take real bytes from; the longer one has another thread, before the others. */
static Trace *make_trace(bool longer)
{
    Err           err;
    TraceBuilder *builder = builder_create("fuzz", 0);
    if (builder == NULL) return NULL;
    ProcessId process = builder_process(builder, ident_int(1));
    LabelId   label = builder_label(builder, builder_string(builder, "a::b<c>", 7), STRING_NONE);
    for (int64_t t = longer ? -1 : 0; t < 3; t++) {
        TrackId thread = builder_thread(builder, process, ident_int(t));
        for (int64_t i = 0; i < (longer ? 60 : 40); i++) {
            EventPos pos = { (uint64_t)i, (uint64_t)i };
            builder_complete(builder, thread, i * 1000, i * 1000 + 950 - 13 * i, label, pos, 0);
            builder_complete(builder, thread, i * 1000, i * 1000 + 5, label, pos, EVENT_REPAIRED);
            builder_instant(builder, thread, i * 777, label, (InstantScope)(i % 3), pos, 0);
        }
    }
    for (int64_t i = 0; i < 90; i++) { /* on, back, over a long time, and some to where no slice is */
        TrackId from = builder_thread(builder, process, ident_int(i % 3));
        TrackId to = builder_thread(builder, process, ident_int(i * i % 4));
        builder_arrow(
            builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, i * 400 },
            (FlowPoint){ to, i % 5 == 0 ? FLOW_BIND_TRACK : FLOW_BIND_ENCLOSING, (i * 613) % 39000 }, label);
    }
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    builder_destroy(builder);
    return trace;
}

/* The bytes of an answer, honest or not. */
static void spoil(Script *script, Bytes *bytes)
{
    for (int i = next_byte(script) % 4; i > 0 && bytes->size > 0; i--)
        bytes->data[next_number(script) % bytes->size] = next_byte(script);
    if (next_byte(script) % 16 == 0) bytes->size = next_number(script) % (bytes->size + 1);
}

static void answer(Script *script, View *view, const Trace *trace, const ViewRequest *request)
{
    Bytes bytes = { 0 };
    Err   err;
    bool  taken = false;
    switch (request->kind) {
    case VIEW_REQUEST_OVERVIEW:
        overview_encode(trace, NULL, request->filter, request->page, &bytes);
        spoil(script, &bytes);
        taken = view_put_overview(view, request->trace, bytes.data, bytes.size);
        break;
    case VIEW_REQUEST_LABELS:
        label_page_encode(trace, request->page, &bytes);
        spoil(script, &bytes);
        taken = view_put_labels(view, request->trace, request->page, bytes.data, bytes.size);
        break;
    case VIEW_REQUEST_TILE:
        if (!tile_encode(trace, request->tile, &bytes, NULL, &err)) break;
        spoil(script, &bytes);
        taken = view_put_tile(view, request->trace, bytes.data, bytes.size);
        break;
    case VIEW_REQUEST_VISIBLE:
        visible_encode(trace, NULL, request->filter, &bytes);
        spoil(script, &bytes);
        taken = view_put_visible(view, request->trace, bytes.data, bytes.size);
        break;
    case VIEW_REQUEST_MOMENTS: {
        uint8_t bits[MOMENTS_BUCKETS_MAX / 8];
        for (size_t i = 0; i < moments_bytes(request->moments.buckets); i++)
            bits[i] = i % 7 == 0 ? next_byte(script) : 0;
        moments_encode(
            &(Moments){ request->moments.begin, request->moments.level, request->moments.buckets, bits },
            &bytes);
        spoil(script, &bytes);
        taken = view_put_moments(view, request, bytes.data, bytes.size);
        break;
    }
    case VIEW_REQUEST_DETAILS:
    case VIEW_REQUEST_FLOW_DETAILS:
    case VIEW_REQUEST_INSTANT_DETAILS:
        bytes_append_text(&bytes, "self\t1 ns\nargument\tvalue\nno tab\n\t\n");
        spoil(script, &bytes);
        view_put_details(view, request, (const char *)bytes.data, bytes.size);
        taken = true;
        break;
    }
    if (!taken) view_request_failed(view, request);
    bytes_release(&bytes);
}

static bool is_sane(float value)
{
    return value > -1e6F && value < 1e6F;
}

static void check_list(const DrawList *list)
{
    if (list == NULL) return;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *s = &list->shapes[i];
        expect(is_sane(s->x) && is_sane(s->y) && s->w >= 0 && s->h >= 0 && is_sane(s->w) && is_sane(s->h),
               "a shape");
    }
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *t = &list->texts[i];
        expect(t->offset <= list->text_bytes && t->length <= list->text_bytes - t->offset, "a text's bytes");
        expect(is_sane(t->x) && is_sane(t->baseline) && t->max_w >= 0, "a text's place");
    }
    for (uint32_t i = 0; i < list->curve_count; i++) {
        const DrawCurve *c = &list->curves[i];
        expect(is_sane(c->x0) && is_sane(c->x1) && is_sane(c->y0) && is_sane(c->y1), "a curve");
        expect(c->bend >= 0 && is_sane(c->bend) && c->width > 0 && is_sane(c->width), "how a curve is drawn");
    }
    for (uint32_t i = 0; i < list->batch_count; i++) {
        const DrawBatch *b = &list->batches[i];
        uint32_t         count = b->kind == DRAW_SHAPES   ? list->shape_count
                                 : b->kind == DRAW_CURVES ? list->curve_count
                                                          : list->text_count;
        expect(b->kind <= DRAW_CURVES, "a batch of no kind");
        expect(b->first <= count && b->count <= count - b->first, "a batch");
    }
}

static void press(Script *script, View *view, double now_ms)
{
    PointerInput input = { .kind = (PointerKind)(next_byte(script) % 5),
                           .x = next_px(script),
                           .y = next_px(script),
                           .button = next_byte(script) % 3,
                           .modifiers = next_byte(script) % 16,
                           .clicks = 1 + next_byte(script) % 2,
                           .touch = next_byte(script) % 8 == 0 };
    view_pointer(view, &input, now_ms);
}

static void type(Script *script, View *view, double now_ms)
{
    static const char *const keys[] = { "KeyW", "KeyS", "KeyA", "KeyD", "Space", "Escape", "ArrowLeft",
                                        "KeyP", "KeyE", "KeyI", "KeyC", "KeyF",  "KeyR",   "KeyZ",
                                        "+",    "",     "?",    "KeyL", "]",     "[" };
    const char              *key = keys[next_byte(script) % (sizeof keys / sizeof keys[0])];
    uint8_t                  how = next_byte(script);
    view_key(view, (KeyKind)(how % 3), key, how >> 4, now_ms);
}

static void jump(Script *script, View *view, double now_ms)
{
    int64_t    begin = (int64_t)next_number(script), end = (int64_t)next_number(script);
    SlicePlace place = { .trace = next_byte(script) % 3,
                         .track = next_byte(script) % 8,
                         .row = (uint32_t)next_number(script),
                         .begin = next_number(script),
                         .extent = next_number(script) };
    view_set_range(view, next_byte(script) % 2, begin, end, now_ms);
    if (next_byte(script) % 2) view_select(view, &place, now_ms);
    view_set_scroll(view, (double)next_number(script));
    view_mark_search(view, next_byte(script) % 2, next_byte(script) % 4);
    view_point_name(view, next_byte(script) % 2, next_byte(script) % 4);
}

static void command(Script *script, View *view, double now_ms)
{
    size_t         count = 0;
    const Command *row;
    while (view_command_at(count) != NULL)
        count++;
    row = view_command_at(next_byte(script) % count);
    expect(view_command(view, row->name, now_ms), "a command of the table");
}

/* Loads a view file and selects its event. */
static void load_file(View *view, const uint8_t *bytes, size_t size)
{
    ViewLoaded loaded;
    Err        err;
    if (view_load(view, (const char *)bytes, size, VIEW_FILE_OPENED, &loaded, &err) && loaded.has_selection) {
        if (loaded.selects_instant)
            view_restore_instant(view, &loaded.selection);
        else
            view_restore_slice(view, &loaded.selection);
    }
    view_loaded_release(&loaded);
}

static void put_anything(Script *script, View *view)
{
    size_t         size = next_byte(script);
    const uint8_t *bytes = script->bytes + script->at;
    if (size > script->size - script->at) size = script->size - script->at;
    script->at += size;
    Err err;
    (void)!view_add_trace(view, bytes, size, &err);
    view_put_tile(view, 0, bytes, size);
    view_put_labels(view, 0, 0, bytes, size);
    view_put_overview(view, 0, bytes, size);
    view_set_identity(view, 0, (const char *)bytes, size);
    load_file(view, bytes, size);
}

static void look(View *view)
{
    ViewEvent event;
    Bytes     text = { 0 };
    check_list(view_draw(view));
    view_rows_json(view, &text);
    view_notes_json(view, &text);
    view_save(view, &(ViewSaving){ .parts = VIEW_FILE_MARKS | VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES },
              &text);
    bytes_release(&text);
    while (view_next_event(view, &event))
        expect(event.kind <= VIEW_EVENT_NOTES, "an event");
}

static void open_trace(Script *script, View *view, const Trace *trace)
{
    Bytes outline = { 0 };
    Err   err;
    outline_encode(trace, STRING_LITERAL("fuzz"), &outline);
    spoil(script, &outline);
    (void)!view_add_trace(view, outline.data, outline.size, &err);
    bytes_release(&outline);
}

/* Replaces the outline of a trace: later requests are answered from it, late answers included. */
static void grow(Script *script, View *view, const Trace *trace)
{
    Bytes    outline = { 0 };
    Err      err;
    uint32_t index = next_byte(script) % 3;
    outline_encode(trace, STRING_LITERAL("fuzz"), &outline);
    spoil(script, &outline);
    (void)!view_update_outline(view, index, outline.data, outline.size, next_number(script), &err);
    view_set_growing(view, index, (ViewGrowth)(next_byte(script) % 2));
    bytes_release(&outline);
}

static void play(Script *script, View *view, Trace *const traces[2])
{
    const Trace *trace = traces[0];
    double       now_ms = 0;
    ViewRequest  request;
    while (script->at < script->size) {
        switch (next_byte(script) % 14) {
        case 0:
            open_trace(script, view, trace);
            break;
        case 1:
            view_resize(view, next_px(script), next_px(script), next_byte(script) / 32.0);
            break;
        case 2:
            view_set_options(view, next_byte(script) % 32);
            view_set_theme(view, (Theme)(next_byte(script) % 2));
            break;
        case 3:
        case 4:
            press(script, view, now_ms);
            break;
        case 5:
            view_wheel(view, next_px(script), next_px(script), next_px(script), next_px(script),
                       next_byte(script) % 16, now_ms);
            break;
        case 6:
            type(script, view, now_ms);
            break;
        case 7:
            jump(script, view, now_ms);
            break;
        case 8:
            command(script, view, now_ms);
            break;
        case 9:
            put_anything(script, view);
            break;
        case 10:
            now_ms += next_byte(script);
            view_step(view, now_ms);
            look(view);
            break;
        case 11:
            for (int i = next_byte(script) % 32; i > 0 && view_next_request(view, &request); i--)
                answer(script, view, trace, &request);
            break;
        case 12: {
            static const char SETS[] = "0,1,2-3,,--9x;";
            size_t            size = next_byte(script) % sizeof SETS;
            view_set_hidden(view, next_byte(script) % 3, SETS, size);
            break;
        }
        case 13:
            trace = traces[next_byte(script) % 2];
            grow(script, view, trace);
            break;
        default:
            break;
        }
    }
    look(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Script        script = { data, size > 4096 ? 4096 : size, 0 };
    static Trace *traces[2]; /* made once: making them takes longer than a script */
    View         *view = view_create(1 << 20);
    for (int i = 0; i < 2; i++)
        if (traces[i] == NULL) traces[i] = make_trace(i == 1);
    if (view != NULL && traces[0] != NULL && traces[1] != NULL) {
        open_trace(&script, view, traces[0]);
        play(&script, view, traces);
    }
    view_destroy(view);
    return 0;
}
