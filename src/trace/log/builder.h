/* trace/log/builder.h - the event sink of the readers, and the only creator of Traces.
 *
 * A reader calls it in file order, with ticks of the input's clock. The builder only appends to one log per thread
 * until builder_finish, which does the work that all formats need: matching ends with begins, sorting unsorted events,
 * nesting, lanes for overlapping slices, instants at their depth, columns, and the level-of-detail index.
 *
 * Failure is sticky: when memory is exhausted, all calls have no effect and builder_failed is true; a reader checks it
 * once per call of its `read`. One builder, one thread at a time. */
#ifndef TRACE_LOG_BUILDER_H
#define TRACE_LOG_BUILDER_H
#include "base/progress.h"
#include "trace/store/trace.h"

#include <stdarg.h>

typedef struct TraceBuilder TraceBuilder;

/* The offset of an event's record in the (decompressed) input, and its number in the file, from 0. */
typedef struct EventPos {
    uint64_t offset; /* below 2^48 */
    uint64_t event;
} EventPos;

/* The common part of an event that is not in the log of its thread. */
typedef struct EventHead {
    TrackId  thread;
    int64_t  tick;
    LabelId  label;
    EventPos pos;
    bool     is_timeless; /* builder_other only: the event has no time, and `tick` is ignored */
} EventHead;

/* The rule by which ends find their begins. */
typedef enum {
    /* Trace Event JSON: stably sorted by time first; an end closes the innermost open slice of its name, and the open
     * slices inside it get SLICE_NO_END; an end without a name closes the innermost slice. */
    MATCH_BY_TIME_AND_NAME,
    /* .spall: in file order, an end closes the innermost open slice; a time before the previous one of its thread is
     * set to the previous one and reported as "time-travel". */
    MATCH_IN_FILE_ORDER
} MatchRule;

/* The rule for two complete events with the same begin and end: the outer one. */
typedef enum {
    TIES_EARLIER_OUTSIDE, /* the earlier event in the file is outside: Trace Event JSON */
    /* The later event is outside: in files whose writer adds a slice at its end. A slice of length 0 at the end of
     * another is inside it if it is earlier in the file. */
    TIES_LATER_OUTSIDE
} TieRule;

/* OVERLAPS_EXPECTED: slices of one thread that overlap without nesting are normal in the format. */
typedef enum { OVERLAPS_REPORTED, OVERLAPS_EXPECTED } OverlapRule;

/* The end of a slice without an end event. */
typedef enum { UNFINISHED_TO_TRACE_END, UNFINISHED_TO_THREAD_END } UnfinishedRule;
/* ENDLESS_EXPECTED: slices without an end are normal in a recording of a running program. */
typedef enum { ENDLESS_REPORTED, ENDLESS_EXPECTED } EndlessRule;

/* Flags of events. */
enum {
    EVENT_DETAILS = 1 << 0,  /* the input has more arguments than the call: keep the offset */
    EVENT_NO_END = 1 << 1,   /* builder_complete: the end is unknown, end_tick is ignored */
    EVENT_REPAIRED = 1 << 2, /* the reader had to change a time of the event */
    /* builder_begin, builder_end, without EVENT_DETAILS: the position in the input is not stored, which halves the
     * memory if the events of a thread are scattered over the input. Warnings about a begin without an end, and about
     * an end without a begin, have no position then. */
    EVENT_ANYWHERE = 1 << 4,
    EVENT_PART = 1 << 5 /* of observed events only: OTHER_PART */
};

/* Returns a builder, or NULL when out of memory. memory_limit limits the memory of the trace, in bytes; 0 = no
 * limit. */
TraceBuilder *builder_create(const char *format_name, uint64_t memory_limit) WARN_UNUSED;
/* Returns the bytes of memory that it holds. */
uint64_t builder_held_bytes(const TraceBuilder *builder);
void     builder_destroy(TraceBuilder *builder); /* also after builder_finish; NULL is allowed */
bool     builder_failed(const TraceBuilder *builder);
/* Fills err after a failure: out of memory, or above the limit. */
void builder_error(const TraceBuilder *builder, Err *err);

