#include "format/trace_event/profile/cpuprofile.h"

#include "base/wide.h"
#include "format/trace_event/common/text.h"
#include "format/trace_event/profile/json_profile.h"
#include "format/trace_event/profile/v8_profile.h"

#include <assert.h>
#include <string.h>

typedef enum { LIST_NODES, LIST_SAMPLES, LIST_DELTAS } ListKind;

static const char *const LIST_NAMES[] = { "nodes", "samples", "timeDeltas" };

typedef struct Reader {
    JsonWalk      walk;
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    V8Profile     profile; /* profile.failed: of the reader, too */
    TrackId       thread;
    ListKind      list;
    uint64_t      list_offset[LIST_DELTAS + 1]; /* of the last list of each kind; 0 = none */
    unsigned      depth;                        /* number of open objects inside the outermost one */
    uint64_t      event_count;
    ARENA_LIST(V8Sample) samples;
    ARENA_LIST(FineTime) deltas;
    FineTime start, end;
    bool     has_start, has_end, has_nodes;
    uint16_t node_kind, sample_kind;
} Reader;

/* ---- probe ---- */

static int cpuprofile_probe(const uint8_t *head, size_t size)
{
    static const char *const FIRST[] = { "\"nodes\"",   "\"samples\"", "\"timeDeltas\"", "\"startTime\"",
                                         "\"endTime\"", "\"profile\"", "\"cpuProfile\"", "\"result\"",
                                         "\"id\"",      "\"title\"" };
    const size_t             at = head_first_key(head, size);
    bool                     known = false;
    if (at == size) return 0;
    for (size_t i = 0; i < sizeof FIRST / sizeof FIRST[0]; i++)
        known |= head_begins(head + at, size - at, FIRST[i]);
    if (!known || head_holds(head, size, "\"traceEvents\"")) return 0;
    if (head_holds(head, size, "\"nodes\"") &&
        (head_holds(head, size, "\"callFrame\"") || head_holds(head, size, "\"functionName\"")))
        return 95;
    return head_begins(head + at, size - at, FIRST[0]) ? 75 : 0;
}

/* ---- lists ---- */

static void take_node(Reader *reader, const V8NodeText *text, EventPos pos)
{
    uint32_t index = v8_profile_add_node(&reader->profile, text);
    StringId name = index == 0 ? STRING_NONE : reader->profile.nodes[index].name;
    if (index == 0 && !reader->profile.failed)
        builder_warn(reader->builder, "nameless-node", pos, "a node has no \"id\": it is left out");
    builder_other(reader->builder, OTHER_METADATA, reader->node_kind,
                  &(EventHead){ .thread = reader->thread,
                                .label = builder_label(reader->builder, name, STRING_NONE),
                                .pos = pos,
                                .is_timeless = true });
    builder_count_events(reader->builder, reader->node_kind, 1);
    reader->event_count++;
}

static void add_delta(Reader *reader, FineTime time)
{
    FineTime *delta = ARENA_LIST_PUSH(&reader->deltas, reader->arena);
    if (delta == NULL)
        reader->profile.failed = true;
    else
        *delta = time;
}

/* The caller counts it as an event. */
static void add_sample(Reader *reader, uint32_t node, uint64_t offset)
{
    V8Sample *sample = ARENA_LIST_PUSH(&reader->samples, reader->arena);
    if (sample == NULL) {
        reader->profile.failed = true;
        return;
    }
    *sample = (V8Sample){ .node = node, .order = reader->event_count++, .offset = offset };
}

static void take_item(JsonWalk *walk, const JsonValue *value, uint64_t offset)
{
    Reader        *reader = (Reader *)walk;
    const EventPos pos = { offset, reader->event_count };
    V8NodeText     text;
    FineTime       time;
    switch (reader->list) {
    case LIST_NODES:
        text = v8_node_text(value);
        take_node(reader, &text, pos);
        return;
    case LIST_SAMPLES:
        add_sample(reader, v8_profile_find_node(&reader->profile, value), pos.offset);
        builder_count_events(reader->builder, reader->sample_kind, 1);
        return;
    case LIST_DELTAS:
        if (number_micros(value->at, value->size, &time) > NUMBER_ODD) {
            time = (FineTime){ 0 };
            builder_warn(reader->builder, "bad-time", pos, "a time delta is not a number: taken as 0");
        }
        add_delta(reader, time);
        return;
    }
}

