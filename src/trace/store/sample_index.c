#include "trace/store/sample_index.h"

#include <assert.h>
#include <math.h>

struct SampleIndex {
    SampleRange *nodes; /* owned; row by row, level by level */
    uint64_t     count;
    bool         grows; /* nodes are reserved, not mapped */
};

static const SampleRange NOTHING = { NAN, NAN };

static void widen(SampleRange *range, SampleRange by)
{
    if (isnan(by.least)) return;
    if (isnan(range->least) || by.least < range->least) range->least = by.least;
    if (isnan(range->greatest) || by.greatest > range->greatest) range->greatest = by.greatest;
}

/* Returns the number of samples that determines the positions of a row's levels: in a growing row its capacity. */
static uint32_t sample_room(const Row *row)
{
    return row_extras(row)->room > row_extras(row)->sample_count ? row_extras(row)->room
                                                                 : row_extras(row)->sample_count;
}

static uint64_t leaves_of(const Row *row, uint32_t samples)
{
    if (sample_room(row) <= LOD_LEAF_SLICES) return 0;
    return ((uint64_t)samples + LOD_LEAF_SLICES - 1) / LOD_LEAF_SLICES;
}

static uint64_t leaf_room(const Row *row)
{
    return leaves_of(row, sample_room(row));
}

static uint64_t parents_of(uint64_t nodes)
{
    return nodes <= 1 ? 0 : (nodes + LOD_FANOUT - 1) / LOD_FANOUT;
}

static SampleRange of_samples(const Trace *trace, const Row *row, uint64_t first, uint64_t last)
{
    SampleRange range = NOTHING;
    for (uint64_t i = first; i < last && i < row_extras(row)->sample_count; i++) {
        double value = trace->samples.value[row_extras(row)->first_sample + i];
        widen(&range, (SampleRange){ value, value });
    }
    return range;
}

void sample_index_update(Trace *trace, const Row *row, uint32_t first_sample)
{
    SampleRange *nodes = trace->index.samples->nodes + row_extras(row)->first_node;
    uint64_t     count = leaves_of(row, row_extras(row)->sample_count), room = leaf_room(row);
    uint64_t     first = first_sample / LOD_LEAF_SLICES;
    for (uint64_t leaf = first; leaf < count; leaf++)
        nodes[leaf] = of_samples(trace, row, leaf * LOD_LEAF_SLICES, (leaf + 1) * LOD_LEAF_SLICES);
    while (room > 1 && count > 0) {
        SampleRange *above = nodes + room;
        uint64_t     above_count = (count + LOD_FANOUT - 1) / LOD_FANOUT;
        first /= LOD_FANOUT;
        for (uint64_t node = first; node < above_count; node++) {
            above[node] = NOTHING;
            for (uint64_t child = node * LOD_FANOUT; child < (node + 1) * LOD_FANOUT && child < count;
                 child++)
                widen(&above[node], nodes[child]);
        }
        nodes = above;
        count = above_count;
        room = parents_of(room);
    }
}

static uint64_t sample_nodes_for(uint32_t samples)
{
    RowExtras extras = { .sample_count = samples };
    const Row row = { .extras = &extras };
    uint64_t  total = 0;
    for (uint64_t level = leaf_room(&row); level > 0; level = parents_of(level))
        total += level;
    return total;
}

/* Assigns each row of samples its position in the index. Returns the number of nodes. */
static uint64_t place_rows(Trace *trace)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        RowExtras *extras = trace->rows[r].extras;
        if (extras == NULL || extras->sample_count == 0) continue;
        extras->first_node = (uint32_t)total;
        total += sample_nodes_for(extras->sample_count);
    }
    return total;
}

const void *sample_index_ranges(const Trace *trace, uint64_t *count)
{
    const SampleIndex *index = trace->index.samples;
    *count = index == NULL ? 0 : index->count;
    return index == NULL ? NULL : index->nodes;
}

