#include "trace/store/trace.h"

#include "base/bits.h"
#include "base/checked.h"
#include "base/search.h"
#include "trace/store/begins.h"
#include "trace/store/columns.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

#include <assert.h>
#include <inttypes.h>

Ident ident_int(int64_t value)
{
    return (Ident){ IDENT_INT, (uint64_t)value };
}

Ident ident_uint(uint64_t value)
{
    return (Ident){ value <= INT64_MAX ? IDENT_INT : IDENT_UINT, value };
}

Ident ident_text(StringId text)
{
    return (Ident){ IDENT_TEXT, text.index };
}

void trace_release(Trace *trace)
{
    if (trace == NULL) return;
    if (trace->source.kept != NULL) trace->source.release_kept(trace->source.kept);
    columns_release(trace, COLUMNS_ALL);
    sample_index_release(trace);
    lod_release(trace->index.lod);
    mapping_release(&trace->mapping);
    Arena arena = trace->arena; /* the arena holds the trace itself */
    arena_release(&arena);
}

uint64_t trace_column_bytes(const Trace *trace)
{
    return columns_bytes(trace, COLUMNS_ALL);
}

uint64_t trace_index_bytes(const Trace *trace)
{
    return lod_bytes(trace->index.lod) + sample_index_bytes(trace);
}

/* ---- slices ---- */

uint64_t trace_sparse_before(const SparseValue *values, uint64_t count, uint64_t slice)
{
    uint64_t low = 0;
    LOWER_BOUND(uint64_t, low, count, i, values[i].slice < slice);
    return low;
}

const SparseValue *trace_find_sparse(const SparseValue *values, uint64_t count, uint64_t slice)
{
    const uint64_t at = trace_sparse_before(values, count, slice);
    return at < count && values[at].slice == slice ? &values[at] : NULL;
}

uint64_t trace_long_duration(const Trace *trace, uint64_t slice)
{
    const SliceColumns *s = &trace->slices;
    if (trace->live != NULL) return trace->live->long_durations[s->duration[slice]];
    const SparseValue *value = trace_find_sparse(s->long_durations, s->long_count, slice);
    return value == NULL ? s->duration[slice] : value->value;
}

uint64_t trace_slice_count(const Trace *trace)
{
    return trace->slices.count - trace->slices.hole_count;
}

uint64_t trace_instant_count(const Trace *trace)
{
    return trace->instants.count - trace->instants.hole_count;
}

uint64_t trace_sample_count(const Trace *trace)
{
    return trace->samples.count - trace->samples.hole_count;
}

uint64_t trace_stack_sample_count(const Trace *trace)
{
    return trace->profile.count - trace->profile.hole_count;
}

bool trace_has_slice(const Trace *trace, uint64_t slice)
{
    const uint32_t rows = trace->index.slice_rows == NULL ? trace->row_count : trace->index.slice_row_count;
    if (slice >= trace->slices.count || rows == 0) return false;
    const Row *row = &trace->rows[trace_slice_row(trace, slice)];
    return slice >= row->first_slice && slice - row->first_slice < row->slice_count;
}

bool trace_has_instant(const Trace *trace, uint64_t instant)
{
    if (instant >= trace->instants.count || trace->index.instant_row_count == 0) return false;
    const Row *row = &trace->rows[trace_instant_row(trace, instant)];
    return instant >= row_extras(row)->first_instant &&
           instant - row_extras(row)->first_instant < row_extras(row)->instant_count;
}

uint64_t trace_thread_slice_count(const Trace *trace)
{
    return trace_slice_count(trace) - trace->counts.async_slices - trace->counts.sample_slices -
           trace->counts.states - trace->objects.life_count;
}

uint64_t trace_plain_instant_count(const Trace *trace)
{
    return trace_instant_count(trace) - trace->counts.async_instants - trace->counts.derived_instants;
}

static uint64_t first_item(const Row *row, bool of_instants)
{
    return of_instants ? row_extras(row)->first_instant : row->first_slice;
}

/* Returns the last of the rows, which are in the order of their first slice (or instant), that begins at or before
 * `item`. */
