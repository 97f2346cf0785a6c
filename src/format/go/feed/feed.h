/* format/go/feed/feed.h - converts the events of a Go trace to processes, tracks and slices of the builder.
 *
 * The builder's processes are the groups of the timeline:
 *
 *   Metrics               counters: heap and heap goal, goroutines by state, threads
 *   Garbage collection    mark phases, stops of the world
 *   Processors            a thread for each P: the running goroutine or idleness; nested in a run: syscalls, sweeping,
 *                         assists, stops of the world, kinds of mark workers
 *   Threads               a thread for each M: likewise
 *   Tasks                 user tasks, asynchronous, with their regions and logs
 *   main.worker ...       a thread for each goroutine with this start function: its states, regions, assists, samples
 *
 * A *place* is an index into an array whose item 0 is unused; 0 means "none". */
#ifndef FORMAT_GO_FEED_FEED_H
#define FORMAT_GO_FEED_FEED_H
#include "format/go/trace/go_trace.h"

/* The fixed labels: states and activities of goroutines and processors, and two kinds of arrows. */
typedef enum {
    FEED_RUNNABLE,
    FEED_RUNNING,
    FEED_SYSCALL,
    FEED_BLOCKING_SYSCALL, /* the thread has lost its processor */
    FEED_WAITING,          /* fallback: each wait reason has its own label */
    FEED_SWEEP,
    FEED_ASSIST,
    FEED_IDLE,
    FEED_MARK,
    FEED_SAMPLE,
    FEED_UNBLOCK, /* labels of arrows, like FEED_CREATE */
    FEED_CREATE,
    FEED_LABEL_COUNT
} FeedLabel;

/* A change of a goroutine's state. It is pending (Feed.pending) while the goroutine has no track. */
typedef struct FeedChange {
    int64_t  time;
    LabelId  label; /* of the state that begins; LABEL_NONE: no state begins */
    StackId  begin_stack, end_stack;
    EventPos pos;
    bool     ends; /* the previous state ends here */
    uint32_t next; /* 1 + index of the next pending or free item; 0 = the last */
} FeedChange;

/* Changes of a goroutine's state that are not passed to the builder yet. A goroutine with FEW_STATE_CHANGES gets a buffer. */
enum { FEW_STATE_CHANGES = 16, FEED_STATE_CHANGES = 32 };
typedef struct FeedStates {
    int64_t     last_time; /* of the latest change */
    uint32_t    count;
    SliceChange items[FEED_STATE_CHANGES]; /* at most MOST_SLICE_CHANGES */
} FeedStates;

typedef struct FeedG {
    int64_t  id;
    TrackId  thread, states; /* TRACK_NONE until the goroutine has a name and has run */
    LabelId  label;          /* of its runs: "G7 main.worker" */
    StringId name;           /* the start function, in GoTrace.texts; STRING_NONE = unknown */
    uint8_t  state;          /* GoState */
    bool     has_state;      /* it is in a state that has a label */
    bool     is_guest;       /* it has had a shared lane */
    int64_t  syscall_since;  /* v1: time of the last GoSysCall, which may turn out to block */
    uint32_t syscall_stack;  /* v1: the place of its stack in the tables */
    uint32_t first_pending, last_pending;
    uint32_t open_count;               /* open regions and assists on `thread` */
    bool     is_assisting, is_working; /* is_working: a kind of mark worker is open on `thread` */
    bool has_syscall, is_free; /* is_free: the goroutine ended before the window; the item can be reused */
    uint32_t    lane;          /* place of its shared lane; 0 = none */
    uint32_t    change_count;  /* changes on its own lane without a buffer, up to FEW_STATE_CHANGES */
    FeedStates *buffer;        /* of `states`; NULL = none */
} FeedG;

