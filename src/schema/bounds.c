#include "schema/bounds.h"

#include "base/checked.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/range.h"
#include "trace/store/window.h"

#include <stdio.h>
#include <string.h>

/* -- the range -- */

static bool find_range(const TableBounds *given, const Trace *trace, ScanQuery *query, Err *err)
{
    if (given->range != NULL && (given->begin != NULL || given->end != NULL))
        return err_set(err, ERR_USAGE, "give either range or begin and \"end\", not both");
    if (given->range == NULL && given->begin == NULL && given->end == NULL) {
        trace_window_range(trace, &query->begin_tick, &query->end_tick);
        if (trace->window.is_set && query->table != SCAN_SLICES) query->edges = RANGE_CLOSED;
        return true;
    }
    char text[256];
    (void)snprintf(text, sizeof text, "%s..%s", given->begin == NULL ? "" : given->begin,
                   given->end == NULL ? "" : given->end);
    const TimeAxis axis = trace_time_axis(trace);
    int64_t        begin, end;
    if (!time_range_find(given->range != NULL ? given->range : text, &axis, &begin, &end, err)) return false;
    query->begin_tick = i64_add_saturated(trace->begin_tick, begin);
    query->end_tick = i64_add_saturated(trace->begin_tick, end);
    return true;
}

/* -- tracks and names -- */

static bool choose_tracks(const TableBounds *given, const SchemaTable *table, const Trace *trace,
                          Arena *arena, ScanQuery *query, Err *err)
{
    uint32_t *tracks = ARENA_ARRAY(arena, uint32_t, (size_t)trace->track_count + 1);
    uint32_t  count = 0;
    if (tracks == NULL) return err_set(err, ERR_MEMORY, "out of memory for the list of tracks");
    query->tracks = tracks;
    if (given->has_track && !given->track_is_column) {
        if (given->track > 0 && given->track <= trace->track_count) tracks[count++] = (uint32_t)given->track;
    } else if (given->thread != NULL) {
        count = choose_tracks_called(trace, c_string_view(given->thread), tracks);
    } else if (table->tracks == TRACKS_FRAMES) {
        for (uint32_t track = 1; track <= trace->track_count; track++)
            if (trace->tracks[track].divides) tracks[count++] = track;
    } else if (table->tracks == TRACKS_USUAL || !clock_has_time(&trace->clock)) {
        count = choose_tracks_all(trace, tracks);
    }
    query->track_count = count;
    if (given->has_track && given->track_is_column) {
        query->only_track = (uint32_t)given->track;
        if (given->track <= 0 || given->track > trace->track_count) query->track_count = 0;
    }
    return true;
}

/* Keeps the tracks of counters of that name. */
static void choose_counters(const char *name, const Trace *trace, uint32_t *tracks, uint32_t *count)
{
    const StringId id = string_table_find(trace->strings, name, strlen(name));
    uint32_t       kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (id.index != 0 && trace->tracks[tracks[i]].name.index == id.index) tracks[kept++] = tracks[i];
    *count = kept;
}

static bool choose_labels(const char *name, const Trace *trace, Arena *arena, ScanQuery *query, Err *err)
{
    const StringId id = string_table_find(trace->strings, name, strlen(name));
    uint8_t       *labels = ARENA_ARRAY(arena, uint8_t, (size_t)trace->label_count + 1);
    if (labels == NULL) return err_set(err, ERR_MEMORY, "out of memory for the set of names");
    for (uint32_t i = 1; id.index != 0 && i <= trace->label_count; i++)
        labels[i] = trace->labels[i].name.index == id.index;
    query->labels = labels;
    return true;
}

bool bounds_query(const TableBounds *given, const SchemaTable *table, ScanTable scan, const Trace *trace,
                  Arena *arena, ScanQuery *query, Err *err)
{
    *query = scan_query(scan, 0);
    query->rows = SCAN_COUNTED;
    query->kinds = table->kinds;
    if ((table->parameters & SCHEMA_TAKES_RANGE) == 0) return true;
    if (!find_range(given, trace, query, err) || !choose_tracks(given, table, trace, arena, query, err))
        return false;
    if (given->name == NULL) return true;
    if (scan != SCAN_COUNTER_SAMPLES) return choose_labels(given->name, trace, arena, query, err);
    choose_counters(given->name, trace, (uint32_t *)(uintptr_t)query->tracks, &query->track_count);
    return true;
}
