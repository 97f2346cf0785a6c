#include "format/apitrace/apitrace.h"

#include "base/json_writer.h"
#include "base/utf8.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/capture.h"
#include "format/apitrace/details.h"
#include "format/apitrace/dump.h"
#include "format/apitrace/pending.h"
#include "format/apitrace/quick.h"
#include "format/apitrace/threads.h"
#include "format/apitrace/values.h"
#include "trace/log/observe.h"

#include <assert.h>
#include <stdio.h>

typedef struct ApiReader {
    TraceBuilder *builder; /* borrowed */
    ApiCapture   *capture; /* owned by the builder */
    Grammar       grammar;
    PendingCalls  pending;
    ApiThreads    threads;
    uint64_t      offset; /* of the next bytes for `read` */
    uint32_t      semantic_version;
    uint64_t      end_count[3]; /* events by ApiEventKind */
    bool          has_header, stopped;
    bool          equal_widths;
    const char   *api;            /* static; NULL = unknown */
    uint32_t      function_count; /* signatures examined for `api` */
    TrackId       frame_track;
    int64_t       frame_begin, last_tick;
    uint64_t      frame_count;    /* ended frames */
    uint64_t      calls_in_frame; /* calls that ended in the open frame */
    bool          out_of_memory;
} ApiReader;

/* -- labels -- */

static StringId intern(ApiReader *reader, const Bytes *text)
{
    if (text->failed) reader->out_of_memory = true;
    return builder_string(reader->builder, text->size == 0 ? "" : (const char *)text->data, text->size);
}

static StringId intern_text(ApiReader *reader, StringView text)
{
    Bytes repaired = { NULL, 0, 0, false };
    (void)utf8_append_repaired(&repaired, text.bytes, text.size);
    StringId id = intern(reader, &repaired);
    bytes_release(&repaired);
    return id;
}

static StringId category(ApiReader *reader, const char *name)
{
    return builder_string(reader->builder, name, strlen(name));
}

/* Returns the label of a function, which is made once, because the signature never changes. */
static LabelId label_of(ApiReader *reader, const FunctionSig *function, bool fake)
{
    FunctionSig *known =
        (FunctionSig *)signature_find(reader->grammar.sigs, SPACE_FUNCTION, function->id)->sig;
    uint32_t *label = fake ? &known->fake_label : &known->label;
    if (UNLIKELY(*label == 0)) {
        const char *family = fake ? "fake" : call_family_name(function->family);
        /* One by one: the order of strings must not depend on the compiler. */
        StringId family_name = category(reader, family), name = intern_text(reader, function->name);
        LabelId  plain = builder_label(reader->builder, name, family_name);
        *label = builder_colour_label(reader->builder, plain, call_family_colour(function->family)).index;
        if (reader->api == NULL) reader->api = call_api_of(function->name);
    }
    return (LabelId){ *label };
}

/* Returns the label of a marker: its last argument, or else the function's name. */
static LabelId marker_label(ApiReader *reader, const CallEvents *call, const char *what)
{
    CallParts parts = { .args = NULL };
    Bytes     text = { NULL, 0, 0, false };
    uint32_t  last = call->function->arg_count;
    bool      has_text = call_parts_of(&reader->grammar, call, &parts) && last > 0 &&
                    parts.args[last - 1].bytes != NULL &&
                    value_append_text(&reader->grammar, parts.args[last - 1], &text);
    StringId name = has_text ? intern(reader, &text) : intern_text(reader, call->function->name);
    bytes_release(&text);
    bytes_release(&parts.memory);
    return builder_label(reader->builder, name, category(reader, what));
}

/* -- frames -- */

static void end_frame(ApiReader *reader, int64_t tick, EventPos pos, unsigned flags)
{
    char name[40];
    int  size = snprintf(name, sizeof name, "Frame %llu", (unsigned long long)reader->frame_count);
    if (reader->frame_track.index == 0) {
        TraceBuilder *builder = reader->builder;
        reader->frame_track = builder_thread(builder, reader->threads.process,
                                             ident_text(builder_string(builder, "Frames", strlen("Frames"))));
        builder_name_thread(builder, reader->frame_track,
                            builder_string(builder, "Frames", strlen("Frames")));
        builder_sort_thread(builder, reader->frame_track, -1);
        builder_divide_by(builder, reader->frame_track);
    }
    /* before the name: the order of strings must not depend on the compiler */
    StringId frame = category(reader, "frame");
    LabelId  label =
        builder_label(reader->builder, builder_string(reader->builder, name, (size_t)size), frame);
    if (tick < reader->frame_begin) tick = reader->frame_begin;
    api_threads_flush(&reader->threads);
    builder_complete(reader->builder, reader->frame_track, reader->frame_begin, tick, label, pos, flags);
    reader->frame_begin = tick;
    reader->calls_in_frame = 0;
}