/* The start of the arrow to a goroutine that was woken or created and has not run since. */
typedef struct FeedWaker {
    int64_t time;
    /* lanes of processor and thread of the waker; TRACK_NONE: not shown, or the arrow is drawn */
    TrackId from[2];
    TrackId states; /* of the waker, until the goroutine gets a shared lane; else TRACK_NONE */
    LabelId label;  /* FEED_UNBLOCK or FEED_CREATE */
} FeedWaker;

/* The begin of something that is open when the window begins. */
typedef struct FeedSince {
    int64_t  time;
    EventPos pos;
} FeedSince;

/* A stop of the world, open while is_on. */
typedef struct FeedStop {
    TrackId   track; /* TRACK_NONE until the first stop is drawn */
    FeedSince since;
    StringId  reason;
    bool      is_on;
} FeedStop;

/* The activities that nest in a run. */
typedef enum {
    INSIDE_SYSCALL,
    INSIDE_SWEEP,
    INSIDE_ASSIST,
    INSIDE_STOP,
    INSIDE_WORK,
    INSIDE_COUNT
} FeedInsideKind;

typedef struct FeedInside {
    FeedInsideKind kind;
    LabelId        label;
    FeedSince      since;
} FeedInside;

/* The activity of the thread that has the processor. LOAD_NONE: no thread has it. */
typedef enum { LOAD_NONE, LOAD_RUNS, LOAD_SYSCALL } FeedLoad;

enum { FEED_LANE_MARKS = 64 };

/* A lane of a processor or a thread, and the goroutine that runs there. */
typedef struct FeedRun {
    int64_t id;
    TrackId track; /* TRACK_NONE: not shown */
    union {
        struct {
            uint32_t g; /* place of the running goroutine; 0 = none */
            uint16_t inside_count;
            uint16_t is_idle; /* processors: 1 = shown as idle */
        };
        uint64_t shows; /* all three above, compared at once; 0 = nothing is shown */
    };
    FeedLoad load; /* processors only, like has_state */
    bool     has_state;
    /* items of `marks`; while it is NULL: begins and ends added one by one, up to a bound */
    uint32_t      mark_count;
    AnywhereMark *marks;                /* buffered begins and ends, [FEED_LANE_MARKS]; NULL = not buffered */
    FeedInside    inside[INSIDE_COUNT]; /* open activities, outermost first, each kind once */
    FeedSince     run_since, idle_since;
} FeedRun;

/* A goroutine wakes or creates another one. It is kept while one of them has no track. */
typedef struct FeedArrow {
    int64_t   time;
    uint32_t  from, to; /* places in FeedPlaces.gs */
    FeedLabel label;
} FeedArrow;

/* The metrics in the trace. */
typedef enum {
    FEED_METRIC_HEAP,
    FEED_METRIC_HEAP_GOAL,
    FEED_METRIC_PROCESSORS,
    FEED_METRIC_COUNT
} FeedMetric;

enum { FEED_COUNT_STATES = GO_STATE_COUNT, COUNTED_STATES_COUNT = 4 };

/* An aligned counter. Two adjacent counters that change at once would cause a store forwarding stall. */
typedef struct FeedCount {
    _Alignas(16) uint64_t count;
} FeedCount;

/* The number of goroutines in each shown state at a time. */
typedef struct FeedCounts {
    int64_t  time;
    uint64_t of[COUNTED_STATES_COUNT];
    uint32_t running_threads;
    /* correction of syscall to runnable from here on, for ends of syscalls that were read late */
    int32_t left_syscall;
} FeedCounts;

#define FEED_MODE "GC" /* category of the labels of mark workers */

typedef struct FeedCarry   FeedCarry;   /* carry.c */
typedef struct FeedLanes   FeedLanes;   /* shared_lanes.c */
typedef struct FeedStepsV1 FeedStepsV1; /* steps_v1.c */

