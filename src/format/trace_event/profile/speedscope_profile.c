#include "format/trace_event/profile/speedscope_profile.h"

#include "base/wide.h"
#include "format/trace_event/profile/json_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool speedscope_open(Speedscope *file, Arena *arena, TraceBuilder *builder)
{
    *file = (Speedscope){ .arena = arena, .builder = builder };
    file->process = builder_process(builder, ident_int(1));
    builder_name_process(builder, file->process, builder_string(builder, "speedscope", 10));
    file->kinds[LIST_FRAMES] = builder_event_kind(builder, "frame", 5);
    file->kinds[LIST_EVENTS] = builder_event_kind(builder, "O", 1);
    file->end_kind = builder_event_kind(builder, "C", 1);
    file->kinds[LIST_SAMPLES] = builder_event_kind(builder, "sample", 6);
    builder_set_end_kind(builder, "C");
    builder_set_rules(builder, MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_THREAD_END);
    const StringId   name = builder_string(builder, "(unknown)", 9);
    SpeedscopeFrame *unknown = ARENA_LIST_PUSH(&file->frames, arena);
    if (unknown == NULL) return false;
    *unknown = (SpeedscopeFrame){ .name = name,
                                  .label = builder_label(builder, name, STRING_NONE),
                                  .frame = builder_frame(builder, &(StackFrame){ .function = name }) };
    return true;
}

/* -- frames -- */

/* Returns a line or column; 0 if it is not a number from 1 on. */
static uint32_t place_of(const JsonValue *value)
{
    bool     negative;
    uint64_t place;
    if (value->kind != JSON_NUMBER || number_integer(value->at, value->size, &negative, &place) > NUMBER_ODD)
        return 0;
    return negative || place > UINT32_MAX ? 0 : (uint32_t)place;
}

static void add_frame(Speedscope *file, const JsonValue *value, uint64_t offset)
{
    TraceBuilder *builder = file->builder;
    JsonItems     items = json_items(value);
    JsonValue     key, member, name = { .at = NULL };
    StackFrame    frame = { .line = 0 };
    while (value->kind == JSON_OBJECT && json_items_next(&items, &key, &member)) {
        if (json_is(&key, JSON_STRING, "name")) name = member;
        if (json_is(&key, JSON_STRING, "file")) frame.file = profile_string(builder, &member, "");
        if (json_is(&key, JSON_STRING, "line")) frame.line = place_of(&member);
        if (json_is(&key, JSON_STRING, "col")) frame.column = place_of(&member);
    }
    frame.function = profile_string(builder, &name, "(anonymous)");
    const LabelId    label = builder_label(builder, frame.function, STRING_NONE);
    SpeedscopeFrame *added = ARENA_LIST_PUSH(&file->frames, file->arena);
    if (added == NULL) {
        file->failed = true;
        return;
    }
    *added = (SpeedscopeFrame){ .name = frame.function,
                                .label = label,
                                .frame = builder_frame(builder, &frame),
                                .has_place = frame.file.index != 0 || frame.line != 0 };
    if (added->has_place) added->stack = builder_stack(builder, STACK_NONE, added->frame);
    builder_other(builder, OTHER_METADATA, file->kinds[LIST_FRAMES],
                  &(EventHead){ .thread = builder_thread(builder, file->process, ident_int(1)),
                                .label = label,
                                .pos = { offset, file->event_count++ },
                                .is_timeless = true });
    builder_count_events(builder, file->kinds[LIST_FRAMES], 1);
}

/* Returns the frame of a number. `number` >= the number of frames: the unknown one, with a warning. */
static uint32_t frame_of_number(Speedscope *file, uint64_t number, EventPos pos)
{
    if (number < file->frames.count - 1 && number < UINT32_MAX) return (uint32_t)number + 1;
    builder_warn(file->builder, "unknown-frame", pos, "frame %" PRIu64 " is not in the list of %zu frames",
                 number, file->frames.count - 1);
    return 0;
}

static uint32_t frame_of(Speedscope *file, const JsonValue *value, EventPos pos)
{
    bool     negative = false;
    uint64_t number;
    if (value->kind == JSON_NUMBER &&
        number_integer(value->at, value->size, &negative, &number) <= NUMBER_ODD && !negative)
        return frame_of_number(file, number, pos);
    builder_warn(file->builder, "unknown-frame", pos, "\"frame\" is not the number of a frame");
    return 0;
}

