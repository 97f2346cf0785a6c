#include "format/trace_event/read/emit.h"

#include "base/utf8.h"
#include "format/trace_event/common/colour.h"
#include "format/trace_event/read/async.h"
#include "format/trace_event/read/counter.h"
#include "format/trace_event/read/flow.h"
#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/kept.h"
#include "format/trace_event/read/metadata.h"
#include "format/trace_event/read/track.h"

#include <assert.h>
#include <string.h>

bool emitter_open(Emitter *emitter, Arena *arena, TraceBuilder *builder)
{
    emitter->arena = arena;
    emitter->builder = builder;
    emitter->named_processes.arena = emitter->named_threads.arena = emitter->profiled_threads.arena = arena;
    emitter->labels = label_cache_create(arena);
    return emitter->labels != NULL;
}

void emitter_finish(Emitter *emitter)
{
    sample_finish(emitter);
    frames_finish(emitter);
    emitter->samples = (SampleLog){ .stream_of = NULL };
    emitter->frames = (Frames){ .key = 0 };
}

void emitter_flush(Emitter *emitter)
{
    for (int letter = 0; letter < PHASE_COUNT; letter++) {
        if (emitter->counts[letter] == 0) continue;
        builder_count_events(emitter->builder, emitter->kinds[letter], emitter->counts[letter]);
        emitter->counts[letter] = 0;
    }
    bytes_release(&emitter->text);
    bytes_release(&emitter->more_text);
}

StringId emitter_intern_text(Emitter *emitter)
{
    const Bytes *text = &emitter->text;
    emitter->failed |= text->failed;
    if (text->failed) return STRING_NONE;
    return builder_string(emitter->builder, text->data == NULL ? "" : (const char *)text->data, text->size);
}

/* -- labels -- */

static void report_damage(Emitter *emitter, const TextDamage *damage, EventPos pos)
{
    if (damage->bad_encoding > 0) {
        builder_warn(emitter->builder, "bad-encoding", pos,
                     "a string holds bytes that are not UTF-8, or half a surrogate pair: shown as U+FFFD");
    }
    if (damage->bad_escapes > 0) {
        builder_warn(emitter->builder, "bad-escape", pos,
                     "a backslash in a string begins no JSON escape: kept as it is");
    }
}

/* Appends a list of categories, the form of newer writers, as the text "a,b", the form of older ones. */
static void categories_append(const JsonValue *list, Bytes *out, TextDamage *damage)
{
    JsonItems items = json_items(list);
    JsonValue key, item;
    bool      is_first = true;
    while (json_items_next(&items, &key, &item)) {
        if (!is_first) bytes_append_text(out, ",");
        is_first = false;
        text_append(&item, out, damage);
    }
}

static StringId intern_value(Emitter *emitter, const JsonValue *value, TextDamage *damage)
{
    bytes_clear(&emitter->text);
    if (value->kind == JSON_ARRAY)
        categories_append(value, &emitter->text, damage);
    else
        text_append(value, &emitter->text, damage);
    return emitter_intern_text(emitter);
}

/* Returns the event's name; NULL if it is missing or null. */
static const JsonValue *name_of(const RawEvent *event)
{
    if (!event_has(event, KEY_NAME)) return NULL;
    const JsonValue *name = &event->value[KEY_NAME];
    return json_is(name, JSON_WORD, "null") ? NULL : name;
}

static const JsonValue *category_of(const RawEvent *event)
{
    if (!event_has(event, KEY_CAT)) return NULL;
    const JsonValue *category = &event->value[KEY_CAT];
    if (category->size == 0 || json_is(category, JSON_WORD, "null")) return NULL;
    return category;
}

/* Makes the label of a name and a category. Only labels of strings are cached by their bytes. The bytes of a list
 * include its brackets, so a list never equals a string in the cache. */
