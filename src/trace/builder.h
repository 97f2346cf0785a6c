/* trace/builder.h - the event sink that readers feed, and the one maker of Traces.
 *
 * A reader calls it in file order, with ticks of the source's clock. The builder only appends to one log per
 * thread until builder_finish, which does once what all formats need: matching ends with begins, sorting (only
 * what is not sorted), nesting, lanes for what overlaps, instants at the depth where they stand, columns,
 * the level-of-detail index.
 *
 * Failure is sticky and silent: after running out of memory all calls do nothing and builder_failed is true; a
 * reader asks once per call of its `read`. One builder, one thread at a time. */
#ifndef TRACE_BUILDER_H
#define TRACE_BUILDER_H
#include "base/progress.h"
#include "trace/trace.h"

typedef struct TraceBuilder TraceBuilder;

/* Where in the (decompressed) input an event's record starts, and its number in the file, from 0. */
typedef struct EventPos {
    uint64_t offset; /* below 2^48 */
    uint64_t event;
} EventPos;

/* How ends find their begins. */
typedef enum {
    /* Trace Event JSON: stably sorted by time first; an end closes the innermost open slice of its name, those
     * above it get SLICE_NO_END; a nameless end closes the innermost. */
    MATCH_BY_TIME_AND_NAME,
    /* .spall: file order decides, an end closes the innermost open slice; a time before the previous one of its
     * thread is moved up to it and reported as "time-travel". */
    MATCH_IN_FILE_ORDER
} MatchRule;

/* Which of two completes of one begin and one end holds the other. */
typedef enum {
    TIES_EARLIER_OUTSIDE, /* that which stands first in the file: Trace Event JSON */
    /* That which stands later, in files whose writer adds a slice when it ends; one of no length at the very end of
     * another then lies inside it if it stands before it. */
    TIES_LATER_OUTSIDE
} TieRule;

/* Whether slices of one thread that overlap without nesting are an anomaly, or what the format has for concurrency. */
typedef enum { OVERLAPS_REPORTED, OVERLAPS_EXPECTED } OverlapRule;

/* How far a slice without an end is drawn. */
typedef enum { UNFINISHED_TO_TRACE_END, UNFINISHED_TO_THREAD_END } UnfinishedRule;
/* Whether it is an anomaly, or what a recording of something that goes on looks like. */
typedef enum { ENDLESS_REPORTED, ENDLESS_EXPECTED } EndlessRule;

/* Flags of events. */
enum {
    EVENT_DETAILS = 1 << 0,  /* the source holds more than these arguments say: keep its offset */
    EVENT_NO_END = 1 << 1,   /* builder_complete: the end is not known, end_tick is ignored */
    EVENT_REPAIRED = 1 << 2, /* the reader had to change a time of it */
    /* builder_begin, builder_end, without EVENT_DETAILS: nobody will ask where it stands. So its place is not
     * kept, which halves what is kept where events of a thread lie all over the input; of a begin without an
     * end, or the other way round, a warning then cannot say where it is. */
    EVENT_ANYWHERE = 1 << 4,
    EVENT_PART = 1 << 5 /* of observed events alone: OTHER_PART */
};

/* NULL when out of memory. memory_limit bounds what the trace may take, in bytes; 0 = no bound. */
TraceBuilder *builder_create(const char *format_name, uint64_t memory_limit) WARN_UNUSED;
/* Returns the bytes of memory that it holds. */
uint64_t builder_held_bytes(const TraceBuilder *builder);
void          builder_destroy(TraceBuilder *builder); /* also after builder_finish; NULL is allowed */
bool          builder_failed(const TraceBuilder *builder);
/* Out-of-memory or limit, once failed. */
void builder_error(const TraceBuilder *builder, Err *err);

void builder_set_version(TraceBuilder *builder, const char *version);
void builder_set_rules(TraceBuilder *builder, MatchRule match, UnfinishedRule unfinished);
void builder_set_ties(TraceBuilder *builder, TieRule ties);
void builder_set_overlaps(TraceBuilder *builder, OverlapRule overlaps);
void builder_set_endless(TraceBuilder *builder, EndlessRule endless);
/* What processes and threads without a name are called, before their id: static strings. "Process"
 * and "Thread" when not set. */
void builder_set_titles(TraceBuilder *builder, const char *process, const char *thread);
/* The kind (builder_event_kind) of the format's ends, a static string: an end without a begin is kept as an
 * OtherEvent of this kind. "end" when not set. */
