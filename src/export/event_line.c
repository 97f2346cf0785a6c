#include "export/event_line.h"

#include "base/json_writer.h"
#include "export/event_kind.h"

#include <string.h>

/* Appends " key=". */
static inline void put_key(Bytes *out, const char *key)
{
    const size_t size = strlen(key);
    char        *room = (char *)bytes_reserve(out, size + 2);
    if (room == NULL) return;
    room[0] = ' ';
    memcpy(room + 1, key, size);
    room[size + 1] = '=';
    bytes_grow(out, size + 2);
}

static inline void put_number(Bytes *out, const char *key, uint64_t value)
{
    put_key(out, key);
    bytes_append_u64(out, value);
}

static void put_string(Bytes *out, const char *key, StringView text)
{
    put_key(out, key);
    JsonWriter w = json_writer_to(out, 0);
    json_string_bytes(&w, text);
}

static inline void put_ident(Bytes *out, const Trace *trace, const char *key, Ident ident)
{
    if (ident.kind == IDENT_TEXT) {
        put_string(out, key, trace_string(trace, (StringId){ (uint32_t)ident.bits }));
    } else if (ident.kind == IDENT_INT && (int64_t)ident.bits < 0) {
        JsonWriter w = json_writer_to(out, 0);
        put_key(out, key);
        json_i64(&w, (int64_t)ident.bits);
    } else if (ident.kind != IDENT_NONE) {
        put_number(out, key, ident.bits);
    }
}

/* Appends pid and tid. Most events have the thread of the event before, so the text is cached. */
static void put_thread(EventLines *lines, Bytes *out, const ObservedRecord *record)
{
    const TrackId thread = record->event->thread;
    if (lines->thread.index != thread.index) {
        const ObservedIds ids = observed_ids(record->builder, thread);
        bytes_clear(&lines->ids);
        put_ident(&lines->ids, &lines->so_far, "pid", ids.pid);
        put_ident(&lines->ids, &lines->so_far, "tid", ids.tid);
        lines->thread = thread;
    }
    out->failed |= lines->ids.failed;
    bytes_append(out, lines->ids.data, lines->ids.size);
}

static void put_new_label(Bytes *out, const Trace *trace, LabelId label)
{
    StringView name = trace_label_name(trace, label.index),
               category = trace_label_category(trace, label.index);
    if (name.size > 0) put_string(out, "name", name);
    if (category.size > 0) put_string(out, "cat", category);
}

/* Appends name and category. Many events share a label, so its text is cached. */
static void put_label(EventLines *lines, Bytes *out, const Trace *trace, LabelId label)
{
    StringView *labels =
        arena_grow(&lines->arena, lines->labels, label.index, &lines->label_capacity, sizeof *labels);
    if (labels == NULL) {
        out->failed = true;
        return;
    }
    lines->labels = labels;
    if (labels[label.index].bytes != NULL) {
        bytes_append(out, labels[label.index].bytes, labels[label.index].size);
        return;
    }
    const size_t before = out->size;
    put_new_label(out, trace, label);
    const size_t size = out->failed ? 0 : out->size - before;
    labels[label.index] = (StringView){ arena_push_copy(&lines->arena, out->data + before, size), size };
}

static void put_times(EventLines *lines, Bytes *out, const Clock *clock, const ObservedEvent *event)
{
    char text[EXACT_TIME_TEXT];
    if (!event->has_tick) return;
    if (!lines->has_unit) {
        lines->has_unit = true;
        lines->exact = exact_time_for(clock);
    }
    put_key(out, lines->exact.in_ns ? "ns" : "tick");
    bytes_append(out, text, exact_time_put(&lines->exact, clock, event->tick, text));
    if (event->kind != OBSERVED_COMPLETE || (event->flags & EVENT_NO_END)) return;
    put_key(out, lines->exact.in_ns ? "dur_ns" : "dur_ticks");
    const uint64_t ticks = (uint64_t)event->end_tick - (uint64_t)event->tick;
    bytes_append(out, text, exact_span_put(&lines->exact, clock, ticks, text));
}

