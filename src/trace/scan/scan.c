#include "trace/scan/scan.h"

#include "trace/scan/scan_table.h"
#include "trace/store/window.h"

#include <assert.h>

/* A batch of fewer rows is copied from several runs; a longer run is returned in place. */
enum { DIRECT_ROWS = 256 };

struct Scan {
    ScanScope scope;
    /* For the rule of SCAN_COUNTED. */
    uint8_t  perspective; /* bit: tracks of other perspectives do not count; 0 = all tracks count */
    bool     counts_repeats, counts_samples;
    uint32_t left_out; /* number of tracks of samples that do not count */
    /* The position. */
    uint32_t query_at;         /* index of the next track of the query */
    uint32_t track;            /* the current one; 0 = before the first */
    uint32_t row_at, row_end;  /* of the current track: rows that follow */
    bool     track_run_is_due; /* the run of the current track itself, after its rows */
    ScanRun  run;
    /* The batch. */
    uint8_t   columns[SCAN_COLUMNS_MAX]; /* columns of the query */
    uint32_t  column_count;
    uint32_t *picks;
    ScanOut   buffers[SCAN_COLUMNS_MAX];
    ScanBatch batch;
};

/* The functions of a table. Its runs are those of the rows of a track, then that of the track itself. A table without
 * either has one run: all its items. */