/* The goroutines, processors and threads by place. Item 0 of each array is unused. */
typedef struct FeedPlaces {
    FeedG   *gs;
    FeedRun *ps, *ms;
    uint32_t g_count, p_count, m_count;
    uint32_t g_capacity, p_capacity, m_capacity;
    uint32_t free_g;    /* place of the first free goroutine; FeedG.first_pending links to the next */
    uint32_t own_lanes; /* goroutines with their own lane */
    IdMap    g_map, p_map, m_map;
} FeedPlaces;

/* The changes of goroutines that have no track yet. */
typedef struct FeedPending {
    FeedChange *items;
    uint32_t    count, capacity;
    uint32_t    free; /* 1 + index of the first free item */
} FeedPending;

/* The arrows between goroutines. */
typedef struct FeedArrows {
    FeedArrow *items;
    uint32_t   count, capacity;
    uint32_t   left;        /* count after the last pass over `items` */
    uint64_t   total, step; /* arrows seen; one of `step` of them is kept */
    uint32_t   kept;
    FeedWaker *wakers; /* [waker_capacity], by place in gs; grows as needed */
    uint32_t   waker_capacity;
} FeedArrows;

/* The groups of the timeline, and the tracks that are not of a goroutine, processor or thread. */
typedef struct FeedGroups {
    ProcessId metrics, gc, processors, threads, tasks;
    TrackId   mark_track, task_track;
    uint16_t  task_kind;
    uint8_t   by_goroutine; /* bit of the perspective by goroutine */
} FeedGroups;

/* The lanes that this load builds. */
typedef struct FeedShows {
    bool ps, gs, ms;
} FeedShows;

typedef struct FeedNames {
    LabelId  labels[FEED_LABEL_COUNT];
    GoFrame *frames;     /* scratch for the stack that is being made */
    IdMap    reason_map; /* text -> LabelId.index of the wait with this reason */
} FeedNames;

/* GOMAXPROCS. */
typedef struct FeedLimit {
    int64_t processors, before; /* now, and the value before; below 0 = unknown */
    int64_t since;
} FeedLimit;

/* The counters of goroutines by state and of threads. */
typedef struct FeedCounters {
    FeedCount   states[FEED_COUNT_STATES]; /* goroutines by state */
    uint32_t    syscall_count;             /* goroutines with has_syscall */
    uint32_t    running_threads;           /* threads with a processor that are not in a syscall */
    int64_t     counted_at, step_ns;       /* time of the last item; least time to the next */
    int64_t     due;                       /* no item is due before this time */
    bool        has_uncounted;
    FeedCounts *items;
    uint32_t    count, capacity;
    uint32_t    dropped;     /* items dropped before the window */
    uint32_t    exits_ahead; /* v1: ends of syscalls after last_time, not yet in `states` */
    bool        has_ended;
    int64_t     left_before;
    int32_t     left_late; /* v1: sum of corrections since the last item */
} FeedCounters;

/* Garbage collection: the mark phase and the stops of the world. */
typedef struct FeedGc {
    bool      is_marking;
    FeedSince mark_since;
    /* [0]; before Go 1.10 by place in ps, because each processor stops the world by itself */
    FeedStop *stops;
    uint32_t  stop_count, stop_capacity;
} FeedGc;

/* For the messages and the extent of the trace at its end. */
typedef struct FeedReport {
    int64_t unseen_begin, unseen_end; /* range of the times of omitted events; begin > end = none */
    /* states, ranges, tasks and values that began before the window and continue in it */
    uint64_t prefixed_count;
    /* begins added at the begin of the trace for ranges whose begin is not in the file */
    uint64_t added_count;
} FeedReport;

