#include "trace/log/builder.h"

#include "base/ascii.h"
#include "base/checked.h"
#include "base/hash.h"
#include "trace/log/builder_log.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_CHUNK_INSTANTS = 2, LARGEST_CHUNK_INSTANTS = 1 << 14 };

/* ---- arrays and memory ---- */

#define PLACE(vector) offsetof(TraceBuilder, vector.bytes)
/* The builder's vectors. */
static const size_t VECTOR_PLACES[] = { PLACE(labels.all),
                                        PLACE(processes.all),
                                        PLACE(threads.all),
                                        PLACE(records.others),
                                        PLACE(records.kinds),
                                        PLACE(records.warnings),
                                        PLACE(async.ids),
                                        PLACE(async.events),
                                        PLACE(records.properties),
                                        PLACE(counters.all),
                                        PLACE(counters.series),
                                        PLACE(counters.samples.pieces),
                                        PLACE(profile.stacks.frames),
                                        PLACE(profile.stacks.stacks),
                                        PLACE(objects.all),
                                        PLACE(objects.events),
                                        PLACE(objects.contexts),
                                        PLACE(objects.dump_parts),
                                        PLACE(records.clock_syncs),
                                        PLACE(profile.samplers),
                                        PLACE(profile.samples),
                                        PLACE(flows.ids),
                                        PLACE(flows.events),
                                        PLACE(flows.arrows.pieces),
                                        PLACE(cpu_times),
                                        PLACE(threads.events),
                                        PLACE(threads.logs),
                                        PLACE(async.free_ids),
                                        PLACE(records.event_rollovers) };
#undef PLACE

static Bytes *vector_at(const TraceBuilder *builder, size_t i)
{
    return (Bytes *)((uintptr_t)builder + VECTOR_PLACES[i]);
}

enum { VECTOR_COUNT = sizeof VECTOR_PLACES / sizeof VECTOR_PLACES[0] };

/* Returns the bytes of memory that the builder holds. */
uint64_t builder_held_bytes(const TraceBuilder *builder)
{
    uint64_t held = (uint64_t)builder->own.held_bytes + builder->arena.held_bytes +
                    builder->log_arena.held_bytes + builder->threads.first_events.arena.held_bytes;
    for (size_t i = 0; i < VECTOR_COUNT; i++)
        held += vector_at(builder, i)->capacity;
    return held;
}

static bool holds_too_much(const TraceBuilder *builder)
{
    return builder->limits.memory != 0 && builder_held_bytes(builder) > builder->limits.memory;
}

bool builder_extend_slow(TraceBuilder *builder, Bytes *vector, size_t item_size)
{
    if (!holds_too_much(builder) && vec_extend(vector, item_size)) return true;
    builder->failed = true;
    return false;
}

bool builder_extend_numbered(TraceBuilder *builder, Bytes *vector, size_t item_size)
{
    if (vector->size == 0 && !builder_extend(builder, vector, item_size)) return false;
    if (vector->size / item_size < UINT32_MAX) return builder_extend(builder, vector, item_size);
    builder->failed = true;
    return false;
}

uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    h ^= (h >> 29) ^ b * UINT64_C(0x94d049bb133111eb);
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

bool builder_index_add(TraceBuilder *builder, HashIndex *index, uint32_t item, HashOfItem hash_of)
{
    if (!hash_index_add(index, &builder->own, item, hash_of, builder)) builder->failed = true;
    return !builder->failed;
}

typedef struct PairItems {
    const Bytes *vector;
    size_t       item_size;
    uint64_t     hash_key;
} PairItems;

static uint64_t pair_hash(const void *context, uint32_t item)
{
    const PairItems *items = context;
    uint32_t         ids[2];
    memcpy(ids, items->vector->data + item * items->item_size, sizeof ids);
    return hash_pair(ids[0], ids[1], items->hash_key);
}

