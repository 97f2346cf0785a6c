/* The overview for the minimap: the average number of open slices over all threads, and the dominant label, for each
 * part of the trace.
 *
 * Each row adds its covered time to each bucket; a bucket's `busy` is this sum for each of its ticks, relative to the
 * fullest bucket. The label is the one with the largest part, where deeper rows have more weight: the name of the
 * outermost slice is often only "main". */
#include "base/checked.h"
#include "base/wide.h"
#include "trace/store/begins.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/outline_layout.h"

/* Limit on rows x buckets; above it, only every n-th row is read, so that a million rows are fast. */
static const uint64_t MOST_STEPS = UINT64_C(1) << 23;

typedef struct OverviewSum {
    LodSummary names; /* of the time of each row; longest: the label with the greatest part */
    uint64_t   covered;
} OverviewSum;

typedef struct Overview {
    const Trace  *trace;
    const Filter *filter;
    OverviewSum  *sums;
    uint64_t     *begins; /* by bucket, as offsets from the begin of the trace; behind the last one its end */
    uint32_t      count;
} Overview;

static void add_cover(OverviewSum *sum, uint32_t label, uint64_t ticks, uint32_t depth)
{
    uint64_t   weight = ticks > UINT64_MAX / (depth + 1) / 4096 ? ticks : ticks * (depth + 1);
    LodSummary one = {
        .count = 1, .longest_ticks = weight, .longest = label, .label = { label }, .weight = { weight }
    };
    lod_merge(&sum->names, &one);
    sum->covered = u64_add_saturated(sum->covered, ticks);
}

/* True if the slice counts as covered: it is visible and not idle. */
static bool covers(const Overview *overview, const Row *row, uint32_t slice)
{
    const Trace *trace = overview->trace;
    uint32_t     label = trace_slice_label(trace, row->first_slice + slice);
    return label != trace->idle_label && !filter_hides_label(overview->filter, label);
}

/* Some adjacent buckets in a row. Their slices are found and summed up together: lod_summarise_parts is faster for many, and the
 * other memory is prefetched. */
typedef struct RowBuckets {
    uint32_t first, count;
    uint32_t
        begins[LOD_MOST_PARTS + 1]; /* the first slice that begins in each; behind the last one its end */
} RowBuckets;

/* Finds the slices that begin in the buckets. */
static void find_slices(const Overview *overview, const Row *row, RowBuckets *buckets)
{
    const Trace   *trace = overview->trace;
    const uint64_t first = row->first_slice, span = overview->begins[overview->count];
    for (uint32_t i = 0; i < buckets->count; i++) {
        const uint64_t end = overview->begins[buckets->first + i + 1];
        const int64_t  end_tick = trace_tick_at(trace, end);
        const uint32_t at = buckets->begins[i];
        uint32_t       next = row->slice_count;
        if (end == overview->begins[buckets->first + i])
            next = at;
        else if (end < span)
            next =
                (uint32_t)(begins_next_bound(&trace->slices, first + at, first + row->slice_count, end_tick) -
                           first);
        buckets->begins[i + 1] = next;
        if (next < row->slice_count) lod_prefetch(trace, row, next);
    }
}

/* Adds the slices that are open at the begins of the buckets. */
static void add_open(Overview *overview, const Row *row, const RowBuckets *buckets)
{
    const Trace *trace = overview->trace;
    for (uint32_t i = 0; i < buckets->count; i++) {
        const uint32_t bucket = buckets->first + i, at = buckets->begins[i];
        const uint64_t begin = overview->begins[bucket], end = overview->begins[bucket + 1];
        if (end == begin || at == 0 || !covers(overview, row, at - 1)) continue;
        const uint64_t before = row->first_slice + at - 1;
        uint64_t       until = trace_since_begin(trace, trace_slice_end(trace, before));
        if (until > end) until = end;
        if (until > begin)
            add_cover(&overview->sums[bucket], trace_slice_label(trace, before), until - begin, row->depth);
    }
}

/* Adds the parts of the slices that are in the bucket of their begin. */
static void add_begun(Overview *overview, const Row *row, const RowBuckets *buckets)
{
    const Trace *trace = overview->trace;
    LodPart      parts[LOD_MOST_PARTS];
    uint32_t     numbers[LOD_MOST_PARTS], count = 0;
    LodSummary   summaries[LOD_MOST_PARTS];
    for (uint32_t i = 0; i < buckets->count; i++) {
        if (buckets->begins[i] == buckets->begins[i + 1]) continue;
        numbers[count] = buckets->first + i;
        parts[count++] = (LodPart){ buckets->begins[i], buckets->begins[i + 1] };
    }
    if (count == 0) return;
    filter_summarise_parts(trace, overview->filter, row, parts, count, summaries, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (summaries[i].count == 0) continue;
        const uint32_t last = parts[i].last - 1;
        const uint64_t end = overview->begins[numbers[i] + 1];
        const uint64_t until = trace_since_begin(trace, trace_slice_end(trace, row->first_slice + last));
        const bool     reaches_out = until > end && covers(overview, row, last);
        add_cover(&overview->sums[numbers[i]], lod_row_dominant(trace, row, &summaries[i]),
                  summaries[i].covered - (reaches_out ? until - end : 0), row->depth);
    }
}

