/* The answers "stats" and "histogram": statistics of many slices. */
#include "analysis/argument_keys.h"
#include "analysis/histogram.h"
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"
#include "base/checked.h"
#include "base/digits.h"

#include <string.h>

static const uint64_t DEFAULT_TOP = 10000;

static double share_of(const StatsTable *table, const StatsRow *row)
{
    return table->self_ticks == 0 ? 0 : (double)row->self / (double)table->self_ticks;
}

/* Writes the name of the row's group: null for slices without a name, category or process. */
static void write_row_name(JsonWriter *w, const Trace *trace, const StatsQuery *query, const StatsRow *row)
{
    Bytes name = { 0 };
    stats_append_name(trace, query, row, &name);
    json_put_view_or_null(w, "name", bytes_view(&name));
    bytes_release(&name);
}

static void write_stats_row(JsonWriter *w, const RequestContext *ctx, const StatsQuery *query,
                            const StatsTable *table, const StatsRow *row)
{
    const Trace *trace = ctx->trace;
    json_object_begin(w);
    write_row_name(w, trace, query, row);
    json_put_u64(w, "label", row->label);
    json_put_u64(w, "count", row->count);
    put_span(w, "total", trace, row->total);
    put_span(w, "self", trace, row->self);
    put_span(w, "average", trace, row->total / row->count);
    put_span(w, "min", trace, row->min);
    put_span(w, "p50", trace, row->p50);
    put_span(w, "p90", trace, row->p90);
    put_span(w, "p99", trace, row->p99);
    put_span(w, "max", trace, row->max);
    put_span(w, "deviation", trace, row->deviation);
    json_put_double(w, "share", share_of(table, row));
    put_cpu_or_null(w, "cpu", row->cpu_count > 0 ? &row->cpu_ns : NULL, CPU_ROUNDED);
    put_place(w, "longest", ctx, row->longest);
    json_object_end(w);
}

static void write_stats(const RequestContext *ctx, const StatsQuery *query, const StatsTable *table,
                        int64_t begin, int64_t end, uint64_t top)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_decimal_i64(&w, "begin", begin);
    put_decimal_i64(&w, "end", end);
    json_put_u64(&w, "slices", table->slice_count);
    json_put_u64(&w, "names", table->row_count);
    put_span(&w, "total", ctx->trace, table->self_ticks);
    json_put_u64(&w, "left_out_tracks", table->left_out_tracks);
    json_put_string(&w, "perspective", table->perspective);
    json_put_array(&w, "rows");
    for (uint32_t i = 0; i < table->row_count && i < top; i++)
        write_stats_row(&w, ctx, query, table, &table->rows[i]);
    json_array_end(&w);
    json_object_end(&w);
}

/* Reads by=. *argument is KEY of arg:KEY, else empty. */
static bool param_by(RequestContext *ctx, StatsGroup *by, StringView *argument)
{
    static const char *const GROUPS[] = { "name", "category", "thread", "process" }; /* by StatsGroup */
    const StringView        *text = request_param(ctx->request, "by");
    *by = STATS_BY_NAME;
    *argument = STRING_LITERAL("");
    if (text == NULL) return true;
    if (param_by_argument(ctx, argument)) {
        *by = STATS_BY_ARGUMENT;
        return true;
    }
    for (size_t i = 0; i < sizeof GROUPS / sizeof GROUPS[0]; i++) {
        *by = (StatsGroup)i;
        if (string_equal(*text, c_string_view(GROUPS[i]))) return true;
    }
    return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                       "by= must be name, category, thread, process or arg:KEY");
}

/* Reads label=, least= and most=: the subset of the slices. */
static bool param_subset(RequestContext *ctx, StatsSubset *subset)
{
    const Trace *trace = ctx->trace;
    uint64_t     label = 0;
    *subset = (StatsSubset){ .has_group = request_param(ctx->request, "label") != NULL,
                             .by = STATS_BY_NAME,
                             .most_ticks = UINT64_MAX };
    subset->has_durations =
        request_param(ctx->request, "least") != NULL || request_param(ctx->request, "most") != NULL;
    if (subset->has_group) {
        if (!param_u64(ctx, "label", UINT32_MAX, &label)) return false;
        if (label == 0 || label > trace->label_count)
            return answer_fail(ctx->answer, SESSION_NOT_FOUND, "label= is not the id of a label");
        subset->key = trace->labels[label].name.index;
    }
    return param_optional(ctx, "least", UINT64_MAX, &subset->least_ticks) &&
           param_optional(ctx, "most", UINT64_MAX, &subset->most_ticks);
}