void builder_set_version(TraceBuilder *builder, const char *version);
void builder_set_rules(TraceBuilder *builder, MatchRule match, UnfinishedRule unfinished);
void builder_set_ties(TraceBuilder *builder, TieRule ties);
void builder_set_overlaps(TraceBuilder *builder, OverlapRule overlaps);
void builder_set_endless(TraceBuilder *builder, EndlessRule endless);
/* Sets the words before the id of processes and threads without a name: static strings, "Process"
 * and "Thread" by default. */
void builder_set_titles(TraceBuilder *builder, const char *process, const char *thread);
/* Sets the kind (builder_event_kind) of end events, a static string, "end" by default: an end without a begin is kept
 * as an OtherEvent of this kind. */
void builder_set_end_kind(TraceBuilder *builder, const char *name);
/* Marks the trace as incomplete: the input ended early or part of it could not be decoded. */
void builder_set_incomplete(TraceBuilder *builder);
/* Tells, before the first event, that the trace grows while it is read (trace/live/live.h): begin and end events are
 * taken in the order of their arrival. A late one gets the time of the one before it on its thread. */
void builder_set_growing(TraceBuilder *builder);
/* Restricts the trace to a part of the input, with both ends included: Trace.window.begin and window.end. The reader
 * omits the rest. */
void builder_set_window(TraceBuilder *builder, int64_t begin_tick, int64_t end_tick);
/* Tells the load that the rest of the input need not be read. */
void builder_set_enough(TraceBuilder *builder);
bool builder_has_enough(const TraceBuilder *builder);
/* Call before the first event with a time. */
void         builder_set_clock(TraceBuilder *builder, Clock clock);
const Clock *builder_clock(const TraceBuilder *builder);
/* Converts all stored times to another clock on the same axis, rounded to its nearest tick. False without any effect if
 * a time does not fit. *rounded: a time lost precision. */
bool builder_change_clock(TraceBuilder *builder, Clock clock, bool *rounded) WARN_UNUSED;

/* Limits the bytes of names: new names above the limit become the name BUILDER_OTHER_NAME, with a warning. For a
 * growing trace in limited memory; 0 = no limit. */
void builder_set_names_most(TraceBuilder *builder, uint64_t bytes);
#define BUILDER_OTHER_NAME "(a name that was not kept)"
/* Limits the number of processes and of threads: new ones above the limit become one with the id BUILDER_REST_ID (a
 * thread in each process), with a warning. 0 = no limit. */
void builder_set_tracks_most(TraceBuilder *builder, uint32_t most);
/* Limits the number of async ids with retained events: events of later ones are treated as events of one id, with a
 * warning ("ids-not-kept"). */
void builder_set_async_ids_most(TraceBuilder *builder, uint32_t most);
#define BUILDER_REST_ID "(others)"
/* Strings must be valid UTF-8 (base/utf8.h repairs). */
StringId builder_string(TraceBuilder *builder, const char *bytes, size_t size);
/* Returns the text of a string, valid as long as the builder. */
StringView builder_text(const TraceBuilder *builder, StringId string);
/* Interns a label of a name and a category, each STRING_NONE if it is missing. An empty text counts as missing. */
LabelId builder_label(TraceBuilder *builder, StringId name, StringId category);
/* Returns the label of the same name, category and colour with Label.is_repeat. */
LabelId builder_repeat_label(TraceBuilder *builder, LabelId label);
/* Returns the name, category and colour of a label. */
Label builder_label_parts(const TraceBuilder *builder, LabelId label);
/* Returns the label of the same name and category with this colour (LABEL_COLOUR, or 0 = none). A slice has the label
 * of its begin, with the colour of its end's label if that has one. Ends are matched independently of colours. */
LabelId builder_colour_label(TraceBuilder *builder, LabelId label, uint32_t colour);

/* Returns the process or thread of an id, created on first use. Needs a hash look-up: readers cache the last few. */
ProcessId builder_process(TraceBuilder *builder, Ident pid);
/* A thread with IDENT_NONE is the process itself, for its asynchronous slices and raw events: it has no track. */
TrackId builder_thread(TraceBuilder *builder, ProcessId process, Ident tid);