bool sample_index_adopt(Trace *trace, void *ranges, uint64_t count, Err *err)
{
    const uint64_t total = place_rows(trace);
    if (count > 0) {
        trace->index.samples = ARENA_NEW(&trace->arena, SampleIndex);
        if (trace->index.samples == NULL) {
            mapping_unmap(&trace->mapping, ranges, (size_t)count * sizeof(SampleRange));
            return err_set(err, ERR_MEMORY, "out of memory for the index of the counters");
        }
        *trace->index.samples = (SampleIndex){ (SampleRange *)ranges, count, false };
    }
    if (total > UINT32_MAX) return err_set(err, ERR_LIMIT, "too many values of counters");
    return count == total || err_set(err, ERR_CORRUPT, "counter.range: %llu ranges, expected %llu",
                                     (unsigned long long)count, (unsigned long long)total);
}

bool sample_index_build(Trace *trace, Err *err)
{
    const uint64_t total = place_rows(trace);
    if (total == 0) return true;
    if (total > UINT32_MAX) return err_set(err, ERR_LIMIT, "too many values of counters");
    trace->index.samples = ARENA_NEW(&trace->arena, SampleIndex);
    SampleRange *nodes = total > SIZE_MAX / sizeof(SampleRange)
                             ? NULL
                             : (SampleRange *)memory_map((size_t)total * sizeof(SampleRange));
    if (trace->index.samples == NULL || nodes == NULL) {
        if (nodes != NULL) memory_unmap(nodes, (size_t)total * sizeof(SampleRange));
        return err_set(err, ERR_MEMORY, "out of memory for the index of the counters");
    }
    *trace->index.samples = (SampleIndex){ nodes, total, false };
    for (uint32_t r = 0; r < trace->row_count; r++)
        if (row_extras(&trace->rows[r])->sample_count > 0) sample_index_update(trace, &trace->rows[r], 0);
    return true;
}

bool sample_index_reserve(Trace *trace, uint64_t nodes)
{
    SampleIndex *index = ARENA_NEW(&trace->arena, SampleIndex);
    if (index == NULL || nodes > SIZE_MAX / sizeof(SampleRange)) return false;
    *index = (SampleIndex){ (SampleRange *)memory_reserve((size_t)nodes * sizeof(SampleRange)), nodes, true };
    trace->index.samples = index;
    return index->nodes != NULL;
}

void sample_index_release(Trace *trace)
{
    if (trace->index.samples == NULL) return;
    const SampleIndex *index = trace->index.samples;
    const size_t       size = (size_t)index->count * sizeof(SampleRange);
    if (index->grows) {
        memory_unreserve(index->nodes, size);
    } else {
        mapping_unmap(&trace->mapping, index->nodes, size);
    }
    trace->index.samples = NULL;
}

uint64_t sample_index_bytes(const Trace *trace)
{
    return trace->index.samples == NULL ? 0 : trace->index.samples->count * sizeof(SampleRange);
}

SampleRange sample_range(const Trace *trace, const Row *row, uint32_t first, uint32_t last, LodReads *reads)
{
    assert(first <= last && last <= row_extras(row)->sample_count);
    SampleRange range = NOTHING;
    LodReads    none = { 0, 0 };
    if (reads == NULL) reads = &none;
    uint64_t at = first;
    while (at < last) {
        uint64_t span = 1, level_at = row_extras(row)->first_node, room = leaf_room(row), best = UINT64_MAX;
        for (uint64_t next = LOD_LEAF_SLICES; room > 0 && at % next == 0 && at + next <= last;
             next *= LOD_FANOUT) {
            best = level_at + at / next; /* the largest whole node that begins here */
            span = next;
            level_at += room;
            room = parents_of(room);
        }
        if (best == UINT64_MAX) {
            widen(&range, of_samples(trace, row, at, at + 1));
            reads->slices++;
        } else {
            widen(&range, trace->index.samples->nodes[best]);
            reads->nodes++;
        }
        at += span;
    }
    return range;
}
