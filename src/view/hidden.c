/* Hidden categories: the filters of a trace, and the counts of its tracks under a filter. */
#include "view/hidden.h"

#include "view/data.h"
#include "view/moments.h"

#include <assert.h>

static const StringView *sets_of(const TraceView *trace, uint32_t *count)
{
    *count = (uint32_t)vec_count(&trace->hidden_sets);
    return trace->hidden_sets.items;
}

static bool is_set(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool separates = text[i] == ',' || text[i] == '-';
        if (!separates && (text[i] < '0' || text[i] > '9')) return false;
    }
    return true;
}

/* Returns the number of the filter for a set, and adds it if it is new; UINT32_MAX when out of memory. */
static uint32_t filter_of(TraceView *trace, const char *text, size_t size)
{
    uint32_t          count;
    const StringView *sets = sets_of(trace, &count);
    if (size == 0) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (string_equal(sets[i], (StringView){ text, size })) return i + 1;
    StringView set = { arena_push_copy(&trace->arena, text, size), size };
    if (set.bytes == NULL) return UINT32_MAX;
    vec_push(&trace->hidden_sets, set);
    return trace->hidden_sets.bytes.failed ? UINT32_MAX : count + 1;
}

static void show_counts(TraceView *trace, const VisibleTrack *counts)
{
    assert(trace->whole != NULL);
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        OutlineTrack       *track = &trace->outline.tracks[i];
        const VisibleTrack *whole = &trace->whole[i];
        track->row_count = counts[i].row_count < whole->row_count ? counts[i].row_count : whole->row_count;
        track->slice_count = counts[i].slice_count;
        track->instant_count = counts[i].instant_count;
    }
}

bool hidden_init(TraceView *trace)
{
    const Outline *outline = &trace->outline;
    trace->whole = ARENA_ARRAY(&trace->arena, VisibleTrack, outline->track_count);
    if (trace->whole == NULL) return false;
    for (uint32_t i = 0; i < outline->track_count; i++) {
        const OutlineTrack *track = &outline->tracks[i];
        trace->whole[i] = (VisibleTrack){ track->row_count, track->slice_count, track->instant_count };
    }
    trace->visible_state = DATA_READY;
    if (outline->hidden.size == 0 || !is_set(outline->hidden.bytes, outline->hidden.size)) return true;
    trace->filter = trace->drawn_filter = filter_of(trace, outline->hidden.bytes, outline->hidden.size);
    trace->visible_state = DATA_UNKNOWN;
    return trace->filter != UINT32_MAX;
}

bool hidden_carry(const TraceView *before, TraceView *after, const uint32_t *tracks)
{
    uint32_t          count;
    const StringView *sets = sets_of(before, &count);
    vec_clear(&after->hidden_sets);
    for (uint32_t i = 0; i < count; i++)
        if (filter_of(after, sets[i].bytes, sets[i].size) != i + 1) return false;
    after->filter = before->filter;
    after->drawn_filter = before->drawn_filter;
    after->visible_state = after->filter == 0 ? DATA_READY : DATA_UNKNOWN;
    for (uint32_t i = 0; i < before->outline.track_count && after->filter != 0; i++) {
        if (tracks[i] == UINT32_MAX) continue;
        const OutlineTrack *from = &before->outline.tracks[i];
        assert(tracks[i] < after->outline.track_count);
        OutlineTrack *to = &after->outline.tracks[tracks[i]];
        if (from->row_count < to->row_count) to->row_count = from->row_count;
        to->slice_count = from->slice_count;
        to->instant_count = from->instant_count;
    }
    /* The outline's default set is known from its first event on. It applies unless the user has chosen another one. */
    StringView first = after->outline.hidden,
               chosen = before->filter == 0 ? (StringView){ "", 0 } : sets[before->filter - 1];
    assert(before->filter <= count);
    if (string_equal(first, before->outline.hidden) || !string_equal(chosen, before->outline.hidden))
        return true;
    if (!is_set(first.bytes, first.size)) return true;
    after->filter = filter_of(after, first.bytes, first.size);
    after->visible_state = after->filter == 0 ? DATA_READY : DATA_UNKNOWN;
    after->overview.is_stale = true;
    return after->filter != UINT32_MAX;
}

bool view_set_hidden(View *view, uint32_t trace_index, const char *set, size_t size)
{
    enum { MOST_BYTES = 1 << 16 };
    if (trace_index >= view->trace_count || size > MOST_BYTES || !is_set(set, size)) return false;
    TraceView *trace = view_trace(view, trace_index);
    uint32_t   filter = filter_of(trace, set, size);
    if (filter == UINT32_MAX) return false;
    if (filter == trace->filter) return true;
    trace->drawn_filter = trace->filter;
    trace->filter = filter;
    trace->overview.state = DATA_UNKNOWN;
    moments_forget(trace);
    trace->visible_state = filter == 0 ? DATA_READY : DATA_UNKNOWN;
    if (filter == 0) show_counts(trace, trace->whole);
    for (uint32_t i = 0; i < trace->outline.track_count; i++)
        trace->long_ticks[i] = 0;
    view->layout.stale = true;
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
    return true;
}

StringView view_filter_text(const View *view, uint32_t trace, uint32_t filter)
{
    uint32_t          count;
    const StringView *sets = trace < view->trace_count ? sets_of(view_trace(view, trace), &count) : NULL;
    if (sets == NULL || filter == 0 || filter > count) return (StringView){ "", 0 };
    return sets[filter - 1];
}

StringView view_hidden(const View *view, uint32_t trace)
{
    return view_filter_text(view, trace, trace < view->trace_count ? view_trace(view, trace)->filter : 0);
}

bool hidden_next_request(TraceView *trace, uint32_t index, ViewRequest *request)
{
    if (trace->visible_state != DATA_UNKNOWN) return false;
    trace->visible_state = DATA_UNDER_WAY;
    *request = (ViewRequest){ .kind = VIEW_REQUEST_VISIBLE, .trace = index, .filter = trace->filter };
    return true;
}

bool view_put_visible(View *view, uint32_t trace_index, const void *bytes, size_t size)
{
    if (trace_index >= view->trace_count) return false;
    TraceView    *trace = view_trace(view, trace_index);
    Arena         scratch = arena_create(0);
    uint32_t      count = trace->outline.track_count, filter;
    VisibleTrack *counts = ARENA_ARRAY(&scratch, VisibleTrack, count);
    bool          done = counts != NULL && visible_open(bytes, size, counts, count, &filter);
    if (done && filter == trace->filter) { /* otherwise too late */
        show_counts(trace, counts);
        trace->visible_state = DATA_READY;
        view->layout.stale = true;
        view->picture.is_stale = true;
    }
    arena_release(&scratch);
    return done;
}