typedef struct TableFunctions {
    ItemRange (*of_row)(const Trace *trace, const TickRange *range, const Row *row);
    ItemRange (*of_track)(const Trace *trace, const TickRange *range, const Track *track);
    /* fills a column of items for which `column` returns NULL */
    void (*fill)(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
    /* NULL: the table has no arrays */
    const void *(*column)(const ScanScope *scope, unsigned column, uint64_t first);
    /* NULL: all except hidden labels */
    bool (*keeps)(const ScanScope *scope, uint64_t item);
    uint32_t kinds; /* bit i: tracks of TrackKind i can have rows; 0 = all */
} TableFunctions;

static ItemRange track_itself(const Trace *trace, const TickRange *range, const Track *track)
{
    (void)range;
    const uint64_t id = (uint64_t)(track - trace->tracks);
    return (ItemRange){ id, id + 1 };
}

static const TableFunctions FUNCTIONS[SCAN_TABLE_COUNT] = {
    [SCAN_SLICES] = { .of_row = range_slices, .fill = scan_fill_slices, .column = scan_slices_column },
    [SCAN_INSTANTS] = { .of_row = range_instants,
                        .fill = scan_fill_instants,
                        .column = scan_instants_column },
    [SCAN_COUNTER_SAMPLES] = { .of_row = range_values,
                               .fill = scan_fill_values,
                               .column = scan_values_column },
    [SCAN_STACK_SAMPLES] = { .of_track = range_samples,
                             .fill = scan_fill_samples,
                             .column = scan_samples_column,
                             .kinds = 1U << TRACK_SAMPLES },
    [SCAN_FLOWS] = { .of_row = scan_flows_of_row,
                     .of_track = scan_flows_of_track,
                     .fill = scan_fill_flows,
                     .column = scan_flows_column,
                     .keeps = scan_keeps_flow },
    [SCAN_OBJECTS] = { .of_row = range_slices, .fill = scan_fill_objects, .kinds = 1U << TRACK_OBJECTS },
    [SCAN_SNAPSHOTS] = { .of_row = range_instants,
                         .fill = scan_fill_snapshots,
                         .column = scan_snapshots_column,
                         .kinds = 1U << TRACK_OBJECTS },
    [SCAN_TRACKS] = { .of_track = track_itself, .fill = scan_fill_tracks },
    [SCAN_PROCESSES] = { .fill = scan_fill_processes },
    [SCAN_STACKS] = { .fill = scan_fill_stacks, .keeps = scan_keeps_stack },
};

ScanQuery scan_query(ScanTable table, uint64_t columns)
{
    return (ScanQuery){ .table = table, .columns = columns, .begin_tick = INT64_MIN, .end_tick = INT64_MAX };
}

ScanQuery scan_query_of_part(ScanTable table, uint64_t columns, const TracePart *part)
{
    return (ScanQuery){ .table = table,
                        .columns = columns,
                        .rows = SCAN_COUNTED,
                        .begin_tick = part->begin_tick,
                        .end_tick = part->end_tick,
                        .tracks = part->tracks,
                        .track_count = part->track_count,
                        .kinds = part->kinds,
                        .filter = part->filter };
}

/* Returns the bytes of one value. */
static size_t scan_type_size(ScanType type)
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

/* Returns the value that all items of a part have in a column. */
static uint32_t value_of_part(const Trace *trace, ScanOf of, const ScanPart *part)
{
    const Track *track = &trace->tracks[part->track];
    const Row   *row = &trace->rows[part->row];
    switch (of) {
    case SCAN_OF_ITEM:
        break;
    case SCAN_OF_TRACK:
        return part->track;
    case SCAN_OF_NAME:
        return track->name.index;
    case SCAN_OF_CATEGORY:
        return track_extras(track)->category.index;
    case SCAN_OF_PROCESS:
        return track->process.index;
    case SCAN_OF_THREAD:
        return track_thread(trace, part->track);
    case SCAN_OF_LANE:
        return row->lane;
    case SCAN_OF_DEPTH:
        return row->depth;
    case SCAN_OF_SERIES:
        return trace->series[row_extras(row)->series].name.index;
    }
    assert(false);
    return 0;
}

/* Fills a column of a part. */
static void fill_column(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out)
{
    uint32_t     column_count;
    const ScanOf of = scan_columns(scan->scope.query.table, &column_count)[column].of;
    if (of == SCAN_OF_ITEM)
        FUNCTIONS[scan->scope.query.table].fill(&scan->scope, column, part, out);
    else
        scan_fill_u32(out, part, value_of_part(scan->scope.trace, of, part));
}

/* Returns the trace's own array of a column, from item `first` on; NULL if no array has the column's type. */
static const void *own_array(const Scan *scan, unsigned column, uint64_t first)
{
    const TableFunctions *table = &FUNCTIONS[scan->scope.query.table];
    return table->column == NULL ? NULL : table->column(&scan->scope, column, first);
}

/* Copies the items of a part, of `size` bytes each, from the array of its first item on. */
static void gather(ScanOut out, const ScanPart *part, const uint8_t *from, size_t size)
{
    if (part->picks == NULL) {
        memcpy(out.any, from, part->count * size);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        memcpy(out.u8 + i * size, from + part->picks[i] * size, size);
}

/* ---- the tracks of the query ---- */

/* Returns the i-th track of the query; 0 = it does not exist, or is of another kind. */
static uint32_t query_track(const Scan *scan, uint32_t i)
{
    const ScanQuery *query = &scan->scope.query;
    const uint32_t   track = query->tracks == NULL ? i + 1 : query->tracks[i];
    if (track == 0 || track > scan->scope.trace->track_count ||
        !trace_window_has_track(scan->scope.trace, track))
        return 0;
    const uint32_t kind = (uint32_t)1 << scan->scope.trace->tracks[track].kind;
    const uint32_t table_kinds = FUNCTIONS[query->table].kinds;
    const bool     is_one = query->kinds == 0 || (query->kinds & kind) != 0;
    return is_one && (table_kinds == 0 || (table_kinds & kind) != 0) ? track : 0;
}

static uint32_t query_track_count(const Scan *scan)
{
    return scan->scope.query.tracks == NULL ? scan->scope.trace->track_count : scan->scope.query.track_count;
}

static uint8_t perspectives_of(const Trace *trace, uint32_t track)
{
    return trace->processes[trace->tracks[track].process.index].perspectives;
}

static bool is_of_samples(const Scan *scan, uint32_t track)
{
    return scan->scope.query.table == SCAN_SLICES && scan->scope.trace->tracks[track].kind == TRACK_SAMPLES;
}

/* True if the track has rows of the table, whatever the range. */
static bool has_rows(const Scan *scan, uint32_t track)
{
    const Trace *trace = scan->scope.trace;
    const Track *t = &trace->tracks[track];
    switch (scan->scope.query.table) {
    case SCAN_INSTANTS:
    case SCAN_SNAPSHOTS:
        return track_instant_count(trace, t) > 0;
    case SCAN_COUNTER_SAMPLES:
        return track_extras(t)->sample_count > 0;
    case SCAN_STACK_SAMPLES:
        return track_extras(t)->profile_count > 0;
    case SCAN_SLICES:
    case SCAN_FLOWS:
    case SCAN_OBJECTS:
    case SCAN_TRACKS:
    case SCAN_PROCESSES:
    case SCAN_STACKS:
    case SCAN_TABLE_COUNT:
        break;
    }
    return track_slice_count(trace, t) > 0;
}

/* True if the track counts under the rule of perspectives. */
static bool is_seen(const Scan *scan, uint32_t track)
{
    const uint8_t seen_from = perspectives_of(scan->scope.trace, track);
    return seen_from == 0 || (seen_from & scan->perspective) != 0;
}

/* Chooses the slices that count: the default perspective of the trace if the query has rows of it, otherwise the first
 * perspective with rows; and tracks of samples only if no other track has slices. */
static void settle_counting(Scan *scan)
{
    const Trace *trace = scan->scope.trace;
    uint8_t      perspectives = 0;
    bool         only_samples = true;
    for (uint32_t i = 0; i < query_track_count(scan); i++) {
        const uint32_t track = query_track(scan, i);
        if (track == 0 || !has_rows(scan, track)) continue;
        perspectives |= perspectives_of(trace, track);
        only_samples = only_samples && is_of_samples(scan, track);
    }
    const uint8_t usual = perspectives & trace->perspectives.counted;
    scan->perspective = usual != 0 ? usual : (uint8_t)(perspectives & (0U - perspectives));
    scan->counts_repeats = usual == 0;
    scan->counts_samples = only_samples;
    for (uint32_t i = 0; i < query_track_count(scan) && !only_samples; i++) {
        const uint32_t track = query_track(scan, i);
        if (track != 0 && is_of_samples(scan, track) && has_rows(scan, track) && is_seen(scan, track))
            scan->left_out++;
    }
}

static bool track_counts(const Scan *scan, uint32_t track)
{
    if (scan->scope.query.rows == SCAN_ALL) return true;
    return is_seen(scan, track) && (scan->counts_samples || !is_of_samples(scan, track));
}

/* Moves on to the next track. False at the end. */
static bool next_track(Scan *scan)
{
    const TableFunctions *table = &FUNCTIONS[scan->scope.query.table];
    while (scan->query_at < query_track_count(scan)) {
        const uint32_t track = query_track(scan, scan->query_at++);
        const uint32_t only = scan->scope.query.only_track;
        if (track == 0 || (only != 0 && track != only) || !track_counts(scan, track)) continue;
        if (scan->scope.track_counts != NULL && scan->scope.track_counts[track] == 0) continue;
        const Track *t = &scan->scope.trace->tracks[track];
        scan->track = track;
        scan->row_end = t->first_row + track_row_count(t);
        scan->row_at = table->of_row == NULL ? scan->row_end : t->first_row;
        scan->track_run_is_due = table->of_track != NULL;
        return true;
    }
    return false;
}

/* ---- runs ---- */

/* Makes a range of items the current run. False if it is empty. */
static bool begin_run(Scan *scan, ItemRange items, uint32_t row)
{
    scan->run = (ScanRun){ .track = scan->track, .row = row, .first = items.first, .end = items.end };
    return items.first < items.end;
}

/* Moves to the next run of a table that has tracks. False at the end. */
static bool next_track_run(Scan *scan)
{
    const TableFunctions *table = &FUNCTIONS[scan->scope.query.table];
    const Trace          *trace = scan->scope.trace;
    const TickRange      *range = &scan->scope.range;
    if (scan->scope.query.table != SCAN_TRACKS && range_is_empty(range)) return false;
    do {
        while (scan->row_at < scan->row_end) {
            const uint32_t row = scan->row_at++;
            if (begin_run(scan, table->of_row(trace, range, &trace->rows[row]), row)) return true;
        }
        if (scan->track_run_is_due) {
            scan->track_run_is_due = false;
            if (begin_run(scan, table->of_track(trace, range, &trace->tracks[scan->track]), 0)) return true;
        }
    } while (next_track(scan));
    return false;
}

/* Moves to the next run. False at the end. */
static bool next_run(Scan *scan)
{
    const ScanTable table = scan->scope.query.table;
    const bool      has_tracks = FUNCTIONS[table].of_row != NULL || FUNCTIONS[table].of_track != NULL;
    if (has_tracks) return next_track_run(scan);
    if (scan->query_at > 0) return false;
    scan->query_at = 1;
    const uint32_t count =
        table == SCAN_PROCESSES ? scan->scope.trace->process_count : scan->scope.trace->stacks.stack_count;
    scan->run = (ScanRun){ .first = 1, .end = (uint64_t)count + 1 };
    return count > 0;
}

/* ---- hidden rows ---- */

/* Lists the hidden labels, if there are any. False when out of memory. */
static bool list_hidden_labels(Scan *scan, Arena *arena)
{
    const ScanQuery *query = &scan->scope.query;
    const Trace     *trace = scan->scope.trace;
    if (scan->counts_repeats && query->labels == NULL && query->filter == NULL) return true;
    scan->scope.hidden = (uint8_t *)arena_push_raw(arena, (size_t)trace->label_count + 1, 1);
    if (scan->scope.hidden == NULL) return false;
    for (uint32_t label = 0; label <= trace->label_count; label++) {
        const bool is_repeat = !scan->counts_repeats && trace->labels[label].is_repeat;
        const bool is_unwanted = query->labels != NULL && query->labels[label] == 0;
        scan->scope.hidden[label] = is_repeat || is_unwanted || filter_hides_label(query->filter, label);
    }
    return true;
}

/* The items of a table that are left out by their labels. */
typedef enum { PICK_ALL, PICK_SLICES, PICK_INSTANTS } PickKind;

static PickKind items_to_pick(const Scan *scan)
{
    const ScanQuery *query = &scan->scope.query;
    const bool       is_marked = query->table == SCAN_SLICES || query->table == SCAN_INSTANTS;
    if (scan->scope.hidden == NULL || (query->hidden == SCAN_MARK_HIDDEN && is_marked)) return PICK_ALL;
    const bool is_slices = query->table == SCAN_SLICES || query->table == SCAN_OBJECTS;
    const bool is_instants = query->table == SCAN_INSTANTS || query->table == SCAN_SNAPSHOTS;
    return is_slices ? PICK_SLICES : is_instants ? PICK_INSTANTS : PICK_ALL;
}

/* Writes the indices of the items of a part that are kept. Returns their number. */
static uint32_t pick_by_label(const Scan *scan, const ScanPart *part, PickKind kind)
{
    const Trace *trace = scan->scope.trace;
    uint32_t     kept = 0;
    /* without a branch: always write, advance only for kept items */
    for (uint32_t i = 0; i < part->count; i++) {
        const uint64_t item = part->first + i;
        const uint32_t label =
            kind == PICK_SLICES ? trace_slice_label(trace, item) : trace->instants.label[item];
        scan->picks[kept] = i;
        kept += scan->scope.hidden[label] == 0;
    }
    return kept;
}

static uint32_t pick_by_table(const Scan *scan, const ScanPart *part)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        scan->picks[kept] = i;
        kept += FUNCTIONS[scan->scope.query.table].keeps(&scan->scope, part->first + i) ? 1 : 0;
    }
    return kept;
}

