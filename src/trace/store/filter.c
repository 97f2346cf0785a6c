#include "trace/store/filter.h"

#include "base/search.h"
#include "base/thread.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { JOB_BLOCKS = 1 << 14 };

/* The number of visible events before each block: in the columns before it; in a growing trace, in its row, whose room
 * begins with a block and shares no block with another row. */
typedef struct VisibleCounts {
    const Trace *trace;
    bool         of_instants; /* otherwise of slices */
    uint64_t     count;
    uint64_t    *before; /* owned pages; by block, and one more */
    size_t       blocks;
    unsigned     shift; /* a block has 1 << shift events */
} VisibleCounts;

enum { WHOLE_SHIFT = 6, GROWING_SHIFT = 5 };

/* A change of a row since the last update of the filter. */
typedef struct RowNote {
    uint64_t first; /* slice or instant of the row */
    uint32_t from;
    bool     of_instants;
} RowNote;

enum { MOST_NOTES = 1 << 14 };

struct Filter {
    Arena         arena;  /* holds this struct */
    Bytes         hidden; /* by label */
    Bytes         tracks; /* by track; empty = no track is hidden */
    VisibleCounts slices, instants;
    LodIndex     *lod;         /* owned */
    Filter      **list, *next; /* of the filters that follow the trace; list NULL = it does not grow */
    VEC(RowNote) notes;
    bool notes_all; /* too many changes to record them */
};

static const uint8_t *hidden_of(const Filter *filter)
{
    return filter->hidden.data;
}

/* ---- counts ---- */

typedef struct CountJob {
    VisibleCounts *counts;
    const uint8_t *hidden;
    Progress      *progress;
} CountJob;

static inline uint32_t label_of(const VisibleCounts *counts, uint64_t at)
{
    return counts->of_instants ? counts->trace->instants.label[at] : trace_slice_label(counts->trace, at);
}

static uint64_t count_labels(const VisibleCounts *counts, const uint8_t *hidden, uint64_t at, uint64_t end)
{
    uint64_t visible = 0;
    for (; at < end; at++)
        visible += !hidden[label_of(counts, at)];
    return visible;
}

static void count_blocks(void *context, size_t job)
{
    const CountJob *c = (const CountJob *)context;
    VisibleCounts  *counts = c->counts;
    size_t          last = (job + 1) * JOB_BLOCKS < counts->blocks ? (job + 1) * JOB_BLOCKS : counts->blocks;
    if (progress_cancelled(c->progress)) return;
    for (size_t block = job * JOB_BLOCKS; block < last; block++) {
        uint64_t at = (uint64_t)block << counts->shift, end = at + (UINT64_C(1) << counts->shift);
        counts->before[block + 1] =
            count_labels(counts, c->hidden, at, end < counts->count ? end : counts->count);
    }
}

/* Counts `count` slices or instants of a loaded trace. The trace and of_instants are set. */
static bool counts_build(VisibleCounts *counts, const Filter *filter, uint64_t count, unsigned threads,
                         Progress *progress)
{
    const uint64_t size = UINT64_C(1) << WHOLE_SHIFT;
    counts->count = count;
    counts->blocks = (size_t)((count + size - 1) / size);
    counts->shift = WHOLE_SHIFT;
    counts->before = (uint64_t *)memory_map((counts->blocks + 1) * sizeof(uint64_t));
    if (counts->before == NULL) return false;
    CountJob job = { counts, hidden_of(filter), progress };
    thread_run(threads, (counts->blocks + JOB_BLOCKS - 1) / JOB_BLOCKS, count_blocks, &job);
    for (size_t block = 0; block < counts->blocks; block++)
        counts->before[block + 1] += counts->before[block];
    return true;
}

/* As counts_build, for a growing trace, whose rows are counted later. */
static bool counts_reserve(VisibleCounts *counts, uint64_t capacity)
{
    counts->count = capacity;
    counts->blocks = (size_t)(capacity >> GROWING_SHIFT);
    counts->shift = GROWING_SHIFT;
    counts->before = (uint64_t *)memory_reserve((counts->blocks + 1) * sizeof(uint64_t));
    return counts->before != NULL;
}

