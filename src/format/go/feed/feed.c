#include "format/go/feed/feed.h"

#include "trace/log/observe.h"

#include "format/go/v2/spec.h"

#include <assert.h>
#include <inttypes.h>

/* -- groups and tracks -- */

/* noun: the name for one of its threads. */
static ProcessId make_process(Feed *feed, const char *name, const char *noun, double sort_index)
{
    StringId  title = builder_string(feed->builder, name, strlen(name));
    ProcessId process = builder_process(feed->builder, ident_text(title));
    builder_name_process(feed->builder, process, title);
    builder_call_threads(feed->builder, process, builder_string(feed->builder, noun, strlen(noun)));
    builder_sort_process(feed->builder, process, sort_index);
    return process;
}

static TrackId make_thread(Feed *feed, ProcessId process, StringId title, double sort_index)
{
    TrackId thread = builder_thread(feed->builder, process, ident_text(title));
    builder_name_thread(feed->builder, thread, title);
    builder_sort_thread(feed->builder, thread, sort_index);
    return thread;
}

TrackId feed_track_once(Feed *feed, TrackId *track, ProcessId process, const char *name, double sort_index)
{
    if (track->index == 0)
        *track = make_thread(feed, process, builder_string(feed->builder, name, strlen(name)), sort_index);
    return *track;
}

static CounterId make_counter(Feed *feed, const char *name)
{
    StringId title = builder_string(feed->builder, name, strlen(name));
    return builder_counter(feed->builder, feed->groups.metrics, title, STRING_NONE);
}

static SeriesId make_series(Feed *feed, CounterId counter, const char *name, uint32_t colour)
{
    return builder_series(feed->builder, counter, builder_string(feed->builder, name, strlen(name)), colour);
}

SeriesId feed_series(Feed *feed, const char *counter, const char *series, uint32_t colour)
{
    return make_series(feed, make_counter(feed, counter), series, colour);
}

/* Makes a series of bytes: all of them are about the heap. */
static SeriesId make_bytes_series(Feed *feed, const char *name, const char *series, uint32_t colour)
{
    CounterId counter = make_counter(feed, name);
    builder_count_bytes(feed->builder, counter);
    builder_share_chart(feed->builder, counter);
    return make_series(feed, counter, series, colour);
}

static SeriesId make_metric(Feed *feed, FeedMetric metric)
{
    switch (metric) {
    case FEED_METRIC_HEAP:
        return make_bytes_series(feed, "Heap", "allocated", LABEL_COLOUR(0x4B86C2));
    case FEED_METRIC_HEAP_GOAL:
        return make_bytes_series(feed, "Heap goal", "next GC", LABEL_COLOUR(0xC98A3D));
    case FEED_METRIC_PROCESSORS:
    case FEED_METRIC_COUNT:
        break;
    }
    return feed_series(feed, "GOMAXPROCS", "processors", 0);
}

void feed_metric(Feed *feed, FeedMetric metric, int64_t time, double value)
{
    assert(metric < FEED_METRIC_COUNT);
    SeriesId *series = &feed->metric_series[metric];
    if (series->index == 0) *series = make_metric(feed, metric);
    builder_sample(feed->builder, *series, time, value);
}

static void make_perspectives(Feed *feed)
{
    uint8_t by_processor = builder_perspective(feed->builder, "Processors");
    feed->groups.by_goroutine = builder_perspective(feed->builder, "Goroutines");
    uint8_t by_thread = builder_perspective(feed->builder, "Threads");
    feed->shows.ps = builder_makes(feed->builder, by_processor);
    feed->shows.gs = builder_makes(feed->builder, feed->groups.by_goroutine);
    feed->shows.ms = builder_makes(feed->builder, by_thread);
    if (feed->shows.ps) {
        feed->groups.processors = make_process(feed, "Processors", "processor", 2);
        builder_place_process(feed->builder, feed->groups.processors, by_processor);
    }
    if (feed->shows.ms) {
        feed->groups.threads = make_process(feed, "Threads", "thread", 3);
        builder_place_process(feed->builder, feed->groups.threads, by_thread);
    }
}

