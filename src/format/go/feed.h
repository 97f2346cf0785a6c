/* format/go/feed.h - from events to what is drawn: processors, goroutines, threads, garbage collection,
 * tasks, counters.
 *
 * The builder's processes are the groups of the timeline:
 *
 *   Metrics               heap and goal, goroutines by state, threads: counters
 *   Garbage collection    mark phases, stops of the world
 *   Processors            a thread for each P: which goroutine runs, or that it is idle; within: syscalls, sweeping, assists,
 *                         stops of the world, kinds of mark workers
 *   Threads               a thread for each M: likewise
 *   Tasks                 user tasks, asynchronous, with their regions and logs
 *   main.worker ...       a thread for each goroutine that begins with this function: its states; regions, assists, samples
 */
#ifndef FORMAT_GO_FEED_H
#define FORMAT_GO_FEED_H
#include "format/go/go_trace.h"

/* What a goroutine or its processor is shown to do. */
typedef enum {
    FEED_RUNNABLE,
    FEED_RUNNING,
    FEED_SYSCALL,
    FEED_BLOCKING_SYSCALL, /* without a processor */
    FEED_WAITING,          /* each reason has a label of its own */
    FEED_SWEEP,
    FEED_ASSIST,
    FEED_IDLE,
    FEED_MARK,
    FEED_SAMPLE,
    FEED_UNBLOCK, /* of arrows */
    FEED_CREATE,
    FEED_LABEL_COUNT
} FeedLabel;

/* A change of a goroutine's state; kept while the goroutine has no place yet. */
typedef struct FeedChange {
    int64_t  time;
    LabelId  label; /* of the state that begins; LABEL_NONE: none does */
    StackId  begin_stack, end_stack;
    EventPos pos;
    bool     ends; /* another one ends */
    uint32_t next; /* 1 + index; 0 = the last; of one that is not kept any more: the next such one */
} FeedChange;

typedef struct FeedG {
    int64_t  id;
    TrackId  thread, states; /* TRACK_NONE: it has no name yet, or has not run */
    LabelId  label;          /* "G7 main.worker": of its runs */
    StringId name;           /* the function it begins with, of GoTrace.texts; STRING_NONE = not known */
    uint8_t  state;          /* GoState */
    bool     has_state;      /* it is shown in one */
    bool     is_guest;       /* it has had a lane that is shared */
    int64_t  syscall_since;  /* v1: the last GoSysCall, which may turn out to block */
    uint32_t syscall_stack;  /* its place in the tables */
    uint32_t first_pending, last_pending;
    uint32_t open_count;               /* regions and assists that are begun on `thread` */
    bool     is_assisting, is_working; /* is_working: its kind of mark worker is begun on `thread` */
    bool     has_syscall, is_free;     /* is_free: of one that ended before a window, to be used again */
    uint32_t lane;                     /* shared, on which it stands; 0 = on none */
} FeedG;

/* Who woke a goroutine last that has not run since: the lanes it ran on. */
typedef struct FeedWaker {
    int64_t time;
    TrackId from[2]; /* processor, thread; TRACK_NONE: not shown, or it has run since */
    TrackId states;  /* of the waker, as long as who was woken has no lane; else TRACK_NONE */
    LabelId label;   /* unblock or create */
} FeedWaker;

/* When something began, before the window. */
typedef struct FeedSince {
    int64_t  time;
    EventPos pos;
} FeedSince;

/* A stop of the world that goes on. */
typedef struct FeedStop {
    TrackId   track; /* TRACK_NONE: none is drawn yet */
    FeedSince since;
    StringId  reason;
    bool      is_on;
} FeedStop;

/* What goes on while a goroutine runs. */
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

/* What the thread does that has a processor; LOAD_NONE: none has it. */
typedef enum { LOAD_NONE, LOAD_RUNS, LOAD_SYSCALL } FeedLoad;

enum { FEED_LANE_MARKS = 64 };

/* Who runs on a processor or thread. */
typedef struct FeedRun {
    int64_t id;
    TrackId track; /* TRACK_NONE: it is not shown */
    union {
        struct {
            uint32_t g; /* place of who runs; 0 = nobody */
            uint16_t inside_count;
            uint16_t is_idle; /* of processors: 1 = it is shown so */
        };
        uint64_t shows; /* these, to be looked at all at once; 0 = nothing */
    };
    FeedLoad load; /* of processors; likewise below */
    bool     has_state;
    uint32_t
        mark_count; /* of marks; without them: of those that went to the builder one by one, up to a bound */
    AnywhereMark *marks; /* [FEED_LANE_MARKS], on their way to the builder; NULL = none stop here */
    FeedInside    inside[INSIDE_COUNT]; /* outermost first, each kind once */
    FeedSince     run_since, idle_since;
} FeedRun;

