#include "app/cli/event_json.h"

#include "app/session/info.h"
#include "app/session/json_members.h"

#include <string.h>

/* -- pieces -- */

static StringView view_of(const Bytes *bytes)
{
    return (StringView){ bytes->data == NULL ? "" : (const char *)bytes->data, bytes->size };
}

static void put_ident(JsonWriter *w, const Trace *trace, const char *key, Ident ident)
{
    switch (ident.kind) {
    case IDENT_NONE:
        return;
    case IDENT_INT:
        json_put_i64(w, key, (int64_t)ident.bits);
        return;
    case IDENT_UINT:
        json_put_u64(w, key, ident.bits);
        return;
    case IDENT_TEXT:
        json_put_view(w, key, trace_string(trace, (StringId){ (uint32_t)ident.bits }));
        return;
    }
}

/* pid and tid of a track; nothing for what the track does not have. */
static void put_thread(JsonWriter *w, const Trace *trace, uint32_t track)
{
    if (track == TRACK_NONE.index) return;
    uint32_t process = trace->tracks[track].process.index;
    if (process != PROCESS_NONE.index) put_ident(w, trace, "pid", trace->processes[process].pid);
    put_ident(w, trace, "tid", trace->tracks[track].tid);
}

static void put_text(JsonWriter *w, const Trace *trace, const char *key, StringId text)
{
    StringView view = trace_string(trace, text);
    if (view.size > 0) json_put_view(w, key, view);
}

static void put_label(JsonWriter *w, const Trace *trace, uint32_t label)
{
    put_text(w, trace, "name", trace->labels[label].name);
    put_text(w, trace, "cat", trace->labels[label].category);
}

static void put_tick(JsonWriter *w, const Trace *trace, const char *key, int64_t tick)
{
    json_key(w, key);
    info_write_tick(w, &trace->clock, tick);
}

static void put_raw(JsonWriter *w, const char *key, StringView json)
{
    if (json.size == 0) return;
    json_key(w, key);
    json_raw(w, json.bytes, json.size);
}

static void put_flag(JsonWriter *w, const char *key, bool set)
{
    if (set) json_put_bool(w, key, true);
}

/* What an event says beyond its columns. */
typedef struct More {
    EventDetails details;
    bool         unreadable;
    Err          err; /* why */
} More;

/* args (unless something else stands for them) and other, which come last. */
static void put_more(JsonWriter *w, const More *more, const Bytes *args)
{
    char text[256];
    if (args != NULL) put_raw(w, "args", view_of(args));
    put_raw(w, "other", view_of(&more->details.other));
    if (!more->unreadable) return;
    (void)err_format(&more->err, text, sizeof text);
    json_put_string(w, "details_error", text);
}

/* -- the kinds -- */

static void slice_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    const Row *row = &trace->rows[event->row];
    uint8_t    flags = trace->slices.flags[event->id];
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_string(&w, "kind", "slice");
    put_thread(&w, trace, row->track);
    put_text(&w, trace, "track", trace->tracks[row->track].name);
    put_label(&w, trace, trace->slices.label[event->id]);
    put_tick(&w, trace, "begin_tick", trace->slices.begin_tick[event->id]);
    put_tick(&w, trace, "end_tick", trace_slice_end(trace, event->id));
    json_put_u64(&w, "depth", row->depth);
    if (row->lane > 0) json_put_u64(&w, "lane", row->lane);
    json_put_u64(&w, "self_ticks", trace_slice_self(trace, event->row, event->id));
    put_flag(&w, "unfinished", (flags & SLICE_UNFINISHED) != 0);
    put_flag(&w, "no_end", (flags & SLICE_NO_END) != 0);
    put_flag(&w, "repaired", (flags & SLICE_REPAIRED) != 0);
    put_more(&w, more, &more->details.args);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void instant_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    static const char *const SCOPES[] = {
        [INSTANT_THREAD] = "t", [INSTANT_PROCESS] = "p", [INSTANT_GLOBAL] = "g"
    };
    uint32_t   thread = trace->instants.thread[event->id];
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_string(&w, "kind", "instant");
    put_thread(&w, trace, thread == TRACK_NONE.index ? trace->rows[event->row].track : thread);
    put_label(&w, trace, trace->instants.label[event->id]);
    json_put_string(&w, "scope", SCOPES[trace->instants.scope[event->id]]);
    put_tick(&w, trace, "tick", trace->instants.tick[event->id]);
    put_more(&w, more, &more->details.args);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

