/* Runs on processors and threads, the activities in a run, and idle processors. */
#include "format/go/feed/feed.h"

#include "trace/log/observe.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static EventPos pos_of(const Feed *feed, const GoEvent *event)
{
    return (EventPos){ event->offset, feed->event };
}

static FeedRun *add_run(Feed *feed, FeedRun **runs, uint32_t *count, uint32_t *capacity, IdMap *map,
                        int64_t id)
{
    FeedRun *grown = arena_grow(feed->arena, *runs, *count, capacity, sizeof *grown);
    if (grown == NULL || !id_map_put(map, (uint64_t)id, *count)) {
        feed->out_of_memory = true;
        return NULL;
    }
    assert(*count > 0 && *count < *capacity);
    *runs = grown;
    grown[*count] = (FeedRun){ .id = id };
    return &grown[(*count)++];
}

static TrackId make_lane(Feed *feed, ProcessId process, const char *format, int64_t id)
{
    char     text[32];
    int      size = snprintf(text, sizeof text, "%s %" PRId64, format, id);
    StringId title = builder_string(feed->builder, text, (size_t)size);
    TrackId  thread = builder_thread(feed->builder, process, ident_text(title));
    builder_name_thread(feed->builder, thread, title);
    builder_sort_thread(feed->builder, thread, (double)id);
    return thread;
}

static FeedRun *add_p(Feed *feed, int64_t id)
{
    FeedRun *p = add_run(feed, &feed->places.ps, &feed->places.p_count, &feed->places.p_capacity,
                         &feed->places.p_map, id);
    if (p != NULL && feed->shows.ps) p->track = make_lane(feed, feed->groups.processors, "P", id);
    return p;
}

static FeedRun *add_m(Feed *feed, int64_t id)
{
    FeedRun *m = add_run(feed, &feed->places.ms, &feed->places.m_count, &feed->places.m_capacity,
                         &feed->places.m_map, id);
    if (m != NULL) m->track = make_lane(feed, feed->groups.threads, "M", id);
    return m;
}

FeedRun *feed_find_p(Feed *feed, int64_t id)
{
    if (id == GO_NONE) return NULL;
    uint32_t place = id_map_find(&feed->places.p_map, (uint64_t)id);
    return LIKELY(place != 0) ? &feed->places.ps[place] : add_p(feed, id);
}

FeedRun *feed_find_m(Feed *feed, int64_t id)
{
    if (!feed->shows.ms || id == GO_NONE) return NULL;
    uint32_t place = id_map_find(&feed->places.m_map, (uint64_t)id);
    return LIKELY(place != 0) ? &feed->places.ms[place] : add_m(feed, id);
}

/* Makes the label at the first use, when the name is usually known. */
LabelId feed_run_label(Feed *feed, FeedG *g)
{
    if (g->label.index != 0) return g->label;
    StringView name = string_table_view(feed->trace->texts, g->name);
    StringId   title =
        feed_printf(feed, name.size == 0 ? "G%" PRId64 : "G%" PRId64 " %.1024s", g->id, name.bytes);
    LabelId label = builder_label(feed->builder, title, builder_string(feed->builder, "goroutine", 9));
    if (name.size > 0) g->label = label;
    return label;
}

/* -- begins and ends -- */

void feed_run_flush(Feed *feed, FeedRun *run)
{
    if (run->marks == NULL) return;
    assert(run->mark_count <= FEED_LANE_MARKS);
    builder_add_anywhere(feed->builder, run->track, run->marks, run->mark_count,
                         (EventPos){ ERR_NOWHERE, feed->event });
    run->mark_count = 0;
}

/* Adds a begin or end without the buffer. A lane with FEED_LANE_MARKS of them gets a buffer. */
void feed_run_mark_slow(Feed *feed, FeedRun *run, int64_t time, LabelId label, EventPos pos)
{
    const AnywhereMark mark = { time, label };
    builder_add_anywhere(feed->builder, run->track, &mark, 1, pos);
    if (run->mark_count++ < FEED_LANE_MARKS || builder_is_observed(feed->builder)) return;
    run->mark_count = 0;
    run->marks = ARENA_ARRAY(feed->arena, AnywhereMark, FEED_LANE_MARKS);
    feed->out_of_memory |= run->marks == NULL;
}