uint32_t builder_find_or_add(TraceBuilder *builder, HashIndex *index, Bytes *vector, const void *item,
                             size_t item_size)
{
    const PairItems items = { vector, item_size, builder->hash_key };
    uint32_t        ids[2], found;
    memcpy(ids, item, sizeof ids);
    HASH_FIND(index, hash_pair(ids[0], ids[1], builder->hash_key), found,
              memcmp(vector->data + found * item_size, ids, sizeof ids) == 0);
    if (found != 0) return found;
    if (!builder_extend_numbered(builder, vector, item_size)) return 0;
    memcpy(vector->data + vector->size - item_size, item, item_size);
    found = (uint32_t)(vector->size / item_size) - 1;
    if (!hash_index_add(index, &builder->own, found, pair_hash, &items)) builder->failed = true;
    return builder->failed ? 0 : found;
}

/* ---- life ---- */

TraceBuilder *builder_create(const char *format_name, uint64_t memory_limit)
{
    size_t        limit = memory_limit > SIZE_MAX ? SIZE_MAX : (size_t)memory_limit;
    Arena         own = arena_create(0);
    TraceBuilder *builder = ARENA_NEW(&own, TraceBuilder);
    if (builder == NULL) return NULL;
    *builder = (TraceBuilder){ .own = own,
                               .arena = arena_create(limit),
                               .log_arena = arena_create(limit),
                               .threads.first_events = { .arena = arena_create(limit),
                                                         .min_tick = INT64_MAX,
                                                         .max_tick = INT64_MIN },
                               .rules.format_name = format_name,
                               .rules.format_version = "",
                               .rules.process_word = TITLE_PROCESS,
                               .rules.thread_word = TITLE_THREAD,
                               .limits.memory = memory_limit,
                               .input.bytes = UINT64_MAX,
                               .clock = clock_ns(),
                               .rules.end_kind = "end",
                               .global.min_tick = INT64_MAX,
                               .global.max_tick = INT64_MIN };
    builder->row_space.arena = &builder->log_arena;
    builder->hash_key = hash_random_key();
    builder->strings = string_table_create(&builder->arena);
    if (builder->strings == NULL) builder->failed = true;
    builder_add(builder, &builder->labels.all);
    builder_add(builder, &builder->processes.all);
    builder_add(builder, &builder->threads.all);
    builder_add(builder, &builder->threads.events);
    if (!builder->failed) builder_process_instants(builder, PROCESS_NONE);
    if (!builder->failed) builder_open_log(builder, builder->threads.events.items);
    if (builder->failed) {
        builder_destroy(builder);
        return NULL;
    }
    return builder;
}

void builder_destroy(TraceBuilder *builder)
{
    if (builder == NULL) return;
    if (builder->kept != NULL) builder->release_kept(builder->kept);
    for (size_t i = 0; i < VECTOR_COUNT; i++)
        bytes_release(vector_at(builder, i));
    arena_release(&builder->threads.first_events.arena);
    sample_log_release(&builder->counters.samples);
    arrow_log_release(&builder->flows.arrows);
    arena_release(&builder->log_arena);
    arena_release(&builder->arena);
    Arena own = builder->own; /* the arena holds the builder itself */
    arena_release(&own);
}

bool builder_failed(const TraceBuilder *builder)
{
    return builder->failed;
}

void builder_error(const TraceBuilder *builder, Err *err)
{
    assert(builder->failed);
    if (builder->limits.memory != 0) {
        err_set(err, ERR_MEMORY, "the trace does not fit into the memory allowed (%llu MiB)",
                (unsigned long long)(builder->limits.memory >> 20));
    } else {
        err_set(err, ERR_MEMORY, "out of memory");
    }
}

void builder_set_version(TraceBuilder *builder, const char *version)
{
    const char *copy = arena_push_copy(&builder->arena, version, strlen(version));
    if (copy == NULL) {
        builder->failed = true;
    } else {
        builder->rules.format_version = copy;
    }
}

void builder_set_rules(TraceBuilder *builder, MatchRule match, UnfinishedRule unfinished)
{
    builder->rules.match = match;
    builder->rules.unfinished = unfinished;
}

void builder_set_titles(TraceBuilder *builder, const char *process, const char *thread)
{
    builder->rules.process_word = process;
    builder->rules.thread_word = thread;
}

void builder_set_ties(TraceBuilder *builder, TieRule ties)
{
    builder->rules.ties = ties;
}

void builder_set_endless(TraceBuilder *builder, EndlessRule endless)
{
    builder->rules.endless = endless;
}

