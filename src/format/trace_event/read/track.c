#include "format/trace_event/read/track.h"

#include "base/hash.h"

#include <string.h>

/* -- ids -- */

static Ident ident_of_magnitude(bool negative, uint64_t magnitude)
{
    if (!negative) return ident_uint(magnitude);
    return ident_int((int64_t)(0 - magnitude));
}

/* True for a text of decimal digits only; "0x1f" and "1e3" are names. */
static bool is_decimal_text(const JsonValue *value)
{
    size_t i = value->size > 1 && value->at[0] == '-' ? 1 : 0;
    if (value->size == i) return false;
    for (; i < value->size; i++) {
        if (value->at[i] < '0' || value->at[i] > '9') return false;
    }
    return true;
}

static IdValue id_of_value(Emitter *emitter, const JsonValue *value)
{
    IdValue id = { 0 };
    if (value->kind != JSON_NUMBER && value->kind != JSON_STRING) return id;
    if (value->kind == JSON_NUMBER || is_decimal_text(value)) {
        bool         negative;
        uint64_t     magnitude;
        NumberResult result = number_integer(value->at, value->size, &negative, &magnitude);
        bool         fits = result <= NUMBER_ODD && (!negative || magnitude <= (uint64_t)1 << 63);
        if (fits) {
            id.ident = ident_of_magnitude(negative, magnitude);
            return id;
        }
    }
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    text_append(value, &emitter->text, &damage);
    StringId text = emitter_intern_text(emitter);
    id.ident = ident_text(text);
    if (value->kind == JSON_STRING && value->size > 0) id.name = text;
    return id;
}

Ident emitter_ident(Emitter *emitter, const JsonValue *value)
{
    return id_of_value(emitter, value).ident;
}

static IdValue id_of(Emitter *emitter, const RawEvent *event, EventKey key)
{
    if (!event_has(event, key)) return (IdValue){ 0 };
    if (event_is_quick(event, key)) return (IdValue){ .ident = ident_int(event->number[key]) };
    return id_of_value(emitter, &event->value[key]);
}

static IdValue pid_of(Emitter *emitter, const RawEvent *event)
{
    IdValue pid = id_of(emitter, event, KEY_PID);
    if (pid.ident.kind == IDENT_NONE) pid.ident = ident_int(0);
    return pid;
}

/* Returns the process with the written id `pid`. */
static ProcessId process_of(Emitter *emitter, IdValue pid)
{
    source_ids_resolve(&emitter->sources, (Ident){ .kind = IDENT_NONE }, &pid);
    ProcessId process = builder_process(emitter->builder, pid.ident);
    if (pid.name.index != 0 && process.index != 0 &&
        emitter_first(emitter, &emitter->named_processes, process.index))
        builder_name_process(emitter->builder, process, pid.name);
    return process;
}

ProcessId emitter_process(Emitter *emitter, const RawEvent *event)
{
    return process_of(emitter, pid_of(emitter, event));
}

static TrackId thread_of(Emitter *emitter, IdValue pid, IdValue tid)
{
    ProcessId process = process_of(emitter, pid);
    if (process.index == 0) return TRACK_NONE;
    /* uftrace omits the tid of the main thread. */
    if (tid.ident.kind == IDENT_NONE) tid.ident = pid.ident;
    source_ids_resolve(&emitter->sources, pid.ident, &tid);
    TrackId thread = builder_thread(emitter->builder, process, tid.ident);
    if (tid.name.index != 0 && thread.index != 0 &&
        emitter_first(emitter, &emitter->named_threads, thread.index))
        builder_name_thread(emitter->builder, thread, tid.name);
    return thread;
}

static bool same_json(const JsonValue *a, const JsonValue *b)
{
    return a->kind == b->kind && a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

bool emitter_add_source_id(Emitter *emitter, const RawEvent *event, SourceIdKind kind, const JsonValue *value,
                           const JsonValue *title)
{
    const bool is_thread = kind == SOURCE_ID_OF_THREAD;
    IdValue    source = id_of_value(emitter, value);
    IdValue    pid = pid_of(emitter, event), tid = { 0 };
    if (is_thread) tid = id_of(emitter, event, KEY_TID);
    if (!same_json(value, title)) source.name = STRING_NONE;
    if (source.ident.kind == IDENT_NONE || (is_thread && tid.ident.kind == IDENT_NONE)) return false;
    memset(emitter->slots, 0, sizeof emitter->slots);
    emitter->recent = (TrackSlot){ 0 };
    return source_ids_add(&emitter->sources, emitter->arena, pid.ident, tid.ident, source);
}

TrackId emitter_find_thread(Emitter *emitter, const RawEvent *event)
{
    const IdValue pid = pid_of(emitter, event);
    return thread_of(emitter, pid, id_of(emitter, event, KEY_TID));
}

TrackId emitter_find_thread_of(Emitter *emitter, int64_t pid, int64_t tid)
{
    const uint64_t hash = ((uint64_t)pid * 31 + (uint64_t)tid) * HASH_ODD_1;
    TrackSlot     *slot = &emitter->slots[hash >> 56];
    if (UNLIKELY(slot->pid != pid || slot->tid != tid || slot->thread.index == 0)) {
        const TrackId thread =
            thread_of(emitter, (IdValue){ .ident = ident_int(pid) }, (IdValue){ .ident = ident_int(tid) });
        *slot = (TrackSlot){ pid, tid, thread };
    }
    emitter->recent = *slot;
    return slot->thread;
}
