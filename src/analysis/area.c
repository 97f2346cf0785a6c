#include "analysis/area.h"

#include "base/checked.h"
#include "trace/scan/scan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { AREA_READS_INSTANTS, AREA_READS_VALUES, AREA_DONE } AreaPhase;

struct AreaCount {
    const Trace *trace;
    Arena       *arena;
    AreaPhase    phase;
    Scan        *instants, *values;
    double       span_ticks; /* of the range, > 0: weights are parts of it, so that no sum overflows */
    size_t       slots_size;
    uint32_t    *slots; /* owned pages, by name: index into the rows of instants + 1; 0 = none yet */
    ARENA_LIST(AreaInstants) instant_rows;
    ARENA_LIST(AreaCounter) counter_rows; /* `average` is the weighted sum until the table is made */
    uint64_t instant_count, done, most;   /* events read, and the limit of events */
};

/* -- instants -- */

static const uint64_t INSTANT_COLUMNS = SCAN_COLUMN(SCAN_INSTANT_ID) | SCAN_COLUMN(SCAN_INSTANT_TICK) |
                                        SCAN_COLUMN(SCAN_INSTANT_LABEL) | SCAN_COLUMN(SCAN_INSTANT_NAME);

/* Returns the row of a name, made when it is new; NULL when out of memory. */
static AreaInstants *row_of_name(AreaCount *a, uint32_t name, uint32_t label)
{
    AreaInstants *rows = a->instant_rows.items;
    if (LIKELY(a->slots[name] != 0)) return &rows[a->slots[name] - 1];
    AreaInstants *made = ARENA_LIST_PUSH(&a->instant_rows, a->arena);
    if (made == NULL) return NULL;
    *made = (AreaInstants){ .name = a->trace->labels[label].name, .label = label };
    a->slots[name] = (uint32_t)a->instant_rows.count;
    return made;
}

static bool add_instants(AreaCount *a, const ScanBatch *batch)
{
    const uint64_t *ids = batch->columns[SCAN_INSTANT_ID].u64;
    const int64_t  *ticks = batch->columns[SCAN_INSTANT_TICK].i64;
    const uint32_t *labels = batch->columns[SCAN_INSTANT_LABEL].u32,
                   *names = batch->columns[SCAN_INSTANT_NAME].u32;
    for (uint32_t i = 0; i < batch->count; i++) {
        AreaInstants *row = row_of_name(a, names[i], labels[i]);
        if (row == NULL) return false;
        if (row->count == 0 || ticks[i] < row->first_tick) {
            row->first = ids[i];
            row->first_tick = ticks[i];
        }
        row->count++;
    }
    a->instant_count += batch->count;
    return true;
}

/* -- counters -- */

static const uint64_t VALUE_COLUMNS = SCAN_COLUMN(SCAN_VALUE_CLIPPED) | SCAN_COLUMN(SCAN_VALUE_VALUE) |
                                      SCAN_COLUMN(SCAN_VALUE_SERIES) | SCAN_COLUMN(SCAN_VALUE_TRACK);

/* Returns the row of a series; NULL when out of memory. The values of a series follow each other in the scan. */
static AreaCounter *row_of_series(AreaCount *a, uint32_t track, uint32_t series)
{
    AreaCounter *rows = a->counter_rows.items;
    AreaCounter *last = a->counter_rows.count == 0 ? NULL : &rows[a->counter_rows.count - 1];
    if (LIKELY(last != NULL && last->track == track && last->series.index == series)) return last;
    AreaCounter *made = ARENA_LIST_PUSH(&a->counter_rows, a->arena);
    if (made != NULL)
        *made = (AreaCounter){ .track = track, .series = { series }, .min = NAN, .max = NAN, .last = NAN };
    return made;
}

static bool add_values(AreaCount *a, const ScanBatch *batch)
{
    const uint64_t *clipped = batch->columns[SCAN_VALUE_CLIPPED].u64;
    const double   *values = batch->columns[SCAN_VALUE_VALUE].f64;
    const uint32_t *series = batch->columns[SCAN_VALUE_SERIES].u32,
                   *tracks = batch->columns[SCAN_VALUE_TRACK].u32;
    for (uint32_t i = 0; i < batch->count; i++) {
        AreaCounter *row = row_of_series(a, tracks[i], series[i]);
        if (row == NULL) return false;
        if (isnan(values[i])) continue;
        if (row->count == 0 || values[i] < row->min) row->min = values[i];
        if (row->count == 0 || values[i] > row->max) row->max = values[i];
        row->average += values[i] * ((double)clipped[i] / a->span_ticks);
        row->ticks = u64_add_saturated(row->ticks, clipped[i]);
        row->last = values[i];
        row->count++;
    }
    return true;
}

/* Makes the average of the weighted sum. Rounding must not move it beyond the values. */
static void finish_counter(const AreaCount *a, AreaCounter *row)
{
    const double average = row->ticks == 0 ? NAN : row->average / ((double)row->ticks / a->span_ticks);
    row->average = average < row->min ? row->min : average > row->max ? row->max : average;
}

/* -- the table -- */

/* A row with its sort key: qsort passes no context to the comparison. */
typedef struct SortRow {
    AreaInstants row;
    StringView   name;
} SortRow;

