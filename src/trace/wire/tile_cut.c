#include "trace/wire/tile_cut.h"

#include "trace/store/lod.h"
#include "trace/wire/tile_layout.h"

#include <math.h>

/* One row of a list while it is cut. */
typedef struct Cut {
    TileRow         row;
    TileKey         key;
    uint64_t        begin, end; /* the window, from the begin of the grid */
    uint32_t        idle_label;
    TileRowRecords *to;
} Cut;

/* ---- slices ---- */

static void put_entry(const Cut *cut, const TileEntry *entry)
{
    if (tile_records_reserve(cut->to, 1, 1)) tile_records_put_entry(cut->to, entry);
}

static void copy_entry(const Cut *cut, const TileEntry *entry, uint32_t flags)
{
    TileEntry copy = *entry;
    copy.flags = (copy.flags & ~(uint32_t)TILE_CARRIED) | flags;
    put_entry(cut, &copy);
}

/* The entries of one bucket. */
typedef struct Bucket {
    TileEntry  first, last;
    uint32_t   entries;
    LodSummary sum;
} Bucket;

static void add_entry(const Cut *cut, const TileEntry *entry, LodSummary *sum)
{
    const uint64_t   counted = entry->label == cut->idle_label ? 0 : entry->covered;
    const uint64_t   weight = counted > UINT64_MAX - entry->count ? UINT64_MAX : counted + entry->count;
    const LodSummary one = { .count = entry->count,
                             .covered = counted,
                             .longest_ticks = entry->longest_ticks,
                             .longest = (uint32_t)(entry->longest - cut->row.first_slice),
                             .flags = entry->flags & ~(uint32_t)TILE_CARRIED,
                             .label = { entry->label },
                             .weight = { weight } };
    lod_merge(sum, &one);
}

/* Writes the slices of a bucket before its last entry, or all of them. */
static void put_sum(const Cut *cut, const Bucket *bucket, uint64_t end, uint32_t entries,
                    uint32_t longest_label)
{
    const TileEntry entry = { .slice = bucket->first.slice,
                              .count = (uint32_t)bucket->sum.count,
                              .begin = bucket->first.begin,
                              .extent = end - bucket->first.begin,
                              .covered = bucket->sum.covered,
                              .longest = cut->row.first_slice + bucket->sum.longest,
                              .longest_ticks = bucket->sum.longest_ticks,
                              .label = lod_dominant(&bucket->sum, longest_label),
                              .flags = bucket->sum.flags };
    if (entries == 1)
        copy_entry(cut, &bucket->first, 0);
    else
        put_entry(cut, &entry);
}

static uint64_t end_of(const TileEntry *entry)
{
    return entry->begin + entry->extent; /* tile_open has checked the sum */
}

/* Reads the entries of the bucket that `entry` begins, and writes them. *entry: the next one after it. False: none follows. */
static bool cut_bucket(const Cut *cut, TileCursor *cursor, TileEntry *entry)
{
    const uint64_t number = entry->begin >> cut->key.level, least = UINT64_C(1) << cut->key.level;
    Bucket         bucket = { .first = *entry, .last = *entry, .entries = 1 };
    uint64_t       end = end_of(entry), longest_ticks = entry->longest_ticks;
    uint32_t       longest_label = entry->label;
    bool           more;
    while ((more = tile_next(&cut->row, cursor, entry)) && entry->begin >> cut->key.level == number) {
        add_entry(cut, &bucket.last, &bucket.sum);
        if (bucket.last.longest_ticks > longest_ticks) {
            longest_ticks = bucket.last.longest_ticks;
            longest_label = bucket.last.label;
        }
        end = end_of(&bucket.last);
        bucket.last = *entry;
        bucket.entries++;
    }
    if (bucket.entries == 1) {
        copy_entry(cut, &bucket.first, 0);
    } else if (bucket.last.extent >= least) { /* the last slice is as long as a bucket: an entry of its own */
        put_sum(cut, &bucket, end, bucket.entries - 1, longest_label);
        copy_entry(cut, &bucket.last, 0);
    } else {
        add_entry(cut, &bucket.last, &bucket.sum);
        if (bucket.last.longest_ticks > longest_ticks) longest_label = bucket.last.label;
        put_sum(cut, &bucket, end_of(&bucket.last), bucket.entries, longest_label);
    }
    return more;
}

