#include "format/weighted/pprof_stacks.h"

#include "base/checked.h"
#include "format/input_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Fields of the messages of profile.proto */
enum {
    PROFILE_KIND = 1,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_TIME = 9,
    PROFILE_DURATION,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_DEFAULT = 14
};
enum { KIND_TYPE = 1, KIND_UNIT };
enum { MAPPING_ID = 1, MAPPING_FILE = 5 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_LINE };

bool pprof_open(Pprof *profile, Arena *arena, TraceBuilder *builder)
{
    *profile = (Pprof){ .location_ids = { .arena = arena },
                        .function_ids = { .arena = arena },
                        .mapping_ids = { .arena = arena } };
    return weighted_open(&profile->weighted, arena, builder, "pprof profile");
}

/* ---- messages ---- */

static void add_number(Pprof *profile, PprofNumbers *numbers, uint64_t value)
{
    uint64_t *added = ARENA_LIST_PUSH(numbers, profile->weighted.arena);
    if (added == NULL)
        profile->weighted.failed = true;
    else
        *added = value;
}

/* Registers the last of `count` items by its id; the first one of an id counts. */
static void add_id(Pprof *profile, IdMap *ids, uint64_t id, size_t count)
{
    if (count <= UINT32_MAX && id_map_find(ids, id) != 0) return;
    profile->weighted.failed |= count > UINT32_MAX || !id_map_put(ids, id, (uint32_t)count);
}

static bool take_kind(StringView bytes, uint64_t offset, PprofKind *kind)
{
    ByteCursor message = wire_message(bytes);
    WireField  field;
    *kind = (PprofKind){ .offset = offset };
    while (wire_next(&message, &field)) {
        if (field.number == KIND_TYPE) kind->type = field.value;
        if (field.number == KIND_UNIT) kind->unit = field.value;
    }
    return !message.failed;
}

static bool take_sample(Pprof *profile, StringView bytes, uint64_t offset)
{
    WireRepeated locations = wire_repeated(bytes, SAMPLE_LOCATION);
    WireRepeated values = wire_repeated(bytes, SAMPLE_VALUE);
    PprofSample *sample = ARENA_LIST_PUSH(&profile->samples, profile->weighted.arena);
    if (sample == NULL) {
        profile->weighted.failed = true;
        return true;
    }
    *sample = (PprofSample){ .offset = offset,
                             .location = profile->locations.count,
                             .value = profile->values.count };
    for (uint64_t id; wire_next_repeated(&locations, &id);)
        add_number(profile, &profile->locations, id);
    if (locations.message.failed) return false;
    for (uint64_t value; wire_next_repeated(&values, &value);) {
        int64_t *added = ARENA_LIST_PUSH(&profile->values, profile->weighted.arena);
        profile->weighted.failed |= added == NULL;
        if (added != NULL) *added = (int64_t)value;
    }
    sample->location_count = profile->locations.count - sample->location;
    sample->value_count = profile->values.count - sample->value;
    return !values.message.failed;
}

static bool take_mapping(Pprof *profile, StringView bytes)
{
    ByteCursor message = wire_message(bytes);
    WireField  field;
    uint64_t   id = 0, file = 0;
    while (wire_next(&message, &field)) {
        if (field.number == MAPPING_ID) id = field.value;
        if (field.number == MAPPING_FILE) file = field.value;
    }
    if (message.failed) return false;
    add_number(profile, &profile->mappings, file);
    if (!profile->weighted.failed) add_id(profile, &profile->mapping_ids, id, profile->mappings.count);
    return true;
}

static bool take_line(Pprof *profile, StringView bytes)
{
    ByteCursor message = wire_message(bytes);
    WireField  field;
    uint64_t   function = 0;
    while (wire_next(&message, &field))
        if (field.number == LINE_FUNCTION) function = field.value;
    add_number(profile, &profile->lines, function);
    return !message.failed;
}

