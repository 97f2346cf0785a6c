#include "format/trace_event/write/counters.h"

#include "base/json_scan.h"
#include "format/trace_event/common/text.h"
#include "format/trace_event/write/fit.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <math.h>

void counter_title_append(StringView name, const Bytes *other, Bytes *title)
{
    JsonValue key, value;
    bytes_append(title, name.bytes, name.size);
    if (other->size <= 2) return;
    for (JsonItems items = json_members_of(other); json_items_next(&items, &key, &value);) {
        if (event_key(&key) != KEY_ID) continue;
        bytes_append_text(title, " [");
        text_append(&value, title, &(TextDamage){ 0 });
        bytes_append_text(title, "]");
        return;
    }
}

bool counter_walk_open(CounterWalk *walk, const Trace *trace, Arena *arena)
{
    size_t most = 0;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind == TRACK_COUNTER && track_row_count(track) > most) most = track_row_count(track);
    }
    *walk = (CounterWalk){ .trace = trace,
                           .next = ARENA_ARRAY(arena, uint64_t, most + 1),
                           .end = ARENA_ARRAY(arena, uint64_t, most + 1),
                           .value = ARENA_ARRAY(arena, double, most + 1) };
    return walk->next != NULL && walk->end != NULL && walk->value != NULL;
}

void counter_walk_enter(CounterWalk *walk, uint32_t track)
{
    walk->track = &walk->trace->tracks[track];
    for (uint32_t i = 0; i < track_row_count(walk->track); i++) {
        RowWindow window = row_window(walk->trace, &walk->trace->rows[walk->track->first_row + i]);
        walk->next[i] = window.first_sample;
        walk->end[i] = window.sample_end;
        walk->value[i] = 0;
    }
}

static bool has_next(const CounterWalk *walk, uint32_t i)
{
    return walk->next[i] < walk->end[i];
}

bool counter_walk_next(CounterWalk *walk, int64_t *tick)
{
    const Trace *trace = walk->trace;
    bool         any = false;
    for (uint32_t i = 0; i < track_row_count(walk->track); i++) {
        if (!has_next(walk, i) || (any && trace_value_tick(trace, walk->next[i]) >= *tick)) continue;
        *tick = trace_value_tick(trace, walk->next[i]);
        any = true;
    }
    for (uint32_t i = 0; any && i < track_row_count(walk->track); i++) {
        for (; has_next(walk, i) && trace_value_tick(trace, walk->next[i]) == *tick; walk->next[i]++) {
            walk->value[i] = trace_value(trace, walk->next[i]);
            walk->gap_count += isnan(walk->value[i]) != 0;
        }
    }
    return any;
}

void counter_put(const Trace *trace, uint32_t track, const double *values, JsonWriter *json)
{
    const Track *t = &trace->tracks[track];
    json_put_view(json, "name", trace_string(trace, t->name));
    json_put_object(json, "args");
    for (uint32_t i = 0; i < track_row_count(t); i++) {
        const Row *row = &trace->rows[t->first_row + i];
        StringView series = trace_string(trace, trace->series[row_extras(row)->series].name);
        if (isnan(values[i])) continue;
        json_key_bytes(json, series.size > 0 ? series : STRING_LITERAL("value"));
        json_double(json, values[i]);
    }
    json_object_end(json);
}
