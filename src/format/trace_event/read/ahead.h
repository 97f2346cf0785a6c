/* format/trace_event/read/ahead.h - parses the events of a piece of the input before the document is read up to it.
 *
 * A piece may begin inside an event or a string. So the parser takes the first bytes that look like an event after a comma for
 * one, and continues from there with the consecutive events of the list. The reader takes events from an AheadList only when it
 * expects an event at exactly the place of its first one. Then all of them are events of the document, because the parsing of an
 * event depends on its own bytes alone. If the first one was a wrong guess, the reader never expects an event there, and the
 * list is not used. */
#ifndef FORMAT_TRACE_EVENT_READ_AHEAD_H
#define FORMAT_TRACE_EVENT_READ_AHEAD_H
#include "base/vec.h"
#include "format/label_cache.h"
#include "format/trace_event/common/event_shapes.h"

typedef struct AheadThread {
    int64_t pid, tid;
} AheadThread;

/* A name and a category. JSON_NOTHING: the event has no such text. */
typedef struct AheadTexts {
    JsonValue name, category;
} AheadTexts;

/* A string in a piece, whose address may change; at 0: the event has no such text. */
typedef struct AheadPlace {
    uint32_t at, size;
    bool     escaped;
} AheadPlace;

/* The same of a name and a category. */
typedef struct AheadPlaces {
    AheadPlace name, category;
} AheadPlaces;

/* The most spellings with numbers, and their text: each thread has its own, beside the memory of the trace. */
enum { AHEAD_SPELLINGS = 1 << 14, AHEAD_TEXT_BYTES = 256 << 10 };

/* An event of which event_is_plain_and_quick is true, with a numeric pid and tid. It is small because another processor reads it. A
 * comma and white space separate it from the next one. */
typedef struct AheadEvent {
    int64_t  ts, dur;  /* dur: of complete events */
    uint32_t at, size; /* in the piece: its opening brace; its bytes */
    /* Up to AHEAD_SPELLINGS: the number of the bytes of name and category in the AheadState. 0 = the event has neither, or is an end
     * without a name. Above: index of its texts in the list, after AHEAD_SPELLINGS + 1 */
    uint32_t spelling;
    uint16_t thread;      /* index of its AheadThread */
    uint8_t  phase;       /* B, E or X; 0 = another event, which the reader parses */
    bool     has_details; /* event_has_extra_args */
} AheadEvent;

/* The state of a thread that decodes pieces. Zeroed memory is valid. The thread finds the number of a spelling, and the reader finds
 * the label by the number, because it is slow to find by the bytes. */
typedef struct AheadState {
    EventShapes shapes;
    Arena       arena;
    VEC(AheadThread) threads;    /* of the current piece */
    VEC(AheadPlaces) texts;      /* of the current piece: those without a number */
    LabelCache       *spellings; /* in the arena; the LabelId is the number */
    uint32_t          spelling_count;
    size_t            text_bytes;                    /* of the spellings */
    const AheadTexts *numbered[AHEAD_SPELLINGS + 1]; /* by number; in the arena */
    LabelId labels[AHEAD_SPELLINGS + 1]; /* of the reader alone, by number; LABEL_NONE = not known yet */
} AheadState;

/* The result for a piece. Its arrays are borrowed. */
typedef struct AheadList {
    AheadState        *state;
    const AheadEvent  *events;
    const AheadThread *threads;
    const AheadPlaces *texts; /* of the events without a number of their spelling */
    size_t             count; /* of events */
    uint64_t           begin; /* offset of the piece in the input */
    uint64_t first; /* offset of the first event in the input; UINT64_MAX = the list is empty or used */
} AheadList;

/* As AheadDecoding.decode, with an AheadState. The result has AheadEvents. */
void ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out);
/* As AheadDecoding.release. */
void ahead_release(void *state);
/* Returns the list of a result for the piece at `offset`. */
AheadList ahead_list(uint64_t offset, const Bytes *decoded);
/* Returns the texts of an event of the list that has a spelling. `piece` has the bytes of the piece. */
AheadTexts ahead_texts(const AheadList *list, const AheadEvent *event, const uint8_t *piece);

#endif
