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

static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}

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

/* The slices of a row that begin in some buckets. They are summed up together: lod_summarise_parts is faster for many. */
typedef struct RowParts {
    LodPart  slices[LOD_MOST_PARTS];
    uint32_t buckets[LOD_MOST_PARTS];
    uint32_t count;
} RowParts;

/* Adds the parts of the slices that are in the bucket of their begin. */
static void add_parts(Overview *overview, const Row *row, RowParts *parts)
{
    const Trace *trace = overview->trace;
    LodSummary   summaries[LOD_MOST_PARTS];
    filter_summarise_parts(trace, overview->filter, row, parts->slices, parts->count, summaries, NULL);
    for (uint32_t i = 0; i < parts->count; i++) {
        if (summaries[i].count == 0) continue;
        const uint32_t last = parts->slices[i].last - 1;
        const uint64_t end = overview->begins[parts->buckets[i] + 1];
        const uint64_t until = offset_of(trace, trace_slice_end(trace, row->first_slice + last));
        const bool     reaches_out = until > end && covers(overview, row, last);
        add_cover(&overview->sums[parts->buckets[i]], lod_row_dominant(trace, row, &summaries[i]),
                  summaries[i].covered - (reaches_out ? until - end : 0), row->depth);
    }
    parts->count = 0;
}

/* Adds the covered part of each bucket in a row: the slice that is open at its begin, and the summary of the slices
 * that begin in it. */
static void add_row(Overview *overview, const Row *row)
{
    const Trace *trace = overview->trace;
    uint32_t     at = 0;
    RowParts     parts;
    parts.count = 0;
    for (uint32_t b = 0; b < overview->count; b++) {
        const uint64_t begin = overview->begins[b], end = overview->begins[b + 1];
        if (end == begin) continue;
        if (at > 0 && covers(overview, row, at - 1)) {
            uint64_t before = row->first_slice + at - 1;
            uint64_t until = offset_of(trace, trace_slice_end(trace, before));
            if (until > end) until = end;
            if (until > begin)
                add_cover(&overview->sums[b], trace_slice_label(trace, before), until - begin, row->depth);
        }
        const uint64_t first = row->first_slice;
        const int64_t  end_tick = (int64_t)((uint64_t)trace->begin_tick + end);
        const uint32_t next = end == overview->begins[overview->count]
                                  ? row->slice_count
                                  : (uint32_t)(begins_next_bound(&trace->slices, first + at,
                                                                 first + row->slice_count, end_tick) -
                                               first);
        if (next == at) continue;
        if (parts.count == LOD_MOST_PARTS) add_parts(overview, row, &parts);
        parts.slices[parts.count] = (LodPart){ at, next };
        parts.buckets[parts.count++] = b;
        at = next;
    }
    add_parts(overview, row, &parts);
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
        const uint64_t span = offset_of(trace, trace->end_tick);
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
            if (filter_count_slices(trace, filter, slice, slice + row->slice_count, NULL) > 0) break;
            if (filter_count_instants(trace, filter, instant, instant + row_extras(row)->instant_count,
                                      NULL) > 0)
                break;
            rows--;
        }
        uint64_t slices = 0, instants = 0; /* by rows: a track of a growing trace has gaps */
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
            const Row *row = &trace->rows[r];
            uint64_t   slice = row->first_slice, instant = row_extras(row)->first_instant;
            slices += filter_count_slices(trace, filter, slice, slice + row->slice_count, NULL);
            instants +=
                filter_count_instants(trace, filter, instant, instant + row_extras(row)->instant_count, NULL);
        }
        wire_put_u32(out, rows);
        wire_put_u32(out, 0);
        wire_put_u64(out, slices);
        wire_put_u64(out, instants);
    }
}