/* One goroutine wakes or starts another; kept while one of them has no place yet. */
typedef struct FeedArrow {
    int64_t   time;
    uint32_t  from, to; /* places in Feed.gs */
    FeedLabel label;
} FeedArrow;

/* Values that the program tells. */
typedef enum {
    FEED_METRIC_HEAP,
    FEED_METRIC_HEAP_GOAL,
    FEED_METRIC_PROCESSORS,
    FEED_METRIC_COUNT
} FeedMetric;

enum { FEED_COUNT_STATES = GO_STATE_COUNT, COUNTED_STATES_COUNT = 4 };

/* Each apart from the others: two that are changed at once would have to wait until both are in memory. */
typedef struct FeedCount {
    _Alignas(16) uint64_t count;
} FeedCount;

/* How many goroutines are in each state that is shown, at a time. */
typedef struct FeedCounts {
    int64_t  time;
    uint64_t of[COUNTED_STATES_COUNT];
    uint32_t running_threads;
    int32_t
        left_syscall; /* from here on so many more had come from a syscall and were runnable: found out later */
} FeedCounts;

#define FEED_MODE "GC" /* the category of kinds of mark workers */

typedef struct FeedCarry FeedCarry; /* feed_carry.c */
typedef struct FeedLanes FeedLanes; /* feed_lanes.c */
typedef struct FeedStepsV1 FeedStepsV1; /* feed_steps_v1.c */

typedef struct Feed {
    Arena        *arena;   /* borrowed */
    TraceBuilder *builder; /* borrowed */
    GoTrace      *trace;   /* borrowed */
    FeedG        *gs;      /* [0] none; likewise below */
    FeedRun      *ps, *ms;
    FeedChange   *pending;
    FeedArrow    *arrows;
    uint32_t      arrow_count, arrow_capacity; /* of arrows */
    uint32_t      arrows_left;                 /* of them, when those with two ends were last told */
    uint64_t      arrow_total, arrow_step;     /* of those that there were, each of so many is kept */
    uint32_t      arrows_kept;
    FeedWaker    *wakers; /* by place in gs; as far as any was woken */
    uint32_t      waker_capacity;
    uint32_t      g_count, p_count, m_count, pending_count;
    uint32_t      free_change;   /* 1 + index in pending */
    uint32_t      syscall_count; /* goroutines that have one */
    uint32_t      free_g;        /* place; FeedG.first_pending is the next */
    uint32_t      g_capacity, p_capacity, m_capacity, pending_capacity;
    IdMap         g_map, p_map, m_map, task_map;
    uint8_t       by_goroutine;                 /* bit of the perspective */
    bool          shows_ps, shows_gs, shows_ms; /* what the trace is made for */
    ProcessId     metrics, gc, processors, threads, tasks;
    TrackId       mark_track, task_track;
    LabelId       labels[FEED_LABEL_COUNT];
    GoFrame      *frames;     /* of the stack that is being made */
    IdMap         reason_map; /* text -> LabelId.index of a wait for it */
    SeriesId      metric_series[FEED_METRIC_COUNT];
    int64_t       processor_limit, limit_before; /* as last told, and before that; below 0 = not yet */
    int64_t       limit_since;
    FeedCount     g_states[FEED_COUNT_STATES]; /* how many goroutines are in each */
    int64_t       counted_at, count_ns;        /* when they were last noted; how long to wait from there */
    int64_t       counts_due;                  /* before it there is nothing to note */
    bool          has_uncounted;
    uint32_t      running_threads; /* that have a processor and are in no syscall */
    FeedCounts   *counts;
    uint32_t      count_total, count_capacity; /* of counts */
    uint32_t      exits_ahead;                 /* ends of syscalls after last_time, not in g_states yet */
    bool          counts_ended;
    uint32_t      count_dropped; /* of counts: before a window, what they knew is in left_before */
    int64_t       left_before;
    int32_t       left_late; /* ends of syscalls since the last of counts that it did not know of */
    int64_t       mark_since;
    EventPos      mark_pos;
    bool          is_marking;
    FeedStop     *stops; /* [0]; before Go 1.10, where each processor stops the world by itself, by place in ps */
    uint32_t      stop_count, stop_capacity;
    int64_t       last_time;
    int64_t       unseen_begin, unseen_end; /* times of what is left out; begin > end = nothing is */
    uint64_t      event;                    /* number of the one at hand */
    FeedCarry    *carry;                    /* before a window: what it will begin with; else NULL */
    FeedLanes    *lanes;                    /* that goroutines share; NULL: each has its own */
    FeedStepsV1  *steps_v1;                 /* NULL until there are some */
    uint32_t      own_lanes;                /* goroutines that have one */
    uint16_t      task_kind;
    uint8_t       exit_type; /* V1_GO_SYS_EXIT before 1.22; else no type */
    uint64_t      prefixed_count; /* states, ranges, tasks and values that began before the window and go on in it */
    uint64_t      added_count;    /* begins, at the trace's begin, of ranges whose own begin is not in the file */
    bool          out_of_memory;
} Feed;

