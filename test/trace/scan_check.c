#include "scan_check.h"

#include "trace/store/flows.h"
#include "trace/store/object_find.h"

#include <stdlib.h>
#include <string.h>

/* A row as bits: its columns, each widened to 64. */
typedef struct Cells {
    uint64_t of[SCAN_COLUMNS_MAX];
} Cells;

typedef struct Model {
    const Trace     *trace;
    const ScanQuery *query;
    uint8_t          perspective;
    bool             counts_repeats, counts_samples;
    uint32_t         left_out;
    Bytes            rows; /* Cells[] */
} Model;

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- the rules, implemented a second time ---- */

static bool reaches(const ScanQuery *q, int64_t begin, int64_t end)
{
    if (q->edges == RANGE_CLOSED)
        return q->begin_tick <= q->end_tick && begin <= q->end_tick && end >= q->begin_tick;
    if (q->begin_tick >= q->end_tick) return false;
    return begin < q->end_tick && (end > q->begin_tick || begin >= q->begin_tick);
}

static uint64_t inside(const ScanQuery *q, int64_t begin, int64_t end)
{
    const int64_t from = begin > q->begin_tick ? begin : q->begin_tick;
    const int64_t to = end < q->end_tick ? end : q->end_tick;
    return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static bool is_asked(const Model *m, uint32_t track)
{
    const ScanQuery *q = m->query;
    bool             listed = q->tracks == NULL;
    for (uint32_t i = 0; q->tracks != NULL && i < q->track_count; i++)
        listed = listed || q->tracks[i] == track;
    const TrackKind kind = m->trace->tracks[track].kind;
    if (q->table == SCAN_STACK_SAMPLES && kind != TRACK_SAMPLES) return false;
    if ((q->table == SCAN_OBJECTS || q->table == SCAN_SNAPSHOTS) && kind != TRACK_OBJECTS) return false;
    return listed && (q->kinds == 0 || (q->kinds >> kind & 1) != 0);
}

static bool has_rows(const Model *m, uint32_t track)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < m->trace->row_count; r++) {
        const Row *row = &m->trace->rows[r];
        if (row->track != track) continue;
        const bool of_instants = m->query->table == SCAN_INSTANTS || m->query->table == SCAN_SNAPSHOTS;
        count += of_instants                               ? row_extras(row)->instant_count
                 : m->query->table == SCAN_COUNTER_SAMPLES ? row_extras(row)->sample_count
                                                           : row->slice_count;
    }
    if (m->query->table == SCAN_STACK_SAMPLES)
        return track_extras(&m->trace->tracks[track])->profile_count > 0;
    return count > 0;
}

static uint8_t perspectives_of(const Trace *trace, uint32_t track)
{
    return trace->processes[trace->tracks[track].process.index].perspectives;
}

static void model_rule(Model *m)
{
    const bool is_slices = m->query->table == SCAN_SLICES;
    uint8_t    seen = 0;
    bool       others = false;
    m->counts_repeats = m->counts_samples = true;
    if (m->query->rows == SCAN_ALL) return;
    for (uint32_t t = 1; t <= m->trace->track_count; t++) {
        if (!is_asked(m, t) || !has_rows(m, t)) continue;
        seen |= perspectives_of(m->trace, t);
        others = others || !is_slices || m->trace->tracks[t].kind != TRACK_SAMPLES;
    }
    for (uint8_t bit = 1; bit != 0 && m->perspective == 0; bit = (uint8_t)(bit << 1))
        m->perspective = (seen & m->trace->perspectives.counted & bit) != 0 ? bit : 0;
    m->counts_repeats = m->perspective == 0;
    for (uint8_t bit = 1; bit != 0 && m->perspective == 0; bit = (uint8_t)(bit << 1))
        m->perspective = (seen & bit) != 0 ? bit : 0;
    m->counts_samples = !others;
}