/* Takes up to `most` items from the run and keeps the visible ones. */
static ScanPart take_part(Scan *scan, uint32_t most)
{
    ScanRun       *run = &scan->run;
    const uint64_t left = run->end - run->first;
    ScanPart       part = { .track = run->track,
                            .row = run->row,
                            .first = run->first,
                            .count = left < most ? (uint32_t)left : most };
    run->first += part.count;
    const PickKind kind = items_to_pick(scan);
    uint32_t       kept = part.count;
    if (FUNCTIONS[scan->scope.query.table].keeps != NULL) {
        kept = pick_by_table(scan, &part);
    } else if (kind != PICK_ALL) {
        kept = pick_by_label(scan, &part, kind);
    }
    if (kept < part.count) part.picks = scan->picks;
    part.count = kept;
    return part;
}

/* ---- batches ---- */

/* Appends a part to the rows of the batch. */
static void batch_append(Scan *scan, const ScanPart *part)
{
    uint32_t          column_count;
    const ScanColumn *columns = scan_columns(scan->scope.query.table, &column_count);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        const unsigned column = scan->columns[i];
        const size_t   size = scan_type_size(columns[column].type);
        const ScanOut  out = { .u8 = scan->buffers[column].u8 + scan->batch.count * size };
        const void    *own = own_array(scan, column, part->first);
        if (own == NULL)
            fill_column(scan, column, part, out);
        else
            gather(out, part, (const uint8_t *)own, size);
        scan->batch.columns[column].any = scan->buffers[column].any;
    }
    scan->batch.count += part->count;
}