static uint32_t row_of_item(const Trace *trace, const uint32_t *rows, uint32_t count, bool of_instants,
                            uint64_t item)
{
    uint32_t low = 1;
    LOWER_BOUND(uint32_t, low, count, i, first_item(&trace->rows[rows[i]], of_instants) <= item);
    return rows[low - 1];
}

uint32_t trace_slice_row(const Trace *trace, uint64_t slice)
{
    assert(slice < trace->slices.count);
    const TraceIndex *index = &trace->index;
    if (index->slice_rows != NULL)
        return row_of_item(trace, index->slice_rows, index->slice_row_count, false, slice);
    uint32_t low = 1; /* one row after the last one that begins at or before the slice and is not empty */
    LOWER_BOUND(uint32_t, low, trace->row_count, i, trace->rows[i].first_slice <= slice);
    return low - 1;
}

uint32_t trace_instant_row(const Trace *trace, uint64_t instant)
{
    return row_of_item(trace, trace->index.instant_rows, trace->index.instant_row_count, true, instant);
}

/* Returns the track of a thread as the columns have it: in a growing trace the builder's. */
static uint32_t track_of_thread(const Trace *trace, uint32_t thread)
{
    const LivePlaces *live = trace->live;
    if (live == NULL) return thread;
    return thread < live->thread_count ? live->track_of[thread] : 0;
}

uint32_t trace_instant_thread(const Trace *trace, uint64_t instant)
{
    return track_of_thread(trace, trace->instants.thread[instant]);
}

uint32_t trace_other_thread(const Trace *trace, const OtherEvent *other)
{
    return track_of_thread(trace, other->thread);
}

RowExtras *row_add_extras(Row *row, Arena *arena)
{
    if (row->extras == NULL) row->extras = ARENA_NEW(arena, RowExtras);
    return row->extras;
}

TrackExtras *track_add_extras(Track *track, Arena *arena)
{
    if (track->extras == NULL) track->extras = ARENA_NEW(arena, TrackExtras);
    return track->extras;
}

uint64_t track_first_slice(const Trace *trace, const Track *track)
{
    return track_row_count(track) == 0 ? 0 : trace->rows[track->first_row].first_slice;
}

uint64_t track_slice_count(const Trace *trace, const Track *track)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < track_row_count(track); r++)
        count += trace->rows[track->first_row + r].slice_count;
    return count;
}

/* Returns the number of instants of all rows before row `row` of a trace that does not grow. */
static uint64_t instants_before_row(const Trace *trace, uint32_t row)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, trace->index.instant_row_count, i, trace->index.instant_rows[i] < row);
    if (low == trace->index.instant_row_count) return trace->instants.count;
    return row_extras(&trace->rows[trace->index.instant_rows[low]])->first_instant;
}

uint64_t track_first_instant(const Trace *trace, const Track *track)
{
    if (trace->live == NULL) return instants_before_row(trace, track->first_row);
    return track_row_count(track) == 0 ? 0 : row_extras(&trace->rows[track->first_row])->first_instant;
}

uint64_t track_instant_count(const Trace *trace, const Track *track)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < track_row_count(track); r++)
        count += row_extras(&trace->rows[track->first_row + r])->instant_count;
    return count;
}

uint32_t track_lane_count(const Trace *trace, const Track *track)
{
    return track_row_count(track) == 0 ? 1
                                       : trace->rows[track->first_row + track_row_count(track) - 1].lane + 1;
}

uint32_t track_thread(const Trace *trace, uint32_t track)
{
    const TrackKind kind = trace->tracks[track].kind;
    if (kind == TRACK_STATES) return track + 1; /* a thread is the next track after its states */
    return kind == TRACK_THREAD ? track : track_extras(&trace->tracks[track])->thread;
}

uint32_t trace_slice_thread(const Trace *trace, uint64_t slice)
{
    return trace_row_slice_thread(trace, trace_slice_row(trace, slice), slice);
}

