/* The builder's calls for tracks of events that are also raw events, and for the labels of processes. */
#include "base/hash.h"
#include "trace/log/builder_log.h"

#include <string.h>

static uint64_t key_hash(const TraceBuilder *builder, ObjectKey key)
{
    return hash_pair((uint64_t)key.id.index << 32 | key.scope.index, key.process.index, builder->hash_key);
}

static uint64_t object_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    return key_hash(builder, builder->objects.all.items[index]);
}

static bool keys_equal(ObjectKey a, ObjectKey b)
{
    return a.process.index == b.process.index && a.scope.index == b.scope.index && a.id.index == b.id.index;
}

ObjectId builder_object(TraceBuilder *builder, ProcessId process, StringId scope, StringId id)
{
    ObjectId         none = { 0 };
    ObjectKey        key = { process, scope, id };
    uint32_t         found;
    const ObjectKey *known = builder->objects.all.items;
    HASH_FIND(&builder->objects.map, key_hash(builder, key), found, keys_equal(known[found], key));
    if (found != 0) return (ObjectId){ found };
    ObjectKey *made = builder_add_numbered(builder, &builder->objects.all);
    if (made == NULL) return none;
    *made = key;
    const uint32_t index = builder_last_index(&builder->objects.all);
    return builder_index_add(builder, &builder->objects.map, index, object_hash) ? (ObjectId){ index } : none;
}

void builder_object_event(TraceBuilder *builder, ObjectEventKind kind, ObjectId object, const EventHead *head,
                          ObjectNote note)
{
    if (object.index == 0 || is_observed(builder)) return;
    ObjectEvent *event = builder_add(builder, &builder->objects.events);
    if (event == NULL) return;
    *event = (ObjectEvent){ .tick = head->tick,
                            .offset = head->pos.offset,
                            .label = head->label.index,
                            .event = (uint32_t)head->pos.event,
                            .object = object.index,
                            .thread = head->thread.index,
                            .note = note,
                            .kind = (uint32_t)kind };
}

void builder_context(TraceBuilder *builder, ContextEventKind kind, const EventHead *head, StringId scope,
                     StringId id)
{
    if (is_observed(builder)) return;
    ContextEvent *event = builder_add(builder, &builder->objects.contexts);
    if (event == NULL) return;
    *event = (ContextEvent){ .tick = head->tick,
                             .offset = head->pos.offset,
                             .label = head->label.index,
                             .event = (uint32_t)head->pos.event,
                             .thread = head->thread.index,
                             .scope = scope,
                             .id = id,
                             .kind = (uint16_t)kind };
}

/* Returns an instant that shows an event of another log. */
static InstantMark derived_mark(const EventHead *head, InstantScope scope)
{
    uint64_t place = head->pos.offset << PLACE_BITS | PLACE_DETAILS | (uint64_t)scope << PLACE_SCOPE_SHIFT;
    return (InstantMark){ head->tick, place, head->label.index, head->thread.index };
}

/* Returns the instants of the process of a thread. */
static ProcessInstants *instants_of(TraceBuilder *builder, TrackId thread)
{
    return builder_process_instants(builder, thread_process(builder_thread_entry(builder, thread)));
}

void builder_dump(TraceBuilder *builder, const EventHead *head, StringId id)
{
    if (is_observed(builder)) return;
    DumpPart *part = builder_add(builder, &builder->objects.dump_parts);
    if (part == NULL) return;
    *part = (DumpPart){ head->pos.offset, id };
    builder_append_instant(builder, &instants_of(builder, head->thread)->dumps,
                           derived_mark(head, INSTANT_PROCESS));
}

void builder_clock_sync(TraceBuilder *builder, const EventHead *head, StringId id, StringId issue_time)
{
    if (is_observed(builder)) return;
    ClockSync *sync = builder_add(builder, &builder->records.clock_syncs);
    if (sync == NULL) return;
    *sync = (ClockSync){ head->tick, id, issue_time };
    builder_append_instant(builder, &instants_of(builder, head->thread)->derived,
                           derived_mark(head, INSTANT_PROCESS));
}

void builder_moment(TraceBuilder *builder, const EventHead *head)
{
    if (is_observed(builder)) return;
    builder_append_instant(builder, &builder->global.moments, derived_mark(head, INSTANT_GLOBAL));
}

/* ---- labels of a process ---- */

/* Limit on the displayed labels of a process, so that hostile lists take no quadratic time. */
enum { MOST_LABEL_BYTES = 512 };

/* Returns the next item of a comma-separated list, without blanks around it; false at its end. */
static bool next_item(StringView *list, StringView *item)
{
    while (list->size > 0) {
        const char *comma = memchr(list->bytes, ',', list->size);
        size_t      size = comma == NULL ? list->size : (size_t)(comma - list->bytes),
               skip = size + (comma != NULL);
        *item = (StringView){ list->bytes, size };
        *list = (StringView){ list->bytes + skip, list->size - skip };
        for (; item->size > 0 && *item->bytes == ' '; item->size--)
            item->bytes++;
        while (item->size > 0 && item->bytes[item->size - 1] == ' ')
            item->size--;
        if (item->size > 0) return true;
    }
    return false;
}

static bool list_holds(StringView list, StringView wanted)
{
    StringView item;
    while (next_item(&list, &item)) {
        if (string_equal(item, wanted)) return true;
    }
    return false;
}

void builder_label_process(TraceBuilder *builder, ProcessId process, StringId labels)
{
    ProcessLog *log = builder_process_log(builder, process);
    StringView  added = string_table_view(builder->strings, labels), item;
    Bytes       all = { 0 };
    if (log->labels.index != 0) {
        StringView known = string_table_view(builder->strings, log->labels);
        bytes_append(&all, known.bytes, known.size);
    }
    while (next_item(&added, &item)) {
        StringView known = bytes_view(&all);
        bool       is_much = all.size > 0 && all.size + item.size > MOST_LABEL_BYTES;
        if (is_much || list_holds(known, item)) continue;
        if (all.size > 0) bytes_append_text(&all, ", ");
        bytes_append(&all, item.bytes, item.size);
    }
    if (all.failed) builder->failed = true;
    if (all.size > 0 && !all.failed) log->labels = builder_string(builder, (const char *)all.data, all.size);
    bytes_release(&all);
}