/* Ends the innermost slice of the lane. flags: EVENT_ANYWHERE, or EVENT_DETAILS for an end with details. */
static void end_on_run(Feed *feed, FeedRun *run, const GoEvent *event, unsigned flags)
{
    if (feed->carry != NULL) return;
    if (flags == EVENT_ANYWHERE) {
        feed_run_mark(feed, run, event->time, LABEL_NONE, pos_of(feed, event));
        return;
    }
    feed_run_flush(feed, run);
    builder_end(feed->builder, run->track, event->time, LABEL_NONE, pos_of(feed, event), flags);
}

static void begin_inside(Feed *feed, FeedRun *run, const FeedInside *inside)
{
    if (feed->carry == NULL) feed_run_mark(feed, run, inside->since.time, inside->label, inside->since.pos);
}

/* -- activities in a run -- */

/* Returns the index of the open activity; inside_count: it is not open. */
static unsigned find_inside(const FeedRun *run, FeedInsideKind kind)
{
    unsigned at = 0;
    while (at < run->inside_count && run->inside[at].kind != kind)
        at++;
    return at;
}

void feed_run_enters(Feed *feed, FeedRun *run, FeedInsideKind kind, LabelId label, const GoEvent *event,
                     int64_t since)
{
    if (run == NULL || run->track.index == 0 || find_inside(run, kind) < run->inside_count) return;
    assert(run->inside_count < sizeof run->inside / sizeof run->inside[0]);
    FeedInside *inside = &run->inside[run->inside_count++];
    *inside = (FeedInside){ kind, label, { since, pos_of(feed, event) } };
    begin_inside(feed, run, inside);
}

void feed_run_leaves(Feed *feed, FeedRun *run, FeedInsideKind kind, const GoEvent *event, unsigned flags)
{
    if (run == NULL) return;
    unsigned at = find_inside(run, kind);
    if (at == run->inside_count) return;
    for (unsigned i = run->inside_count; i > at + 1;
         i--) /* activities nested in it continue: they are split */
        end_on_run(feed, run, event, EVENT_ANYWHERE);
    end_on_run(feed, run, event, flags);
    run->inside_count--;
    for (unsigned i = at; i < run->inside_count; i++) {
        run->inside[i] = run->inside[i + 1];
        run->inside[i].since = (FeedSince){ event->time, pos_of(feed, event) };
        begin_inside(feed, run, &run->inside[i]);
    }
}

static void leave_all(Feed *feed, FeedRun *run, const GoEvent *event)
{
    for (; run->inside_count > 0; run->inside_count--)
        end_on_run(feed, run, event, EVENT_ANYWHERE);
}

/* -- runs -- */

static void idle_ends(Feed *feed, FeedRun *p, const GoEvent *event)
{
    if (p->is_idle != 0 && p->track.index != 0) end_on_run(feed, p, event, EVENT_ANYWHERE);
    if (p->is_idle != 0) feed_leave_out(feed, event->time);
    p->is_idle = 0;
}

static void run_ends(Feed *feed, FeedRun *run, const GoEvent *event)
{
    if (run == NULL || run->g == 0) return;
    run->g = 0;
    if (run->track.index == 0) {
        feed_leave_out(feed, event->time);
        return;
    }
    leave_all(feed, run, event);
    end_on_run(feed, run, event, EVENT_ANYWHERE);
}

static void run_begins(Feed *feed, FeedRun *run, uint32_t g, const GoEvent *event, int64_t since)
{
    if (run == NULL) return;
    assert(g < feed->places.g_count);
    run->g = g;
    idle_ends(feed, run, event);
    if (run->track.index == 0) {
        feed_leave_out(feed, since);
        return;
    }
    leave_all(feed, run, event);
    run->run_since = (FeedSince){ since, pos_of(feed, event) };
    if (feed->carry == NULL)
        feed_run_mark(feed, run, since, feed_run_label(feed, &feed->places.gs[g]), pos_of(feed, event));
    if (feed->places.gs[g].is_assisting)
        feed_run_enters(feed, run, INSIDE_ASSIST, feed->names.labels[FEED_ASSIST], event, since);
}

