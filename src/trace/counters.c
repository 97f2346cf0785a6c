#include "trace/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

/* By time, then place in the file. What one series has is mostly so already. */
static bool sort_series(Workspace *ws, SampleRecord *samples, size_t count, int64_t begin_tick)
{
    size_t in_order = 1;
    while (in_order < count && samples[in_order - 1].tick <= samples[in_order].tick)
        in_order++;
    if (in_order >= count) return true;
    SortKey      *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    SampleRecord *fed = ARENA_ARRAY(&ws->scratch, SampleRecord, count);
    if (keys == NULL || fed == NULL) return false;
    memcpy(fed, samples, count * sizeof *fed);
    for (size_t i = 0; i < count; i++)
        keys[i] = (SortKey){ (uint64_t)fed[i].tick - (uint64_t)begin_tick, i };
    keys = workspace_sort(ws, keys, count);
    for (size_t i = 0; keys != NULL && i < count; i++)
        samples[i] = fed[keys[i].index];
    arena_clear(&ws->scratch);
    return keys != NULL;
}

/* Samples by series, then time; counters->first_sample says where each series begins. False when out of memory. */
static bool sort_samples(Finish *finish, CounterGroups *counters)
{
    TraceBuilder       *builder = finish->builder;
    const SampleRecord *fed = VECTOR(builder->samples, const SampleRecord);
    const size_t        count = VECTOR_COUNT(builder->samples, SampleRecord);
    const size_t        series_count = VECTOR_COUNT(builder->series, SeriesLog);
    SampleRecord       *sorted = ARENA_ARRAY(&builder->log_arena, SampleRecord, count);
    uint64_t           *first = ARENA_ARRAY(&builder->log_arena, uint64_t, series_count + 1);
    uint64_t           *next = ARENA_ARRAY(&builder->log_arena, uint64_t, series_count + 1);
    counters->samples = sorted;
    counters->first_sample = first;
    if (sorted == NULL || first == NULL || next == NULL) return false;
    for (size_t i = 0; i < count; i++)
        first[fed[i].series + 1]++;
    for (size_t i = 0; i < series_count; i++)
        next[i + 1] = first[i + 1] += first[i];
    for (size_t i = 0; i < count; i++)
        sorted[next[fed[i].series]++] = fed[i];
    for (size_t i = 0; i < series_count; i++) {
        if (!sort_series(&finish->workspaces[0], sorted + first[i], (size_t)(first[i + 1] - first[i]),
                         finish->trace->begin_tick))
            return false;
    }
    return true;
}

typedef struct CounterOrder {
    StringView   title;
    CounterGroup group;
} CounterOrder;

static int compare_counters(const void *left, const void *right)
{
    const CounterOrder *a = (const CounterOrder *)left, *b = (const CounterOrder *)right;
    if (a->group.process != b->group.process) return a->group.process < b->group.process ? -1 : 1;
    int by_title = string_compare_natural(a->title, b->title);
    if (by_title != 0) return by_title;
    return (a->group.counter > b->group.counter) - (a->group.counter < b->group.counter);
}

bool counters_order(const TraceBuilder *builder, Arena *arena, CounterGroups *result)
{
    const CounterLog *logs = VECTOR(builder->counters, const CounterLog);
    const SeriesLog  *series = VECTOR(builder->series, const SeriesLog);
    size_t            count = VECTOR_COUNT(builder->counters, CounterLog);
    size_t            series_count = VECTOR_COUNT(builder->series, SeriesLog);
    CounterOrder     *order = ARENA_ARRAY(arena, CounterOrder, count);
    uint32_t         *first = ARENA_ARRAY(arena, uint32_t, count + 1);
    result->series = ARENA_ARRAY(arena, uint32_t, series_count);
    result->groups = ARENA_ARRAY(arena, CounterGroup, count);
    if (order == NULL || first == NULL || result->series == NULL || result->groups == NULL) return false;
    for (size_t i = 1; i < series_count; i++)
        first[series[i].counter.index + 1 <= count ? series[i].counter.index + 1 : count]++;
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    for (size_t i = 1; i < count; i++) {
        order[i] = (CounterOrder){
            .title = string_table_view(builder->strings, logs[i].title),
            .group = { .process = logs[i].process.index, .counter = (uint32_t)i, .first_series = first[i] }
        };
    }
    for (size_t i = 1; i < series_count; i++) { /* in order of first appearance */
        CounterGroup *group = &order[series[i].counter.index].group;
        result->series[group->first_series + group->series_count++] = (uint32_t)i;
        if (result->first_sample != NULL)
            group->sample_count += result->first_sample[i + 1] - result->first_sample[i];
    }
    if (count > 2) qsort(order + 1, count - 1, sizeof *order, compare_counters);
    for (size_t i = 1; i < count; i++)
        result->groups[result->count++] = order[i].group;
    return true;
}