/* Reads consecutive items in the usual form "123,", as take_item does, up to any other form. */
static void take_plain_numbers(Reader *reader, JsonWalk *walk)
{
    enum { MOST_DIGITS = 15 };
    const size_t samples_before = reader->samples.count;
    while (!reader->profile.failed) {
        const uint8_t *at = walk->at;
        uint64_t       value = 0;
        while (at < walk->end && *at >= '0' && *at <= '9' && at - walk->at <= MOST_DIGITS)
            value = value * 10 + (uint64_t)(*at++ - '0');
        const ptrdiff_t digits = at - walk->at;
        if (digits == 0 || digits > MOST_DIGITS || at == walk->end || *at != ',') break;
        if (digits > 1 && *walk->at == '0') break;
        if (reader->list == LIST_DELTAS)
            add_delta(reader, (FineTime){ .ns = (int64_t)value * 1000 });
        else
            add_sample(reader, v8_profile_node_of_id(&reader->profile, value),
                       json_walk_offset(walk, walk->at));
        walk->at = at + 1;
    }
    builder_count_events(reader->builder, reader->sample_kind, reader->samples.count - samples_before);
}

/* Does the same for nodes, and the commas after them. */
static void take_plain_nodes(Reader *reader, JsonWalk *walk)
{
    V8NodeText     text;
    const uint8_t *stop;
    while (!reader->profile.failed && v8_node_text_usual(walk->at, walk->end, &text, &stop)) {
        take_node(reader, &text, (EventPos){ json_walk_offset(walk, walk->at), reader->event_count });
        walk->at = stop;
        if (walk->at < walk->end && *walk->at == ',') walk->at++;
    }
}

/* Reads items of the usual form. False: the next item has another form. */
static bool take_plain_items(JsonWalk *walk)
{
    Reader *const        reader = (Reader *)walk;
    const uint8_t *const begin = walk->at;
    if (reader->list == LIST_NODES) {
        take_plain_nodes(reader, walk);
    } else {
        take_plain_numbers(reader, walk);
    }
    return walk->at != begin;
}

/* ---- the object ---- */

static WalkPlace enter(JsonWalk *walk, const JsonValue *key, const uint8_t *bracket)
{
    Reader *reader = (Reader *)walk;
    if (*bracket == '{') { /* a profile inside a response of the debugging protocol */
        const bool enters = json_is(key, JSON_STRING, "profile") || json_is(key, JSON_STRING, "cpuProfile") ||
                            json_is(key, JSON_STRING, "result");
        reader->depth += enters;
        return enters ? WALK_OBJECT : WALK_START;
    }
    for (size_t i = 0; i < sizeof LIST_NAMES / sizeof LIST_NAMES[0]; i++) {
        if (!json_is(key, JSON_STRING, LIST_NAMES[i])) continue;
        reader->list = (ListKind)i;
        reader->list_offset[i] = json_walk_offset(walk, bracket);
        reader->has_nodes |= reader->list == LIST_NODES;
        return WALK_LIST;
    }
    return WALK_START;
}

static WalkPlace leave(JsonWalk *walk)
{
    Reader *reader = (Reader *)walk;
    if (walk->place == WALK_LIST) return WALK_OBJECT;
    if (reader->depth == 0) return WALK_END;
    reader->depth--;
    return WALK_OBJECT;
}

static void take_member(JsonWalk *walk, const JsonValue *key, const JsonValue *value)
{
    Reader *reader = (Reader *)walk;
    bool    is_number = value->kind == JSON_NUMBER;
    if (json_is(key, JSON_STRING, "startTime") && is_number)
        reader->has_start = number_micros(value->at, value->size, &reader->start) <= NUMBER_ODD;
    if (json_is(key, JSON_STRING, "endTime") && is_number)
        reader->has_end = number_micros(value->at, value->size, &reader->end) <= NUMBER_ODD;
    reader->profile.failed |= !profile_property(reader->builder, "", key, value);
}

/* ---- passing the profile to the builder ---- */