/* The slices that `stats` and `histogram` count, with their groups. Must not be moved. */
typedef struct CountedSlices {
    StatsQuery   query;
    FoundSlices  found;    /* of `search` or `inside`; else unused */
    ArgumentKeys argument; /* by an argument; else unused, and so is `reader` */
    EventReader  reader;
} CountedSlices;

static bool open_argument(RequestContext *ctx, CountedSlices *counted, StringView name, Arena *arena)
{
    const char *copy = arena_push_copy(arena, name.bytes, name.size);
    counted->query.argument = &counted->argument;
    return (copy != NULL && event_reader_open(&counted->reader, ctx->loaded, NULL) &&
            argument_keys_open(&counted->argument, ctx->trace, (StringView){ copy, name.size },
                               &counted->reader.source, arena)) ||
           answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the arguments");
}

/* Reads the parameters of `stats` and `histogram`. The tracks are copied to `arena`. Release the slices in either
 * case. */
static bool param_counted(RequestContext *ctx, CountedSlices *counted, Arena *arena)
{
    StatsQuery *query = &counted->query;
    StringView  argument;
    if (!param_subset(ctx, &query->subset) || !param_slices(ctx, &counted->found, arena)) return false;
    query->subset.slices = counted->found.slices;
    return param_range(ctx, &query->part.begin_tick, &query->part.end_tick) &&
           param_by(ctx, &query->by, &argument) &&
           (query->by != STATS_BY_ARGUMENT || open_argument(ctx, counted, argument, arena)) &&
           param_tracks(ctx, &query->part.tracks, &query->part.track_count) &&
           param_filter(ctx, &query->part.filter) &&
           long_tracks(ctx, &query->part.tracks, query->part.track_count, arena);
}

/* Releases everything but the values of the argument, which are in the arena. May be called again. */
static void counted_release(CountedSlices *counted)
{
    found_slices_release(&counted->found);
    argument_keys_release(&counted->argument);
    event_reader_release(&counted->reader);
    counted->reader = (EventReader){ .reader = NULL };
}

/* -- the count -- */

/* Does a step of the search before the count. The whole search is 0 to 0.5 of the share. False: err filled. */
static bool find_slices(CountedSlices *counted, double *share, Err *err)
{
    FoundSlices *found = &counted->found;
    const bool   done = !found_slices_pending(found) || found_slices_step(found, err);
    *share = found->share / 2;
    return done;
}

/* Returns the slices in a step of the count: fewer if their arguments are read. */
static uint64_t step_slices(const CountedSlices *counted)
{
    return counted->query.by == STATS_BY_ARGUMENT ? LONG_STEP_SLICES / 16 : LONG_STEP_SLICES;
}

static const char *const STATS_PARAMETERS[] = { "begin", "end",    "tracks", "hide",   "label", "least",
                                                "most",  "search", "in",     "inside", "by",    NULL };

typedef struct StatsWork {
    CountedSlices counted;
    StatsCount   *count;
    StatsTable    table;
} StatsWork;

static bool stats_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    StatsWork *work = state;
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_counted(ctx, &work->counted, arena)) return false;
    work->count = stats_count_begin(ctx->trace, &work->counted.query, arena, &err);
    return work->count != NULL || answer_fail_err(ctx->answer, &err);
}

static bool stats_work_step(void *state, double *share, Err *err)
{
    StatsWork *work = state;
    if (!find_slices(&work->counted, share, err)) return false;
    if (found_slices_pending(&work->counted.found)) return true;
    const bool done = stats_count_step(work->count, step_slices(&work->counted), share, &work->table, err);
    if (work->counted.found.slices != NULL) *share = 0.5 + *share / 2;
    if (*share == 1 || !done) {
        counted_release(&work->counted);
        stats_count_release(work->count); /* the table stays in the arena */
        work->count = NULL;
    }
    return done;
}