void builder_set_overlaps(TraceBuilder *builder, OverlapRule overlaps)
{
    builder->rules.overlaps = overlaps;
}

void builder_set_end_kind(TraceBuilder *builder, const char *name)
{
    builder->rules.end_kind = name;
}

void builder_set_window(TraceBuilder *builder, int64_t begin_tick, int64_t end_tick)
{
    builder->window.is_set = true;
    builder->window.begin = begin_tick;
    builder->window.end = end_tick;
}

void builder_set_enough(TraceBuilder *builder)
{
    builder->window.has_enough = true;
}

bool builder_has_enough(const TraceBuilder *builder)
{
    return builder->window.has_enough;
}

void builder_set_incomplete(TraceBuilder *builder)
{
    builder->incomplete = true;
}

void builder_set_clock(TraceBuilder *builder, Clock clock)
{
    assert(clock_has_time(&clock) || (clock.ns_num == 1 && clock.ns_den == 1));
    builder->clock = clock;
}

const Clock *builder_clock(const TraceBuilder *builder)
{
    return &builder->clock;
}

/* ---- names ---- */

StringView builder_text(const TraceBuilder *builder, StringId string)
{
    return string_table_view(builder->strings, string);
}

void builder_set_names_most(TraceBuilder *builder, uint64_t bytes)
{
    builder->limits.names = bytes;
}

/* Returns an existing string, or the string for all others, because there is no room for another name. */
static StringId known_string(TraceBuilder *builder, const char *bytes, size_t size)
{
    StringId known = string_table_find(builder->strings, bytes, size);
    if (known.index != 0) return known;
    builder_warn(
        builder, "names-not-kept", builder_read_pos(builder),
        "different names fill the memory reserved for names: later names are omitted, but the recording has "
        "them");
    return string_table_intern(builder->strings, BUILDER_OTHER_NAME, strlen(BUILDER_OTHER_NAME));
}

StringId builder_string(TraceBuilder *builder, const char *bytes, size_t size)
{
    bool is_full =
        builder->limits.names != 0 && string_table_bytes(builder->strings) >= builder->limits.names;
    if (UNLIKELY(is_full)) return known_string(builder, bytes, size);
    StringId id = string_table_intern(builder->strings, bytes, size);
    if (id.index == 0) builder->failed = true;
    if (size == 0) builder->labels.empty = id;
    return id;
}

static uint64_t hash_of_label(const TraceBuilder *builder, Label label)
{
    uint64_t colour = (uint64_t)label.colour << 1 | (label.is_repeat ? 1U : 0U);
    return hash_pair(label.name.index, colour << 31 ^ label.category.index, builder->hash_key);
}

static uint64_t label_hash(const void *builder, uint32_t index)
{
    return hash_of_label(builder, ((const TraceBuilder *)builder)->labels.all.items[index]);
}

static bool labels_equal(Label a, Label b)
{
    return a.name.index == b.name.index && a.category.index == b.category.index && a.colour == b.colour &&
           a.is_repeat == b.is_repeat;
}

static LabelId intern_label(TraceBuilder *builder, Label wanted)
{
    uint32_t     found;
    const Label *labels = builder->labels.all.items;
    HASH_FIND(&builder->labels.map, hash_of_label(builder, wanted), found,
              labels_equal(labels[found], wanted));
    if (found != 0) return (LabelId){ found };
    Label *label = builder_add_numbered(builder, &builder->labels.all);
    if (label == NULL) return LABEL_NONE;
    *label = wanted;
    const uint32_t index = builder_last_index(&builder->labels.all);
    if (!builder_index_add(builder, &builder->labels.map, index, label_hash)) return LABEL_NONE;
    return (LabelId){ index };
}

/* Returns the label of a name without a category. A trace may have a million of them: the label of a name that was interned just
 * now is stored beside it. */
static LabelId plain_label(TraceBuilder *builder, StringId name)
{
    uint32_t *note = string_table_note(builder->strings, name);
    if (note != NULL && *note != 0) return (LabelId){ *note };
    const LabelId label = intern_label(builder, (Label){ .name = name });
    if (note != NULL) *note = label.index;
    return label;
}