/* "bytes" at the end, as a word of its own: "heap_bytes", "Bytes", "usedBytes". */
static bool ends_in_bytes(StringView name)
{
    static const char WORD[] = "bytes";
    const size_t      length = sizeof WORD - 1;
    if (name.size < length) return false;
    const char *end = name.bytes + name.size - length;
    for (size_t i = 0; i < length; i++) {
        if ((end[i] | 0x20) != WORD[i]) return false;
    }
    bool is_letter = end > name.bytes && (end[-1] | 0x20) >= 'a' && (end[-1] | 0x20) <= 'z';
    return !is_letter || (end[0] == 'B' && end[1] == 'y' && end[-1] >= 'a'); /* "kilobytes" are none */
}

bool counter_counts_bytes(const TraceBuilder *builder, const CounterGroups *counters,
                          const CounterGroup *group)
{
    const CounterLog *counter = &VECTOR(builder->counters, const CounterLog)[group->counter];
    const SeriesLog  *series = VECTOR(builder->series, const SeriesLog);
    if (counter->counts_bytes) return true;
    for (uint32_t i = 0; i < group->series_count; i++) {
        StringId   id = series[counters->series[group->first_series + i]].name;
        StringView name = string_table_view(builder->strings, id);
        if (name.size == 0) name = string_table_view(builder->strings, counter->title);
        if (!ends_in_bytes(name)) return false;
    }
    return group->series_count > 0;
}

bool counters_prepare(Finish *finish)
{
    TraceBuilder  *builder = finish->builder;
    CounterGroups *result = &finish->counters;
    if (builder->samples.failed) return false;
    if (VECTOR_COUNT(builder->series, SeriesLog) == 0) return true;
    return sort_samples(finish, result) && counters_order(builder, &builder->log_arena, result);
}

/* ---- one track ---- */

typedef struct TotalChange {
    uint32_t series; /* of the track */
    double   value;
} TotalChange;

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* The range of the sums of all series over time. */
static bool find_stacked_range(Workspace *ws, const Trace *trace, const TrackWork *work, Track *track)
{
    size_t       count = (size_t)track->sample_count, n = 0;
    SortKey     *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    TotalChange *changes = ARENA_ARRAY(&ws->scratch, TotalChange, count);
    double      *values = ARENA_ARRAY(&ws->scratch, double, work->row_count);
    if (keys == NULL || changes == NULL || values == NULL) {
        ws->failed = true;
        return false;
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        for (uint64_t i = 0; i < work->rows[row].sample_count; i++, n++) {
            uint64_t sample = track->first_sample + n;
            keys[n] = (SortKey){ (uint64_t)trace->samples.tick[sample] - (uint64_t)trace->begin_tick, n };
            changes[n] = (TotalChange){ row, trace->samples.value[sample] };
        }
    }
    keys = workspace_sort(ws, keys, count);
    if (keys == NULL) return false;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        const TotalChange *change = &changes[keys[i].index];
        total += or_zero(change->value) - values[change->series];
        values[change->series] = or_zero(change->value);
        bool moment_ends = i + 1 == count || keys[i + 1].key != keys[i].key;
        if (moment_ends && total > track->greatest) track->greatest = total;
    }
    return true;
}

static void find_range(Workspace *ws, const Trace *trace, const TrackWork *work, Track *track)
{
    double least = INFINITY, greatest = -INFINITY;
    for (uint64_t i = track->first_sample; i < track->first_sample + track->sample_count; i++) {
        double value = trace->samples.value[i];
        if (value < least) least = value;
        if (value > greatest) greatest = value;
    }
    bool any = least <= greatest;
    track->least = any && least < 0 ? least : 0;
    track->greatest = any && greatest > 0 ? greatest : 0;
    track->is_stacked = any && least >= 0 && work->row_count > 1;
    if (track->is_stacked) (void)find_stacked_range(ws, trace, work, track);
}

void counters_fill(Finish *finish, Workspace *ws, uint32_t track_index)
{
    Trace               *trace = finish->trace;
    Track               *track = &trace->tracks[track_index];
    TrackWork           *work = &finish->works[track_index];
    const CounterGroups *counters = &finish->counters;
    const CounterGroup  *group = &counters->groups[finish->source_index[track_index]];
    const SeriesLog     *series = VECTOR(finish->builder->series, const SeriesLog);
    WorkRow             *rows = ARENA_ARRAY(&ws->results, WorkRow, group->series_count);
    if (rows == NULL) {
        ws->failed = true;
        return;
    }
    uint64_t at = track->first_sample;
    for (uint32_t i = 0; i < group->series_count; i++) {
        uint32_t index = counters->series[group->first_series + i];
        uint64_t first = counters->first_sample[index], last = counters->first_sample[index + 1];
        rows[i] = (WorkRow){ .lane = i,
                             .sample_count = last - first,
                             .series = series[index].name,
                             .colour = series[index].colour };
        for (uint64_t sample = first; sample < last; sample++, at++) {
            trace->samples.tick[at] = counters->samples[sample].tick;
            trace->samples.value[at] = counters->samples[sample].value;
        }
    }
    work->rows = rows;
    work->row_count = group->series_count;
    work->lane_count = group->series_count;
    find_range(ws, trace, work, track);
}