static NOINLINE LabelId make_label(Emitter *emitter, const JsonValue *name, const JsonValue *category,
                                   EventPos pos)
{
    const bool is_text =
        (name == NULL || name->kind == JSON_STRING) && (category == NULL || category->kind == JSON_STRING);
    TextDamage damage = { 0 };
    StringId   name_id = name == NULL ? STRING_NONE : intern_value(emitter, name, &damage);
    StringId   category_id = category == NULL ? STRING_NONE : intern_value(emitter, category, &damage);
    LabelId    label = builder_label(emitter->builder, name_id, category_id);
    report_damage(emitter, &damage, pos);
    /* damaged names are not cached, so that each one is counted */
    if (!is_text || damage.bad_encoding + damage.bad_escapes > 0) return label;
    const char *name_bytes = name == NULL ? NULL : (const char *)name->at;
    const char *category_bytes = category == NULL ? NULL : (const char *)category->at;
    if (!label_cache_put(emitter->labels, name_bytes, name == NULL ? 0 : name->size, category_bytes,
                         category == NULL ? 0 : category->size, label))
        emitter->failed = true;
    return label;
}

/* Returns the label of a name and a category. Sets *known to a label in the cache, unless it is NULL. */
static NOINLINE LabelId label_of(Emitter *emitter, const JsonValue *name, const JsonValue *category,
                                 LabelId *known, EventPos pos)
{
    const char *name_bytes = NULL, *category_bytes = NULL;
    size_t      name_size = 0, category_size = 0;
    if (LIKELY(name != NULL)) {
        if (UNLIKELY(name->kind != JSON_STRING)) return make_label(emitter, name, category, pos);
        name_bytes = (const char *)name->at;
        name_size = name->size;
    }
    if (category != NULL) {
        if (UNLIKELY(category->kind != JSON_STRING)) return make_label(emitter, name, category, pos);
        category_bytes = (const char *)category->at;
        category_size = category->size;
    }
    const LabelId *found =
        label_cache_find(emitter->labels, name_bytes, name_size, category_bytes, category_size);
    if (UNLIKELY(found == NULL)) return make_label(emitter, name, category, pos);
    if (known != NULL) *known = *found;
    return *found;
}

/* Finds a member of "end" in a complete event. Varve's writer joins a begin and an end event into a complete event and
 * stores the members of the end that differ under "end". */
static bool end_member(const RawEvent *event, const char *name, JsonValue *found)
{
    return UNLIKELY(event_has(event, KEY_END)) && id_member(&event->value[KEY_END], name, found);
}

/* Returns the colour of the event's cname, as Label.colour. */
static uint32_t event_colour(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    const JsonValue *value = &event->value[KEY_CNAME];
    JsonValue        of_end;
    if (end_member(event, "cname", &of_end) && colour_of_value(&of_end) != 0) return colour_of_value(&of_end);
    if (LIKELY(!event_has(event, KEY_CNAME)) || json_is(value, JSON_WORD, "null")) return 0;
    uint32_t colour = colour_of_value(value);
    if (colour == 0)
        builder_warn(emitter->builder, "unknown-colour", pos, "\"cname\" is %s: coloured by its name",
                     value->kind == JSON_STRING ? "not a colour's name" : "not a string");
    return colour;
}

static bool may_have_colour(const RawEvent *event)
{
    return (event->seen & (1u << KEY_CNAME | 1u << KEY_END)) != 0;
}

static LabelId event_label(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    LabelId label = label_of(emitter, name_of(event), category_of(event), NULL, pos);
    if (LIKELY(!may_have_colour(event))) return label;
    uint32_t colour = event_colour(emitter, event, pos);
    return colour == 0 ? label : builder_colour_label(emitter->builder, label, colour);
}

/* Returns the label of an end without a name, which may set the colour of the slice. */
static LabelId nameless_label(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (LIKELY(!may_have_colour(event))) return LABEL_NONE;
    uint32_t colour = event_colour(emitter, event, pos);
    if (colour == 0) return LABEL_NONE;
    return builder_colour_label(emitter->builder, builder_label(emitter->builder, STRING_NONE, STRING_NONE),
                                colour);
}

/* -- times -- */