/* Returns the first thread of any process that has this id, or TRACK_NONE. */
TrackId builder_find_thread(TraceBuilder *builder, Ident tid);

/* Metadata: the last call wins. */
void builder_name_process(TraceBuilder *builder, ProcessId process, StringId name);
void builder_name_thread(TraceBuilder *builder, TrackId thread, StringId name);
/* Adds labels, a comma-separated list, to those of the process. */
void builder_label_process(TraceBuilder *builder, ProcessId process, StringId labels);
/* sort_index: finite. */
void builder_sort_process(TraceBuilder *builder, ProcessId process, double sort_index);
void builder_sort_thread(TraceBuilder *builder, TrackId thread, double sort_index);
/* Adds a perspective: one of several views of the same events (by processor, by goroutine), which a viewer can show
 * separately. Returns its bit; the same name gives the same bit. At most PERSPECTIVES_MAX. `name`: a static string,
 * shown in the viewer. */
uint8_t builder_perspective(TraceBuilder *builder, const char *name);
/* Sets the perspective for which the trace is made: a name in any case; "" = the first one that is added; NULL, the
 * default = all. Call before the first perspective is added. The text is borrowed. */
void builder_want_perspective(TraceBuilder *builder, const char *name);
/* True if the trace is made for any of these perspectives. Tracks of others can be omitted. */
bool builder_makes(const TraceBuilder *builder, uint8_t perspectives);
/* Limits a process to these perspectives. By default it belongs to all. */
void builder_place_process(TraceBuilder *builder, ProcessId process, uint8_t perspectives);
/* Promises that all later events are before byte `size` of the input. Without the promise, positions take more
 * memory. */
void builder_set_input_size(TraceBuilder *builder, uint64_t size);
/* Makes counters keep their last values until the last event of their process, instead of the end of the trace. */
void builder_end_counters(TraceBuilder *builder);
/* Sets the input offset of the next block: the position of warnings about calls without a position. */
void     builder_set_read_offset(TraceBuilder *builder, uint64_t offset);
EventPos builder_read_pos(const TraceBuilder *builder);
/* Extends the range of the trace to this tick without an event. */
void builder_widen(TraceBuilder *builder, int64_t tick);
/* Marks a track whose slices divide all tracks (frames): Track.divides. */
void builder_divide_by(TraceBuilder *builder, TrackId thread);
/* Sets the kind of a process's tracks if they are not threads, in the singular: "processor", "goroutine". */
void builder_call_threads(TraceBuilder *builder, ProcessId process, StringId noun);
/* Adds to the number of a process's tracks that share a thread of the builder with another track. */
void builder_share_lanes(TraceBuilder *builder, ProcessId process, int64_t more);
/* Adds a top-level key of the file; `json` is one valid JSON value, copied. */
void builder_property(TraceBuilder *builder, StringId key, const char *json, size_t size);
/* Stores data for the reader's `details`: Trace.source.kept. It is released with the trace, or with the builder if there is no
 * trace. Call once; takes the ownership in any case. */
void builder_keep(TraceBuilder *builder, void *kept, void (*release)(void *kept));

void builder_begin(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                   unsigned flags);
/* label: LABEL_NONE if the event has no name. */
void builder_end(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                 unsigned flags);
/* Begin and end events of one thread, consecutive in memory and in the file, up to MARK_BATCH: the same as single calls
 * in a third of the time. */
enum { MARK_BATCH = 256, MARK_END = 1 << 3 };
typedef struct MarkBatch {
    size_t count;
    /* event i is at offset base.offset + at[i] and has the number base.event + i */
    EventPos base;
    uint32_t at[MARK_BATCH];    /* ascending */
    uint32_t flags[MARK_BATCH]; /* EVENT_; MARK_END: an end event */
    uint32_t label[MARK_BATCH]; /* LabelId.index; 0 = none */
    int64_t  tick[MARK_BATCH];
} MarkBatch;
void builder_add_marks(TraceBuilder *builder, TrackId thread, const MarkBatch *batch);
/* True if a begin or end can be appended: there is room, and it is the next event in the file. */
bool mark_batch_takes(const MarkBatch *batch, EventPos pos);
void mark_batch_add(MarkBatch *batch, int64_t tick, LabelId label, EventPos pos, unsigned flags);
/* Begin and end events of one thread with EVENT_ANYWHERE, in their order: faster than single calls. Warnings have the
 * position `pos`, which is that of the last event. */
