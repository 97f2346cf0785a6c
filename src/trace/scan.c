#include "trace/scan.h"

#include "trace/scan_internal.h"

#include <assert.h>

/* A batch of fewer rows is put together from several runs; a longer run is shown where it is. */
enum { DIRECT_ROWS = 256 };

/* The functions of a table. A table without `run_of_row` has one run: all its items, from 1 on. */
typedef struct TableFunctions {
    ScanRun (*run_of_row)(const Scan *scan, const Row *row);
    void (*fill)(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
    const void *(*column)(const Scan *scan, unsigned column, uint64_t first); /* NULL: there is none */
} TableFunctions;

static const TableFunctions FUNCTIONS[SCAN_TABLE_COUNT] = {
    [SCAN_SLICES] = { scan_slices_of_row, scan_fill_slices, scan_slices_column },
    [SCAN_INSTANTS] = { scan_instants_of_row, scan_fill_instants, scan_instants_column },
    [SCAN_COUNTER_SAMPLES] = { scan_values_of_row, scan_fill_values, scan_values_column },
    [SCAN_TRACKS] = { NULL, scan_fill_tracks, NULL },
    [SCAN_PROCESSES] = { NULL, scan_fill_processes, NULL },
};

ScanQuery scan_query(ScanTable table, uint64_t columns)
{
    return (ScanQuery){ .table = table, .columns = columns, .begin_tick = INT64_MIN, .end_tick = INT64_MAX };
}

size_t scan_type_size(ScanType type)
{
    switch (type) {
    case SCAN_U8:
        return sizeof(uint8_t);
    case SCAN_U32:
    case SCAN_TEXT:
        return sizeof(uint32_t);
    case SCAN_I64:
    case SCAN_U64:
    case SCAN_F64:
        break;
    }
    return sizeof(uint64_t);
}

/* ---- columns ---- */

void scan_fill_u32(ScanOut out, const ScanPart *part, uint32_t value)
{
    for (uint32_t i = 0; i < part->count; i++)
        out.u32[i] = value;
}

void scan_gather(ScanOut out, const ScanPart *part, const void *column, ScanType type)
{
    const size_t size = scan_type_size(type);
    const uint8_t *from = (const uint8_t *)column + part->first * size;
    if (part->picks == NULL) {
        memcpy(out.any, from, part->count * size);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        memcpy(out.u8 + i * size, from + part->picks[i] * size, size);
}

/* ---- the tracks of the query ---- */

/* The i-th track of the query; 0 = it does not exist, or is of another kind. */
static uint32_t asked_track(const Scan *scan, uint32_t i)
{
    const ScanQuery *query = &scan->query;
    const uint32_t   track = query->tracks == NULL ? i + 1 : query->tracks[i];
    if (track == 0 || track > scan->trace->track_count) return 0;
    const uint32_t kind = (uint32_t)1 << scan->trace->tracks[track].kind;
    return query->kinds == 0 || (query->kinds & kind) != 0 ? track : 0;
}

static uint32_t asked_count(const Scan *scan)
{
    return scan->query.tracks == NULL ? scan->trace->track_count : scan->query.track_count;
}

static uint8_t perspectives_of(const Trace *trace, uint32_t track)
{
    return trace->processes[trace->tracks[track].process.index].perspectives;
}

static bool is_of_samples(const Scan *scan, uint32_t track)
{
    return scan->query.table == SCAN_SLICES && scan->trace->tracks[track].kind == TRACK_SAMPLES;
}

/* True if the track has rows of the table, whatever the range. */
static bool has_rows(const Scan *scan, uint32_t track)
{
    const Track *t = &scan->trace->tracks[track];
    return scan->query.table == SCAN_INSTANTS          ? t->instant_count > 0
           : scan->query.table == SCAN_COUNTER_SAMPLES ? t->sample_count > 0
                                                       : t->slice_count > 0;
}

/* True if the rule of perspectives lets the track count. */
static bool is_seen(const Scan *scan, uint32_t track)
{
    const uint8_t seen_from = perspectives_of(scan->trace, track);
    return seen_from == 0 || (seen_from & scan->perspective) != 0;
}

/* Settles what counts: the usual perspective of the trace if the query has rows of it, else the first that has some; and
 * tracks of samples only where nothing else has slices. */
static void settle_counting(Scan *scan)
{
    const Trace *trace = scan->trace;
    uint8_t      asked = 0;
    bool         only_samples = true;
    for (uint32_t i = 0; i < asked_count(scan); i++) {
        const uint32_t track = asked_track(scan, i);
        if (track == 0 || !has_rows(scan, track)) continue;
        asked |= perspectives_of(trace, track);
        only_samples = only_samples && is_of_samples(scan, track);
    }
    const uint8_t usual = asked & trace->perspective_counted;
    scan->perspective = usual != 0 ? usual : (uint8_t)(asked & (0U - asked));
    scan->counts_repeats = usual == 0;
    scan->counts_samples = only_samples;
    for (uint32_t i = 0; i < asked_count(scan) && !only_samples; i++) {
        const uint32_t track = asked_track(scan, i);
        if (track != 0 && is_of_samples(scan, track) && has_rows(scan, track) && is_seen(scan, track))
            scan->left_out++;
    }
}

static bool track_counts(const Scan *scan, uint32_t track)
{
    if (scan->query.rows == SCAN_ALL) return true;
    return is_seen(scan, track) && (scan->counts_samples || !is_of_samples(scan, track));
}

/* Moves on to the next track. False at the end. */
static bool next_track(Scan *scan)
{
    while (scan->asked_at < asked_count(scan)) {
        const uint32_t track = asked_track(scan, scan->asked_at++);
        if (track == 0 || !track_counts(scan, track)) continue;
        scan->track = track;
        scan->row_at = scan->trace->tracks[track].first_row;
        scan->row_end = scan->row_at + scan->trace->tracks[track].row_count;
        return true;
    }
    return false;
}

/* ---- runs ---- */

/* True if no tick is in the range. */
static bool range_is_empty(const ScanQuery *query)
{
    if (query->edges == SCAN_CLOSED) return query->begin_tick > query->end_tick;
    return query->begin_tick >= query->end_tick;
}

/* The next row of a table that has rows. */
static bool next_row_run(Scan *scan)
{
    if (range_is_empty(&scan->query)) return false;
    do {
        for (; scan->row_at < scan->row_end; scan->row_at++) {
            scan->run = FUNCTIONS[scan->query.table].run_of_row(scan, &scan->trace->rows[scan->row_at]);
            if (scan->run.first == scan->run.end) continue;
            scan->run.track = scan->track;
            scan->run.row = scan->row_at++;
            return true;
        }
    } while (next_track(scan));
    return false;
}

/* The next run. False at the end. */
static bool next_run(Scan *scan)
{
    if (FUNCTIONS[scan->query.table].run_of_row != NULL) return next_row_run(scan);
    if (scan->query.table == SCAN_TRACKS) {
        if (!next_track(scan)) return false;
        scan->run = (ScanRun){ .track = scan->track, .first = scan->track, .end = (uint64_t)scan->track + 1 };
        return true;
    }
    if (scan->asked_at > 0) return false;
    scan->asked_at = 1;
    scan->run = (ScanRun){ .first = 1, .end = (uint64_t)scan->trace->process_count + 1 };
    return scan->run.first < scan->run.end;
}

/* ---- hidden rows ---- */

bool scan_hides_label(const Scan *scan, uint32_t label)
{
    if (!scan->counts_repeats && scan->trace->labels[label].is_repeat) return true;
    if (scan->query.labels != NULL && scan->query.labels[label] == 0) return true;
    return filter_hides_label(scan->query.filter, label);
}

/* The labels of the table's items, where some are to be skipped; else NULL. */
static const uint32_t *labels_to_check(const Scan *scan)
{
    const ScanQuery *query = &scan->query;
    if (query->hidden == SCAN_MARK_HIDDEN) return NULL;
    if (scan->counts_repeats && query->labels == NULL && query->filter == NULL) return NULL;
    return query->table == SCAN_SLICES     ? scan->trace->slices.label
           : query->table == SCAN_INSTANTS ? scan->trace->instants.label
                                           : NULL;
}

/* Takes up to `most` items off the run and keeps those that are not hidden. */
static ScanPart take_part(Scan *scan, uint32_t most)
{
    ScanRun       *run = &scan->run;
    const uint64_t left = run->end - run->first;
    ScanPart       part = { .track = run->track,
                            .row = run->row,
                            .first = run->first,
                            .count = left < most ? (uint32_t)left : most };
    run->first += part.count;
    const uint32_t *labels = labels_to_check(scan);
    if (labels == NULL) return part;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < part.count; i++) {
        scan->picks[kept] = i;
        kept += scan_hides_label(scan, labels[part.first + i]) ? 0 : 1;
    }
    if (kept < part.count) part.picks = scan->picks;
    part.count = kept;
    return part;
}

/* ---- batches ---- */

/* Adds a part to the batch, behind the rows that are there. */
static void batch_append(Scan *scan, const ScanPart *part)
{
    const TableFunctions *table = &FUNCTIONS[scan->query.table];
    uint32_t              column_count;
    const ScanColumn     *columns = scan_columns(scan->query.table, &column_count);
    for (uint32_t i = 0; i < scan->asked_count; i++) {
        const unsigned column = scan->asked[i];
        uint8_t       *buffer = scan->buffers[column].u8;
        table->fill(scan, column, part,
                    (ScanOut){ .u8 = buffer + scan->batch.count * scan_type_size(columns[column].type) });
        scan->batch.columns[column].any = buffer;
    }
    scan->batch.count += part->count;
}

/* Makes a batch of one part, with the arrays of the trace where they are as they should be. */
static void batch_show(Scan *scan, const ScanPart *part)
{
    const TableFunctions *table = &FUNCTIONS[scan->query.table];
    for (uint32_t i = 0; i < scan->asked_count; i++) {
        const unsigned column = scan->asked[i];
        const void    *own = table->column == NULL ? NULL : table->column(scan, column, part->first);
        if (own == NULL) table->fill(scan, column, part, scan->buffers[column]);
        scan->batch.columns[column].any = own != NULL ? own : scan->buffers[column].any;
    }
    scan->batch.count = part->count;
}

const ScanBatch *scan_next(Scan *scan)
{
    const uint32_t most = scan->query.batch_rows;
    scan->batch.count = 0;
    while (scan->batch.count < most) {
        if (progress_cancelled(scan->query.progress)) return NULL;
        if (scan->run.first == scan->run.end && !next_run(scan)) break;
        const ScanPart part = take_part(scan, most - scan->batch.count);
        if (scan->batch.count == 0 && part.picks == NULL && part.count >= DIRECT_ROWS) {
            batch_show(scan, &part);
            break;
        }
        if (part.count > 0) batch_append(scan, &part);
    }
    return scan->batch.count == 0 ? NULL : &scan->batch;
}

/* ---- the scan ---- */

/* Takes memory for the columns of the query. False when out of memory. */
static bool take_buffers(Scan *scan, Arena *arena)
{
    uint32_t          count;
    const ScanColumn *columns = scan_columns(scan->query.table, &count);
    const uint32_t    rows = scan->query.batch_rows;
    for (uint32_t column = 0; column < count; column++) {
        if ((scan->query.columns & SCAN_COLUMN(column)) == 0) continue;
        scan->asked[scan->asked_count++] = (uint8_t)column;
        scan->buffers[column].any = arena_push_raw(arena, rows, scan_type_size(columns[column].type));
        if (scan->buffers[column].any == NULL) return false;
    }
    assert((scan->query.columns >> count) == 0);
    scan->picks = (uint32_t *)arena_push_raw(arena, rows, sizeof(uint32_t));
    return scan->picks != NULL;
}

Scan *scan_begin(const Trace *trace, const ScanQuery *query, Arena *arena, Err *err)
{
    assert(query->table < SCAN_TABLE_COUNT);
    Scan *scan = ARENA_NEW(arena, Scan);
    if (scan != NULL) {
        *scan = (Scan){ .trace = trace, .query = *query, .counts_repeats = true };
        if (query->batch_rows == 0 || query->batch_rows > SCAN_BATCH_ROWS)
            scan->query.batch_rows = SCAN_BATCH_ROWS;
    }
    if (scan == NULL || !take_buffers(scan, arena)) {
        (void)err_set(err, ERR_MEMORY, "out of memory to read the trace");
        return NULL;
    }
    if (query->rows == SCAN_COUNTED) settle_counting(scan);
    return scan;
}

void scan_restart(Scan *scan)
{
    scan->asked_at = scan->track = scan->row_at = scan->row_end = 0;
    scan->run = (ScanRun){ .first = 0 };
}

const char *scan_perspective(const Scan *scan)
{
    const Trace *trace = scan->trace;
    for (uint32_t i = 0; i < trace->perspective_count; i++)
        if (scan->perspective == 1U << i) return trace->perspectives[i];
    return NULL;
}

uint32_t scan_left_out_tracks(const Scan *scan)
{
    return scan->left_out;
}
