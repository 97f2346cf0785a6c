/* format/trace_event/read/ahead.h - parses the events of a piece of the input before the document is read up to it.
 *
 * A piece may begin inside an event or a string. So the parser takes the first bytes that look like an event after a comma for
 * one, and continues from there with the consecutive events of the list. The reader takes events from an AheadList only when it
 * expects an event at exactly the place of its first one. Then all of them are events of the document, because the parsing of an
 * event depends on its own bytes alone. If the first one was a wrong guess, the reader never expects an event there, and the
 * list is not used. */
#ifndef FORMAT_TRACE_EVENT_READ_AHEAD_H
#define FORMAT_TRACE_EVENT_READ_AHEAD_H
#include "format/trace_event/common/event_shapes.h"
#include "format/trace_event/read/emit.h"

/* A string in a piece; at 0: the event has no such member. */
typedef struct AheadText {
    uint32_t at, size;
} AheadText;

/* An event. A comma and white space separate it from the next one. */
typedef struct AheadEvent {
    uint32_t  at, end; /* in the piece: its opening brace, and the byte after it */
    int64_t   ts, dur, pid, tid;
    AheadText name, category;
    uint8_t   phase; /* 0 = the event is not a PlainEvent: the reader parses it */
    bool      name_escaped, category_escaped, has_details;
    uint32_t  spelling; /* number of the bytes of name and category in the AheadState; 0 = they have none */
} AheadEvent;

typedef struct AheadList {
    const AheadEvent *events; /* borrowed */
    size_t            count;
    uint64_t          begin; /* offset of the piece in the input */
    uint64_t first;  /* offset of the first event in the input; UINT64_MAX = the list is empty or used */
    LabelId *labels; /* borrowed from the AheadState */
} AheadList;

/* The most spellings with numbers, and their text: each thread has its own, beside the memory of the trace. */
enum { AHEAD_SPELLINGS = 1 << 14, AHEAD_TEXT_BYTES = 256 << 10 };

/* The state of a thread that decodes pieces. Zeroed memory is valid. The thread finds the number of a spelling, and the reader finds
 * the label by the number, because it is slow to find by the bytes. */
typedef struct AheadState {
    EventShapes shapes;
    Arena       arena;
    LabelCache *spellings; /* in the arena; the LabelId is the number */
    uint32_t    spelling_count;
    size_t      text_bytes;                  /* of the spellings, and of those without a number */
    LabelId     labels[AHEAD_SPELLINGS + 1]; /* of the reader alone, by number: PlainEvent.known */
} AheadState;

/* As AheadDecoding.decode, with an AheadState. The result has AheadEvents. */
void ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out);
/* As AheadDecoding.release. */
void ahead_release(void *state);
/* Returns the list of a result for the piece at `offset`. */
AheadList ahead_list(uint64_t offset, const Bytes *decoded);

static inline JsonValue ahead_text(AheadText text, bool escaped, const uint8_t *piece)
{
    if (text.at == 0) return (JsonValue){ .kind = JSON_NOTHING };
    return (JsonValue){ piece + text.at, text.size, JSON_STRING, escaped };
}

/* Returns an event of the list that has a phase; `piece` has the bytes of the piece. */
static inline PlainEvent ahead_plain(const AheadList *list, const AheadEvent *event, const uint8_t *piece)
{
    return (PlainEvent){ .ts = event->ts,
                         .dur = event->dur,
                         .pid = event->pid,
                         .tid = event->tid,
                         .name = ahead_text(event->name, event->name_escaped, piece),
                         .category = ahead_text(event->category, event->category_escaped, piece),
                         .known = event->spelling == 0 ? NULL : &list->labels[event->spelling],
                         .phase = event->phase,
                         .has_details = event->has_details };
}

#endif
