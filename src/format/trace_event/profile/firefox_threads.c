#include "format/trace_event/profile/firefox_threads.h"

#include "format/trace_event/profile/firefox_give.h"
#include "format/trace_event/profile/json_profile.h"

#include <string.h>

/* -- profiles -- */

static bool add_profile(Firefox *file, uint32_t parent)
{
    FirefoxProfile  *profile = ARENA_NEW(file->cells.arena, FirefoxProfile);
    FirefoxProfile **added = ARENA_LIST_PUSH(&file->profiles, file->cells.arena);
    if (profile == NULL || added == NULL) {
        file->cells.failed = true;
        return false;
    }
    profile->parent = parent;
    *added = profile;
    file->profile = (uint32_t)file->profiles.count - 1;
    return true;
}

bool firefox_open(Firefox *file, Arena *arena, TraceBuilder *builder)
{
    enum { MILLISECONDS = 6 };
    *file = (Firefox){ .cells = { .arena = arena, .builder = builder, .exponent = MILLISECONDS },
                       .tracks = { .arena = arena } };
    file->sample_kind = builder_event_kind(builder, "sample", 6);
    file->marker_kind = builder_event_kind(builder, "marker", 6);
    file->counter_kind = builder_event_kind(builder, "counter", 7);
    builder_set_overlaps(builder, OVERLAPS_EXPECTED);
    return add_profile(file, 0);
}

void firefox_begin_profile(Firefox *file)
{
    (void)add_profile(file, file->profile);
}

void firefox_end_profile(Firefox *file)
{
    file->profile = file->profiles.items[file->profile]->parent;
}

/* -- meta -- */

static void take_start(Firefox *file, const JsonValue *value)
{
    enum { MILLISECONDS = 6 };
    FirefoxProfile *profile = file->profiles.items[file->profile];
    if (value->kind != JSON_NUMBER || profile->has_start ||
        number_scaled(value->at, value->size, MILLISECONDS, &profile->start) > NUMBER_ODD)
        return;
    profile->has_start = true;
    if (file->profile != 0 || file->event_count > 0) return;
    Clock clock = clock_ns();
    clock.has_epoch = true;
    clock.epoch_unix_ns = fine_time_round(profile->start);
    builder_set_clock(file->cells.builder, clock);
}

static void take_categories(Firefox *file, const JsonValue *value)
{
    FirefoxProfile *profile = file->profiles.items[file->profile];
    JsonItems       items = json_items(value);
    JsonValue       key, item, name;
    profile->categories.count = 0;
    while (value->kind == JSON_ARRAY && json_items_next(&items, &key, &item)) {
        StringId *added = ARENA_LIST_PUSH(&profile->categories, file->cells.arena);
        if (added == NULL) {
            file->cells.failed = true;
            return;
        }
        if (json_find(&item, "name", &name)) *added = profile_string(file->cells.builder, &name, "");
    }
}

static void take_units(Firefox *file, const JsonValue *value, uint64_t offset)
{
    JsonValue unit;
    if (json_find(value, "threadCPUDelta", &unit))
        file->cpu_unit = json_is(&unit, JSON_STRING, "ns")                    ? CPU_NS
                         : json_is(&unit, JSON_STRING, "variable CPU cycles") ? CPU_CYCLES
                                                                              : CPU_US;
    if (!json_find(value, "time", &unit) || !json_is(&unit, JSON_STRING, "bytes")) return;
    file->cells.exponent = 0;
    builder_warn(file->cells.builder, "no-time", (EventPos){ offset, ERR_NOWHERE },
                 "the times of the profile are bytes: 1 byte is drawn as 1 ns");
}

void firefox_meta_member(Firefox *file, const JsonValue *key, const JsonValue *value, uint64_t offset)
{
    if (json_is(key, JSON_STRING, "startTime")) take_start(file, value);
    if (json_is(key, JSON_STRING, "categories")) take_categories(file, value);
    if (json_is(key, JSON_STRING, "sampleUnits")) take_units(file, value, offset);
    if (file->profile == 0) file->cells.failed |= !profile_property(file->cells.builder, "meta.", key, value);
}

