/* Counters of goroutines by state, and of threads. */
#include "format/go/feed/feed.h"

#include "base/checked.h"
#include "base/search.h"

#include <assert.h>

/* Shortest time between two items. Counts change with every event; items at this distance look the same on screen. In a
 * long trace the distance doubles after each COUNTS_PER_STEP items, which limits their number. */
static const int64_t COUNTER_NS = 10000;
enum { COUNTS_PER_STEP = 1 << 15 };

static const struct {
    GoState     state;
    const char *name;
    uint32_t    colour;
} COUNTED_STATES[] = {
    { GO_STATE_RUNNING, "running", LABEL_COLOUR(0x3A9E5C) },
    { GO_STATE_RUNNABLE, "runnable", LABEL_COLOUR(0xC9A227) },
    { GO_STATE_SYSCALL, "in syscall", LABEL_COLOUR(0x8E6BBF) },
    { GO_STATE_WAITING, "waiting", LABEL_COLOUR(0x9299A1) },
};

static_assert(sizeof COUNTED_STATES / sizeof COUNTED_STATES[0] == COUNTED_STATES_COUNT, "each is counted");

void feed_counts_begin(Feed *feed)
{
    feed->counters.counted_at = feed->counters.due = INT64_MIN;
    feed->counters.step_ns = COUNTER_NS;
}

/* Before a window, drops all but the newest items. Newer items stay, because an end of a syscall may be read late. */
static void drop_counts(Feed *feed)
{
    enum { MOST_KEPT = 1024 };
    uint32_t dropped = feed->counters.count - MOST_KEPT / 2;
    if (feed->carry == NULL || feed->counters.count < MOST_KEPT) return;
    for (uint32_t n = 0; n < dropped; n++)
        feed->counters.left_before += feed->counters.items[n].left_syscall;
    memmove(feed->counters.items, feed->counters.items + dropped,
            (feed->counters.count - dropped) * sizeof *feed->counters.items);
    feed->counters.count -= dropped;
    feed->counters.dropped += dropped;
}

/* Appends the current counts. */
static void note_counts(Feed *feed, int64_t time)
{
    drop_counts(feed);
    FeedCounts *counts = arena_grow(feed->arena, feed->counters.items, feed->counters.count,
                                    &feed->counters.capacity, sizeof *counts);
    if (counts == NULL) {
        feed->out_of_memory = true;
        return;
    }
    feed->counters.items = counts;
    FeedCounts *now = &counts[feed->counters.count++];
    *now = (FeedCounts){ .time = time,
                         .left_syscall = -feed->counters.left_late,
                         .running_threads = feed->counters.running_threads };
    for (size_t i = 0; i < COUNTED_STATES_COUNT; i++)
        now->of[i] = feed->counters.states[COUNTED_STATES[i].state].count;
    feed->counters.left_late = 0;
    feed->counters.counted_at = time;
    feed->counters.has_uncounted = false;
    if ((feed->counters.count + feed->counters.dropped) % COUNTS_PER_STEP == 0) feed->counters.step_ns *= 2;
}

static int64_t next_due(const Feed *feed)
{
    bool clamped = false;
    return feed->counters.counted_at == INT64_MIN
               ? INT64_MIN
               : i64_add_clamped(feed->counters.counted_at, feed->counters.step_ns, &clamped);
}

int64_t feed_counts_due(const Feed *feed, int64_t time)
{
    const FeedCounters *const counters = &feed->counters;
    const bool                doubles = (counters->count + counters->dropped + 1) % COUNTS_PER_STEP == 0;
    bool                      clamped = false;
    if (time < counters->due || time <= feed->last_time) return counters->due;
    if (!counters->has_uncounted || time < next_due(feed)) return next_due(feed);
    return i64_add_clamped(feed->last_time, doubles ? 2 * counters->step_ns : counters->step_ns, &clamped);
}

void feed_counts_note(Feed *feed, int64_t time)
{
    if (feed->counters.has_uncounted && time >= next_due(feed)) note_counts(feed, feed->last_time);
    feed->counters.states[GO_STATE_SYSCALL].count -= feed->counters.exits_ahead;
    feed->counters.states[GO_STATE_RUNNABLE].count += feed->counters.exits_ahead;
    feed->counters.exits_ahead = 0;
    feed->counters.due = next_due(feed);
}

void feed_counts_exit(Feed *feed, int64_t time)
{
    uint32_t from = 0;
    if (time > feed->last_time) {
        feed->counters.exits_ahead++;
        feed->counters.due = INT64_MIN;
        return;
    }
    LOWER_BOUND(uint32_t, from, feed->counters.count, i, feed->counters.items[i].time < time);
    feed->counters.states[GO_STATE_SYSCALL].count--;
    feed->counters.states[GO_STATE_RUNNABLE].count++;
    if (from == feed->counters.count) return;
    feed->counters.items[from].left_syscall++;
    feed->counters.left_late++;
}

typedef struct CountSeries {
    SeriesId of[COUNTED_STATES_COUNT]; /* goroutines, in the order of COUNTED_STATES */
    SeriesId thread_running, thread_syscall;
} CountSeries;

static CountSeries make_series(Feed *feed)
{
    CountSeries series;
    for (size_t i = 0; i < COUNTED_STATES_COUNT; i++)
        series.of[i] = feed_series(feed, "Goroutines", COUNTED_STATES[i].name, COUNTED_STATES[i].colour);
    series.thread_running = feed_series(feed, "Threads", "running", COUNTED_STATES[0].colour);
    series.thread_syscall = feed_series(feed, "Threads", "in syscall", COUNTED_STATES[2].colour);
    return series;
}

void feed_counts_end(Feed *feed)
{
    const GoTrace *trace = feed->trace;
    int64_t        left = feed->counters.left_before, begin = INT64_MIN;
    if (feed->counters.has_ended) return;
    feed->counters.has_ended = true;
    if (trace->is_past) {
        feed_counts_reach(feed, trace->last_time);
    } else if (feed->counters.has_uncounted && feed->last_time != INT64_MIN) {
        note_counts(feed, feed->last_time);
    }
    if (feed->counters.count == 0) return;
    const CountSeries series = make_series(feed);
    if (trace->window.is_set) begin = go_trace_time(trace, trace->window.begin);
    for (uint32_t n = 0; n < feed->counters.count; n++) {
        const FeedCounts *counts = &feed->counters.items[n];
        left += counts->left_syscall;
        if (n + 1 < feed->counters.count && feed->counters.items[n + 1].time < begin)
            /* the next one holds before the window begins */
            continue;
        for (size_t i = 0; i < COUNTED_STATES_COUNT; i++) {
            GoState state = COUNTED_STATES[i].state;
            int64_t late = state == GO_STATE_RUNNABLE ? left : state == GO_STATE_SYSCALL ? -left : 0;
            double  count = (double)((int64_t)counts->of[i] + late);
            builder_sample(feed->builder, series.of[i], counts->time, count);
            if (state == GO_STATE_SYSCALL) /* each occupies a thread */
                builder_sample(feed->builder, series.thread_syscall, counts->time, count);
        }
        builder_sample(feed->builder, series.thread_running, counts->time, (double)counts->running_threads);
    }
}