/* -- events -- */

/* Handles a call that begins a group or sets a marker, before its own slice begins. */
static void take_marker(ApiReader *reader, const ByteCursor *c, const ApiEvent *event, EventPos pos,
                        int64_t tick)
{
    ApiThread *thread = api_thread(&reader->threads, event->thread);
    size_t     at = (size_t)(event->details - c->origin);
    assert(event->details >= c->origin && at <= c->at && reader->capture->call_count > 0);
    CallEvents call = { .function = event->function,
                        .number = reader->capture->call_count - 1,
                        .thread = event->thread,
                        .fake = event->fake,
                        .enter = { c->bytes + at, c->at - at, event->details } };
    if (event->function->flags & CALL_PUSH) {
        LabelId label = marker_label(reader, &call, "group");
        api_thread_begin(&reader->threads, thread, OPEN_GROUP, call.number, tick, label, pos);
    } else if (!(event->function->flags & CALL_POP)) {
        api_threads_flush(&reader->threads);
        builder_instant(reader->builder, thread->track, tick, marker_label(reader, &call, "marker"),
                        INSTANT_THREAD, pos, EVENT_DETAILS);
    }
}

static void take_enter(ApiReader *reader, const ByteCursor *c, const ApiEvent *event, EventPos pos)
{
    assert(reader->capture->call_count > 0);
    ApiThread *thread = api_thread(&reader->threads, event->thread);
    if (thread == NULL) return;
    uint64_t number = reader->capture->call_count - 1;
    int64_t  tick = (int64_t)(reader->equal_widths ? number : pos.event);
    thread->last_call = number;
    if (UNLIKELY(event->function->flags & CALL_MARKER)) take_marker(reader, c, event, pos, tick);
    LabelId label = label_of(reader, event->function, event->fake);
    api_thread_begin(&reader->threads, thread, OPEN_CALL, number, tick, label, pos);
    reader->last_tick = tick;
    PendingCall *call = pending_add(&reader->pending);
    if (call == NULL) {
        reader->out_of_memory = true;
        return;
    }
    call->events.function =
        event->function; /* one by one: clearing all of it takes as long as reading a call */
    call->events.number = number;
    call->events.thread = event->thread;
    call->end = cursor_offset(c);
    call->has_left = false;
    call->copy = NULL;
}

static void take_leave(ApiReader *reader, const ApiEvent *event, EventPos pos)
{
    const PendingCall *call = pending_take(&reader->pending, event->call);
    if (call == NULL) {
        builder_warn(reader->builder, "unknown-return", pos,
                     "call %llu returns, and has not begun: its return is left out",
                     (unsigned long long)event->call);
        return;
    }
    ApiThread *thread = api_thread(&reader->threads, call->events.thread);
    if (thread == NULL) return;
    int64_t tick = (int64_t)(reader->equal_widths ? thread->last_call + 1 : pos.event);
    assert(event->offset >= call->end);
    bool     is_near = event->offset - call->end <= LEAVE_NEAR_BYTES;
    unsigned flags = is_near ? 0 : EVENT_DETAILS;
    uint32_t call_flags = call->events.function->flags;
    if (!api_thread_end(&reader->threads, thread, event->call, tick, pos, flags)) {
        builder_warn(reader->builder, "overlapping-calls", pos,
                     "call %llu returns before calls that it made: they end with it",
                     (unsigned long long)event->call);
    }
    if (UNLIKELY(call_flags & CALL_POP) && !api_thread_end_group(&reader->threads, thread, tick, pos)) {
        builder_warn(reader->builder, "unmatched-pop", pos, "a debug group is closed, and none is open");
    }
    reader->last_tick = tick;
    reader->calls_in_frame++;
    if (UNLIKELY(call_flags & CALL_END_FRAME)) {
        end_frame(reader, tick, pos, 0);
        reader->frame_count++;
    }
}

