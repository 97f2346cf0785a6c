/* The answers about one slice or instant: its details, its tooltip, its neighbours. */
#include "analysis/find.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/near.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "base/digits.h"
#include "base/json_members.h"
#include "base/utf8.h"
#include "trace/store/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A trace may nest a million deep; `depth` is the actual number of parents. */
enum { MAX_PARENTS = 1000 };

static const struct {
    uint8_t     flag;
    const char *name;
} SLICE_FLAGS[] = { { SLICE_UNFINISHED, "unfinished" },
                    { SLICE_NO_END, "no-end" },
                    { SLICE_REPAIRED, "repaired" } };

enum { SLICE_FLAG_COUNT = sizeof SLICE_FLAGS / sizeof SLICE_FLAGS[0] };

/* -- pieces -- */

static void put_flags(JsonWriter *w, uint8_t flags)
{
    json_put_array(w, "flags");
    for (size_t i = 0; i < SLICE_FLAG_COUNT; i++) {
        if ((flags & SLICE_FLAGS[i].flag) != 0) json_string(w, SLICE_FLAGS[i].name);
    }
    json_array_end(w);
}

static void write_around(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    const Trace *trace = ctx->trace;
    json_object_begin(w);
    put_place(w, "place", ctx, slice);
    put_text(w, "name", trace, trace->labels[trace_slice_label(trace, slice)].name);
    put_span(w, "duration", trace, trace_slice_duration(trace, slice));
    json_object_end(w);
}

/* Writes the slice of the thread during which a state begins. */
static void put_during(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    const Trace   *trace = ctx->trace;
    const uint32_t track = trace->rows[trace_slice_row(trace, slice)].track;
    const Track   *thread = &trace->tracks[track_thread(trace, track)];
    if (trace->tracks[track].kind != TRACK_STATES || track_row_count(thread) == 0) return;
    const Row     *row = &trace->rows[thread->first_row];
    const uint32_t at = row_slice_at(trace, row, trace_slice_begin(trace, slice));
    if (at == UINT32_MAX) return;
    json_key(w, "during");
    write_around(w, ctx, row->first_slice + at);
}

static void put_parents(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    const Trace *trace = ctx->trace;
    uint32_t     row = trace_slice_row(trace, slice);
    uint64_t     parent = 0;
    json_put_array(w, "parents");
    for (int i = 0; i < MAX_PARENTS && trace_slice_parent(trace, row, slice, &parent); i++) {
        write_around(w, ctx, parent);
        slice = parent;
        row--; /* rows are ordered by lane, then by depth */
    }
    json_array_end(w);
}

/* -- slice -- */

static void put_slice_times(JsonWriter *w, const Trace *trace, uint32_t row, uint64_t slice)
{
    put_time(w, "begin", trace, trace_slice_begin(trace, slice));
    put_time(w, "end", trace, trace_slice_end(trace, slice));
    put_span(w, "duration", trace, trace_slice_duration(trace, slice));
    put_span(w, "self", trace, trace_slice_self(trace, row, slice));
    uint64_t cpu = 0, cpu_self = 0;
    bool     has_cpu = trace_slice_cpu(trace, slice, &cpu);
    bool     has_cpu_self = trace_slice_cpu_self(trace, row, slice, &cpu_self);
    put_cpu_or_null(w, "cpu", has_cpu ? &cpu : NULL, CPU_EXACT);
    put_cpu_or_null(w, "cpu_self", has_cpu_self ? &cpu_self : NULL, CPU_EXACT);
}

static void put_cross_view_id(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    const SliceContext *context = ctx->slot->loaded.reader->slice_context;
    Bytes               text = { 0 };
    if (context != NULL && context->cross_view_id(ctx->trace, slice, &text))
        json_put_view(w, "cross_view_id", bytes_view(&text));
    else
        json_put_null(w, "cross_view_id");
    bytes_release(&text);
}