/* Updates the counts of a row of `count` events from `first` on, after a change from item `from` on. */
static void counts_update(VisibleCounts *counts, const uint8_t *hidden, uint64_t first, uint32_t count,
                          uint32_t from, LodReads *reads)
{
    const uint64_t block_size = UINT64_C(1) << counts->shift;
    const size_t   row_block = (size_t)(first >> counts->shift);
    const uint64_t last = first + count;
    if (from > count) from = count;
    size_t block =
        row_block + (from == 0 ? 0 : (from - 1) >> counts->shift); /* the count before a known event */
    if (block == row_block) counts->before[block] = 0;
    if (reads != NULL) reads->slices += last - ((uint64_t)block << counts->shift);
    for (uint64_t at = (uint64_t)block << counts->shift; at + block_size < last; at += block_size, block++)
        counts->before[block + 1] = counts->before[block] + count_labels(counts, hidden, at, at + block_size);
}

static void counts_release(VisibleCounts *counts)
{
    const size_t size = (counts->blocks + 1) * sizeof(uint64_t);
    if (counts->shift == GROWING_SHIFT) {
        memory_unreserve(counts->before, size);
    } else {
        memory_unmap(counts->before, size);
    }
}

/* Returns the number of visible events before `at`, which is an event, within its part of the counts. */
static uint64_t rank_at(const Filter *filter, const VisibleCounts *counts, uint64_t at, LodReads *reads)
{
    const uint64_t block = at >> counts->shift, first = block << counts->shift;
    if (reads != NULL) reads->slices += at - first;
    return counts->before[block] + count_labels(counts, hidden_of(filter), first, at);
}

/* Returns rank_at of the next event; computed from the event itself, so that nothing is read after the last one. */
static uint64_t rank_behind(const Filter *filter, const VisibleCounts *counts, uint64_t at, LodReads *reads)
{
    if (reads != NULL) reads->slices++;
    return rank_at(filter, counts, at, reads) + !hidden_of(filter)[label_of(counts, at)];
}

/* Returns the event of [first, last) with `rank` visible ones before it; `last` if no such event exists. */
static uint64_t at_rank(const Filter *filter, const VisibleCounts *counts, uint64_t rank, uint64_t first,
                        uint64_t last, LodReads *reads)
{
    uint64_t low = first >> counts->shift;
    if (counts->before[low] > rank) return last;
    LOWER_BOUND(uint64_t, low, ((last - 1) >> counts->shift) + 1, i, counts->before[i] <= rank);
    const uint64_t begin = (low - 1) << counts->shift;
    uint64_t       at = begin, left = rank - counts->before[low - 1];
    for (; at < last; at++) {
        if (hidden_of(filter)[label_of(counts, at)]) continue;
        if (left-- == 0) break;
    }
    if (reads != NULL) reads->slices += at - begin + 1;
    return at < first ? last : at;
}

static uint64_t count_visible(const Filter *filter, const VisibleCounts *counts, uint64_t first,
                              uint64_t last, LodReads *reads)
{
    if (first >= last) return 0;
    return rank_behind(filter, counts, last - 1, reads) - rank_at(filter, counts, first, reads);
}

static uint64_t next_visible(const Filter *filter, const VisibleCounts *counts, uint64_t first, uint64_t last,
                             LodReads *reads)
{
    if (first >= last || !hidden_of(filter)[label_of(counts, first)]) return first;
    return at_rank(filter, counts, rank_at(filter, counts, first, reads), first, last, reads);
}

/* ---- life ---- */

static bool keep_bytes(Bytes *kept, const uint8_t *bytes, size_t count)
{
    bytes_clear(kept);
    if (bytes != NULL) bytes_append(kept, bytes, count);
    return !kept->failed;
}

static bool keep_hidden(Filter *filter, const Trace *trace, const uint8_t *hidden, const uint8_t *tracks)
{
    return keep_bytes(&filter->hidden, hidden, (size_t)trace->label_count + 1) &&
           keep_bytes(&filter->tracks, tracks, (size_t)trace->track_count + 1);
}

