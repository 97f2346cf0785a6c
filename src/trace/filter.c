#include "trace/filter.h"

#include "base/thread.h"

#include <string.h>

enum { BLOCK = 64, JOB_BLOCKS = 1 << 14 };

/* How many of the events before each block of 64 are visible. */
typedef struct VisibleCounts {
    const uint32_t *labels; /* the trace's */
    uint64_t        count;
    uint64_t       *before; /* owned pages; by block, and one more for all */
    size_t          blocks;
} VisibleCounts;

struct Filter {
    Arena         arena;         /* this struct and the two below */
    uint8_t      *hidden;        /* by label */
    uint8_t      *hidden_tracks; /* by track; NULL = none */
    VisibleCounts slices, instants;
    LodIndex     *lod; /* owned */
};

/* ---- counts ---- */

typedef struct CountJob {
    VisibleCounts *counts;
    const uint8_t *hidden;
    Progress      *progress;
} CountJob;

static void count_blocks(void *context, size_t job)
{
    const CountJob *c = (const CountJob *)context;
    VisibleCounts  *counts = c->counts;
    size_t          last = (job + 1) * JOB_BLOCKS < counts->blocks ? (job + 1) * JOB_BLOCKS : counts->blocks;
    if (progress_cancelled(c->progress)) return;
    for (size_t block = job * JOB_BLOCKS; block < last; block++) {
        uint64_t at = (uint64_t)block * BLOCK, end = at + BLOCK < counts->count ? at + BLOCK : counts->count;
        uint64_t visible = 0;
        for (; at < end; at++)
            visible += !c->hidden[counts->labels[at]];
        counts->before[block + 1] = visible;
    }
}

static bool counts_build(VisibleCounts *counts, const Filter *filter, const uint32_t *labels, uint64_t count,
                         unsigned threads, Progress *progress)
{
    *counts =
        (VisibleCounts){ .labels = labels, .count = count, .blocks = (size_t)((count + BLOCK - 1) / BLOCK) };
    counts->before = (uint64_t *)memory_map((counts->blocks + 1) * sizeof(uint64_t));
    if (counts->before == NULL) return false;
    CountJob job = { counts, filter->hidden, progress };
    thread_run(threads, (counts->blocks + JOB_BLOCKS - 1) / JOB_BLOCKS, count_blocks, &job);
    for (size_t block = 0; block < counts->blocks; block++)
        counts->before[block + 1] += counts->before[block];
    return true;
}

static void counts_release(VisibleCounts *counts)
{
    memory_unmap(counts->before, (counts->blocks + 1) * sizeof(uint64_t));
}

/* Visible ones among [0, at). */
static uint64_t rank_of(const Filter *filter, const VisibleCounts *counts, uint64_t at, LodReads *reads)
{
    uint64_t block = at / BLOCK, visible = counts->before[block];
    for (uint64_t i = block * BLOCK; i < at; i++)
        visible += !filter->hidden[counts->labels[i]];
    if (reads != NULL) reads->slices += at % BLOCK;
    return visible;
}

