#include "trace/wire/tile_encode.h"

#include "base/search.h"
#include "trace/store/begins.h"
#include "trace/store/sample_index.h"
#include "trace/wire/flow_tile.h"
#include "trace/wire/tile_layout.h"

/* State for encoding the rows of one tile. All pointers are borrowed from the caller. */
typedef struct RowEncoder {
    const Trace   *trace;
    const Filter  *filter; /* NULL = all are visible */
    const Row     *row;
    uint64_t       window_begin, window_end;
    uint32_t       bucket_level; /* a bucket has 2^bucket_level ticks */
    TileRowRecords to;           /* the records of the row */
    LodReads       reads;
} RowEncoder;

/* Returns the begin of slice i of the row, as an offset from the trace's begin. */
static uint64_t begin_of(RowEncoder *e, uint32_t i)
{
    e->reads.slices++;
    return trace_since_begin(e->trace, begins_at(&e->trace->slices, e->row->first_slice + i));
}

/* Returns the first offset behind the bucket of an offset, or behind the window. */
static uint64_t bucket_end(const RowEncoder *e, uint64_t offset)
{
    uint64_t bucket = (offset + e->trace->lead) >> e->bucket_level;
    uint64_t last = UINT64_MAX >> e->bucket_level;
    uint64_t end = bucket >= last ? UINT64_MAX : ((bucket + 1) << e->bucket_level) - e->trace->lead;
    return end < e->window_end ? end : e->window_end;
}

/* The begins of buckets with fewer slices are read in sequence: that is faster than to read some of them. */
enum { MANY_SLICES = 256 };

/* Returns the first slice after i that begins after `tick`, in a growing trace. Fast if it is near slice i + guess. */
static uint32_t next_growing(RowEncoder *e, uint32_t i, uint32_t guess, int64_t tick)
{
    enum { STEP = 8, AHEAD = 256, EVEN_STEPS = 9 };
    const int64_t *begins = e->trace->slices.begin_tick + e->row->first_slice;
    const uint32_t count = e->row->slice_count;
    uint32_t low = i, even = EVEN_STEPS * STEP, reads = 2; /* invariant: low begins at `tick` or before */
    if (guess < MANY_SLICES) {
        even += guess;
    } else if (guess / 2 < count - i && begins[i + guess / 2] <= tick) {
        low += guess / 2;
    }
    for (even = even < count - low ? low + even : count; low + STEP < even && begins[low + STEP] <= tick;
         reads++) {
        low += STEP;
        PREFETCH(begins + low + AHEAD);
    }
    uint32_t step = STEP;
    for (; step < count - low && begins[low + step] <= tick; step *= 2, reads++)
        low += step;
    uint32_t left = (step < count - low ? step : count - low) - 1; /* the begins still to compare */
    low++;
    for (; left > 0; reads++) { /* usually three rounds, without other branches */
        const uint32_t half = (left + 1) / 2;
        low += half & (0 - (uint32_t)(begins[low + half - 1] <= tick));
        left -= half;
    }
    e->reads.slices += reads;
    return low;
}

/* A block of begins, as far as its slices are in the row. Offsets are from the trace's begin. */
typedef struct RowBlock {
    uint64_t index;   /* in SliceColumns.begin_blocks */
    uint64_t base;    /* offset */
    uint64_t behind;  /* offset of the begin of slice `end`; UINT64_MAX behind the row */
    uint32_t end;     /* the slice of the row behind the block */
    bool     is_wide; /* some distances have more than 32 bits */
} RowBlock;

/* Returns the offset of the first slice of a block. The row begins before it: the base is the first begin, unless the block has
 * slices of the next row. */
static uint64_t block_begin(const RowEncoder *e, uint64_t index)
{
    const SliceColumns *slices = &e->trace->slices;
    const bool is_whole = (index + 1) * BEGIN_BLOCK_SLICES <= e->row->first_slice + e->row->slice_count;
    return trace_since_begin(e->trace, LIKELY(is_whole) ? slices->begin_blocks[index].base
                                                        : begins_packed(slices, index * BEGIN_BLOCK_SLICES));
}