/* Sets *begin to the event's time. Returns false with a warning if it has no valid time. */
static inline bool event_begin_time(Emitter *emitter, const RawEvent *event, EventPos pos, FineTime *begin)
{
    NumberResult result = event_time(event, KEY_TS, begin);
    if (LIKELY(result == NUMBER_OK)) return true;
    if (result == NUMBER_ODD) {
        builder_warn(emitter->builder, "odd-number", pos, "a number is not written as JSON has it");
        return true;
    }
    if (!event_has(event, KEY_TS)) {
        builder_warn(emitter->builder, "missing-time", pos, "an event without \"ts\": kept, but not drawn");
    } else {
        builder_warn(emitter->builder, "bad-time", pos, "\"ts\" is %s: the event is kept, but not drawn",
                     result == NUMBER_INVALID ? "not a number" : "beyond 64 bits of nanoseconds");
    }
    return false;
}

/* Returns the end of an X event; sets *flags. Sets *clamped if the end exceeds the range of times. */
static FineTime event_end_time(Emitter *emitter, const RawEvent *event, EventPos pos, FineTime begin,
                               unsigned *flags, bool *clamped)
{
    FineTime     duration = { 0 }, end = begin;
    NumberResult result = event_time(event, KEY_DUR, &duration);
    if (result == NUMBER_INVALID) {
        result = event_time(event, KEY_TDUR, &duration);
        builder_warn(emitter->builder, "missing-duration", pos, "a complete event (X) without a \"dur\": %s",
                     result == NUMBER_INVALID ? "shown as unfinished" : "\"tdur\" is taken instead");
    }
    if (result == NUMBER_INVALID) {
        *flags |= EVENT_NO_END;
        return begin;
    }
    if (result == NUMBER_ODD)
        builder_warn(emitter->builder, "odd-number", pos, "a number is not written as JSON has it");
    if (duration.ns < 0) {
        builder_warn(emitter->builder, "negative-duration", pos, "a negative \"dur\": taken as 0");
        *flags |= EVENT_REPAIRED;
        return begin;
    }
    if (result == NUMBER_OUT_OF_RANGE || !fine_time_add(begin, duration, &end)) {
        builder_warn(emitter->builder, "time-out-of-range", pos,
                     "an event's end exceeds 64 bits of nanoseconds: its end is clamped");
        *flags |= EVENT_REPAIRED;
        *clamped = true;
    }
    return end;
}

/* -- phases -- */

/* Passes the event's CPU time to the builder: a reading of the thread's clock (tts), or a duration (tdur). A value
 * that is not a number counts as missing. */
static void emit_cpu_time(Emitter *emitter, const RawEvent *event, EventKey key, TrackId thread, EventPos pos)
{
    assert(key == KEY_TTS || key == KEY_TDUR);
    FineTime  time, end;
    JsonValue end_value;
    if (event_time(event, key, &time) > NUMBER_ODD) return;
    int64_t ns = fine_time_round(time);
    bool    is_both = key == KEY_TTS && end_member(event, "tts", &end_value);
    if (is_both && json_micros(&end_value, &end) <= NUMBER_ODD) {
        int64_t end_ns = fine_time_round(end);
        if (end_ns >= ns)
            builder_cpu_time(emitter->builder, thread, pos, CPU_LENGTH,
                             (int64_t)((uint64_t)end_ns - (uint64_t)ns));
        return;
    }
    if (key == KEY_TTS && event->phase == 'X') return; /* the reading at the begin alone gives no duration */
    builder_cpu_time(emitter->builder, thread, pos, key == KEY_TDUR ? CPU_LENGTH : CPU_READING, ns);
}