void feed_begin(void *context, const GoTrace *trace)
{
    Feed *feed = context;
    feed->places.g_map.arena = feed->places.p_map.arena = feed->places.m_map.arena = feed->task_map.arena =
        feed->names.reason_map.arena = feed->arena;
    feed->places.g_count = feed->places.p_count = feed->places.m_count = 1;
    feed->places.gs =
        arena_grow(feed->arena, NULL, 0, &feed->places.g_capacity, sizeof *feed->places.gs); /* item 0 */
    feed->out_of_memory = feed->places.gs == NULL;
    feed->groups.metrics = make_process(feed, "Metrics", "track", 0);
    feed->groups.gc = make_process(feed, "Garbage collection", "track", 1);
    feed->groups.tasks = make_process(feed, "Tasks", "track", 4);
    make_perspectives(feed);
    feed_counts_begin(feed);
    feed->groups.task_kind = builder_event_kind(feed->builder, "UserTask", sizeof "UserTask" - 1);
    feed_make_labels(feed);
    feed->exit_type = trace->is_v2 ? UINT8_MAX : V1_GO_SYS_EXIT; /* 1.22 and later have no such type */
    feed->limit.processors = feed->limit.before = -1;
    feed->arrows.step = 1;
    feed->last_time = feed->report.unseen_end = INT64_MIN;
    feed->report.unseen_begin = INT64_MAX;
    if (trace->window.is_set && !feed_carry_begin(feed)) feed->out_of_memory = true;
}

static EventPos pos_of(const Feed *feed, const GoEvent *event)
{
    return (EventPos){ event->offset, feed->event };
}

void feed_leave_out(Feed *feed, int64_t time)
{
    if (time < feed->report.unseen_begin) feed->report.unseen_begin = time;
    if (time > feed->report.unseen_end) feed->report.unseen_end = time;
}

/* -- goroutines: their states -- */

static uint32_t add_g(Feed *feed, int64_t id)
{
    FeedG   *gs = feed->places.gs;
    uint32_t place = feed->places.free_g;
    if (place == 0) {
        gs = arena_grow(feed->arena, feed->places.gs, feed->places.g_count, &feed->places.g_capacity,
                        sizeof *gs);
        place = feed->places.g_count;
    }
    if (gs == NULL || !id_map_put(&feed->places.g_map, (uint64_t)id, place)) {
        feed->out_of_memory = true;
        return 0;
    }
    assert(place > 0 && place <= feed->places.g_count);
    feed->places.gs = gs;
    if (place == feed->places.g_count) {
        feed->places.g_count++;
    } else {
        feed->places.free_g = gs[place].first_pending;
    }
    gs[place] = (FeedG){ .id = id, .state = GO_STATE_NOT_EXIST };
    return place;
}

uint32_t feed_find_g(Feed *feed, int64_t id)
{
    uint32_t place = id_map_find(&feed->places.g_map, (uint64_t)id);
    return LIKELY(place != 0) ? place : add_g(feed, id);
}

/* True for the runtime's own goroutines, which are sorted after the program's. */
static bool is_runtime(StringView name)
{
    return name.size >= 8 && memcmp(name.bytes, "runtime.", 8) == 0 &&
           !(name.size == 12 && memcmp(name.bytes, "runtime.main", 12) == 0);
}

void feed_show_change(Feed *feed, TrackId states, const FeedChange *change, bool ends)
{
    const bool goes_on = ends && change->label.index != 0;
    if (LIKELY(goes_on && change->begin_stack.index == change->end_stack.index)) {
        const SliceChange plain = { change->time, change->label, change->end_stack };
        builder_add_changes(feed->builder, states, &plain, 1, change->pos);
        return;
    }
    if (ends) {
        builder_end(feed->builder, states, change->time, LABEL_NONE, change->pos, EVENT_ANYWHERE);
        builder_mark_stack(feed->builder, states, change->end_stack);
    }
    if (change->label.index == 0) return;
    builder_begin(feed->builder, states, change->time, change->label, change->pos, EVENT_ANYWHERE);
    builder_mark_stack(feed->builder, states, change->begin_stack);
}