LabelId builder_label(TraceBuilder *builder, StringId name, StringId category)
{
    if (name.index == builder->labels.empty.index) name = STRING_NONE;
    if (category.index == builder->labels.empty.index) category = STRING_NONE;
    if (category.index == 0) return plain_label(builder, name);
    return intern_label(builder, (Label){ .name = name, .category = category });
}

LabelId builder_repeat_label(TraceBuilder *builder, LabelId label)
{
    Label wanted = builder_label_parts(builder, label);
    wanted.is_repeat = true;
    return intern_label(builder, wanted);
}

Label builder_label_parts(const TraceBuilder *builder, LabelId label)
{
    assert(label.index < vec_count(&builder->labels.all));
    return builder->labels.all.items[label.index];
}

LabelId builder_colour_label(TraceBuilder *builder, LabelId label, uint32_t colour)
{
    assert(label.index < vec_count(&builder->labels.all));
    Label wanted = builder->labels.all.items[label.index];
    wanted.colour = colour;
    LabelId id = intern_label(builder, wanted);
    if (colour == LABEL_RECEDES) builder->labels.idle = id;
    return id;
}

uint8_t builder_perspective(TraceBuilder *builder, const char *name)
{
    uint32_t i = 0;
    while (i < builder->perspectives.count && strcmp(builder->perspectives.names[i], name) != 0)
        i++;
    assert(i < PERSPECTIVES_MAX && strpbrk(name, "\n;") == NULL); /* they separate names in outlines */
    if (i == builder->perspectives.count) {
        const char *wanted = builder->perspectives.wanted;
        bool        is_made = wanted == NULL ||
                       (wanted[0] == 0 ? i == 0 : ascii_equal(c_string_view(wanted), c_string_view(name)));
        builder->perspectives.names[builder->perspectives.count++] = name;
        builder->perspectives.made |= (uint8_t)((is_made ? 1U : 0U) << i);
    }
    return (uint8_t)(1U << i);
}

void builder_want_perspective(TraceBuilder *builder, const char *name)
{
    assert(builder->perspectives.count == 0);
    builder->perspectives.wanted = name;
}

bool builder_makes(const TraceBuilder *builder, uint8_t perspectives)
{
    return (builder->perspectives.made & perspectives) != 0;
}

void builder_end_counters(TraceBuilder *builder)
{
    builder->rules.counters_end = true;
}

void builder_set_read_offset(TraceBuilder *builder, uint64_t offset)
{
    builder->input.read_offset = offset;
}

EventPos builder_read_pos(const TraceBuilder *builder)
{
    return (EventPos){ builder->input.read_offset, ERR_NOWHERE };
}

void builder_set_input_size(TraceBuilder *builder, uint64_t size)
{
    builder->input.bytes = size;
}

void builder_widen(TraceBuilder *builder, int64_t tick)
{
    builder_note_time(builder, tick);
}

void builder_property(TraceBuilder *builder, StringId key, const char *json, size_t size)
{
    const char *copy = arena_push_copy(&builder->arena, json, size);
    Property   *property = copy == NULL ? NULL : builder_add(builder, &builder->records.properties);
    if (property == NULL) {
        builder->failed = true;
        return;
    }
    *property = (Property){ key, copy, size };
}

void builder_keep(TraceBuilder *builder, void *kept, void (*release)(void *kept))
{
    assert(builder->kept == NULL && kept != NULL);
    builder->kept = kept;
    builder->release_kept = release;
}

/* ---- events ---- */

static bool add_instant_chunk(TraceBuilder *builder, InstantLog *log)
{
    uint64_t capacity = log->last == NULL ? FIRST_CHUNK_INSTANTS : log->last->capacity * 4;
    if (capacity > LARGEST_CHUNK_INSTANTS) capacity = LARGEST_CHUNK_INSTANTS;
    size_t        size = sizeof(InstantChunk) + (size_t)capacity * sizeof(InstantMark);
    InstantChunk *chunk = (InstantChunk *)arena_push_raw(&builder->log_arena, 1, size);
    if (chunk == NULL) {
        builder->failed = true;
        return false;
    }
    *chunk = (InstantChunk){ .capacity = capacity };
    if (log->last == NULL) {
        log->first = chunk;
    } else {
        log->last->next = chunk;
    }
    log->last = chunk;
    return true;
}