void handle_slice(RequestContext *ctx)
{
    uint64_t slice, first_child;
    if (!param_slice(ctx, &slice)) return;
    const Trace *trace = ctx->trace;
    uint32_t     row_index = trace_slice_row(trace, slice);
    const Row   *row = &trace->rows[row_index];
    JsonWriter   w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_place(&w, "place", ctx, slice);
    put_label(&w, trace, trace_slice_label(trace, slice));
    put_process(&w, "process", trace, trace->tracks[row->track].process.index);
    put_thread(&w, "thread", trace, row->track);
    put_slice_times(&w, trace, row_index, slice);
    json_put_u64(&w, "depth", row->depth);
    json_put_u64(&w, "lane", row->lane);
    put_flags(&w, trace_slice_flags(trace, slice));
    json_put_u64(&w, "children", trace_slice_children(trace, row_index, slice, &first_child));
    EventDetails details = { 0 };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool         read = request_details(ctx, detail_reader_slice, slice, &details, &err);
    put_slice_objects(&w, ctx, slice, &details.args);
    put_details(&w, &details, read ? NULL : &err);
    put_parents(&w, ctx, slice);
    put_during(&w, ctx, slice);
    put_slice_stacks(&w, ctx, slice);
    put_cross_view_id(&w, ctx, slice);
    json_put_bool(&w, "has_ends", load_has_ends(&ctx->slot->loaded, slice));
    put_ended_by(&w, ctx, slice);
    put_flows(&w, ctx, "flows_in", slice, FLOW_TO);
    put_flows(&w, ctx, "flows_out", slice, FLOW_FROM);
    json_object_end(&w);
}

void handle_places(RequestContext *ctx)
{
    const StringView *slices = request_param(ctx->request, "slices");
    if (slices == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "slices= is missing: ids with commas between");
        return;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    StringView rest = *slices, part;
    json_array_begin(&w);
    while (slices->size > 0 && text_next_part(&rest, ',', &part)) {
        uint64_t slice;
        if (!text_to_u64(part, &slice)) {
            (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                              "slices= must be numbers with commas between");
            return;
        }
        if (!has_slice_param(ctx, slice)) return;
        write_place(&w, ctx, slice);
    }
    json_array_end(&w);
}

/* -- instant -- */

static const char *const SCOPE_NAMES[] = {
    [INSTANT_THREAD] = "thread", [INSTANT_PROCESS] = "process", [INSTANT_GLOBAL] = "global"
};

void handle_instant(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    uint64_t     instant;
    if (!param_instant(ctx, "id", &instant)) return;
    uint32_t   row = trace_instant_row(trace, instant);
    uint32_t   track = trace->rows[row].track;
    uint32_t   thread = trace_instant_thread(trace, instant);
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_u64(&w, "trace", ctx->slot->index);
    json_put_u64(&w, "instant", instant);
    put_label(&w, trace, trace_instant_label(trace, instant));
    json_put_string(&w, "scope", SCOPE_NAMES[trace_instant_scope(trace, instant)]);
    put_process(&w, "process", trace, trace->tracks[thread == 0 ? track : thread].process.index);
    if (thread == 0)
        json_put_null(&w, "thread");
    else
        put_thread(&w, "thread", trace, thread);
    json_put_u64(&w, "track", track);
    json_put_u64(&w, "row", row - trace->tracks[track].first_row);
    put_time(&w, "time", trace, trace_instant_tick(trace, instant));
    json_put_u64(&w, "label", trace_instant_label(trace, instant));
    EventDetails details = { 0 };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool         read = request_details(ctx, detail_reader_instant, instant, &details, &err);
    put_instant_objects(&w, ctx, instant, &details.args);
    put_details(&w, &details, read ? NULL : &err);
    put_instant_stack(&w, ctx, instant);
    json_object_end(&w);
}

/* -- tooltip -- */

enum { TOOLTIP_LINES = 12, TOOLTIP_VALUE_BYTES = 120, TOOLTIP_DEPTH = 4 };

