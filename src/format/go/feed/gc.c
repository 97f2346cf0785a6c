/* Garbage collection, and the nested slices of goroutines. */
#include "format/go/feed/feed.h"
#include "format/go/v2/spec.h"

#include <inttypes.h>
#include <stdio.h>

static EventPos pos_of(const Feed *feed, const GoEvent *event)
{
    return (EventPos){ event->offset, feed->event };
}

/* Adds a slice. In a damaged trace times may decrease: `end` is then moved to the begin. */
static void complete_on(Feed *feed, TrackId track, FeedSince since, int64_t end, LabelId label,
                        unsigned flags)
{
    if (end < since.time) end = since.time;
    builder_complete(feed->builder, track, since.time, end, label, since.pos, flags);
}

static LabelId stw_label(Feed *feed, const FeedStop *stop)
{
    StringView reason = string_table_view(feed->trace->texts, stop->reason);
    StringId   name = feed_printf(feed, "STW (%.1024s)", reason.bytes);
    LabelId    label = builder_label(feed->builder, name, builder_string(feed->builder, "GC", 2));
    return builder_colour_label(feed->builder, label, LABEL_COLOUR(0xD0344B));
}

static void mark_range(Feed *feed, const GoEvent *event, int64_t since)
{
    if (event->kind != GO_RANGE_END) {
        if (feed->gc.is_marking) return; /* a GCActive event of a later generation */
        feed->gc.is_marking = true;
        feed->gc.mark_since.time = since;
        feed->gc.mark_since.pos = pos_of(feed, event);
        return;
    }
    if (!feed->gc.is_marking) return;
    feed->gc.is_marking = false;
    if (feed->carry != NULL) return;
    complete_on(feed, feed_track_once(feed, &feed->groups.mark_track, feed->groups.gc, "Mark", 0),
                feed->gc.mark_since, event->time, feed->names.labels[FEED_MARK], 0);
}

/* Returns the stop that the event begins or ends; NULL when out of memory. */
static FeedStop *stop_of(Feed *feed, const GoEvent *event)
{
    const FeedRun *p = feed_stops_by_processor(feed) ? feed_find_p(feed, event->p) : NULL;
    const uint32_t place = p == NULL ? 0 : (uint32_t)(p - feed->places.ps);
    for (; feed->gc.stop_count <= place; feed->gc.stop_count++) {
        FeedStop *stops = arena_grow(feed->arena, feed->gc.stops, feed->gc.stop_count,
                                     &feed->gc.stop_capacity, sizeof *stops);
        feed->out_of_memory |= stops == NULL;
        if (stops == NULL) return NULL;
        feed->gc.stops = stops;
        stops[feed->gc.stop_count] = (FeedStop){ .is_on = false };
    }
    return &feed->gc.stops[place];
}

/* Draws a stop that has ended, or is unfinished. Stops by processor overlap, so each processor has a track for them. */
static void show_stop(Feed *feed, const FeedStop *stop, int64_t end, unsigned flags)
{
    uint32_t place = (uint32_t)(stop - feed->gc.stops);
    char     name[48] = "Stop the world";
    if (place != 0)
        (void)snprintf(name, sizeof name, "Stop the world, P %" PRId64, feed->places.ps[place].id);
    TrackId track = feed_track_once(feed, &feed->gc.stops[place].track, feed->groups.gc, name, 1 + place);
    complete_on(feed, track, stop->since, end, stw_label(feed, stop), flags);
}

static void stw_range(Feed *feed, const GoEvent *event)
{
    FeedStop *stop = stop_of(feed, event);
    if (stop == NULL) return;
    if (event->kind != GO_RANGE_END) {
        *stop = (FeedStop){ stop->track, { event->time, pos_of(feed, event) }, event->extra, true };
        if (!feed->trace->is_v2) {
            const char *reason = v1_stw_reason(feed->trace->version.read_as, event->args[0]);
            stop->reason = string_table_intern(feed->trace->texts, reason, strlen(reason));
        }
        feed_stop_begins(feed, stw_label(feed, stop), event);
        return;
    }
    if (!stop->is_on) return;
    stop->is_on = false;
    feed_stop_ends(feed, event);
    if (feed->carry == NULL) show_stop(feed, stop, event->time, 0);
}

static void sweep_range(Feed *feed, const GoEvent *event, int64_t since)
{
    FeedRun *runs[] = { feed_find_p(feed, event->id), feed_find_m(feed, event->m) };
    if (!feed->shows.ps) feed_leave_out(feed, since);
    for (size_t i = 0; i < 2; i++) {
        if (event->kind == GO_RANGE_END) { /* the end has the swept bytes as details */
            feed_run_leaves(feed, runs[i], INSIDE_SWEEP, event, EVENT_DETAILS);
        } else {
            feed_run_enters(feed, runs[i], INSIDE_SWEEP, feed->names.labels[FEED_SWEEP], event, since);
        }
    }
}

/* Begins a nested slice on the goroutine's track. */
void feed_begin_nested_at(Feed *feed, FeedG *g, FeedSince since, LabelId label, StackId stack)
{
    builder_begin(feed->builder, g->thread, since.time, label, since.pos, EVENT_DETAILS);
    builder_mark_stack(feed->builder, g->thread, stack);
    g->open_count++;
}

void feed_begin_nested(Feed *feed, FeedG *g, const GoEvent *event, LabelId label, int64_t since)
{
    if (g->thread.index == 0) {
        feed_leave_out(feed, since);
        return;
    }
    feed_begin_nested_at(feed, g, (FeedSince){ since, pos_of(feed, event) }, label,
                         feed_stack(feed, event->stack));
}