/* -- times -- */

static bool is_number(const JsonValue *value)
{
    return value->kind == JSON_NUMBER;
}

static bool time_of(const SpeedscopeProfile *profile, const JsonValue *value, FineTime *time)
{
    *time = (FineTime){ 0 };
    return is_number(value) &&
           number_scaled(value->at, value->size, profile->scale.exponent, time) <= NUMBER_ODD;
}

static int64_t tick_of(Speedscope *file, FineTime time, EventPos pos)
{
    int64_t tick;
    times_to_ticks(&file->times, file->builder, pos, &time, 1, &tick);
    return tick;
}

/* -- events -- */

SpeedscopeEvent speedscope_event(const JsonValue *value)
{
    SpeedscopeEvent event = { .has_more = false };
    JsonItems       items = json_items(value);
    JsonValue       key, member;
    while (value->kind == JSON_OBJECT && json_items_next(&items, &key, &member)) {
        if (json_is(&key, JSON_STRING, "type")) {
            event.type = member;
        } else if (json_is(&key, JSON_STRING, "frame")) {
            event.frame = member;
        } else if (json_is(&key, JSON_STRING, "at")) {
            event.at = member;
        } else {
            event.has_more = true;
        }
    }
    return event;
}

static void take_event(Speedscope *file, const SpeedscopeEvent *event, EventPos pos)
{
    SpeedscopeProfile *profile = &file->now;
    const bool         is_begin = json_is(&event->type, JSON_STRING, "O");
    FineTime           time;
    if (!is_begin && !json_is(&event->type, JSON_STRING, "C")) {
        builder_warn(file->builder, "unknown-event", pos, "\"type\" is neither \"O\" nor \"C\": left out");
        return;
    }
    builder_count_events(file->builder, is_begin ? file->kinds[LIST_EVENTS] : file->end_kind, 1);
    if (!time_of(profile, &event->at, &time)) {
        builder_warn(file->builder, "bad-time", pos,
                     "\"at\" is not a number in range: the event is left out");
        return;
    }
    const SpeedscopeFrame *frame = &file->frames.items[frame_of(file, &event->frame, pos)];
    const int64_t          tick = tick_of(file, time, pos);
    const unsigned         flags = event->has_more ? EVENT_DETAILS : 0;
    if (!is_begin) {
        builder_end(file->builder, profile->thread, tick, frame->label, pos, flags);
        return;
    }
    builder_begin(file->builder, profile->thread, tick, frame->label, pos, flags);
    if (frame->has_place) builder_mark_stack(file->builder, profile->thread, frame->stack);
}

static const uint8_t *skip_spaces(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at <= ' ')
        at++;
    return at;
}

/* Reads a string of one letter or a number. Returns the byte after it; NULL for any other value. */
static const uint8_t *usual_value(const uint8_t *at, const uint8_t *end, JsonValue *value)
{
    if (end - at > 2 && *at == '"') {
        *value = (JsonValue){ at + 1, 1, JSON_STRING, false };
        return at[1] != '"' && at[1] != '\\' && at[2] == '"' ? at + 3 : NULL;
    }
    const uint8_t *stop = at;
    while (stop < end && ((*stop >= '0' && *stop <= '9') || *stop == '.' || *stop == '-'))
        stop++;
    *value = (JsonValue){ at, (size_t)(stop - at), JSON_NUMBER, false };
    return stop == at ? NULL : stop;
}

/* Reads an event's members behind its brace, or a later comma. */
static const uint8_t *usual_members(const uint8_t *at, const uint8_t *end, SpeedscopeEvent *event)
{
    enum { LONGEST_KEY = sizeof "\"frame\"" };
    for (;; at++) {
        at = skip_spaces(at, end);
        if (end - at < LONGEST_KEY || *at != '"') return NULL;
        const uint8_t  *key = at + 1, *quote = memchr(key, '"', LONGEST_KEY - 1);
        const JsonValue text = { key, quote == NULL ? 0 : (size_t)(quote - key), JSON_STRING, false };
        JsonValue      *value = json_is(&text, JSON_STRING, "type")    ? &event->type
                                : json_is(&text, JSON_STRING, "frame") ? &event->frame
                                : json_is(&text, JSON_STRING, "at")    ? &event->at
                                                                       : NULL;
        if (quote == NULL || value == NULL) return NULL;
        at = skip_spaces(quote + 1, end);
        if (at == end || *at != ':') return NULL;
        at = usual_value(skip_spaces(at + 1, end), end, value);
        at = at == NULL ? end : skip_spaces(at, end);
        if (at == end) return NULL;
        if (*at == '}') return at + 1;
        if (*at != ',') return NULL;
    }
}

