/* format/trace_event/common/event_shapes.h - parses events that are spelled alike.
 *
 * A program writes the keys of its events in one order and with the same bytes between them, and some values rarely change:
 * the kind of an event, its process, thread and category. So the bytes between two values that do change repeat, for
 * example `{"ph":"B","pid":4242,"tid":5001,"ts":`. Such bytes are a *link*. A link has the members in it, already decoded,
 * and the form of the value that follows, or it contains the event's closing brace.
 *
 * EventShapes has the links of the earlier events and, for each of them, the links that have followed it. So an event is a few
 * comparisons and the decoding of the values between them. One byte tells which of the links probably follows: it is where they
 * differ, for example the letter of `ph`. If no link fits, or a value has another form, the members are read as event_parse reads
 * them, up to the next value that changes, and their bytes are stored as a link. A key whose value changes too often in
 * links is not included in links any more. */
#ifndef FORMAT_TRACE_EVENT_COMMON_EVENT_SHAPES_H
#define FORMAT_TRACE_EVENT_COMMON_EVENT_SHAPES_H
#include "format/trace_event/common/event.h"
#include "trace/log/builder.h"

enum {
    LINK_BYTES = 64,
    LINK_VALUES = 4, /* the most values in a link */
    LINK_NEXT = 32,
    LINK_GUESSES = 8, /* a power of two */
    LINK_FIRSTS = 64,
    LINK_COUNT = 256
};

/* A value in a link. */
typedef struct LinkValue {
    uint8_t key, kind; /* EventKey, JsonKind */
    uint8_t offset, size;
    int64_t number; /* if the kind is JSON_NUMBER */
} LinkValue;

/* The place in eight bytes of the byte after a number, and of its decimal point. With these two bytes and the digit 0 in all other
 * places, `zeros` is the text of such a number. So the exclusive or with a text has the values of its digits, and zeros in the two
 * places. */
typedef struct PointPlace {
    uint64_t zeros;         /* the bytes after the number are 0 */
    uint64_t limits;        /* added to that of a valid text, it does not set the highest bit of a byte */
    uint64_t highest;       /* the highest bits of the bytes of the number and of the byte after it */
    uint64_t before;        /* the bytes before the first of the two places */
    uint64_t power;         /* of 10: for the digits before these bytes */
    uint64_t decimal_power; /* of 10: for the missing decimals of ns */
    uint8_t  shift;         /* moves the digits, without the point, to the end */
    uint8_t  stop;          /* index of the byte after the number */
} PointPlace;

/* The values in a link, by the steps that note them in an event. */
typedef enum {
    NOTES_NONE,
    NOTES_HEAD, /* the phase, the pid and the tid */
    NOTES_TEXT, /* a string */
    NOTES_ANY
} LinkNotes;

/* The bytes from the end of one value to the begin of the next; with the opening quote or bracket of that. Or to the end of the
 * event. */
typedef struct EventLink EventLink;
struct EventLink {
    uint8_t bytes[LINK_BYTES];
    uint8_t rest[LINK_BYTES]; /* 0xff for the bytes that are not part of the link */
    uint8_t size;             /* in bytes */
    uint8_t form;             /* ValueForm, in event_shapes.c */
    uint8_t key;              /* EventKey of the value that follows */
    uint8_t notes;            /* LinkNotes */
    uint8_t value_count;
    uint8_t digit_count; /* of the latest number */
    uint8_t phase;       /* of NOTES_HEAD */
    uint8_t guess_at;    /* the index in the following link of the byte by which that is guessed */
    /* RawEvent.seen in the upper half and quick in the lower one: the bits that its values and the value after it set, and those
     * that they do not change */
    uint64_t set, kept;
    int64_t  ids[2]; /* of NOTES_HEAD: as RawEvent.number from KEY_PID on */
    /* The links that have followed: by the lowest bits of the byte at guess_at, NULL: none yet; and all of them, the latest new one
     * first, NULL: no more. */
    EventLink *guesses[LINK_GUESSES], *next[LINK_NEXT];
    LinkValue  values[LINK_VALUES];
    /* The first eight bytes of the latest number, or fewer, with the byte after it. Ids repeat, and the first digits of
     * times. The text is not decoded again if (bytes & digits_mask) == digits. */
    uint64_t digits, digits_mask;
    int64_t  number;
    /* Where the point and the end of the latest time were in its last eight bytes: the next time usually has them there, too. */
    PointPlace point;
};

/* The links of the earlier events of a file. A link is near the hash of its bytes; if there is no room, it replaces another
 * one, which costs time but does not change a result. All zeros is a table without links. */
typedef struct EventShapes {
    EventLink begin;             /* followed by the first links of events, which begin with a brace */
    EventLink links[LINK_COUNT]; /* up to LINK_FIRSTS: first links; then the others */
    EventLink other;             /* the latest link that cannot be stored */
    uint64_t  event_count;
    uint32_t  changes[KEY_COUNT]; /* how often a key's value in links has changed */
    uint32_t  changing;           /* bit per key that links do not include any more */
} EventShapes;

/* Receives an event, its position, and the byte after it. */
typedef void EventTaker(void *context, const RawEvent *event, EventPos pos, const uint8_t *stop);

/* Consecutive events of a list. */
typedef struct EventRun {
    const uint8_t *at, *end; /* the opening brace of the next event, and the end of the bytes */
    const uint8_t *limit;    /* an event here is not part of the run; NULL = none */
    EventPos       pos;      /* of the next event */
    EventTaker    *take;
    void          *context;
} EventRun;

/* Parses the events from run->at on that are separated by a comma and perhaps a line break, and passes each one to run->take. Sets
 * `at` and `pos` to the byte after the last one and to the next number. JSON_SCAN_MORE and JSON_SCAN_BROKEN: `at` and `pos` are those
 * of the event that cannot be parsed, and *stop is the place of the error. */
JsonScan event_parse_run(EventShapes *shapes, EventRun *run, const uint8_t **stop);

/* As event_parse, with the same result, except that numbers may be in number[] in place of value[]. Adds the links of the event to
 * `shapes`. */
JsonScan event_parse_shaped(EventShapes *shapes, const uint8_t *at, const uint8_t *end, RawEvent *event,
                            const uint8_t **stop);

#endif