void feed_flush_states(Feed *feed, FeedG *g)
{
    if (g->buffer == NULL) return;
    builder_add_changes(feed->builder, g->states, g->buffer->items, g->buffer->count,
                        (EventPos){ ERR_NOWHERE, feed->event });
    g->buffer->count = 0;
}

void feed_show_own_change(Feed *feed, FeedG *g, const FeedChange *change, bool ends)
{
    feed_flush_states(feed, g);
    feed_show_change(feed, g->states, change, ends);
    if (g->buffer == NULL) {
        if (g->change_count++ < FEW_STATE_CHANGES || builder_is_observed(feed->builder)) return;
        g->buffer = ARENA_NEW(feed->arena, FeedStates);
        feed->out_of_memory |= g->buffer == NULL;
        if (g->buffer == NULL) return;
        g->buffer->last_time = change->time;
    }
    if (change->time > g->buffer->last_time) g->buffer->last_time = change->time;
}

ProcessId feed_group(Feed *feed, StringId function)
{
    StringView name = string_table_view(feed->trace->texts, function);
    StringId   title = name.size == 0 ? builder_string(feed->builder, "Goroutines", 10)
                                      : builder_string(feed->builder, name.bytes, name.size);
    ProcessId  process = builder_process(feed->builder, ident_text(title));
    builder_name_process(feed->builder, process, title);
    builder_call_threads(feed->builder, process, builder_string(feed->builder, "goroutine", 9));
    builder_sort_process(feed->builder, process, name.size == 0 ? 7 : is_runtime(name) ? 6 : 5);
    builder_place_process(feed->builder, process, feed->groups.by_goroutine);
    return process;
}

/* Frees the pending changes without emitting them. */
static void drop_pending(Feed *feed, FeedG *g)
{
    if (g->first_pending == 0) return;
    assert(g->last_pending > 0 && g->last_pending <= feed->pending.count);
    feed->pending.items[g->last_pending - 1].next = feed->pending.free;
    feed->pending.free = g->first_pending;
    g->first_pending = 0;
}

bool feed_show_pending(Feed *feed, FeedG *g, int64_t since)
{
    bool has_state = false;
    for (uint32_t at = g->first_pending; at != 0; at = feed->pending.items[at - 1].next) {
        const FeedChange *change = &feed->pending.items[at - 1];
        assert(at <= feed->pending.count);
        if (change->time < since) continue;
        feed_show_change(feed, g->states, change, change->ends && has_state);
        has_state = change->label.index != 0;
    }
    drop_pending(feed, g);
    return has_state;
}

void feed_settle_alone(Feed *feed, FeedG *g)
{
    ProcessId process = feed_group(feed, g->name);
    g->thread = make_thread(feed, process, feed_printf(feed, "G %" PRId64, g->id), (double)g->id);
    g->states = builder_states(feed->builder, g->thread);
    if (++feed->places.own_lanes == FEED_OWN_LANES) feed_begin_sharing(feed);
    (void)feed_show_pending(feed, g, INT64_MIN);
}

void feed_settle(Feed *feed, FeedG *g)
{
    if (feed->lanes == NULL) {
        feed_settle_alone(feed, g);
    } else {
        feed_share_lane(feed, g);
    }
}

/* Returns 1 + index of a free item of `pending`; 0 when out of memory. */
static uint32_t take_pending_place(Feed *feed)
{
    uint32_t place = feed->pending.free;
    if (place != 0) {
        assert(place <= feed->pending.count);
        feed->pending.free = feed->pending.items[place - 1].next;
        return place;
    }
    FeedChange *pending = arena_grow(feed->arena, feed->pending.items, feed->pending.count,
                                     &feed->pending.capacity, sizeof *pending);
    if (pending == NULL) return 0;
    feed->pending.items = pending;
    return ++feed->pending.count;
}

void feed_add_pending(Feed *feed, FeedG *g, const FeedChange *change)
{
    uint32_t place = take_pending_place(feed);
    if (place == 0) {
        feed->out_of_memory = true;
        return;
    }
    feed->pending.items[place - 1] = *change;
    feed->pending.items[place - 1].next = 0;
    if (g->first_pending == 0) {
        g->first_pending = place;
    } else {
        assert(feed->pending.items[g->last_pending - 1].next == 0);
        feed->pending.items[g->last_pending - 1].next = place;
    }
    g->last_pending = place;
}

