#include "format/trace_event/read/v8_code.h"

#include "base/checked.h"
#include "base/digits.h"
#include "format/trace_event/read/emit.h"
#include "format/trace_event/read/track.h"

#include <stdlib.h>
#include <string.h>

typedef enum { CODE_ADDED, CODE_MOVED, CODE_SAMPLE } CodeKind;

typedef struct CodeEvent {
    CodeKind  kind;
    FineTime  time;
    EventPos  pos;
    size_t    order; /* in the file */
    ProcessId process;
    TrackId   thread;      /* CODE_SAMPLE */
    uint64_t  start, size; /* of code; CODE_SAMPLE: addresses[start .. start + size), innermost first */
    uint64_t  new_start;   /* CODE_MOVED */
    /* CODE_ADDED: the function; CODE_SAMPLE: V8's state, inside the innermost function, or FRAME_NONE */
    FrameId   frame;
    uint64_t *addresses; /* in the arena */
} CodeEvent;

/* ---- reading ---- */

static uint64_t address_of(const JsonValue *value)
{
    char     text[24];
    char    *end;
    uint64_t address;
    if (value->size == 0 || value->size >= sizeof text) return 0;
    memcpy(text, value->at, value->size);
    text[value->size] = 0;
    address = strtoull(text, &end, value->size > 2 && (text[1] | 0x20) == 'x' ? 16 : 10);
    return *end == 0 ? address : 0;
}

static StringId text_of(Emitter *emitter, const char *text, size_t size)
{
    return size == 0 ? STRING_NONE : builder_string(emitter->builder, text, size);
}

/* "LazyCompile:*name file:///a.js:12" -> name, file:///a.js, 12. */
static FrameId frame_of_code(Emitter *emitter, const JsonValue *name)
{
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    text_append(name, &emitter->text, &damage);
    emitter->failed |= emitter->text.failed;
    if (emitter->text.failed || emitter->text.size == 0) return FRAME_NONE;
    const char *at = (const char *)emitter->text.data, *end = at + emitter->text.size;
    const char *prefix = at;
    while (prefix < end && ((*prefix | 0x20) >= 'a' && (*prefix | 0x20) <= 'z'))
        prefix++;
    if (prefix > at && prefix < end && *prefix == ':') at = prefix + 1;
    if (at < end && (*at == '*' || *at == '~')) at++; /* optimised, or optimisable */
    const char *space = (const char *)memchr(at, ' ', (size_t)(end - at));
    const char *name_end = space == NULL ? end : space, *file = space == NULL ? end : space + 1;
    const char *colon = end;
    while (colon > file && colon[-1] >= '0' && colon[-1] <= '9')
        colon--;
    bool     has_line = colon > file && colon < end && colon[-1] == ':' && end - colon < 10;
    uint64_t line = 0;
    if (has_line && !text_to_u64((StringView){ colon, (size_t)(end - colon) }, &line)) line = 0;
    StackFrame frame = { .line = (uint32_t)line };
    frame.file = text_of(emitter, file, (size_t)((has_line ? colon - 1 : end) - file));
    frame.function =
        name_end == at ? text_of(emitter, "(anonymous)", 11) : text_of(emitter, at, (size_t)(name_end - at));
    return builder_frame(emitter->builder, &frame);
}

static FrameId named_frame(Emitter *emitter, const char *name, uint32_t flags)
{
    StackFrame frame = { .function = builder_string(emitter->builder, name, strlen(name)), .flags = flags };
    return builder_frame(emitter->builder, &frame);
}

static void take_addresses(Emitter *emitter, CodeEvent *event, const JsonValue *stack)
{
    JsonItems items = json_items(stack);
    JsonValue key, item;
    size_t    count = 0;
    if (stack->kind != JSON_ARRAY) return;
    while (json_items_next(&items, &key, &item))
        count++;
    event->addresses = ARENA_ARRAY(emitter->arena, uint64_t, count);
    if (event->addresses == NULL) {
        emitter->failed = true;
        return;
    }
    items = json_items(stack);
    while (json_items_next(&items, &key, &item))
        event->addresses[event->size++] = address_of(&item);
}

/* Reads the state of a sample. Returns false for a sample without information ("js" without a stack). */
static bool take_state(Emitter *emitter, CodeEvent *event, const JsonValue *state)
{
    bool is_collecting = json_is(state, JSON_STRING, "gc");
    if (is_collecting) event->frame = named_frame(emitter, "(garbage collector)", 0);
    if (event->size > 0 || is_collecting) return true;
    if (json_is(state, JSON_STRING, "js")) return false;
    event->frame = json_is(state, JSON_STRING, "idle") ? named_frame(emitter, "(idle)", FRAME_IDLE)
                                                       : named_frame(emitter, "(program)", 0);
    return true;
}

