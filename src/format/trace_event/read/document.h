/* format/trace_event/read/document.h - parses the structure around the events: lists, objects, lines, and several of them in
 * sequence.
 *
 * Parsing is a sequence of steps. A step reads complete items only (an event, a top-level key with its value, a
 * comma) and advances `at`, or reports that it needs more bytes and leaves `at` unchanged. So the steps and their
 * warnings do not depend on the chunking of the input. */
#ifndef FORMAT_TRACE_EVENT_READ_DOCUMENT_H
#define FORMAT_TRACE_EVENT_READ_DOCUMENT_H
#include "format/reader.h"
#include "format/trace_event/common/event_shapes.h"
#include "format/trace_event/read/emit.h"

typedef enum {
    PLACE_START,   /* only white space so far */
    PLACE_LIST,    /* in a list of events */
    PLACE_OBJECT,  /* in the object around the list */
    PLACE_LINES,   /* events without a list around them */
    PLACE_BETWEEN, /* after a complete document */
    PLACE_RESYNC   /* searching the next event after an invalid one */
} DocumentPlace;

/* The kinds of data found in the input. */
typedef struct DocumentFacts {
    bool has_list;          /* an array of events, or an event without one */
    bool has_trace_events;  /* ... under the key `traceEvents` */
    bool has_known_key;     /* a top-level key that trace event files have */
    bool has_profile_nodes; /* the keys of a V8 CPU profile */
    bool has_profile_deltas;
    bool has_ftrace;      /* lines of ftrace, with or without events */
    bool has_samples;     /* samples, with or without events */
    bool has_other_items; /* a top-level list contains other items than events: a number, a text ... */
    bool has_object_keys; /* a document is an object that is not empty */
    const char *
        other; /* another kind of file that has these keys: "a network archive (HAR)"; NULL = none is known */
} DocumentFacts;

/* A value that is skipped because it exceeds the record limit. */
typedef struct SkippedValue {
    bool     is_on;
    bool     in_string, escaped;
    uint64_t depth; /* open brackets */
} SkippedValue;

typedef struct Document {
    Emitter       emitter;
    EventShapes  *shapes; /* in the arena; NULL = events are read by event_parse: for tests */
    AheadList     ahead;  /* events of the current piece of the input that are parsed already */
    DocumentPlace place;
    DocumentPlace resync_to; /* PLACE_LIST or PLACE_LINES */
    uint64_t      base;      /* offset in the input of the current chunk's first byte */
    uint64_t      event_count;
    bool          in_object; /* the list is the value of `traceEvents` */
    bool          nested;    /* in a list inside the list */
    bool          has_item;  /* an item since the list began or since the last comma */
    bool          has_any;   /* an item since the list began */
    bool          line_start, after_brace, after_comma; /* PLACE_RESYNC: kind of the last bytes */
    bool          told_trailing;                        /* text after the end was reported */
    uint64_t      part_base;  /* offset of the first byte of the current part of the input */
    uint64_t      part_event; /* event_count at its start */
    bool          has_trace;  /* an earlier part was a trace */
    DocumentFacts facts;      /* of the current part */
    SkippedValue  skipped;
} Document;

bool document_open(Document *document, Arena *arena, TraceBuilder *builder) WARN_UNUSED;
/* As FormatReader.read. */
bool document_read(Document *document, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err);

/* As AheadDecoding.give, with a result of ahead_decode. */
void document_give_ahead(Document *document, uint64_t offset, const Bytes *decoded);

/* As FormatReader.skip. */
bool document_skip(Document *document);

#endif
