#include "trace/wire/tile_encode.h"

#include "base/search.h"
#include "trace/store/sample_index.h"
#include "trace/wire/flow_tile.h"
#include "trace/wire/tile_layout.h"

/* State for encoding one row of one tile. */
typedef struct RowEncoder {
    const Trace  *trace;
    const Filter *filter; /* NULL = all are visible */
    const Row    *row;
    TileKey       key;
    uint64_t      window_begin, window_end;
    Bytes        *entries, *aggregates, *instants, *samples;
    uint32_t      entry_count, aggregate_count, instant_count, sample_count;
    LodReads      reads;
} RowEncoder;

static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}

/* Returns the begin of slice i of the row, as an offset from the trace's begin. */
static uint64_t begin_of(RowEncoder *e, uint32_t i)
{
    e->reads.slices++;
    return offset_of(e->trace, e->trace->slices.begin_tick[e->row->first_slice + i]);
}

static uint64_t bucket_end(const RowEncoder *e, uint64_t offset)
{
    uint64_t bucket = (offset + e->trace->lead) >> e->key.level;
    uint64_t last = UINT64_MAX >> e->key.level;
    uint64_t end = bucket >= last ? UINT64_MAX : ((bucket + 1) << e->key.level) - e->trace->lead;
    return end < e->window_end ? end : e->window_end;
}

/* Returns the first slice after i that begins at or after `offset`, with a fast search for near ones. */
static uint32_t gallop(RowEncoder *e, uint32_t i, uint64_t offset)
{
    uint32_t low = i, step = 1, count = e->row->slice_count; /* invariant: low begins before offset */
    while (step < count - low && begin_of(e, low + step) < offset) {
        low += step;
        step *= 2;
    }
    const uint32_t end = step < count - low ? low + step : count;
    low++;
    LOWER_BOUND(uint32_t, low, end, at, begin_of(e, at) < offset);
    return low;
}

static void put_entry(RowEncoder *e, uint32_t first, uint32_t count, uint64_t begin, uint64_t extent,
                      uint32_t label, uint32_t flags)
{
    wire_put_u32(e->entries, first);
    wire_put_u32(e->entries, count);
    wire_put_u64(e->entries, begin + e->trace->lead);
    wire_put_u64(e->entries, extent);
    wire_put_u32(e->entries, label);
    wire_put_u32(e->entries, flags);
    e->entry_count++;
}

static void put_single(RowEncoder *e, uint32_t i, uint32_t flags)
{
    const SliceColumns *slices = &e->trace->slices;
    uint64_t            slice = e->row->first_slice + i;
    uint32_t            shown = TILE_UNFINISHED | TILE_NO_END | TILE_REPAIRED;
    put_entry(e, i, 1, begin_of(e, i), trace_slice_duration(e->trace, slice), slices->label[slice],
              flags | (slices->flags[slice] & shown));
}

/* Appends the visible slices of [first, last): the first one is visible, `end` is the last one. */
static void put_range(RowEncoder *e, uint32_t first, uint32_t last, uint32_t end)
{
    if (end == first) {
        put_single(e, first, 0);
        return;
    }
    LodSummary summary = filter_summarise(e->trace, e->filter, e->row, first, last, &e->reads);
    uint64_t   begin = begin_of(e, first);
    uint64_t   end_offset = offset_of(e->trace, trace_slice_end(e->trace, e->row->first_slice + end));
    put_entry(e, first, (uint32_t)summary.count, begin, end_offset - begin,
              lod_row_dominant(e->trace, e->row, &summary), summary.flags);
    wire_put_u64(e->aggregates, summary.covered);
    wire_put_u64(e->aggregates, summary.longest_ticks);
    wire_put_u32(e->aggregates, summary.longest);
    wire_put_u32(e->aggregates, 0);
    e->aggregate_count++;
}

/* Returns the first visible slice of the row's [first, last), or `last`. */
static uint32_t next_visible(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t base = e->row->first_slice;
    return (uint32_t)(filter_next_slice(e->trace, e->filter, base + first, base + last, &e->reads) - base);
}

/* Returns the last visible slice of the row's [first, last), or `last`. */
static uint32_t last_visible(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t base = e->row->first_slice;
    return (uint32_t)(filter_last_slice(e->trace, e->filter, base + first, base + last, &e->reads) - base);
}