static bool track_counts(Model *m, uint32_t track)
{
    if (!is_asked(m, track)) return false;
    if (m->query->rows == SCAN_ALL) return true;
    const uint8_t seen = perspectives_of(m->trace, track);
    if (seen != 0 && (seen & m->perspective) == 0) return false;
    const bool is_of_samples =
        m->query->table == SCAN_SLICES && m->trace->tracks[track].kind == TRACK_SAMPLES;
    if (!is_of_samples || m->counts_samples) return true;
    m->left_out += has_rows(m, track) ? 1 : 0;
    return false;
}

static bool is_hidden(const Model *m, uint32_t label)
{
    return (!m->counts_repeats && m->trace->labels[label].is_repeat) ||
           (m->query->labels != NULL && m->query->labels[label] == 0) ||
           filter_hides_label(m->query->filter, label);
}

static void model_add(Model *m, const Cells *cells)
{
    bytes_append(&m->rows, cells, sizeof *cells);
}

/* ---- the tables ---- */

static void model_slice(Model *m, uint32_t r, uint64_t slice)
{
    const Trace   *trace = m->trace;
    const Row     *row = &trace->rows[r];
    const int64_t  begin = trace_slice_begin(trace, slice), end = trace_slice_end(trace, slice);
    const uint32_t label = trace_slice_label(trace, slice);
    uint64_t       value, first, self = inside(m->query, begin, end);
    Cells          c = { .of = { 0 } };
    if (!reaches(m->query, begin, end)) return;
    if (is_hidden(m, label) && m->query->hidden == SCAN_SKIP_HIDDEN) return;
    c.of[SCAN_SLICE_ID] = slice;
    c.of[SCAN_SLICE_BEGIN] = (uint64_t)begin;
    c.of[SCAN_SLICE_DURATION] = trace_slice_duration(trace, slice);
    c.of[SCAN_SLICE_CLIPPED] = self;
    const uint64_t children = trace_slice_children(trace, r, slice, &first);
    for (uint64_t i = first; i < first + children; i++)
        self -= inside(m->query, trace_slice_begin(trace, i), trace_slice_end(trace, i));
    c.of[SCAN_SLICE_SELF] = self;
    c.of[SCAN_SLICE_LABEL] = label;
    c.of[SCAN_SLICE_NAME] = trace->labels[label].name.index;
    c.of[SCAN_SLICE_CATEGORY] = trace->labels[label].category.index;
    c.of[SCAN_SLICE_TRACK] = row->track;
    c.of[SCAN_SLICE_PROCESS] = trace->tracks[row->track].process.index;
    c.of[SCAN_SLICE_THREAD] = trace_slice_thread(trace, slice);
    c.of[SCAN_SLICE_LANE] = row->lane;
    c.of[SCAN_SLICE_DEPTH] = row->depth;
    c.of[SCAN_SLICE_PARENT] = trace_slice_parent(trace, r, slice, &value) ? value : UINT64_MAX;
    c.of[SCAN_SLICE_FLAGS] = trace->slices.flags[slice];
    c.of[SCAN_SLICE_CPU] = trace_slice_cpu(trace, slice, &value) ? value : UINT64_MAX;
    c.of[SCAN_SLICE_SOURCE] = trace_slice_source(trace, slice, &value) ? value : UINT64_MAX;
    c.of[SCAN_SLICE_END_SOURCE] = trace_slice_end_source(trace, slice, &value) ? value : UINT64_MAX;
    c.of[SCAN_SLICE_STACK] = trace_slice_stack(trace, slice).index;
    c.of[SCAN_SLICE_END_STACK] = trace_slice_end_stack(trace, slice).index;
    c.of[SCAN_SLICE_HIDDEN] = is_hidden(m, label);
    model_add(m, &c);
}