static void take_message(ApiReader *reader, EventPos pos)
{
    ApiThread *thread = api_thread(&reader->threads, 0);
    if (thread == NULL) return;
    StringId name = builder_string(reader->builder, "message", strlen("message"));
    builder_instant(reader->builder, thread->track, (int64_t)pos.event,
                    builder_label(reader->builder, name, category(reader, "marker")), INSTANT_THREAD, pos,
                    EVENT_DETAILS);
}

static void take_event(ApiReader *reader, const ByteCursor *c, const ApiEvent *event)
{
    assert((size_t)event->kind < sizeof reader->end_count / sizeof reader->end_count[0]);
    EventPos pos = { event->offset, reader->capture->event_count };
    if (!capture_add_event(reader->capture, event->kind == EVENT_ENTER ? CAPTURE_ENTER : CAPTURE_OTHER)) {
        reader->out_of_memory = true;
        return;
    }
    reader->end_count[event->kind]++;
    if (event->kind == EVENT_ENTER) {
        take_enter(reader, c, event, pos);
    } else if (event->kind == EVENT_LEAVE) {
        take_leave(reader, event, pos);
    } else {
        take_message(reader, pos);
    }
}

/* -- the header -- */

static void put_property(ApiReader *reader, StringView name, StringView value)
{
    Bytes      json = { NULL, 0, 0, false };
    JsonWriter writer = json_writer_to(&json, 0);
    json_string_bytes(&writer, value);
    if (json.failed) {
        reader->out_of_memory = true;
    } else {
        builder_property(reader->builder, intern_text(reader, name), (const char *)json.data, json.size);
    }
    bytes_release(&json);
    if (!string_equal(name, STRING_LITERAL("process.name"))) return;
    size_t from = value.size;
    while (from > 0 && value.bytes[from - 1] != '/' && value.bytes[from - 1] != '\\')
        from--;
    builder_name_process(reader->builder, reader->threads.process,
                         intern_text(reader, (StringView){ value.bytes + from, value.size - from }));
}

static bool read_header(ApiReader *reader, ByteCursor *c)
{
    assert(!reader->has_header);
    Grammar   *g = &reader->grammar;
    ApiHeader  header;
    StringView name, value;
    ByteCursor start = *c;
    if (!api_header(g, c, &header)) return false;
    ByteCursor properties = start;
    properties.at = (size_t)(header.properties - start.origin);
    while (header.version == API_VERSION_MOST && api_property(g, &properties, &name, &value))
        put_property(reader, name, value);
    reader->semantic_version = header.semantic_version;
    reader->capture->version = header.version;
    reader->threads.whole = header.version < 4;
    reader->threads.at_once = builder_is_observed(reader->builder);
    char text[8];
    (void)snprintf(text, sizeof text, "%u", (unsigned)header.version);
    builder_set_version(reader->builder, text);
    reader->has_header = true;
    return true;
}

/* -- the end -- */

static void report_capture(ApiReader *reader, uint64_t left)
{
    assert(reader->pending.count >= reader->pending.left);
    static const char *const KINDS[] = { "enter", "leave", "message" };
    TraceBuilder            *builder = reader->builder;
    Bytes                    json = { NULL, 0, 0, false };
    JsonWriter               w = json_writer_to(&json, 0);
    const Signatures        *sigs = &reader->capture->sigs;
    json_object_begin(&w);
    json_put_string(&w, "api", reader->api == NULL ? "Unknown API" : reader->api);
    json_put_u64(&w, "semantic_version", reader->semantic_version);
    json_put_u64(&w, "calls", reader->capture->call_count);
    json_put_u64(&w, "incomplete", reader->pending.count - reader->pending.left);
    json_put_u64(&w, "frames", reader->frame_count);
    json_put_u64(&w, "threads", reader->threads.all.count);
    json_put_u64(&w, "functions", sigs->counts[SPACE_FUNCTION]);
    json_put_u64(&w, "stream_bytes", reader->offset + left);
    json_object_end(&w);
    if (json.failed) {
        reader->out_of_memory = true;
    } else {
        builder_property(builder, builder_string(builder, "capture", strlen("capture")),
                         (const char *)json.data, json.size);
    }
    bytes_release(&json);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (reader->end_count[i] > 0)
            builder_count_events(builder, builder_event_kind(builder, KINDS[i], strlen(KINDS[i])),
                                 reader->end_count[i]);
    }
}

