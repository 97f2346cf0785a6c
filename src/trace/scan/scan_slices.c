/* The slices of a scan. */
#include "base/wide.h"
#include "trace/scan/scan_table.h"
#include "trace/store/begins.h"

#include <assert.h>

/* ---- begins, labels ---- */

static void fill_begins(const Trace *trace, const ScanPart *part, int64_t *out)
{
    if (part->picks == NULL) {
        begins_read(trace, part->first, part->count, out);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = trace_slice_begin(trace, part_item(part, i));
}

static void fill_labels(const Trace *trace, const ScanPart *part, uint32_t *out)
{
    if (part->picks == NULL && !trace->slices.has_high_labels) {
        const uint16_t *labels = trace->slices.label + part->first;
        const uint32_t  count = part->count;
        for (uint32_t i = 0; i < count; i++)
            out[i] = labels[i];
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = trace_slice_label(trace, part_item(part, i));
}

/* ---- durations ---- */

/* True if a slice of the range has SLICE_LONG. */
static bool any_is_long(const Trace *trace, uint64_t first, uint64_t end)
{
    uint8_t flags = 0;
    for (uint64_t slice = first; slice < end; slice++)
        flags |= trace->slices.flags[slice];
    return (flags & SLICE_LONG) != 0;
}

/* Copies durations to 64 bits: `restrict` lets the compiler use vectors. */
static void widen(const uint32_t *restrict durations, uint32_t count, uint64_t *restrict out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = durations[i];
}

static void fill_durations(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    if (part->picks == NULL && !any_is_long(trace, part->first, part->first + part->count)) {
        widen(trace->slices.duration + part->first, part->count, out);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = trace_slice_duration(trace, part_item(part, i));
}

/* Only the slices that begin before the range, and the last one, can extend beyond it. */
static void fill_clipped(const ScanScope *scope, const ScanPart *part, uint64_t *out)
{
    const Trace *trace = scope->trace;
    fill_durations(scope->trace, part, out);
    const uint64_t last = part_item(part, part->count - 1);
    out[part->count - 1] =
        scan_clip(&scope->query, trace_slice_begin(trace, last), trace_slice_end(trace, last));
    for (uint32_t i = 0; i < part->count; i++) {
        const uint64_t slice = part_item(part, i);
        const int64_t  begin = trace_slice_begin(trace, slice);
        if (begin >= scope->query.begin_tick) break;
        out[i] = scan_clip(&scope->query, begin, trace_slice_end(trace, slice));
    }
}

/* ---- nesting ---- */

/* Returns the row above in the same lane, or NULL. Rows of a lane are in the order of depth. */
static const Row *row_above(const Trace *trace, uint32_t row)
{
    return trace->rows[row].depth == 0 ? NULL : &trace->rows[row - 1];
}

static const Row *row_below(const Trace *trace, uint32_t row)
{
    if (row + 1 >= trace->row_count) return NULL;
    const Row *own = &trace->rows[row], *below = own + 1;
    return below->track == own->track && below->lane == own->lane && below->slice_count > 0 ? below : NULL;
}

/* The parent of a slice is the last slice of the row above that begins at or before it. */
static void fill_parents(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    const Row *above = row_above(trace, part->row);
    uint64_t   parent = 0;
    if (above != NULL && !trace_slice_parent(trace, part->row, part_item(part, 0), &parent)) above = NULL;
    for (uint32_t i = 0; i < part->count; i++) {
        if (above == NULL) {
            out[i] = UINT64_MAX;
            continue;
        }
        const int64_t begin = trace_slice_begin(trace, part_item(part, i));
        while (parent + 1 < above->first_slice + above->slice_count &&
               trace_slice_begin(trace, parent + 1) <= begin)
            parent++;
        out[i] = parent;
    }
}

/* A walk over the slices of the row below, in parallel with their parents. */
typedef struct ChildWalk {
    const ScanScope *scope;
    uint64_t         at, end; /* slices of the row below */
} ChildWalk;

static ChildWalk child_walk_begin(const ScanScope *scope, const ScanPart *part)
{
    const Trace *trace = scope->trace;
    const Row   *below = row_below(trace, part->row);
    if (below == NULL) return (ChildWalk){ .scope = scope };
    int64_t  from = trace_slice_begin(trace, part_item(part, 0));
    uint32_t first = row_lower_bound(trace, below, from);
    /* children that end before the range do not reduce the part inside it */
    if (from < scope->query.begin_tick) {
        first = row_lower_bound(trace, below, scope->query.begin_tick);
        if (first > 0) first--;
    }
    const Row     *row = &trace->rows[part->row];
    const uint64_t behind = part_item(part, part->count - 1) + 1;
    const uint32_t end = behind < row->first_slice + row->slice_count
                             ? row_lower_bound(trace, below, trace_slice_begin(trace, behind))
                             : below->slice_count;
    return (ChildWalk){ .scope = scope,
                        .at = below->first_slice + first,
                        .end = below->first_slice + (end > first ? end : first) };
}

/* Returns the time of the children before `next` in [begin, end): children of skipped slices have none there. */
static uint64_t child_walk_time(ChildWalk *walk, int64_t begin, int64_t end, int64_t next)
{
    const Trace *trace = walk->scope->trace;
    uint64_t     time = 0;
    for (; walk->at < walk->end; walk->at++) {
        int64_t from = trace_slice_begin(trace, walk->at), to = trace_slice_end(trace, walk->at);
        if (from >= next) break;
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (to > from) time += (uint64_t)to - (uint64_t)from;
    }
    return time;
}

/* True if all slices of a part and all children are in the range of the query, and no duration is long. */
static bool is_within_range(const ScanScope *scope, const ScanPart *part, const ChildWalk *walk)
{
    const uint64_t last = part->first + part->count - 1;
    return part->picks == NULL && trace_slice_begin(scope->trace, part->first) >= scope->query.begin_tick &&
           trace_slice_end(scope->trace, last) <= scope->query.end_tick &&
           !any_is_long(scope->trace, part->first, last + 1) &&
           (walk->at == walk->end || !any_is_long(scope->trace, walk->at, walk->end));
}

static void fill_self(const ScanScope *scope, const ScanPart *part, uint64_t *out)
{
    const Trace   *trace = scope->trace;
    const Row     *row = &trace->rows[part->row];
    const uint64_t row_end = row->first_slice + row->slice_count;
    ChildWalk      walk = child_walk_begin(scope, part);
    fill_clipped(scope, part, out);
    if (is_within_range(scope, part, &walk)) {
        scan_subtract_children(&trace->slices, part->first, part->count, walk.at, walk.end, out);
        return;
    }
    for (uint32_t i = 0; i < part->count && walk.at < walk.end; i++) {
        const uint64_t slice = part_item(part, i);
        int64_t        begin = trace_slice_begin(trace, slice), end = trace_slice_end(trace, slice);
        const int64_t  next = slice + 1 < row_end ? trace_slice_begin(trace, slice + 1) : INT64_MAX;
        if (begin < scope->query.begin_tick) begin = scope->query.begin_tick;
        if (end > scope->query.end_tick) end = scope->query.end_tick;
        const uint64_t inner = child_walk_time(&walk, begin, end, next);
        assert(inner <= out[i]);
        out[i] -= inner;
    }
}

/* ---- the rest ---- */

static void fill_threads(const Trace *trace, const ScanPart *part, ScanOut out)
{
    const Track *track = &trace->tracks[part->track];
    if (track->kind != TRACK_ASYNC && track->kind != TRACK_OBJECTS) {
        const bool is_beside = track->kind == TRACK_STATES || track->kind == TRACK_SAMPLES;
        scan_fill_u32(out, part, is_beside ? track_thread(trace, part->track) : part->track);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++)
        out.u32[i] = trace_slice_thread(trace, part_item(part, i));
}

static void fill_cpu(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!trace_slice_cpu(trace, part_item(part, i), &out[i])) out[i] = UINT64_MAX;
}

/* The offsets of one row are adjacent in their column: only the first one is searched. */
static void fill_sources(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    const SliceColumns *slices = &trace->slices;
    if (slices->source_rank_count == 0) {
        for (uint32_t i = 0; i < part->count; i++)
            if (!trace_slice_source(trace, part_item(part, i), &out[i])) out[i] = UINT64_MAX;
        return;
    }
    uint64_t slice = part->first - part->first % 64;
    uint64_t at = slices->source_rank[slice / 64];
    for (uint32_t i = 0; i < part->count; i++) {
        for (; slice < part_item(part, i); slice++)
            at += (slices->flags[slice] & SLICE_SOURCE) != 0;
        out[i] = (slices->flags[slice] & SLICE_SOURCE) != 0 ? slice_source_at(slices, at) : UINT64_MAX;
    }
}

static void fill_end_sources(const Trace *trace, const ScanPart *part, uint64_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!trace_slice_end_source(trace, part_item(part, i), &out[i])) out[i] = UINT64_MAX;
}

static void fill_stacks(const Trace *trace, unsigned column, const ScanPart *part, uint32_t *out)
{
    const Track    *track = &trace->tracks[part->track];
    const StackKind kind = column == SCAN_SLICE_STACK ? STACKS_OF_BEGINS : STACKS_OF_ENDS;
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = track_stack(trace, track, kind, part_item(part, i)).index;
}

static void fill_hidden(const ScanScope *scope, const ScanPart *part, uint8_t *out)
{
    for (uint32_t i = 0; i < part->count; i++)
        out[i] = scan_hides_label(scope, trace_slice_label(scope->trace, part_item(part, i))) ? 1 : 0;
}

const void *scan_slices_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const SliceColumns *slices = &scope->trace->slices;
    return column == SCAN_SLICE_FLAGS ? slices->flags + first : NULL;
}