/* Adds the covered part of each bucket in a row: the slice that is open at its begin, and the summary of the slices
 * that begin in it. */
static void add_row(Overview *overview, const Row *row)
{
    RowBuckets buckets;
    buckets.begins[0] = 0;
    for (buckets.first = 0; buckets.first < overview->count; buckets.first += LOD_MOST_PARTS) {
        const uint32_t left = overview->count - buckets.first;
        buckets.count = left < LOD_MOST_PARTS ? left : LOD_MOST_PARTS;
        find_slices(overview, row, &buckets);
        add_open(overview, row, &buckets);
        add_begun(overview, row, &buckets);
        buckets.begins[0] = buckets.begins[buckets.count];
    }
}

/* Returns the average number of open slices in a bucket. In a short trace a bucket has a few ticks, and their numbers
 * differ by one. */
static double depth_of(const Overview *overview, uint32_t bucket)
{
    const uint64_t begin = overview->begins[bucket], end = overview->begins[bucket + 1];
    return end > begin ? (double)overview->sums[bucket].covered / (double)(end - begin) : 0;
}

static void put_overview(const Overview *overview, uint32_t number, Bytes *out)
{
    double fullest = 0;
    for (uint32_t b = 0; b < overview->count; b++) {
        double depth = depth_of(overview, b);
        if (depth > fullest) fullest = depth;
    }
    wire_put_u32(out, OVERVIEW_MAGIC);
    wire_put_u32(out, overview->count);
    wire_put_u32(out, number);
    for (uint32_t b = 0; b < overview->count; b++) {
        const OverviewSum *sum = &overview->sums[b];
        uint32_t           busy = fullest > 0 ? (uint32_t)(depth_of(overview, b) / fullest * 65535) : 0;
        if (busy == 0 && sum->covered > 0) busy = 1;
        wire_put_u32(out, lod_dominant(&sum->names, sum->names.longest));
        wire_put_u32(out, busy);
    }
}

/* Returns the kind of tracks in the overview: threads, or the first of the other kinds that has slices. */
static TrackKind kind_of_interest(const Trace *trace)
{
    static const TrackKind KINDS[] = { TRACK_THREAD, TRACK_SAMPLES, TRACK_ASYNC, TRACK_STATES,
                                       TRACK_OBJECTS };
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        for (uint32_t i = 1; i <= trace->track_count; i++) {
            if (trace->tracks[i].kind == KINDS[k] && track_slice_count(trace, &trace->tracks[i]) > 0)
                return KINDS[k];
        }
    }
    return TRACK_THREAD;
}

void overview_encode(const Trace *trace, const Filter *filter, uint32_t number, uint32_t bucket_count,
                     Bytes *out)
{
    Arena    arena = arena_create(0);
    Overview overview = { .trace = trace, .filter = filter, .count = bucket_count };
    overview.sums = ARENA_ARRAY(&arena, OverviewSum, bucket_count);
    overview.begins = ARENA_ARRAY(&arena, uint64_t, (size_t)bucket_count + 1);
    if (overview.sums == NULL || overview.begins == NULL) {
        out->failed = true;
    } else {
        const uint64_t span = trace_span(trace);
        for (uint32_t b = 0; b <= bucket_count && bucket_count > 0; b++)
            overview.begins[b] = wide_mul_div_u64(span, b, bucket_count);
        TrackKind kind = kind_of_interest(trace);
        uint32_t  stride = 1 + (uint32_t)((uint64_t)trace->row_count * bucket_count / MOST_STEPS);
        for (uint32_t r = 0; r < trace->row_count && bucket_count > 0; r += stride) {
            const Row   *row = &trace->rows[r];
            const Track *track = &trace->tracks[row->track];
            if (track->kind == kind && row->slice_count > 0 && !track->divides) add_row(&overview, row);
        }
        put_overview(&overview, number, out);
    }
    arena_release(&arena);
}

void visible_encode(const Trace *trace, const Filter *filter, uint32_t number, Bytes *out)
{
    wire_put_u32(out, VISIBLE_MAGIC);
    wire_put_u32(out, trace->track_count);
    wire_put_u32(out, number);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        uint32_t     rows = track_row_count(track);
        if (filter_hides_track(filter, t)) rows = 0;
        while (filter != NULL && rows > 0 &&
               track->kind != TRACK_COUNTER) { /* the last row with visible events */
            const Row *row = &trace->rows[track->first_row + rows - 1];
            uint64_t   slice = row->first_slice, instant = row_extras(row)->first_instant;
            if (filter_count_slices(filter, slice, slice + row->slice_count, NULL) > 0) break;
            if (filter_count_instants(filter, instant, instant + row_extras(row)->instant_count, NULL) > 0)
                break;
            rows--;
        }
        uint64_t slices = 0, instants = 0; /* by rows: a track of a growing trace has gaps */
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
            const Row *row = &trace->rows[r];
            uint64_t   slice = row->first_slice, instant = row_extras(row)->first_instant;
            slices += filter_count_slices(filter, slice, slice + row->slice_count, NULL);
            instants +=
                filter_count_instants(filter, instant, instant + row_extras(row)->instant_count, NULL);
        }
        wire_put_u32(out, rows);
        wire_put_u32(out, 0);
        wire_put_u64(out, slices);
        wire_put_u64(out, instants);
    }
}