static bool end_input(ApiReader *reader, uint64_t left, Err *err)
{
    EventPos pos = { reader->offset, reader->capture->event_count };
    if (!reader->has_header)
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "the header of an apitrace capture is not there");
    if (left > 0 && !reader->stopped) {
        builder_warn(reader->builder, "truncated-event", pos, "the last event is cut short after %llu bytes",
                     (unsigned long long)left);
        builder_set_incomplete(reader->builder);
    }
    api_threads_finish(&reader->threads);
    for (size_t i = 0; i < reader->pending.count; i++) { /* they are last in the order of calls */
        const PendingCall *call = &reader->pending.items[i];
        if (call->has_left) continue;
        reader->calls_in_frame++;
        if (!(call->events.function->flags & CALL_END_FRAME)) continue;
        end_frame(reader, reader->last_tick, pos, EVENT_NO_END);
        reader->frame_count++;
    }
    if (reader->calls_in_frame > 0) end_frame(reader, reader->last_tick, pos, EVENT_NO_END);
    report_capture(reader, left);
    return true;
}

/* -- the reader -- */

static void *apitrace_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    ApiReader  *reader = ARENA_NEW(arena, ApiReader);
    ApiCapture *capture = reader == NULL ? NULL : capture_create();
    if (capture == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    builder_keep(builder, capture, capture_release);
    reader->builder = builder;
    reader->capture = capture;
    reader->grammar.sigs = &capture->sigs;
    reader->pending.arena = arena;
    reader->threads.arena = arena;
    reader->threads.builder = builder;
    reader->threads.process = builder_process(builder, (Ident){ .kind = IDENT_NONE });
    builder_set_rules(builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    builder_set_ties(builder, TIES_EARLIER_OUTSIDE);
    builder_set_clock(builder, (Clock){ .kind = CLOCK_EVENTS, .ns_num = 1, .ns_den = 1 });
    return reader;
}

static void apitrace_configure(void *state, const ReadContext *context)
{
    ApiReader *reader = (ApiReader *)state;
    reader->equal_widths = reader->capture->equal_widths = context->widths == WIDTHS_OF_CALLS;
    if (reader->equal_widths)
        builder_set_clock(reader->builder, (Clock){ .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 });
}

static void stop(ApiReader *reader)
{
    EventPos pos = { reader->grammar.fault_offset, reader->capture->event_count };
    reader->stopped = true;
    builder_set_incomplete(reader->builder);
    builder_warn(reader->builder, "corrupt-stream", pos, "%s: nothing behind it can be read",
                 reader->grammar.fault);
}

/* -- fast path: calls that return at once, which is the usual case -- */

/* Reads an ENTER and its function. Returns the begin of its details; NULL = it is not of the usual form. */
static ALWAYS_INLINE const uint8_t *usual_enter(const ApiReader *reader, const ByteCursor *c,
                                                const uint8_t *at, const FunctionSig **function,
                                                uint32_t *thread)
{
    const unsigned thread_size = quick_number_size(at + 1);
    const uint8_t *id_at = at + 1 + thread_size;
    const unsigned id_size = quick_number_size(id_at);
    if (at[0] != EVENT_ENTER || thread_size - 1 > 1 || id_size - 1 > 1) return NULL;
    const SigEntry *entry =
        signature_find(reader->grammar.sigs, SPACE_FUNCTION, quick_number(id_at, id_size));
    if (entry == NULL || entry->id_end == c->origin + (uint64_t)(id_at + id_size - c->bytes)) return NULL;
    *function = (const FunctionSig *)entry->sig;
    *thread = quick_number(at + 1, thread_size);
    return id_at + id_size;
}

/* Returns the begin of the details if the event is the LEAVE of call `number`; else NULL. */
static ALWAYS_INLINE const uint8_t *usual_leave(const uint8_t *at, uint64_t number)
{
    const unsigned size = quick_number_size(at + 1);
    if (at[0] != EVENT_LEAVE || size - 1 > 3 || quick_number(at + 1, size) != number) return NULL;
    return at + 1 + size;
}

/* Returns the end of the details at `at` if they are of the usual form and QUICK_ROOM bytes follow; else NULL. */
static ALWAYS_INLINE const uint8_t *usual_details(const ApiReader *reader, const ByteCursor *c,
                                                  const uint8_t *at)
{
    ByteCursor ahead = *c;
    ahead.at = (size_t)(at - c->bytes);
    quick_details(&reader->grammar, &ahead);
    at = ahead.bytes + ahead.at;
    return ahead.size - ahead.at > QUICK_ROOM && at[0] == DETAIL_END ? at + 1 : NULL;
}

/* Takes both events of the call at the cursor, with the same result as take_enter and take_leave. False, without
 * effect, unless the call is simple: its function is known and not special, and it returns before any other event. */
static bool take_usual_call(ApiReader *reader, ByteCursor *c)
{
    enum { SPECIAL = CALL_MARKER | CALL_PUSH | CALL_POP | CALL_END_FRAME, THREADS_SINCE = 4 };
    ApiCapture        *capture = reader->capture;
    const uint8_t     *enter = c->bytes + c->at, *leave, *behind;
    const FunctionSig *function;
    uint32_t           thread_id;
    if (c->size - c->at < 2 * QUICK_ROOM || capture->version < THREADS_SINCE) return false;
    if (UNLIKELY(reader->threads.at_once)) return false; /* an observer of the ENTER must not see the LEAVE */
    const uint8_t *details = usual_enter(reader, c, enter, &function, &thread_id);
    if (details == NULL || (function->flags & SPECIAL) != 0 || function->label == 0) return false;
    const uint64_t number = capture->call_count;
    leave = usual_details(reader, c, details);
    if (leave == NULL || (details = usual_leave(leave, number)) == NULL) return false;
    if ((behind = usual_details(reader, c, details)) == NULL) return false;

    ApiThread     *thread = api_thread(&reader->threads, thread_id);
    const EventPos begin = { c->origin + c->at, capture->event_count };
    const EventPos end = { c->origin + (uint64_t)(leave - c->bytes), capture->event_count + 1 };
    const int64_t  tick = (int64_t)(reader->equal_widths ? number : begin.event);
    if (thread == NULL || !capture_add_event(capture, CAPTURE_ENTER) ||
        !capture_add_event(capture, CAPTURE_OTHER)) {
        reader->out_of_memory = true;
        return false;
    }
    thread->last_call = number;
    api_thread_call(&reader->threads, thread, tick, (LabelId){ function->label }, begin, end);
    reader->end_count[EVENT_ENTER]++;
    reader->end_count[EVENT_LEAVE]++;
    reader->last_tick = tick + 1;
    reader->calls_in_frame++;
    c->at = (size_t)(behind - c->bytes);
    return true;
}

/* Reads the events at the start of `bytes`. Returns the bytes used. */
static size_t read_events(ApiReader *reader, const uint8_t *bytes, size_t size)
{
    ByteCursor c = cursor_over(bytes, size, reader->offset);
    size_t     at = 0;
    if (!reader->has_header) {
        if (read_header(reader, &c)) at = c.at;
    }
    while (reader->has_header && at < size && !reader->out_of_memory) {
        ApiEvent event;
        if (LIKELY(take_usual_call(reader, &c))) {
            at = c.at;
            continue;
        }
        if (UNLIKELY(!api_event(&reader->grammar, &c, &event))) break;
        take_event(reader, &c, &event);
        at = c.at;
    }
    api_threads_flush(&reader->threads);
    return at;
}

static bool apitrace_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                          Err *err)
{
    ApiReader *reader = (ApiReader *)state;
    *used = reader->stopped ? size : read_events(reader, bytes, size);
    reader->offset += *used;
    if (reader->grammar.fault != NULL && !reader->stopped) {
        if (!reader->has_header) return api_header_refuse(&reader->grammar, bytes, size, err);
        stop(reader);
        *used = size;
    }
    bool no_memory = reader->out_of_memory || reader->threads.out_of_memory || reader->grammar.out_of_memory;
    if (no_memory) return err_set(err, ERR_MEMORY, "out of memory");
    return input != INPUT_ENDS || end_input(reader, size - *used, err);
}

const FormatReader APITRACE_READER = {
    .name = "apitrace",
    .spec = "apitrace, docs/FORMAT.markdown and lib/trace, versions 0 to 6 (January 2026)",
    .about = "Captures of OpenGL, OpenGL ES and Direct3D calls by apitrace. Usual name: *.trace.\n"
             "A capture has no times: its axis counts events, or calls with --axis=calls.",
    .probe = api_probe,
    .open = apitrace_open,
    .read = apitrace_read,
    .details = apitrace_details,
    .configure = apitrace_configure,
    .text = apitrace_dump,
};