uint32_t trace_row_slice_thread(const Trace *trace, uint32_t row, uint64_t slice)
{
    uint32_t     index = trace->rows[row].track;
    const Track *track = &trace->tracks[index];
    if (track->kind != TRACK_ASYNC && track->kind != TRACK_OBJECTS) return track_thread(trace, index);
    const uint64_t at = track_extras(track)->first_async + slice - track_first_slice(trace, track);
    return track_of_thread(trace, trace->slices.async_thread[at]);
}

ContextList trace_contexts(const Trace *trace, uint32_t thread)
{
    const ContextList  none = { .count = 0 };
    const TrackExtras *extras = track_extras(&trace->tracks[thread]);
    if (extras->context_count == 0) return none;
    return (ContextList){ trace->records.contexts + extras->first_context, extras->context_count };
}

uint32_t ticks_lower_bound(const int64_t *ticks, uint32_t count, int64_t tick)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, count, i, ticks[i] < tick);
    return low;
}

/* Columns without items may be NULL: hence the tests of the counts. */
uint32_t row_lower_bound(const Trace *trace, const Row *row, int64_t tick)
{
    const uint64_t first = row->first_slice;
    return (uint32_t)(begins_lower_bound(&trace->slices, first, first + row->slice_count, tick) - first);
}

uint32_t row_instant_bound(const Trace *trace, const Row *row, int64_t tick)
{
    if (row_extras(row)->instant_count == 0) return 0;
    return ticks_lower_bound(trace->instants.tick + row_extras(row)->first_instant,
                             row_extras(row)->instant_count, tick);
}

uint32_t row_sample_bound(const Trace *trace, const Row *row, int64_t tick)
{
    if (row_extras(row)->sample_count == 0) return 0;
    return ticks_lower_bound(trace->samples.tick + row_extras(row)->first_sample,
                             row_extras(row)->sample_count, tick);
}

/* Returns the first slice of the row that begins after `tick`. */
static uint32_t row_upper_bound(const Trace *trace, const Row *row, int64_t tick)
{
    return tick == INT64_MAX ? row->slice_count : row_lower_bound(trace, row, tick + 1);
}

uint32_t row_slice_at(const Trace *trace, const Row *row, int64_t tick)
{
    uint32_t after = row_upper_bound(trace, row, tick);
    if (after == 0 || trace_slice_end(trace, row->first_slice + after - 1) <= tick) return UINT32_MAX;
    return after - 1;
}

bool trace_slice_parent(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *parent)
{
    if (trace->rows[row].depth == 0) return false;
    const Row *above = &trace->rows[row - 1]; /* rows of a lane are in the order of depth */
    uint32_t   after = row_upper_bound(trace, above, trace_slice_begin(trace, slice));
    assert(after > 0);
    *parent = above->first_slice + after - 1;
    return true;
}

uint64_t trace_slice_children(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *first)
{
    uint32_t from = 0;
    return trace_slice_children_from(trace, row, slice, &from, first);
}

uint64_t trace_slice_children_from(const Trace *trace, uint32_t row, uint64_t slice, uint32_t *from,
                                   uint64_t *first)
{
    *first = 0;
    if (row + 1 >= trace->row_count) return 0;
    const Row *above = &trace->rows[row], *below = &trace->rows[row + 1];
    if (below->track != above->track || below->lane != above->lane) return 0;
    /* If slices of a row have the same begin, all but the last have no length: the last is the parent. */
    uint64_t next = slice + 1;
    bool     has_next = next < above->first_slice + above->slice_count;
    int64_t  begin = begins_at(&trace->slices, slice);
    int64_t  next_begin = has_next ? begins_at(&trace->slices, next) : 0;
    if (has_next && next_begin == begin) return 0;
    const SliceRange inner = { below->first_slice, below->first_slice + below->slice_count };
    SliceRange       children =
        begins_range(&trace->slices, inner, inner.first + *from, begin, has_next ? next_begin : begin);
    if (!has_next) children.end = inner.end;
    *from = (uint32_t)(children.end - inner.first);
    *first = children.first;
    return children.end - children.first;
}