typedef struct Feed {
    Arena        *arena;   /* borrowed */
    TraceBuilder *builder; /* borrowed */
    GoTrace      *trace;   /* borrowed */
    FeedShows     shows;
    FeedPlaces    places;
    FeedPending   pending;
    FeedArrows    arrows;
    FeedGroups    groups;
    FeedNames     names;
    SeriesId      metric_series[FEED_METRIC_COUNT];
    IdMap         task_map;
    FeedLimit     limit;
    FeedCounters  counters;
    FeedGc        gc;
    FeedReport    report;
    int64_t       last_time;
    uint64_t      event;     /* number of the current event */
    FeedCarry    *carry;     /* state carried to the begin of the window; NULL in and after the window */
    FeedLanes    *lanes;     /* lanes shared by goroutines; NULL: each goroutine has its own lane */
    FeedStepsV1  *steps_v1;  /* NULL until the first v1 step */
    uint8_t       exit_type; /* V1_GO_SYS_EXIT before 1.22; else UINT8_MAX */
    bool          out_of_memory;
} Feed;

/* The functions of GoSink. `context` is the Feed. */
void feed_begin(void *context, const GoTrace *trace);
bool feed_event(void *context, GoTrace *trace, const GoEvent *event);
bool feed_end(void *context, GoTrace *trace);

/* -- steps.c -- */

/* True if lanes of processors, goroutines, or all tracks are shown, so that feed_steps can serve as GoSink.steps. */
bool feed_takes_steps(const Feed *feed);
bool feed_steps(Feed *feed, GoTrace *trace);

/* -- feed.c -- */

/* Handles event number feed->event. Its time was passed to feed_reach. */
void feed_take(Feed *feed, const GoEvent *event);
/* Adds a value of a metric. The series is made with its first value, because an empty series would be an empty lane. */
void feed_metric(Feed *feed, FeedMetric metric, int64_t time, double value);
/* Returns a series of a counter of the whole trace. */
SeriesId feed_series(Feed *feed, const char *counter, const char *series, uint32_t colour);

/* Gives a goroutine its lane, when it runs or has an event of its own, and its name is known or will not become known.
 * The first FEED_OWN_LANES goroutines get their own lanes. Later goroutines share lanes, and may get no lane. */
enum { FEED_OWN_LANES = 10000 };
void feed_settle(Feed *feed, FeedG *g);
void feed_settle_alone(Feed *feed, FeedG *g);
/* Emits the pending changes from `since` on. True if the goroutine is in a state after them. */
bool feed_show_pending(Feed *feed, FeedG *g, int64_t since);
void feed_add_pending(Feed *feed, FeedG *g, const FeedChange *change);
/* Returns the process for the goroutines that begin with this function. */
ProcessId feed_group(Feed *feed, StringId function);
/* Returns the label of a state; LABEL_NONE if it has none. reason: of a wait, a text of GoTrace.texts; STRING_NONE = unknown. */
LabelId feed_state_label(Feed *feed, GoState state, StringId reason);
/* Ends a state on the track of states, if `ends`, and begins the next one. */
void feed_show_change(Feed *feed, TrackId states, const FeedChange *change, bool ends);
/* Passes the buffered changes to the builder. */
void feed_flush_states(Feed *feed, FeedG *g);
/* As feed_show_change, on the goroutine's own lane, after its buffered changes. */
void feed_show_own_change(Feed *feed, FeedG *g, const FeedChange *change, bool ends);
/* Buffers a change of the goroutine's state: `stack` is that of the end of the state and of the begin of the next. False, without
 * effect, if it needs feed_show_own_change. */
static ALWAYS_INLINE bool feed_put_state(Feed *feed, FeedG *g, int64_t time, LabelId label, StackId stack)
{
    FeedStates *const buffer = g->buffer;
    if (UNLIKELY(buffer == NULL || time < buffer->last_time || !g->has_state || label.index == 0))
        return false;
    buffer->items[buffer->count++] = (SliceChange){ time, label, stack };
    buffer->last_time = time;
    if (UNLIKELY(buffer->count == FEED_STATE_CHANGES)) feed_flush_states(feed, g);
    return true;
}
/* Ends the current state and begins the next one: on the track of states, or pending until there is one. */
void feed_change(Feed *feed, FeedG *g, const FeedChange *change);
/* Sets whether the goroutine is in a v1 syscall that may turn out to block, if goroutines are shown. */
void feed_note_syscall(Feed *feed, FeedG *g, bool has_syscall);
/* Widens the trace to the time of an omitted event, so that its begin and end do not depend on the lanes shown. */
void    feed_leave_out(Feed *feed, int64_t time);
LabelId feed_user_label(Feed *feed, StringId text, const char *category);
/* Returns the label for a region or log in the rows of its task. If goroutines are shown, the goroutine's lane shows it
 * as well; the label in the task is then a repeat (Label.is_repeat). */
