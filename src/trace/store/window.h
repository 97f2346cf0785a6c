/* trace/store/window.h - decides which events of a trace are in the range of time and on the tracks that the user chose:
 * Trace.window.is_set and Trace.window.tracks.
 *
 * Every command and every writer uses it. The rules, with BEGIN and END both included:
 *
 *   - an event without length (instant, snapshot, sample, raw event) is in the range if its tick is;
 *   - a slice, a state or an object is in the range if a part of it is, and keeps its own begin and end;
 *   - a value of a counter is in the range if its tick is, or if it is still valid at BEGIN;
 *   - an arrow is in the range if its later end is, and the slices of both ends are;
 *   - a raw event (Trace.records.others) before BEGIN is in the range if it begins one of these: the creation of an object,
 *     the begin of an arrow or of a context, a counter's value. WindowBegins finds these events.
 *
 * Without a window everything is in the range. If tracks are chosen, an event must also be on one of them:
 *
 *   - an arrow has both ends on chosen tracks;
 *   - a raw event is on the track of the counter, the objects or the memory dumps that it belongs to, by process and
 *     name, otherwise on the track of its thread. A raw event without a thread, and metadata, are on every track.
 *
 * A scan (trace/scan/scan.h) has the rows of chosen tracks only, whatever its range.
 *
 * Reading only, except for trace_window_choose: any thread may call these functions. */
#ifndef TRACE_STORE_WINDOW_H
#define TRACE_STORE_WINDOW_H
#include "trace/store/range.h"

/* True if the track is chosen. */
static inline bool trace_window_has_track(const Trace *trace, uint32_t track)
{
    return trace->window.tracks == NULL || trace->window.tracks[track] != 0;
}
/* Chooses tracks by their ids, and the states and samples of chosen threads, of the tracks that were chosen before. The
 * choice lives in `arena`. Called before any reader of the trace. False when out of memory. */
bool trace_window_choose(Trace *trace, const uint32_t *tracks, uint32_t count, Arena *arena) WARN_UNUSED;

/* Returns the range in *begin_tick and *end_tick: INT64_MIN and INT64_MAX without a window. The end of an open window is
 * INT64_MAX, so that a half-open range has the events at the trace's last tick. */
void trace_window_range(const Trace *trace, int64_t *begin_tick, int64_t *end_tick);
/* True if a tick is in the range. */
bool trace_window_has(const Trace *trace, int64_t tick);
/* True if a part of [begin, end] is in the range. */
bool trace_window_meets(const Trace *trace, int64_t begin, int64_t end);
/* True if arrow `flow` (< flows.count) is in the range. O(log rows). */
bool trace_window_has_flow(const Trace *trace, uint64_t flow);

/* The part of a row in the range, as [first, end) of the columns. */
typedef struct RowWindow {
    uint64_t first_slice, slice_end, first_instant, instant_end, first_sample, sample_end;
} RowWindow;
RowWindow row_window(const Trace *trace, const Row *row);
/* Returns all of a row, whatever the range. */
RowWindow row_whole(const Row *row);

/* Returns the samples of a TRACK_SAMPLES in the range, as items of ProfileColumns. */
ItemRange profile_window(const Trace *trace, const Track *track);

/* Counts of a trace's parts in the range, without asynchronous slices and instants that repeat others
 * (Label.is_repeat). */
typedef struct WindowCounts {
    uint64_t slices, unfinished; /* on threads */
    uint64_t async_slices, async_instants;
    uint64_t states;
    uint64_t sample_slices; /* on a TRACK_SAMPLES */
    uint64_t instants;      /* of threads, of processes and of the whole trace */
    uint64_t flows;
    uint64_t counters, counter_samples; /* counters: tracks with a value in the range */
    uint64_t objects, snapshots;
    uint64_t samples; /* of the stacks of threads */
    uint64_t dumps;
    uint64_t stacks; /* of slices, of their ends and of instants; without those of slices of samples */
    uint32_t max_depth;
} WindowCounts;
/* Counts the parts. O(labels) without a window and repeats, otherwise O(rows + arrows + slices of threads in the
 * range). */
WindowCounts trace_window_counts(const Trace *trace);

/* An event with the texts of its input, so that events of two readings of one input compare equal. */
typedef struct WindowEvent {
    int64_t    tick;
    Ident      pid, tid;           /* IDENT_NONE: unknown */
    StringView pid_text, tid_text; /* of an IDENT_TEXT */
    StringView name;
} WindowEvent;

/* The raw events of this name in a process belong to a counter, or to the objects of a type. */
typedef struct WindowTitle {
    uint32_t   process;
    StringView name;
    bool       is_chosen; /* a track with this name is chosen */
} WindowTitle;

/* The begins, before the range, of all events that extend into it; and the names of counters and objects if tracks are
 * chosen. */
typedef struct WindowBegins {
    WindowEvent *events; /* sorted; in the caller's arena, texts borrowed from the trace */
    size_t       count;
    WindowTitle *titles; /* sorted, each once; in the caller's arena, texts borrowed from the trace */
    size_t       title_count;
} WindowBegins;

/* Collects them; without a window and chosen tracks nothing. False when out of memory. */
bool window_begins_collect(const Trace *trace, Arena *arena, WindowBegins *begins) WARN_UNUSED;
/* True if it contains an event of this time, thread and name. O(log count). */
bool window_begins_have(const WindowBegins *begins, const WindowEvent *event);
/* True if raw event `other` is in the range. Metadata, events without a time and parts (OTHER_PART) are in every range. */
bool window_has_other(const Trace *trace, const WindowBegins *begins, const OtherEvent *other);
/* True if the counter of this title in the process of the raw event is chosen. The titles of several counters may begin
 * with the same name, and window_has_other compares only the name. */
bool window_has_counter(const Trace *trace, const WindowBegins *begins, const OtherEvent *other,
                        StringView title);

/* Collects the chosen threads as events without a tick and a name, for window_begins_have. False when out of memory. */
bool window_threads_collect(const Trace *trace, Arena *arena, WindowBegins *threads) WARN_UNUSED;

#endif
