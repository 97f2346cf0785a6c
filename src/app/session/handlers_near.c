/* The request "near" of an instant: the destinations of the movement keys. */
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/near.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

typedef struct Around {
    const Trace  *trace;
    const Filter *filter;
    uint64_t      instant;
    bool          is_forward;
    bool          found;
    uint64_t      nearest;
} Around;

/* True if instant a is before instant b: by time, then by id. */
static bool is_before(const Trace *trace, uint64_t a, uint64_t b)
{
    int64_t x = trace_instant_tick(trace, a), y = trace_instant_tick(trace, b);
    return x != y ? x < y : a < b;
}

static bool is_wanted(const Around *a, uint64_t instant)
{
    const Trace   *trace = a->trace;
    const uint32_t label = trace_instant_label(trace, instant), from = trace_instant_label(trace, a->instant);
    if (filter_hides_label(a->filter, label)) return false;
    return trace->labels[label].name.index == trace->labels[from].name.index;
}

/* Searches a row for an instant of the same name that is nearer than the one found so far. */
static void look_along(Around *a, const Row *row)
{
    const Trace   *trace = a->trace;
    const int64_t  tick = trace_instant_tick(trace, a->instant);
    const uint64_t end = row_extras(row)->first_instant + row_extras(row)->instant_count;
    uint64_t       at = row_extras(row)->first_instant + row_instant_bound(trace, row, tick);
    if (!a->is_forward) {
        while (at < end && is_before(trace, at, a->instant))
            at++; /* instants at the same time */
    }
    while (a->is_forward ? at < end : at > row_extras(row)->first_instant) {
        const uint64_t other = a->is_forward ? at++ : --at;
        const bool     is_beyond =
            a->is_forward ? is_before(trace, a->instant, other) : is_before(trace, other, a->instant);
        const bool is_farther = a->found && (a->is_forward ? is_before(trace, a->nearest, other)
                                                           : is_before(trace, other, a->nearest));
        if (is_farther) return;
        if (!is_beyond || !is_wanted(a, other)) continue;
        a->found = true;
        a->nearest = other;
        return;
    }
}

/* Finds the slice that contains the instant. */
static bool slice_around(const Trace *trace, const Filter *filter, uint64_t instant, uint64_t *slice)
{
    const int64_t tick = trace_instant_tick(trace, instant);
    uint32_t      index = trace_instant_row(trace, instant);
    for (; trace->rows[index].depth > 0; index--) {
        const Row *above = &trace->rows[index - 1];
        uint32_t   begun = row_lower_bound(trace, above, tick);
        if (begun < above->slice_count && trace_slice_begin(trace, above->first_slice + begun) == tick)
            begun++;
        if (begun == 0) continue;
        *slice = above->first_slice + begun - 1;
        if (trace_slice_end(trace, *slice) >= tick &&
            !filter_hides_label(filter, trace_slice_label(trace, *slice)))
            return true;
    }
    return false;
}

/* ---- along a row ---- */

/* The slices and instants of a row before and after a slice or an instant. At the same time slices are before
 * instants. */
typedef struct RowSplit {
    const Row *row;
    uint64_t   slices_before, slices_behind;     /* ids: the end of those before, the first one after */
    uint64_t   instants_before, instants_behind; /* as for slices */
} RowSplit;

static RowSplit split_at_slice(const Trace *trace, uint64_t slice)
{
    const Row     *row = &trace->rows[trace_slice_row(trace, slice)];
    const uint64_t instant =
        row_extras(row)->first_instant + row_instant_bound(trace, row, trace_slice_begin(trace, slice));
    assert(slice >= row->first_slice && slice < row->first_slice + row->slice_count);
    return (RowSplit){ row, slice, slice + 1, instant, instant };
}

static RowSplit split_at_instant(const Trace *trace, uint64_t instant)
{
    const Row     *row = &trace->rows[trace_instant_row(trace, instant)];
    const int64_t  tick = trace_instant_tick(trace, instant);
    const uint64_t end = row->first_slice + row->slice_count;
    uint64_t       slice = row->first_slice + row_lower_bound(trace, row, tick);
    while (slice < end && trace_slice_begin(trace, slice) == tick)
        slice++;
    assert(instant >= row_extras(row)->first_instant);
    return (RowSplit){ row, slice, slice, instant, instant + 1 };
}