static bool take_location(Pprof *profile, StringView bytes)
{
    ByteCursor    message = wire_message(bytes);
    WireField     field;
    PprofLocation made = { .line = profile->lines.count };
    uint64_t      id = 0;
    bool          is_whole = true;
    while (wire_next(&message, &field)) {
        if (field.number == LOCATION_ID) id = field.value;
        if (field.number == LOCATION_MAPPING) made.mapping = field.value;
        if (field.number == LOCATION_ADDRESS) made.address = field.value;
        if (field.number == LOCATION_LINE) is_whole &= take_line(profile, field.bytes);
    }
    if (message.failed || !is_whole) return false;
    made.line_count = profile->lines.count - made.line;
    PprofLocation *location = ARENA_LIST_PUSH(&profile->location_of, profile->weighted.arena);
    if (location == NULL) {
        profile->weighted.failed = true;
        return true;
    }
    *location = made;
    add_id(profile, &profile->location_ids, id, profile->location_of.count);
    return true;
}

static bool take_function(Pprof *profile, StringView bytes)
{
    ByteCursor    message = wire_message(bytes);
    WireField     field;
    PprofFunction made = { .name = 0 };
    uint64_t      id = 0;
    while (wire_next(&message, &field)) {
        if (field.number == FUNCTION_ID) id = field.value;
        if (field.number == FUNCTION_NAME) made.name = field.value;
        if (field.number == FUNCTION_SYSTEM_NAME) made.system_name = field.value;
        if (field.number == FUNCTION_FILE) made.file = field.value;
        if (field.number == FUNCTION_LINE) made.line = field.value;
    }
    if (message.failed) return false;
    PprofFunction *function = ARENA_LIST_PUSH(&profile->functions, profile->weighted.arena);
    if (function == NULL) {
        profile->weighted.failed = true;
        return true;
    }
    *function = made;
    add_id(profile, &profile->function_ids, id, profile->functions.count);
    return true;
}

static void take_string(Pprof *profile, StringView text, uint64_t offset)
{
    StringId *string = ARENA_LIST_PUSH(&profile->strings, profile->weighted.arena);
    if (string == NULL)
        profile->weighted.failed = true;
    else if (text.size > 0)
        *string = input_text_intern(profile->weighted.builder, text, "a string",
                                    (EventPos){ offset, ERR_NOWHERE }, &profile->weighted.failed);
}

bool pprof_take_field(Pprof *profile, const WireField *field, uint64_t offset)
{
    PprofKind *kind;
    switch (field->number) {
    case PROFILE_KIND:
        kind = ARENA_LIST_PUSH(&profile->kinds, profile->weighted.arena);
        profile->weighted.failed |= kind == NULL;
        return kind == NULL || take_kind(field->bytes, offset, kind);
    case PPROF_SAMPLE:
        return take_sample(profile, field->bytes, offset);
    case PROFILE_MAPPING:
        return take_mapping(profile, field->bytes);
    case PROFILE_LOCATION:
        return take_location(profile, field->bytes);
    case PROFILE_FUNCTION:
        return take_function(profile, field->bytes);
    case PROFILE_STRING:
        take_string(profile, field->bytes, offset);
        return true;
    case PROFILE_PERIOD_TYPE:
        return take_kind(field->bytes, offset, &profile->period_type);
    case PROFILE_TIME:
        profile->time_ns = (int64_t)field->value;
        return true;
    case PROFILE_DURATION:
        profile->duration_ns = (int64_t)field->value;
        return true;
    case PROFILE_PERIOD:
        profile->period = (int64_t)field->value;
        return true;
    case PROFILE_DEFAULT:
        profile->default_type = field->value;
        return true;
    default:
        return true;
    }
}

/* ---- frames ---- */

static StringId string_of(const Pprof *profile, uint64_t index)
{
    return index < profile->strings.count ? profile->strings.items[index] : STRING_NONE;
}