/* Appends the flags of the event. */
static void put_marks(Bytes *out, const ObservedEvent *event)
{
    static const char *const SCOPES[] = {
        [INSTANT_THREAD] = "t", [INSTANT_PROCESS] = "p", [INSTANT_GLOBAL] = "g"
    };
    if (event->kind == OBSERVED_INSTANT) put_string(out, "scope", (StringView){ SCOPES[event->scope], 1 });
    if (event->flags & EVENT_NO_END) bytes_append_text(out, " no_end=true");
    if (event->flags & EVENT_REPAIRED) bytes_append_text(out, " repaired=true");
}

static void put_bytes(Bytes *out, const char *key, const Bytes *json)
{
    if (json->size == 0) return;
    put_key(out, key);
    bytes_append(out, json->data, json->size);
}

static bool put_details(EventLines *lines, Bytes *out, const ObservedRecord *record, Err *err)
{
    Err failure;
    bytes_clear(&lines->details.args);
    bytes_clear(&lines->details.other);
    if (!load_observed_details(record, &lines->details, &failure)) {
        if (failure.code == ERR_MEMORY) {
            *err = failure;
            return false;
        }
        char text[256];
        put_string(out, "details_error", (StringView){ text, err_format(&failure, text, sizeof text) });
        return true;
    }
    put_bytes(out, "args", &lines->details.args);
    put_bytes(out, "other", &lines->details.other);
    return true;
}

/* Returns the display name; that of a complete state is "state". */
static const char *state_kind(ObservedKind kind)
{
    if (kind == OBSERVED_BEGIN) return "state-begin";
    return kind == OBSERVED_END ? "state-end" : "state";
}

static const char *kind_of(const ObservedRecord *record, const Trace *trace, StringView own_kind)
{
    const ObservedEvent     *event = record->event;
    static const char *const KINDS[] = { [OBSERVED_BEGIN] = "begin",
                                         [OBSERVED_END] = "end",
                                         [OBSERVED_COMPLETE] = "complete",
                                         [OBSERVED_INSTANT] = "instant",
                                         [OBSERVED_METADATA] = "metadata" };
    if (event->kind == OBSERVED_OTHER) return event_kind_name(trace->source.format_name, own_kind);
    bool is_state =
        event->kind <= OBSERVED_COMPLETE && observed_ids(record->builder, event->thread).is_states;
    return is_state ? state_kind(event->kind) : KINDS[event->kind];
}

bool event_line_append(EventLines *lines, const ObservedRecord *record, Bytes *out, Err *err)
{
    const ObservedEvent *event = record->event;
    bool                 is_other = event->kind == OBSERVED_OTHER || event->kind == OBSERVED_METADATA;
    const Trace         *trace = &lines->so_far;
    builder_view_again(record->builder, &lines->so_far);
    StringView own_kind = { "", 0 };
    if (is_other) own_kind = trace_string(trace, trace->records.event_kinds[event->event_kind].name);
    bytes_append_text(out, kind_of(record, trace, own_kind));
    put_number(out, "offset", event->pos.offset);
    if (event->pos.event != ERR_NOWHERE) put_number(out, "event", event->pos.event);
    if (is_other) put_string(out, "type", own_kind);
    if (event->thread.index != TRACK_NONE.index) put_thread(lines, out, record);
    put_times(lines, out, &trace->clock, event);
    put_label(lines, out, trace, event->label);
    put_marks(out, event);
    if (!put_details(lines, out, record, err)) return false;
    bytes_append(out, "\n", 1);
    return true;
}

void event_lines_release(EventLines *lines)
{
    bytes_release(&lines->details.args);
    bytes_release(&lines->details.other);
    bytes_release(&lines->ids);
    arena_release(&lines->arena);
}
