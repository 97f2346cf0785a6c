#include "format/trace_event/read/frames.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "format/trace_event/read/emit.h"
#include "format/trace_event/read/track.h"

#include <assert.h>
#include <string.h>

static FrameEntry *entry_at(const Frames *frames, size_t index)
{
    assert(index < frames->entries.count);
    return frames->entries.items + index;
}

/* ---- the table ---- */

static uint64_t hash_of(const Frames *frames, uint32_t process, StringId id)
{
    return hash_pair(process, id.index, frames->key);
}

static uint64_t entry_hash(const void *frames, uint32_t item)
{
    const FrameEntry *entry = entry_at(frames, item - 1);
    return hash_of(frames, entry->process, entry->id);
}

/* Returns the entry of an id; NULL = it has none. */
static FrameEntry *find_entry(const Frames *frames, uint32_t process, StringId id)
{
    uint32_t          found;
    const FrameEntry *entries = frames->entries.items;
    HASH_FIND(&frames->index, hash_of(frames, process, id), found,
              entries[found - 1].process == process && entries[found - 1].id.index == id.index);
    return found == 0 ? NULL : entry_at(frames, found - 1);
}

/* Returns the entry of an id; creates a new one. NULL when out of memory. Valid until the next entry is created.
 * `pos` is the position of the id. */
static FrameEntry *frames_entry(Emitter *emitter, uint32_t process, StringId id, EventPos pos)
{
    Frames *frames = &emitter->frames;
    if (emitter->failed || id.index == 0) return NULL;
    FrameEntry *entry = find_entry(frames, process, id);
    if (entry != NULL) return entry;
    if (frames->key == 0) frames->key = hash_random_key() | 1;
    entry = ARENA_LIST_PUSH(&frames->entries, emitter->arena);
    if (entry == NULL || frames->entries.count > UINT32_MAX) {
        emitter->failed = true;
        return NULL;
    }
    entry->process = process;
    entry->id = id;
    entry->pos = pos;
    if (hash_index_add(&frames->index, emitter->arena, (uint32_t)frames->entries.count, entry_hash, frames))
        return entry;
    emitter->failed = true;
    return NULL;
}

/* ---- reading ---- */

static StringId text_of(Emitter *emitter, const JsonValue *value)
{
    TextDamage damage = { 0 };
    if (value->size == 0 || (value->kind != JSON_STRING && value->kind != JSON_NUMBER)) return STRING_NONE;
    bytes_clear(&emitter->text);
    text_append(value, &emitter->text, &damage);
    return emitter_intern_text(emitter);
}

static uint64_t number_of(const JsonValue *value)
{
    bool     negative;
    uint64_t magnitude;
    if (value->kind != JSON_NUMBER) return 0;
    if (number_integer(value->at, value->size, &negative, &magnitude) > NUMBER_ODD || negative) return 0;
    return magnitude;
}

static uint32_t small_number_of(const JsonValue *value)
{
    uint64_t number = number_of(value);
    return number > UINT32_MAX ? 0 : (uint32_t)number;
}

/* Reads an address, "0x1f" or a decimal number. False: the value is a name. */
static bool address_of(const JsonValue *value, uint64_t *address)
{
    if (value->kind == JSON_NUMBER) return (*address = number_of(value)) != 0;
    if (value->kind != JSON_STRING || value->size < 3 || value->size > 18) return false;
    if (value->at[0] != '0' || (value->at[1] | 0x20) != 'x') return false;
    *address = 0;
    for (size_t i = 2; i < value->size; i++) {
        const unsigned digit = ascii_hex_value((char)value->at[i]);
        if (digit == 16) return false;
        *address = *address << 4 | digit;
    }
    return true;
}

static void describe(Emitter *emitter, uint32_t process, const JsonValue *id, const JsonValue *frame,
                     EventPos pos)
{
    FrameEntry read = { .process = process, .pos = pos };
    JsonItems  items = json_items(frame);
    JsonValue  key, value;
    while (json_items_next(&items, &key, &value)) {
        if (json_is(&key, JSON_STRING, "name")) read.name = text_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "category")) read.category = text_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "parent")) read.parent = text_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "file")) read.file = text_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "line")) read.line = small_number_of(&value);
        if (json_is(&key, JSON_STRING, "column")) read.column = small_number_of(&value);
        if (json_is(&key, JSON_STRING, "address")) (void)address_of(&value, &read.address);
        if (json_is(&key, JSON_STRING, "idle") && json_is(&value, JSON_WORD, "true")) read.flags = FRAME_IDLE;
    }
    FrameEntry *entry = frames_entry(emitter, process, text_of(emitter, id), pos);
    if (entry == NULL) return;
    read.id = entry->id;
    read.promise = entry->promise;
    read.is_described = true;
    *entry = read;
}

void frames_describe(Emitter *emitter, uint32_t process, const JsonValue *frames, EventPos pos)
{
    if (frames->kind != JSON_OBJECT) return;
    JsonItems items = json_items(frames);
    JsonValue key, value;
    while (json_items_next(&items, &key, &value)) {
        if (value.kind == JSON_OBJECT) describe(emitter, process, &key, &value, pos);
    }
}