/* True if the items of a list can be passed on as soon as they are read. */
static bool is_ready(const Speedscope *file, SpeedscopeList list)
{
    return file->has_frames && (list == LIST_SAMPLES || file->now.unit != UNIT_UNKNOWN);
}

const uint8_t *speedscope_usual_event(Speedscope *file, const uint8_t *at, const uint8_t *end,
                                      uint64_t offset)
{
    SpeedscopeEvent event = { .has_more = false };
    const uint8_t  *stop;
    if (*at != '{' || !is_ready(file, LIST_EVENTS)) return NULL;
    stop = usual_members(at + 1, end, &event);
    if (stop != NULL) take_event(file, &event, (EventPos){ offset, file->event_count++ });
    return stop;
}

/* -- samples -- */

/* Adds a frame inside the first `depth` ones of file->steps. */
static void take_step(Speedscope *file, uint32_t depth, uint32_t frame)
{
    if (depth < file->steps.count && file->steps.items[depth].frame == frame) return;
    file->steps.count = depth;
    const StackId   outer = depth == 0 ? STACK_NONE : file->steps.items[depth - 1].stack;
    SpeedscopeStep *step = ARENA_LIST_PUSH(&file->steps, file->arena);
    if (step == NULL) {
        file->failed = true;
        return;
    }
    *step = (SpeedscopeStep){ frame, builder_stack(file->builder, outer, file->frames.items[frame].frame) };
}

static void take_sample(Speedscope *file, const JsonValue *value, EventPos pos)
{
    JsonItems items = json_items(value);
    JsonValue key, member;
    uint32_t  depth = 0;
    builder_count_events(file->builder, file->kinds[LIST_SAMPLES], 1);
    if (value->kind != JSON_ARRAY)
        builder_warn(file->builder, "unknown-frame", pos, "a sample is not a list of frames");
    while (value->kind == JSON_ARRAY && !file->failed && json_items_next(&items, &key, &member))
        take_step(file, depth++, frame_of(file, &member, pos));
    SpeedscopeSample *sample = ARENA_LIST_PUSH(&file->samples, file->arena);
    if (sample == NULL || file->failed) {
        file->failed = true;
        return;
    }
    const SpeedscopeStep step = depth == 0 ? (SpeedscopeStep){ 0, STACK_NONE } : file->steps.items[depth - 1];
    *sample = (SpeedscopeSample){
        .offset = pos.offset, .event = pos.event, .stack = step.stack, .frame = step.frame
    };
}

static void take_weight(Speedscope *file, const JsonValue *value, uint64_t offset)
{
    FineTime time, *weight = ARENA_LIST_PUSH(&file->weights, file->arena);
    if (!time_of(&file->now, value, &time) || time.ns < 0) {
        time = (FineTime){ 0 };
        builder_warn(file->builder, "bad-time", (EventPos){ offset, ERR_NOWHERE },
                     "a weight is not a positive number in range: taken as 0");
    }
    if (weight == NULL)
        file->failed = true;
    else
        *weight = time;
}

/* Makes weights for a profile that has none: of equal lengths up to its endValue, or of one unit. */
static void make_weights(Speedscope *file, FineTime start)
{
    const size_t    count = file->samples.count;
    FineTime        end, unit;
    const JsonValue one = { (const uint8_t *)"1", 1, JSON_NUMBER, false };
    const bool      has_end = time_of(&file->now, &file->now.end, &end) && end.ns > start.ns &&
                         (start.ns >= 0 || end.ns <= INT64_MAX + start.ns);
    (void)time_of(&file->now, &one, &unit);
    builder_warn(file->builder, "no-weights", (EventPos){ file->now.offset, ERR_NOWHERE },
                 "the samples of a profile have no weights: all are of the same length");
    for (size_t i = 0; i < count && !file->failed; i++) {
        FineTime *weight = ARENA_LIST_PUSH(&file->weights, file->arena);
        file->failed |= weight == NULL;
        if (weight == NULL) continue;
        *weight = unit;
        if (has_end)
            weight->ns = wide_mul_div_i64(end.ns - start.ns, i + 1, count) -
                         wide_mul_div_i64(end.ns - start.ns, i, count);
    }
}