/* Appends a value as one short line: without control characters, cut if it is long. */
static void line_append(Bytes *out, StringView text)
{
    size_t      size = utf8_cut(text.bytes, text.size, TOOLTIP_VALUE_BYTES);
    const char *from = text.bytes;
    for (size_t i = 0; i < size; i++) {
        bool control = (unsigned char)from[i] < 0x20 || from[i] == 0x7f;
        bytes_append(out, control ? " " : from + i, 1);
    }
    if (size < text.size) bytes_append_text(out, "…");
}

void tooltip_line(Bytes *out, StringView key, StringView value)
{
    line_append(out, key);
    bytes_append_text(out, "\t");
    line_append(out, value);
    bytes_append_text(out, "\n");
}

/* Appends a value on one line: a string without its quotes, the values of an array with commas between, any other value
 * unchanged. */
static void append_plain(Bytes *out, StringView value)
{
    JsonMembers elements;
    StringView  element;
    if (json_elements_open(value, &elements) && json_elements_next(&elements, &element)) {
        do {
            json_plain_append(element, out);
            bytes_append_text(out, ", ");
        } while (out->size < TOOLTIP_VALUE_BYTES && json_elements_next(&elements, &element));
        out->size -= out->failed ? 0 : strlen(", ");
    } else {
        json_plain_append(value, out);
    }
}

/* Appends binary data as one value, "1 024 B: 11 11 11 ...". Returns false if the value is not binary data of a reader. */
static bool append_binary(Bytes *out, StringView value)
{
    static const char *const KEYS[] = { "\"bytes\"", "\"hex\"", "\"blob\"" };
    StringView               members[3], key;
    JsonMembers              at;
    uint64_t                 size;
    char                     count[DIGITS_TEXT];
    if (!json_members_open(value, &at)) return false;
    for (int i = 0; i < 3; i++) {
        if (!json_members_next(&at, &key, &members[i]) || !string_equal(key, c_string_view(KEYS[i])))
            return false;
    }
    if (!text_to_u64(members[0], &size) || members[1].bytes[0] != '"') return false;
    bytes_append(out, count, digits_put_whole(size, count));
    bytes_append_text(out, " B: ");
    json_text_append(members[1], out);
    return true;
}

/* An object, or an array of objects or arrays, whose members are lines of their own. */
typedef struct TooltipLevel {
    JsonMembers at;
    bool        is_object;
    uint32_t    index;     /* of the next element */
    size_t      path_size; /* bytes of the path that lead to it */
} TooltipLevel;

static bool level_open(TooltipLevel *level, StringView value, size_t path_size)
{
    StringView first, key;
    *level = (TooltipLevel){ .path_size = path_size };
    JsonMembers probe;
    if (json_members_open(value, &level->at)) {
        level->is_object = true;
        probe = level->at;
        return json_members_next(&probe, &key, &first);
    }
    if (!json_elements_open(value, &level->at)) return false;
    probe = level->at;
    return json_elements_next(&probe, &first) && (first.bytes[0] == '{' || first.bytes[0] == '[');
}

/* Appends the next member to the path of its level: "data.url", "rows[2]". Returns false at the end. */
static bool level_next(TooltipLevel *level, Bytes *path, StringView *value)
{
    StringView key;
    char       index[16];
    path->size = level->path_size;
    if (!level->is_object) {
        if (!json_elements_next(&level->at, value)) return false;
        (void)snprintf(index, sizeof index, "[%u]", level->index++);
        bytes_append_text(path, index);
        return !path->failed;
    }
    if (!json_members_next(&level->at, &key, value)) return false;
    if (path->size > 0) bytes_append_text(path, ".");
    json_text_append(key, path);
    return !path->failed;
}

/* Appends a line for each value in a JSON value, with the path to it as its key, as the details show them. Returns the
 * lines left. */