static void cut_slices(const Cut *cut)
{
    TileCursor cursor = { 0, 0 };
    TileEntry  entry, before = { .count = 0 };
    bool       more;
    while ((more = tile_next(&cut->row, &cursor, &entry)) && entry.begin < cut->begin)
        before = entry;
    if (before.count == 1 && end_of(&before) > cut->begin) copy_entry(cut, &before, TILE_CARRIED);
    while (more && entry.begin < cut->end)
        more = cut_bucket(cut, &cursor, &entry);
}

/* ---- instants and samples ---- */

static void cut_instants(const Cut *cut)
{
    const uint32_t count = cut->row.instant_count;
    for (uint32_t i = 0; i < count;) {
        TileInstant sum = tile_instant(&cut->row, i);
        if (sum.tick >= cut->end) return;
        for (i++; i < count; i++) {
            const TileInstant next = tile_instant(&cut->row, i);
            if (next.tick >> cut->key.level != sum.tick >> cut->key.level) break;
            sum.count += next.count;
        }
        if (sum.tick < cut->begin) continue;
        tile_records_put_instant(cut->to, &sum);
    }
}

/* Writes the last sample before the window: its value is still valid. */
static void put_sample_before(const Cut *cut, TileSample sample)
{
    sample.sample += sample.count - 1;
    sample.count = 1;
    sample.least = sample.greatest = sample.last;
    tile_records_put_sample(cut->to, &sample);
}

static void cut_samples(const Cut *cut)
{
    const uint32_t count = cut->row.sample_count;
    uint32_t       i = 0;
    while (i < count && tile_sample(&cut->row, i).tick < cut->begin)
        i++;
    if (i > 0) put_sample_before(cut, tile_sample(&cut->row, i - 1));
    while (i < count) {
        TileSample sum = tile_sample(&cut->row, i);
        if (sum.tick >= cut->end) return;
        for (i++; i < count; i++) {
            const TileSample next = tile_sample(&cut->row, i);
            if (next.tick >> cut->key.level != sum.tick >> cut->key.level) break;
            sum.count += next.count;
            sum.least = fmin(sum.least, next.least); /* of NaN and a number the number */
            sum.greatest = fmax(sum.greatest, next.greatest);
            sum.last = next.last;
        }
        tile_records_put_sample(cut->to, &sum);
    }
}

/* ---- flows ---- */

static void cut_flows(const Tile *list, TileKey key, size_t start, Bytes *out)
{
    const uint64_t begin = tile_window_begin(key), end = tile_window_end(key);
    uint32_t       count = 0;
    for (uint32_t i = 0; i < list->flow_count; i++) {
        const TileFlow flow = tile_flow(list, i);
        const bool     is_in = (flow.flags & TILE_FLOW_IN) != 0;
        const uint64_t near = is_in ? flow.to.tick : flow.from.tick,
                       far = is_in ? flow.from.tick : flow.to.tick;
        const uint64_t least = near < far ? near : far, most = near < far ? far : near;
        const bool     is_over = least < begin && most >= end;
        if (!is_over && (near < begin || near >= end)) continue;
        const uint32_t flags = (flow.flags & ~(uint32_t)TILE_FLOW_OVER) | (is_over ? TILE_FLOW_OVER : 0u);
        bytes_append(out, list->bytes + TILE_HEADER_BYTES + (size_t)i * TILE_FLOW_BYTES, TILE_FLOW_BYTES);
        if (!out->failed) bits_store_u32(out->data + out->size - 4, flags);
        count++;
    }
    if (!out->failed) bits_store_u32(out->data + start + TILE_FLOW_COUNT_AT, count);
}

bool tile_cut(const Tile *list, TileKey key, uint32_t idle_label, Bytes *out)
{
    const size_t   start = out->size;
    TileRowRecords records = { .first_slice = 0 };
    if (key.track != list->key.track || key.band != list->key.band || key.level > list->key.level ||
        tile_window_begin(key) < tile_window_begin(list->key) ||
        tile_window_end(key) > tile_window_end(list->key))
        return false;
    tile_put_header(key, list->row_count, out);
    if ((key.band & TILE_FLOWS) != 0) cut_flows(list, key, start, out);
    for (uint32_t r = 0; r < list->row_count; r++) {
        const Cut cut = { .row = tile_row(list, r),
                          .key = key,
                          .begin = tile_window_begin(key),
                          .end = tile_window_end(key),
                          .idle_label = idle_label,
                          .to = &records };
        tile_records_clear(&records);
        records.first_slice = cut.row.first_slice;
        records.first_instant = cut.row.first_instant;
        records.first_sample = cut.row.first_sample;
        cut_slices(&cut);
        cut_instants(&cut);
        cut_samples(&cut);
        tile_put_records(&records, start, r, out);
    }
    tile_records_release(&records);
    return !out->failed;
}
