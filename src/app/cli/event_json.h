/* app/cli/event_json.h - one event as the JSON line of `dump --json`. Keys and their order: docs/dump.md. */
#ifndef APP_CLI_EVENT_JSON_H
#define APP_CLI_EVENT_JSON_H
#include "trace/event_order.h"
#include "format/load.h"

/* Appends the line, or the lines of a counter with several series, each with a line break. Where the record of an event
 * cannot be decoded again, its line has "details_error". False (nothing was appended) only when the input can no longer
 * be read or memory is out. */
bool event_json_append(const Loaded *loaded, const OrderedEvent *event, Bytes *out, Err *err) WARN_UNUSED;

/* The same as readable text: the kind, then every key with its value. */
bool event_text_append(const Loaded *loaded, const OrderedEvent *event, Bytes *out, Err *err) WARN_UNUSED;

#endif
