/* Statistics of slices, instants and counters. */
#include "analysis/area.h"
#include "analysis/argument_keys.h"
#include "analysis/histogram.h"
#include "api/api.h"
#include "export/event_reader.h"

#include <assert.h>
#include <string.h>

static_assert((int)VARVE_BY_NAME == (int)STATS_BY_NAME && (int)VARVE_BY_CATEGORY == (int)STATS_BY_CATEGORY &&
                  (int)VARVE_BY_TRACK == (int)STATS_BY_TRACK &&
                  (int)VARVE_BY_PROCESS == (int)STATS_BY_PROCESS,
              "VarveGroup has the values of StatsGroup, but for arguments");
static_assert((int)VARVE_TIME_TEXT_BYTES >= (int)DIGITS_TEXT, "values of counters fit");

/* Returns the title of the process of a track, in `arena`; `text` is a buffer. Sets *failed when out of memory. */
static VarveText process_title(const Trace *trace, uint32_t track, Bytes *text, Arena *arena, bool *failed)
{
    const uint32_t process = trace->tracks[track].process.index;
    if (process == PROCESS_NONE.index) return api_text((StringView){ 0 });
    bytes_clear(text);
    trace_process_title(trace, process, text);
    return api_text_copy(arena, text, failed);
}

/* -- slices -- */

struct VarveStats {
    Arena            arena; /* holds this too */
    VarveStatsRow   *rows;
    VarveBin        *bins;
    uint32_t         row_count, bin_count;
    VarveStatsTotals totals;
    EventReader      reader; /* for `argument` */
    ArgumentKeys     argument;
};

static VarveStatsTimes stats_times(const StatsRow *row)
{
    return (VarveStatsTimes){ .total = row->total,
                              .self = row->self,
                              .average = row->total / row->count,
                              .least = row->min,
                              .most = row->max,
                              .p50 = row->p50,
                              .p90 = row->p90,
                              .p95 = row->p95,
                              .p99 = row->p99,
                              .deviation = row->deviation };
}

static VarveStatsTimes stats_ns(const Clock *clock, const VarveStatsTimes *ticks)
{
    return (VarveStatsTimes){ .total = clock_span_to_ns(clock, ticks->total),
                              .self = clock_span_to_ns(clock, ticks->self),
                              .average = clock_span_to_ns(clock, ticks->average),
                              .least = clock_span_to_ns(clock, ticks->least),
                              .most = clock_span_to_ns(clock, ticks->most),
                              .p50 = clock_span_to_ns(clock, ticks->p50),
                              .p90 = clock_span_to_ns(clock, ticks->p90),
                              .p95 = clock_span_to_ns(clock, ticks->p95),
                              .p99 = clock_span_to_ns(clock, ticks->p99),
                              .deviation = clock_span_to_ns(clock, ticks->deviation) };
}

static bool make_rows(VarveStats *stats, const Trace *trace, const StatsQuery *query, Err *err)
{
    StatsTable table;
    Bytes      text = { 0 };
    bool       failed = false;
    if (!stats_tally(trace, query, &stats->arena, &table, err)) return false;
    stats->rows = ARENA_ARRAY(&stats->arena, VarveStatsRow, (size_t)table.row_count + 1);
    if (stats->rows == NULL) return err_set(err, ERR_MEMORY, "out of memory for the table");
    for (uint32_t i = 0; i < table.row_count; i++) {
        const StatsRow       *from = &table.rows[i];
        const VarveStatsTimes ticks = stats_times(from);
        VarveStatsRow        *row = &stats->rows[i];
        *row = (VarveStatsRow){ .name = api_text(stats_name(trace, query, from)),
                                .process = api_text((StringView){ 0 }),
                                .count = from->count,
                                .ns = stats_ns(&trace->clock, &ticks),
                                .ticks = ticks,
                                .longest_slice_id = from->longest,
                                .track_id = from->track,
                                .process_id = from->process };
        if (query->by != STATS_BY_TRACK && query->by != STATS_BY_PROCESS) continue;
        bytes_clear(&text);
        stats_append_name(trace, query, from, &text);
        row->name = api_text_copy(&stats->arena, &text, &failed);
        if (query->by == STATS_BY_TRACK)
            row->process = process_title(trace, from->track, &text, &stats->arena, &failed);
    }
    bytes_release(&text);
    stats->row_count = table.row_count;
    stats->totals = (VarveStatsTotals){ .slice_count = table.slice_count,
                                        .self_ns = clock_span_to_ns(&trace->clock, table.self_ticks),
                                        .self_ticks = table.self_ticks,
                                        .left_out_track_count = table.left_out_tracks,
                                        .perspective = table.perspective };
    return !failed || err_set(err, ERR_MEMORY, "out of memory for the table");
}