void feed_end_nested(Feed *feed, FeedG *g, const GoEvent *event, LabelId label)
{
    if (g->thread.index == 0 ||
        (g->lane != 0 && g->open_count == 0)) { /* it began while the goroutine had no lane */
        feed_leave_out(feed, event->time);
        return;
    }
    if (g->open_count == 0) { /* it began before the trace */
        feed->report.added_count++;
        complete_on(feed, g->thread, (FeedSince){ feed->trace->begin_time, pos_of(feed, event) }, event->time,
                    label, 0);
        return;
    }
    g->open_count--;
    builder_end(feed->builder, g->thread, event->time, label, pos_of(feed, event), EVENT_ANYWHERE);
    builder_mark_stack(feed->builder, g->thread, feed_stack(feed, event->stack));
}

static void assist_range(Feed *feed, const GoEvent *event, int64_t since)
{
    uint32_t place = feed_find_g(feed, event->id);
    if (place == 0) return;
    feed->places.gs[place].is_assisting = event->kind != GO_RANGE_END;
    if (feed->places.gs[place].is_assisting) {
        feed_goroutine_enters(feed, place, INSIDE_ASSIST, feed->names.labels[FEED_ASSIST], event);
    } else {
        feed_goroutine_leaves(feed, place, INSIDE_ASSIST, event);
    }
    if (feed->carry != NULL) {
        if (event->kind == GO_RANGE_END) {
            feed_carry_nested_ends(feed, place);
        } else {
            feed_carry_nested(feed, place, NULL, event, since);
        }
        return;
    }
    FeedG *g = &feed->places.gs[place];
    if (g->thread.index == 0 && feed->shows.gs) feed_settle(feed, g);
    if (event->kind == GO_RANGE_END) {
        feed_end_nested(feed, g, event, feed->names.labels[FEED_ASSIST]);
    } else {
        feed_begin_nested(feed, g, event, feed->names.labels[FEED_ASSIST], since);
    }
}

void feed_range_changes(Feed *feed, const GoEvent *event)
{
    bool    is_v2 = feed->trace->is_v2;
    bool    is_active = event->kind == GO_RANGE_ACTIVE;
    int64_t since = is_active ? feed->trace->begin_time : event->time;
    bool    is_later = is_active && feed->trace->generation_count > 1;
    if (event->resource == GO_RESOURCE_PROC) {
        sweep_range(feed, event, since);
    } else if (is_v2 ? event->type == V2_STW_BEGIN || event->type == V2_STW_END
                     : event->type == V1_STW_START || event->type == V1_STW_DONE) {
        stw_range(feed, event);
    } else if (event->resource == GO_RESOURCE_GOROUTINE) {
        if (!is_later) assist_range(feed, event, since);
    } else {
        mark_range(feed, event, since);
    }
}

/* Begins the slice of a mark worker, which lasts until the goroutine stops. */
static void worker_labelled(Feed *feed, uint32_t place, const GoEvent *event, StringId mode)
{
    StringView text = string_table_view(feed->trace->texts, mode);
    if (place == 0 || text.size < 3 || memcmp(text.bytes, "GC ", 3) != 0) return; /* such as "Not worker" */
    FeedG  *g = &feed->places.gs[place];
    GoEvent begin = *event;
    begin.extra = mode;
    feed_goroutine_enters(feed, place, INSIDE_WORK, feed_mode_label(feed, mode), event);
    if (!feed->shows.gs || g->is_working) return;
    g->is_working = true;
    if (feed->carry != NULL) {
        feed_carry_nested(feed, place, FEED_MODE, &begin, event->time);
        return;
    }
    if (g->thread.index == 0) feed_settle(feed, g);
    feed_begin_nested(feed, g, event, feed_mode_label(feed, mode), event->time);
}

void feed_worker_stops(Feed *feed, uint32_t place, const GoEvent *event)
{
    FeedG *g = &feed->places.gs[place];
    g->is_working = false;
    if (feed->carry != NULL) {
        feed_carry_nested_ends(feed, place);
    } else {
        feed_end_nested(feed, g, event, LABEL_NONE);
    }
}

/* Before 1.22 the label is part of the start, later it follows the start. */
void feed_label_worker(Feed *feed, const GoEvent *event)
{
    StringView texts[2];
    uint32_t   place = event->g == GO_NONE ? 0 : feed_find_g(feed, event->g);
    if (feed->trace->is_v2) {
        worker_labelled(feed, place, event, go_string_intern(go_trace_tables(feed->trace), event->args[0]));
    } else if (v1_event_texts(&feed->trace->v1, event, texts) > 0) {
        worker_labelled(feed, place, event, go_text_intern(feed->trace->texts, texts[0]));
    }
}

void feed_gc_end(Feed *feed)
{
    if (feed->gc.is_marking)
        complete_on(feed, feed_track_once(feed, &feed->groups.mark_track, feed->groups.gc, "Mark", 0),
                    feed->gc.mark_since, feed->gc.mark_since.time, feed->names.labels[FEED_MARK],
                    EVENT_NO_END);
    for (uint32_t i = 0; i < feed->gc.stop_count; i++) {
        const FeedStop *stop = &feed->gc.stops[i];
        if (stop->is_on) show_stop(feed, stop, stop->since.time, EVENT_NO_END);
    }
}