LabelId feed_label_in_task(Feed *feed, LabelId label);
/* Returns the place of the goroutine, and adds it if it is new. 0 when out of memory. */
uint32_t feed_find_g(Feed *feed, int64_t id);
/* Returns *track, and makes it with this name on the first call. */
TrackId feed_track_once(Feed *feed, TrackId *track, ProcessId process, const char *name, double sort_index);

/* -- gc.c -- */

void feed_range_changes(Feed *feed, const GoEvent *event);
/* Begins a mark worker's slice with the kind in its label event. Since 1.22 the label follows the start; before 1.22
 * the start contains it. */
void feed_label_worker(Feed *feed, const GoEvent *event);
/* Ends the slice of a mark worker that stops running. */
void feed_worker_stops(Feed *feed, uint32_t place, const GoEvent *event);
/* Emits mark phases and stops that are open at the end of the trace. */
void feed_gc_end(Feed *feed);
/* Begin and end a slice on the goroutine's own track. The end belongs to the innermost slice. */
void feed_begin_nested(Feed *feed, FeedG *g, const GoEvent *event, LabelId label, int64_t since);
void feed_end_nested(Feed *feed, FeedG *g, const GoEvent *event, LabelId label);
void feed_begin_nested_at(Feed *feed, FeedG *g, FeedSince since, LabelId label, StackId stack);
/* Adds an event of a task, with the stack of its event. */
void feed_task_event(Feed *feed, AsyncKind kind, FeedSince since, uint64_t task, LabelId label,
                     StackId stack);

/* -- runs.c -- */

/* Adds a begin to a lane, or with LABEL_NONE the end of the innermost slice. All begins and ends of lanes pass through
 * here, except ends with details. */
void               feed_run_flush(Feed *feed, FeedRun *run);
void               feed_run_mark_slow(Feed *feed, FeedRun *run, int64_t time, LabelId label, EventPos pos);
static inline void feed_run_mark(Feed *feed, FeedRun *run, int64_t time, LabelId label, EventPos pos)
{
    if (UNLIKELY(run->marks == NULL)) {
        feed_run_mark_slow(feed, run, time, label, pos);
        return;
    }
    run->marks[run->mark_count++] = (AnywhereMark){ time, label };
    if (UNLIKELY(run->mark_count == FEED_LANE_MARKS)) feed_run_flush(feed, run);
}
/* Returns the lane. NULL: the id is GO_NONE, or is a thread's and threads are not shown. */
FeedRun *feed_find_p(Feed *feed, int64_t id);
FeedRun *feed_find_m(Feed *feed, int64_t id);
/* Returns the label of a goroutine's runs. */
LabelId feed_run_label(Feed *feed, FeedG *g);
/* Updates the lanes for a change of state of the goroutine at `place`. */
void feed_follow_runs(Feed *feed, uint32_t place, const GoEvent *event, int64_t since);
/* Sets the activity of the thread that has the processor. */
void feed_set_load(Feed *feed, FeedRun *p, FeedLoad load);
/* Handles a processor's change of state. Returns the place of the goroutine whose run this ends, or 0. */
uint32_t feed_processor_changes(Feed *feed, const GoEvent *event);
/* Handles GOMAXPROCS: updates the idle processors. */
void feed_set_processor_limit(Feed *feed, const GoEvent *event);
/* Begin and end an activity on a lane, or on the lanes where the goroutine at `place` runs. An activity ends at the end
 * of the run at the latest. */