static void count_row(Filter *filter, const Row *row, uint32_t first_slice, uint32_t first_instant,
                      LodReads *reads)
{
    if (first_slice != UINT32_MAX && row->slice_count > 0)
        counts_update(&filter->slices, hidden_of(filter), row->first_slice, row->slice_count, first_slice,
                      reads);
    if (first_instant != UINT32_MAX && row_extras(row)->instant_count > 0)
        counts_update(&filter->instants, hidden_of(filter), row_extras(row)->first_instant,
                      row_extras(row)->instant_count, first_instant, reads);
}

static bool build_counts(Filter *filter, const Trace *trace, unsigned threads, Progress *progress)
{
    const LivePlaces *live = trace->live;
    filter->slices.trace = filter->instants.trace = trace;
    filter->instants.of_instants = true;
    if (live == NULL)
        return counts_build(&filter->slices, filter, trace->slices.count, threads, progress) &&
               counts_build(&filter->instants, filter, trace->instants.count, threads, progress);
    if (!counts_reserve(&filter->slices, live->slice_capacity) ||
        !counts_reserve(&filter->instants, live->instant_capacity))
        return false;
    for (uint32_t r = 0; r < trace->row_count; r++)
        count_row(filter, &trace->rows[r], 0, 0, NULL);
    return true;
}

static void follow(Filter *filter, const Trace *trace)
{
    if (trace->live == NULL) return;
    filter->list = trace->live->followers;
    filter->next = *filter->list;
    *filter->list = filter;
}

Filter *filter_of_labels(const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks, Err *err)
{
    Arena   arena = arena_create(0);
    Filter *filter = ARENA_NEW(&arena, Filter);
    if (filter != NULL) {
        filter->arena = arena;
        if (keep_hidden(filter, trace, hidden, hidden_tracks)) return filter;
        filter_release(filter);
    } else {
        arena_release(&arena);
    }
    err_set(err, ERR_MEMORY, "out of memory for a filter");
    return NULL;
}

Filter *filter_build(const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks,
                     unsigned threads, Progress *progress, Err *err)
{
    Filter *filter = filter_of_labels(trace, hidden, hidden_tracks, err);
    if (filter == NULL) return NULL;
    if (build_counts(filter, trace, threads, progress))
        filter->lod = lod_build_hidden(trace, hidden_of(filter), threads, progress, err);
    else
        err_set(err, ERR_MEMORY, "out of memory for a filter");
    if (filter->lod == NULL) {
        filter_release(filter);
        return NULL;
    }
    follow(filter, trace);
    return filter;
}

void filter_release(Filter *filter)
{
    if (filter == NULL) return;
    if (filter->list != NULL) {
        Filter **link = filter->list;
        while (*link != filter)
            link = &(*link)->next;
        *link = filter->next;
    }
    counts_release(&filter->slices);
    counts_release(&filter->instants);
    lod_destroy(filter->lod);
    bytes_release(&filter->hidden);
    bytes_release(&filter->tracks);
    vec_release(&filter->notes);
    Arena arena = filter->arena; /* the arena holds the filter itself */
    arena_release(&arena);
}

/* ---- growing traces ---- */

static void note(Filter *filter, const RowNote *change)
{
    if (vec_count(&filter->notes) >= MOST_NOTES) filter->notes_all = true;
    if (!filter->notes_all) vec_push(&filter->notes, *change);
    if (filter->notes.bytes.failed) filter->notes_all = true;
}

void filters_note(Filter *followers, const Row *row, uint32_t first_slice, uint32_t first_instant)
{
    for (Filter *filter = followers; filter != NULL; filter = filter->next) {
        if (first_slice != UINT32_MAX) note(filter, &(RowNote){ row->first_slice, first_slice, false });
        if (first_instant != UINT32_MAX)
            note(filter, &(RowNote){ row_extras(row)->first_instant, first_instant, true });
    }
}

