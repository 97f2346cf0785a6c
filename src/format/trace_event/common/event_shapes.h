/* format/trace_event/common/event_shapes.h - parses events that are spelled alike.
 *
 * A program writes the keys of its events in one order and with the same bytes between them, and some values rarely change:
 * the kind of an event, its process, thread and category. So the bytes between two values that do change repeat, for
 * example `{"ph":"B","pid":4242,"tid":5001,"ts":`. Such bytes are a *link*. A link has the members in it, already decoded,
 * and the form of the value that follows, or it contains the event's closing brace.
 *
 * EventShapes has the links of the earlier events and, for each of them, the links that have followed it. So an event is a few
 * comparisons and the decoding of the values between them. If no link fits, or a value has another form, the members are read as
 * event_parse reads them, up to the next value that changes, and their bytes are stored as a link. A key whose value
 * changes too often in links is not included in links any more. */
#ifndef FORMAT_TRACE_EVENT_COMMON_EVENT_SHAPES_H
#define FORMAT_TRACE_EVENT_COMMON_EVENT_SHAPES_H
#include "format/trace_event/common/event.h"

enum {
    LINK_BLOCKS = 4, /* of 16 bytes */
    LINK_BYTES = 16 * LINK_BLOCKS,
    LINK_VALUES = 4, /* the most values in a link */
    LINK_NEXT = 8,
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

/* The bytes from the end of one value to the begin of the next; with the opening quote or bracket of that. Or to the end of the
 * event. */
typedef struct EventLink EventLink;
struct EventLink {
    uint8_t    bytes[LINK_BYTES];
    uint8_t    size;        /* in bytes */
    uint8_t    form;        /* ValueForm, in event_shapes.c */
    uint8_t    key;         /* EventKey of the value that follows */
    uint8_t    phase;       /* 0: the link has no `ph` */
    uint32_t   rest;        /* a bit for each byte of the first block that is not part of the link */
    uint32_t   seen, quick; /* as in RawEvent, of the values in the link and the value that follows */
    uint32_t   unseen;      /* the other bits */
    uint8_t    value_count, other_count;
    uint8_t    digit_count;         /* of the latest number */
    bool       has_ids;             /* the link has a pid and a tid */
    int64_t    ids[2];              /* as RawEvent.number from KEY_PID on */
    uint8_t    others[LINK_VALUES]; /* indices of its values that are not the phase and not ids */
    EventLink *next[LINK_NEXT]; /* the links that have followed, the latest new one first; NULL: no more */
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

/* As event_parse, with the same result, except that numbers may be in number[] in place of value[]. Adds the links of the event to
 * `shapes`. */
JsonScan event_parse_shaped(EventShapes *shapes, const uint8_t *at, const uint8_t *end, RawEvent *event,
                            const uint8_t **stop);

#endif
