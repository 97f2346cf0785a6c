/* format/trace_event/document.h - what stands around the events: lists, objects, lines, several of them in a row.
 *
 * A walk in steps. Each step takes whole things only (an event, a top-level key with its value, a comma) and
 * leaves `at` behind them, or says that it needs more bytes and leaves `at` where it was; so the steps, and what
 * they report, do not depend on how the input is cut into chunks. */
#ifndef FORMAT_TRACE_EVENT_DOCUMENT_H
#define FORMAT_TRACE_EVENT_DOCUMENT_H
#include "format/reader.h"
#include "format/trace_event/emit.h"

typedef enum {
    PLACE_START,   /* nothing but white space so far */
    PLACE_LIST,    /* in a list of events */
    PLACE_OBJECT,  /* in the object around the list */
    PLACE_LINES,   /* events without a list around them */
    PLACE_BETWEEN, /* behind a complete document */
    PLACE_RESYNC   /* looking for the next event after a broken one */
} DocumentPlace;

/* What the input turned out to be. */
typedef struct DocumentFacts {
    bool has_list;          /* an array of events, or an event without one */
    bool has_trace_events;  /* ... under the key `traceEvents` */
    bool has_known_key;     /* a top-level key that trace event files have */
    bool has_profile_nodes; /* the keys of a V8 CPU profile */
    bool has_profile_deltas;
    bool has_ftrace;      /* lines of ftrace beside the events, or instead of them */
    bool has_samples;     /* samples beside the events, or instead of them */
    bool has_other_items; /* a list of its own holds something else than events: a number, a text ... */
    bool has_object_keys; /* a document that is an object, and not an empty one */
} DocumentFacts;

/* A value that is stepped over, because it is longer than a record may be. */
typedef struct SkippedValue {
    bool     is_on;
    bool     in_string, escaped;
    uint64_t depth; /* open brackets */
} SkippedValue;

typedef struct Document {
    Emitter       emitter;
    DocumentPlace place;
    DocumentPlace resync_to; /* PLACE_LIST or PLACE_LINES */
    uint64_t      base;      /* offset in the input of the current chunk's first byte */
    uint64_t      event_count;
    bool          in_object; /* the list is the value of `traceEvents` */
    bool          nested;    /* in a list inside of the list */
    bool          has_item;  /* an item since the list began or since the last comma */
    bool          has_any;   /* an item since the list began */
    bool          line_start, after_brace, after_comma; /* PLACE_RESYNC: what the last bytes were */
    bool          told_trailing;                        /* text after the end was reported */
    uint64_t      part_base;  /* offset of the first byte of the current part of the input */
    uint64_t      part_event; /* event_count there */
    bool          has_trace; /* an earlier part was one */
    DocumentFacts facts;     /* of the current part */
    SkippedValue  skipped;
} Document;

bool document_open(Document *document, Arena *arena, TraceBuilder *builder) WARN_UNUSED;
/* As FormatReader.read. */
bool document_read(Document *document, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err);

/* As FormatReader.skip. */
bool document_skip(Document *document);

#endif