static RowBlock row_block(RowEncoder *e, uint64_t index)
{
    const BeginBlock *block = &e->trace->slices.begin_blocks[index];
    const uint64_t    end = (index + 1) * BEGIN_BLOCK_SLICES - e->row->first_slice;
    const bool        is_last = end >= e->row->slice_count;
    e->reads.slices++;
    return (RowBlock){ .index = index,
                       .base = trace_since_begin(e->trace, block->base),
                       .behind = is_last ? UINT64_MAX : block_begin(e, index + 1),
                       .end = is_last ? e->row->slice_count : (uint32_t)end,
                       .is_wide = block->high != 0 };
}

/* Moves to the last block that begins at `offset` or before. It is behind `block`: fast if some `guess` slices are between
 * them. */
static NOINLINE void find_block(RowEncoder *e, RowBlock *block, uint32_t guess, uint64_t offset)
{
    const uint64_t last = (e->row->first_slice + e->row->slice_count - 1) / BEGIN_BLOCK_SLICES;
    uint64_t       low = block->index + 1, step = 1; /* invariant: low begins at `offset` or before */
    const uint64_t jump = guess / (2 * BEGIN_BLOCK_SLICES);
    if (jump > 1 && jump <= last - low && block_begin(e, low + jump - 1) <= offset) low += jump - 1;
    for (; step <= last - low && block_begin(e, low + step) <= offset; step *= 2, e->reads.slices++)
        low += step;
    uint64_t after = low + 1;
    LOWER_BOUND(uint64_t, after, step <= last - low ? low + step : last + 1, index,
                (e->reads.slices++, block_begin(e, index) <= offset));
    *block = row_block(e, after - 1);
}

/* Returns the first slice of [low, block->end) that begins after `offset`. The slices are in the block, which is wide. */
static NOINLINE uint32_t next_in_wide(const RowEncoder *e, const RowBlock *block, uint32_t low,
                                      uint64_t offset)
{
    const uint64_t first = e->row->first_slice;
    LOWER_BOUND(uint32_t, low, block->end, i,
                trace_since_begin(e->trace, begins_packed(&e->trace->slices, first + i)) <= offset);
    return low;
}

/* Returns the first slice after i, which is in `block`, that begins after `offset`. Moves to the block of the last slice before
 * it. `words` are those of the row. */
static ALWAYS_INLINE uint32_t next_begin(RowEncoder *e, const uint32_t *words, RowBlock *block, uint32_t i,
                                         uint32_t guess, uint64_t offset)
{
    enum { STEP = 8 };
    uint32_t low = i + 1, reads = 2;
    if (offset >= block->behind) {
        find_block(e, block, guess, offset);
        low = (uint32_t)(block->index * BEGIN_BLOCK_SLICES - e->row->first_slice) + 1;
    }
    if (UNLIKELY(block->is_wide)) return next_in_wide(e, block, low, offset);
    const uint64_t distance = offset - block->base;
    const uint32_t most = distance < UINT32_MAX ? (uint32_t)distance : UINT32_MAX;
    for (; block->end - low >= STEP && words[low + STEP - 1] <= most; reads++)
        low += STEP;
    uint32_t left = block->end - low < STEP ? block->end - low : STEP - 1; /* the begins still to compare */
    for (; left > 0; reads++) { /* usually three rounds, without other branches */
        const uint32_t half = (left + 1) / 2;
        low += half & (0 - (uint32_t)(words[low + half - 1] <= most));
        left -= half;
    }
    e->reads.slices += reads;
    return low;
}