void feed_set_load(Feed *feed, FeedRun *p, FeedLoad load)
{
    if (p->load == load) return;
    feed->counters.running_threads += (load == LOAD_RUNS ? 1u : 0u) - (p->load == LOAD_RUNS ? 1u : 0u);
    p->load = load;
    feed->counters.has_uncounted = true;
}

static void syscall_begins(Feed *feed, FeedRun *run, uint32_t place, const GoEvent *event, int64_t since)
{
    if (run == NULL || run->g != place) return;
    feed_run_enters(feed, run, INSIDE_SYSCALL, feed->names.labels[FEED_SYSCALL], event, since);
}

void feed_follow_runs(Feed *feed, uint32_t place, const GoEvent *event, int64_t since)
{
    FeedRun *p = feed_find_p(feed, event->p), *m = feed_find_m(feed, event->m);
    if (event->to == GO_STATE_RUNNING) {
        if (event->from == GO_STATE_SYSCALL) {
            feed_run_leaves(feed, p, INSIDE_SYSCALL, event, EVENT_ANYWHERE);
            feed_run_leaves(feed, m, INSIDE_SYSCALL, event, EVENT_ANYWHERE);
            if (p != NULL && p->load == LOAD_SYSCALL) feed_set_load(feed, p, LOAD_RUNS);
        } else {
            run_ends(feed, p, event);
            run_ends(feed, m, event);
            run_begins(feed, p, place, event, since);
            run_begins(feed, m, place, event, since);
            if (feed->carry == NULL) feed_arrow_to_run(feed, place, p, m, since);
        }
    } else if (event->to == GO_STATE_SYSCALL && feed->trace->is_v2) {
        if (m != NULL && m->g != place) run_begins(feed, m, place, event, since);
        syscall_begins(feed, p, place, event, since);
        syscall_begins(feed, m, place, event, since);
        if (p != NULL && p->load == LOAD_RUNS) feed_set_load(feed, p, LOAD_SYSCALL);
    } else if (event->from == GO_STATE_RUNNING || event->from == GO_STATE_SYSCALL) {
        if (p != NULL && p->g == place) run_ends(feed, p, event);
        if (m != NULL && m->g == place) run_ends(feed, m, event);
    }
}

/* -- idle processors -- */

static void show_idle(Feed *feed, FeedRun *p, const GoEvent *event, int64_t since)
{
    bool is_there = feed->limit.processors < 0 || p->id < feed->limit.processors;
    bool is_idle = p->has_state && p->load == LOAD_NONE && p->g == 0 && is_there;
    if (is_idle == (p->is_idle != 0)) return;
    if (!is_idle) {
        idle_ends(feed, p, event);
        return;
    }
    bool is_new =
        feed->limit.before >= 0 && p->id >= feed->limit.before; /* before limit.since it did not exist */
    if (is_new && since < feed->limit.since) since = feed->limit.since;
    p->is_idle = 1;
    p->idle_since = (FeedSince){ since, pos_of(feed, event) };
    feed_leave_out(feed, since);
    if (feed->carry == NULL && p->track.index != 0)
        feed_run_mark(feed, p, since, feed->names.labels[FEED_IDLE], p->idle_since.pos);
}

uint32_t feed_processor_changes(Feed *feed, const GoEvent *event)
{
    FeedRun *p = feed_find_p(feed, event->id);
    if (p == NULL) return 0;
    uint32_t left = 0;
    if (event->to == GO_PROC_IDLE) {
        left = p->g;
        run_ends(feed, p, event);
        feed_set_load(feed, p, LOAD_NONE);
    } else if (event->to == GO_PROC_RUNNING && p->load == LOAD_NONE) {
        feed_set_load(feed, p, LOAD_RUNS);
    }
    p->has_state = true;
    show_idle(feed, p, event, event->from == GO_PROC_UNDETERMINED ? feed->trace->begin_time : event->time);
    return left;
}