static void emit_complete(Emitter *emitter, const RawEvent *event, TrackId thread, FineTime begin,
                          EventPos pos, unsigned flags)
{
    bool     clamped = false;
    FineTime fine[2] = { begin, begin };
    int64_t  ticks[2];
    if (LIKELY(event_is_quick(event, KEY_DUR))) /* both are below 10^18 */
        fine[1].ns += event->number[KEY_DUR];
    else
        fine[1] = event_end_time(emitter, event, pos, begin, &flags, &clamped);
    times_to_ticks(&emitter->times, emitter->builder, pos, fine, clamped ? 1 : 2, ticks);
    if (clamped) ticks[1] = INT64_MAX;
    builder_complete(emitter->builder, thread, ticks[0], ticks[1], event_label(emitter, event, pos), pos,
                     flags);
    if (UNLIKELY(event_has(event, KEY_TDUR)))
        emit_cpu_time(emitter, event, KEY_TDUR, thread, pos);
    else if (UNLIKELY(event_has(event, KEY_TTS)))
        emit_cpu_time(emitter, event, KEY_TTS, thread, pos);
    if (UNLIKELY(event_has(event, KEY_BIND_ID)))
        flow_emit_bound(emitter, event, FLOW_ON_SLICE,
                        &(EventHead){ .thread = thread, .tick = ticks[0], .pos = pos });
}

static bool has_stack(const RawEvent *event)
{
    const uint32_t keys = 1u << KEY_SF | 1u << KEY_ESF | 1u << KEY_STACK | 1u << KEY_ESTACK;
    return (event->seen & keys) != 0;
}

/* Sets the stack of the thread's last begin or end. An end may have it as "sf" or, like a complete event, as "esf". */
static void emit_mark_stack(Emitter *emitter, const RawEvent *event, TrackId thread, EventPos pos)
{
    StackId stack = frames_of_event(emitter, event, KEY_SF, KEY_STACK, pos);
    if (event->phase == 'E' && stack.index == 0)
        stack = frames_of_event(emitter, event, KEY_ESF, KEY_ESTACK, pos);
    builder_mark_stack(emitter->builder, thread, stack);
}

static void emit_complete_stacks(Emitter *emitter, const RawEvent *event, TrackId thread, EventPos pos)
{
    StackId begin = frames_of_event(emitter, event, KEY_SF, KEY_STACK, pos);
    StackId end = frames_of_event(emitter, event, KEY_ESF, KEY_ESTACK, pos);
    builder_complete_stacks(emitter->builder, thread, begin, end);
}

static InstantScope instant_scope(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (!event_has(event, KEY_S)) return INSTANT_THREAD;
    const JsonValue *scope = &event->value[KEY_S];
    if (json_is(scope, JSON_STRING, "g")) return INSTANT_GLOBAL;
    if (json_is(scope, JSON_STRING, "p")) return INSTANT_PROCESS;
    if (!json_is(scope, JSON_STRING, "t"))
        builder_warn(emitter->builder, "unknown-scope", pos,
                     "an instant whose \"s\" is not t, p or g: taken as t");
    return INSTANT_THREAD;
}

static void report_not_shown(Emitter *emitter, uint8_t phase, EventPos pos)
{
    if (phase == '=')
        builder_warn(emitter->builder, "ignored-links", pos,
                     "links between ids (=) are not supported: kept for dump");
    else
        builder_warn(emitter->builder, "unknown-phase", pos,
                     "an event of a kind that the format does not have");
}

/* Stores and returns the kind of events of one letter. */
static NOINLINE uint16_t kind_of_letter(Emitter *emitter, uint8_t letter)
{
    emitter->has_kind[letter] = true;
    emitter->kinds[letter] = builder_event_kind(emitter->builder, (const char *)&letter, 1);
    return emitter->kinds[letter];
}

/* Returns the kind of events of one letter and counts one of them. */
static inline uint16_t count_letter(Emitter *emitter, uint8_t letter)
{
    emitter->counts[letter]++;
    return LIKELY(emitter->has_kind[letter]) ? emitter->kinds[letter] : kind_of_letter(emitter, letter);
}