static void model_instant(Model *m, uint32_t r, uint64_t instant)
{
    const Trace   *trace = m->trace;
    const Row     *row = &trace->rows[r];
    const int64_t  tick = trace->instants.tick[instant];
    const uint32_t label = trace->instants.label[instant];
    Cells          c = { .of = { 0 } };
    if (!reaches(m->query, tick, tick)) return;
    if (is_hidden(m, label) && m->query->hidden == SCAN_SKIP_HIDDEN) return;
    c.of[SCAN_INSTANT_ID] = instant;
    c.of[SCAN_INSTANT_TICK] = (uint64_t)tick;
    c.of[SCAN_INSTANT_LABEL] = label;
    c.of[SCAN_INSTANT_NAME] = trace->labels[label].name.index;
    c.of[SCAN_INSTANT_CATEGORY] = trace->labels[label].category.index;
    c.of[SCAN_INSTANT_TRACK] = row->track;
    c.of[SCAN_INSTANT_PROCESS] = trace->tracks[row->track].process.index;
    c.of[SCAN_INSTANT_THREAD] = trace_instant_thread(trace, instant);
    c.of[SCAN_INSTANT_LANE] = row->lane;
    c.of[SCAN_INSTANT_DEPTH] = row->depth;
    c.of[SCAN_INSTANT_SCOPE] = trace->instants.scope[instant];
    c.of[SCAN_INSTANT_SOURCE] =
        trace->instants.source[instant] == 0 ? UINT64_MAX : trace->instants.source[instant] - 1;
    c.of[SCAN_INSTANT_STACK] = trace_instant_stack(trace, instant).index;
    c.of[SCAN_INSTANT_HIDDEN] = is_hidden(m, label);
    model_add(m, &c);
}

static void model_value(Model *m, uint32_t r, uint64_t value)
{
    const Trace         *trace = m->trace;
    const Row           *row = &trace->rows[r];
    const Track         *track = &trace->tracks[row->track];
    const SampleColumns *samples = &trace->samples;
    const ScanQuery     *q = m->query;
    const int64_t        begin = samples->tick[value];
    const bool           is_last = value + 1 == row_extras(row)->first_sample + row_extras(row)->sample_count;
    int64_t              end = is_last ? track_extras(track)->held_to : samples->tick[value + 1];
    if (end > trace->end_tick) end = trace->end_tick;
    if (end < begin) end = begin;
    const bool ends_there = !is_last && samples->tick[value + 1] <= q->begin_tick;
    const bool closed_inside = begin <= q->end_tick && (begin >= q->begin_tick || !ends_there);
    const bool is_inside =
        q->edges == RANGE_CLOSED ? closed_inside && q->begin_tick <= q->end_tick : reaches(q, begin, end);
    if (!is_inside) return;
    if (filter_hides_track(q->filter, row->track)) return;
    Cells c = { .of = { 0 } };
    c.of[SCAN_VALUE_TICK] = (uint64_t)begin;
    c.of[SCAN_VALUE_DURATION] = (uint64_t)end - (uint64_t)begin;
    c.of[SCAN_VALUE_CLIPPED] = inside(q, begin, end);
    c.of[SCAN_VALUE_VALUE] = bits_of_double(samples->value[value]);
    c.of[SCAN_VALUE_NAME] = track->name.index;
    c.of[SCAN_VALUE_CATEGORY] = track_extras(track)->category.index;
    c.of[SCAN_VALUE_SERIES] = trace->series[row_extras(row)->series].name.index;
    c.of[SCAN_VALUE_TRACK] = row->track;
    c.of[SCAN_VALUE_PROCESS] = track->process.index;
    model_add(m, &c);
}