typedef struct AnywhereMark {
    int64_t tick;
    LabelId label; /* LABEL_NONE: the innermost slice ends */
} AnywhereMark;
void builder_add_anywhere(TraceBuilder *builder, TrackId thread, const AnywhereMark *marks, size_t count,
                          EventPos pos);
/* The innermost slice of a thread ends, and another begins; the stack is that of both events. */
typedef struct SliceChange {
    int64_t tick;
    LabelId label;
    StackId stack;
} SliceChange;
enum { MOST_SLICE_CHANGES = 64 };
/* Adds at most MOST_SLICE_CHANGES of a thread in their order, with EVENT_ANYWHERE. Warnings have the position `pos`. */
void builder_add_changes(TraceBuilder *builder, TrackId thread, const SliceChange *changes, size_t count,
                         EventPos pos);
/* The caller ensures end_tick >= tick (or EVENT_NO_END). */
void builder_complete(TraceBuilder *builder, TrackId thread, int64_t tick, int64_t end_tick, LabelId label,
                      EventPos pos, unsigned flags);
void builder_instant(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, InstantScope scope,
                     EventPos pos, unsigned flags);

/* Sets the CPU time at an event, before or after the event itself, identified by its position: readings of the thread's
 * clock at a begin and at its end, or the length of a slice at its begin event; in ns. A reading at an end needs
 * EVENT_DETAILS. `thread`: that of the event; TRACK_NONE for an asynchronous one. */
typedef enum { CPU_READING, CPU_LENGTH } CpuTimeKind;
void builder_cpu_time(TraceBuilder *builder, TrackId thread, EventPos pos, CpuTimeKind kind, int64_t ns);

/* Asynchronous slices: begun and ended on any thread, matched by an async id. The
 * reader defines the identity of an id (process PROCESS_NONE: it is the same in all processes). */
typedef struct {
    uint32_t index;
} AsyncId;
AsyncId builder_async_id(TraceBuilder *builder, ProcessId process, const char *key, size_t size);
/* Sets the name and category of the tracks of an id's slices; by default those of the outermost slices. */
void builder_async_title(TraceBuilder *builder, AsyncId id, LabelId title);
/* Returns the epoch of an async id. In long growing traces the index of an id without retained events is reused. A
 * reader that stores data by this index also stores its epoch, and discards the data when the epoch has changed. */
uint32_t builder_async_id_epoch(const TraceBuilder *builder, AsyncId id);
/* Releases indices that have no events in the logs. */
void builder_free_async_ids(TraceBuilder *builder, const uint32_t *ids, size_t count);
/* An end closes the innermost open slice of its name in the same async id (an end without a name the innermost slice), on
 * any thread. The slice belongs to the process of the thread of its begin. event_kind: see builder_other;
 * ends without a begin become raw events. */
typedef enum { ASYNC_BEGIN, ASYNC_END, ASYNC_INSTANT } AsyncKind;
void builder_async(TraceBuilder *builder, AsyncKind kind, uint16_t event_kind, AsyncId id,
                   const EventHead *head, unsigned flags);

/* Counters: values of a process over time, in one or more series. Created on first use. */
typedef struct {
    uint32_t index;
} CounterId;
typedef struct {
    uint32_t index;
} SeriesId;
CounterId builder_counter(TraceBuilder *builder, ProcessId process, StringId title, StringId category);
/* Marks the values as bytes. (This is automatic if the names of all series end in "bytes".) */
void builder_count_bytes(TraceBuilder *builder, CounterId counter);
/* Marks a counter that belongs to one chart with the others of its process that have this mark. */
void builder_share_chart(TraceBuilder *builder, CounterId counter);
/* colour: as Label.colour; set by the call that creates the series. */
SeriesId builder_series(TraceBuilder *builder, CounterId counter, StringId name, uint32_t colour);
/* Sets the value from `tick` on; NaN: unknown. The event itself also goes to builder_other, which keeps its exact
 * text. */