void builder_set_end_kind(TraceBuilder *builder, const char *name);
/* The input ended early or part of it could not be decoded. */
void builder_set_incomplete(TraceBuilder *builder);
/* Only this part of the source is wanted, both ends inside: Trace.window_begin and window_end. The
 * reader leaves the rest out. */
void builder_set_window(TraceBuilder *builder, int64_t begin_tick, int64_t end_tick);
/* What follows in the input is not wanted, and need not be read. */
void builder_set_enough(TraceBuilder *builder);
bool builder_has_enough(const TraceBuilder *builder);
/* Before the first event that has a time. */
void         builder_set_clock(TraceBuilder *builder, Clock clock);
const Clock *builder_clock(const TraceBuilder *builder);
/* Re-expresses every staged time in another clock on the same axis, rounding to its nearest tick. False, and
 * nothing changed, when a time would not fit. *rounded says whether any time lost something. */
bool builder_change_clock(TraceBuilder *builder, Clock clock, bool *rounded) WARN_UNUSED;

/* From so many bytes of names on those that are new are not kept: they all become the one name BUILDER_OTHER_NAME,
 * with a warning. For a trace that grows in bounded memory while its names are ever new ones; 0 = no bound. */
void builder_set_names_most(TraceBuilder *builder, uint64_t bytes);
#define BUILDER_OTHER_NAME "(a name that was not kept)"
/* From so many processes, or threads, on, those that are new become one that goes by BUILDER_REST_ID (a
 * thread in each process), with a warning. 0 = no bound. */
void builder_set_tracks_most(TraceBuilder *builder, uint32_t most);
/* The same for ids of asynchronous events, of those that something is left of: later ones are taken for one,
 * with a warning ("ids-not-kept"). */
void builder_set_strands_most(TraceBuilder *builder, uint32_t most);
#define BUILDER_REST_ID "(others)"
/* Strings must be valid UTF-8 (base/utf8.h repairs). */
StringId builder_string(TraceBuilder *builder, const char *bytes, size_t size);
/* The text of one. Good until the builder goes. */
StringView builder_text(const TraceBuilder *builder, StringId string);
/* The label of a name and category, interned. STRING_NONE stands for a missing one. */
LabelId builder_label(TraceBuilder *builder, StringId name, StringId category);
/* Returns the label of the same name, category and colour with Label.is_repeat. */
LabelId builder_repeat_label(TraceBuilder *builder, LabelId label);
/* What a label is made of. */
Label builder_label_parts(const TraceBuilder *builder, LabelId label);
/* The label of the same name and category, but of this colour (LABEL_COLOUR, or 0 = none). A slice looks as its begin's
 * label says; where its end's has a colour, and the begin's another or none, it takes the end's. Ends find their begins
 * whatever the colours. */
LabelId builder_colour_label(TraceBuilder *builder, LabelId label, uint32_t colour);

/* The process or thread of an id, made when it is new. Costs a hash look-up: readers keep the last few. */
ProcessId builder_process(TraceBuilder *builder, Ident pid);
TrackId   builder_thread(TraceBuilder *builder, ProcessId process, Ident tid);

/* The first thread of any process that has this id; TRACK_NONE = there is none yet. */
TrackId builder_find_thread(TraceBuilder *builder, Ident tid);

/* Metadata: the last call wins. */
void builder_name_process(TraceBuilder *builder, ProcessId process, StringId name);
void builder_name_thread(TraceBuilder *builder, TrackId thread, StringId name);
/* Labels, a comma list, are added to those it has. */
void builder_label_process(TraceBuilder *builder, ProcessId process, StringId labels);
/* sort_index: finite. */
void builder_sort_process(TraceBuilder *builder, ProcessId process, double sort_index);
void builder_sort_thread(TraceBuilder *builder, TrackId thread, double sort_index);
/* Where a trace shows the same events in several ways (by processor, by goroutine), each is a perspective,
 * and a viewer can show one alone. Gives its bit; the same name gives the same one. At most PERSPECTIVES_MAX.
 * `name`: a static string of words, as it stands on a switch. */
uint8_t builder_perspective(TraceBuilder *builder, const char *name);
/* Which one the trace is made for, before the first of them is known: by its name, whatever its case; "" =
 * the one that is made known first; NULL, and if nothing is said: all. The text is borrowed. */
void builder_want_perspective(TraceBuilder *builder, const char *name);
/* Whether the trace is made for any of these: what no such one shows can be left out. */
bool builder_makes(const TraceBuilder *builder, uint8_t perspectives);
/* The process is seen from these only. What was never said of belongs to all. */
void builder_place_process(TraceBuilder *builder, ProcessId process, uint8_t perspectives);
/* No event that is told from now on stands behind byte `size` of the input. Until this is said they may stand
 * anywhere, which takes more memory. */