static void model_samples(Model *m, uint32_t t)
{
    const Track          *track = &m->trace->tracks[t];
    const ProfileColumns *profile = &m->trace->profile;
    for (uint64_t i = track_extras(track)->first_profile;
         i < track_extras(track)->first_profile + track_extras(track)->profile_count; i++) {
        Cells c = { .of = { 0 } };
        if (!reaches(m->query, profile->tick[i], profile->tick[i])) continue;
        c.of[SCAN_SAMPLE_TICK] = (uint64_t)profile->tick[i];
        c.of[SCAN_SAMPLE_STACK] = profile->stack[i];
        c.of[SCAN_SAMPLE_WEIGHT] = bits_of_double(profile->weight == NULL ? 1 : profile->weight[i]);
        c.of[SCAN_SAMPLE_TRACK] = t;
        c.of[SCAN_SAMPLE_PROCESS] = track->process.index;
        c.of[SCAN_SAMPLE_THREAD] = track_thread(m->trace, (uint32_t)(track - m->trace->tracks));
        model_add(m, &c);
    }
}

static bool flow_end_is_inside(Model *m, const FlowEnd *end)
{
    if (!track_counts(m, end->track)) return false;
    return end->slice == FLOW_NO_SLICE ||
           reaches(m->query, trace_slice_begin(m->trace, end->slice), trace_slice_end(m->trace, end->slice));
}

/* Adds those of a row (its index), or those of the track that begin in no slice (UINT32_MAX). */
static void model_flows(Model *m, uint32_t t, uint32_t row)
{
    const Trace *trace = m->trace;
    for (uint64_t flow = 0; flow < trace->flows.count; flow++) {
        FlowEnd from = trace_flow_end(trace, flow, FLOW_FROM), to = trace_flow_end(trace, flow, FLOW_TO);
        const uint32_t first = trace->tracks[from.track].first_row;
        const uint32_t in = from.slice == FLOW_NO_SLICE ? UINT32_MAX : first + from.row;
        const int64_t  later = from.tick > to.tick ? from.tick : to.tick;
        const uint32_t label = trace->flows.label[flow];
        if (from.track != t || in != row || is_hidden(m, label) || !reaches(m->query, later, later)) continue;
        if (!flow_end_is_inside(m, &from) || !flow_end_is_inside(m, &to)) continue;
        Cells c = { .of = { 0 } };
        c.of[SCAN_FLOW_ID] = flow;
        c.of[SCAN_FLOW_FROM_TICK] = (uint64_t)from.tick;
        c.of[SCAN_FLOW_TO_TICK] = (uint64_t)to.tick;
        c.of[SCAN_FLOW_FROM] = from.slice;
        c.of[SCAN_FLOW_TO] = to.slice;
        c.of[SCAN_FLOW_FROM_TRACK] = from.track;
        c.of[SCAN_FLOW_TO_TRACK] = to.track;
        c.of[SCAN_FLOW_LABEL] = label;
        c.of[SCAN_FLOW_NAME] = trace->labels[label].name.index;
        c.of[SCAN_FLOW_CATEGORY] = trace->labels[label].category.index;
        c.of[SCAN_FLOW_FLAGS] = trace->flows.flags[flow];
        model_add(m, &c);
    }
}

