#include "trace/make/counters.h"

#include "trace/make/lane_heap.h"
#include "trace/make/track_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- end ---- */

int64_t *counters_held_to(const TraceBuilder *builder, Arena *arena)
{
    const ProcessLog  *processes = builder->processes.all.items;
    const ThreadEntry *threads = builder->threads.all.items;
    const size_t       count = vec_count(&builder->processes.all);
    int64_t           *held_to = ARENA_ARRAY(arena, int64_t, count + 1);
    if (held_to == NULL) return NULL;
    for (size_t p = 0; p < count; p++)
        held_to[p] = builder->rules.counters_end ? processes[p].other_max : INT64_MAX;
    for (size_t t = 0; builder->rules.counters_end && t < vec_count(&builder->threads.all); t++) {
        int64_t *last = &held_to[threads[t].process];
        int64_t  first_tick, last_tick;
        thread_range(builder, t, &first_tick, &last_tick);
        if (last_tick > *last) *last = last_tick;
    }
    for (size_t p = 0; p < count; p++)
        if (held_to[p] == INT64_MIN) held_to[p] = INT64_MAX;
    return held_to;
}

/* ---- order ---- */

/* Fills counters->first_sample: the number of samples of the series before each. */
static bool count_samples(Finish *finish, CounterGroups *counters)
{
    TraceBuilder *builder = finish->builder;
    const size_t  series_count = vec_count(&builder->counters.series);
    uint64_t     *first = ARENA_ARRAY(&builder->log_arena, uint64_t, series_count + 1);
    counters->first_sample = first;
    if (first == NULL) return false;
    for (size_t p = 0; p < sample_log_pieces(&builder->counters.samples); p++) {
        const SamplePiece piece = sample_log_piece(&builder->counters.samples, p);
        for (size_t i = 0; i < piece.count; i++)
            first[piece.samples[i].series + 1]++;
    }
    for (size_t i = 0; i < series_count; i++)
        first[i + 1] += first[i];
    return true;
}

typedef struct CounterOrder {
    TrackName    name;
    CounterGroup group;
} CounterOrder;

bool counters_order(const TraceBuilder *builder, Arena *arena, CounterGroups *result)
{
    const CounterLog *logs = builder->counters.all.items;
    const SeriesLog  *series = builder->counters.series.items;
    size_t            count = vec_count(&builder->counters.all);
    size_t            series_count = vec_count(&builder->counters.series);
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
            .name = { logs[i].process.index, (uint32_t)i,
                      string_table_view(builder->strings, logs[i].title) },
            .group = { .process = logs[i].process.index, .counter = (uint32_t)i, .first_series = first[i] }
        };
    }
    for (size_t i = 1; i < series_count; i++) { /* in order of first appearance */
        CounterGroup *group = &order[series[i].counter.index].group;
        result->series[group->first_series + group->series_count++] = (uint32_t)i;
        if (result->first_sample != NULL)
            group->sample_count += result->first_sample[i + 1] - result->first_sample[i];
    }
    if (count > 2) qsort(order + 1, count - 1, sizeof *order, compare_track_names);
    for (size_t i = 1; i < count; i++)
        result->groups[result->count++] = order[i].group;
    return true;
}

/* True if a name ends in the word "bytes": "heap_bytes", "Bytes", "usedBytes". */
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
    return !is_letter || (end[0] == 'B' && end[1] == 'y' && end[-1] >= 'a'); /* "kilobytes" does not count */
}

bool counter_counts_bytes(const TraceBuilder *builder, const CounterGroups *counters,
                          const CounterGroup *group)
{
    const CounterLog *counter = &builder->counters.all.items[group->counter];
    const SeriesLog  *series = builder->counters.series.items;
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
    if (builder->counters.samples.pieces.bytes.failed) return false;
    if (vec_count(&builder->counters.series) == 0) return true;
    finish->held_to = counters_held_to(builder, &builder->log_arena);
    return finish->held_to != NULL && count_samples(finish, result) &&
           counters_order(builder, &builder->log_arena, result);
}

/* `next`: by series, the index of its next sample; UINT64_MAX = the series has no track. */
static void place_piece(const Trace *trace, const SamplePiece *piece, uint64_t *next)
{
    for (size_t i = 0; i < piece->count; i++) {
        const SampleRecord *sample = &piece->samples[i];
        if (UNLIKELY(next[sample->series] == UINT64_MAX)) continue;
        const uint64_t at = next[sample->series]++;
        trace->samples.tick[at] = sample->tick;
        trace->samples.value[at] = sample->value;
    }
}

bool counters_place(Finish *finish)
{
    TraceBuilder        *builder = finish->builder;
    const Trace         *trace = finish->trace;
    const CounterGroups *counters = &finish->counters;
    const size_t         series_count = vec_count(&builder->counters.series);
    uint64_t            *next = ARENA_ARRAY(&builder->log_arena, uint64_t, series_count);
    if (next == NULL) return false;
    memset(next, 0xff, series_count * sizeof *next);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        if (track->kind != TRACK_COUNTER) continue;
        const CounterGroup *group = &counters->groups[finish->source_index[i]];
        uint64_t            at = track_extras(track)->first_sample;
        for (uint32_t s = 0; s < group->series_count; s++) {
            const uint32_t index = counters->series[group->first_series + s];
            next[index] = at;
            at += counters->first_sample[index + 1] - counters->first_sample[index];
        }
    }
    for (size_t p = 0; p < sample_log_pieces(&builder->counters.samples); p++) {
        const SamplePiece piece = sample_log_piece(&builder->counters.samples, p);
        place_piece(trace, &piece, next);
    }
    sample_log_give(&builder->counters.samples, &finish->workspaces[0].spare_pages);
    return true;
}

