/* The request "near" of an instant: what the keys lead to from there. */
#include "app/session/session_internal.h"

#include <string.h>

typedef struct Around {
    const Trace  *trace;
    const Filter *filter;
    uint64_t      instant;
    bool          is_forward, same_name;
    bool          found;
    uint64_t      nearest;
} Around;

/* True if instant a stands before instant b: by time, then by id. */
static bool stands_before(const Trace *trace, uint64_t a, uint64_t b)
{
    int64_t x = trace->instants.tick[a], y = trace->instants.tick[b];
    return x != y ? x < y : a < b;
}

static bool is_wanted(const Around *a, uint64_t instant)
{
    const Trace   *trace = a->trace;
    const uint32_t label = trace->instants.label[instant], from = trace->instants.label[a->instant];
    if (filter_hides_label(a->filter, label)) return false;
    return !a->same_name || trace->labels[label].name.index == trace->labels[from].name.index;
}

/* Looks along a row for a nearer instant than the one found. */
static void look_along(Around *a, const Row *row)
{
    const Trace   *trace = a->trace;
    const int64_t  tick = trace->instants.tick[a->instant];
    const uint64_t end = row->first_instant + row->instant_count;
    uint64_t       at = row->first_instant + row_instant_bound(trace, row, tick);
    if (!a->is_forward) {
        while (at < end && stands_before(trace, at, a->instant))
            at++; /* of the same time */
    }
    while (a->is_forward ? at < end : at > row->first_instant) {
        const uint64_t other = a->is_forward ? at++ : --at;
        const bool     is_beyond = a->is_forward ? stands_before(trace, a->instant, other)
                                                 : stands_before(trace, other, a->instant);
        const bool is_farther = a->found && (a->is_forward ? stands_before(trace, a->nearest, other)
                                                           : stands_before(trace, other, a->nearest));
        if (is_farther) return;
        if (!is_beyond || !is_wanted(a, other)) continue;
        a->found = true;
        a->nearest = other;
        return;
    }
}

/* The slice around the instant. */
static bool slice_around(const Trace *trace, const Filter *filter, uint64_t instant, uint64_t *slice)
{
    const int64_t tick = trace->instants.tick[instant];
    uint32_t      index = trace_instant_row(trace, instant);
    for (; trace->rows[index].depth > 0; index--) {
        const Row *above = &trace->rows[index - 1];
        uint32_t   begun = row_lower_bound(trace, above, tick);
        if (begun < above->slice_count && trace->slices.begin_tick[above->first_slice + begun] == tick) begun++;
        if (begun == 0) continue;
        *slice = above->first_slice + begun - 1;
        if (trace_slice_end(trace, *slice) >= tick && !filter_hides_label(filter, trace->slices.label[*slice]))
            return true;
    }
    return false;
}

static void write_near(Asked *asked, const Around *around, bool has_slice, uint64_t slice)
{
    JsonWriter w = json_writer_to(&asked->answer->body, 0);
    json_object_begin(&w);
    json_key(&w, "place");
    if (has_slice)
        write_place(&w, asked, slice);
    else
        json_null(&w);
    json_key(&w, "mark");
    if (around->found)
        write_mark(&w, asked, around->nearest);
    else
        json_null(&w);
    json_object_end(&w);
}

void answer_near_instant(Asked *asked, StringView move)
{
    Around   around = { .trace = asked->trace };
    uint64_t slice = 0;
    if (!asked_u64(asked, "instant", UINT64_MAX, &around.instant) || !asked_filter(asked, &around.filter)) return;
    if (!trace_has_instant(asked->trace, around.instant)) {
        answer_fail(asked->answer, SESSION_NOT_FOUND, "instant= is not the id of an instant");
        return;
    }
    const Row   *row = &asked->trace->rows[trace_instant_row(asked->trace, around.instant)];
    const Track *track = &asked->trace->tracks[row->track];
    around.is_forward = move.size >= 4 && memcmp(move.bytes, "next", 4) == 0;
    around.same_name = string_equal(move, STRING_LITERAL("next-same")) ||
                       string_equal(move, STRING_LITERAL("previous-same"));
    bool is_up = string_equal(move, STRING_LITERAL("parent"));
    bool is_along = string_equal(move, STRING_LITERAL("next")) || string_equal(move, STRING_LITERAL("previous"));
    if (is_along) look_along(&around, row);
    for (uint32_t r = 0; around.same_name && r < track->row_count; r++)
        look_along(&around, &asked->trace->rows[track->first_row + r]);
    bool has_slice = is_up && slice_around(asked->trace, around.filter, around.instant, &slice);
    write_near(asked, &around, has_slice, slice);
}
