/* export/event_line.h - one event of the input as a readable line of `dump`. The form: docs/dump.md. */
#ifndef EXPORT_EVENT_LINE_H
#define EXPORT_EVENT_LINE_H
#include "format/load.h"
#include "trace/store/exact_time.h"

/* Zero it before the first event. */
typedef struct EventLines {
    Arena        arena;
    StringView  *labels; /* by LabelId.index: name and category as text; NULL bytes = none yet */
    uint32_t     label_capacity;
    TrackId      thread;   /* of the last event that has one */
    Bytes        ids;      /* the text of its pid and tid */
    bool         has_unit; /* `exact` is set, by the first event with a time */
    ExactTime    exact;
    EventDetails details; /* of the current event; reused */
    Trace        so_far;  /* builder_view_again of the last event */
} EventLines;

/* Appends the event's line. If its record cannot be decoded again, the line says so. False only if out of
 * memory. */
bool event_line_append(EventLines *lines, const ObservedRecord *record, Bytes *out, Err *err) WARN_UNUSED;
void event_lines_release(EventLines *lines);

#endif