/* Passes all samples to an observer as events, in the order of the file. The first `timed` samples have a time. */
static void give_events(Reader *reader, const V8Sample *samples, size_t count, size_t timed)
{
    for (size_t i = 0; i < count; i++) {
        const V8Node *nodes = reader->profile.nodes;
        int64_t       tick = fine_time_round(samples[i].time);
        LabelId       label = builder_label(reader->builder,
                                      nodes == NULL ? STRING_NONE : nodes[samples[i].node].name, STRING_NONE);
        builder_other(reader->builder, OTHER_EVENT, reader->sample_kind,
                      &(EventHead){ .thread = reader->thread,
                                    .tick = tick,
                                    .label = label,
                                    .pos = (EventPos){ samples[i].offset, samples[i].order },
                                    .is_timeless = i >= timed });
    }
}

static SamplerId sampler_of(Reader *reader)
{
    return builder_sampler(reader->builder, reader->thread,
                           builder_string(reader->builder, "V8 samples", 10));
}

static void warn(Reader *reader, const char *kind, uint64_t offset, const char *what)
{
    builder_warn(reader->builder, kind, (EventPos){ offset, ERR_NOWHERE }, "%s", what);
}

static void give_samples(Reader *reader)
{
    V8Sample       *samples = reader->samples.items;
    const FineTime *deltas = reader->deltas.items;
    size_t          count =
        reader->samples.count < reader->deltas.count ? reader->samples.count : reader->deltas.count;
    if (reader->samples.count != reader->deltas.count)
        warn(reader, "uneven-profile", reader->list_offset[LIST_DELTAS],
             "the numbers of time deltas and samples differ: the surplus is left out");
    for (size_t i = 0; i < count; i++)
        samples[i].time = deltas[i];
    FineTime time = reader->start;
    if (!v8_samples_add_up(samples, count, &time))
        warn(reader, "time-out-of-range", reader->list_offset[LIST_DELTAS],
             "samples exceed 64 bits of nanoseconds: their times are clamped");
    give_events(reader, samples, reader->samples.count, count);
    v8_samples_sort(samples, count);
    SamplerId sampler = sampler_of(reader);
    for (size_t i = 0; i < count; i++) {
        StackId stack = v8_profile_next_stack(&reader->profile, samples[i].node);
        if (samples[i].node == 0 || reader->profile.nodes[samples[i].node].name.index == 0)
            warn(reader, "unknown-node", samples[i].offset, "a sample's node is not in the profile");
        builder_stack_sample(reader->builder, sampler, fine_time_round(samples[i].time), stack, 1);
    }
}

/* The tree of nodes, by node index: the first child and the next sibling. */
typedef struct Tree {
    uint32_t *child, *next, *path;
} Tree;

static bool tree_make(const Reader *reader, Tree *tree)
{
    const V8Profile *profile = &reader->profile;
    *tree = (Tree){ .child = ARENA_ARRAY(reader->arena, uint32_t, profile->count),
                    .next = ARENA_ARRAY(reader->arena, uint32_t, profile->count),
                    .path = ARENA_ARRAY(reader->arena, uint32_t, profile->count) };
    if (tree->child == NULL || tree->next == NULL || tree->path == NULL) return false;
    for (uint32_t i = profile->count; i-- > 1;) {
        uint32_t parent = profile->nodes[i].parent; /* 0 for roots */
        tree->next[i] = tree->child[parent];
        tree->child[parent] = i;
    }
    return true;
}

/* Adds samples for a profile with hit counts only. Their times are artificial: each node lasts for its number of
 * hits, in the order of the tree. Nodes in a cycle are not reached from a root and are left out. */