/* -- threads and counters -- */

void firefox_begin_owner(Firefox *file, FirefoxOwnerKind kind, uint64_t offset)
{
    const FirefoxTables tables = file->now.tables;
    file->now = (FirefoxOwner){ .kind = kind,
                                .tables = tables,
                                .profile = file->profile,
                                .index = kind == OWNER_THREAD ? file->thread_count++ : 0,
                                .offset = offset };
    firefox_tables_clear(&file->now.tables);
    file->in_owner = true;
}

/* Returns the identity of a number, or of a text, which is mostly a number. */
static Ident ident_of(TraceBuilder *builder, const JsonValue *value)
{
    bool     negative;
    uint64_t number;
    if (value->kind != JSON_NUMBER && value->kind != JSON_STRING) return (Ident){ .kind = IDENT_NONE };
    if (!value->escaped && number_integer(value->at, value->size, &negative, &number) == NUMBER_OK &&
        !negative)
        return ident_uint(number);
    const JsonValue text = { value->at, value->size, JSON_STRING, value->escaped };
    const StringId  string = profile_string(builder, &text, "");
    return string.index == 0 ? (Ident){ .kind = IDENT_NONE } : ident_text(string);
}

void firefox_owner_member(Firefox *file, const JsonValue *key, const JsonValue *value)
{
    const struct {
        const char *key;
        StringId   *string;
    } STRINGS_OF[] = { { "name", &file->now.name },
                       { "processName", &file->now.process },
                       { "processType", &file->now.process_type },
                       { "eTLD+1", &file->now.site },
                       { "category", &file->now.category } };
    for (size_t i = 0; i < sizeof STRINGS_OF / sizeof STRINGS_OF[0]; i++)
        if (json_is(key, JSON_STRING, STRINGS_OF[i].key) && value->kind == JSON_STRING)
            *STRINGS_OF[i].string = profile_string(file->cells.builder, value, "");
    if (json_is(key, JSON_STRING, "pid")) file->now.pid = ident_of(file->cells.builder, value);
    if (json_is(key, JSON_STRING, "tid")) file->now.tid = ident_of(file->cells.builder, value);
    if (json_is(key, JSON_STRING, "weightType"))
        file->now.weighs_other = !json_is(value, JSON_STRING, "samples");
}

static void give(Firefox *file, FirefoxOwner *owner)
{
    if (owner->kind == OWNER_THREAD)
        firefox_give_thread(file, owner);
    else
        firefox_give_counter(file, owner);
}

/* True if the tables and facts around a thread that it needs are known. A counter may belong to a later thread. */
static bool is_ready(const Firefox *file)
{
    const FirefoxProfile *profile = file->profiles.items[file->profile];
    const FirefoxOwner   *owner = &file->now;
    return owner->kind == OWNER_THREAD && profile->knows_meta &&
           (owner->tables.columns[STRINGS].count > 0 || profile->knows_shared) &&
           (owner->tables.columns[LIBS].count > 0 || profile->knows_libs);
}

void firefox_end_owner(Firefox *file)
{
    file->in_owner = false;
    if (is_ready(file)) {
        give(file, &file->now);
        return;
    }
    FirefoxOwner *waiting = ARENA_LIST_PUSH(&file->waiting, file->cells.arena);
    if (waiting == NULL) {
        file->cells.failed = true;
        return;
    }
    *waiting = file->now;
    file->now.tables = (FirefoxTables){ .stacks = NULL };
}

void firefox_finish(Firefox *file)
{
    if (file->in_owner) firefox_end_owner(file);
    for (size_t pass = OWNER_THREAD; pass <= OWNER_COUNTER; pass++)
        for (size_t i = 0; i < file->waiting.count && !file->cells.failed; i++)
            if (file->waiting.items[i].kind == (FirefoxOwnerKind)pass) give(file, &file->waiting.items[i]);
}