/* The visible one that has `rank` visible ones before it: it exists. */
static uint64_t at_rank(const Filter *filter, const VisibleCounts *counts, uint64_t rank, LodReads *reads)
{
    size_t low = 0, high = counts->blocks; /* before[low] <= rank < before[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (counts->before[middle] <= rank) {
            low = middle;
        } else {
            high = middle;
        }
    }
    uint64_t at = (uint64_t)low * BLOCK;
    for (uint64_t left = rank - counts->before[low];; at++) {
        if (filter->hidden[counts->labels[at]]) continue;
        if (left-- == 0) break;
    }
    if (reads != NULL) reads->slices += at % BLOCK + 1;
    return at;
}

static uint64_t count_visible(const Filter *filter, const VisibleCounts *counts, uint64_t first,
                              uint64_t last, LodReads *reads)
{
    return rank_of(filter, counts, last, reads) - rank_of(filter, counts, first, reads);
}

static uint64_t next_visible(const Filter *filter, const VisibleCounts *counts, uint64_t first, uint64_t last,
                             LodReads *reads)
{
    if (first >= last || !filter->hidden[counts->labels[first]]) return first;
    uint64_t rank = rank_of(filter, counts, first, reads);
    if (rank == counts->before[counts->blocks]) return last;
    uint64_t found = at_rank(filter, counts, rank, reads);
    return found < last ? found : last;
}

/* ---- life ---- */

Filter *filter_build(const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks,
                     unsigned threads, Progress *progress, Err *err)
{
    Arena   arena = arena_create(0);
    Filter *filter = ARENA_NEW(&arena, Filter);
    bool    done = filter != NULL;
    if (done) {
        filter->hidden =
            (uint8_t *)arena_push_copy(&arena, (const char *)hidden, (size_t)trace->label_count + 1);
        if (hidden_tracks != NULL)
            filter->hidden_tracks = (uint8_t *)arena_push_copy(&arena, (const char *)hidden_tracks,
                                                               (size_t)trace->track_count + 1);
        filter->arena = arena;
        done = filter->hidden != NULL && (hidden_tracks == NULL || filter->hidden_tracks != NULL) &&
               counts_build(&filter->slices, filter, trace->slices.label, trace->slices.count, threads,
                            progress) &&
               counts_build(&filter->instants, filter, trace->instants.label, trace->instants.count, threads,
                            progress);
    }
    if (!done) {
        err_set(err, ERR_MEMORY, "out of memory for a filter");
    } else {
        filter->lod = lod_build_hidden(trace, filter->hidden, threads, progress, err);
        if (filter->lod != NULL) return filter;
    }
    if (filter == NULL) {
        arena_release(&arena);
    } else {
        filter->arena = arena;
        filter_release(filter);
    }
    return NULL;
}

void filter_release(Filter *filter)
{
    if (filter == NULL) return;
    counts_release(&filter->slices);
    counts_release(&filter->instants);
    lod_destroy(filter->lod);
    Arena arena = filter->arena; /* the filter lies in it */
    arena_release(&arena);
}

uint64_t filter_bytes(const Filter *filter)
{
    return filter == NULL ? 0
                          : lod_bytes(filter->lod) +
                                (filter->slices.blocks + filter->instants.blocks) * sizeof(uint64_t);
}

/* ---- questions ---- */

bool filter_hides_label(const Filter *filter, uint32_t label)
{
    return filter != NULL && filter->hidden[label];
}

bool filter_hides_track(const Filter *filter, uint32_t track)
{
    return filter != NULL && filter->hidden_tracks != NULL && filter->hidden_tracks[track];
}

uint64_t filter_count_slices(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                             LodReads *reads)
{
    (void)trace;
    return filter == NULL ? last - first : count_visible(filter, &filter->slices, first, last, reads);
}

uint64_t filter_next_slice(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                           LodReads *reads)
{
    (void)trace;
    return filter == NULL ? first : next_visible(filter, &filter->slices, first, last, reads);
}

uint64_t filter_last_slice(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                           LodReads *reads)
{
    if (first >= last) return last;
    if (!filter_hides_label(filter, trace->slices.label[last - 1])) return last - 1;
    uint64_t rank = rank_of(filter, &filter->slices, last, reads);
    if (rank == 0) return last;
    uint64_t found = at_rank(filter, &filter->slices, rank - 1, reads);
    return found >= first ? found : last;
}

uint64_t filter_count_instants(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                               LodReads *reads)
{
    (void)trace;
    return filter == NULL ? last - first : count_visible(filter, &filter->instants, first, last, reads);
}

uint64_t filter_next_instant(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                             LodReads *reads)
{
    (void)trace;
    return filter == NULL ? first : next_visible(filter, &filter->instants, first, last, reads);
}

LodSummary filter_summarise(const Trace *trace, const Filter *filter, const Row *row, uint32_t first,
                            uint32_t last, LodReads *reads)
{
    return lod_summarise_by(trace, filter == NULL ? trace->lod : filter->lod, row, first, last, reads);
}
