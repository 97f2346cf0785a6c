#include "export/event_json.h"

#include "base/json_members.h"
#include "export/event_kind.h"
#include "export/info.h"
#include "trace/store/flows.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* -- pieces -- */

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

/* Writes pid and tid of a track, as far as the track has them. */
static void put_thread(JsonWriter *w, const Trace *trace, uint32_t track)
{
    if (track == TRACK_NONE.index) return;
    uint32_t process = trace->tracks[track].process.index;
    if (process != PROCESS_NONE.index) put_ident(w, trace, "pid", trace->processes[process].pid);
    put_ident(w, trace, "tid", track_tid(&trace->tracks[track]));
}

static void put_text(JsonWriter *w, const Trace *trace, const char *key, StringId text)
{
    StringView view = trace_string(trace, text);
    if (view.size > 0) json_put_view(w, key, view);
}

static void put_tick(JsonWriter *w, const Trace *trace, const char *key, int64_t tick)
{
    json_key(w, key);
    info_write_tick(w, &trace->clock, tick);
}

static void put_raw(JsonWriter *w, const char *key, StringView json)
{
    if (json.size == 0) return;
    json_put_raw(w, key, json.bytes, json.size);
}

static void put_flag(JsonWriter *w, const char *key, bool set)
{
    if (set) json_put_bool(w, key, true);
}

/* Data of an event that is not in a column. */
typedef struct More {
    EventJson          *json;
    const EventDetails *details;
    bool                unreadable;
    Err                 err; /* the reason if the details cannot be read */
} More;

/* Writes name and cat. Many events share a label, so its escaped text is cached. */
static void put_label(JsonWriter *w, const More *more, uint32_t label)
{
    const Trace *trace = more->json->trace;
    StringView  *members = &more->json->labels[label];
    if (members->bytes == NULL) {
        Bytes      text = { 0 };
        JsonWriter object = json_writer_to(&text, 0);
        json_object_begin(&object);
        put_text(&object, trace, "name", trace->labels[label].name);
        put_text(&object, trace, "cat", trace->labels[label].category);
        json_object_end(&object);
        if (!text.failed) {
            members->bytes = arena_push_copy(more->json->arena, text.data + 1, text.size - 2);
            members->size = members->bytes == NULL ? 0 : text.size - 2;
        }
        bytes_release(&text);
    }
    if (members->bytes == NULL) w->out->failed = true;
    json_raw_members(w, members->bytes, members->size);
}

/* Begins the line of an event of a thread, on a track with this name. Most events have the head of an earlier one, so
 * its text is cached. */
static void begin_line(JsonWriter *w, const More *more, const char *kind, uint32_t thread, StringId track)
{
    const Trace *trace = more->json->trace;
    LineHead    *head = &more->json->heads[(thread + (uintptr_t)kind) % LINE_HEADS];
    json_object_begin(w);
    if (UNLIKELY(head->kind != kind || head->thread != thread || head->track.index != track.index)) {
        bytes_clear(&head->members);
        JsonWriter object = json_writer_to(&head->members, 0);
        json_object_begin(&object);
        json_put_string(&object, "kind", kind);
        put_thread(&object, trace, thread);
        put_text(&object, trace, "track", track);
        json_object_end(&object);
        head->kind = head->members.failed ? NULL : kind;
        head->thread = thread;
        head->track = track;
        w->out->failed |= head->members.failed;
    }
    if (head->kind != NULL) json_raw_members(w, (const char *)head->members.data + 1, head->members.size - 2);
}

