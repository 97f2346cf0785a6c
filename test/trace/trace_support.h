/* trace/trace_support.h - an EventFeed passes events, written as one line of text, to a builder; traces printed as text.
 *
 * The text is words separated by spaces; each word is one builder call, in file order:
 *
 *     B10:p        begin at tick 10, named p          E20, E20:p    end
 *     X10..15:p    complete                           X10..?:p      complete without an end
 *     i12:m        instant of the thread              p12:m, g12:m  of the process, of the trace
 *     @1/3         the next events are of process 1, thread 3 (initially 1/2)
 *     +d +r        the next events have EVENT_DETAILS, EVENT_REPAIRED    -  they have neither
 *
 * A name is NAME or NAME/CATEGORY, or missing. Event n (from 0) has the offset 100 n. */
#ifndef TRACE_SUPPORT_H
#define TRACE_SUPPORT_H
#include "trace/log/builder.h"

typedef struct EventFeed {
    TraceBuilder *builder;
    TrackId       thread;
    uint64_t      event; /* number of the next event */
    unsigned      flags;
} EventFeed;

EventFeed feed_create(MatchRule match, UnfinishedRule unfinished);
/* Sets the thread of the next events. */
void    feed_set_thread(EventFeed *feed, int64_t pid, int64_t tid);
LabelId feed_label(EventFeed *feed, const char *name, size_t size);
/* Returns the position of the next event, and counts it. */
EventPos feed_next_pos(EventFeed *feed);
/* Adds the events of a text. */
void feed_events(EventFeed *feed, const char *events);
/* Returns the trace after a successful trace_check. Fails the case otherwise. Destroys the builder. */
Trace *feed_finish(EventFeed *feed, unsigned threads);

/* Makes a trace of the events with MATCH_BY_TIME_AND_NAME and UNFINISHED_TO_TRACE_END. */
Trace *trace_of_events(const char *events);

/* Appends the rows of a track: "0.0: p 10..20; 0.1: q 12..14 n, m@13": lane.depth, then slices and instants in order of
 * time. After a slice its flags: u unfinished, n no end, r repaired, s source, e end source, l long. */
void rows_append(const Trace *trace, uint32_t track, Bytes *out);
/* Appends "unmatched-end 2 @400#4": kind, count, offset and event of the first; separated by ", ". */
void warnings_append(const Trace *trace, Bytes *out);
/* Appends "a@5 > b@20 l, b@25 > #3@30 backwards": slice (or track without one) and tick of both ends, the label. */
void flows_append(const Trace *trace, Bytes *out);
/* Appends the whole trace, down to the last column and index summary: equal texts mean equal traces. */
void trace_append(const Trace *trace, Bytes *out);

/* Compares a Bytes filled by one of the functions above with a text. Releases it. */
#define CHECK_ROWS(trace, track, expected)                                                                   \
    do {                                                                                                     \
        Bytes rows_text = { 0 };                                                                             \
        rows_append((trace), (track), &rows_text);                                                           \
        test_check_text(&rows_text, (expected), __FILE__, __LINE__);                                         \
    } while (0)
#define CHECK_WARNINGS(trace, expected)                                                                      \
    do {                                                                                                     \
        Bytes warnings_text = { 0 };                                                                         \
        warnings_append((trace), &warnings_text);                                                            \
        test_check_text(&warnings_text, (expected), __FILE__, __LINE__);                                     \
    } while (0)
#define CHECK_FLOWS(trace, expected)                                                                         \
    do {                                                                                                     \
        Bytes flows_text = { 0 };                                                                            \
        flows_append((trace), &flows_text);                                                                  \
        test_check_text(&flows_text, (expected), __FILE__, __LINE__);                                        \
    } while (0)
void test_check_text(Bytes *text, const char *expected, const char *file, int line);

/* Makes a trace of the events, compares the only track's rows, releases the trace. */
#define CHECK_EVENTS(events, expected)                                                                       \
    do {                                                                                                     \
        Trace *events_trace = trace_of_events(events);                                                       \
        CHECK_ROWS(events_trace, 1, expected);                                                               \
        trace_release(events_trace);                                                                         \
    } while (0)

#endif