/* Makes a batch of one part, with the arrays of the trace in place if they have the right type. */
static void batch_show(Scan *scan, const ScanPart *part)
{
    for (uint32_t i = 0; i < scan->column_count; i++) {
        const unsigned column = scan->columns[i];
        const void    *own = own_array(scan, column, part->first);
        if (own == NULL) fill_column(scan, column, part, scan->buffers[column]);
        scan->batch.columns[column].any = own != NULL ? own : scan->buffers[column].any;
    }
    scan->batch.count = part->count;
}

const ScanBatch *scan_next(Scan *scan)
{
    const uint32_t most = scan->scope.query.batch_rows;
    scan->batch.count = 0;
    while (scan->batch.count < most) {
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

/* Allocates memory for the columns of the query. False when out of memory. */
static bool take_buffers(Scan *scan, Arena *arena)
{
    uint32_t          count;
    const ScanColumn *columns = scan_columns(scan->scope.query.table, &count);
    const uint32_t    rows = scan->scope.query.batch_rows;
    for (uint32_t column = 0; column < count; column++) {
        if ((scan->scope.query.columns & SCAN_COLUMN(column)) == 0) continue;
        scan->columns[scan->column_count++] = (uint8_t)column;
        scan->buffers[column].any = arena_push_raw(arena, rows, scan_type_size(columns[column].type));
        if (scan->buffers[column].any == NULL) return false;
    }
    assert((scan->scope.query.columns >> count) == 0);
    scan->picks = (uint32_t *)arena_push_raw(arena, rows, sizeof(uint32_t));
    return scan->picks != NULL;
}

/* True if the scan looks up tracks in ScanScope.track_counts. */
static bool lists_tracks(const ScanQuery *query)
{
    return query->table == SCAN_FLOWS || (query->table == SCAN_COUNTER_SAMPLES && query->filter != NULL);
}

/* Lists the tracks of the query that count and are not hidden. False when out of memory. */
static bool list_tracks(Scan *scan, Arena *arena)
{
    scan->scope.track_counts = ARENA_ARRAY(arena, uint8_t, (size_t)scan->scope.trace->track_count + 1);
    if (scan->scope.track_counts == NULL) return false;
    for (uint32_t i = 0; i < query_track_count(scan); i++) {
        const uint32_t track = query_track(scan, i);
        if (track == 0 || !track_counts(scan, track)) continue;
        scan->scope.track_counts[track] =
            scan->scope.query.table == SCAN_FLOWS || !filter_hides_track(scan->scope.query.filter, track);
    }
    return true;
}

Scan *scan_begin(const Trace *trace, const ScanQuery *query, Arena *arena, Err *err)
{
    assert(query->table < SCAN_TABLE_COUNT);
    Scan *scan = ARENA_NEW(arena, Scan);
    if (scan != NULL) {
        *scan = (Scan){ .scope = { .trace = trace,
                                   .query = *query,
                                   .range = { query->begin_tick, query->end_tick, query->edges } },
                        .counts_repeats = true };
        if (query->batch_rows == 0 || query->batch_rows > SCAN_BATCH_ROWS)
            scan->scope.query.batch_rows = SCAN_BATCH_ROWS;
    }
    if (scan == NULL || !take_buffers(scan, arena)) {
        (void)err_set(err, ERR_MEMORY, "out of memory to read the trace");
        return NULL;
    }
    if (query->rows == SCAN_COUNTED) settle_counting(scan);
    if (!list_hidden_labels(scan, arena) || (lists_tracks(query) && !list_tracks(scan, arena))) {
        (void)err_set(err, ERR_MEMORY, "out of memory to read the trace");
        return NULL;
    }
    return scan;
}

void scan_restart(Scan *scan)
{
    scan->query_at = scan->track = scan->row_at = scan->row_end = 0;
    scan->track_run_is_due = false;
    scan->run = (ScanRun){ .first = 0 };
}

const char *scan_perspective(const Scan *scan)
{
    const Trace *trace = scan->scope.trace;
    for (uint32_t i = 0; i < trace->perspectives.count; i++)
        if (scan->perspective == 1U << i) return trace->perspectives.names[i];
    return NULL;
}

uint32_t scan_left_out_tracks(const Scan *scan)
{
    return scan->left_out;
}