/* Appends an entry of slice i, for which there is room. */
static void put_single(RowEncoder *e, uint32_t i, uint64_t begin, uint32_t flags)
{
    const SliceColumns *slices = &e->trace->slices;
    uint64_t            slice = e->row->first_slice + i;
    uint32_t            shown = TILE_UNFINISHED | TILE_NO_END | TILE_REPAIRED;
    tile_records_put_entry(&e->to, &(TileEntry){ .slice = slice,
                                                 .count = 1,
                                                 .begin = begin + e->trace->lead,
                                                 .extent = trace_slice_duration(e->trace, slice),
                                                 .label = trace_slice_label(e->trace, slice),
                                                 .flags = flags | (slices->flags[slice] & shown) });
}

/* Appends an entry of the visible slices from `first`, which has this begin, to `last`, both included: at least two. There is room. */
static void put_aggregate(RowEncoder *e, uint32_t first, uint64_t begin, uint32_t last,
                          const LodSummary *summary)
{
    const uint64_t base = e->row->first_slice,
                   end = begin_of(e, last) + trace_slice_duration(e->trace, base + last);
    tile_records_put_entry(&e->to, &(TileEntry){ .slice = base + first,
                                                 .count = (uint32_t)summary->count,
                                                 .begin = begin + e->trace->lead,
                                                 .extent = end - begin,
                                                 .covered = summary->covered,
                                                 .longest = base + summary->longest,
                                                 .longest_ticks = summary->longest_ticks,
                                                 .label = lod_row_dominant(e->trace, e->row, summary),
                                                 .flags = summary->flags });
}

/* Returns the first visible slice of the row's [first, last), or `last`. */
static uint32_t next_visible(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t base = e->row->first_slice;
    if (e->filter == NULL) return first;
    return (uint32_t)(filter_next_slice(e->filter, base + first, base + last, &e->reads) - base);
}

/* Returns the last visible slice of the row's [first, last), or `last`. */
static uint32_t last_visible(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t base = e->row->first_slice;
    if (e->filter == NULL) return first < last ? last - 1 : last;
    return (uint32_t)(filter_last_slice(e->trace, e->filter, base + first, base + last, &e->reads) - base);
}

/* Adjacent buckets with slices. Their entries are written together: lod_summarise_parts is faster for many. */
typedef struct Buckets {
    LodPart  slices[LOD_MOST_PARTS]; /* the slices that begin in each; the first one is visible */
    uint64_t begins[LOD_MOST_PARTS]; /* of the first slices */
    uint32_t count;
} Buckets;

/* The entries of a bucket: one of the visible slices from the first one to `last`, and one of the slice `single`, if it is
 * as long as a bucket and there are others. */
typedef struct BucketEntries {
    uint32_t last, single; /* single: 0 = none, it is never the first slice of the row */
} BucketEntries;

/* Returns the entries of a bucket. `part` becomes the range of the first one. */
static BucketEntries bucket_entries(RowEncoder *e, LodPart *part)
{
    const uint32_t last = last_visible(e, part->first, part->last);
    if (last == part->first) return (BucketEntries){ last, 0 };
    if (trace_slice_duration(e->trace, e->row->first_slice + last) < UINT64_C(1) << e->bucket_level)
        return (BucketEntries){ last, 0 };
    part->last = last;
    return (BucketEntries){ last_visible(e, part->first, last), last };
}

static void put_buckets(RowEncoder *e, Buckets *buckets)
{
    BucketEntries     entries[LOD_MOST_PARTS];
    LodPart           parts[LOD_MOST_PARTS]; /* of the entries of several slices */
    LodSummary        summaries[LOD_MOST_PARTS];
    const LodSummary *summary = summaries;
    uint32_t          part_count = 0;
    for (uint32_t i = 0; i < buckets->count; i++) {
        entries[i] = bucket_entries(e, &buckets->slices[i]);
        if (entries[i].last != buckets->slices[i].first) parts[part_count++] = buckets->slices[i];
    }
    filter_summarise_parts(e->trace, e->filter, e->row, parts, part_count, summaries, &e->reads);
    const uint32_t count = tile_records_reserve(&e->to, 2 * buckets->count, part_count) ? buckets->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = buckets->slices[i].first;
        if (entries[i].last == first) {
            put_single(e, first, buckets->begins[i], 0);
        } else {
            put_aggregate(e, first, buckets->begins[i], entries[i].last, summary++);
        }
        if (entries[i].single != 0) put_single(e, entries[i].single, begin_of(e, entries[i].single), 0);
    }
    buckets->count = 0;
}