/* What the source's own kinds of events are here, where the format names them so. Others are "event". */
static const struct {
    const char *format, *kinds; /* every letter is a kind */
    const char *shown;
} OTHER_KINDS[] = { { "trace-event", "C", "counter" },
                    { "trace-event", "bneSTpF", "async" },
                    { "trace-event", "stf", "flow" },
                    { "trace-event", "ND", "object" },
                    { "trace-event", "O", "snapshot" } };

static const char *other_kind(const Trace *trace, const OtherEvent *other)
{
    StringView kind = trace_string(trace, trace->event_kinds[other->kind].name);
    if (other->is_metadata) return "metadata";
    for (size_t i = 0; i < sizeof OTHER_KINDS / sizeof OTHER_KINDS[0] && kind.size == 1; i++) {
        bool same_format = strcmp(OTHER_KINDS[i].format, trace->format_name) == 0;
        if (same_format && kind.bytes[0] != '\0' && strchr(OTHER_KINDS[i].kinds, kind.bytes[0]) != NULL)
            return OTHER_KINDS[i].shown;
    }
    return "event";
}

/* One line. A counter's series (key with quotes, value) stands for its args, which are then not repeated. */
static void other_line(const Trace *trace, const OtherEvent *other, const More *more,
                       const StringView series[2], Bytes *out)
{
    const char *kind = other_kind(trace, other);
    JsonWriter  w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_string(&w, "kind", kind);
    put_thread(&w, trace, other->thread);
    put_label(&w, trace, other->label);
    if (strcmp(kind, "counter") != 0)
        json_put_view(&w, "event", trace_string(trace, trace->event_kinds[other->kind].name));
    if (series != NULL) put_raw(&w, "series", series[0]);
    if (other->has_tick) put_tick(&w, trace, "tick", other->tick);
    if (series != NULL) put_raw(&w, "value", series[1]);
    put_more(&w, more, series == NULL ? &more->details.args : NULL);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void other_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    const OtherEvent *other = &trace->others[event->id];
    JsonMembers       members;
    StringView        series[2];
    bool              is_counter = strcmp(other_kind(trace, other), "counter") == 0;
    if (!is_counter || !json_members_open(view_of(&more->details.args), &members) ||
        !json_members_next(&members, &series[0], &series[1])) {
        other_line(trace, other, more, NULL, out);
        return;
    }
    do {
        other_line(trace, other, more, series, out);
    } while (json_members_next(&members, &series[0], &series[1]));
}

bool event_json_append(const Loaded *loaded, const OrderedEvent *event, Bytes *out, Err *err)
{
    static const struct {
        bool (*load)(const Loaded *loaded, uint64_t id, EventDetails *details, Err *err);
        void (*append)(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out);
    } KINDS[] = { [ORDER_SLICE] = { load_slice_details, slice_append },
                  [ORDER_INSTANT] = { load_instant_details, instant_append },
                  [ORDER_OTHER] = { load_other_details, other_append } };
    More more = { .err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE } };
    more.unreadable = !KINDS[event->kind].load(loaded, event->id, &more.details, &more.err);
    bool fatal = more.unreadable && (more.err.code == ERR_IO || more.err.code == ERR_MEMORY);
    if (fatal) {
        *err = more.err;
    } else {
        KINDS[event->kind].append(loaded->trace, event, &more, out);
    }
    bytes_release(&more.details.args);
    bytes_release(&more.details.other);
    return !fatal;
}

/* -- as text -- */

/* {"kind":"slice","pid":1} as "slice pid=1": made from the JSON, so that it cannot leave anything out. */
static void line_as_text(StringView line, Bytes *out)
{
    JsonMembers members;
    StringView  key, value;
    if (!json_members_open(line, &members)) return;
    for (bool first = true; json_members_next(&members, &key, &value); first = false) {
        if (first) {
            json_text_append(value, out);
            continue;
        }
        bytes_append_text(out, " ");
        json_text_append(key, out);
        bytes_append_text(out, "=");
        bytes_append(out, value.bytes, value.size);
    }
    bytes_append_text(out, "\n");
}

bool event_text_append(const Loaded *loaded, const OrderedEvent *event, Bytes *out, Err *err)
{
    Bytes json = { 0 };
    bool  read = event_json_append(loaded, event, &json, err);
    for (size_t at = 0; read && at < json.size;) {
        const uint8_t *end = memchr(json.data + at, '\n', json.size - at);
        size_t         size = (size_t)(end - json.data) - at;
        line_as_text((StringView){ (const char *)json.data + at, size }, out);
        at += size + 1;
    }
    if (json.failed) out->failed = true;
    bytes_release(&json);
    return read;
}