uint64_t trace_slice_self(const Trace *trace, uint32_t row, uint64_t slice)
{
    uint32_t from = 0;
    return trace_slice_self_from(trace, row, slice, &from);
}

uint64_t trace_slice_self_from(const Trace *trace, uint32_t row, uint64_t slice, uint32_t *from)
{
    uint64_t first, count = trace_slice_children_from(trace, row, slice, from, &first);
    uint64_t self = trace_slice_duration(trace, slice);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t child = trace_slice_duration(trace, first + i);
        self = child < self ? self - child : 0;
    }
    return self;
}

bool trace_slice_cpu(const Trace *trace, uint64_t slice, uint64_t *ns)
{
    if (!trace->slices.has_cpu || trace->slices.cpu[slice] == 0) return false;
    *ns = trace->slices.cpu[slice] - 1;
    return true;
}

bool trace_slice_cpu_self(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *ns)
{
    uint64_t first, inner;
    if (!trace_slice_cpu(trace, slice, ns)) return false;
    uint64_t count = trace_slice_children(trace, row, slice, &first);
    for (uint64_t i = 0; i < count; i++) {
        if (!trace_slice_cpu(trace, first + i, &inner)) return false;
        *ns = inner > *ns ? 0 : *ns - inner;
    }
    return true;
}

static const uint64_t ONES = UINT64_C(0x0101010101010101); /* a one in each byte */

bool trace_slice_source(const Trace *trace, uint64_t slice, uint64_t *offset)
{
    const SliceColumns *s = &trace->slices;
    assert(slice < s->count);
    if (!(s->flags[slice] & SLICE_SOURCE)) return false;
    if (trace->live != NULL) {
        *offset = trace->live->source[slice];
        return true;
    }
    uint64_t at = s->source_rank[slice / 64], i = slice - slice % 64;
    for (; i + 8 <= slice; i += 8)
        at += (bits_load_u64(s->flags + i) / SLICE_SOURCE & ONES) * ONES >> 56;
    for (; i < slice; i++)
        at += (s->flags[i] & SLICE_SOURCE) != 0;
    *offset = slice_source_at(s, at);
    return true;
}

bool trace_slice_end_source(const Trace *trace, uint64_t slice, uint64_t *offset)
{
    const SliceColumns *s = &trace->slices;
    assert(slice < s->count);
    if (!(s->flags[slice] & SLICE_END_SOURCE)) return false;
    if (trace->live != NULL) {
        *offset = trace->live->end_source[slice];
        return true;
    }
    const SparseValue *value = trace_find_sparse(s->end_source, s->end_source_count, slice);
    if (value == NULL) return false;
    *offset = value->value;
    return true;
}

uint32_t trace_find_row(const Trace *trace, uint32_t track, uint32_t lane, uint32_t depth)
{
    const Track *t = &trace->tracks[track];
    const Row   *rows = trace->rows;
    uint32_t     low = t->first_row, end = low + track_row_count(t);
    LOWER_BOUND(uint32_t, low, end, i,
                rows[i].lane < lane || (rows[i].lane == lane && rows[i].depth < depth));
    return low < end && rows[low].lane == lane && rows[low].depth == depth ? low : UINT32_MAX;
}

/* ---- names ---- */

StringView trace_string(const Trace *trace, StringId id)
{
    return string_table_view(trace->strings, id);
}

StringView trace_label_name(const Trace *trace, uint32_t label)
{
    assert(label <= trace->label_count);
    return trace_string(trace, trace->labels[label].name);
}

StringView trace_label_category(const Trace *trace, uint32_t label)
{
    assert(label <= trace->label_count);
    return trace_string(trace, trace->labels[label].category);
}

bool trace_has_repeats(const Trace *trace)
{
    for (uint32_t label = 1; label <= trace->label_count; label++)
        if (trace->labels[label].is_repeat) return true;
    return false;
}