static bool make_bins(VarveStats *stats, const Trace *trace, const StatsQuery *query, HistogramScale scale,
                      Err *err)
{
    Histogram *histogram = ARENA_NEW(&stats->arena, Histogram);
    stats->bins = ARENA_ARRAY(&stats->arena, VarveBin, HISTOGRAM_BINS_MAX);
    if (histogram == NULL || stats->bins == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the table");
    if (!histogram_count(trace, query, scale, &stats->arena, histogram, err)) return false;
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        const HistogramBin *bin = &histogram->bins[i];
        stats->bins[i] = (VarveBin){ .count = bin->count,
                                     .least_ns = clock_span_to_ns(&trace->clock, bin->least),
                                     .most_ns = clock_span_to_ns(&trace->clock, bin->most),
                                     .total_ns = clock_span_to_ns(&trace->clock, bin->total),
                                     .least_ticks = bin->least,
                                     .most_ticks = bin->most,
                                     .total_ticks = bin->total };
    }
    stats->bin_count = histogram->bin_count;
    stats->totals =
        (VarveStatsTotals){ .slice_count = histogram->count, .perspective = histogram->perspective };
    return true;
}

/* Opens the keys of the argument by which the query groups. False: err. */
static bool open_argument(VarveStats *stats, const VarveTrace *trace, const char *key, StatsQuery *query,
                          Err *err)
{
    if (key == NULL) return err_set(err, ERR_USAGE, "VARVE_BY_ARGUMENT needs the key of an argument");
    const char *copy = arena_push_copy(&stats->arena, key, strlen(key));
    query->by = STATS_BY_ARGUMENT;
    query->argument = &stats->argument;
    const bool is_open =
        copy != NULL && event_reader_open(&stats->reader, &trace->loaded, NULL) &&
        argument_keys_open(&stats->argument, trace->loaded.trace, (StringView){ copy, strlen(key) },
                           &stats->reader.source, &stats->arena);
    return is_open || err_set(err, ERR_MEMORY, "out of memory for the table");
}

static bool stats_fill(VarveStats *stats, const VarveTrace *trace, const VarvePart *part,
                       const VarveStatsOptions *options, Err *err)
{
    const Trace *t = trace->loaded.trace;
    StatsQuery   query = { 0 };
    if ((unsigned)options->by > VARVE_BY_ARGUMENT)
        return err_set(err, ERR_USAGE, "there is no group %d", (int)options->by);
    if ((unsigned)options->histogram > VARVE_HISTOGRAM_LINEAR)
        return err_set(err, ERR_USAGE, "there is no histogram %d", (int)options->histogram);
    if (!api_part(t, part, &stats->arena, &query.part, err)) return false;
    if (part != NULL && part->name != NULL) {
        const uint32_t name = string_table_find(t->strings, part->name, strlen(part->name)).index;
        query.subset =
            (StatsSubset){ .has_group = true, .by = STATS_BY_NAME, .key = name == 0 ? UINT32_MAX : name };
    }
    query.subset.slices = api_slices(part);
    query.by = (StatsGroup)options->by;
    if (options->by == VARVE_BY_ARGUMENT && !open_argument(stats, trace, options->argument, &query, err))
        return false;
    if (options->histogram == VARVE_HISTOGRAM_NONE) return make_rows(stats, t, &query, err);
    return make_bins(stats, t, &query,
                     options->histogram == VARVE_HISTOGRAM_LOG ? HISTOGRAM_LOG : HISTOGRAM_LINEAR, err);
}

VarveStats *varve_stats_open(const VarveTrace *trace, const VarvePart *part, const VarveStatsOptions *options,
                             VarveError *error)
{
    static const VarveStatsOptions BY_NAME = { .by = VARVE_BY_NAME };
    Err                            err = API_ERR;
    VarveStats                    *stats = API_HANDLE(VarveStats, error);
    if (stats == NULL) return NULL;
    const bool is_done = stats_fill(stats, trace, part, options == NULL ? &BY_NAME : options, &err);
    argument_keys_release(&stats->argument);
    event_reader_release(&stats->reader);
    if (is_done) return stats;
    (void)api_fail(&err, error);
    varve_stats_close(stats);
    return NULL;
}