/* Returns the last part of a mapping's path. */
static StringId module_of(const Pprof *profile, uint64_t mapping)
{
    const uint32_t   found = id_map_find(&profile->mapping_ids, mapping);
    const StringId   path = found == 0 ? STRING_NONE : string_of(profile, profile->mappings.items[found - 1]);
    const StringView text = builder_text(profile->weighted.builder, path);
    size_t           begin = text.size;
    char             name[256];
    while (begin > 0 && text.bytes[begin - 1] != '/' && text.bytes[begin - 1] != '\\')
        begin--;
    if (begin == 0 || begin == text.size || text.size - begin > sizeof name) return path;
    memcpy(name, text.bytes + begin, text.size - begin); /* builder_string may move the text */
    return builder_string(profile->weighted.builder, name, text.size - begin);
}

/* Adds the frame of a function. Frames of one function are equal, as in `pprof -top`. */
static void add_frame(Pprof *profile, const PprofLocation *location, uint64_t function, StringId module)
{
    const uint32_t found = id_map_find(&profile->function_ids, function);
    StackFrame     frame = { .module = module };
    PprofFrame    *added = ARENA_LIST_PUSH(&profile->frames, profile->weighted.arena);
    if (added == NULL) {
        profile->weighted.failed = true;
        return;
    }
    if (found != 0) {
        const PprofFunction *of = &profile->functions.items[found - 1];
        frame.function = string_of(profile, of->name);
        if (frame.function.index == 0) frame.function = string_of(profile, of->system_name);
        frame.file = string_of(profile, of->file);
        frame.line = of->line > UINT32_MAX ? 0 : (uint32_t)of->line;
    }
    if (frame.function.index == 0) frame.address = location->address;
    if (frame.function.index == 0 && frame.address == 0)
        frame.function = builder_string(profile->weighted.builder, "(unknown)", 9);
    *added = (PprofFrame){ builder_frame(profile->weighted.builder, &frame), frame.function };
}

/* Makes the frames of a location on its first use: the callers of an inlined function are before it. */
static void make_frames(Pprof *profile, PprofLocation *location)
{
    const StringId module = module_of(profile, location->mapping);
    location->frame = profile->frames.count;
    location->has_frames = true;
    for (size_t i = location->line_count; i-- > 0;)
        add_frame(profile, location, profile->lines.items[location->line + i], module);
    if (location->line_count == 0) add_frame(profile, location, 0, module);
}

/* ---- samples ---- */

/* Returns the node of a sample's stack. */
static uint32_t node_of(Pprof *profile, const PprofSample *sample)
{
    uint32_t node = 0;
    for (size_t i = sample->location_count; i-- > 0 && !profile->weighted.failed;) {
        const uint64_t id = profile->locations.items[sample->location + i];
        const uint32_t found = id_map_find(&profile->location_ids, id);
        if (found == 0) {
            builder_warn(profile->weighted.builder, "unknown-frame",
                         (EventPos){ sample->offset, profile->event_count },
                         "location %" PRIu64 " is not in the profile: left out", id);
            continue;
        }
        PprofLocation *location = &profile->location_of.items[found - 1];
        if (!location->has_frames) make_frames(profile, location);
        const size_t count = location->line_count == 0 ? 1 : location->line_count;
        for (size_t f = 0; f < count && !profile->weighted.failed; f++) {
            const PprofFrame *frame = &profile->frames.items[location->frame + f];
            node = weighted_step(&profile->weighted, node, frame->frame, frame->function);
        }
    }
    return node;
}

static int64_t ticks_of(const Pprof *profile, int64_t value, ValueUnit unit, EventPos pos)
{
    int64_t scale = 1;
    for (unsigned i = 0; i < unit.exponent; i++)
        scale *= 10;
    if (value <= INT64_MAX / scale) return value < 0 ? -1 : value * scale;
    builder_warn(profile->weighted.builder, "time-out-of-range", pos,
                 "a value exceeds 64 bits of nanoseconds: its width is clamped");
    return INT64_MAX;
}