/* Prefetches the begins of the slices around slice i of the row. */
static void prefetch_begins(const RowEncoder *e, uint32_t i)
{
    const uint64_t slice = e->row->first_slice + i;
    begins_prefetch(&e->trace->slices, slice < 8 ? 0 : slice - 8);
    begins_prefetch(&e->trace->slices, slice + 8);
}

static void encode_slices(RowEncoder *e)
{
    const uint32_t count = e->row->slice_count;
    if (count == 0) return;
    const uint64_t first = e->row->first_slice, most = trace_span(e->trace);
    uint32_t       i = row_lower_bound(e->trace, e->row, trace_tick_at(e->trace, e->window_begin));
    if (i > 0 && next_visible(e, i - 1, i) < i) {
        const uint64_t begin = begin_of(e, i - 1);
        if (begin + trace_slice_duration(e->trace, first + i - 1) > e->window_begin &&
            tile_records_reserve(&e->to, 1, 0))
            put_single(e, i - 1, begin, TILE_CARRIED);
    }
    const bool      is_growing = e->trace->slices.begin_blocks == NULL;
    const uint32_t *words = is_growing ? NULL : e->trace->slices.begin_words + first;
    RowBlock        block = { .end = 0 };
    Buckets         buckets;
    uint32_t        next = i, guess = 0;
    buckets.count = 0;
    while ((i = next_visible(e, next, count)) < count) {
        if (!is_growing && i >= block.end) block = row_block(e, (first + i) / BEGIN_BLOCK_SLICES);
        const uint64_t begin = is_growing || block.is_wide ? begin_of(e, i) : block.base + words[i];
        if (begin >= e->window_end) break;
        uint64_t last = bucket_end(e, begin) - 1;
        if (last > most) last = most;
        next = is_growing ? next_growing(e, i, guess, trace_tick_at(e->trace, last))
                          : next_begin(e, words, &block, i, guess, last);
        guess = next - i;
        lod_prefetch(e->trace, e->row, next);
        if (guess >= MANY_SLICES) prefetch_begins(e, next + 2 * guess);
        if (buckets.count == LOD_MOST_PARTS) put_buckets(e, &buckets);
        buckets.begins[buckets.count] = begin;
        buckets.slices[buckets.count++] = (LodPart){ i, next };
    }
    put_buckets(e, &buckets);
}

/* Returns the first of `count` ticks at or after `offset`; `count` if all are before it. */
static uint32_t offset_lower_bound(const Trace *trace, const int64_t *ticks, uint32_t count, uint64_t offset)
{
    if (offset > trace_span(trace)) return count;
    return ticks_lower_bound(ticks, count, trace_tick_at(trace, offset));
}

static void encode_instants(RowEncoder *e)
{
    uint32_t count = row_extras(e->row)->instant_count;
    if (count == 0) return; /* the column may be absent */
    const int64_t *ticks = e->trace->instants.tick + row_extras(e->row)->first_instant;
    uint32_t       i = offset_lower_bound(e->trace, ticks, count, e->window_begin);
    const uint64_t base = row_extras(e->row)->first_instant;
    while (i < count) {
        i = (uint32_t)(filter_next_instant(e->filter, base + i, base + count, &e->reads) - base);
        if (i == count) break;
        uint64_t instant = base + i;
        uint64_t tick = trace_since_begin(e->trace, e->trace->instants.tick[instant]);
        if (tick >= e->window_end) break;
        uint32_t next = offset_lower_bound(e->trace, ticks, count, bucket_end(e, tick));
        uint64_t visible = filter_count_instants(e->filter, instant, base + next, &e->reads);
        tile_records_put_instant(&e->to, &(TileInstant){ .instant = instant,
                                                         .tick = tick + e->trace->lead,
                                                         .count = (uint32_t)visible,
                                                         .label = e->trace->instants.label[instant] });
        e->reads.slices++;
        i = next;
    }
}