/* The event of every sink function gets the Feed as its context. */
void feed_begin(void *context, const GoTrace *trace);
bool feed_event(void *context, GoTrace *trace, const GoEvent *event);
bool feed_end(void *context, GoTrace *trace);

/* -- feed_steps.c -- */

/* Whether only lanes of processors are shown: then feed_steps is GoSink.steps. */
bool feed_takes_steps(const Feed *feed);
bool feed_steps(Feed *feed, GoTrace *trace);

/* -- feed.c -- */

/* The event of number feed->event, at a time that is reached. */
void feed_take(Feed *feed, const GoEvent *event);
/* A value that the program tells. Its series is made with the first: without any it would be an empty lane. */
void feed_metric(Feed *feed, FeedMetric metric, int64_t time, double value);
/* A series of a counter of the whole trace. */
SeriesId feed_series(Feed *feed, const char *counter, const char *series, uint32_t colour);

/* Gives the goroutine its place, now that it runs or something is known of it, and its name is known or will
 * not be any more: FEED_OWN_LANES goroutines have a lane each, more of them share lanes, and may have to do
 * without. */
enum { FEED_OWN_LANES = 10000 };
void feed_settle(Feed *feed, FeedG *g);
void feed_settle_alone(Feed *feed, FeedG *g);
/* Shows what was kept of it from this time on; whether it is in a state then. */
bool feed_show_kept(Feed *feed, FeedG *g, int64_t since);
/* What was kept of it is not shown. */
void feed_drop_kept(Feed *feed, FeedG *g);
void feed_keep(Feed *feed, FeedG *g, const FeedChange *change);
/* The group of the goroutines that begin with this function. */
ProcessId feed_group(Feed *feed, StringId name);
/* A state begins, and the one before it ends: on its track, or kept until there is one. */
void feed_change(Feed *feed, FeedG *g, const FeedChange *change);
/* The trace reaches to this time, though what happens there is left out: it begins and ends at the same times
 * whatever it is made for. */
void    feed_leave_out(Feed *feed, int64_t time);
LabelId feed_user_label(Feed *feed, StringId text, const char *category);
/* Returns the label for a region or log in the rows of its task. Where goroutines are shown, the goroutine that it
 * is of shows it as well: then the one in the task is a repeat (Label.is_repeat). */
LabelId feed_label_in_task(Feed *feed, LabelId label);
/* Its place, made when it is new; 0 when out of memory. */
uint32_t feed_find_g(Feed *feed, int64_t id);
/* The track of this name, made when it is needed. */
TrackId feed_track_once(Feed *feed, TrackId *track, ProcessId process, const char *name, double sort_index);

/* -- feed_gc.c -- */

void feed_range_changes(Feed *feed, const GoEvent *event);
/* A mark worker says of which kind it is. Before 1.22 it does so when it starts, later behind that. */
void feed_label_told(Feed *feed, const GoEvent *event);
/* It runs no longer. */
void feed_worker_stops(Feed *feed, uint32_t place, const GoEvent *event);
/* What goes on when the trace ends. */
void feed_gc_end(Feed *feed);
/* A slice on the goroutine's own track begins, and the last one that did ends. */
void feed_nests(Feed *feed, FeedG *g, const GoEvent *event, LabelId label, int64_t since);
void feed_unnests(Feed *feed, FeedG *g, const GoEvent *event, LabelId label);
void feed_nested_begins(Feed *feed, FeedG *g, FeedSince since, LabelId label, StackId stack);
/* Of a task, with the stack of its event. */
void feed_task_event(Feed *feed, AsyncKind kind, FeedSince since, uint64_t task, LabelId label,
                     StackId stack);