static void give_sample(Pprof *profile, const PprofSample *sample)
{
    Weighted      *weighted = &profile->weighted;
    const EventPos pos = { sample->offset, profile->event_count };
    uint32_t       node = node_of(profile, sample);
    weighted_event(weighted, node, pos);
    if (sample->value_count != profile->kinds.count)
        builder_warn(weighted->builder, "uneven-profile", pos,
                     "a sample has %zu values of %zu kinds: missing ones are 0, further ones left out",
                     sample->value_count, profile->kinds.count);
    if (node == 0 && !weighted->failed) { /* a sample without a stack */
        const StackFrame frame = { .function = builder_string(weighted->builder, "(no stack)", 10) };
        node = weighted_step(weighted, 0, builder_frame(weighted->builder, &frame), frame.function);
    }
    for (uint32_t i = 0; i < weighted->kind_count && i < sample->value_count && !weighted->failed; i++) {
        const int64_t value = profile->values.items[sample->value + i];
        weighted_add(weighted, node, i, ticks_of(profile, value, weighted->kinds[i].unit, pos), pos);
    }
    profile->event_count++;
}

/* ---- the profile ---- */

/* Appends "type (unit)". */
static void append_kind(const Pprof *profile, const PprofKind *kind, Bytes *text)
{
    const StringView type = builder_text(profile->weighted.builder, string_of(profile, kind->type));
    const StringView unit = builder_text(profile->weighted.builder, string_of(profile, kind->unit));
    bytes_append(text, type.bytes, type.size);
    if (unit.size == 0) return;
    bytes_append_text(text, " (");
    bytes_append(text, unit.bytes, unit.size);
    bytes_append_text(text, ")");
}

/* Returns the index of the type that programs show first: the default one, otherwise the last. */
static size_t default_kind(const Pprof *profile)
{
    const StringId wanted = string_of(profile, profile->default_type);
    for (size_t i = 0; i < profile->kinds.count && wanted.index != 0; i++)
        if (string_of(profile, profile->kinds.items[i].type).index == wanted.index) return i;
    return profile->kinds.count - 1;
}

static void give_kinds(Pprof *profile)
{
    TraceBuilder *builder = profile->weighted.builder;
    const size_t  first = default_kind(profile);
    Bytes         text = { .data = NULL };
    for (size_t i = 0; i < profile->kinds.count; i++) {
        const PprofKind *kind = &profile->kinds.items[i];
        bytes_clear(&text);
        append_kind(profile, kind, &text);
        const StringId name = text.size == 0 || text.failed
                                  ? STRING_NONE
                                  : builder_string(builder, (const char *)text.data, text.size);
        weighted_add_kind(&profile->weighted, name,
                          value_unit_of(builder_text(builder, string_of(profile, kind->unit))),
                          (EventPos){ kind->offset, ERR_NOWHERE });
    }
    if (first < profile->weighted.kind_count)
        builder_sort_thread(builder, profile->weighted.kinds[first].thread, -1);
    profile->weighted.failed |= text.failed;
    bytes_release(&text);
}

static void give_number(const Pprof *profile, const char *key, int64_t value)
{
    char      json[32];
    const int size = snprintf(json, sizeof json, "%" PRId64, value);
    if (value != 0)
        builder_property(profile->weighted.builder,
                         builder_string(profile->weighted.builder, key, strlen(key)), json, (size_t)size);
}

void pprof_finish(Pprof *profile)
{
    give_number(profile, "time_nanos", profile->time_ns);
    give_number(profile, "duration_nanos", profile->duration_ns);
    give_number(profile, "period", profile->period);
    give_kinds(profile);
    for (size_t i = 0; i < profile->samples.count && !profile->weighted.failed; i++)
        give_sample(profile, &profile->samples.items[i]);
    weighted_finish(&profile->weighted);
}
