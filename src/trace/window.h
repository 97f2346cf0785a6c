/* trace/window.h - decides which events of a trace are in the range that was asked for (Trace.has_window).
 *
 * Every command and every writer asks here. The rules, with BEGIN and END both inside:
 *   - a moment (instant, snapshot, sample, raw event) is in the range if its tick is;
 *   - a slice, a state or an object is in the range if it has a moment there, and keeps its own begin and end;
 *   - a value of a counter is in the range if its tick is, or if it still holds at BEGIN;
 *   - an arrow is in the range if its later end is, and the slices of both ends are;
 *   - a raw event (Trace.others) before BEGIN is in the range if it begins one of these: the creation of an object,
 *     the begin of an arrow or of a context, a counter's value. WindowBegins finds these events.
 * Without a window everything is in the range. Reading only: any thread may call these functions. */
#ifndef TRACE_WINDOW_H
#define TRACE_WINDOW_H
#include "trace/trace.h"

/* Returns the range in *begin_tick and *end_tick: INT64_MIN and INT64_MAX without a window. */
void trace_window_range(const Trace *trace, int64_t *begin_tick, int64_t *end_tick);
/* True if a moment is in the range. */
bool trace_window_has(const Trace *trace, int64_t tick);
/* True if [begin, end] has a moment in the range. */
bool trace_window_meets(const Trace *trace, int64_t begin, int64_t end);
/* True if arrow `flow` (< flows.count) is in the range. O(log rows). */
bool trace_window_has_flow(const Trace *trace, uint64_t flow);

/* The part of a row that is in the range, as [first, end) of the columns. */
typedef struct RowWindow {
    uint64_t first_slice, slice_end, first_instant, instant_end, first_sample, sample_end;
} RowWindow;
RowWindow row_window(const Trace *trace, const Row *row);
/* All of a row, whatever the range. */
RowWindow row_whole(const Row *row);

/* The samples of a TRACK_SAMPLES in the range, as [first, end) of ProfileColumns. */
typedef struct ProfileWindow {
    uint64_t first, end;
} ProfileWindow;
/* First sample of a TRACK_SAMPLES at or after `tick`. */
uint64_t      profile_lower_bound(const Trace *trace, const Track *track, int64_t tick);
ProfileWindow profile_window(const Trace *trace, const Track *track);

/* Counts of a trace's parts in the range, without asynchronous slices and instants that repeat others
 * (Label.is_repeat). */
typedef struct WindowCounts {
    uint64_t slices, unfinished; /* on threads */
    uint64_t async_slices, async_instants;
    uint64_t states;
    uint64_t sample_slices;             /* on a TRACK_SAMPLES */
    uint64_t instants;                  /* of threads, of processes and of the whole trace */
    uint64_t flows;
    uint64_t counters, counter_samples; /* counters: tracks that have a value in the range */
    uint64_t objects, snapshots;
    uint64_t samples; /* of where threads were */
    uint64_t dumps;
    uint64_t stacks; /* of slices, of their ends and of instants; without those of slices of samples */
    uint32_t max_depth;
} WindowCounts;
/* O(labels) without a window and repeats, else O(rows + arrows + slices of threads in the range). */
WindowCounts trace_window_counts(const Trace *trace);

/* An event as the text of its source names it, so that events of two readings of one input compare equal. */
typedef struct WindowEvent {
    int64_t    tick;
    Ident      pid, tid;           /* IDENT_NONE: unknown */
    StringView pid_text, tid_text; /* of an IDENT_TEXT */
    StringView name;
} WindowEvent;

/* The begins, before the range, of all that lasts into it. */
typedef struct WindowBegins {
    WindowEvent *events; /* sorted; in the caller's arena, texts borrowed from the trace */
    size_t       count;
} WindowBegins;

/* Collects them; none without a window. False when out of memory. */
bool window_begins_collect(const Trace *trace, Arena *arena, WindowBegins *begins) WARN_UNUSED;
/* True if an event of this time, thread and name is one of them. O(log count). */
bool window_begins_have(const WindowBegins *begins, const WindowEvent *event);
/* True if raw event `other` is in the range. Metadata, events without a time and parts (OTHER_PART) are in every range. */
bool window_has_other(const Trace *trace, const WindowBegins *begins, const OtherEvent *other);

#endif