static int tooltip_values(Bytes *out, const Bytes *json, int lines_left)
{
    TooltipLevel levels[TOOLTIP_DEPTH];
    int          depth = 0;
    StringView   value = bytes_view(json);
    Bytes        path = { 0 }, text = { 0 };
    if (level_open(&levels[0], value, 0)) {
        depth = 1;
    } else if (json->size > 0 && lines_left > 0 && value.bytes[0] != '{') {
        append_plain(&text, value);
        tooltip_line(out, STRING_LITERAL("args"), bytes_view(&text));
        lines_left--;
    }
    while (depth > 0 && lines_left > 0) {
        bytes_clear(&text);
        if (!level_next(&levels[depth - 1], &path, &value)) {
            depth--;
        } else if (append_binary(&text, value)) {
            tooltip_line(out, bytes_view(&path), bytes_view(&text));
            lines_left--;
        } else if (depth < TOOLTIP_DEPTH && level_open(&levels[depth], value, path.size)) {
            depth++;
        } else {
            append_plain(&text, value);
            tooltip_line(out, bytes_view(&path), bytes_view(&text));
            lines_left--;
        }
    }
    bytes_release(&path);
    bytes_release(&text);
    return lines_left;
}

/* Appends the category of an event. Returns the lines left. */
static int tooltip_category(Bytes *out, const Trace *trace, uint32_t label, int lines_left)
{
    StringView category = trace_label_category(trace, label);
    if (category.size == 0) return lines_left;
    tooltip_line(out, STRING_LITERAL("category"), category);
    return lines_left - 1;
}

static void tooltip_arguments(RequestContext *ctx, ReadDetails read, uint64_t id, int lines_left)
{
    EventDetails details = { 0 };
    Bytes       *out = &ctx->answer->body;
    Err          err;
    if (request_details(ctx, read, id, &details, &err)) {
        lines_left = tooltip_values(out, &details.args, lines_left);
        (void)tooltip_values(out, &details.other, lines_left);
    }
    bytes_release(&details.args);
    bytes_release(&details.other);
}

static void tooltip_slice(RequestContext *ctx, uint64_t slice)
{
    const Trace *trace = ctx->trace;
    Bytes       *out = &ctx->answer->body;
    char         self[32];
    const size_t self_size = (size_t)snprintf(self, sizeof self, "%" PRIu64,
                                              trace_slice_self(trace, trace_slice_row(trace, slice), slice));
    tooltip_line(out, STRING_LITERAL("self"), (StringView){ self, self_size });
    int lines_left = tooltip_category(out, trace, trace_slice_label(trace, slice), TOOLTIP_LINES);
    /* The view has a line of its own about an unfinished slice. */
    const uint8_t flags = trace_slice_flags(trace, slice) & (uint8_t)~SLICE_UNFINISHED;
    for (size_t i = 0; i < SLICE_FLAG_COUNT; i++) {
        if ((flags & SLICE_FLAGS[i].flag) == 0) continue;
        StringView name = c_string_view(SLICE_FLAGS[i].name);
        tooltip_line(out, name, STRING_LITERAL("yes"));
        lines_left--;
    }
    tooltip_arguments(ctx, detail_reader_slice, slice, lines_left);
}

void handle_tooltip(RequestContext *ctx)
{
    uint64_t id;
    if (request_param(ctx->request, "flow") != NULL) {
        handle_flow_tooltip(ctx);
    } else if (request_param(ctx->request, "instant") != NULL) {
        if (!param_instant(ctx, "instant", &id)) return;
        const uint32_t label = trace_instant_label(ctx->trace, id);
        tooltip_arguments(ctx, detail_reader_instant, id,
                          tooltip_category(&ctx->answer->body, ctx->trace, label, TOOLTIP_LINES));
    } else if (param_slice(ctx, &id)) {
        tooltip_slice(ctx, id);
    }
}

/* -- counterpart -- */

/* Returns the perspectives with this name as bits; without a name, all. */
static uint8_t perspectives_of(const Trace *trace, const StringView *name)
{
    for (uint32_t i = 0; name != NULL && i < trace->perspectives.count; i++) {
        const char *known = trace->perspectives.names[i];
        if (string_equal(*name, c_string_view(known))) return (uint8_t)(1U << i);
    }
    return 0;
}