/* Appends the slices [first, next), which begin in one bucket; the first one is visible. */
static void put_bucket(RowEncoder *e, uint32_t first, uint32_t next)
{
    uint32_t end = last_visible(e, first, next);
    uint64_t last_duration = trace_slice_duration(e->trace, e->row->first_slice + end);
    if (end > first && last_duration >= UINT64_C(1) << e->key.level) {
        put_range(e, first, end, last_visible(e, first, end));
        put_single(e, end, 0);
    } else {
        put_range(e, first, next, end);
    }
}

static int64_t tick_of(const Trace *trace, uint64_t offset)
{
    return (int64_t)((uint64_t)trace->begin_tick + offset);
}

static void encode_slices(RowEncoder *e)
{
    uint32_t count = e->row->slice_count;
    if (count == 0) return;
    uint32_t i = row_lower_bound(e->trace, e->row, tick_of(e->trace, e->window_begin));
    if (i > 0 && next_visible(e, i - 1, i) < i) {
        uint64_t before = e->row->first_slice + i - 1;
        if (offset_of(e->trace, trace_slice_end(e->trace, before)) > e->window_begin)
            put_single(e, i - 1, TILE_CARRIED);
    }
    while ((i = next_visible(e, i, count)) < count) {
        uint64_t begin = begin_of(e, i);
        if (begin >= e->window_end) break;
        uint32_t next = gallop(e, i, bucket_end(e, begin));
        put_bucket(e, i, next);
        i = next;
    }
}

/* Returns the first of `count` ticks at or after `offset`; `count` if all are before it. */
static uint32_t offset_lower_bound(const Trace *trace, const int64_t *ticks, uint32_t count, uint64_t offset)
{
    if (offset > offset_of(trace, trace->end_tick)) return count;
    return ticks_lower_bound(ticks, count, tick_of(trace, offset));
}

static void encode_instants(RowEncoder *e)
{
    uint32_t count = row_extras(e->row)->instant_count;
    if (count == 0) return; /* the column may be absent */
    const int64_t *ticks = e->trace->instants.tick + row_extras(e->row)->first_instant;
    uint32_t       i = offset_lower_bound(e->trace, ticks, count, e->window_begin);
    const uint64_t base = row_extras(e->row)->first_instant;
    while (i < count) {
        i = (uint32_t)(filter_next_instant(e->trace, e->filter, base + i, base + count, &e->reads) - base);
        if (i == count) break;
        uint64_t instant = base + i;
        uint64_t tick = offset_of(e->trace, e->trace->instants.tick[instant]);
        if (tick >= e->window_end) break;
        uint32_t next = offset_lower_bound(e->trace, ticks, count, bucket_end(e, tick));
        uint64_t visible = filter_count_instants(e->trace, e->filter, instant, base + next, &e->reads);
        wire_put_u32(e->instants, i);
        wire_put_u32(e->instants, (uint32_t)visible);
        wire_put_u64(e->instants, tick + e->trace->lead);
        wire_put_u32(e->instants, e->trace->instants.label[instant]);
        wire_put_u32(e->instants, 0);
        e->instant_count++;
        e->reads.slices++;
        i = next;
    }
}

static void put_samples(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t    sample = row_extras(e->row)->first_sample + first;
    SampleRange range = sample_range(e->trace, e->row, first, last, &e->reads);
    wire_put_u32(e->samples, first);
    wire_put_u32(e->samples, last - first);
    wire_put_u64(e->samples, offset_of(e->trace, e->trace->samples.tick[sample]) + e->trace->lead);
    wire_put_f64(e->samples, range.least);
    wire_put_f64(e->samples, range.greatest);
    wire_put_f64(e->samples, e->trace->samples.value[row_extras(e->row)->first_sample + last - 1]);
    e->sample_count++;
    e->reads.slices++;
}

static void encode_samples(RowEncoder *e)
{
    uint32_t count = row_extras(e->row)->sample_count;
    if (count == 0 || filter_hides_track(e->filter, e->row->track)) return;
    const int64_t *ticks = e->trace->samples.tick + row_extras(e->row)->first_sample;
    uint32_t       i = offset_lower_bound(e->trace, ticks, count, e->window_begin);
    if (i > 0) put_samples(e, i - 1, i); /* its value is still valid */
    while (i < count) {
        uint64_t tick = offset_of(e->trace, ticks[i]);
        if (tick >= e->window_end) break;
        uint32_t next = offset_lower_bound(e->trace, ticks, count, bucket_end(e, tick));
        put_samples(e, i, next);
        i = next;
    }
}

