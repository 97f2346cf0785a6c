/* trace/store/lod.h - the level-of-detail index: summaries over every row, so that a range of slices is
 * described by a few nodes.
 *
 * Each row has an implicit tree: node i of level 0 summarises the slices [32 i, 32 i + 32) of the row, node i
 * of level l + 1 the eight nodes [8 i, 8 i + 8) of level l; the last node of a level may have fewer. A row of up to 32
 * slices has no nodes. A node has the covered time, the longest slice, and the dominant names: a weighted
 * Misra-Gries summary of 3 labels, which finds every name that has more than a quarter of the time. */
#ifndef TRACE_STORE_LOD_H
#define TRACE_STORE_LOD_H
#include "base/progress.h"
#include "trace/store/trace.h"

enum { LOD_LEAF_SLICES = 32, LOD_FANOUT = 8, LOD_CANDIDATES = 3 };

/* Summary of a range of slices of one row. */
typedef struct LodSummary {
    uint64_t count;
    /* sum of durations in ticks, without idle slices (Trace.idle_label): slices of a row never overlap, so it
     * never overflows */
    uint64_t covered;
    uint64_t longest_ticks; /* duration of ... */
    uint32_t longest;       /* ... this slice, as an index into the row; the first one among equals */
    uint32_t flags;         /* SLICE_UNFINISHED, SLICE_NO_END, SLICE_REPAIRED: set if any slice has it */
    uint32_t label[LOD_CANDIDATES];
    uint64_t weight[LOD_CANDIDATES]; /* covered + 1 for each slice, so that zero durations count; 0 = empty */
} LodSummary;

/* Number of entries read, for tests of the cost of a frame: it depends on pixels, not on events. */
typedef struct LodReads {
    uint64_t slices;
    uint64_t nodes;
} LodReads;

static inline void lod_reads_add(LodReads *reads, const LodReads *more)
{
    reads->slices += more->slices;
    reads->nodes += more->nodes;
}

/* Builds the index of all rows of `trace` and stores it there. */
bool lod_build(Trace *trace, unsigned threads, Progress *progress, Err *err) WARN_UNUSED;
void lod_release(LodIndex *index);
/* The nodes of an index, for files: LOD_NODE_BYTES each, and a byte of flags each. */
enum { LOD_NODE_BYTES = 48 };
typedef struct LodArrays {
    void    *nodes;
    uint8_t *flags;
    uint64_t count;
} LodArrays;
LodArrays lod_arrays(const LodIndex *index);
/* Gives a trace with verified rows the index of a file: checks the number of nodes, and that each names a slice below it
 * and known labels. The arrays are in the trace's mapping, or pages of memory_map that the trace owns from now on, also on
 * failure. */
bool     lod_adopt(Trace *trace, LodArrays arrays, Err *err) WARN_UNUSED;
uint64_t lod_bytes(const LodIndex *index);

/* Returns an index of the slices whose label is not hidden, over the same rows: one byte a label id, borrowed for the
 * life of the index. NULL: err filled. lod_destroy releases it. */
LodIndex *lod_build_hidden(const Trace *trace, const uint8_t *hidden, unsigned threads, Progress *progress,
                           Err *err) WARN_UNUSED;
/* Sets a new array `hidden`, which is longer, for a growing trace. */
void lod_set_hidden(LodIndex *index, const uint8_t *hidden);
void lod_destroy(LodIndex *index); /* NULL is allowed */

/* Reserves the index of a growing trace (trace/live/live.h): address space for this number of nodes, each row's at its
 * first_node. False: not enough address space. */
bool lod_reserve(Trace *trace, uint64_t nodes) WARN_UNUSED;
/* Updates the nodes that cover slices of the row from `first` on, after these have changed. */
void lod_update(Trace *trace, const Row *row, uint32_t first);
/* As lod_update, for an index of the visible slices. The number of reads is added to *reads, which may be NULL. */
void lod_update_hidden(const Trace *trace, LodIndex *index, const Row *row, uint32_t first, LodReads *reads);
/* Releases the memory of these nodes. */
void lod_discard(Trace *trace, uint64_t first, uint64_t count);

/* Sums up slices [first, last) of a row. reads may be NULL. */
LodSummary lod_summarise(const Trace *trace, const Row *row, uint32_t first, uint32_t last, LodReads *reads);
/* As lod_summarise, with another index: of its visible slices. */
LodSummary lod_summarise_by(const Trace *trace, const LodIndex *index, const Row *row, uint32_t first,
                            uint32_t last, LodReads *reads);

/* A range of slices of a row, not empty: [first, last). */
typedef struct LodPart {
    uint32_t first, last;
} LodPart;

enum { LOD_MOST_PARTS = 64 };

/* As lod_summarise_by for each of `count` <= LOD_MOST_PARTS parts, ascending and disjoint. Reads a leaf at the border of two
 * parts once, and several such leaves at once. */
void lod_summarise_parts(const Trace *trace, const LodIndex *index, const Row *row, const LodPart *parts,
                         uint32_t count, LodSummary *summaries, LodReads *reads);
/* Prefetches the memory that lod_summarise_parts reads where two parts meet, in front of slice `border` of the row. */
void lod_prefetch(const Trace *trace, const Row *row, uint32_t border);
/* Returns the dominant label: the candidate of greatest weight, the smaller id among equals. If there is no candidate,
 * as with four labels of a quarter each, returns `otherwise`: pass the label of the longest slice. */
uint32_t lod_dominant(const LodSummary *summary, uint32_t otherwise);
/* As lod_dominant, for a summary of slices of `row`, with the label of the longest slice; 0 when empty. */
uint32_t lod_row_dominant(const Trace *trace, const Row *row, const LodSummary *summary);
/* Adds the summary of slices that follow in the row. */
void lod_merge(LodSummary *into, const LodSummary *other);

#endif
