/* The rows of a flame graph as JSON. */
#include "app/session/flame_json.h"

#include "base/json_writer.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_PATH = 64 };

static void put_name(JsonWriter *w, const char *key, const Flame *flame, StringId name)
{
    if (name.index == 0)
        json_put_null(w, key);
    else
        json_put_view(w, key, string_table_view(flame->strings, name));
}

static void put_all(JsonWriter *w, const FlameScreen *screen)
{
    const FlameNode *root = &screen->out.layout->flame->nodes[0];
    json_put_object(w, "all");
    json_put_u64(w, "count", root->count);
    json_put_printf(w, "total", "%" PRIu64, clock_span_to_ns(screen->out.clock, root->total));
    json_put_printf(w, "self", "%" PRIu64, clock_span_to_ns(screen->out.clock, screen->out.times->own[0]));
    json_object_end(w);
}

static void put_path(JsonWriter *w, const FlameScreen *screen)
{
    const Flame *flame = screen->out.layout->flame;
    uint32_t     path[MOST_PATH], count = 0;
    for (uint32_t at = screen->front; at != 0 && count < MOST_PATH; at = flame->nodes[at].parent)
        path[count++] = at;
    json_put_array(w, "path");
    while (count > 0) {
        const uint32_t node = path[--count];
        json_object_begin(w);
        json_put_printf(w, "key", "%" PRIx64, screen->keys[node]);
        put_name(w, "name", flame, flame->nodes[node].name);
        json_object_end(w);
    }
    json_array_end(w);
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void put_found(JsonWriter *w, const FlameScreen *screen)
{
    if (screen->matches == NULL) {
        json_put_null(w, "found");
        return;
    }
    json_put_object(w, "found");
    json_put_double(w, "share", share_of(screen->matches->weight, screen->out.layout->sum[screen->front]));
    json_put_u64(w, "frames", screen->matches->frames);
    json_object_end(w);
}

static void put_selected(JsonWriter *w, const FlameScreen *screen)
{
    uint32_t node = 0;
    for (uint32_t i = 1; i < screen->out.layout->flame->node_count && node == 0; i++)
        if ((screen->marks[i] & FLAME_IS_SELECTED) != 0) node = i;
    if (node == 0)
        json_put_null(w, "selected");
    else
        json_put_printf(w, "selected", "%" PRIx64, screen->keys[node]);
}

/* The names of the frames, with their indices in the answer. */
typedef struct Names {
    uint32_t *number; /* by string: from 1; 0 = not numbered */
    StringId *names;
    uint32_t *labels; /* by string: the first label of that name; NULL without a trace */
    uint32_t  count;
} Names;

static bool number_names(const FlameScreen *screen, Arena *arena, Names *names)
{
    const Flame *flame = screen->out.layout->flame;
    const size_t strings = (size_t)string_table_count(flame->strings) + 1;
    *names = (Names){ .number = ARENA_ARRAY(arena, uint32_t, strings),
                      .names = ARENA_ARRAY(arena, StringId, (size_t)screen->rows.count + 1) };
    if (screen->trace != NULL) names->labels = ARENA_ARRAY(arena, uint32_t, strings);
    if (names->number == NULL || names->names == NULL || (screen->trace != NULL && names->labels == NULL))
        return false;
    for (uint32_t i = 0; i < screen->rows.count; i++) {
        const StringId name = flame->nodes[screen->rows.frames[i].node].name;
        if (names->number[name.index] != 0) continue;
        names->names[names->count++] = name;
        names->number[name.index] = names->count;
    }
    for (uint32_t i = screen->trace == NULL ? 0 : screen->trace->label_count; i > 0; i--)
        names->labels[screen->trace->labels[i].name.index] = i;
    return true;
}

static void put_names(JsonWriter *w, const FlameScreen *screen, const Names *names)
{
    json_put_array(w, "names");
    for (uint32_t i = 0; i < names->count; i++) {
        json_object_begin(w);
        put_name(w, "name", screen->out.layout->flame, names->names[i]);
        const uint32_t name = names->names[i].index;
        json_put_u64(w, "label", names->labels == NULL ? 0 : names->labels[name]);
        json_put_u64(w, "colour", screen->out.colours == NULL ? 0 : screen->out.colours[name]);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes the colour of the change, and its text. */
static void put_change(JsonWriter *w, const FlameOut *out, uint32_t node)
{
    Bytes text = { 0 };
    flame_put_before(out, node, &text);
    json_u64(w, flame_colour(out, node, &text).fill);
    json_string_bytes(w, bytes_view(&text));
    bytes_release(&text);
}

static void put_frame(JsonWriter *w, const FlameScreen *screen, const Names *names, const FlameFrame *frame)
{
    const FlameOut  *out = &screen->out;
    const FlameNode *node = &out->layout->flame->nodes[frame->node];
    assert(frame->node < out->layout->flame->node_count && names->number[node->name.index] > 0);
    json_array_begin(w);
    json_u64(w, frame->row);
    json_u64(w, names->number[node->name.index] - 1);
    json_double(w, frame->begin);
    json_double(w, frame->share);
    json_u64(w, node->count);
    json_string_printf(w, "%" PRIu64, clock_span_to_ns(out->clock, node->total));
    json_string_printf(w, "%" PRIu64, clock_span_to_ns(out->clock, out->times->own[frame->node]));
    json_string_printf(w, "%" PRIu64, node->cpu_ns);
    json_u64(w, screen->marks[frame->node]);
    json_string_printf(w, "%" PRIx64, screen->keys[frame->node]);
    if (out->before != NULL) put_change(w, out, frame->node);
    json_array_end(w);
}

bool flame_json_put(const FlameScreen *screen, Bytes *body)
{
    const FlameOut *out = &screen->out;
    const Flame    *flame = out->layout->flame;
    Arena           arena = arena_create(0);
    Names           names;
    JsonWriter      w = json_writer_to(body, 0);
    const bool      done = number_names(screen, &arena, &names);
    json_object_begin(&w);
    json_put_string(&w, "unit", clock_has_time(out->clock) ? "ns" : clock_unit_name(out->clock));
    json_put_string(&w, "counted", out->counted);
    json_put_string(&w, "perspective", flame->perspective);
    json_put_u64(&w, "left_out_tracks", flame->left_out_tracks);
    json_put_bool(&w, "has_cpu", screen->has_cpu);
    put_all(&w, screen);
    json_put_double(&w, "share",
                    screen->front == 0 ? 1 : share_of(out->layout->sum[screen->front], out->layout->sum[0]));
    put_path(&w, screen);
    json_put_u64(&w, "rows", screen->rows.row_count);
    json_put_u64(&w, "first_row", screen->first_row);
    json_put_u64(&w, "next_row", screen->rows.next_row);
    put_found(&w, screen);
    put_selected(&w, screen);
    if (done) put_names(&w, screen, &names);
    json_put_array(&w, "frames");
    for (uint32_t i = 0; done && i < screen->rows.count; i++)
        put_frame(&w, screen, &names, &screen->rows.frames[i]);
    json_array_end(&w);
    json_object_end(&w);
    arena_release(&arena);
    return done;
}
