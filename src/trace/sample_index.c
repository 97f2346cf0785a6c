#include "trace/sample_index.h"

#include <assert.h>
#include <math.h>

struct SampleIndex {
    SampleRange *nodes; /* owned; row by row, level by level */
    uint64_t     count;
};

static const SampleRange NOTHING = { NAN, NAN };

static void widen(SampleRange *range, SampleRange by)
{
    if (isnan(by.least)) return;
    if (isnan(range->least) || by.least < range->least) range->least = by.least;
    if (isnan(range->greatest) || by.greatest > range->greatest) range->greatest = by.greatest;
}

static uint64_t leaf_count(const Row *row)
{
    return row->sample_count <= LOD_LEAF_SLICES
               ? 0
               : ((uint64_t)row->sample_count + LOD_LEAF_SLICES - 1) / LOD_LEAF_SLICES;
}

static uint64_t parents_of(uint64_t nodes)
{
    return nodes <= 1 ? 0 : (nodes + LOD_FANOUT - 1) / LOD_FANOUT;
}

static SampleRange of_samples(const Trace *trace, const Row *row, uint64_t first, uint64_t last)
{
    SampleRange range = NOTHING;
    for (uint64_t i = first; i < last && i < row->sample_count; i++) {
        double value = trace->samples.value[row->first_sample + i];
        widen(&range, (SampleRange){ value, value });
    }
    return range;
}

static void build_row(Trace *trace, const Row *row)
{
    SampleRange *nodes = trace->sample_index->nodes + row->first_sample_node;
    uint64_t     count = leaf_count(row);
    for (uint64_t leaf = 0; leaf < count; leaf++)
        nodes[leaf] = of_samples(trace, row, leaf * LOD_LEAF_SLICES, (leaf + 1) * LOD_LEAF_SLICES);
    while (count > 1) {
        SampleRange *above = nodes + count;
        uint64_t     above_count = parents_of(count);
        for (uint64_t node = 0; node < above_count; node++) {
            above[node] = NOTHING;
            for (uint64_t child = node * LOD_FANOUT; child < (node + 1) * LOD_FANOUT && child < count;
                 child++)
                widen(&above[node], nodes[child]);
        }
        nodes = above;
        count = above_count;
    }
}

bool sample_index_build(Trace *trace, Err *err)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        trace->rows[r].first_sample_node = total;
        for (uint64_t level = leaf_count(&trace->rows[r]); level > 0; level = parents_of(level))
            total += level;
    }
    if (total == 0) return true;
    trace->sample_index = ARENA_NEW(&trace->arena, SampleIndex);
    SampleRange *nodes = total > SIZE_MAX / sizeof(SampleRange)
                             ? NULL
                             : (SampleRange *)memory_map((size_t)total * sizeof(SampleRange));
    if (trace->sample_index == NULL || nodes == NULL) {
        if (nodes != NULL) memory_unmap(nodes, (size_t)total * sizeof(SampleRange));
        return err_set(err, ERR_MEMORY, "out of memory for the index of the counters");
    }
    *trace->sample_index = (SampleIndex){ nodes, total };
    for (uint32_t r = 0; r < trace->row_count; r++)
        if (leaf_count(&trace->rows[r]) > 0) build_row(trace, &trace->rows[r]);
    return true;
}

void sample_index_release(Trace *trace)
{
    if (trace->sample_index == NULL) return;
    memory_unmap(trace->sample_index->nodes, (size_t)trace->sample_index->count * sizeof(SampleRange));
    trace->sample_index = NULL;
}

uint64_t sample_index_bytes(const Trace *trace)
{
    return trace->sample_index == NULL ? 0 : trace->sample_index->count * sizeof(SampleRange);
}

SampleRange sample_range(const Trace *trace, const Row *row, uint32_t first, uint32_t last, LodReads *reads)
{
    assert(first <= last && last <= row->sample_count);
    SampleRange range = NOTHING;
    LodReads    none = { 0, 0 };
    if (reads == NULL) reads = &none;
    uint64_t at = first;
    while (at < last) {
        uint64_t span = 1, level_at = row->first_sample_node, nodes = leaf_count(row), best = UINT64_MAX;
        for (uint64_t next = LOD_LEAF_SLICES; nodes > 0 && at % next == 0 && at + next <= last;
             next *= LOD_FANOUT) {
            best = level_at + at / next; /* the largest whole node that begins here */
            span = next;
            level_at += nodes;
            nodes = parents_of(nodes);
        }
        if (best == UINT64_MAX) {
            widen(&range, of_samples(trace, row, at, at + 1));
            reads->slices++;
        } else {
            widen(&range, trace->sample_index->nodes[best]);
            reads->nodes++;
        }
        at += span;
    }
    return range;
}