/* Returns the event's kind and counts the event. */
static uint16_t count_event(Emitter *emitter, const RawEvent *event)
{
    uint8_t letter = event->phase;
    if (UNLIKELY(letter == 0 && event_has(event, KEY_PH) && event->value[KEY_PH].kind == JSON_STRING &&
                 event->value[KEY_PH].size > 0)) {
        TextDamage damage = { 0 };
        bytes_clear(&emitter->text);
        text_append(&event->value[KEY_PH], &emitter->text, &damage);
        emitter->failed |= emitter->text.failed;
        if (emitter->text.failed) return 0;
        enum { LONGEST_KIND = 32 };
        const char *text = (const char *)emitter->text.data;
        uint16_t    kind =
            builder_event_kind(emitter->builder, text, utf8_cut(text, emitter->text.size, LONGEST_KIND));
        builder_count_events(emitter->builder, kind, 1);
        return kind;
    }
    return count_letter(emitter, letter == 0 ? '?' : letter);
}

/* Returns the thread of a raw event; TRACK_NONE if it has neither pid nor tid. */
static TrackId kept_thread(Emitter *emitter, const RawEvent *event)
{
    if (!event_has(event, KEY_PID) && !event_has(event, KEY_TID)) return TRACK_NONE;
    return emitter_thread(emitter, event);
}

static void report_two_ids(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (event_has(event, KEY_ID) && event_has(event, KEY_ID2))
        builder_warn(emitter->builder, "two-ids", pos, "an event with both \"id\" and \"id2\": id2 is used");
}

static bool is_async(uint8_t phase)
{
    switch (phase) {
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'p':
    case 'F':
    case 'T':
        return true;
    default:
        return false;
    }
}

/* Passes the flow of an asynchronous event to the builder. Ends are not part of a flow: the arrow meets the slice at
 * its begin. */
static void emit_async_flow(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    if (!event_has(event, KEY_BIND_ID)) return;
    const EventHead flow = { .thread = head->thread, .tick = head->tick, .pos = head->pos };
    if (event->phase == 'b' || event->phase == 'S') flow_emit_bound(emitter, event, FLOW_ON_SLICE, &flow);
    if (event->phase == 'n') flow_emit_bound(emitter, event, FLOW_ON_MARK, &flow);
}

static void emit_async(Emitter *emitter, const RawEvent *event, uint16_t kind, EventPos pos)
{
    FineTime  begin;
    EventHead head = { .thread = emitter_thread(emitter, event),
                       .label = event_label(emitter, event, pos),
                       .pos = pos };
    head.is_timeless = !event_begin_time(emitter, event, pos, &begin);
    if (!head.is_timeless) {
        times_to_ticks(&emitter->times, emitter->builder, pos, &begin, 1, &head.tick);
        report_two_ids(emitter, event, pos);
        if (event_has(event, KEY_ASYNC_TTS) && !json_is(&event->value[KEY_ASYNC_TTS], JSON_WORD, "false"))
            emit_cpu_time(emitter, event, KEY_TTS, TRACK_NONE, pos);
        if (async_emit(emitter, event, kind, &head)) {
            emit_async_flow(emitter, event, &head);
            if (UNLIKELY(has_stack(event)))
                builder_async_stack(emitter->builder,
                                    frames_of_event(emitter, event, KEY_SF, KEY_STACK, pos));
            return;
        }
        builder_warn(emitter->builder, "async-without-id", pos,
                     "an asynchronous event without an id: kept, but not drawn");
    }
    builder_other(emitter->builder, OTHER_EVENT, kind, &head);
}

static bool is_flow(uint8_t phase)
{
    return phase == 's' || phase == 't' || phase == 'f';
}