void builder_set_input_size(TraceBuilder *builder, uint64_t size);
/* Lets counters hold their last values to the last event of their process, instead of to the end of the trace. */
void builder_end_counters(TraceBuilder *builder);
/* Sets where the block that is read next begins in the input: the position of warnings about calls without one. */
void     builder_set_read_offset(TraceBuilder *builder, uint64_t offset);
EventPos builder_read_pos(const TraceBuilder *builder);
/* The trace reaches to this moment, though what happens there is left out. */
void builder_widen(TraceBuilder *builder, int64_t tick);
/* Where its slices begin, so does something in all tracks (a frame): Track.divides. */
void builder_divide_by(TraceBuilder *builder, TrackId thread);
/* What its threads are where they are no threads, in the singular, as they are counted: "processor", "goroutine". */
void builder_call_threads(TraceBuilder *builder, ProcessId process, StringId noun);
/* Some of them share a thread of the builder's: by how many they are more, added to what was said before. */
void builder_share_lanes(TraceBuilder *builder, ProcessId process, int64_t more);
/* A top-level key of the file; `json` is one valid JSON value, copied. */
void builder_property(TraceBuilder *builder, StringId key, const char *json, size_t size);
/* What a reader will need for its `details` and nobody else knows: Trace.kept, released with the trace, or with the
 * builder if no trace comes of it. Once; takes it over in any case. */
void builder_keep(TraceBuilder *builder, void *kept, void (*release)(void *kept));

void builder_begin(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                   unsigned flags);
/* label: LABEL_NONE when the event has no name. */
void builder_end(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos,
                 unsigned flags);
/* Begins and ends of one thread, side by side in memory and in the file, up to MARK_BATCH: the same as so
 * many calls, but for the price of a third. */
enum { MARK_BATCH = 256, MARK_END = 1 << 3 };
typedef struct MarkBatch {
    size_t   count;
    EventPos base;              /* mark i stands at base.offset + at[i] and has the number base.event + i */
    uint32_t at[MARK_BATCH];    /* ascending */
    uint32_t flags[MARK_BATCH]; /* EVENT_; MARK_END says which of the two it is */
    uint32_t label[MARK_BATCH]; /* LabelId.index; 0 = none */
    int64_t  tick[MARK_BATCH];
} MarkBatch;
void builder_add_marks(TraceBuilder *builder, TrackId thread, const MarkBatch *batch);
/* Whether a mark may be added behind the others: there is room, and it is the next event. */
bool mark_batch_takes(const MarkBatch *batch, EventPos pos);
void mark_batch_add(MarkBatch *batch, int64_t tick, LabelId label, EventPos pos, unsigned flags);
/* Begins and ends of one thread with EVENT_ANYWHERE, in their order: the same as so many calls, for less.
 * What is wrong with one is said to be at `pos`, which is that of the last. */
typedef struct AnywhereMark {
    int64_t tick;
    LabelId label; /* LABEL_NONE: the innermost slice ends */
} AnywhereMark;
void builder_add_anywhere(TraceBuilder *builder, TrackId thread, const AnywhereMark *marks, size_t count,
                          EventPos pos);
/* end_tick >= tick is the reader's care (or EVENT_NO_END). */
void builder_complete(TraceBuilder *builder, TrackId thread, int64_t tick, int64_t end_tick, LabelId label,
                      EventPos pos, unsigned flags);
void builder_instant(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, InstantScope scope,
                     EventPos pos, unsigned flags);

/* CPU time of the thread at an event that was or will be given, by its place: readings of the thread's clock
 * at a begin and at its end, or how long a slice took, at the event that begins it; in ns. An end's counts
 * only if it has EVENT_DETAILS. `thread`: the event's own; TRACK_NONE for an asynchronous one. */
typedef enum { CPU_READING, CPU_LENGTH } CpuTimeKind;
void builder_cpu_time(TraceBuilder *builder, TrackId thread, EventPos pos, CpuTimeKind kind, int64_t ns);

/* Asynchronous slices: begun and ended on any thread, matched by an id. All events that go by one id are a strand; the
 * reader says what makes an id the same (process PROCESS_NONE: it holds across processes). */
typedef struct {
    uint32_t index;
} StrandId;
StrandId builder_strand(TraceBuilder *builder, ProcessId process, const char *key, size_t size);
/* Where a trace grows for long, places of strands are given to others once nothing is left of them: a
 * reader that notes something of a strand by its index notes its epoch, and when that is another one, what
 * it knew is of another strand. */