static void put_samples(RowEncoder *e, uint32_t first, uint32_t last)
{
    uint64_t    sample = row_extras(e->row)->first_sample + first;
    SampleRange range = sample_range(e->trace, e->row, first, last, &e->reads);
    tile_records_put_sample(
        &e->to,
        &(TileSample){ .sample = sample,
                       .tick = trace_since_begin(e->trace, e->trace->samples.tick[sample]) + e->trace->lead,
                       .count = last - first,
                       .least = range.least,
                       .greatest = range.greatest,
                       .last = e->trace->samples.value[sample + (last - first) - 1] });
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
        uint64_t tick = trace_since_begin(e->trace, ticks[i]);
        if (tick >= e->window_end) break;
        uint32_t next = offset_lower_bound(e->trace, ticks, count, bucket_end(e, tick));
        put_samples(e, i, next);
        i = next;
    }
}

static bool key_is_valid(const Trace *trace, TileKey key)
{
    if (key.track == 0 || key.track > trace->track_count || key.level > TILE_MAX_LEVEL) return false;
    uint32_t rows = track_row_count(&trace->tracks[key.track]);
    if (key.band >= (rows + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS) return false;
    return tile_window_end(key) > trace->lead && tile_begin(key, trace->lead) <= trace_span(trace);
}

bool tile_encode(const Trace *trace, TileKey key, Bytes *out, LodReads *reads, Err *err)
{
    return tile_encode_filtered(trace, NULL, key, out, reads, err);
}

/* Encodes a tile of the events that the encoder's filter leaves, with buckets of its level. */
static bool encode_events(RowEncoder *e, TileKey key, Bytes *out, Err *err)
{
    if (!key_is_valid(e->trace, key)) return err_set(err, ERR_USAGE, "there is no such tile");
    const Track *track = &e->trace->tracks[key.track];
    uint32_t     first = key.band * TILE_BAND_ROWS, left = track_row_count(track) - first;
    uint32_t     rows = left < TILE_BAND_ROWS ? left : TILE_BAND_ROWS;
    size_t       start = out->size;
    e->window_begin = tile_begin(key, e->trace->lead);
    e->window_end = tile_end(key, e->trace->lead);
    tile_put_header(key, rows, out);
    for (uint32_t r = 0; r < rows; r++) {
        e->row = &e->trace->rows[track->first_row + first + r];
        tile_records_clear(&e->to);
        e->to.first_slice = e->row->first_slice;
        e->to.first_instant = row_extras(e->row)->first_instant;
        e->to.first_sample = row_extras(e->row)->first_sample;
        encode_slices(e);
        encode_instants(e);
        encode_samples(e);
        tile_put_records(&e->to, start, r, out);
    }
    tile_records_release(&e->to);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for a tile");
}

bool tile_encode_filtered(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                          Err *err)
{
    if (key.band & TILE_FLOWS) return flow_tile_encode(trace, filter, key, out, err);
    RowEncoder encoder = { .trace = trace, .filter = filter, .bucket_level = key.level };
    const bool done = encode_events(&encoder, key, out, err);
    if (reads != NULL) lod_reads_add(reads, &encoder.reads);
    return done;
}

bool tile_encode_list(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, Err *err)
{
    RowEncoder encoder = { .trace = trace, .filter = filter, .bucket_level = 0 };
    return encode_events(&encoder, key, out, err);
}