/* Handles events without a valid phase, or with a phase that is not drawn. */
static void emit_others(Emitter *emitter, const RawEvent *event, uint16_t kind, EventPos pos)
{
    FineTime   begin;
    int64_t    tick = 0;
    bool       has_time = false;
    OtherClass event_class = OTHER_EVENT;
    if (event->phase != 0) {
        if (event->phase != 'P') report_not_shown(emitter, event->phase, pos);
        has_time = event_begin_time(emitter, event, pos, &begin);
    } else {
        emitter->without_phase += !event_has(event, KEY_PH);
        builder_warn(emitter->builder, event_has(event, KEY_PH) ? "unknown-phase" : "missing-phase", pos,
                     event_has(event, KEY_PH) ? "an event whose \"ph\" is not one letter"
                                              : "an event without \"ph\"");
        has_time = event_time(event, KEY_TS, &begin) <= NUMBER_ODD;
    }
    if (event->phase == 'P') event_class = sample_emit(emitter, event, has_time ? &begin : NULL, pos);
    if (has_time) times_to_ticks(&emitter->times, emitter->builder, pos, &begin, 1, &tick);
    builder_other(emitter->builder, event_class, kind,
                  &(EventHead){ .thread = kept_thread(emitter, event),
                                .tick = tick,
                                .label = event_label(emitter, event, pos),
                                .pos = pos,
                                .is_timeless = !has_time });
}

/* Handles events that are kept as raw events and are also drawn. */
static void emit_kept(Emitter *emitter, const RawEvent *event, uint16_t kind, EventPos pos)
{
    FineTime  begin;
    bool      is_arrow = is_flow(event->phase);
    EventHead head = { .pos = pos, .is_timeless = !event_begin_time(emitter, event, pos, &begin) };
    head.thread = is_arrow ? kept_thread(emitter, event) : emitter_thread(emitter, event);
    head.label = event_label(emitter, event, pos);
    report_two_ids(emitter, event, pos);
    if (!head.is_timeless) {
        times_to_ticks(&emitter->times, emitter->builder, pos, &begin, 1, &head.tick);
        if (event->phase == 'C')
            counter_emit(emitter, event, head.tick, pos);
        else if (is_arrow)
            flow_emit(emitter, event, &head);
        else
            kept_emit(emitter, event, &head);
    }
    builder_other(emitter->builder, OTHER_EVENT, kind, &head);
}

static void emit_metadata(Emitter *emitter, const RawEvent *event, uint16_t kind, EventPos pos)
{
    TrackId thread = kept_thread(emitter, event);
    LabelId label = event_label(emitter, event, pos);
    metadata_apply(emitter, event, label, pos);
    if (sample_is_wanted(event)) {
        FineTime time;
        bool     has_time = event_time(event, KEY_TS, &time) <= NUMBER_ODD;
        sample_emit(emitter, event, has_time ? &time : NULL, pos);
    }
    builder_other(emitter->builder, OTHER_METADATA, kind,
                  &(EventHead){ .thread = thread, .label = label, .pos = pos, .is_timeless = true });
}

static bool is_drawn(const RawEvent *event)
{
    switch (event->phase) {
    case 'T':
        return event_is_state(event);
    case 'B':
    case 'E':
    case 'X':
    case 'i':
    case 'I':
    case 'R':
        return true;
    default:
        return false;
    }
}

static void emit_drawn(Emitter *emitter, const RawEvent *event, uint16_t kind, EventPos pos)
{
    FineTime begin;
    int64_t  tick;
    TrackId  thread = emitter_thread(emitter, event);
    if (UNLIKELY(!event_begin_time(emitter, event, pos, &begin))) {
        builder_other(emitter->builder, OTHER_EVENT, kind,
                      &(EventHead){ .thread = thread,
                                    .label = event_label(emitter, event, pos),
                                    .pos = pos,
                                    .is_timeless = true });
        return;
    }
    unsigned flags = event_has_extra(event) ? EVENT_DETAILS : 0;
    if (event->phase == 'X') {
        emit_complete(emitter, event, thread, begin, pos, flags);
        if (UNLIKELY(has_stack(event))) emit_complete_stacks(emitter, event, thread, pos);
        return;
    }
    if (UNLIKELY(event->phase == 'T')) {
        emit_complete(emitter, event, builder_states(emitter->builder, thread), begin, pos, flags);
        return;
    }
    times_to_ticks(&emitter->times, emitter->builder, pos, &begin, 1, &tick);
    if (UNLIKELY(event_has(event, KEY_TTS)) && (event->phase == 'B' || event->phase == 'E'))
        emit_cpu_time(emitter, event, KEY_TTS, thread, pos);
    if (event->phase == 'E') {
        LabelId label =
            name_of(event) == NULL ? nameless_label(emitter, event, pos) : event_label(emitter, event, pos);
        builder_end(emitter->builder, thread, tick, label, pos, flags);
        if (UNLIKELY(has_stack(event))) emit_mark_stack(emitter, event, thread, pos);
        return;
    }
    LabelId label = event_label(emitter, event, pos);
    if (event->phase == 'B') {
        builder_begin(emitter->builder, thread, tick, label, pos, flags);
        if (UNLIKELY(has_stack(event))) emit_mark_stack(emitter, event, thread, pos);
        if (UNLIKELY(event_has(event, KEY_BIND_ID)))
            flow_emit_bound(emitter, event, FLOW_ON_SLICE,
                            &(EventHead){ .thread = thread, .tick = tick, .pos = pos });
        return;
    }
    InstantScope scope = instant_scope(emitter, event, pos);
    builder_instant(emitter->builder, thread, tick, label, scope, pos, flags);
    if (UNLIKELY(has_stack(event)))
        builder_instant_stack(emitter->builder, thread, scope,
                              frames_of_event(emitter, event, KEY_SF, KEY_STACK, pos));
    if (sample_is_wanted(event)) sample_emit(emitter, event, &begin, pos);
}