LabelId feed_state_label(Feed *feed, GoState state, StringId reason)
{
    switch (state) {
    case GO_STATE_RUNNABLE:
        return feed->names.labels[FEED_RUNNABLE];
    case GO_STATE_RUNNING:
        return feed->names.labels[FEED_RUNNING];
    case GO_STATE_SYSCALL:
        return feed->names.labels[FEED_SYSCALL];
    case GO_STATE_WAITING:
        return feed_wait_label(feed, reason);
    default:
        return LABEL_NONE;
    }
}

/* True for the end of a syscall before 1.22. It may be read late, with its original time (V1_BY_CAUSE). */
static bool is_exit(const Feed *feed, const GoEvent *event)
{
    return event->type == feed->exit_type;
}

static void count_state(Feed *feed, FeedG *g, GoState state, const GoEvent *event)
{
    if (is_exit(feed, event) && g->state == GO_STATE_SYSCALL) {
        feed_counts_exit(feed, event->time);
    } else {
        feed->counters.states[g->state].count--;
        feed->counters.states[state].count++;
        feed->counters.has_uncounted = true;
    }
    g->state = (uint8_t)state;
}

void feed_change(Feed *feed, FeedG *g, const FeedChange *change)
{
    bool has_run = g->state == GO_STATE_RUNNING || g->state == GO_STATE_SYSCALL;
    if (UNLIKELY(g->states.index == 0) && has_run && g->name.index != 0) feed_settle(feed, g);
    if (g->states.index != 0) {
        const TrackId states = g->states;
        if (LIKELY(g->lane == 0)) {
            feed_show_own_change(feed, g, change, change->ends);
        } else {
            const bool shows_state = feed_lane_follow(feed, g, change);
            feed_show_change(feed, states, change, change->ends && shows_state);
        }
        return;
    }
    if (feed->lanes != NULL && has_run && g->name.index != 0)
        drop_pending(feed, g); /* no shared lane was free */
    feed_add_pending(feed, g, change);
    if (feed->lanes == NULL || g->state != GO_STATE_NOT_EXIST) return;
    feed_share_lane(feed, g); /* it ended: no later event can name it */
    if (g->lane != 0) (void)feed_lane_follow(feed, g, change);
    drop_pending(feed, g);
}

/* Sets the state of a goroutine. label NONE: the goroutine ended. stack: a place in the tables. */
static void change_state(Feed *feed, uint32_t place, GoState state, const GoEvent *event, FeedChange change,
                         uint32_t stack)
{
    FeedG *g = &feed->places.gs[place];
    assert(place < feed->places.g_count);
    count_state(feed, g, state, event);
    if (!feed->shows.gs) return;
    change.ends = g->has_state;
    g->has_state = change.label.index != 0;
    if (feed->carry != NULL) {
        feed_carry_state(feed, place, &change, stack);
        return;
    }
    change.begin_stack = change.end_stack = feed_stack(feed, stack);
    feed_change(feed, g, &change);
}

/* Returns the reason of a stop or wait. */
static StringId reason_of(Feed *feed, const GoEvent *event)
{
    if (feed->trace->is_v2) {
        bool has_reason = event->type == V2_GO_BLOCK || event->type == V2_GO_STOP;
        return has_reason ? go_string_intern(go_trace_tables(feed->trace), event->args[0]) : STRING_NONE;
    }
    const char *reason = V1_SPECS[event->type].reason;
    return reason == NULL ? STRING_NONE : string_table_intern(feed->trace->texts, reason, strlen(reason));
}

/* Returns the event's stack if it is the changed goroutine's own, not the one of its waker; else 0. */
static uint32_t own_stack(const GoEvent *event)
{
    return event->id == event->g ? event->stack : 0;
}

void feed_note_syscall(Feed *feed, FeedG *g, bool has_syscall)
{
    if (g->has_syscall == has_syscall || !feed->shows.gs) return;
    assert(has_syscall || feed->counters.syscall_count > 0);
    feed->counters.syscall_count += has_syscall ? 1u : UINT32_MAX;
    g->has_syscall = has_syscall;
    feed->trace->wants_more = feed->counters.syscall_count > 0;
}