void v8_code_take(Emitter *emitter, const RawEvent *raw, FineTime time, EventPos pos)
{
    JsonValue data, value;
    if (!event_has(raw, KEY_ARGS) || !json_find(&raw->value[KEY_ARGS], "data", &data)) return;
    CodeEvent event = { .time = time, .pos = pos, .order = emitter->samples.code.count };
    event.process = emitter_process(emitter, raw);
    if (json_is(&raw->value[KEY_NAME], JSON_STRING, "V8Sample")) {
        JsonValue state = { 0 };
        event.kind = CODE_SAMPLE;
        event.thread = emitter_thread(emitter, raw);
        if (json_find(&data, "stack", &value)) take_addresses(emitter, &event, &value);
        (void)json_find(&data, "vm_state", &state);
        if (!take_state(emitter, &event, &state)) return;
    } else {
        if (json_find(&data, "code_start", &value)) event.start = address_of(&value);
        if (json_find(&data, "code_len", &value)) event.size = address_of(&value);
        event.kind = json_find(&data, "new_code_start", &value) ? CODE_MOVED : CODE_ADDED;
        if (event.kind == CODE_MOVED) event.new_start = address_of(&value);
        if (json_find(&data, "name", &value)) event.frame = frame_of_code(emitter, &value);
    }
    CodeEvent *kept = ARENA_LIST_PUSH(&emitter->samples.code, emitter->arena);
    if (kept == NULL) {
        emitter->failed = true;
        return;
    }
    *kept = event;
}

/* ---- the map of code ----
 *
 * A trie over the hexadecimal digits of the start addresses of code. A look-up takes at most some hundred steps for any
 * input, and overwritten code is removed. */

enum { DIGITS = 16 };

typedef struct CodeRange {
    uint64_t start, end;
    FrameId  frame;
} CodeRange;

typedef struct CodeNode {
    uint32_t below[16]; /* index of a node, at the last digit of a range; 0 = none */
} CodeNode;

typedef struct CodeMap {
    Emitter *emitter;
    ARENA_LIST(CodeNode) nodes;   /* [0] is unused */
    ARENA_LIST(CodeRange) ranges; /* [0] is unused */
    ARENA_LIST(uint32_t) roots;   /* node by ProcessId.index; 0 = absent */
} CodeMap;

static CodeNode *node_at(const CodeMap *map, uint32_t index)
{
    return map->nodes.items + index;
}

static CodeRange *range_at(const CodeMap *map, uint32_t index)
{
    return map->ranges.items + index;
}

static unsigned digit_of(uint64_t key, int level)
{
    return (unsigned)(key >> (60 - 4 * level)) & 15;
}

/* Returns the index of a new item, 0 when out of memory. */
static uint32_t list_add(CodeMap *map, ArenaList *list, size_t item_size)
{
    if (list->count == 0 && arena_list_push(list, map->emitter->arena, item_size) == NULL) return 0;
    void *item = list->count >= UINT32_MAX ? NULL : arena_list_push(list, map->emitter->arena, item_size);
    if (item == NULL) {
        map->emitter->failed = true;
        return 0;
    }
    return (uint32_t)list->count - 1;
}

static uint32_t *root_of(CodeMap *map, ProcessId process)
{
    while (map->roots.count <= process.index) {
        if (ARENA_LIST_PUSH(&map->roots, map->emitter->arena) == NULL) {
            map->emitter->failed = true;
            return NULL;
        }
    }
    uint32_t *root = map->roots.items + process.index;
    if (*root == 0) *root = list_add(map, &map->nodes.any, sizeof(CodeNode));
    return *root == 0 ? NULL : root;
}

/* Returns the last range below a node at `level`. */
static uint32_t last_below(const CodeMap *map, uint32_t node, int level)
{
    for (; level < DIGITS && node != 0; level++) {
        int digit = 15;
        while (digit > 0 && node_at(map, node)->below[digit] == 0)
            digit--;
        node = node_at(map, node)->below[digit];
    }
    return node;
}

/* Returns the range with the greatest start <= `key`; 0 = none. */
static uint32_t range_before(const CodeMap *map, uint32_t root, uint64_t key)
{
    uint32_t path[DIGITS + 1] = { root };
    int      level = 0;
    while (level < DIGITS && path[level] != 0) {
        path[level + 1] = node_at(map, path[level])->below[digit_of(key, level)];
        level++;
    }
    if (path[level] != 0) return path[level];
    while (level-- > 0) {
        for (unsigned digit = digit_of(key, level); digit-- > 0;) {
            uint32_t found = last_below(map, node_at(map, path[level])->below[digit], level + 1);
            if (found != 0) return found;
        }
    }
    return 0;
}

/* Returns a pointer to the index of the range that starts at `key`. With `add` it creates the nodes on the way. NULL
 * if a node is missing, or when out of memory. */