uint32_t builder_strand_epoch(const TraceBuilder *builder, StrandId strand);
/* Gives places back: none of them has an event in the logs. */
void builder_free_strands(TraceBuilder *builder, const uint32_t *strands, size_t count);
/* Within a strand an end closes the innermost open slice of its name (a nameless one the innermost), wherever
 * it stands. What is drawn belongs to the process of the thread of its begin. event_kind: see builder_other;
 * ends without a begin are kept as other events. */
typedef enum { ASYNC_BEGIN, ASYNC_END, ASYNC_INSTANT } AsyncKind;
void builder_async(TraceBuilder *builder, AsyncKind kind, uint16_t event_kind, StrandId strand,
                   TrackId thread, int64_t tick, LabelId label, EventPos pos, unsigned flags);

/* Counters: values of a process over time, in one or more series. Made when new. */
typedef struct {
    uint32_t index;
} CounterId;
typedef struct {
    uint32_t index;
} SeriesId;
CounterId builder_counter(TraceBuilder *builder, ProcessId process, StringId title, StringId category);
/* Its values are bytes. (Where all its series' names end in that word, this is known without.) */
void builder_count_bytes(TraceBuilder *builder, CounterId counter);
/* colour: as Label.colour; that of the call which makes the series counts. */
SeriesId builder_series(TraceBuilder *builder, CounterId counter, StringId name, uint32_t colour);
/* The value from `tick` on; NaN: none is known. The event itself goes to builder_other as well, where its exact text is
 * kept. */
void builder_sample(TraceBuilder *builder, SeriesId series, int64_t tick, double value);

/* Stacks (trace/stacks.h): frames and stacks are interned. A frame of none gives the parent itself. */
FrameId builder_frame(TraceBuilder *builder, const StackFrame *frame);
StackId builder_stack(TraceBuilder *builder, StackId parent, FrameId frame);
/* A stack that the source names before it says what it is: to be attached like any other, to nobody's parent.
 * Unless it is settled, with one that is no such promise, what has it has none. */
StackId builder_stack_later(TraceBuilder *builder);
void    builder_stack_settle(TraceBuilder *builder, StackId later, StackId stack);
/* Where the code stood at the event fed last: at the last begin or end of the thread, at the last complete's
 * begin and end, at the last instant of that thread (or its process, or all), at the last asynchronous event
 * of all. STACK_NONE does nothing. */
void builder_mark_stack(TraceBuilder *builder, TrackId thread, StackId stack);
void builder_complete_stacks(TraceBuilder *builder, TrackId thread, StackId begin, StackId end);
void builder_instant_stack(TraceBuilder *builder, TrackId thread, InstantScope scope, StackId stack);
void builder_async_stack(TraceBuilder *builder, StackId stack);

/* Samples of where a thread stood. Those of one sampler share a track below the thread's own:
 * consecutive stacks that begin with the same frames become slices. STRING_NONE: the source has no name
 * for it. A stack whose innermost frame is FRAME_IDLE, or none, is counted and not drawn. weight: what
 * the sample stands for, 1 mostly. */
typedef struct {
    uint32_t index;
} SamplerId;
SamplerId builder_sampler(TraceBuilder *builder, TrackId thread, StringId name);
void      builder_stack_sample(TraceBuilder *builder, SamplerId sampler, int64_t tick, StackId stack,
                               double weight);

/* States of a thread over time (running, sleeping, blocked ...): the track for them, made when new. Begins,
 * ends and completes are fed to it as to a thread; it stands above the thread. */
TrackId builder_states(TraceBuilder *builder, TrackId thread);

/* What follows draws events that are kept as other events, too: each goes to builder_other as well, which widens the
 * trace's time range. */

/* Objects: what is created, changes and is deleted, by id. Made when new; `scope` tells ids apart. */
typedef struct {
    uint32_t index;
} ObjectId;
ObjectId builder_object(TraceBuilder *builder, ProcessId process, StringId scope, StringId id);
/* Events are sorted by time, then file order. An object begins to live with its creation, or else its first
 * event; it ends with its deletion, or with the creation of another of its id. The name of the life's first
 * label is the object's type. */
typedef struct ObjectNote { /* what a snapshot says of its object's life, or STRING_NONE */
    StringId category, base_type;
} ObjectNote;
typedef enum { OBJECT_CREATED, OBJECT_SNAPSHOT, OBJECT_DELETED } ObjectEventKind;
void builder_object_event(TraceBuilder *builder, ObjectEventKind kind, ObjectId object, TrackId thread,
                          int64_t tick, LabelId label, ObjectNote note, EventPos pos);