/* Splits off a blocking syscall. v1 reports the block only when it happens; the syscall began at the last GoSysCall. */
static void split_syscall(Feed *feed, uint32_t place, const GoEvent *event)
{
    FeedG *g = &feed->places.gs[place];
    change_state(feed, place, GO_STATE_SYSCALL, event,
                 (FeedChange){ .time = g->syscall_since,
                               .label = feed->names.labels[FEED_BLOCKING_SYSCALL],
                               .pos = pos_of(feed, event) },
                 g->syscall_stack);
    feed_note_syscall(feed, g, false);
}

static void mark_syscall(Feed *feed, FeedG *g, const GoEvent *event)
{
    const FeedRun *p = feed_find_p(feed, event->p);
    feed_note_syscall(feed, g, true);
    g->syscall_since = event->time;
    g->syscall_stack = event->stack; /* the tables of v1 are never cleared */
    if (p == NULL || feed->carry != NULL) return;
    if (p->track.index == 0) {
        feed_leave_out(feed, event->time);
        return;
    }
    builder_instant(feed->builder, p->track, event->time, feed->names.labels[FEED_SYSCALL], INSTANT_THREAD,
                    pos_of(feed, event), 0);
    builder_instant_stack(feed->builder, p->track, INSTANT_THREAD, feed_stack(feed, event->stack));
}

/* After a v1 window: the next event of a goroutine shows if its last syscall in the window blocked. */
static void syscall_shows(Feed *feed, const GoEvent *event)
{
    uint32_t place = id_map_find(&feed->places.g_map, (uint64_t)event->id);
    if (place == 0 || !feed->places.gs[place].has_syscall) return;
    if (event->to == GO_STATE_SYSCALL && event->type != V1_GO_SYS_CALL) {
        split_syscall(feed, place, event);
    } else {
        feed_note_syscall(feed, &feed->places.gs[place], false);
    }
}

/* True if the event's stack is that of the goroutine's creation: a start before 1.22. */
static bool has_stack_of_creation(const Feed *feed, const GoEvent *event)
{
    return !feed->trace->is_v2 && event->to == GO_STATE_RUNNING;
}

/* Names a goroutine by its event, if possible. */
static void learn_name(Feed *feed, FeedG *g, const GoEvent *event)
{
    bool is_v2 = feed->trace->is_v2, is_start = has_stack_of_creation(feed, event);
    feed_name(feed, g, event->id_stack != 0 ? event->id_stack : is_start ? event->stack : own_stack(event));
    if (is_v2 && event->type == V2_GO_STATUS_STACK) feed_name(feed, g, event->stack);
}

/* True if the goroutine is shown as running where the event is. A generation begins with the statuses of running
 * goroutines. */
static bool is_shown_there(Feed *feed, uint32_t place, const GoEvent *event)
{
    const FeedRun *p = feed_find_p(feed, event->p), *m = feed_find_m(feed, event->m);
    return (p == NULL || p->g == place) && (m == NULL || m->g == place);
}