/* -- feed_runs.c -- */

/* Something begins on a lane, or (LABEL_NONE) what began last ends: all of it goes this way. */
void               feed_run_marks_go(Feed *feed, FeedRun *run);
void               feed_run_mark_alone(Feed *feed, FeedRun *run, int64_t time, LabelId label, EventPos pos);
static inline void feed_run_mark(Feed *feed, FeedRun *run, int64_t time, LabelId label, EventPos pos)
{
    if (UNLIKELY(run->marks == NULL)) {
        feed_run_mark_alone(feed, run, time, label, pos);
        return;
    }
    run->marks[run->mark_count++] = (AnywhereMark){ time, label };
    if (UNLIKELY(run->mark_count == FEED_LANE_MARKS)) feed_run_marks_go(feed, run);
}
/* NULL: the id is GO_NONE, or of a thread where threads are not shown. */
FeedRun *feed_find_p(Feed *feed, int64_t id);
FeedRun *feed_find_m(Feed *feed, int64_t id);
/* The label of a goroutine's runs. */
LabelId feed_run_label(Feed *feed, FeedG *g);
/* Who runs where changes with the state of the goroutine at `place`. */
void feed_follow_runs(Feed *feed, uint32_t place, const GoEvent *event, int64_t since);
/* What the thread of a processor does. */
void feed_set_load(Feed *feed, FeedRun *p, FeedLoad load);
/* A processor's state changes. Gives the place of who ran there and does not any more, or 0. */
uint32_t feed_processor_changes(Feed *feed, const GoEvent *event);
/* GOMAXPROCS: which processors there are. */
void feed_processors_told(Feed *feed, const GoEvent *event);
/* Something begins or ends on a lane, or on that of who runs there. It ends with the run at the latest. */
void feed_run_enters(Feed *feed, FeedRun *run, FeedInsideKind kind, LabelId label, const GoEvent *event,
                     int64_t since);
void feed_run_leaves(Feed *feed, FeedRun *run, FeedInsideKind kind, const GoEvent *event, unsigned flags);
void feed_goroutine_enters(Feed *feed, uint32_t place, FeedInsideKind kind, LabelId label,
                           const GoEvent *event);
void feed_goroutine_leaves(Feed *feed, uint32_t place, FeedInsideKind kind, const GoEvent *event);
/* True if each processor stops the world by itself: before Go 1.10. */
bool feed_stops_by_processor(const Feed *feed);
/* A stop of the world, on the lanes of the processor and the thread that ask for it. */
void feed_stop_begins(Feed *feed, LabelId label, const GoEvent *event);
void feed_stop_ends(Feed *feed, const GoEvent *event);
/* The trace ends: so does idleness, ... */
void feed_idleness_ends(Feed *feed, int64_t time);
/* ... and the last marks go to the builder. */
void feed_runs_end(Feed *feed);

/* -- feed_carry.c: before a window nothing is drawn; what goes on when it begins is carried to it -- */

bool feed_carry_begin(Feed *feed);
/* A goroutine's state; an end of it when the change has no label. stack: a place in the tables. */
void feed_carry_state(Feed *feed, uint32_t g, const FeedChange *change, uint32_t stack);
/* A region; without a category a mark assist; of FEED_MODE a kind of mark worker. */
void feed_carry_nested(Feed *feed, uint32_t g, const char *category, const GoEvent *event, int64_t since);
void feed_carry_nested_ends(Feed *feed, uint32_t g);
/* A task, or a region in it. */
void feed_carry_task(Feed *feed, AsyncKind kind, const GoEvent *event, uint64_t task, StringId text,
                     const char *category);
void feed_carry_metric(Feed *feed, FeedMetric metric, int64_t time, double value);
/* The goroutine is no more: its place is free. */
void feed_carry_forget(Feed *feed, uint32_t g);
/* The tables go: the stacks of what still goes on are kept. */
void feed_carry_stacks(Feed *feed);
/* The window begins: all that goes on is begun, when it began. */
void feed_carry_end(Feed *feed);