static int compare_notes(const void *left, const void *right)
{
    const RowNote *a = (const RowNote *)left, *b = (const RowNote *)right;
    if (a->of_instants != b->of_instants) return a->of_instants ? 1 : -1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* Returns the current row of a change; NULL: the row was moved or removed. */
static const Row *row_noted(const Trace *trace, const RowNote *change)
{
    const TraceIndex *index = &trace->index;
    if ((change->of_instants ? index->instant_row_count : index->slice_row_count) == 0) return NULL;
    const Row *row = &trace->rows[change->of_instants ? trace_instant_row(trace, change->first)
                                                      : trace_slice_row(trace, change->first)];
    return (change->of_instants ? row_extras(row)->first_instant : row->first_slice) == change->first ? row
                                                                                                      : NULL;
}

static void update_row(Filter *filter, const Trace *trace, const Row *row, const RowNote *change,
                       LodReads *reads)
{
    count_row(filter, row, change->of_instants ? UINT32_MAX : change->from,
              change->of_instants ? change->from : UINT32_MAX, reads);
    if (!change->of_instants) lod_update_hidden(trace, filter->lod, row, change->from, reads);
}

bool filter_catch_up(Filter *filter, const Trace *trace, const uint8_t *hidden, const uint8_t *hidden_tracks,
                     LodReads *reads)
{
    RowNote     *notes = filter->notes.items;
    const size_t count = vec_count(&filter->notes);
    if (filter->list == NULL || filter->hidden.size > (size_t)trace->label_count + 1 ||
        memcmp(filter->hidden.data, hidden, filter->hidden.size) != 0 ||
        !keep_hidden(filter, trace, hidden, hidden_tracks))
        return false;
    lod_set_hidden(filter->lod, hidden_of(filter));
    if (count > 1) qsort(notes, count, sizeof *notes, compare_notes);
    for (size_t i = 0; i < count && !filter->notes_all; i++) {
        const bool is_known =
            i > 0 && notes[i].first == notes[i - 1].first && notes[i].of_instants == notes[i - 1].of_instants;
        const Row *row = is_known ? NULL : row_noted(trace, &notes[i]);
        if (row != NULL) update_row(filter, trace, row, &notes[i], reads);
    }
    for (uint32_t r = 0; r < trace->row_count && filter->notes_all; r++) {
        const Row *row = &trace->rows[r];
        update_row(filter, trace, row, &(RowNote){ row->first_slice, 0, false }, reads);
        update_row(filter, trace, row, &(RowNote){ row_extras(row)->first_instant, 0, true }, reads);
    }
    filter->notes_all = false;
    vec_clear(&filter->notes);
    return true;
}

/* ---- queries ---- */

bool filter_hides_label(const Filter *filter, uint32_t label)
{
    return filter != NULL && hidden_of(filter)[label];
}

bool filter_hides_track(const Filter *filter, uint32_t track)
{
    return filter != NULL && filter->tracks.size > 0 && filter->tracks.data[track];
}

uint64_t filter_count_slices(const Filter *filter, uint64_t first, uint64_t last, LodReads *reads)
{
    return filter == NULL ? last - first : count_visible(filter, &filter->slices, first, last, reads);
}

uint64_t filter_next_slice(const Filter *filter, uint64_t first, uint64_t last, LodReads *reads)
{
    return filter == NULL ? first : next_visible(filter, &filter->slices, first, last, reads);
}

uint64_t filter_last_slice(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                           LodReads *reads)
{
    if (first >= last) return last;
    if (filter == NULL || !filter_hides_label(filter, trace_slice_label(trace, last - 1))) return last - 1;
    const uint64_t rank = rank_behind(filter, &filter->slices, last - 1, reads);
    return rank == 0 ? last : at_rank(filter, &filter->slices, rank - 1, first, last, reads);
}

uint64_t filter_count_instants(const Filter *filter, uint64_t first, uint64_t last, LodReads *reads)
{
    return filter == NULL ? last - first : count_visible(filter, &filter->instants, first, last, reads);
}

uint64_t filter_next_instant(const Filter *filter, uint64_t first, uint64_t last, LodReads *reads)
{
    return filter == NULL ? first : next_visible(filter, &filter->instants, first, last, reads);
}

static const LodIndex *index_of(const Trace *trace, const Filter *filter)
{
    return filter == NULL ? trace->index.lod : filter->lod;
}

void filter_summarise_parts(const Trace *trace, const Filter *filter, const Row *row, const LodPart *parts,
                            uint32_t count, LodSummary *summaries, LodReads *reads)
{
    lod_summarise_parts(trace, index_of(trace, filter), row, parts, count, summaries, reads);
}