static void goroutine_changes(Feed *feed, const GoEvent *event)
{
    const bool is_v2 = feed->trace->is_v2;
    if (UNLIKELY(feed->trace->is_past) && !is_v2) {
        syscall_shows(feed, event);
        return;
    }
    uint32_t place = feed_find_g(feed, event->id);
    if (place == 0) return;
    FeedG *g = &feed->places.gs[place];
    if (UNLIKELY(g->name.index == 0)) learn_name(feed, g, event);
    if (!is_v2 && event->type == V1_GO_SYS_CALL) {
        mark_syscall(feed, g, event);
        return;
    }
    int64_t since = event->from == GO_STATE_UNDETERMINED ? feed->trace->begin_time : event->time;
    bool    is_status = event->from == event->to; /* a status in a later generation: no change */
    if (is_status && is_shown_there(feed, place, event)) return; /* the run goes on */
    if (!is_exit(feed, event)) /* the end of a v1 syscall has no processor */
        feed_follow_runs(feed, place, event, since);
    if (is_status) return;
    if (g->is_working && event->to != GO_STATE_RUNNING) feed_worker_stops(feed, place, event);
    if (!feed->shows.gs) {
        feed_leave_out(feed, since);
        count_state(feed, g, (GoState)event->to, event);
        if (event->type == V1_GO_START_LABEL && !feed->trace->is_v2) feed_label_worker(feed, event);
        if (feed->carry == NULL) feed_arrow(feed, place, event);
        if (feed->carry != NULL && event->to == GO_STATE_NOT_EXIST) feed_carry_forget(feed, place);
        return;
    }
    if (!feed->trace->is_v2 && event->to == GO_STATE_SYSCALL && g->has_syscall) {
        split_syscall(feed, place, event);
        return;
    }
    feed_note_syscall(feed, g, false);
    for (; event->to == GO_STATE_NOT_EXIST && g->open_count > 0; g->open_count--) /* 0 before the window */
        builder_end(feed->builder, g->thread, event->time, LABEL_NONE, pos_of(feed, event), EVENT_ANYWHERE);
    change_state(feed, place, (GoState)event->to, event,
                 (FeedChange){ .time = since,
                               .label = feed_state_label(feed, (GoState)event->to, reason_of(feed, event)),
                               .pos = pos_of(feed, event) },
                 has_stack_of_creation(feed, event) ? 0 : own_stack(event));
    if (event->type == V1_GO_START_LABEL && !is_v2) feed_label_worker(feed, event);
    if (feed->carry == NULL) {
        feed_arrow(feed, place, event);
    } else if (event->to == GO_STATE_NOT_EXIST) {
        feed_carry_forget(feed, place);
    }
}

/* Handles a processor's change. If its thread was in a syscall, its goroutine continues without a processor. */
static void processor_changes(Feed *feed, const GoEvent *event)
{
    uint32_t place = feed_processor_changes(feed, event);
    if (place == 0 || feed->places.gs[place].state != GO_STATE_SYSCALL) return;
    change_state(feed, place, GO_STATE_SYSCALL, event,
                 (FeedChange){ .time = event->time,
                               .label = feed->names.labels[FEED_BLOCKING_SYSCALL],
                               .pos = pos_of(feed, event) },
                 0);
}

/* -- tasks, regions and logs -- */

/* Returns the place of the event's goroutine, with a track if goroutines are shown; 0 = none. */
static uint32_t user_goroutine(Feed *feed, const GoEvent *event)
{
    uint32_t place = event->g == GO_NONE ? 0 : feed_find_g(feed, event->g);
    if (place == 0) return 0;
    FeedG *g = &feed->places.gs[place];
    feed_name(feed, g, event->stack);
    if (g->thread.index == 0 && feed->shows.gs && feed->carry == NULL) feed_settle(feed, g);
    return place;
}

LabelId feed_user_label(Feed *feed, StringId text, const char *category)
{
    return builder_label(feed->builder, feed_string(feed, text),
                         builder_string(feed->builder, category, strlen(category)));
}

/* Tasks are asynchronous slices: they begin and end on any goroutine. Their regions and logs are shown with them. */
void feed_task_event(Feed *feed, AsyncKind kind, FeedSince since, uint64_t task, LabelId label, StackId stack)
{
    TrackId track = feed_track_once(feed, &feed->groups.task_track, feed->groups.tasks, "Tasks", 0);
    AsyncId async_id = builder_async_id(feed->builder, feed->groups.tasks, (const char *)&task, sizeof task);
    builder_async(feed->builder, kind, feed->groups.task_kind, async_id,
                  &(EventHead){ .thread = track, .tick = since.time, .label = label, .pos = since.pos }, 0);
    builder_async_stack(feed->builder, stack);
}

static void task_event(Feed *feed, AsyncKind kind, const GoEvent *event, LabelId label)
{
    feed_task_event(feed, kind, (FeedSince){ event->time, pos_of(feed, event) }, event->args[0], label,
                    feed_stack(feed, event->stack));
}

LabelId feed_label_in_task(Feed *feed, LabelId label)
{
    return feed->shows.gs ? builder_repeat_label(feed->builder, label) : label;
}

