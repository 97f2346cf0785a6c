#include "format/trace_event/read/kept.h"

#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/track.h"

/* Returns the process in whose scope an object's id is: the event's process unless the id is global. */
static ProcessId id_process(Emitter *emitter, const RawEvent *event, IdReach reach)
{
    JsonValue id;
    bool      is_everybodys =
        reach == ID_GLOBAL && event_has(event, KEY_ID2) && id_member(&event->value[KEY_ID2], "global", &id);
    return is_everybodys ? PROCESS_NONE : emitter_process(emitter, event);
}

static StringId id_scope(Emitter *emitter, const RawEvent *event)
{
    static const char DEFAULT_SCOPE[] = "ptr";
    if (event_has(event, KEY_SCOPE)) return id_intern(emitter, &event->value[KEY_SCOPE]);
    return builder_string(emitter->builder, DEFAULT_SCOPE, sizeof DEFAULT_SCOPE - 1);
}

/* ---- objects ---- */

static StringId text_member(Emitter *emitter, const JsonValue *object, const char *name)
{
    JsonValue value;
    if (!id_member(object, name, &value) || value.kind != JSON_STRING || value.size == 0) return STRING_NONE;
    return id_intern(emitter, &value);
}

static ObjectNote read_snapshot(Emitter *emitter, const RawEvent *event)
{
    JsonValue  snapshot;
    ObjectNote note = { STRING_NONE, STRING_NONE };
    if (!event_has(event, KEY_ARGS) || !id_member(&event->value[KEY_ARGS], "snapshot", &snapshot))
        return note;
    note.category = text_member(emitter, &snapshot, "cat");
    note.base_type = text_member(emitter, &snapshot, "base_type");
    return note;
}

static void object_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    JsonValue id;
    IdReach   reach = id_find(event, &id);
    if (reach == ID_NONE) {
        builder_warn(emitter->builder, "object-without-id", head->pos,
                     "an object's event (N, O, D) without an id: kept, but not drawn");
        return;
    }
    ProcessId       process = id_process(emitter, event, reach);
    StringId        scope = id_scope(emitter, event);
    ObjectId        object = builder_object(emitter->builder, process, scope, id_intern(emitter, &id));
    ObjectNote      note = { STRING_NONE, STRING_NONE };
    ObjectEventKind kind = event->phase == 'N' ? OBJECT_CREATED : OBJECT_DELETED;
    if (event->phase == 'O') {
        kind = OBJECT_SNAPSHOT;
        note = read_snapshot(emitter, event);
    }
    builder_object_event(emitter->builder, kind, object, head, note);
}

/* ---- contexts ---- */

static void context_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    JsonValue        id;
    ContextEventKind kind = event->phase == '(' ? CONTEXT_ENTERED : CONTEXT_LEFT;
    StringId         scope = id_scope(emitter, event), text = STRING_NONE;
    if (id_find(event, &id) != ID_NONE) text = id_intern(emitter, &id);
    builder_context(emitter->builder, kind, head, scope, text);
}

/* ---- memory dumps ---- */

static unsigned hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - (unsigned)'0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - (unsigned)'a' + 10 : 16;
}

/* Reads a size, a hexadecimal text like "1a4000". */
static bool read_size(const JsonValue *value, double *size)
{
    enum { MOST_DIGITS = 16 };
    uint64_t bytes = 0;
    if (value->kind != JSON_STRING || value->size == 0 || value->size > MOST_DIGITS) return false;
    for (size_t i = 0; i < value->size; i++) {
        if (hex_digit(value->at[i]) == 16) return false;
        bytes = bytes << 4 | hex_digit(value->at[i]);
    }
    *size = (double)bytes;
    return true;
}

/* Adds a counter to the process for each of its totals. */
static void totals_emit(Emitter *emitter, const RawEvent *event, const JsonValue *totals, int64_t tick)
{
    TraceBuilder *builder = emitter->builder;
    ProcessId     process = emitter_process(emitter, event);
    JsonItems     items = json_items(totals);
    JsonValue     key, value;
    while (json_items_next(&items, &key, &value)) {
        double size;
        if (!read_size(&value, &size)) continue;
        StringId  title = id_intern(emitter, &key);
        CounterId counter = builder_counter(builder, process, title, STRING_NONE);
        SeriesId  series = builder_series(builder, counter, title, 0);
        builder_sample(builder, series, tick, size);
    }
}

static void dump_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    JsonValue id, dumps, totals;
    StringId  text = STRING_NONE;
    if (id_find(event, &id) != ID_NONE) text = id_intern(emitter, &id);
    builder_dump(emitter->builder, head, text);
    bool has_totals = event_has(event, KEY_ARGS) && id_member(&event->value[KEY_ARGS], "dumps", &dumps) &&
                      id_member(&dumps, "process_totals", &totals) && totals.kind == JSON_OBJECT;
    if (has_totals) totals_emit(emitter, event, &totals, head->tick);
}

/* ---- clocks ---- */

/* Stores the time of a clock sync: the event's time, or the middle between args.issue_ts and that time. */
static void note_sync(Emitter *emitter, const RawEvent *event, StringId id)
{
    FineTime  time, issue;
    JsonValue value;
    if (id.index == STRING_NONE.index || emitter->sync_count == NAMED_SYNCS ||
        event_time(event, KEY_TS, &time) > NUMBER_ODD)
        return;
    int64_t ns = fine_time_round(time);
    if (id_member(&event->value[KEY_ARGS], "issue_ts", &value) && json_micros(&value, &issue) <= NUMBER_ODD) {
        const int64_t issue_ns = fine_time_round(issue);
        if (issue_ns <= ns) ns -= (int64_t)(((uint64_t)ns - (uint64_t)issue_ns) / 2);
    }
    emitter->syncs[emitter->sync_count++] = (NamedSync){ id, ns };
}

static void clock_sync_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    JsonValue value;
    StringId  id = STRING_NONE, issue_time = STRING_NONE;
    if (event_has(event, KEY_ARGS)) {
        if (id_member(&event->value[KEY_ARGS], "sync_id", &value)) id = id_intern(emitter, &value);
        if (id_member(&event->value[KEY_ARGS], "issue_ts", &value)) issue_time = id_intern(emitter, &value);
    }
    note_sync(emitter, event, id);
    builder_clock_sync(emitter->builder, head, id, issue_time);
}

void kept_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    switch (event->phase) {
    case 'N':
    case 'O':
    case 'D':
        object_emit(emitter, event, head);
        return;
    case '(':
    case ')':
        context_emit(emitter, event, head);
        return;
    case 'c':
        clock_sync_emit(emitter, event, head);
        return;
    default: /* v V */
        dump_emit(emitter, event, head);
        return;
    }
}
