#include "format/apitrace/details.h"

#include "format/apitrace/call_flags.h"
#include "format/apitrace/capture.h"
#include "format/apitrace/search.h"
#include "format/apitrace/text.h"
#include "format/apitrace/values.h"

#include <stdio.h>

static StreamBytes bytes_of(const EventBytes *event, const ApiEvent *decoded, const ByteCursor *behind)
{
    size_t at = (size_t)(decoded->details - event->offset);
    return (StreamBytes){ event->bytes + at, behind->at - at, decoded->details };
}

/* Finds the return of the call in the LEAVE_NEAR_BYTES after its begin, where `c` is. Without a return there, or before
 * the end or damage of the stream, the call is taken as one that never returns. False when more bytes are needed. */
static bool find_leave(Grammar *g, const EventBytes *begin, ByteCursor *c, CallEvents *call)
{
    uint64_t enter_end = cursor_offset(c);
    while (cursor_offset(c) - enter_end <= LEAVE_NEAR_BYTES) {
        ApiEvent event;
        if (!api_event(g, c, &event))
            return g->fault != NULL || begin->ends_input || cursor_offset(c) - enter_end > LEAVE_NEAR_BYTES;
        if (event.kind != EVENT_LEAVE || event.call != call->number) continue;
        call->leave = bytes_of(begin, &event, c);
        call->fake = call->fake || event.fake;
        return true;
    }
    return true;
}

/* Finds both events of the call. `is_last`: no event was read after the begin. */
static bool read_events(Grammar *g, const EventBytes *begin, const EventBytes *end, bool is_last,
                        CallEvents *call, Err *err)
{
    ByteCursor c = cursor_over(begin->bytes, begin->size, begin->offset);
    ApiEvent   enter, leave;
    if (!api_event(g, &c, &enter)) goto failed;
    if (enter.kind == EVENT_MESSAGE) return true;
    if (enter.kind != EVENT_ENTER)
        return err_set_at(err, ERR_CORRUPT, begin->offset, ERR_NOWHERE, "no call begins here");
    call->function = enter.function;
    call->thread = enter.thread;
    call->fake = enter.fake;
    call->enter = bytes_of(begin, &enter, &c);
    if (is_last && end->bytes == NULL) return true;
    if (end->bytes == NULL) {
        if (find_leave(g, begin, &c, call)) {
            g->fault = NULL; /* the damage is after the call */
            return true;
        }
        goto failed;
    }
    c = cursor_over(end->bytes, end->size, end->offset);
    if (!api_event(g, &c, &leave)) goto failed;
    call->leave = bytes_of(end, &leave, &c);
    call->fake = call->fake || leave.fake;
    return true;
failed:
    if (g->fault != NULL) return err_set_at(err, ERR_CORRUPT, g->fault_offset, ERR_NOWHERE, "%s", g->fault);
    return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the call is cut short");
}

/* -- as JSON -- */

static void write_args(const CallEvents *call, const CallParts *parts, ValueWriter *v)
{
    json_object_begin(v->out);
    for (uint32_t i = 0; i < parts->arg_count; i++) {
        char       made_up[16];
        bool       is_declared = i < call->function->arg_count;
        StringView name = { made_up, 0 };
        if (!is_declared && parts->args[i].bytes == NULL) continue;
        if (is_declared) {
            name = call->function->args[i];
        } else {
            name.size = (size_t)snprintf(made_up, sizeof made_up, "arg%u", (unsigned)i);
        }
        if (parts->args[i].bytes == NULL) {
            json_key_bytes(v->out, name);
            json_string(v->out, "?"); /* the argument is absent */
        } else {
            value_write(v, name, parts->args[i]);
        }
    }
    if (parts->result.bytes != NULL) value_write(v, STRING_LITERAL("return"), parts->result);
    json_object_end(v->out);
}