void builder_append_instant(TraceBuilder *builder, InstantLog *log, InstantMark mark)
{
    bool full = log->last == NULL || log->last->count == log->last->capacity;
    if (full && !add_instant_chunk(builder, log)) return;
    log->last->marks[log->last->count++] = mark;
    log->count++;
}

void builder_note_rollover(TraceBuilder *builder, uint64_t offset)
{
    uint64_t *rollover = builder_add(builder, &builder->records.event_rollovers);
    if (rollover != NULL) *rollover = offset;
}

uint64_t builder_event_number(const TraceBuilder *builder, uint64_t offset, uint32_t low)
{
    uint64_t rollovers = 0;
    while (rollovers < vec_count(&builder->records.event_rollovers) &&
           builder->records.event_rollovers.items[rollovers] <= offset) {
        rollovers++;
    }
    return rollovers << 32 | low;
}

/* Returns a thread's log of completes, created on first use; NULL (and failed) when out of memory. */
static EventLog *builder_completes(TraceBuilder *builder, ThreadLog *thread)
{
    if (thread->completes != NULL) return thread->completes;
    builder_log_marks_of(builder, thread);
    thread->completes = ARENA_NEW(&builder->log_arena, EventLog);
    if (thread->completes == NULL) {
        builder->failed = true;
        return NULL;
    }
    thread->completes->has_durations = true;
    return thread->completes;
}

/* Adds a complete event to the log of its thread. */
static void add_complete(TraceBuilder *builder, ThreadLog *log, const EventRecord *complete)
{
    EventLog *completes = LIKELY(log->completes != NULL) ? log->completes : builder_completes(builder, log);
    if (completes == NULL) return;
    if (!event_log_append(completes, &builder->log_arena, complete)) builder->failed = true;
    if (complete->bits & PLACE_DETAILS) log->source_count++;
    builder_note_range(log, complete->tick, (int64_t)((uint64_t)complete->tick + complete->duration));
}

static NOINLINE void add_any_complete(TraceBuilder *builder, TrackId thread, const EventRecord *complete,
                                      EventPos pos, unsigned flags)
{
    if (is_observed(builder)) {
        observe_event(builder,
                      &(ObservedEvent){ .kind = OBSERVED_COMPLETE,
                                        .flags = flags,
                                        .thread = thread,
                                        .label = { complete->label },
                                        .has_tick = true,
                                        .tick = complete->tick,
                                        .end_tick = (int64_t)((uint64_t)complete->tick + complete->duration),
                                        .pos = pos });
        return;
    }
    ThreadEvents *events = builder_thread_events(builder, thread);
    ThreadLog    *log = thread_events_log(builder, *events);
    builder_note_rollovers(builder, pos);
    if (log == NULL) {
        if (builder_keep_first(builder, events, complete, FIRST_COMPLETE)) return;
        log = builder_open_log(builder, events);
    }
    add_complete(builder, log, complete);
}

void builder_complete(TraceBuilder *builder, TrackId thread, int64_t tick, int64_t end_tick, LabelId label,
                      EventPos pos, unsigned flags)
{
    if (flags & EVENT_NO_END) end_tick = tick;
    assert(end_tick >= tick);
    const EventRecord complete = { .tick = tick,
                                   .duration = (uint64_t)end_tick - (uint64_t)tick,
                                   .offset = pos.offset,
                                   .label = label.index,
                                   .event = (uint32_t)pos.event,
                                   .bits = place_bits(flags) };
    ThreadLog        *log = thread_events_log(builder, *builder_thread_events(builder, thread));
    /* the most frequent ones: those with a short record */
    if (LIKELY(log != NULL && log->completes != NULL && !is_observed(builder) && pos.event >> 32 == 0) &&
        LIKELY(event_log_append_short(log->completes, &complete, RECORDS_OF_COMPLETES))) {
        log->source_count += flags & EVENT_DETAILS;
        builder_note_range(log, tick, end_tick);
        return;
    }
    const EventRecord copy = complete; /* lets the compiler keep the record in registers */
    add_any_complete(builder, thread, &copy, pos, flags);
}