static void model_object(Model *m, uint32_t r, uint64_t slice)
{
    const Trace      *trace = m->trace;
    const Track      *track = &trace->tracks[trace->rows[r].track];
    const ObjectLife *life = &trace->objects.lives[object_life_of_slice(trace, slice)];
    const Object     *object = &trace->objects.objects[life->object];
    const int64_t     begin = trace_slice_begin(trace, slice);
    uint64_t          source;
    Cells             c = { .of = { 0 } };
    if (!reaches(m->query, begin, trace_slice_end(trace, slice)) ||
        is_hidden(m, trace_slice_label(trace, slice)))
        return;
    CHECK_UINT(life->slice, slice);
    c.of[SCAN_OBJECT_SLICE] = slice;
    c.of[SCAN_OBJECT_BEGIN] = (uint64_t)begin;
    c.of[SCAN_OBJECT_DURATION] = trace_slice_duration(trace, slice);
    c.of[SCAN_OBJECT_OBJECT] = life->object;
    c.of[SCAN_OBJECT_SCOPE] = object->scope.index;
    c.of[SCAN_OBJECT_KEY] = object->id.index;
    c.of[SCAN_OBJECT_TYPE] = track->name.index;
    c.of[SCAN_OBJECT_BASE_TYPE] = life->base_type.index;
    c.of[SCAN_OBJECT_CATEGORY] = trace->labels[trace_slice_label(trace, slice)].category.index;
    c.of[SCAN_OBJECT_TRACK] = trace->rows[r].track;
    c.of[SCAN_OBJECT_PROCESS] = track->process.index;
    c.of[SCAN_OBJECT_THREAD] = trace_slice_thread(trace, slice);
    c.of[SCAN_OBJECT_CREATED] = life->is_created;
    c.of[SCAN_OBJECT_SNAPSHOTS] = life->snapshot_count;
    c.of[SCAN_OBJECT_SOURCE] = trace_slice_source(trace, slice, &source) ? source : UINT64_MAX;
    model_add(m, &c);
}

static void model_snapshot(Model *m, uint32_t r, uint64_t instant)
{
    const Trace      *trace = m->trace;
    const ObjectLife *life = &trace->objects.lives[object_life_of_instant(trace, instant)];
    const int64_t     tick = trace->instants.tick[instant];
    Cells             c = { .of = { 0 } };
    if (!reaches(m->query, tick, tick) || is_hidden(m, trace->instants.label[instant])) return;
    c.of[SCAN_SNAPSHOT_INSTANT] = instant;
    c.of[SCAN_SNAPSHOT_TICK] = (uint64_t)tick;
    c.of[SCAN_SNAPSHOT_SLICE] = life->slice;
    c.of[SCAN_SNAPSHOT_OBJECT] = life->object;
    c.of[SCAN_SNAPSHOT_TRACK] = trace->rows[r].track;
    c.of[SCAN_SNAPSHOT_PROCESS] = trace->tracks[trace->rows[r].track].process.index;
    c.of[SCAN_SNAPSHOT_THREAD] = trace_instant_thread(trace, instant);
    c.of[SCAN_SNAPSHOT_SOURCE] =
        trace->instants.source[instant] == 0 ? UINT64_MAX : trace->instants.source[instant] - 1;
    model_add(m, &c);
}

static void model_stack(Model *m, uint32_t s)
{
    const StackFrame *frame = trace_stack_frame(m->trace, (StackId){ s });
    Cells             c = { .of = { 0 } };
    c.of[SCAN_STACK_ID] = s;
    c.of[SCAN_STACK_PARENT] = trace_stack_parent(m->trace, (StackId){ s }).index;
    c.of[SCAN_STACK_FUNCTION] = frame->function.index;
    c.of[SCAN_STACK_FILE] = frame->file.index;
    c.of[SCAN_STACK_MODULE] = frame->module.index;
    c.of[SCAN_STACK_LINE] = frame->line;
    c.of[SCAN_STACK_COLUMN] = frame->column;
    c.of[SCAN_STACK_ADDRESS] = frame->address;
    model_add(m, &c);
}

static uint64_t number_of(Ident ident)
{
    return ident.kind == IDENT_INT ? ident.bits : (uint64_t)INT64_MIN;
}

static void model_track(Model *m, uint32_t t)
{
    const Track *track = &m->trace->tracks[t];
    Cells        c = { .of = { 0 } };
    c.of[SCAN_TRACK_ID] = t;
    c.of[SCAN_TRACK_KIND] = (uint64_t)track->kind;
    c.of[SCAN_TRACK_PROCESS] = track->process.index;
    c.of[SCAN_TRACK_TID] = number_of(track_tid(track));
    c.of[SCAN_TRACK_TID_TEXT] = track->tid_kind == IDENT_TEXT ? track->tid_bits : 0;
    c.of[SCAN_TRACK_NAME] = track->name.index;
    c.of[SCAN_TRACK_CATEGORY] = track_extras(track)->category.index;
    c.of[SCAN_TRACK_THREAD] = track->kind == TRACK_THREAD ? t : track_thread(m->trace, t);
    c.of[SCAN_TRACK_SLICES] = track_slice_count(m->trace, track);
    c.of[SCAN_TRACK_INSTANTS] = track_instant_count(m->trace, track);
    c.of[SCAN_TRACK_VALUES] = track_extras(track)->sample_count;
    model_add(m, &c);
}