static void write_backtrace(Grammar *g, ByteCursor c, JsonWriter *w)
{
    uint64_t count = api_uint(g, &c);
    json_put_array(w, "backtrace");
    for (uint64_t i = 0; i < count && !api_failed(g, &c); i++) {
        const FrameSig *frame = (const FrameSig *)api_signature(g, &c, SPACE_FRAME);
        if (frame == NULL) break;
        json_object_begin(w);
        if (frame->module.bytes != NULL) json_put_view(w, "module", frame->module);
        if (frame->function.bytes != NULL) json_put_view(w, "function", frame->function);
        if (frame->has_offset) json_put_u64(w, "offset", frame->offset);
        if (frame->file.bytes != NULL) json_put_view(w, "file", frame->file);
        if (frame->has_line) json_put_u64(w, "line", frame->line);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_flags(uint32_t flags, JsonWriter *w)
{
    const char *name;
    uint32_t    flag;
    if (flags == 0) return;
    json_put_array(w, "flags");
    for (size_t i = 0; (name = call_flag_name(i, &flag)) != NULL; i++) {
        if (flags & flag) json_string(w, name);
    }
    json_array_end(w);
}

static void write_other(const CallEvents *call, const CallParts *parts, ValueWriter *v, JsonWriter *w)
{
    Grammar *g = v->g;
    json_object_begin(w);
    json_put_u64(w, "call", call->number);
    write_flags(call_flags(g, call, parts), w);
    if (call->leave.bytes == NULL) json_put_bool(w, "incomplete", true);
    if (parts->backtrace.bytes != NULL) write_backtrace(g, parts->backtrace, w);
    value_notes_put(v, w);
    json_object_end(w);
}

/* Writes the details as JSON. False when out of memory. */
static bool write_details(Grammar *g, const CallEvents *call, const CallParts *parts, EventDetails *details)
{
    JsonWriter  args = json_writer_to(&details->args, 0), other = json_writer_to(&details->other, 0);
    ValueWriter values = {
        .g = g, .out = &args, .blob_rule = details->blob_rule, .blob_wanted = details->blob_wanted
    };
    write_args(call, parts, &values);
    write_other(call, parts, &values, &other);
    if (values.blob.size > 0) bytes_append(&details->blob, values.blob.bytes, values.blob.size);
    value_writer_release(&values);
    return !details->args.failed && !details->other.failed && !details->blob.failed;
}

static bool write_message(Grammar *g, const EventBytes *begin, EventDetails *details, Err *err)
{
    ByteCursor c = cursor_over(begin->bytes, begin->size, begin->offset);
    (void)cursor_u8(&c);
    StringView text = api_string(g, &c);
    JsonWriter w = json_writer_to(&details->args, 0);
    json_object_begin(&w);
    json_put_view(&w, "message", text);
    json_object_end(&w);
    return !details->args.failed || err_set(err, ERR_MEMORY, "out of memory");
}

bool apitrace_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                      EventDetails *details, Err *err)
{
    const ApiCapture *capture = (const ApiCapture *)trace->source.kept;
    if (begin->bytes == NULL || capture == NULL)
        return err_set(err, ERR_CORRUPT, "the call's begin is not known");
    Signatures *sigs = (Signatures *)(uintptr_t)&capture->sigs; /* DEFINE_NONE does not change it */
    Grammar     g = { .sigs = sigs, .version = capture->version, .rule = DEFINE_NONE };
    CallEvents  call = { .number = capture_call_at(capture, begin->tick) };
    CallParts   parts = { .args = NULL };
    bool        is_last = call.number + 1 == capture->call_count &&
                   capture_event_of(capture, call.number) + 1 == capture->event_count;
    if (!read_events(&g, begin, end, is_last, &call, err)) return false;
    if (call.function == NULL) return write_message(&g, begin, details, err);
    bool done = call_parts_of(&g, &call, &parts);
    if (done && (details->test == NULL || call_may_hold(&g, &call, &parts, details->test))) {
        done = write_details(&g, &call, &parts, details);
    }
    bytes_release(&parts.memory);
    return done || err_set(err, ERR_MEMORY, "out of memory for a call's arguments");
}