ThreadLog *builder_open_log(TraceBuilder *builder, ThreadEvents *events)
{
    assert(thread_events_log(builder, *events) == NULL);
    const size_t index = vec_count(&builder->threads.logs);
    ThreadLog   *log = index < THREAD_HAS_LOG ? ARENA_NEW(&builder->own, ThreadLog) : NULL;
    ThreadLog  **place = log == NULL ? NULL : builder_add(builder, &builder->threads.logs);
    if (place == NULL) {
        builder->failed = true;
        return index == 0 ? NULL : builder->threads.logs.items[0];
    }
    *place = log;
    log->min_tick = INT64_MAX;
    log->max_tick = INT64_MIN;
    log->last_mark_tick = INT64_MIN;
    log->logs_marks = builder->logs_marks;
    const FirstEvents *all = &builder->threads.first_events;
    const ThreadEvents first = *events;
    events->at = THREAD_HAS_LOG | (uint32_t)index;
    for (uint32_t i = thread_events_first(all, first); i != 0; i = thread_events_next(all, first, i)) {
        const EventRecord record = first_event_record(all, i);
        if (first.kind == FIRST_COMPLETE)
            add_complete(builder, log, &record);
        else
            builder_add_mark_again(builder, log, &record);
    }
    return log;
}

void builder_instant(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, InstantScope scope,
                     EventPos pos, unsigned flags)
{
    if (UNLIKELY(is_observed(builder))) {
        observe_event(builder, &(ObservedEvent){ .kind = OBSERVED_INSTANT,
                                                 .flags = flags,
                                                 .scope = scope,
                                                 .thread = thread,
                                                 .label = label,
                                                 .has_tick = true,
                                                 .tick = tick,
                                                 .end_tick = tick,
                                                 .pos = pos });
        return;
    }
    ThreadLog  *log = builder_thread_log(builder, thread);
    InstantLog *instants = builder_instants(builder, thread, scope);
    uint64_t    place = pos.offset << PLACE_BITS | place_bits(flags) | (uint64_t)scope << PLACE_SCOPE_SHIFT;
    builder_append_instant(builder, instants, (InstantMark){ tick, place, label.index, thread.index });
    builder_note_event(builder, log, tick, tick, pos);
}

CounterId builder_counter(TraceBuilder *builder, ProcessId process, StringId title, StringId category)
{
    const CounterLog counter = { .process = process, .title = title, .category = category };
    return (CounterId){ builder_find_or_add(builder, &builder->counters.map, &builder->counters.all.bytes,
                                            &counter, sizeof counter) };
}

void builder_count_bytes(TraceBuilder *builder, CounterId counter)
{
    if (counter.index != 0) builder->counters.all.items[counter.index].counts_bytes = true;
}

void builder_share_chart(TraceBuilder *builder, CounterId counter)
{
    if (counter.index != 0) builder->counters.all.items[counter.index].shares_chart = true;
}

SeriesId builder_series(TraceBuilder *builder, CounterId counter, StringId name, uint32_t colour)
{
    const SeriesLog series = { counter, name, colour };
    return (SeriesId){ builder_find_or_add(builder, &builder->counters.series_map,
                                           &builder->counters.series.bytes, &series, sizeof series) };
}

static bool make_room_for_samples(TraceBuilder *builder)
{
    if (!holds_too_much(builder) && sample_log_grow(&builder->counters.samples, &builder->log_arena))
        return true;
    builder->failed = true;
    return false;
}

void builder_sample(TraceBuilder *builder, SeriesId series, int64_t tick, double value)
{
    if (series.index == 0 || is_observed(builder)) return;
    SampleLog *log = &builder->counters.samples;
    if (UNLIKELY(log->at == log->end) && !make_room_for_samples(builder)) return;
    sample_log_put(log, &(SampleRecord){ tick, value, series.index });
    builder_note_time(builder, tick);
}

uint16_t builder_event_kind(TraceBuilder *builder, const char *name, size_t size)
{
    StringId        id = builder_string(builder, name, size);
    EventKindCount *kinds = builder->records.kinds.items;
    size_t          count = vec_count(&builder->records.kinds);
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].name.index == id.index) return (uint16_t)i;
    }
    /* Limit on the kinds of events, which an input can name freely: the last one is used for all others. */
    enum { MOST_KINDS = 4096 };
    if (count == MOST_KINDS) return MOST_KINDS - 1;
    EventKindCount *kind = builder_add(builder, &builder->records.kinds);
    if (kind == NULL) return 0;
    kind->name = id;
    return (uint16_t)count;
}

