/* analysis/find_values.h - finds the events of a trace that match a search, a stretch at a time.
 *
 * Arguments are not kept decoded: those of each event are read again and compared, which takes time for all bytes of the
 * input. So a call does a bounded amount of work, returns the matches and the place where it stopped, and the next call goes
 * on from there. Nothing is kept between two calls. Several readers of events work at a time.
 *
 * Compared are all values of the arguments, as text, and of the other fields (backtraces, flags, unknown fields) the texts,
 * not the numbers. */
#ifndef ANALYSIS_FIND_VALUES_H
#define ANALYSIS_FIND_VALUES_H
#include "analysis/find_match.h"
#include "base/vec.h"

typedef enum {
    FIND_IN_NAMES,  /* events that match without their arguments, as find_text finds them: nothing is read */
    FIND_IN_VALUES, /* only events that FIND_IN_NAMES does not find */
    FIND_EVERYWHERE /* both, in one order */
} FindWhere;

/* Reads the arguments of events again. */
typedef struct EventSource {
    /* Returns the arguments and the other fields as JSON, each empty if the event has none; valid until the next call.
     * False: the event cannot be read. */
    bool (*read)(void *context, const OrderedEvent *event, StringView *args, StringView *other);
    void *context;
} EventSource;

typedef struct FindStretch {
    const FindPattern  *pattern; /* borrowed */
    FindWhere           where;
    const EventSource  *sources; /* not for FIND_IN_NAMES: each is used by one thread at a time; borrowed */
    size_t              source_count;
    FindScope           scope;
    const OrderedEvent *behind; /* where the last stretch stopped; NULL = at the begin */
    uint64_t            most;   /* limit on the number of matches */
} FindStretch;

typedef struct EventMatch {
    OrderedEvent event;
    /* in FoundStretch.texts: the key of the first value that matches; may be empty */
    uint32_t key_at, key_size;
    uint32_t value_at, value_size; /* that value, or the part of it around the match */
} EventMatch;

typedef struct FoundStretch {
    VEC(EventMatch) matches; /* in the order of trace/store/event_order.h */
    Bytes texts;
    bool  ended; /* no events are left */
    /* if not ended: the last event that was compared, FindStretch.behind of the next stretch */
    OrderedEvent last;
    uint64_t     unread; /* events whose arguments could not be read */
} FoundStretch;

/* `found` is empty at first; release it after a failure, too. Fails with ERR_USAGE where a regular expression gives up. */
bool find_stretch(const Trace *trace, const FindStretch *stretch, FoundStretch *found, Err *err) WARN_UNUSED;
void found_stretch_release(FoundStretch *found);
/* Returns the part of the trace's time that has been searched at the end of a stretch, 0 to 1. */
double find_share(const Trace *trace, const FoundStretch *found);

#endif