void varve_stats_close(VarveStats *stats)
{
    api_handle_release(stats);
}

const VarveStatsRow *varve_stats_rows(const VarveStats *stats, uint32_t *row_count)
{
    *row_count = stats->row_count;
    return stats->rows;
}

const VarveBin *varve_stats_bins(const VarveStats *stats, uint32_t *bin_count)
{
    *bin_count = stats->bin_count;
    return stats->bins;
}

void varve_stats_totals(const VarveStats *stats, VarveStatsTotals *totals)
{
    *totals = stats->totals;
}

/* -- instants and counters -- */

struct VarveArea {
    Arena            arena; /* holds this too */
    VarveInstantRow *instants;
    VarveCounterRow *counters;
    uint32_t         instant_count, counter_count;
};

static VarveCounterRow counter_row(const Trace *trace, const AreaCounter *counter, Bytes *text, Arena *arena,
                                   bool *failed)
{
    const uint32_t   track = counter->track;
    const StringView series = trace_string(trace, counter->series);
    bytes_clear(text);
    trace_track_title(trace, track, text);
    if (counter->series.index != STRING_NONE.index) {
        bytes_append_text(text, " / ");
        bytes_append(text, series.bytes, series.size);
    }
    return (VarveCounterRow){ .name = api_text(trace_string(trace, trace->tracks[track].name)),
                              .title = api_text_copy(arena, text, failed),
                              .series = api_text(series),
                              .process = process_title(trace, track, text, arena, failed),
                              .unit = area_unit(trace, track),
                              .count = counter->count,
                              .least = counter->min,
                              .most = counter->max,
                              .last = counter->last,
                              .average = counter->average,
                              .track_id = track };
}

static bool area_fill(VarveArea *area, const Trace *trace, const VarvePart *part, Err *err)
{
    TracePart found;
    AreaTable table;
    Bytes     text = { 0 };
    bool      failed = false;
    if (!api_part(trace, part, &area->arena, &found, err) ||
        !area_tally(trace, &found, &area->arena, &table, err))
        return false;
    area->instants = ARENA_ARRAY(&area->arena, VarveInstantRow, (size_t)table.instant_rows + 1);
    area->counters = ARENA_ARRAY(&area->arena, VarveCounterRow, (size_t)table.counter_rows + 1);
    if (area->instants == NULL || area->counters == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the table");
    for (; area->instant_count < table.instant_rows; area->instant_count++) {
        const AreaInstants *from = &table.instants[area->instant_count];
        area->instants[area->instant_count] =
            (VarveInstantRow){ api_text(trace_string(trace, from->name)), from->count, from->first };
    }
    for (; area->counter_count < table.counter_rows; area->counter_count++)
        area->counters[area->counter_count] =
            counter_row(trace, &table.counters[area->counter_count], &text, &area->arena, &failed);
    bytes_release(&text);
    return !failed || err_set(err, ERR_MEMORY, "out of memory for the table");
}

VarveArea *varve_area_open(const VarveTrace *trace, const VarvePart *part, VarveError *error)
{
    Err        err = API_ERR;
    VarveArea *area = API_HANDLE(VarveArea, error);
    if (area == NULL) return NULL;
    if (area_fill(area, trace->loaded.trace, part, &err)) return area;
    (void)api_fail(&err, error);
    varve_area_close(area);
    return NULL;
}

void varve_area_close(VarveArea *area)
{
    api_handle_release(area);
}

const VarveInstantRow *varve_area_instants(const VarveArea *area, uint32_t *row_count)
{
    *row_count = area->instant_count;
    return area->instants;
}

const VarveCounterRow *varve_area_counters(const VarveArea *area, uint32_t *row_count)
{
    *row_count = area->counter_count;
    return area->counters;
}

VarveText varve_counter_text(const VarveCounterRow *row, double value, char buffer[VARVE_TIME_TEXT_BYTES])
{
    return (VarveText){ buffer, area_value_text(row->unit, value, buffer) };
}
