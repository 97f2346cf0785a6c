/* format/perfetto/ftrace_bundle.h - the events of a FtraceEventBundle, which are those of one CPU. For format/perfetto only.
 *
 * A bundle has three series: events, and in columns (CompactSched) the most frequent ones: switches and wake-ups. Each series is in
 * order of time. An event has a number in its bundle, from 0: first the events, then the switches, then the wake-ups. */
#ifndef FORMAT_PERFETTO_FTRACE_BUNDLE_H
#define FORMAT_PERFETTO_FTRACE_BUNDLE_H
#include "base/arena.h"
#include "format/wire.h"

typedef struct FtraceBundle {
    StringView message;
    StringView compact; /* bytes NULL = none */
    uint32_t   cpu;
    uint32_t   clock;              /* FTRACE_CLOCK_ of fields.h */
    int64_t    ftrace_ns, boot_ns; /* the same moment on ftrace's clock and on boottime; 0 = not known */
    uint32_t   event_count, switch_count, waking_count;
    bool       has_lost; /* events before these */
} FtraceBundle;

/* Decodes all but the events. False: damage. */
bool                   bundle_decode(StringView message, FtraceBundle *bundle) WARN_UNUSED;
static inline uint64_t bundle_count(const FtraceBundle *bundle)
{
    return (uint64_t)bundle->event_count + bundle->switch_count + bundle->waking_count;
}

/* A task of a switch or a wake-up. */
typedef struct BundledTask {
    int64_t    tid; /* -1 = not known */
    int64_t    priority;
    StringView name;
} BundledTask;

typedef struct BundledEvent {
    uint64_t   time;   /* of ftrace's clock, in ns */
    uint32_t   number; /* in the bundle */
    uint32_t   kind;   /* the field of FtraceEvent: FTRACE_ of fields.h */
    int64_t    tid;    /* of the task that the CPU ran; -1 = not known: of compact events */
    uint32_t   flags;  /* of the kernel: FTRACE_FLAG_ */
    bool       is_compact, is_damaged;
    StringView data; /* the message of the event; not of compact events */
    /* of compact events: */
    BundledTask task;     /* the next or the woken one */
    BundledTask previous; /* of a switch: not known of the first one of the bundle */
    int64_t     detail;   /* the state of the previous task, or the CPU on which the task wakes up */
} BundledEvent;

typedef enum { BUNDLE_EVENTS, BUNDLE_SWITCHES, BUNDLE_WAKINGS, BUNDLE_SERIES } BundleSeries;

/* The columns of switches or wake-ups. */
typedef struct CompactColumns {
    ByteCursor  times, tids, priorities, names, details, flags;
    uint64_t    time;
    BundledTask last;
} CompactColumns;

enum { MARK_STEP = 16 };

typedef struct BundleCursor {
    FtraceBundle   bundle;
    ByteCursor     events;
    CompactColumns columns[BUNDLE_SERIES]; /* of switches and wake-ups */
    BundledEvent   next[BUNDLE_SERIES];
    bool           has_next[BUNDLE_SERIES];
    uint32_t       taken[BUNDLE_SERIES];
    ARENA_LIST(StringView) names; /* in the arena of bundle_open */
    ARENA_LIST(uint32_t)
    marks; /* of bundle_find: the place in `events` of every MARK_STEP-th event, as far as known */
} BundleCursor;

/* Goes to the first events of a bundle. The cursor was zeroed or used before. False: out of memory. */
bool bundle_open(BundleCursor *cursor, Arena *arena, const FtraceBundle *bundle) WARN_UNUSED;
/* Returns the next event in order of time, or NULL at the end. It is valid until bundle_take. */
const BundledEvent *bundle_next(const BundleCursor *cursor);
/* Goes behind an event of bundle_next. */
void bundle_take(BundleCursor *cursor, const BundledEvent *event);
/* Returns the event with a number; NULL: no such event, or out of memory. Switches and wake-ups are found faster in ascending
 * order. */
const BundledEvent *bundle_find(BundleCursor *cursor, Arena *arena, uint32_t number);

#endif