static void task_changes(Feed *feed, const GoEvent *event)
{
    AsyncKind kind = event->kind == GO_TASK_BEGIN ? ASYNC_BEGIN : ASYNC_END;
    if (feed->carry != NULL) {
        feed_carry_task(feed, kind, event, event->args[0], event->extra, "task");
        return;
    }
    bool is_nameless = kind == ASYNC_END && event->extra.index == 0;
    task_event(feed, kind, event, is_nameless ? LABEL_NONE : feed_user_label(feed, event->extra, "task"));
}

static void carry_region(Feed *feed, uint32_t place, const GoEvent *event)
{
    bool is_begin = event->kind == GO_REGION_BEGIN;
    if (is_begin) {
        feed_carry_nested(feed, place, "region", event, event->time);
    } else {
        feed_carry_nested_ends(feed, place);
    }
    if (event->args[0] != 0)
        feed_carry_task(feed, is_begin ? ASYNC_BEGIN : ASYNC_END, event, event->args[0], event->extra,
                        "region");
}

static void region_changes(Feed *feed, const GoEvent *event)
{
    uint32_t place = user_goroutine(feed, event);
    bool     is_begin = event->kind == GO_REGION_BEGIN;
    if (place == 0) return;
    if (feed->carry != NULL) {
        carry_region(feed, place, event);
        return;
    }
    LabelId label = feed_user_label(feed, event->extra, "region");
    if (is_begin) {
        feed_begin_nested(feed, &feed->places.gs[place], event, label, event->time);
    } else {
        feed_end_nested(feed, &feed->places.gs[place], event, label);
    }
    if (event->args[0] != 0)
        task_event(feed, is_begin ? ASYNC_BEGIN : ASYNC_END, event, feed_label_in_task(feed, label));
}

static void log_written(Feed *feed, const GoEvent *event)
{
    GoTables *tables = go_trace_tables(feed->trace);
    StringId  category, message;
    uint32_t  place = user_goroutine(feed, event);
    if (feed->carry != NULL) return;
    if (feed->trace->is_v2) {
        category = go_string_intern(tables, event->args[1]);
        message = go_string_intern(tables, event->args[2]);
    } else {
        StringView texts[2];
        (void)v1_event_texts(&feed->trace->v1, event, texts);
        category = go_string_intern(tables, event->args[1]);
        message = go_text_intern(feed->trace->texts, texts[1]);
    }
    LabelId label = builder_label(feed->builder, feed_string(feed, message),
                                  category.index == 0 ? STRING_NONE : feed_string(feed, category));
    TrackId thread = feed->places.gs[place].thread; /* TRACK_NONE: no goroutine, or not shown */
    if (place != 0) feed_leave_out(feed, event->time);
    if (thread.index != 0) {
        builder_instant(feed->builder, thread, event->time, label, INSTANT_THREAD, pos_of(feed, event),
                        EVENT_DETAILS);
        builder_instant_stack(feed->builder, thread, INSTANT_THREAD, feed_stack(feed, event->stack));
    }
    if (event->args[0] != 0) task_event(feed, ASYNC_INSTANT, event, feed_label_in_task(feed, label));
}

/* -- samples and metrics -- */

static void sample_taken(Feed *feed, const GoEvent *event)
{
    bool     is_known = feed->trace->is_v2 ? event->g != GO_NONE : event->g != 0;
    FeedRun *p = feed_find_p(feed, event->p);
    uint32_t place = is_known ? feed_find_g(feed, event->g) : 0;
    if (feed->carry != NULL) {
        if (place != 0) feed_name(feed, &feed->places.gs[place], event->stack);
        return;
    }
    StackId stack = feed_stack(feed, event->stack);
    if (p != NULL || place != 0) feed_leave_out(feed, event->time);
    if (p != NULL && p->track.index != 0) {
        builder_instant(feed->builder, p->track, event->time, feed->names.labels[FEED_SAMPLE], INSTANT_THREAD,
                        pos_of(feed, event), 0);
        builder_instant_stack(feed->builder, p->track, INSTANT_THREAD, stack);
    }
    if (place == 0) return;
    FeedG *g = &feed->places.gs[place];
    feed_name(feed, g, event->stack);
    if (!feed->shows.gs) return;
    if (g->thread.index == 0) feed_settle(feed, g);
    if (g->thread.index == 0) return;
    builder_instant(feed->builder, g->thread, event->time, feed->names.labels[FEED_SAMPLE], INSTANT_THREAD,
                    pos_of(feed, event), 0);
    builder_instant_stack(feed->builder, g->thread, INSTANT_THREAD, stack);
}