static void write_stack(JsonWriter *w, const Trace *trace, StackId stack)
{
    json_array_begin(w);
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StackFrame *frame = trace_stack_frame(trace, stack);
        json_object_begin(w);
        put_text(w, trace, "function", frame->function);
        put_text(w, trace, "module", frame->module);
        put_text(w, trace, "file", frame->file);
        if (frame->line != 0) json_put_u64(w, "line", frame->line);
        if (frame->column != 0) json_put_u64(w, "column", frame->column);
        if (frame->address != 0) json_put_u64(w, "address", frame->address);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes a stack. Many events share a stack, so its text is cached, unless there are many deep stacks. */
static void put_stack(JsonWriter *w, const More *more, const char *key, StackId stack)
{
    enum { MOST_KEPT = 64 << 20 };
    EventJson  *json = more->json;
    StringView *list = &json->stacks[stack.index];
    if (stack.index == 0) return;
    json_key(w, key);
    if (list->bytes == NULL && json->stack_bytes < MOST_KEPT) {
        Bytes      text = { 0 };
        JsonWriter frames = json_writer_to(&text, 0);
        write_stack(&frames, json->trace, stack);
        if (!text.failed) list->bytes = arena_push_copy(json->arena, text.data, text.size);
        list->size = list->bytes == NULL ? 0 : text.size;
        json->stack_bytes += list->size;
        bytes_release(&text);
    }
    if (list->bytes == NULL) {
        write_stack(w, json->trace, stack);
    } else {
        json_raw(w, list->bytes, list->size);
    }
}

/* Writes args (unless another value replaces them) and other, which are last. */
static void put_more(JsonWriter *w, const More *more, const Bytes *args)
{
    char text[256];
    if (args != NULL) put_raw(w, "args", bytes_view(args));
    put_raw(w, "other", bytes_view(&more->details->other));
    if (!more->unreadable) return;
    (void)err_format(&more->err, text, sizeof text);
    json_put_string(w, "details_error", text);
}

/* Writes the phase of an old-style asynchronous event: nestable events make the same slices. */
static void put_old_phase(JsonWriter *w, const More *more)
{
    if (more->details->old_phase != '\0')
        json_put_view(w, "event", (StringView){ &more->details->old_phase, 1 });
}

/* -- the kinds -- */

static const char *slice_kind(TrackKind kind)
{
    if (kind == TRACK_STATES) return "state";
    return kind == TRACK_ASYNC ? "async" : "slice";
}

static void slice_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    const Row *row = &trace->rows[event->row];
    uint8_t    flags = trace_slice_flags(trace, event->id);
    int64_t    begin = trace_slice_begin(trace, event->id);
    assert(event->id >= row->first_slice && event->id < row->first_slice + row->slice_count);
    JsonWriter w = json_writer_to(out, 0);
    begin_line(&w, more, slice_kind(trace->tracks[row->track].kind),
               trace_row_slice_thread(trace, event->row, event->id), trace->tracks[row->track].name);
    put_label(&w, more, trace_slice_label(trace, event->id));
    put_old_phase(&w, more);
    put_tick(&w, trace, "begin_tick", begin);
    put_tick(&w, trace, "end_tick", trace_slice_end_from(trace, event->id, begin));
    json_put_u64(&w, "depth", row->depth);
    if (row->lane > 0) json_put_u64(&w, "lane", row->lane);
    json_put_u64(&w, "self_ticks",
                 trace_slice_self_from(trace, event->row, event->id, &more->json->children[event->row]));
    uint64_t cpu_ns;
    if (trace_slice_cpu(trace, event->id, &cpu_ns)) json_put_u64(&w, "cpu_ns", cpu_ns);
    put_flag(&w, "unfinished", (flags & SLICE_UNFINISHED) != 0);
    put_flag(&w, "no_end", (flags & SLICE_NO_END) != 0);
    put_flag(&w, "repaired", (flags & SLICE_REPAIRED) != 0);
    put_stack(&w, more, "stack", trace_slice_stack(trace, event->id));
    put_stack(&w, more, "end_stack", trace_slice_end_stack(trace, event->id));
    put_more(&w, more, &more->details->args);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void instant_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    static const char *const SCOPES[] = {
        [INSTANT_THREAD] = "t", [INSTANT_PROCESS] = "p", [INSTANT_GLOBAL] = "g"
    };
    uint32_t thread = trace_instant_thread(trace, event->id);
    assert(trace_has_instant(trace, event->id) && thread <= trace->track_count);
    JsonWriter w = json_writer_to(out, 0);
    begin_line(&w, more, "instant", thread == TRACK_NONE.index ? trace->rows[event->row].track : thread,
               STRING_NONE);
    put_label(&w, more, trace_instant_label(trace, event->id));
    put_old_phase(&w, more);
    json_put_string(&w, "scope", SCOPES[trace_instant_scope(trace, event->id)]);
    put_tick(&w, trace, "tick", trace_instant_tick(trace, event->id));
    put_stack(&w, more, "stack", trace_instant_stack(trace, event->id));
    put_more(&w, more, &more->details->args);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static const char *other_kind(const Trace *trace, const OtherEvent *other)
{
    if (other->is_metadata) return "metadata";
    return event_kind_name(trace->source.format_name,
                           trace_string(trace, trace->records.event_kinds[other->kind].name));
}

/* Appends one line. A counter's series (key with quotes, value) replaces its args. */
static void other_line(const Trace *trace, const OtherEvent *other, const More *more,
                       const StringView series[2], Bytes *out)
{
    const char *kind = other_kind(trace, other);
    JsonWriter  w = json_writer_to(out, 0);
    begin_line(&w, more, kind, other->thread, STRING_NONE);
    put_label(&w, more, other->label);
    if (strcmp(kind, "counter") != 0)
        json_put_view(&w, "event", trace_string(trace, trace->records.event_kinds[other->kind].name));
    if (series != NULL) put_raw(&w, "series", series[0]);
    if (other->has_tick) put_tick(&w, trace, "tick", other->tick);
    if (series != NULL) put_raw(&w, "value", series[1]);
    put_more(&w, more, series == NULL ? &more->details->args : NULL);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void other_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    const OtherEvent *other = &trace->records.others[event->id];
    JsonMembers       members;
    StringView        series[2];
    bool              is_counter = strcmp(other_kind(trace, other), "counter") == 0;
    if (!is_counter || !json_members_open(bytes_view(&more->details->args), &members) ||
        !json_members_next(&members, &series[0], &series[1])) {
        other_line(trace, other, more, NULL, out);
        return;
    }
    do {
        other_line(trace, other, more, series, out);
    } while (json_members_next(&members, &series[0], &series[1]));
}

/* Appends a counter value without a raw event. A gap has the value null. */
static void value_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    const Row   *row = &trace->rows[event->row];
    const Track *track = &trace->tracks[row->track];
    const double value = trace_value(trace, event->id);
    JsonWriter   w = json_writer_to(out, 0);
    begin_line(&w, more, "counter", row->track, STRING_NONE);
    put_text(&w, trace, "name", track->name);
    put_text(&w, trace, "cat", track_extras(track)->category);
    put_text(&w, trace, "series", trace->series[row_extras(row)->series].name);
    put_tick(&w, trace, "tick", trace_value_tick(trace, event->id));
    if (isnan(value))
        json_put_null(&w, "value");
    else
        json_put_double(&w, "value", value);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

/* Appends one end of a flow without a raw event, as an event `s` or `f`; both have the number of the flow. */
static void flow_append(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out)
{
    assert(event->id < trace_flow_count(trace));
    const bool     is_from = event->kind == ORDER_FLOW_FROM;
    const FlowEnd  end = trace_flow_end(trace, event->id, is_from ? FLOW_FROM : FLOW_TO);
    const uint32_t thread = end.slice == FLOW_NO_SLICE ? end.track : trace_slice_thread(trace, end.slice);
    JsonWriter     w = json_writer_to(out, 0);
    begin_line(&w, more, "flow", thread, STRING_NONE);
    put_label(&w, more, trace_flow_label(trace, event->id));
    json_put_string(&w, "event", is_from ? "s" : "f");
    put_tick(&w, trace, "tick", end.tick);
    json_put_object(&w, "other");
    json_put_u64(&w, "id", event->id);
    json_object_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

bool event_json_append(EventJson *json, const OrderedEvent *event, Bytes *out, Err *err)
{
    static const struct {
        bool (*load)(DetailReader *reader, uint64_t id, EventDetails *details, Err *err);
        void (*append)(const Trace *trace, const OrderedEvent *event, const More *more, Bytes *out);
    } KINDS[] = { [ORDER_SLICE] = { detail_reader_slice, slice_append },
                  [ORDER_INSTANT] = { detail_reader_instant, instant_append },
                  [ORDER_OTHER] = { detail_reader_other, other_append },
                  [ORDER_VALUE] = { NULL, value_append },
                  [ORDER_FLOW_FROM] = { NULL, flow_append },
                  [ORDER_FLOW_TO] = { NULL, flow_append } };
    More more = { .json = json, .details = &json->details };
    if (KINDS[event->kind].load != NULL)
        more.unreadable = !KINDS[event->kind].load(json->reader, event->id, &json->details, &more.err);
    if (more.unreadable && (more.err.code == ERR_IO || more.err.code == ERR_MEMORY)) {
        *err = more.err;
        return false;
    }
    KINDS[event->kind].append(json->trace, event, &more, out);
    return true;
}

bool event_json_open(EventJson *json, const Loaded *loaded, Arena *arena)
{
    *json =
        (EventJson){ .trace = loaded->trace,
                     .arena = arena,
                     .reader = detail_reader_create(arena, loaded),
                     .labels = ARENA_ARRAY(arena, StringView, (size_t)loaded->trace->label_count + 1),
                     .stacks = ARENA_ARRAY(arena, StringView, (size_t)loaded->trace->stacks.stack_count + 1),
                     .heads = ARENA_ARRAY(arena, LineHead, LINE_HEADS),
                     .children = ARENA_ARRAY(arena, uint32_t, (size_t)loaded->trace->row_count + 1) };
    return json->reader != NULL && json->labels != NULL && json->stacks != NULL && json->heads != NULL &&
           json->children != NULL;
}

void event_json_close(EventJson *json)
{
    detail_reader_release(json->reader);
    for (size_t i = 0; json->heads != NULL && i < LINE_HEADS; i++)
        bytes_release(&json->heads[i].members);
    bytes_release(&json->details.args);
    bytes_release(&json->details.other);
}