void builder_count_events(TraceBuilder *builder, uint16_t kind, uint64_t count)
{
    if (kind < vec_count(&builder->records.kinds)) builder->records.kinds.items[kind].count += count;
}

void builder_note_other(TraceBuilder *builder, TrackId thread, int64_t tick)
{
    builder_note_time(builder, tick);
    if (thread.index == 0) return;
    ProcessLog *process = builder_process_log(builder, thread_process(builder_thread_entry(builder, thread)));
    if (tick > process->other_max) process->other_max = tick;
}

void builder_other(TraceBuilder *builder, OtherClass event_class, uint16_t kind, const EventHead *head)
{
    const int64_t tick = head->is_timeless ? 0 : head->tick;
    if (UNLIKELY(is_observed(builder))) {
        observe_event(
            builder,
            &(ObservedEvent){ .kind = event_class == OTHER_METADATA ? OBSERVED_METADATA : OBSERVED_OTHER,
                              .flags = event_class == OTHER_PART ? EVENT_DETAILS | EVENT_PART : EVENT_DETAILS,
                              .event_kind = kind,
                              .thread = head->thread,
                              .label = head->label,
                              .has_tick = !head->is_timeless,
                              .tick = tick,
                              .end_tick = tick,
                              .pos = head->pos });
        return;
    }
    OtherEvent *other = builder_add(builder, &builder->records.others);
    if (other == NULL) return;
    *other = (OtherEvent){ .tick = tick,
                           .offset = head->pos.offset,
                           .thread = head->thread.index,
                           .label = head->label.index,
                           .kind = kind,
                           .has_tick = !head->is_timeless,
                           .is_metadata = event_class == OTHER_METADATA,
                           .is_part = event_class == OTHER_PART };
    if (event_class == OTHER_METADATA) return;
    if (head->thread.index != 0) builder_note_thread(builder, head->thread);
    if (!head->is_timeless) builder_note_other(builder, head->thread, tick);
}

/* ---- warnings ---- */

static Warning *find_warning(TraceBuilder *builder, const char *kind)
{
    Warning *warnings = builder->records.warnings.items;
    for (size_t i = 0; i < vec_count(&builder->records.warnings); i++) {
        if (warnings[i].kind == kind || strcmp(warnings[i].kind, kind) == 0) return &warnings[i];
    }
    return NULL;
}

void builder_warn_args(TraceBuilder *builder, const char *kind, EventPos pos, const char *format,
                       va_list args)
{
    Warning *warning = find_warning(builder, kind);
    if (warning != NULL) {
        warning->count++;
        return;
    }
    warning = builder_add(builder, &builder->records.warnings);
    if (warning == NULL) return;
    *warning = (Warning){ .kind = kind,
                          .count = 1,
                          .first = { .code = ERR_NONE, .offset = pos.offset, .event = pos.event } };
    vsnprintf(warning->first.message, sizeof warning->first.message, format, args);
}

void builder_warn(TraceBuilder *builder, const char *kind, EventPos pos, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    builder_warn_args(builder, kind, pos, format, args);
    va_end(args);
}

void builder_add_warning(TraceBuilder *builder, const Warning *added)
{
    Warning *warning = find_warning(builder, added->kind);
    if (warning == NULL) {
        warning = builder_add(builder, &builder->records.warnings);
        if (warning != NULL) *warning = *added;
        return;
    }
    warning->count += added->count;
    if (added->first.offset < warning->first.offset) warning->first = added->first;
}

void builder_replace_warning(TraceBuilder *builder, const Warning *warning)
{
    Warning *old = find_warning(builder, warning->kind), *end = NULL;
    if (old == NULL && warning->count > 0) {
        builder_add_warning(builder, warning);
    } else if (warning->count > 0) {
        *old = *warning;
    } else if (old != NULL) {
        end = builder->records.warnings.items + vec_count(&builder->records.warnings);
        memmove(old, old + 1, (size_t)(end - old - 1) * sizeof *old);
        builder->records.warnings.bytes.size -= sizeof *old;
    }
}