/* Appends a row's arrays to `out`, and writes its entry of the directory. */
static void put_row(const RowEncoder *e, size_t tile_start, uint32_t row, Bytes *out)
{
    uint32_t at = (uint32_t)(out->size - tile_start);
    uint32_t aggregates_at = at + (uint32_t)e->entries->size;
    uint32_t instants_at = aggregates_at + (uint32_t)e->aggregates->size;
    uint32_t samples_at = instants_at + (uint32_t)e->instants->size;
    bytes_append(out, e->entries->data, e->entries->size);
    bytes_append(out, e->aggregates->data, e->aggregates->size);
    bytes_append(out, e->instants->data, e->instants->size);
    bytes_append(out, e->samples->data, e->samples->size);
    if (out->failed) return;
    const uint32_t line[] = { at,
                              e->entry_count,
                              aggregates_at,
                              e->aggregate_count,
                              instants_at,
                              e->instant_count,
                              (uint32_t)e->row->first_slice,
                              (uint32_t)(e->row->first_slice >> 32),
                              (uint32_t)row_extras(e->row)->first_instant,
                              (uint32_t)(row_extras(e->row)->first_instant >> 32),
                              samples_at,
                              e->sample_count,
                              (uint32_t)row_extras(e->row)->first_sample,
                              (uint32_t)(row_extras(e->row)->first_sample >> 32) };
    uint8_t       *d = out->data + tile_start + TILE_HEADER_BYTES + (size_t)row * TILE_ROW_BYTES;
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++)
        wire_set_u32(d + 4 * i, line[i]);
}

static bool key_is_valid(const Trace *trace, TileKey key)
{
    if (key.track == 0 || key.track > trace->track_count || key.level > TILE_MAX_LEVEL) return false;
    uint32_t rows = track_row_count(&trace->tracks[key.track]);
    if (key.band >= (rows + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS) return false;
    return tile_window_end(key) > trace->lead &&
           tile_begin(key, trace->lead) <= offset_of(trace, trace->end_tick);
}

void tile_put_header(TileKey key, uint32_t row_count, Bytes *out)
{
    wire_put_u32(out, TILE_MAGIC);
    wire_put_u32(out, key.track);
    wire_put_u32(out, key.band);
    wire_put_u32(out, key.level);
    wire_put_u64(out, key.index);
    wire_put_u32(out, row_count);
    wire_put_u32(out, 0);
    wire_put_u32(out, key.filter);
    wire_put_u32(out, 0);
    for (size_t i = 0; i < (size_t)row_count * TILE_ROW_BYTES / 4; i++)
        wire_put_u32(out, 0);
}

bool tile_encode(const Trace *trace, TileKey key, Bytes *out, LodReads *reads, Err *err)
{
    return tile_encode_filtered(trace, NULL, key, out, reads, err);
}

bool tile_encode_filtered(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                          Err *err)
{
    if (key.band & TILE_FLOWS) return flow_tile_encode(trace, filter, key, out, err);
    if (!key_is_valid(trace, key)) return err_set(err, ERR_USAGE, "there is no such tile");
    const Track *track = &trace->tracks[key.track];
    uint32_t     first = key.band * TILE_BAND_ROWS, left = track_row_count(track) - first;
    uint32_t     rows = left < TILE_BAND_ROWS ? left : TILE_BAND_ROWS;
    size_t       start = out->size;
    Bytes        entries = { NULL, 0, 0, false }, aggregates = entries, instants = entries, samples = entries;
    tile_put_header(key, rows, out);
    for (uint32_t r = 0; r < rows; r++) {
        bytes_clear(&entries);
        bytes_clear(&aggregates);
        bytes_clear(&instants);
        bytes_clear(&samples);
        RowEncoder encoder = { .trace = trace,
                               .filter = filter,
                               .row = &trace->rows[track->first_row + first + r],
                               .key = key,
                               .window_begin = tile_begin(key, trace->lead),
                               .window_end = tile_end(key, trace->lead),
                               .entries = &entries,
                               .aggregates = &aggregates,
                               .instants = &instants,
                               .samples = &samples };
        encode_slices(&encoder);
        encode_instants(&encoder);
        encode_samples(&encoder);
        if (entries.failed || aggregates.failed || instants.failed || samples.failed) out->failed = true;
        put_row(&encoder, start, r, out);
        if (reads == NULL) continue;
        reads->slices += encoder.reads.slices;
        reads->nodes += encoder.reads.nodes;
    }
    bytes_release(&entries);
    bytes_release(&aggregates);
    bytes_release(&instants);
    bytes_release(&samples);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for a tile");
}