void feed_run_enters(Feed *feed, FeedRun *run, FeedInsideKind kind, LabelId label, const GoEvent *event,
                     int64_t since);
void feed_run_leaves(Feed *feed, FeedRun *run, FeedInsideKind kind, const GoEvent *event, unsigned flags);
void feed_goroutine_enters(Feed *feed, uint32_t place, FeedInsideKind kind, LabelId label,
                           const GoEvent *event);
void feed_goroutine_leaves(Feed *feed, uint32_t place, FeedInsideKind kind, const GoEvent *event);
/* True if each processor stops the world by itself: before Go 1.10. */
bool feed_stops_by_processor(const Feed *feed);
/* Begin and end a stop of the world on the lanes of the processor and thread that stop it. */
void feed_stop_begins(Feed *feed, LabelId label, const GoEvent *event);
void feed_stop_ends(Feed *feed, const GoEvent *event);
/* Ends idleness at the end of the trace. */
void feed_idleness_ends(Feed *feed, int64_t time);
/* Flushes the buffers of all lanes to the builder. */
void feed_runs_end(Feed *feed);

/* -- carry.c: collects the state before the window, and emits it at the begin of the window -- */

bool feed_carry_begin(Feed *feed);
/* Records a goroutine's state; a change without a label ends it. stack: a place in the tables. */
void feed_carry_state(Feed *feed, uint32_t g, const FeedChange *change, uint32_t stack);
/* Records a nested slice: a region, a mark assist (category NULL) or a kind of mark worker (FEED_MODE). */
void feed_carry_nested(Feed *feed, uint32_t g, const char *category, const GoEvent *event, int64_t since);
void feed_carry_nested_ends(Feed *feed, uint32_t g);
/* Records an event of a task, or of a region in it. */
void feed_carry_task(Feed *feed, AsyncKind kind, const GoEvent *event, uint64_t task, StringId text,
                     const char *category);
void feed_carry_metric(Feed *feed, FeedMetric metric, int64_t time, double value);
/* Removes a goroutine that has ended, and frees its place. */
void feed_carry_forget(Feed *feed, uint32_t g);
/* Makes the stacks of everything open, before the tables are cleared. */
void feed_carry_stacks(Feed *feed);
/* Emits everything open at the begin of the window, with its original begin time. */
void feed_carry_end(Feed *feed);

/* -- counts.c -- */

void feed_counts_begin(Feed *feed);
void feed_counts_note(Feed *feed, int64_t time);
/* Returns the time from which on an event adds the next item, after an event at `time`. */
int64_t feed_counts_due(const Feed *feed, int64_t time);
/* Advances the counters to `time`, which is later than last_time. */
static ALWAYS_INLINE void feed_counts_reach(Feed *feed, int64_t time)
{
    if (UNLIKELY(time >= feed->counters.due)) feed_counts_note(feed, time);
}
/* Advances to the time of the next event. Does nothing if `time` is not later than last_time. */
static ALWAYS_INLINE void feed_reach(Feed *feed, int64_t time)
{
    if (time <= feed->last_time) return;
    feed_counts_reach(feed, time);
    feed->last_time = time;
}
/* v1: moves a goroutine from syscall to runnable at `time`, which may be before or after last_time. Items of `counts`
 * from `time` on are corrected, so that the counts do not depend on when such an event is read. */
void feed_counts_exit(Feed *feed, int64_t time);
void feed_counts_end(Feed *feed);

/* -- shared_lanes.c -- */