void handle_counterpart(RequestContext *ctx)
{
    const SliceContext *context = ctx->slot->loaded.reader->slice_context;
    const StringView   *id = request_param(ctx->request, "cross_view_id");
    int64_t             at;
    uint64_t            slice;
    if (!param_offset(ctx, "at", 0, &at)) return;
    if (id == NULL) {
        answer_fail(ctx->answer, SESSION_BAD_REQUEST, "cross_view_id= is missing");
        return;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    if (context != NULL &&
        context->find_cross_view_id(ctx->trace, *id,
                                    perspectives_of(ctx->trace, request_param(ctx->request, "perspective")),
                                    tick_at_offset(ctx->trace, at), &slice))
        write_place(&w, ctx, slice);
    else
        json_null(&w);
}

/* -- near -- */

static bool is_hidden(const Trace *trace, const Filter *filter, uint64_t slice)
{
    return filter_hides_label(filter, trace_slice_label(trace, slice));
}

/* Finds the innermost visible slice around it. */
static bool near_parent(const Trace *trace, const Filter *filter, uint64_t slice, uint64_t *found)
{
    uint32_t row = trace_slice_row(trace, slice);
    for (; trace_slice_parent(trace, row, slice, found); slice = *found, row--) {
        if (!is_hidden(trace, filter, *found)) return true;
    }
    return false;
}

/* Finds the first visible slice inside it, among those with the least depth. */
static bool near_child(const Trace *trace, const Filter *filter, uint64_t slice, uint64_t *found)
{
    uint32_t row = trace_slice_row(trace, slice);
    uint64_t first, count = trace_slice_children(trace, row, slice, &first);
    while (count > 0) {
        uint64_t last = first + count;
        *found = filter_next_slice(filter, first, last, NULL);
        if (*found < last) return true;
        row++; /* all hidden: continue with all their children */
        uint64_t begin = 0, end = 0, some = 0;
        for (uint64_t child = first; child < last; child++) {
            uint64_t at, inner = trace_slice_children(trace, row, child, &at);
            if (inner == 0) continue;
            if (some == 0) begin = at;
            end = at + inner;
            some += inner;
        }
        first = begin;
        count = end - begin;
    }
    return false;
}

static bool near_next_same(const Trace *trace, const Filter *filter, uint64_t slice, uint64_t *found)
{
    return find_same_name(trace, filter, slice, FIND_NEXT, found);
}

static bool near_previous_same(const Trace *trace, const Filter *filter, uint64_t slice, uint64_t *found)
{
    return find_same_name(trace, filter, slice, FIND_PREVIOUS, found);
}

static const struct {
    const char *name;
    bool (*find)(const Trace *trace, const Filter *filter, uint64_t slice, uint64_t *found);
} MOVES[] = { { "parent", near_parent },
              { "child", near_child },
              { "next-same", near_next_same },
              { "previous-same", near_previous_same } };

void handle_near(RequestContext *ctx)
{
    uint64_t          slice;
    Neighbour         found = { .slice = 0 };
    const StringView *move = request_param(ctx->request, "move");
    if (move != NULL && request_param(ctx->request, "instant") != NULL) {
        handle_near_instant(ctx, *move);
        return;
    }
    if (!param_slice(ctx, &slice)) return;
    const Filter *filter;
    if (!param_filter(ctx, &filter)) return;
    if (move != NULL && handle_near_flow(ctx, slice, filter, *move)) return;
    if (move != NULL && near_along_row(ctx->trace, filter, slice, *move, &found)) {
        write_neighbour(ctx, &found);
        return;
    }
    for (size_t i = 0; move != NULL && i < sizeof MOVES / sizeof MOVES[0]; i++) {
        if (!string_equal(*move, c_string_view(MOVES[i].name))) continue;
        found.has_slice = MOVES[i].find(ctx->trace, filter, slice, &found.slice);
        write_neighbour(ctx, &found);
        return;
    }
    answer_fail(
        ctx->answer, SESSION_BAD_REQUEST,
        "move= must be parent, child, next, previous, next-same, previous-same, flow-next or flow-previous");
}