static int compare_rows(const void *left, const void *right)
{
    const SortRow *a = left, *b = right;
    if (a->row.count != b->row.count) return a->row.count > b->row.count ? -1 : 1;
    const int order = string_compare(a->name, b->name);
    if (order != 0) return order;
    return a->row.name.index < b->row.name.index ? -1 : 1; /* "" after no name */
}

static bool sort_instants(AreaCount *a)
{
    AreaInstants *rows = a->instant_rows.items;
    const size_t  count = a->instant_rows.count;
    SortRow      *sorted = ARENA_ARRAY(a->arena, SortRow, count);
    if (sorted == NULL) return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (SortRow){ .row = rows[i], .name = trace_string(a->trace, rows[i].name) };
    if (count > 0) qsort(sorted, count, sizeof *sorted, compare_rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = sorted[i].row;
    return true;
}

static bool make_table(AreaCount *a, AreaTable *table)
{
    AreaCounter *counters = a->counter_rows.items;
    for (size_t i = 0; i < a->counter_rows.count; i++)
        finish_counter(a, &counters[i]);
    *table = (AreaTable){ .instants = a->instant_rows.items,
                          .instant_rows = (uint32_t)a->instant_rows.count,
                          .instant_count = a->instant_count,
                          .counters = counters,
                          .counter_rows = (uint32_t)a->counter_rows.count };
    return sort_instants(a);
}

/* -- steps -- */

static Scan *begin_scan(AreaCount *a, const TracePart *part, ScanTable table, uint64_t columns, Err *err)
{
    const ScanQuery scan = scan_query_of_part(table, columns, part);
    return scan_begin(a->trace, &scan, a->arena, err);
}

AreaCount *area_count_begin(const Trace *trace, const TracePart *part, Arena *arena, Err *err)
{
    AreaCount *a = ARENA_NEW(arena, AreaCount);
    if (a != NULL) {
        const size_t  names = string_table_count(trace->strings) + 1;
        const int64_t begin = part->begin_tick > trace->begin_tick ? part->begin_tick : trace->begin_tick;
        const int64_t end = part->end_tick < trace->end_tick ? part->end_tick : trace->end_tick;
        *a = (AreaCount){ .trace = trace, .arena = arena };
        a->span_ticks = end > begin ? (double)((uint64_t)end - (uint64_t)begin) : 1;
        a->most = trace_instant_count(trace) + trace_sample_count(trace);
        a->slots_size = names * sizeof(uint32_t);
        a->slots = memory_map(a->slots_size); /* fresh pages cost nothing until they are touched */
    }
    bool done = (a != NULL && a->slots != NULL) || err_set(err, ERR_MEMORY, "out of memory for the instants");
    done = done && (a->instants = begin_scan(a, part, SCAN_INSTANTS, INSTANT_COLUMNS, err)) != NULL;
    done = done && (a->values = begin_scan(a, part, SCAN_COUNTER_SAMPLES, VALUE_COLUMNS, err)) != NULL;
    if (done) return a;
    area_count_release(a);
    return NULL;
}

void area_count_release(AreaCount *count)
{
    if (count == NULL) return;
    memory_unmap(count->slots, count->slots_size);
    count->slots = NULL;
}

bool area_count_step(AreaCount *a, uint64_t events, double *share, AreaTable *table, Err *err)
{
    assert(a->phase != AREA_DONE);
    for (uint64_t left = events; left > 0 && a->phase != AREA_DONE;) {
        const bool       is_instants = a->phase == AREA_READS_INSTANTS;
        const ScanBatch *batch = scan_next(is_instants ? a->instants : a->values);
        if (batch == NULL) {
            a->phase = is_instants ? AREA_READS_VALUES : AREA_DONE;
            continue;
        }
        if (!(is_instants ? add_instants(a, batch) : add_values(a, batch)))
            return err_set(err, ERR_MEMORY, "out of memory for the instants and counters");
        left -= batch->count < left ? batch->count : left;
        a->done += batch->count;
    }
    const double part = (double)a->done / (double)(a->most == 0 ? 1 : a->most);
    *share = a->phase == AREA_DONE ? 1 : part < 0.99 ? part : 0.99;
    if (a->phase != AREA_DONE || make_table(a, table)) return true;
    return err_set(err, ERR_MEMORY, "out of memory for the instants and counters");
}

const char *area_unit(const Trace *trace, uint32_t track)
{
    return track_extras(&trace->tracks[track])->counts_bytes ? "B" : "";
}

size_t area_value_text(const char *unit, double value, char out[DIGITS_TEXT])
{
    const size_t size = digits_put_real(value, out);
    if (*unit == '\0' || !isfinite(value)) return size;
    return size + (size_t)snprintf(out + size, DIGITS_TEXT - size, " %s", unit);
}

bool area_tally(const Trace *trace, const TracePart *part, Arena *arena, AreaTable *table, Err *err)
{
    AreaCount *count = area_count_begin(trace, part, arena, err);
    double     share = 0;
    bool       done = count != NULL;
    while (done && share < 1)
        done = area_count_step(count, UINT64_MAX, &share, table, err);
    area_count_release(count);
    return done;
}