void builder_sample(TraceBuilder *builder, SeriesId series, int64_t tick, double value);

/* Stacks (trace/store/stacks.h): frames and stacks are interned. A stack without a frame is its parent. */
FrameId builder_frame(TraceBuilder *builder, const StackFrame *frame);
StackId builder_stack(TraceBuilder *builder, StackId parent, FrameId frame);
/* Returns the id of a stack that the source references before its definition. It can be attached like any other, but must
 * not be a parent. Its events have no stack unless it is settled with a defined stack. */
StackId builder_stack_later(TraceBuilder *builder);
void    builder_stack_settle(TraceBuilder *builder, StackId later, StackId stack);
/* Attaches a call stack to the latest event: the last begin or end of the thread, the begin and end of the last
 * complete, the last instant of that thread (or its process, or all), or the last asynchronous event.
 * STACK_NONE does nothing. */
void builder_mark_stack(TraceBuilder *builder, TrackId thread, StackId stack);
void builder_complete_stacks(TraceBuilder *builder, TrackId thread, StackId begin, StackId end);
void builder_instant_stack(TraceBuilder *builder, TrackId thread, InstantScope scope, StackId stack);
void builder_async_stack(TraceBuilder *builder, StackId stack);

/* Samples of the call stack of a thread. Those of one sampler share a track below the thread's own:
 * consecutive stacks that begin with the same frames become slices. STRING_NONE: the source has no name
 * for the sampler. A stack without frames, or whose innermost frame is FRAME_IDLE, is counted and not drawn. weight: the
 * number of samples that it represents, usually 1. */
typedef struct {
    uint32_t index;
} SamplerId;
SamplerId builder_sampler(TraceBuilder *builder, TrackId thread, StringId name);
void      builder_stack_sample(TraceBuilder *builder, SamplerId sampler, int64_t tick, StackId stack,
                               double weight);
/* Sets the ticks between the samples of a thread that runs: a sampler that skips waiting threads has gaps. A sample lasts
 * until the next one, or for one interval if the next one is more than two later. Not for growing traces. 0 = there are no
 * gaps, the default. */
void builder_sample_interval(TraceBuilder *builder, SamplerId sampler, int64_t ticks);

/* Returns the track of a thread's states over time (running, sleeping, blocked ...), created on first use. It accepts
 * begins, ends and completes like a thread, and is above the thread. */
TrackId builder_states(TraceBuilder *builder, TrackId thread);

/* The following tracks draw events that are also raw events: each is passed to builder_other as well, which widens the
 * trace's time range. */

/* Objects: created, changed and deleted, by id. Returns the object, created on first use; `scope` distinguishes equal
 * ids. */
typedef struct {
    uint32_t index;
} ObjectId;
ObjectId builder_object(TraceBuilder *builder, ProcessId process, StringId scope, StringId id);
/* Events are sorted by time, then file order. An object's life begins with its creation, or otherwise its first event;
 * it ends with its deletion, or with the creation of another object of the same id. The name of the life's first label
 * is the object's type. */
typedef struct ObjectNote { /* properties of the object's life in a snapshot, or STRING_NONE */
    StringId category, base_type;
} ObjectNote;
typedef enum { OBJECT_CREATED, OBJECT_SNAPSHOT, OBJECT_DELETED } ObjectEventKind;
void builder_object_event(TraceBuilder *builder, ObjectEventKind kind, ObjectId object, const EventHead *head,
                          ObjectNote note);

/* Enters or leaves a context on a thread, by name and id; events that begin in between belong to it. Sorted by time. */
typedef enum { CONTEXT_ENTERED, CONTEXT_LEFT } ContextEventKind;
void builder_context(TraceBuilder *builder, ContextEventKind kind, const EventHead *head, StringId scope,
                     StringId id);

/* Adds a process's part of the memory dump with this id in all processes. */
void builder_dump(TraceBuilder *builder, const EventHead *head, StringId id);

/* Adds a comparison of two clocks: `id` is the name of the sync event in the other trace, issue_time the time of its
 * request. */
