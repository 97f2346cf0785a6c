/* export/event_json.h - one event as the JSON line of `dump --json`. Keys and their order: docs/dump.md. */
#ifndef EXPORT_EVENT_JSON_H
#define EXPORT_EVENT_JSON_H
#include "format/load.h"
#include "trace/store/event_order.h"

/* The begin of the lines of a thread: kind, pid, tid and track. */
typedef struct LineHead {
    const char *kind; /* static or of the trace; NULL = not made yet */
    uint32_t    thread;
    StringId    track;
    Bytes       members; /* as JSON */
} LineHead;

enum { LINE_HEADS = 256 };
typedef struct EventJson {
    const Trace  *trace; /* borrowed */
    Arena        *arena; /* borrowed */
    DetailReader *reader;
    EventDetails  details;     /* of the current event; reused */
    StringView   *labels;      /* [label]: its members as JSON, created when first needed */
    StringView   *stacks;      /* [stack]: its frames as JSON, while stack_bytes is below a limit */
    size_t        stack_bytes; /* total size of `stacks` */
    LineHead     *heads;       /* [LINE_HEADS], the latest ones */
    uint32_t     *children;    /* by row, for trace_slice_self_from */
} EventJson;

/* False if out of memory. Close it in either case, before the arena. */
bool event_json_open(EventJson *json, const Loaded *loaded, Arena *arena) WARN_UNUSED;
void event_json_close(EventJson *json);

/* Appends the line, or the lines of a counter with several series, each with a line break. If the record of
 * an event cannot be decoded again, its line has "details_error". False (and no bytes appended) only if the
 * input can no longer be read or memory runs out. */
bool event_json_append(EventJson *json, const OrderedEvent *event, Bytes *out, Err *err) WARN_UNUSED;

#endif