/* Returns the number of samples that a weight represents. */
static double count_of_weight(const SpeedscopeProfile *profile, FineTime weight)
{
    double units = (double)weight.ns + (double)weight.ps / 1000;
    for (unsigned i = 0; i < profile->scale.exponent; i++)
        units /= 10;
    return profile->unit == UNIT_NONE ? units : 1;
}

static void give_sample(Speedscope *file, SamplerId sampler, const SpeedscopeSample *sample, int64_t tick,
                        double count)
{
    builder_other(file->builder, OTHER_EVENT, file->kinds[LIST_SAMPLES],
                  &(EventHead){ .thread = file->now.thread,
                                .tick = tick,
                                .label = sample->stack.index == 0 ? LABEL_NONE
                                                                  : file->frames.items[sample->frame].label,
                                .pos = { sample->offset, sample->event },
                                .is_timeless = count < 0 });
    if (count >= 0) builder_stack_sample(file->builder, sampler, tick, sample->stack, count);
}

/* True if the last sample gets its own length without a mark at its end: all are of one length, which is then also the length
 * of a last sample (builder_stack_sample). */
static bool ends_by_itself(const Speedscope *file)
{
    const FineTime *weights = file->weights.items;
    for (size_t i = 1; i < file->samples.count; i++)
        if (weights[i].ns != weights[0].ns || weights[i].ps != weights[0].ps) return false;
    return file->samples.count > 1;
}

static void give_samples(Speedscope *file, FineTime start)
{
    SpeedscopeProfile *profile = &file->now;
    const EventPos     pos = { profile->offset, ERR_NOWHERE };
    const size_t       count = file->samples.count;
    const SamplerId    sampler =
        builder_sampler(file->builder, profile->thread, builder_string(file->builder, "samples", 7));
    if (file->weights.count == 0) make_weights(file, start);
    if (file->weights.count != count)
        builder_warn(file->builder, "uneven-profile", pos,
                     "the numbers of samples and weights differ: the surplus is left out");
    FineTime time = start;
    for (size_t i = 0; i < count && !file->failed; i++) {
        const bool     has_weight = i < file->weights.count;
        const FineTime weight = has_weight ? file->weights.items[i] : (FineTime){ 0 };
        FineTime       end;
        give_sample(file, sampler, &file->samples.items[i], tick_of(file, time, pos),
                    has_weight ? count_of_weight(profile, weight) : -1);
        if (fine_time_add(time, weight, &end))
            time = end;
        else
            builder_warn(file->builder, "time-out-of-range", pos,
                         "samples exceed 64 bits of nanoseconds: their times are clamped");
    }
    if (count > 0 && (file->weights.count < count || !ends_by_itself(file)))
        builder_stack_sample(file->builder, sampler, tick_of(file, time, pos), STACK_NONE, 0);
}

/* -- profiles -- */

void speedscope_begin_profile(Speedscope *file, uint64_t offset)
{
    char           title[32];
    const uint32_t index = file->profile_count++;
    file->now = (SpeedscopeProfile){ .index = index,
                                     .thread = builder_thread(file->builder, file->process,
                                                              ident_int((int64_t)index + 1)),
                                     .offset = offset };
    file->in_profile = true;
    file->samples.count = 0;
    file->weights.count = 0;
    const int size = snprintf(title, sizeof title, "Profile %" PRIu32, index + 1);
    builder_name_thread(file->builder, file->now.thread, builder_string(file->builder, title, (size_t)size));
    builder_sort_thread(file->builder, file->now.thread, index);
}

static void take_unit(Speedscope *file, const JsonValue *value)
{
    const bool       is_text = value->kind == JSON_STRING;
    const StringView name = { is_text ? (const char *)value->at : "", is_text ? value->size : 0 };
    const ValueUnit  unit = value_unit_of(name);
    file->now.unit = unit.kind == VALUES_TIME    ? UNIT_TIME
                     : unit.kind == VALUES_BYTES ? UNIT_BYTES
                                                 : UNIT_NONE;
    file->now.scale = unit;
}

/* Returns a copy of a value in the arena. */
static JsonValue keep_value(Speedscope *file, const JsonValue *value)
{
    JsonValue kept = *value;
    kept.at = (const uint8_t *)arena_push_copy(file->arena, value->at, value->size);
    file->failed |= kept.at == NULL;
    return kept.at == NULL ? (JsonValue){ .at = NULL } : kept;
}