static uint32_t *place_of(CodeMap *map, uint32_t root, uint64_t key, bool add)
{
    uint32_t node = root;
    for (int level = 0; level + 1 < DIGITS; level++) {
        uint32_t below = node_at(map, node)->below[digit_of(key, level)];
        if (below == 0 && add) {
            below = list_add(map, &map->nodes.any, sizeof(CodeNode));
            node_at(map, node)->below[digit_of(key, level)] = below;
        }
        if (below == 0) return NULL;
        node = below;
    }
    return &node_at(map, node)->below[digit_of(key, DIGITS - 1)];
}

/* Removes a range and the nodes that become empty: last_below requires a range below each node. */
static void code_remove(CodeMap *map, uint32_t root, uint64_t key)
{
    uint32_t path[DIGITS] = { root };
    for (int level = 1; level < DIGITS; level++)
        path[level] = node_at(map, path[level - 1])->below[digit_of(key, level - 1)];
    for (int level = DIGITS; level-- > 0;) {
        CodeNode *node = node_at(map, path[level]);
        node->below[digit_of(key, level)] = 0;
        for (unsigned digit = 0; digit < 16; digit++) {
            if (node->below[digit] != 0) return;
        }
    }
}

static void code_add(CodeMap *map, ProcessId process, CodeRange range)
{
    uint32_t *root = root_of(map, process);
    if (root == NULL || range.end <= range.start) return;
    for (;;) { /* removes the code that it overwrites */
        uint32_t found = range_before(map, *root, range.end - 1);
        if (found == 0 || range_at(map, found)->end <= range.start) break;
        if (range_at(map, found)->start < range.start) {
            range_at(map, found)->end = range.start;
            break;
        }
        code_remove(map, *root, range_at(map, found)->start);
    }
    uint32_t  index = list_add(map, &map->ranges.any, sizeof(CodeRange));
    uint32_t *place = index == 0 ? NULL : place_of(map, *root, range.start, true);
    if (place == NULL) return;
    *place = index;
    *range_at(map, index) = range;
}

static void code_move(CodeMap *map, const CodeEvent *event)
{
    uint32_t *root = root_of(map, event->process);
    uint32_t *place = root == NULL ? NULL : place_of(map, *root, event->start, false);
    if (place == NULL || *place == 0) return;
    CodeRange range = *range_at(map, *place);
    uint64_t  size = event->size > 0 ? event->size : range.end - range.start;
    code_remove(map, *root, event->start);
    range.start = event->new_start;
    range.end = u64_add_saturated(range.start, size);
    code_add(map, event->process, range);
}

static FrameId frame_at(CodeMap *map, ProcessId process, uint64_t address)
{
    uint32_t *root = root_of(map, process);
    uint32_t  found = root == NULL ? 0 : range_before(map, *root, address);
    if (found != 0 && address < range_at(map, found)->end) return range_at(map, found)->frame;
    return builder_frame(map->emitter->builder, &(StackFrame){ .address = address });
}

/* ---- processing in order of time ---- */

static int compare_events(const void *left, const void *right)
{
    const CodeEvent *a = (const CodeEvent *)left, *b = (const CodeEvent *)right;
    if (a->time.ns != b->time.ns) return a->time.ns < b->time.ns ? -1 : 1;
    if (a->time.ps != b->time.ps) return a->time.ps < b->time.ps ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void give_sample(CodeMap *map, const CodeEvent *event)
{
    Emitter      *emitter = map->emitter;
    TraceBuilder *builder = emitter->builder;
    StackId       stack = STACK_NONE;
    int64_t       tick;
    for (uint64_t i = event->size; i-- > 0;)
        stack = builder_stack(builder, stack, frame_at(map, event->process, event->addresses[i]));
    stack = builder_stack(builder, stack, event->frame);
    times_to_ticks(&emitter->times, builder, event->pos, &event->time, 1, &tick);
    builder_stack_sample(builder, builder_sampler(builder, event->thread, STRING_NONE), tick, stack, 1);
}

void v8_code_finish(Emitter *emitter)
{
    CodeMap    map = { .emitter = emitter };
    CodeEvent *events = emitter->samples.code.items;
    size_t     count = emitter->samples.code.count;
    if (count > 1) qsort(events, count, sizeof *events, compare_events);
    for (size_t i = 0; i < count && !builder_failed(emitter->builder) && !emitter->failed; i++) {
        const CodeEvent *event = &events[i];
        uint64_t         end = u64_add_saturated(event->start, event->size);
        if (event->kind == CODE_SAMPLE)
            give_sample(&map, event);
        else if (event->kind == CODE_MOVED)
            code_move(&map, event);
        else
            code_add(&map, event->process, (CodeRange){ event->start, end, event->frame });
    }
}