void scan_fill_slices(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace *trace = scope->trace;
    switch (column) {
    case SCAN_SLICE_ID:
        scan_fill_ids(part, out.u64);
        break;
    case SCAN_SLICE_BEGIN:
        fill_begins(trace, part, out.i64);
        break;
    case SCAN_SLICE_DURATION:
        fill_durations(trace, part, out.u64);
        break;
    case SCAN_SLICE_CLIPPED:
        fill_clipped(scope, part, out.u64);
        break;
    case SCAN_SLICE_SELF:
        fill_self(scope, part, out.u64);
        break;
    case SCAN_SLICE_LABEL:
        fill_labels(trace, part, out.u32);
        break;
    case SCAN_SLICE_NAME:
    case SCAN_SLICE_CATEGORY:
        fill_labels(trace, part, out.u32);
        scan_labels_to_texts(trace, column == SCAN_SLICE_NAME, out.u32, part->count);
        break;
    case SCAN_SLICE_THREAD:
        fill_threads(trace, part, out);
        break;
    case SCAN_SLICE_PARENT:
        fill_parents(trace, part, out.u64);
        break;
    case SCAN_SLICE_CPU:
        fill_cpu(trace, part, out.u64);
        break;
    case SCAN_SLICE_SOURCE:
        fill_sources(trace, part, out.u64);
        break;
    case SCAN_SLICE_END_SOURCE:
        fill_end_sources(trace, part, out.u64);
        break;
    case SCAN_SLICE_STACK:
    case SCAN_SLICE_END_STACK:
        fill_stacks(trace, column, part, out.u32);
        break;
    case SCAN_SLICE_HIDDEN:
        fill_hidden(scope, part, out.u8);
        break;
    default:
        assert(false);
    }
}

uint64_t scan_clipped_cpu(uint64_t cpu_ns, uint64_t clipped, uint64_t duration)
{
    return clipped < duration ? wide_mul_div_u64(cpu_ns, clipped, duration) : cpu_ns;
}