StackId frames_refer(Emitter *emitter, uint32_t process, const JsonValue *id, EventPos pos)
{
    FrameEntry *entry = frames_entry(emitter, process, text_of(emitter, id), pos);
    if (entry == NULL) return STACK_NONE;
    if (entry->promise.index == 0) entry->promise = builder_stack_later(emitter->builder);
    return entry->promise;
}

/* ---- lists of addresses or names, the innermost first ---- */

static FrameId frame_of_item(Emitter *emitter, const JsonValue *item)
{
    StackFrame frame = { .address = 0 };
    if (!address_of(item, &frame.address)) frame.function = text_of(emitter, item);
    return frame.address == 0 && frame.function.index == 0 ? FRAME_NONE
                                                           : builder_frame(emitter->builder, &frame);
}

static StackId stack_of_list(Emitter *emitter, const JsonValue *list)
{
    StackId stack = STACK_NONE;
    if (list->kind != JSON_ARRAY) return builder_stack(emitter->builder, stack, frame_of_item(emitter, list));
    JsonItems items = json_items(list);
    JsonValue key, item;
    bytes_clear(&emitter->more_text);
    while (json_items_next(&items, &key, &item)) {
        FrameId frame = frame_of_item(emitter, &item);
        bytes_append(&emitter->more_text, &frame, sizeof frame);
    }
    if (emitter->more_text.failed) {
        emitter->failed = true;
        return STACK_NONE;
    }
    const FrameId *frames = (const FrameId *)(const void *)emitter->more_text.data;
    for (size_t i = emitter->more_text.size / sizeof *frames; i-- > 0;)
        stack = builder_stack(emitter->builder, stack, frames[i]);
    return stack;
}

StackId frames_of_event(Emitter *emitter, const RawEvent *event, EventKey id_key, EventKey list_key,
                        EventPos pos)
{
    if (event_has(event, id_key) && event_has(event, list_key)) {
        builder_warn(emitter->builder, "two-stacks", pos,
                     "an event has a stack both as a frame's id and as a list: the list is used");
    }
    if (event_has(event, list_key)) return stack_of_list(emitter, &event->value[list_key]);
    if (!event_has(event, id_key)) return STACK_NONE;
    return frames_refer(emitter, emitter_process(emitter, event).index, &event->value[id_key], pos);
}

/* ---- resolving references ---- */

enum { MOST_ID_BYTES = 40 }; /* of a frame's id in a warning */

static FrameEntry *parent_of(Emitter *emitter, const FrameEntry *entry)
{
    FrameEntry *parent = NULL;
    if (entry->parent.index == 0) return NULL;
    if (entry->process != 0) parent = find_entry(&emitter->frames, entry->process, entry->parent);
    if (parent == NULL || !parent->is_described) parent = find_entry(&emitter->frames, 0, entry->parent);
    return parent != NULL && parent->is_described ? parent : NULL;
}

static StackId stack_of(Emitter *emitter, FrameEntry *entry)
{
    TraceBuilder *builder = emitter->builder;
    uint32_t      top = 0;
    FrameEntry   *at = entry;
    while (at != NULL && !at->has_stack && !at->is_visited) { /* is_visited: a cycle */
        at->is_visited = true;
        at->down = top;
        top = (uint32_t)(at - entry_at(&emitter->frames, 0)) + 1;
        at = parent_of(emitter, at);
    }
    if (at != NULL && at->is_visited) {
        StringView id = builder_text(builder, at->id);
        builder_warn(
            builder, "frame-cycle", at->pos,
            "the stack frame \"%.*s\" is its own ancestor: the outermost frame is where the cycle closes",
            (int)(id.size < MOST_ID_BYTES ? id.size : MOST_ID_BYTES), id.bytes);
    }
    StackId stack = at != NULL && at->has_stack ? at->stack : STACK_NONE;
    while (top != 0) {
        at = entry_at(&emitter->frames, top - 1);
        StackFrame frame = { .function = at->name,
                             .file = at->file,
                             .module = at->category,
                             .line = at->line,
                             .column = at->column,
                             .flags = at->flags,
                             .address = at->address };
        stack = builder_stack(builder, stack, builder_frame(builder, &frame));
        at->stack = stack;
        at->has_stack = true;
        at->is_visited = false;
        top = at->down;
    }
    return entry->stack;
}

void frames_finish(Emitter *emitter)
{
    for (size_t i = 0; i < emitter->frames.entries.count && !builder_failed(emitter->builder); i++) {
        const FrameEntry *referred = entry_at(&emitter->frames, i);
        if (referred->promise.index == 0) continue;
        FrameEntry *described = entry_at(&emitter->frames, i);
        if (!described->is_described) described = find_entry(&emitter->frames, 0, referred->id);
        if (described == NULL || !described->is_described) {
            StringView id = builder_text(emitter->builder, referred->id);
            builder_warn(emitter->builder, "unknown-frame", referred->pos,
                         "the stack frame \"%.*s\" is not described in \"stackFrames\"",
                         (int)(id.size < MOST_ID_BYTES ? id.size : MOST_ID_BYTES), id.bytes);
            continue;
        }
        builder_stack_settle(emitter->builder, referred->promise, stack_of(emitter, described));
    }
}