void builder_clock_sync(TraceBuilder *builder, const EventHead *head, StringId id, StringId issue_time);

/* Adds a time of the whole trace that is part of an event with another time, or without a time. It is omitted if it is
 * outside the trace's time range. */
void builder_moment(TraceBuilder *builder, const EventHead *head);
/* Flows: arrows between slices. The events of one id are a flow, in order of time: a start begins it, steps continue
 * it, ends end it. Each is connected to the start or step before it, several ends to the same one. An end before its
 * start in time is connected if that start has no other end: the arrow points backwards. Unmatched events are reported
 * as "unmatched-flow". */
typedef struct {
    uint32_t index;
} FlowId;
/* alias: the normal form of a numeric id, otherwise STRING_NONE: unmatched events are matched again by it. */
FlowId builder_flow(TraceBuilder *builder, ProcessId process, StringId key, StringId alias);
/* FLOW_LINK: a start if no flow of its id is open at its time, otherwise a step. One alone is not reported. */
typedef enum { FLOW_START, FLOW_STEP, FLOW_FINISH, FLOW_LINK } FlowRole;
/* The slice to which an end of an arrow is bound. */
typedef enum {
    FLOW_BIND_ENCLOSING, /* the innermost slice around the tick; a begin there wins over an end there */
    /* the next slice on the thread that begins at or after the tick: the arrow ends at its begin */
    FLOW_BIND_NEXT,
    /* the slice whose event is at `pos` and has EVENT_DETAILS: an arrow leaves it at its end */
    FLOW_BIND_SLICE,
    FLOW_BIND_TRACK,    /* no slice */
    FLOW_BIND_OUTERMOST /* of arrows only: as the first, but the outermost slice of the thread's first lane */
} FlowBinding;
/* The event itself also goes to builder_other, unless it is a slice's (FLOW_BIND_SLICE). If no slice is found, the
 * event is reported as "flow-without-slice" and has no arrows. */
void builder_flow_event(TraceBuilder *builder, FlowId flow, FlowRole role, FlowBinding binding,
                        const EventHead *head);
/* Adds one arrow with known ends. An end without a slice is bound to the thread. */
typedef struct FlowPoint {
    TrackId     thread;
    FlowBinding binding; /* except FLOW_BIND_SLICE */
    int64_t     tick;
} FlowPoint;
void builder_arrow(TraceBuilder *builder, FlowPoint from, FlowPoint to, LabelId label);
/* Removes every second arrow: for a reader with more arrows than it keeps. */
void builder_thin_arrows(TraceBuilder *builder);

/* Returns the number of a kind of events, by its name in the format ("X", "Begin"). The same name gives the same
 * number. */
uint16_t builder_event_kind(TraceBuilder *builder, const char *name, size_t size);
/* Adds to the count of a kind: readers count themselves and call this once per `read`. */
void builder_count_events(TraceBuilder *builder, uint16_t kind, uint64_t count);
/* Keeps an event that is not drawn. A time extends the trace's range, and the event counts
 * as an event of its thread, unless it is metadata. OTHER_PART: a part of data that needs all of its parts, such as a
 * profile in chunks; it is in every range (trace/store/window.h). */
typedef enum { OTHER_EVENT, OTHER_METADATA, OTHER_PART } OtherClass;
void builder_other(TraceBuilder *builder, OtherClass event_class, uint16_t kind, const EventHead *head);

/* Reports a warning: stored once per kind with a count and the first message. `kind` is a static string of lower-case
 * words with hyphens. pos.offset and pos.event may be ERR_NOWHERE. The message is formatted only for the first of its
 * kind. */
void builder_warn(TraceBuilder *builder, const char *kind, EventPos pos, const char *format, ...)
    PRINTF_LIKE(4, 5);
void builder_warn_args(TraceBuilder *builder, const char *kind, EventPos pos, const char *format,
                       va_list args) PRINTF_LIKE(4, 0);

/* Makes the trace from all events; the builder is then empty. NULL: err filled. `threads` 0 = default. Release the
 * result with trace_release. */
Trace *builder_finish(TraceBuilder *builder, unsigned threads, Progress *progress, Err *err) WARN_UNUSED;

#endif
