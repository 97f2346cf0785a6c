/* app/cli/event_line.h - one event of the source as a readable line of `dump`. The form: docs/dump.md. */
#ifndef APP_CLI_EVENT_LINE_H
#define APP_CLI_EVENT_LINE_H
#include "app/cli/exact_time.h"
#include "format/load.h"

/* Zeroed: before the first event. */
typedef struct EventLines {
    bool         has_unit; /* `exact` is chosen: an event with a time was there */
    ExactTime    exact;
    EventDetails details; /* of the event at hand; reused */
} EventLines;

/* Appends the event's line. Where its record cannot be decoded again, the line says so. False only when memory is
 * out. */
bool event_line_append(EventLines *lines, const ObservedRecord *record, Bytes *out, Err *err) WARN_UNUSED;
void event_lines_release(EventLines *lines);

#endif
