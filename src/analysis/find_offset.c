#include "analysis/find_offset.h"

#include "trace/scan/scan.h"

#include <assert.h>

typedef enum { OFFSET_READS_SLICES, OFFSET_READS_INSTANTS, OFFSET_READS_OTHERS, OFFSET_DONE } OffsetPhase;

struct FindOffset {
    const Trace *trace;
    Arena       *arena;
    uint64_t     wanted;
    OffsetPhase  phase;
    Scan        *scan; /* of the phase; NULL = not begun */
    uint64_t     read; /* events so far */
    FoundOffset  best;
};

FindOffset *find_offset_begin(const Trace *trace, uint64_t offset, Arena *arena, Err *err)
{
    FindOffset *find = ARENA_NEW(arena, FindOffset);
    if (find == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a search");
        return NULL;
    }
    *find = (FindOffset){ .trace = trace, .arena = arena, .wanted = offset };
    return find;
}

/* Takes an event if it is nearer than the best one so far. An unknown offset is UINT64_MAX. */
static void offer(FindOffset *find, OrderKind kind, uint64_t id, uint64_t offset)
{
    if (offset > find->wanted || offset == UINT64_MAX) return;
    if (find->best.found && offset <= find->best.offset) return;
    find->best = (FoundOffset){ true, offset == find->wanted, kind, id, offset };
}

/* Begins the scan of the phase. False: err filled. */
static bool begin_scan(FindOffset *find, Err *err)
{
    static const uint64_t SLICE_COLUMNS =
        SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_SOURCE) | SCAN_COLUMN(SCAN_SLICE_END_SOURCE);
    static const uint64_t INSTANT_COLUMNS = SCAN_COLUMN(SCAN_INSTANT_ID) | SCAN_COLUMN(SCAN_INSTANT_SOURCE);
    const ScanQuery       query = find->phase == OFFSET_READS_SLICES ? scan_query(SCAN_SLICES, SLICE_COLUMNS)
                                                                     : scan_query(SCAN_INSTANTS, INSTANT_COLUMNS);
    find->scan = scan_begin(find->trace, &query, find->arena, err);
    return find->scan != NULL;
}

/* Reads a batch of the phase. False: err filled. */
static bool read_batch(FindOffset *find, Err *err)
{
    const bool is_slices = find->phase == OFFSET_READS_SLICES;
    if (find->scan == NULL && !begin_scan(find, err)) return false;
    const ScanBatch *batch = scan_next(find->scan);
    if (batch == NULL) {
        find->scan = NULL;
        find->phase = is_slices ? OFFSET_READS_INSTANTS : OFFSET_READS_OTHERS;
        return true;
    }
    const ScanValues *columns = batch->columns;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (is_slices) {
            offer(find, ORDER_SLICE, columns[SCAN_SLICE_ID].u64[i], columns[SCAN_SLICE_SOURCE].u64[i]);
            offer(find, ORDER_SLICE, columns[SCAN_SLICE_ID].u64[i], columns[SCAN_SLICE_END_SOURCE].u64[i]);
        } else {
            offer(find, ORDER_INSTANT, columns[SCAN_INSTANT_ID].u64[i], columns[SCAN_INSTANT_SOURCE].u64[i]);
        }
    }
    find->read += batch->count;
    return true;
}

/* Compares the raw events that have a place on the screen: a time and a thread. */
static void read_others(FindOffset *find)
{
    const TraceRecords *records = &find->trace->records;
    for (uint64_t i = 0; i < records->other_count; i++) {
        const OtherEvent *other = &records->others[i];
        if (other->has_tick && other->thread != 0) offer(find, ORDER_OTHER, i, other->offset);
    }
    find->phase = OFFSET_DONE;
}

bool find_offset_step(FindOffset *find, uint64_t events, double *share, FoundOffset *result, Err *err)
{
    const uint64_t most = trace_slice_count(find->trace) + trace_instant_count(find->trace);
    const uint64_t end = find->read + events;
    assert(find->phase != OFFSET_DONE);
    while (find->read < end && find->phase < OFFSET_READS_OTHERS) {
        if (!read_batch(find, err)) return false;
    }
    if (find->phase == OFFSET_READS_OTHERS) read_others(find);
    const double part = (double)find->read / (double)(most == 0 ? 1 : most);
    *share = find->phase == OFFSET_DONE ? 1 : part < 0.99 ? part : 0.99;
    *result = find->best;
    return true;
}
