#include "export/found_slices.h"

#include "base/checked.h"
#include "trace/scan/scan.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

enum { STRETCH_MATCHES = 65536 };

bool found_slices_open(FoundSlices *found, const Loaded *loaded, StringView text, FindWhere where,
                       unsigned threads, Arena *arena, Err *err)
{
    const Trace *trace = loaded->trace;
    *found = (FoundSlices){ .loaded = loaded, .bytes = (size_t)(trace_slice_bound(trace) / 8) + 1 };
    found->readers = ARENA_NEW(arena, EventReaders);
    found->slices = memory_map(found->bytes);
    if (found->readers == NULL || found->slices == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    if (!find_pattern_parse(&found->pattern, text, &trace->clock, arena, err)) return false;
    if (!event_readers_open(found->readers, loaded, &found->pattern, threads))
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    found->stretch = (FindStretch){ .pattern = &found->pattern,
                                    .where = where,
                                    .sources = found->readers->sources,
                                    .source_count = found->readers->count,
                                    .most = STRETCH_MATCHES };
    return true;
}

static void add_slice(FoundSlices *found, uint64_t slice)
{
    assert(slice / 8 < found->bytes);
    found->slices[slice / 8] |= (uint8_t)(1U << slice % 8);
    found->count++;
}

bool found_slices_step(FoundSlices *found, Err *err)
{
    assert(!found->is_complete && found->readers != NULL);
    FoundStretch      stretch = { .ended = false };
    const bool        done = find_stretch(found->loaded->trace, &found->stretch, &stretch, err);
    const EventMatch *matches = stretch.matches.items;
    for (size_t i = 0; done && i < vec_count(&stretch.matches); i++) {
        const OrderedEvent *event = &matches[i].event;
        if (event->kind != ORDER_SLICE) continue;
        add_slice(found, event->id);
    }
    found->is_complete = stretch.ended;
    if (done) found->share = find_share(found->loaded->trace, &stretch);
    found->last = stretch.last;
    found->stretch.behind = &found->last;
    found_stretch_release(&stretch);
    if (found->is_complete) event_readers_release(found->readers);
    return done;
}

bool found_slices_all(FoundSlices *found, const Loaded *loaded, const char *text, unsigned threads,
                      Arena *arena, Err *err)
{
    bool done = found_slices_open(found, loaded, c_string_view(text), FIND_EVERYWHERE, threads, arena, err);
    while (done && !found->is_complete)
        done = found_slices_step(found, err);
    return done;
}

/* Adds a slice and the slices inside it: those of its lane that are deeper. False: err filled. */
static bool add_inside(FoundSlices *found, const Trace *trace, uint64_t slice, Arena *arena, Err *err)
{
    const Row    *row = &trace->rows[trace_slice_row(trace, slice)];
    const int64_t begin = trace_slice_begin(trace, slice), end = trace_slice_end(trace, slice);
    assert(begin <= end);
    const uint64_t columns =
        SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_LANE) | SCAN_COLUMN(SCAN_SLICE_DEPTH);
    ScanQuery query = scan_query(SCAN_SLICES, columns);
    query.tracks = &row->track;
    query.track_count = 1;
    query.begin_tick = begin;
    query.end_tick = end > begin ? end : i64_add_saturated(begin, 1);
    Scan *scan = scan_begin(trace, &query, arena, err);
    if (scan == NULL) return false;
    add_slice(found, slice);
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
        const uint32_t *lanes = batch->columns[SCAN_SLICE_LANE].u32,
                       *depths = batch->columns[SCAN_SLICE_DEPTH].u32;
        for (uint32_t i = 0; i < batch->count; i++)
            if (lanes[i] == row->lane && depths[i] > row->depth) add_slice(found, ids[i]);
    }
    return true;
}

bool found_slices_inside(FoundSlices *found, const Trace *trace, uint64_t slice, Arena *arena, Err *err)
{
    *found = (FoundSlices){ .bytes = (size_t)(trace_slice_bound(trace) / 8) + 1, .is_complete = true };
    found->slices = memory_map(found->bytes);
    if (found->slices == NULL) return err_set(err, ERR_MEMORY, "out of memory for the slices inside a slice");
    return add_inside(found, trace, slice, arena, err);
}

void found_slices_release(FoundSlices *found)
{
    if (found->readers != NULL) event_readers_release(found->readers);
    find_pattern_release(&found->pattern);
    memory_unmap(found->slices, found->bytes);
    *found = (FoundSlices){ .slices = NULL };
}