/* Converts the begin of an event and, of a complete one, the end to ticks. */
static NOINLINE void ticks_of_ns(Emitter *emitter, uint8_t phase, int64_t ns[2], EventPos pos)
{
    const FineTime fine[2] = { { .ns = ns[0] }, { .ns = ns[1] } };
    times_to_ticks(&emitter->times, emitter->builder, pos, fine, phase == 'X' ? 2 : 1, ns);
}

/* The same for the times of an event of which event_is_plain_and_quick is true. */
static ALWAYS_INLINE void plain_ticks(Emitter *emitter, uint8_t phase, int64_t *begin, int64_t *end,
                                      EventPos pos)
{
    if (LIKELY(times_are_ns(&emitter->times))) return;
    int64_t times[2] = { *begin, *end };
    ticks_of_ns(emitter, phase, times, pos);
    *begin = times[0];
    *end = times[1];
}

/* Passes such an event to the builder. */
static ALWAYS_INLINE void emit_plain(const Emitter *emitter, uint8_t phase, TrackId thread, int64_t begin,
                                     int64_t end, LabelId label, EventPos pos, unsigned flags)
{
    if (phase == 'X')
        builder_complete(emitter->builder, thread, begin, end, label, pos, flags);
    else if (phase == 'B')
        builder_begin(emitter->builder, thread, begin, label, pos, flags);
    else
        builder_end(emitter->builder, thread, begin, label, pos, flags);
}

/* Returns the label of such an event. */
static NOINLINE LabelId plain_label_any(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    const JsonValue *name = name_of(event);
    if (event->phase == 'E' && name == NULL) return LABEL_NONE;
    return label_of(emitter, name, category_of(event), NULL, pos);
}

/* The same, inline for texts whose label is known. */
static ALWAYS_INLINE LabelId plain_label(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    const JsonValue *name = &event->value[KEY_NAME], *category = &event->value[KEY_CAT];
    const uint32_t   both = 1u << KEY_NAME | 1u << KEY_CAT;
    if ((event->seen & both) == 0 && event->phase == 'E') return LABEL_NONE;
    if (UNLIKELY((event->seen & both) != both || name->kind != JSON_STRING || category->kind != JSON_STRING ||
                 category->size == 0))
        return plain_label_any(emitter, event, pos);
    const LabelId *found = label_cache_find(emitter->labels, (const char *)name->at, name->size,
                                            (const char *)category->at, category->size);
    return LIKELY(found != NULL) ? *found : plain_label_any(emitter, event, pos);
}

static bool is_kept(uint8_t phase)
{
    return phase != 0 && strchr("CstfNOD()vVc", phase) != NULL;
}