static void metric_changes(Feed *feed, const GoEvent *event)
{
    const bool       is_v2 = feed->trace->is_v2;
    const int        heap = is_v2 ? (int)V2_HEAP_ALLOC : (int)V1_HEAP_ALLOC;
    const int        goal = is_v2 ? (int)V2_HEAP_GOAL : (int)V1_HEAP_GOAL;
    const FeedMetric metric = event->type == heap   ? FEED_METRIC_HEAP
                              : event->type == goal ? FEED_METRIC_HEAP_GOAL
                                                    : FEED_METRIC_PROCESSORS;
    if (metric == FEED_METRIC_PROCESSORS) feed_set_processor_limit(feed, event);
    if (feed->carry != NULL) {
        feed_carry_metric(feed, metric, event->time, (double)event->args[0]);
        return;
    }
    feed_metric(feed, metric, event->time, (double)event->args[0]);
}

/* -- all -- */

void feed_take(Feed *feed, const GoEvent *event)
{
    switch ((GoKind)event->kind) {
    case GO_TRANSITION:
        if (event->resource == GO_RESOURCE_GOROUTINE) {
            goroutine_changes(feed, event);
        } else if (!feed->trace->is_past || feed->trace->is_v2) {
            processor_changes(feed, event);
        }
        break;
    case GO_RANGE_BEGIN:
    case GO_RANGE_ACTIVE:
    case GO_RANGE_END:
        feed_range_changes(feed, event);
        break;
    case GO_TASK_BEGIN:
    case GO_TASK_END:
        task_changes(feed, event);
        break;
    case GO_REGION_BEGIN:
    case GO_REGION_END:
        region_changes(feed, event);
        break;
    case GO_LOG:
        log_written(feed, event);
        break;
    case GO_SAMPLE:
        sample_taken(feed, event);
        break;
    case GO_METRIC:
        metric_changes(feed, event);
        break;
    case GO_LABEL:
        feed_label_worker(feed, event);
        break;
    case GO_BAD:
    case GO_SYNC:
    case GO_EXPERIMENTAL:
    case GO_KIND_COUNT:
        break;
    }
}

bool feed_event(void *context, GoTrace *trace, const GoEvent *event)
{
    Feed *feed = context;
    feed->event = trace->event_count - 1;
    if (feed->carry != NULL && !trace->is_before) feed_carry_end(feed);
    if (trace->is_past) {
        feed_counts_end(feed);
    } else if (event->kind == GO_SYNC) {
        if (event->time > feed->last_time) feed_counts_reach(feed, event->time);
    } else if (!is_exit(feed, event)) {
        feed_reach(feed, event->time);
    }
    feed_take(feed, event);
    return !feed->out_of_memory;
}

/* Closes everything that is open at the end of the trace. */
bool feed_end(void *context, GoTrace *trace)
{
    Feed *feed = context;
    if (feed->carry != NULL) feed_carry_end(feed);
    feed_counts_end(feed);
    if (!trace->is_past) feed_idleness_ends(feed, feed->last_time);
    feed_runs_end(feed);
    for (uint32_t i = 1; i < feed->places.g_count; i++)
        feed_flush_states(feed, &feed->places.gs[i]);
    if (feed->shows.gs) feed_rest_end(feed);
    feed_lanes_end(feed);
    feed_arrows_end(feed);
    if (feed->report.unseen_begin <= feed->report.unseen_end) {
        builder_widen(feed->builder, feed->report.unseen_begin);
        builder_widen(feed->builder, feed->report.unseen_end);
    }
    feed_gc_end(feed);
    return !feed->out_of_memory;
}