/* A context is entered and left, on a thread, by name and id; what begins meanwhile belongs to it. Sorted by time. */
typedef enum { CONTEXT_ENTERED, CONTEXT_LEFT } ContextEventKind;
void builder_context(TraceBuilder *builder, ContextEventKind kind, TrackId thread, int64_t tick,
                     LabelId label, StringId scope, StringId id, EventPos pos);

/* A process's part of the memory dump that goes by `id` in all processes. */
void builder_dump(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, StringId id,
                  EventPos pos);

/* Two clocks were compared: `id` names the other's mark, issue_time says when it was asked for. */
void builder_clock_sync(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, StringId id,
                        StringId issue_time, EventPos pos);

/* A moment of the whole trace that an event speaks of which has another time, or none. Left out when it lies
 * outside the trace's time range. */
void builder_moment(TraceBuilder *builder, TrackId thread, int64_t tick, LabelId label, EventPos pos);
/* Flows: arrows between slices. All events that go by one id are a flow; a start begins it, steps carry it
 * on, an end ends it, in order of time: each is joined to the start or step before it, several ends to the
 * same one. An end before its start in time is joined when that start has no other: the arrow goes backwards.
 * What stays alone is reported as "unmatched-flow". */
typedef struct {
    uint32_t index;
} FlowId;
/* alias: what the id is called in a spelling of its number that all agree on, STRING_NONE if it is none:
 * events that stay alone are matched once more by it. */
FlowId builder_flow(TraceBuilder *builder, ProcessId process, StringId key, StringId alias);
typedef enum { FLOW_START, FLOW_STEP, FLOW_FINISH } FlowRole;
/* Which slice an end of an arrow is bound to. */
typedef enum {
    FLOW_BIND_ENCLOSING, /* the innermost slice of the thread that holds the tick, its end included; one that begins there
                          * rather than one that ends there */
    FLOW_BIND_NEXT, /* the next one on the thread that begins at or after it: the arrow ends where that begins */
    FLOW_BIND_SLICE, /* the slice whose event is at `pos`, fed with EVENT_DETAILS: an arrow leaves it at its end */
    FLOW_BIND_TRACK,    /* none */
    FLOW_BIND_OUTERMOST /* of arrows alone: as the first, but the outermost slice of the thread's first lane */
} FlowBinding;
/* The event itself goes to builder_other as well, unless it is a slice's (FLOW_BIND_SLICE). Where no slice
 * can be found the event is reported as "flow-without-slice" and has no arrows. */
void builder_flow_event(TraceBuilder *builder, FlowId flow, FlowRole role, FlowBinding binding,
                        TrackId thread, int64_t tick, LabelId label, EventPos pos);
/* One arrow, its ends known. An end without a slice to be bound to is bound to the thread alone. */
typedef struct FlowPoint {
    TrackId     thread;
    FlowBinding binding; /* but for FLOW_BIND_SLICE */
    int64_t     tick;
} FlowPoint;
void builder_arrow(TraceBuilder *builder, FlowPoint from, FlowPoint to, LabelId label);
/* Forgets every other arrow: for a reader that sees more of them than it wants to keep. */
void builder_thin_arrows(TraceBuilder *builder);

/* Kinds of source events, by the format's own names ("X", "Begin"). The same name gives the same number. */
uint16_t builder_event_kind(TraceBuilder *builder, const char *name, size_t size);
/* Adds to the count of a kind: readers count locally and report once per `read`. */
void builder_count_events(TraceBuilder *builder, uint16_t kind, uint64_t count);
/* Keeps an event that is not drawn. tick NULL: it has no time. A time widens the trace's range, and the event
 * makes its thread one with events, unless it is metadata. OTHER_PART: a part of something that cannot be read without all
 * of its parts, such as a profile in chunks; it is in every range (trace/window.h). */
typedef enum { OTHER_EVENT, OTHER_METADATA, OTHER_PART } OtherClass;
void builder_other(TraceBuilder *builder, OtherClass event_class, uint16_t kind, TrackId thread,
                   const int64_t *tick, LabelId label, EventPos pos);

/* Reports an anomaly: stored once per kind with a count and the first message. `kind` is a static string of
 * lower-case words with hyphens. pos.offset and pos.event may be ERR_NOWHERE. The message is formatted only for
 * the first of its kind. */
void builder_warn(TraceBuilder *builder, const char *kind, EventPos pos, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Makes the trace from all that was fed; the builder is then empty. NULL: err filled. `threads` 0 = default.
 * Release the result with trace_release. */
Trace *builder_finish(TraceBuilder *builder, unsigned threads, Progress *progress, Err *err) WARN_UNUSED;

#endif