/* Emits any event. */
static NOINLINE void emit_any(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (UNLIKELY(event->comments))
        builder_warn(emitter->builder, "comment", pos, "a comment, which JSON does not have: skipped");
    if (UNLIKELY(event->seen == 0) && !event->other_keys) return; /* producers write {} after a last comma */
    if (UNLIKELY(event->phase == 'M') && metadata_is_source_id(emitter, event)) return;
    uint16_t kind = count_event(emitter, event);
    if (LIKELY(is_drawn(event)))
        emit_drawn(emitter, event, kind, pos);
    else if (event->phase == 'M' || event->phase == 'm')
        emit_metadata(emitter, event, kind, pos);
    else if (is_async(event->phase))
        emit_async(emitter, event, kind, pos);
    else if (is_kept(event->phase))
        emit_kept(emitter, event, kind, pos);
    else
        emit_others(emitter, event, kind, pos);
}

void emitter_event(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (UNLIKELY(!event_is_plain_and_quick(event))) {
        emit_any(emitter, event, pos);
        return;
    }
    const uint8_t phase = event->phase;
    (void)count_letter(emitter, phase);
    int64_t begin = event->number[KEY_TS], end = begin;
    if (phase == 'X') end += event->number[KEY_DUR]; /* both are below 10^18 */
    plain_ticks(emitter, phase, &begin, &end, pos);
    const unsigned flags = UNLIKELY(event_has_extra_args(event)) ? EVENT_DETAILS : 0;
    const TrackId  thread = emitter_thread(emitter, event);
    emit_plain(emitter, phase, thread, begin, end, plain_label(emitter, event, pos), pos, flags);
}

/* Returns the label of an event that was parsed ahead, by its texts. */
static NOINLINE LabelId label_by_texts(Emitter *emitter, const AheadList *list, const AheadEvent *event,
                                       const uint8_t *piece, EventPos pos)
{
    if (event->spelling == 0) return label_of(emitter, NULL, NULL, NULL, pos);
    const AheadTexts texts = ahead_texts(list, event, piece);
    LabelId *const known = event->spelling <= AHEAD_SPELLINGS ? &list->state->labels[event->spelling] : NULL;
    return label_of(emitter, texts.name.kind == JSON_NOTHING ? NULL : &texts.name,
                    texts.category.kind == JSON_NOTHING ? NULL : &texts.category, known, pos);
}

/* The same, inline for known labels. */
static ALWAYS_INLINE LabelId label_ahead(Emitter *emitter, const AheadList *list, const AheadEvent *event,
                                         const uint8_t *piece, EventPos pos)
{
    const uint32_t spelling = event->spelling;
    if (spelling == 0 && event->phase == 'E') return LABEL_NONE;
    const LabelId known = spelling <= AHEAD_SPELLINGS ? list->state->labels[spelling] : LABEL_NONE;
    return LIKELY(known.index != LABEL_NONE.index) ? known : label_by_texts(emitter, list, event, piece, pos);
}

size_t emitter_ahead(Emitter *emitter, const AheadList *list, size_t from, const uint8_t *piece, size_t size,
                     uint64_t event)
{
    enum { FETCHED = 8 }; /* events: they are in the cache of another processor */
    size_t i = from;
    for (; i < list->count; i++) {
        const AheadEvent *const e = &list->events[i];
        const uint8_t           phase = e->phase;
        PREFETCH(e + FETCHED);
        if (phase == 0 || (size_t)e->at + e->size > size) break;
        const EventPos           pos = { list->begin + e->at, event + (i - from) };
        const AheadThread *const ids = &list->threads[e->thread];
        const TrackId            thread = emitter_thread_of(emitter, ids->pid, ids->tid);
        int64_t                  begin = e->ts, end = e->ts + e->dur;
        (void)count_letter(emitter, phase);
        plain_ticks(emitter, phase, &begin, &end, pos);
        emit_plain(emitter, phase, thread, begin, end, label_ahead(emitter, list, e, piece, pos), pos,
                   e->has_details ? EVENT_DETAILS : 0);
    }
    return i;
}