void feed_set_processor_limit(Feed *feed, const GoEvent *event)
{
    uint64_t count = event->args[0];
    if (count != (uint64_t)feed->limit.processors) {
        feed->limit.before = feed->limit.processors;
        feed->limit.since = event->time;
    }
    feed->limit.processors = count > INT64_MAX ? INT64_MAX : (int64_t)count;
    for (uint32_t i = 1; i < feed->places.p_count; i++)
        show_idle(feed, &feed->places.ps[i], event, event->time);
}

void feed_runs_end(Feed *feed)
{
    for (uint32_t i = 1; i < feed->places.p_count; i++)
        feed_run_flush(feed, &feed->places.ps[i]);
    for (uint32_t i = 1; i < feed->places.m_count; i++)
        feed_run_flush(feed, &feed->places.ms[i]);
}

void feed_idleness_ends(Feed *feed, int64_t time)
{
    for (uint32_t i = 1; i < feed->places.p_count; i++) {
        FeedRun *p = &feed->places.ps[i];
        if (p->is_idle == 0) continue;
        int64_t end = time > p->idle_since.time ? time : p->idle_since.time;
        feed_leave_out(feed, end);
        if (p->track.index != 0) feed_run_mark(feed, p, end, LABEL_NONE, p->idle_since.pos);
        p->is_idle = 0;
    }
}

/* -- activities of the running goroutine -- */

void feed_goroutine_enters(Feed *feed, uint32_t place, FeedInsideKind kind, LabelId label,
                           const GoEvent *event)
{
    FeedRun *runs[] = { feed_find_p(feed, event->p), feed_find_m(feed, event->m) };
    for (size_t i = 0; i < 2; i++) {
        if (runs[i] != NULL && runs[i]->g == place && place != 0)
            feed_run_enters(feed, runs[i], kind, label, event, event->time);
    }
}

void feed_goroutine_leaves(Feed *feed, uint32_t place, FeedInsideKind kind, const GoEvent *event)
{
    FeedRun *runs[] = { feed_find_p(feed, event->p), feed_find_m(feed, event->m) };
    for (size_t i = 0; i < 2; i++) {
        if (runs[i] != NULL && runs[i]->g == place && place != 0)
            feed_run_leaves(feed, runs[i], kind, event, EVENT_ANYWHERE);
    }
}

void feed_stop_begins(Feed *feed, LabelId label, const GoEvent *event)
{
    FeedRun *p = feed_find_p(feed, event->p);
    FeedRun *m = feed_find_m(feed, event->m);
    if (p != NULL && p->g != 0) feed_run_enters(feed, p, INSIDE_STOP, label, event, event->time);
    if (m != NULL && m->g != 0) feed_run_enters(feed, m, INSIDE_STOP, label, event, event->time);
}

bool feed_stops_by_processor(const Feed *feed)
{
    return !feed->trace->is_v2 && feed->trace->version.read_as < GO_1_10;
}

void feed_stop_ends(Feed *feed, const GoEvent *event)
{
    if (feed_stops_by_processor(feed)) {
        feed_run_leaves(feed, feed_find_p(feed, event->p), INSIDE_STOP, event, EVENT_ANYWHERE);
        feed_run_leaves(feed, feed_find_m(feed, event->m), INSIDE_STOP, event, EVENT_ANYWHERE);
        return;
    }
    for (uint32_t i = 1; i < feed->places.p_count; i++)
        feed_run_leaves(feed, &feed->places.ps[i], INSIDE_STOP, event, EVENT_ANYWHERE);
    for (uint32_t i = 1; i < feed->places.m_count; i++)
        feed_run_leaves(feed, &feed->places.ms[i], INSIDE_STOP, event, EVENT_ANYWHERE);
}