static void stats_work_release(void *state)
{
    StatsWork *work = state;
    stats_count_release(work->count);
    counted_release(&work->counted);
}

static const LongKind STATS_KIND = { .size = sizeof(StatsWork),
                                     .parameters = STATS_PARAMETERS,
                                     .begin = stats_work_begin,
                                     .step = stats_work_step,
                                     .release = stats_work_release };

void handle_stats(RequestContext *ctx)
{
    const uint64_t span = trace_span(ctx->trace);
    const int64_t  whole = span > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)span;
    int64_t        begin, end;
    uint64_t       top = DEFAULT_TOP;
    if (!param_offset(ctx, "begin", 0, &begin) || !param_offset(ctx, "end", whole, &end)) return;
    if (!param_optional(ctx, "top", UINT32_MAX, &top)) return;
    const StatsWork *work = long_work(ctx, &STATS_KIND);
    if (work == NULL) return;
    write_stats(ctx, &work->counted.query, &work->table, begin, end, top);
    long_work_done(ctx, work, LONG_WORK_KEEP);
}

/* -- histogram -- */

static const char *const HISTOGRAM_PARAMETERS[] = { "begin", "end",   "tracks", "hide", "label",
                                                    "least", "most",  "search", "in",   "inside",
                                                    "by",    "scale", NULL };

typedef struct HistogramWork {
    CountedSlices   counted;
    HistogramCount *count;
    StringId        name; /* of the slices, if label= chooses them */
    Histogram       histogram;
} HistogramWork;

static const char *const SCALES[] = { [HISTOGRAM_LOG] = "log", [HISTOGRAM_LINEAR] = "linear" };

static bool histogram_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    HistogramWork    *work = state;
    const StatsQuery *query = &work->counted.query;
    size_t            scale;
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!PARAM_WORD(ctx, "scale", SCALES, &scale) || !param_counted(ctx, &work->counted, arena)) return false;
    if (query->subset.has_group) work->name = (StringId){ query->subset.key };
    work->count =
        histogram_count_begin(ctx->trace, query, (HistogramScale)scale, arena, &work->histogram, &err);
    return work->count != NULL || answer_fail_err(ctx->answer, &err);
}

static bool histogram_work_step(void *state, double *share, Err *err)
{
    HistogramWork *work = state;
    if (!find_slices(&work->counted, share, err)) return false;
    if (found_slices_pending(&work->counted.found)) return true;
    const bool done = histogram_count_step(work->count, step_slices(&work->counted), share, err);
    if (work->counted.found.slices != NULL) *share = 0.5 + *share / 2;
    if (*share == 1 || !done) counted_release(&work->counted);
    return done;
}

static void histogram_work_release(void *state)
{
    HistogramWork *work = state;
    counted_release(&work->counted);
}

static const LongKind HISTOGRAM_KIND = { .size = sizeof(HistogramWork),
                                         .parameters = HISTOGRAM_PARAMETERS,
                                         .begin = histogram_work_begin,
                                         .step = histogram_work_step,
                                         .release = histogram_work_release };

static void write_histogram(const RequestContext *ctx, StringId name, const Histogram *histogram)
{
    const Trace *trace = ctx->trace;
    JsonWriter   w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_text(&w, "name", trace, name);
    json_put_u64(&w, "slices", histogram->count);
    json_put_array(&w, "bins");
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        const HistogramBin *bin = &histogram->bins[i];
        json_object_begin(&w);
        put_span(&w, "least", trace, bin->least);
        put_span(&w, "below", trace, bin->most == UINT64_MAX ? bin->most : bin->most + 1);
        json_put_u64(&w, "count", bin->count);
        put_span(&w, "total", trace, bin->total);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}

void handle_histogram(RequestContext *ctx)
{
    const HistogramWork *work = long_work(ctx, &HISTOGRAM_KIND);
    if (work == NULL) return;
    write_histogram(ctx, work->name, &work->histogram);
    long_work_done(ctx, work, LONG_WORK_KEEP);
}