static void model_process(Model *m, uint32_t p)
{
    const Process *process = &m->trace->processes[p];
    Cells          c = { .of = { 0 } };
    c.of[SCAN_PROCESS_ID] = p;
    c.of[SCAN_PROCESS_PID] = number_of(process->pid);
    c.of[SCAN_PROCESS_PID_TEXT] = process->pid.kind == IDENT_TEXT ? process->pid.bits : 0;
    c.of[SCAN_PROCESS_NAME] = process->name.index;
    c.of[SCAN_PROCESS_LABELS] = process->labels.index;
    c.of[SCAN_PROCESS_TRACKS] = process->track_count;
    model_add(m, &c);
}

static void model_one_track(Model *m, uint32_t t)
{
    const Track    *track = &m->trace->tracks[t];
    const ScanTable table = m->query->table;
    if (table == SCAN_TRACKS) model_track(m, t);
    if (table == SCAN_STACK_SAMPLES && track->kind == TRACK_SAMPLES) model_samples(m, t);
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        const Row *row = &m->trace->rows[r];
        const bool is_objects = track->kind == TRACK_OBJECTS;
        for (uint64_t i = 0; table == SCAN_SLICES && i < row->slice_count; i++)
            model_slice(m, r, row->first_slice + i);
        for (uint64_t i = 0; table == SCAN_OBJECTS && is_objects && i < row->slice_count; i++)
            model_object(m, r, row->first_slice + i);
        for (uint64_t i = 0; table == SCAN_INSTANTS && i < row_extras(row)->instant_count; i++)
            model_instant(m, r, row_extras(row)->first_instant + i);
        for (uint64_t i = 0; table == SCAN_SNAPSHOTS && is_objects && i < row_extras(row)->instant_count; i++)
            model_snapshot(m, r, row_extras(row)->first_instant + i);
        for (uint64_t i = 0; table == SCAN_COUNTER_SAMPLES && i < row_extras(row)->sample_count; i++)
            model_value(m, r, row_extras(row)->first_sample + i);
        if (table == SCAN_FLOWS) model_flows(m, t, r);
    }
    if (table == SCAN_FLOWS) model_flows(m, t, UINT32_MAX);
}

static void model_run(Model *m)
{
    const ScanQuery *q = m->query;
    model_rule(m);
    for (uint32_t p = 1; q->table == SCAN_PROCESSES && p <= m->trace->process_count; p++)
        model_process(m, p);
    for (uint32_t s = 1; q->table == SCAN_STACKS && s <= m->trace->stacks.stack_count; s++)
        model_stack(m, s);
    if (q->table == SCAN_PROCESSES || q->table == SCAN_STACKS) return;
    const uint32_t count = q->tracks == NULL ? m->trace->track_count : q->track_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = q->tracks == NULL ? i + 1 : q->tracks[i];
        if (t != 0 && t <= m->trace->track_count && track_counts(m, t)) model_one_track(m, t);
    }
}

/* ---- the comparison ---- */

static uint64_t cell_of(const ScanColumn *column, ScanValues values, uint32_t i)
{
    switch (column->type) {
    case SCAN_U8:
        return values.u8[i];
    case SCAN_U32:
    case SCAN_TEXT:
        return values.u32[i];
    case SCAN_I64:
        return (uint64_t)values.i64[i];
    case SCAN_U64:
        return values.u64[i];
    case SCAN_F64:
        break;
    }
    return bits_of_double(values.f64[i]);
}