/* Returns the track of states of the goroutine at `place` if it is shown at `time`; else TRACK_NONE. */
TrackId feed_states_at(const Feed *feed, uint32_t place, int64_t time);
/* From now on goroutines without a lane share lanes. */
void feed_begin_sharing(Feed *feed);
/* Assigns a shared lane to the goroutine, if one is available, and emits its pending changes there. */
void feed_share_lane(Feed *feed, FeedG *g);
/* Updates the shared lane before the goroutine's next change. True if the lane shows a state, which then ends. */
bool feed_lane_follow(Feed *feed, FeedG *g, const FeedChange *change);
/* Names the shared lanes at the end of the trace. */
void feed_lanes_end(Feed *feed);

/* -- arrows.c -- */

/* Switches to shared lanes: emits the arrows whose ends have lanes, and keeps only the last waker for each other
 * goroutine. */
void feed_arrows_share(Feed *feed);
/* Emits the kept arrow to a goroutine that got a shared lane and is shown from `since` on. */
void feed_arrow_to_shared_lane(Feed *feed, uint32_t place, int64_t since);
/* Adds an arrow from the waker's state at `time` to the state that begins at `arrival`, unless a track is TRACK_NONE. */
void feed_add_arrow(Feed *feed, TrackId from, int64_t time, TrackId to, int64_t arrival, LabelId label);
/* Adds an arrow between lanes, unless it is thinned out: it leaves `from` at `since` and arrives on `to` at `time`. */
void feed_add_run_arrow(Feed *feed, TrackId from, int64_t since, TrackId to, int64_t time, LabelId label);
/* Adds the arrow for a change of state that another goroutine caused. */
void feed_arrow(Feed *feed, uint32_t place, const GoEvent *event);
/* Returns the FeedWaker of the goroutine at `place`. NULL when out of memory. */
FeedWaker *feed_waker(Feed *feed, uint32_t place);
/* True if thinning omits the next arrow, which is then counted. */
static ALWAYS_INLINE bool feed_thins_arrow(Feed *feed)
{
    const bool leaves_out =
        (feed->arrows.total & (feed->arrows.step - 1)) != 0; /* arrows.step is a power of two */
    feed->arrows.total += leaves_out ? 1 : 0;
    return leaves_out;
}
/* Emits the arrow between lanes to the goroutine at `place`, which begins to run. */
void feed_arrow_to_run(Feed *feed, uint32_t place, const FeedRun *p, const FeedRun *m, int64_t time);
/* Emits the kept arrows after every goroutine has its lane. */
void feed_arrows_end(Feed *feed);

/* -- rest.c -- */

/* Gives lanes to goroutines without one at the end of the trace. */
void feed_rest_end(Feed *feed);

/* -- names.c -- */

void feed_make_labels(Feed *feed);
/* Returns the builder's string for a text of GoTrace.texts. */
StringId feed_string(Feed *feed, StringId text);
/* Returns the formatted text as a string of the builder. */
StringId feed_printf(Feed *feed, const char *format, ...) PRINTF_LIKE(2, 3);
/* Returns the label of a kind of mark worker, such as "GC (dedicated)". mode: a text of GoTrace.texts. */
LabelId feed_mode_label(Feed *feed, StringId mode);
/* Returns the label of a wait. reason: a text of GoTrace.texts. */
LabelId feed_wait_label(Feed *feed, StringId reason);
/* Returns the builder's stack for a place in the tables of the current event; STACK_NONE for 0. */
StackId feed_stack(Feed *feed, uint32_t place);
/* True if feed_stack makes no new stack. */
bool feed_has_stack(const Feed *feed, uint32_t place);
/* Names a goroutine after the outermost frame of a stack. */
void feed_make_name(Feed *feed, FeedG *g, uint32_t stack_place);
/* Names a goroutine if it has no name. stack_place: 0 = no stack. */
static inline void feed_name(Feed *feed, FeedG *g, uint32_t stack_place)
{
    if (UNLIKELY(g->name.index == 0) && stack_place != 0) feed_make_name(feed, g, stack_place);
}

#endif
