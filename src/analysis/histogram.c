#include "analysis/histogram.h"

#include "analysis/group_scan.h"
#include "base/checked.h"
#include "base/search.h"

#include <assert.h>

enum { STEPS = 10 };
static const uint64_t HUNDREDTHS[STEPS] = { 100, 125, 160, 200, 250, 315, 400, 500, 630, 800 };

/* -- edges: in units, which are ns, or ticks where the clock has no time -- */

static uint64_t ticks_of(const Clock *clock, uint64_t units)
{
    return clock_has_time(clock) ? clock_span_from_ns(clock, units) : units;
}

static uint64_t units_of(const Clock *clock, uint64_t ticks)
{
    return clock_has_time(clock) ? clock_span_to_ns(clock, ticks) : ticks;
}

/* Appends a bin that begins at `least` ticks. Edges that fall on the same tick make one bin. */
static void add_bin(Histogram *histogram, uint64_t least)
{
    HistogramBin *last = histogram->bin_count == 0 ? NULL : &histogram->bins[histogram->bin_count - 1];
    if (last != NULL && least <= last->least) return;
    assert(histogram->bin_count < HISTOGRAM_BINS_MAX);
    if (last != NULL) last->most = least - 1;
    histogram->bins[histogram->bin_count++] = (HistogramBin){ .least = least, .most = UINT64_MAX };
}

static void make_log_bins(const Clock *clock, Histogram *histogram)
{
    add_bin(histogram, 0);
    for (uint64_t power = 1;; power *= 10) {
        for (unsigned step = 0; step < STEPS; step++) {
            const uint64_t whole = power / 100, rest = power % 100;
            if (whole > UINT64_MAX / HUNDREDTHS[step]) return;
            /* Below 100 units the power has a rest, rounded up: 1.25 becomes 2. */
            add_bin(histogram,
                    ticks_of(clock, whole * HUNDREDTHS[step] + (rest * HUNDREDTHS[step] + 99) / 100));
        }
        if (power > UINT64_MAX / 10) return;
    }
}

/* Returns the least of 1, 2 and 5 times a power of ten that covers `span` in fewer than HISTOGRAM_LINEAR_BINS steps. */
static uint64_t linear_step(uint64_t span)
{
    for (uint64_t power = 1;; power *= 10) {
        if (span / power < HISTOGRAM_LINEAR_BINS) return power;
        if (span / power / 2 < HISTOGRAM_LINEAR_BINS) return 2 * power;
        if (span / power / 5 < HISTOGRAM_LINEAR_BINS) return 5 * power;
    }
}

static void make_linear_bins(const Clock *clock, uint64_t min, uint64_t max, Histogram *histogram)
{
    const uint64_t from = units_of(clock, min), to = units_of(clock, max);
    const uint64_t step = linear_step(to - from);
    uint64_t       edge = from / step * step;
    const uint64_t first = ticks_of(clock, edge);
    add_bin(histogram, first < min ? first : min); /* the nearest tick may lie above the least duration */
    while (edge <= to && edge <= UINT64_MAX - step)
        add_bin(histogram, ticks_of(clock, edge += step));
}

/* -- counting -- */

/* The bins cover the duration. */
static HistogramBin *bin_of(Histogram *histogram, uint64_t ticks)
{
    uint32_t low = 1;
    LOWER_BOUND(uint32_t, low, histogram->bin_count, i, histogram->bins[i].least <= ticks);
    HistogramBin *bin = &histogram->bins[low - 1];
    assert(bin->least <= ticks && ticks <= bin->most);
    return bin;
}

static void count_batch(Histogram *histogram, const GroupScan *groups, const ScanBatch *batch)
{
    const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (groups->keys[i] == GROUP_HIDDEN) continue;
        HistogramBin *bin = bin_of(histogram, ticks[i]);
        bin->count++;
        bin->total = u64_add_saturated(bin->total, ticks[i]);
        if (histogram->count++ == 0 || ticks[i] < histogram->min) histogram->min = ticks[i];
        if (ticks[i] > histogram->max) histogram->max = ticks[i];
    }
}

/* Removes the empty bins before the first and after the last slice. */
static void trim(Histogram *histogram)
{
    uint32_t first = 0;
    while (histogram->bin_count > 0 && histogram->bins[histogram->bin_count - 1].count == 0)
        histogram->bin_count--;
    while (first < histogram->bin_count && histogram->bins[first].count == 0)
        first++;
    histogram->bin_count -= first;
    for (uint32_t i = 0; i < histogram->bin_count; i++)
        histogram->bins[i] = histogram->bins[first + i];
}

/* -- steps -- */

/* The linear scale needs the least and the greatest duration first: its slices are read twice. */
struct HistogramCount {
    Histogram   *histogram; /* of the caller */
    GroupScan    scans[2];
    uint32_t     scan, scan_count; /* index of the present one; scan_count: complete */
    uint64_t     read, most;       /* slices of all scans, and at most */
    const Clock *clock;
};

HistogramCount *histogram_count_begin(const Trace *trace, const StatsQuery *query, HistogramScale scale,
                                      Arena *arena, Histogram *histogram, Err *err)
{
    StatsQuery      slices = *query;
    HistogramCount *count = ARENA_NEW(arena, HistogramCount);
    if (slices.by != STATS_BY_ARGUMENT) slices.by = STATS_BY_NAME;
    *histogram = (Histogram){ 0 };
    make_log_bins(&trace->clock, histogram);
    if (count == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the histogram");
        return NULL;
    }
    *count = (HistogramCount){ .histogram = histogram,
                               .scan_count = scale == HISTOGRAM_LOG ? 1 : 2,
                               .clock = &trace->clock };
    count->most = trace_slice_count(trace) * count->scan_count;
    for (uint32_t i = 0; i < count->scan_count; i++)
        if (!group_scan_begin(&count->scans[i], trace, &slices, SCAN_COLUMN(SCAN_SLICE_CLIPPED), arena, err))
            return NULL;
    return count;
}

/* Ends a scan that was read to its end. False: err filled. */
static bool end_scan(HistogramCount *count, Err *err)
{
    Histogram *histogram = count->histogram;
    GroupScan *groups = &count->scans[count->scan++];
    histogram->perspective = scan_perspective(groups->scan);
    if (!group_scan_end(groups, err)) return false;
    if (histogram->count == 0) count->scan = count->scan_count;
    if (count->scan == count->scan_count) {
        trim(histogram);
    } else {
        const uint64_t min = histogram->min, max = histogram->max;
        *histogram = (Histogram){ 0 };
        make_linear_bins(count->clock, min, max, histogram);
    }
    return true;
}

bool histogram_count_step(HistogramCount *count, uint64_t slices, double *share, Err *err)
{
    uint64_t read = 0;
    while (read < slices && count->scan < count->scan_count) {
        GroupScan       *groups = &count->scans[count->scan];
        const ScanBatch *batch = group_scan_next(groups);
        if (batch == NULL) {
            if (!end_scan(count, err)) return false;
            continue;
        }
        count_batch(count->histogram, groups, batch);
        read += batch->count;
        count->read += batch->count;
    }
    const double done = (double)count->read / (double)(count->most == 0 ? 1 : count->most);
    *share = count->scan == count->scan_count ? 1 : done < 0.99 ? done : 0.99;
    return true;
}

bool histogram_count(const Trace *trace, const StatsQuery *query, HistogramScale scale, Arena *arena,
                     Histogram *histogram, Err *err)
{
    HistogramCount *count = histogram_count_begin(trace, query, scale, arena, histogram, err);
    double          share;
    return count != NULL && histogram_count_step(count, UINT64_MAX, &share, err);
}