/* ---- one track ---- */

/* Sorts the samples of a series by time, then file order; mostly they are sorted already. */
static bool sort_row(Workspace *ws, const Trace *trace, uint64_t first, size_t count)
{
    size_t in_order = 1;
    if (count < 2) return true;
    int64_t *ticks = trace->samples.tick + first;
    double  *values = trace->samples.value + first;
    while (in_order < count && ticks[in_order - 1] <= ticks[in_order])
        in_order++;
    if (in_order >= count) return true;
    const SortKey *order = workspace_sort_items(ws, &(SortItems){ ticks, count, sizeof *ticks, NULL });
    double        *fed = ARENA_ARRAY(&ws->scratch, double, count);
    if (order == NULL || fed == NULL) return false;
    memcpy(fed, values, count * sizeof *fed);
    for (size_t i = 0; i < count; i++) {
        ticks[i] = tick_of_key(order[i].key);
        values[i] = fed[order[i].index];
    }
    return true;
}

double sample_in_sum(double value)
{
    return isnan(value) ? 0 : value;
}

void sample_sums_step(SampleSums *sums, int64_t tick, double change)
{
    if (tick != sums->tick && sums->latest > sums->greatest)
        sums->greatest = sums->latest; /* sums between two samples of the same time are not visible */
    sums->tick = tick;
    sums->latest += change;
}

double sample_sums_greatest(const SampleSums *sums)
{
    return sums->latest > sums->greatest ? sums->latest : sums->greatest;
}

bool sample_sums_walk(Arena *arena, const Trace *trace, SeriesWalk *walks, uint32_t count, SampleSums *sums)
{
    const int64_t *ticks = trace->samples.tick;
    LaneHeap       next = { .lanes = ARENA_ARRAY(arena, HeapLane, count) };
    *sums = (SampleSums){ .tick = INT64_MIN };
    if (next.lanes == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        if (walks[i].at < walks[i].end) lane_heap_push(&next, (HeapLane){ ticks[walks[i].at], i });
    while (next.count > 0) {
        SeriesWalk   *walk = &walks[next.lanes[0].lane];
        const int64_t tick = next.lanes[0].free_at;
        for (; walk->at < walk->end && ticks[walk->at] == tick; walk->at++) {
            const double value = sample_in_sum(trace->samples.value[walk->at]);
            sample_sums_step(sums, tick, value - walk->value);
            walk->value = value;
        }
        if (walk->at < walk->end) {
            lane_heap_take_first(&next, ticks[walk->at]);
        } else {
            lane_heap_remove_first(&next);
        }
    }
    return true;
}

/* Finds the range of the sums of all series over time. */
static bool find_stacked_range(Workspace *ws, const Trace *trace, const TrackWork *work, TrackExtras *counter)
{
    SeriesWalk *walks = ARENA_ARRAY(&ws->scratch, SeriesWalk, work->row_count);
    SampleSums  sums;
    uint64_t    at = counter->first_sample;
    if (walks == NULL) return false;
    for (uint32_t row = 0; row < work->row_count; row++) {
        walks[row] = (SeriesWalk){ .at = at, .end = at + work->rows[row].sample_count };
        at = walks[row].end;
    }
    if (!sample_sums_walk(&ws->scratch, trace, walks, work->row_count, &sums)) return false;
    if (sample_sums_greatest(&sums) > counter->greatest) counter->greatest = sample_sums_greatest(&sums);
    return true;
}

/* Finds the range of the values of a counter. */
static void find_range(Workspace *ws, const Trace *trace, const TrackWork *work, TrackExtras *counter)
{
    double least = INFINITY, greatest = -INFINITY;
    for (uint64_t i = counter->first_sample; i < counter->first_sample + counter->sample_count; i++) {
        double value = trace->samples.value[i];
        if (value < least) least = value;
        if (value > greatest) greatest = value;
    }
    bool any = least <= greatest;
    counter->least = any && least < 0 ? least : 0;
    counter->greatest = any && greatest > 0 ? greatest : 0;
    counter->is_stacked = any && least >= 0 && work->row_count > 1;
    if (counter->is_stacked && !find_stacked_range(ws, trace, work, counter)) ws->failed = true;
}

void counters_fill(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index)
{
    Trace               *trace = finish->trace;
    TrackExtras         *counter = trace->tracks[track_index].extras;
    const CounterGroups *counters = &finish->counters;
    const CounterGroup  *group = &counters->groups[finish->source_index[track_index]];
    const SeriesLog     *series = finish->builder->counters.series.items;
    WorkRow             *rows = ARENA_ARRAY(&ws->scratch, WorkRow, group->series_count);
    if (rows == NULL) {
        ws->failed = true;
        return;
    }
    uint64_t at = counter->first_sample;
    for (uint32_t i = 0; i < group->series_count; i++) {
        uint32_t index = counters->series[group->first_series + i];
        uint64_t first = counters->first_sample[index], last = counters->first_sample[index + 1];
        rows[i] = (WorkRow){ .lane = i,
                             .sample_count = last - first,
                             .series = series[index].name,
                             .colour = series[index].colour };
        if (!sort_row(ws, trace, at, (size_t)(last - first))) ws->failed = true;
        at += last - first;
    }
    work->rows = rows;
    work->row_count = group->series_count;
    if (!ws->failed) find_range(ws, trace, work, counter);
}