static void find_next(const Trace *trace, const Filter *filter, const RowSplit *at, Neighbour *found)
{
    const uint64_t slices_end = at->row->first_slice + at->row->slice_count;
    const uint64_t instants_end = row_extras(at->row)->first_instant + row_extras(at->row)->instant_count;
    found->slice = slices_end;
    if (at->slices_behind < slices_end)
        found->slice = filter_next_slice(filter, at->slices_behind, slices_end, NULL);
    found->instant = instants_end;
    if (at->instants_behind < instants_end)
        found->instant = filter_next_instant(filter, at->instants_behind, instants_end, NULL);
    found->has_slice = found->slice < slices_end;
    found->has_instant = found->instant < instants_end;
    if (!found->has_slice || !found->has_instant) return;
    found->has_slice = trace_slice_begin(trace, found->slice) <= trace_instant_tick(trace, found->instant);
    found->has_instant = !found->has_slice;
}

static void find_previous(const Trace *trace, const Filter *filter, const RowSplit *at, Neighbour *found)
{
    const Row *row = at->row;
    found->slice = filter_last_slice(trace, filter, row->first_slice, at->slices_before, NULL);
    found->has_slice = found->slice < at->slices_before;
    found->instant = at->instants_before;
    while (found->instant > row_extras(row)->first_instant && !found->has_instant)
        found->has_instant = !filter_hides_label(filter, trace_instant_label(trace, --found->instant));
    if (!found->has_slice || !found->has_instant) return;
    found->has_instant = trace_instant_tick(trace, found->instant) >= trace_slice_begin(trace, found->slice);
    found->has_slice = !found->has_instant;
}

/* Finds the neighbour of a slice or instant in its row. False: `move` is not a move along a row. */
static bool find_along(const Trace *trace, const Filter *filter, const RowSplit *at, StringView move,
                       Neighbour *found)
{
    if (string_equal(move, STRING_LITERAL("next")))
        find_next(trace, filter, at, found);
    else if (string_equal(move, STRING_LITERAL("previous")))
        find_previous(trace, filter, at, found);
    else
        return false;
    return true;
}

bool near_along_row(const Trace *trace, const Filter *filter, uint64_t slice, StringView move,
                    Neighbour *found)
{
    const RowSplit at = split_at_slice(trace, slice);
    return find_along(trace, filter, &at, move, found);
}

void write_neighbour(RequestContext *ctx, const Neighbour *found)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    assert(!found->has_slice || !found->has_instant);
    json_object_begin(&w);
    put_place(&w, "place", ctx, found->has_slice ? found->slice : PLACE_NONE);
    put_mark(&w, "mark", ctx, found->has_instant ? found->instant : PLACE_NONE);
    json_object_end(&w);
}

void handle_near_instant(RequestContext *ctx, StringView move)
{
    Around    around = { .trace = ctx->trace };
    Neighbour found = { .slice = 0 };
    if (!param_instant(ctx, "instant", &around.instant) || !param_filter(ctx, &around.filter)) return;
    const RowSplit at = split_at_instant(ctx->trace, around.instant);
    const Track   *track = &ctx->trace->tracks[at.row->track];
    if (string_equal(move, STRING_LITERAL("parent"))) {
        found.has_slice = slice_around(ctx->trace, around.filter, around.instant, &found.slice);
    } else if (!find_along(ctx->trace, around.filter, &at, move, &found)) {
        around.is_forward = string_equal(move, STRING_LITERAL("next-same"));
        bool is_same = around.is_forward || string_equal(move, STRING_LITERAL("previous-same"));
        for (uint32_t r = 0; is_same && r < track_row_count(track); r++)
            look_along(&around, &ctx->trace->rows[track->first_row + r]);
        found.has_instant = around.found;
        found.instant = around.nearest;
    }
    write_neighbour(ctx, &found);
}