static void check_batch(const ScanQuery *q, const ScanBatch *batch, const Cells *expected, uint64_t first)
{
    uint32_t          count;
    const ScanColumn *columns = scan_columns(q->table, &count);
    for (uint32_t c = 0; c < count; c++) {
        if ((q->columns & SCAN_COLUMN(c)) == 0) {
            CHECK(batch->columns[c].any == NULL);
            continue;
        }
        for (uint32_t i = 0; i < batch->count; i++) {
            const uint64_t actual = cell_of(&columns[c], batch->columns[c], i);
            if (actual != expected[i].of[c])
                fail_msg("column %u of row %llu of table %d: %llu instead of %llu", c,
                         (unsigned long long)(first + i), (int)q->table, (unsigned long long)actual,
                         (unsigned long long)expected[i].of[c]);
        }
    }
}

static void check_query(const Trace *trace, const ScanQuery *q)
{
    Model    m = { .trace = trace, .query = q };
    Arena    arena = { 0 };
    Err      err;
    uint64_t seen = 0;
    model_run(&m);
    const Cells   *expected = (const Cells *)(const void *)m.rows.data;
    const uint64_t row_count = m.rows.size / sizeof *expected;
    Scan          *scan = scan_begin(trace, q, &arena, &err);
    CHECK_DONE(scan != NULL, err);
    for (int pass = 0; pass < 2; pass++, scan_restart(scan)) {
        seen = 0;
        for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL; seen += batch->count) {
            CHECK(batch->count > 0 && batch->count <= (q->batch_rows == 0 ? SCAN_BATCH_ROWS : q->batch_rows));
            CHECK(batch->count <= row_count - seen);
            check_batch(q, batch, expected + seen, seen);
        }
        CHECK_UINT(seen, row_count);
        CHECK(scan_next(scan) == NULL);
    }
    CHECK_UINT(scan_left_out_tracks(scan), m.left_out);
    const char *perspective = NULL;
    for (uint32_t i = 0; i < trace->perspectives.count; i++)
        if (m.perspective == 1U << i) perspective = trace->perspectives.names[i];
    CHECK_STRING(scan_perspective(scan), perspective);
    arena_release(&arena);
    bytes_release(&m.rows);
}

/* ---- queries ---- */

/* Returns the begin or end of an event, or a time near it. */
static int64_t draw_tick(const Trace *trace, TestRandom *random)
{
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    uint64_t       offset = span == UINT64_MAX ? test_random(random) : test_random_below(random, span + 1);
    int64_t        tick = (int64_t)((uint64_t)trace->begin_tick + offset);
    if (trace->row_count > 0 && test_random_below(random, 2) == 0) {
        const Row *row = &trace->rows[test_random_below(random, trace->row_count)];
        if (row->slice_count > 0) {
            const uint64_t slice = row->first_slice + test_random_below(random, row->slice_count);
            const bool     at_begin = test_random_below(random, 2) == 0;
            tick = at_begin ? trace_slice_begin(trace, slice) : trace_slice_end(trace, slice);
        } else if (row_extras(row)->sample_count > 0) {
            tick = trace->samples.tick[row_extras(row)->first_sample +
                                       test_random_below(random, row_extras(row)->sample_count)];
        }
    }
    return tick;
}

static uint64_t all_columns(ScanTable table)
{
    uint32_t count;
    (void)scan_columns(table, &count);
    return SCAN_COLUMN(count) - 1;
}

typedef struct Choices {
    uint32_t *tracks;
    uint8_t  *labels, *hidden, *hidden_tracks;
    Filter   *filter;
} Choices;