/* -- feed_counts.c -- */

void feed_counts_begin(Feed *feed);
void feed_counts_note(Feed *feed, int64_t time);
/* An event comes at a time later than the last's: what was counted up to that has held until now. */
static ALWAYS_INLINE void feed_counts_reach(Feed *feed, int64_t time)
{
    if (UNLIKELY(time >= feed->counts_due)) feed_counts_note(feed, time);
}
/* What happens at this time, later than the last or not, is about to be told. */
static ALWAYS_INLINE void feed_reach(Feed *feed, int64_t time)
{
    if (time <= feed->last_time) return;
    feed_counts_reach(feed, time);
    feed->last_time = time;
}
/* v1: a goroutine left its syscall and is runnable, at a time that is to come or has passed: what was noted
 * since then learns of it. So the counts are the same whether such events come in their time or late. */
void feed_counts_exit(Feed *feed, int64_t time);
void feed_counts_end(Feed *feed);

/* -- feed_lanes.c -- */

/* The states of the goroutine at `place`, if they are shown at this time; else TRACK_NONE. */
TrackId feed_states_at(const Feed *feed, uint32_t place, int64_t time);
/* From now on goroutines share lanes. */
void feed_begin_sharing(Feed *feed);
/* Finds it a lane that it shares, if there is one, and shows there what was kept. */
void feed_share_lane(Feed *feed, FeedG *g);
/* What it does on a shared lane is about to change. Whether a state is shown there, which ends. */
bool feed_lane_follow(Feed *feed, FeedG *g, const FeedChange *change);
/* The trace ends: the lanes get their names. */
void feed_lanes_end(Feed *feed);

/* -- feed_arrows.c -- */

/* Goroutines share lanes from now on: of those that have none only who woke them is kept. */
void feed_arrows_share(Feed *feed);
/* A goroutine that shares a lane got it, and is shown from this time on: so is who woke it. */
void feed_arrow_waited(Feed *feed, uint32_t place, int64_t since);
/* Of the event that changes the state of the goroutine at `place`, if another one does that. */
void feed_arrow(Feed *feed, uint32_t place, const GoEvent *event);
/* Who woke the goroutine at `place`; NULL when out of memory. */
FeedWaker *feed_waker(Feed *feed, uint32_t place);
/* Whether the arrow that is about to be told is one of many that are left out; then it is told. */
static ALWAYS_INLINE bool feed_leaves_out_arrow(Feed *feed)
{
    const bool leaves_out = (feed->arrow_total & (feed->arrow_step - 1)) != 0; /* a power of two */
    feed->arrow_total += leaves_out ? 1 : 0;
    return leaves_out;
}
/* Who was woken runs: the arrows between lanes end here. */
void feed_arrow_arrives(Feed *feed, uint32_t place, const FeedRun *p, const FeedRun *m, int64_t time);
/* Those that were kept, once every goroutine has its place. */
void feed_arrows_end(Feed *feed);

/* -- feed_rest.c -- */

/* The trace ends: goroutines that never ran in it get their places. */
void feed_rest_end(Feed *feed);

/* -- feed_names.c -- */

void feed_make_labels(Feed *feed);
/* The builder's string of a text of GoTrace.texts. */
StringId feed_string(Feed *feed, StringId text);
/* "prefix TEXT suffix" as a string of the builder. */
StringId feed_printf(Feed *feed, const char *format, ...) PRINTF_LIKE(2, 3);
/* The label of a kind of mark worker (a text of GoTrace.texts): "GC (dedicated)". */
LabelId feed_mode_label(Feed *feed, StringId mode);
/* The label of waiting for a reason (a text of GoTrace.texts). */
LabelId feed_wait_label(Feed *feed, StringId reason);
/* The builder's stack of a place in the tables of the event at hand; STACK_NONE for 0. */
StackId feed_stack(Feed *feed, uint32_t place);
/* Names a goroutine after the outermost frame of a stack. */
void feed_make_name(Feed *feed, FeedG *g, uint32_t stack_place);
/* The same, unless it has a name. stack_place: 0 = none. */
static inline void feed_name(Feed *feed, FeedG *g, uint32_t stack_place)
{
    if (UNLIKELY(g->name.index == 0) && stack_place != 0) feed_make_name(feed, g, stack_place);
}

#endif