static bool give_hits(Reader *reader, uint64_t total)
{
    TraceBuilder *builder = reader->builder;
    V8Node       *nodes = reader->profile.nodes;
    SamplerId     sampler = sampler_of(reader);
    Tree          tree;
    uint64_t      before = 0;
    int64_t       begin = fine_time_round(reader->start), end = fine_time_round(reader->end);
    if (!reader->has_end || end <= begin || (begin < 0 && end > INT64_MAX + begin)) {
        begin = 0;
        end = total > (uint64_t)INT64_MAX / 1000000 ? INT64_MAX : (int64_t)total * 1000000;
    }
    if (!tree_make(reader, &tree)) return false;
    for (uint32_t at = tree.child[0], depth = 0; at != 0;) {
        StackId stack = v8_profile_next_stack(&reader->profile, at);
        int64_t tick = begin + wide_mul_div_i64(end - begin, before, total);
        if (nodes[at].hits > 0) builder_stack_sample(builder, sampler, tick, stack, (double)nodes[at].hits);
        before += nodes[at].hits;
        uint32_t next = tree.child[at];
        if (next != 0)
            tree.path[depth++] = at;
        else
            next = tree.next[at];
        while (next == 0 && depth > 0)
            next = tree.next[tree.path[--depth]];
        at = next;
    }
    builder_stack_sample(builder, sampler, end, STACK_NONE, 0); /* ends the last sample */
    warn(reader, "no-samples", reader->list_offset[LIST_NODES],
         "the profile only counts how often each function was met: drawn in the order of its tree");
    return true;
}

static uint64_t total_hits(const Reader *reader)
{
    uint64_t total = 0;
    for (uint32_t i = 1; i < reader->profile.count; i++) {
        uint64_t hits = reader->profile.nodes[i].hits;
        if (hits > (uint64_t)INT64_MAX - total) return 0;
        total += hits;
    }
    return total;
}

static bool is_cpuprofile(const JsonWalk *walk)
{
    const Reader *reader = (const Reader *)walk;
    return reader->has_nodes || reader->samples.count > 0;
}

static void finish(JsonWalk *walk)
{
    Reader        *reader = (Reader *)walk;
    const uint64_t hits = total_hits(reader);
    if (reader->samples.count > 0 || hits == 0)
        give_samples(reader);
    else if (!give_hits(reader, hits))
        reader->profile.failed = true;
}

static const JsonWalkRules RULES = {
    .no_object = "not a CPU profile: expected '{'",
    .no_format = "not a CPU profile: expected \"nodes\" and \"samples\"",
    .truncated = "the input ends inside the profile",
    .after_end = "text after the end of the profile: not read",
    .enter = enter,
    .take_member = take_member,
    .take_usual = take_plain_items,
    .take_item = take_item,
    .leave = leave,
    .is_format = is_cpuprofile,
    .finish = finish,
};

static void *cpuprofile_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->arena = arena;
    reader->builder = builder;
    v8_profile_open(&reader->profile, arena, builder);
    reader->walk = (JsonWalk){ .rules = &RULES,
                               .builder = builder,
                               .event_count = &reader->event_count,
                               .failed = &reader->profile.failed };
    ProcessId process = builder_process(builder, ident_int(1));
    builder_name_process(builder, process, builder_string(builder, "V8 CPU profile", 14));
    reader->thread = builder_thread(builder, process, ident_int(1));
    reader->node_kind = builder_event_kind(builder, "node", 4);
    reader->sample_kind = builder_event_kind(builder, "sample", 6);
    return reader;
}

/* ---- details: the JSON of a node, or the id of a sample's node ---- */

static bool cpuprofile_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                               EventDetails *details, Err *err)
{
    JsonValue value;
    (void)trace;
    (void)end;
    if (begin->bytes == NULL) return true;
    if (!profile_value(begin, &value, err)) return false;
    JsonWriter writer = json_writer_to(&details->other, 0);
    if (value.kind == JSON_OBJECT) {
        text_write_json(&writer, &value);
    } else {
        json_object_begin(&writer);
        json_key(&writer, "node");
        text_write_json(&writer, &value);
        json_object_end(&writer);
    }
    return !details->other.failed || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader CPUPROFILE_READER = {
    .name = "cpuprofile",
    .spec = "V8 CPU profile, Chrome DevTools Protocol domain Profiler, 1.3, and profiles of Node.js 20 and "
            "Chromium "
            "of 2025",
    .about = "CPU profiles of V8: `node --cpu-prof` and Chrome DevTools. Usual name: *.cpuprofile.",
    .probe = cpuprofile_probe,
    .open = cpuprofile_open,
    .read = json_walk_read,
    .details = cpuprofile_details,
};