void trace_ident_append(const Trace *trace, Ident ident, Bytes *out)
{
    switch (ident.kind) {
    case IDENT_NONE:
        return;
    case IDENT_INT:
        bytes_printf(out, "%" PRId64, (int64_t)ident.bits);
        return;
    case IDENT_UINT:
        bytes_printf(out, "%" PRIu64, ident.bits);
        return;
    case IDENT_TEXT: {
        StringView text = trace_string(trace, (StringId){ (uint32_t)ident.bits });
        bytes_append(out, text.bytes, text.size);
        return;
    }
    }
}

/* Appends "NAME" if the id adds nothing to it, otherwise "NAME (7)", or "WORD 7" without a name. */
static void append_title(const Trace *trace, const char *what, StringId name, Ident id, Bytes *out)
{
    StringView text = trace_string(trace, name);
    if (name.index == 0 || text.size == 0) {
        bytes_append_text(out, what);
        if (id.kind == IDENT_NONE) return;
        bytes_append_text(out, " ");
        trace_ident_append(trace, id, out);
        return;
    }
    bytes_append(out, text.bytes, text.size);
    if (id.kind == IDENT_NONE || (id.kind == IDENT_TEXT && id.bits == name.index)) return;
    bytes_append_text(out, " (");
    trace_ident_append(trace, id, out);
    bytes_append_text(out, ")");
}

void trace_track_title(const Trace *trace, uint32_t track, Bytes *out)
{
    const Track *t = &trace->tracks[track];
    switch (t->kind) {
    case TRACK_THREAD:
        append_title(trace, trace->source.thread_word, t->name, track_tid(t), out);
        return;
    case TRACK_SAMPLES: {
        StringView name = trace_string(trace, t->name);
        if (name.size > 0) {
            bytes_append(out, name.bytes, name.size);
        } else {
            bytes_append_text(out, "Samples");
        }
        bytes_append_text(out, " of ");
        trace_track_title(trace, track_thread(trace, track), out);
        return;
    }
    case TRACK_STATES:
        append_title(trace, trace->source.thread_word, t->name, track_tid(t), out);
        bytes_append_text(out, " state");
        return;
    case TRACK_DUMPS:
        bytes_append_text(out, "Memory dumps");
        return;
    case TRACK_COUNTER:
    case TRACK_OBJECTS:
    case TRACK_ASYNC: {
        StringView name = trace_string(trace, t->name);
        bytes_append(out, name.bytes, name.size);
        if (name.size == 0) bytes_append_text(out, "(unnamed)");
        return;
    }
    case TRACK_PROCESS_INSTANTS:
        bytes_append_text(out, t->is_derived ? "Marks of the process" : "Instants of the process");
        return;
    case TRACK_GLOBAL_INSTANTS:
        bytes_append_text(out, t->is_derived ? "Moments" : "Global instants");
        return;
    }
}

void trace_perspectives_append(const Trace *trace, Bytes *out)
{
    bool is_first = true;
    for (uint32_t i = 0; i < trace->perspectives.count; i++) {
        if ((trace->perspectives.made >> i & 1) == 0) continue;
        bytes_printf(out, "%s%s", is_first ? "" : ", ", trace->perspectives.names[i]);
        is_first = false;
    }
}

void trace_process_title(const Trace *trace, uint32_t process, Bytes *out)
{
    const Process *p = &trace->processes[process];
    append_title(trace, trace->source.process_word, p->name, p->pid, out);
}

uint32_t trace_count_threads(const Trace *trace, ThreadCount *counts, uint32_t capacity)
{
    uint32_t known = 0;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        if (track->kind != TRACK_THREAD || !track->has_events || track->divides) continue;
        StringId noun = trace->processes[track->process.index].thread_noun;
        uint32_t at = 0;
        while (at < known && counts[at].noun.index != noun.index)
            at++;
        if (at == capacity) continue;
        if (at == known) counts[known++] = (ThreadCount){ .noun = noun };
        counts[at].count++;
    }
    for (uint32_t i = 1; i <= trace->process_count; i++) {
        for (uint32_t at = 0; at < known; at++)
            if (counts[at].noun.index == trace->processes[i].thread_noun.index)
                counts[at].count += trace->processes[i].sharing_threads;
    }
    return known;
}