void speedscope_profile_member(Speedscope *file, const JsonValue *key, const JsonValue *value)
{
    char prefix[32];
    if (json_is(key, JSON_STRING, "unit")) {
        take_unit(file, value);
    } else if (json_is(key, JSON_STRING, "startValue")) {
        file->now.start = keep_value(file, value);
    } else if (json_is(key, JSON_STRING, "endValue")) {
        file->now.end = keep_value(file, value);
    } else if (json_is(key, JSON_STRING, "name")) {
        const StringId name = profile_string(file->builder, value, "");
        if (name.index != 0) builder_name_thread(file->builder, file->now.thread, name);
    } else if (!json_is(key, JSON_STRING, "type")) {
        (void)snprintf(prefix, sizeof prefix, "profiles[%" PRIu32 "].", file->now.index);
        file->failed |= !profile_property(file->builder, prefix, key, value);
    }
}

static void keep_item(Speedscope *file, SpeedscopeList list, const JsonValue *value, EventPos pos)
{
    SpeedscopeKept *kept = ARENA_LIST_PUSH(&file->now.kept, file->arena);
    if (kept == NULL) {
        file->failed = true;
        return;
    }
    *kept = (SpeedscopeKept){
        .value = keep_value(file, value), .offset = pos.offset, .event = pos.event, .list = list
    };
}

static void take_item(Speedscope *file, SpeedscopeList list, const JsonValue *value, EventPos pos)
{
    if (list == LIST_EVENTS) {
        const SpeedscopeEvent event = speedscope_event(value);
        take_event(file, &event, pos);
    } else if (list == LIST_SAMPLES) {
        take_sample(file, value, pos);
    } else {
        take_weight(file, value, pos.offset);
    }
}

void speedscope_item(Speedscope *file, SpeedscopeList list, const JsonValue *value, uint64_t offset)
{
    if (list == LIST_FRAMES) {
        add_frame(file, value, offset);
        return;
    }
    const EventPos pos = { offset, file->event_count };
    file->event_count += list != LIST_WEIGHTS;
    if (is_ready(file, list))
        take_item(file, list, value, pos);
    else
        keep_item(file, list, value, pos);
}

/* Extends the trace to the begin or end of the current profile. */
static void widen_to(Speedscope *file, FineTime time)
{
    builder_widen(file->builder, tick_of(file, time, (EventPos){ file->now.offset, ERR_NOWHERE }));
}

static void check_unit(Speedscope *file)
{
    const EventPos pos = { file->now.offset, ERR_NOWHERE };
    if (file->now.unit == UNIT_UNKNOWN) {
        builder_warn(file->builder, "unknown-unit", pos, "a profile has no unit: taken as \"none\"");
        take_unit(file, &(JsonValue){ .at = NULL });
    }
    value_unit_warn(file->builder, file->now.scale, pos);
}

/* Passes on the rest of the current profile, when all frames are known. */
static void give_profile(Speedscope *file)
{
    SpeedscopeProfile *profile = &file->now;
    FineTime           start, end;
    check_unit(file);
    for (size_t i = 0; i < profile->kept.count && !file->failed; i++) {
        const SpeedscopeKept *kept = &profile->kept.items[i];
        take_item(file, kept->list, &kept->value, (EventPos){ kept->offset, kept->event });
    }
    if (time_of(profile, &profile->start, &start)) widen_to(file, start);
    if (time_of(profile, &profile->end, &end)) widen_to(file, end);
    if (file->samples.count + file->weights.count > 0) give_samples(file, start);
}

void speedscope_end_profile(Speedscope *file)
{
    file->in_profile = false;
    if (file->has_frames) {
        give_profile(file);
        return;
    }
    SpeedscopeProfile *waiting = ARENA_LIST_PUSH(&file->waiting, file->arena);
    if (waiting == NULL)
        file->failed = true;
    else
        *waiting = file->now;
}

void speedscope_finish(Speedscope *file)
{
    if (file->in_profile) speedscope_end_profile(file);
    file->has_frames = true;
    for (size_t i = 0; i < file->waiting.count && !file->failed; i++) {
        file->now = file->waiting.items[i];
        file->samples.count = 0;
        file->weights.count = 0;
        give_profile(file);
    }
}
