/* format/trace_event/write/encode.h - writes events as lines of JSON, in pieces (format/writer_pieces.h). */
#ifndef FORMAT_TRACE_EVENT_WRITE_ENCODE_H
#define FORMAT_TRACE_EVENT_WRITE_ENCODE_H
#include "base/vec.h"
#include "format/trace_event/write/line.h"
#include "format/trace_event/write/marks.h"
#include "format/writer.h"
#include "trace/store/window.h"

/* The facts about the trace that all lines need. They do not change while events are written. */
typedef struct JsonPlan {
    const Trace *trace; /* borrowed */
    Clock        clock; /* of the written times */
    WriterPlaces places;
    SliceMarks   marks;
    WindowBegins begins;     /* slices that begin before the range and end inside it */
    StringView  *phases;     /* by kind of event: its phase as JSON */
    bool        *is_refused; /* by kind of event: viewers reject its phase */
    uint16_t     end_kind, counter_kind, sample_kind;
    bool         own_format;
} JsonPlan;

/* The lines of an event. */
typedef enum {
    ITEM_SLICE,
    ITEM_SLICE_END,
    ITEM_INSTANT,
    ITEM_OTHER, /* a raw event */
    ITEM_FLOW,  /* both ends */
    ITEM_VALUES /* of a counter, at one time */
} JsonItemKind;

typedef struct JsonItem {
    JsonItemKind kind;
    uint32_t     track; /* of the event's row; for ITEM_VALUES of the counter */
    uint64_t id;   /* slice, instant, raw event or arrow; for ITEM_VALUES the first one in JsonPiece.values */
    int64_t  tick; /* of the line; not of ITEM_OTHER and ITEM_FLOW */
    uint64_t root; /* of a slice of an asynchronous track: the outermost slice around it */
} JsonItem;

/* Adjacent events of the output: about WRITER_BLOCK_BYTES. */
enum { JSON_PIECE_ITEMS = 2048 };
typedef struct JsonPiece {
    JsonItem items[JSON_PIECE_ITEMS];
    size_t   count;
    VEC(double) values; /* of counters: of all rows of the track */
    Bytes out;          /* lines, each after a comma and a line break */
} JsonPiece;

/* Losses, counted during encoding. */
typedef struct JsonLosses {
    uint64_t  unreadable, no_duration, moved_stack, closed_state, unfit_metadata;
    uint64_t  rounded, dropped; /* only in sums: a LineWriter counts them */
    uint64_t *refused;          /* by kind of event: events that viewers reject */
} JsonLosses;

/* The state of a thread that encodes. */
typedef struct JsonEncoder {
    const JsonPlan *plan; /* borrowed */
    LineWriter      lines;
    Arena           arena; /* of the reader */
    DetailReader   *reader;
    EventDetails    details; /* of the current event */
    Bytes           id;      /* members of the current line */
    Bytes           title;   /* of the current counter */
    JsonLosses      losses;
} JsonEncoder;

/* Allocates in `arena`. False when out of memory. */
bool json_encoder_open(JsonEncoder *encoder, const JsonPlan *plan, const Loaded *loaded,
                       Arena *arena) WARN_UNUSED;
void json_encoder_release(JsonEncoder *encoder);

/* Writes the lines of a piece. */
bool json_encode(JsonEncoder *encoder, JsonPiece *piece, Err *err) WARN_UNUSED;

#endif