/* Chooses ids, each at most once, some that do not exist, in any order. */
static void draw_tracks(const Trace *trace, TestRandom *random, ScanQuery *q, uint32_t *tracks)
{
    const uint32_t step = 1 + (uint32_t)test_random_below(random, 3);
    q->tracks = tracks;
    for (uint32_t t = (uint32_t)test_random_below(random, step); t <= trace->track_count + 1; t += step)
        tracks[q->track_count++] = t;
    for (uint32_t i = 1; i < q->track_count; i++) {
        const uint32_t other = (uint32_t)test_random_below(random, i + 1), kept = tracks[i];
        tracks[i] = tracks[other];
        tracks[other] = kept;
    }
}

static ScanQuery draw_query(const Trace *trace, TestRandom *random, ScanTable table, const Choices *choices)
{
    static const uint32_t SIZES[] = { 0, 1, 2, 3, 7, 64, 300, 2048, 5000 };
    ScanQuery             q = scan_query(table, all_columns(table));
    q.batch_rows = SIZES[test_random_below(random, sizeof SIZES / sizeof SIZES[0])];
    q.rows = test_random_below(random, 2) == 0 ? SCAN_ALL : SCAN_COUNTED;
    q.edges = test_random_below(random, 3) == 0 ? RANGE_CLOSED : RANGE_HALF_OPEN;
    q.hidden = test_random_below(random, 3) == 0 ? SCAN_MARK_HIDDEN : SCAN_SKIP_HIDDEN;
    if (test_random_below(random, 4) != 0) {
        q.begin_tick = draw_tick(trace, random);
        q.end_tick = draw_tick(trace, random);
    }
    if (test_random_below(random, 3) == 0) draw_tracks(trace, random, &q, choices->tracks);
    if (test_random_below(random, 4) == 0)
        q.kinds = (uint32_t)test_random_below(random, 1 << (TRACK_DUMPS + 1));
    for (uint32_t i = 0; i <= trace->label_count; i++)
        choices->labels[i] = test_random_below(random, 3) != 0;
    if (test_random_below(random, 4) == 0) q.labels = choices->labels;
    if (test_random_below(random, 4) == 0) q.filter = choices->filter;
    if (test_random_below(random, 4) == 0) q.columns &= test_random(random);
    return q;
}

void scan_check(const Trace *trace, TestRandom *random, unsigned rounds)
{
    Err     err;
    Choices choices = { .tracks = (uint32_t *)calloc(trace->track_count + 2u, sizeof(uint32_t)),
                        .labels = (uint8_t *)calloc(trace->label_count + 1u, 1),
                        .hidden = (uint8_t *)calloc(trace->label_count + 1u, 1),
                        .hidden_tracks = (uint8_t *)calloc(trace->track_count + 1u, 1) };
    CHECK(choices.tracks != NULL && choices.labels != NULL);
    CHECK(choices.hidden != NULL && choices.hidden_tracks != NULL);
    for (uint32_t i = 0; i <= trace->label_count; i++)
        choices.hidden[i] = test_random_below(random, 4) == 0;
    for (uint32_t i = 0; i <= trace->track_count; i++)
        choices.hidden_tracks[i] = test_random_below(random, 4) == 0;
    choices.filter = filter_build(trace, choices.hidden, choices.hidden_tracks, 1, NULL, &err);
    CHECK_DONE(choices.filter != NULL, err);
    for (int table = 0; table < SCAN_TABLE_COUNT; table++) {
        ScanQuery all = scan_query((ScanTable)table, all_columns((ScanTable)table));
        check_query(trace, &all);
        all.rows = SCAN_COUNTED;
        check_query(trace, &all);
        for (unsigned i = 0; i < rounds; i++) {
            const ScanQuery q = draw_query(trace, random, (ScanTable)table, &choices);
            check_query(trace, &q);
        }
    }
    filter_release(choices.filter);
    free(choices.tracks);
    free(choices.labels);
    free(choices.hidden);
    free(choices.hidden_tracks);
}
