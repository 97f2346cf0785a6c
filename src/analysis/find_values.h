/* analysis/find_values.h - events whose arguments hold a text, found a stretch at a time.
 *
 * Arguments are not kept decoded: each event's are read again and looked through, which takes time for
 * all bytes of the input. So a search does a bounded amount of work, says what it found and where it
 * stopped, and goes on from there when it is asked again: it keeps nothing between two stretches. Several
 * readers of events look at a time.
 *
 * What is looked through: of the arguments every value, as text; of the other fields (backtraces, flags,
 * unknown fields) the texts, not the numbers. "key=part" is also found in values of the key of that name, and
 * "key=" wherever that key is. */
#ifndef ANALYSIS_FIND_VALUES_H
#define ANALYSIS_FIND_VALUES_H
#include "trace/event_order.h"
#include "trace/filter.h"

/* A text that is looked for, taken apart. */
typedef struct FindWanted {
    StringView text;
    bool       has_key; /* "key=part" */
    StringView key, part;
    bool       text_is_number, part_is_number; /* could be a part of one, or of what looks like one */
} FindWanted;

FindWanted find_wanted(StringView text);
/* Whether a value is one of those. `key` NULL: it might have any. `value` with NULL for bytes: whether any number
 * might be, or what looks like one: for who reads events, and can leave out those in which nothing is found. */
bool find_wanted_is(const FindWanted *wanted, const StringView *key, StringView value);

typedef enum {
    FIND_IN_NAMES, /* what find_text finds: by name or category, nothing is read */
    FIND_IN_VALUES /* only events that FIND_IN_NAMES does not find */
} FindWhere;

/* Who reads again what events say. */
typedef struct EventSource {
    /* Arguments and other fields as JSON, each empty where there are none; good until the next call. False:
     * the event cannot be read. */
    bool (*read)(void *context, const OrderedEvent *event, StringView *args, StringView *other);
    void *context;
} EventSource;

typedef struct FindStretch {
    StringView          text; /* "" is found nowhere */
    FindWhere           where;
    const EventSource  *sources; /* for FIND_IN_VALUES: each is used by one thread at a time; borrowed */
    size_t              source_count;
    const Filter       *filter; /* what it hides is not found; NULL = nothing */
    const OrderedEvent *behind; /* where the last stretch stopped; NULL = at the begin */
    uint64_t            most;   /* so many matches at most */
} FindStretch;

typedef struct EventMatch {
    OrderedEvent event;
    uint32_t     key_at, key_size; /* in FoundStretch.texts: whose value it is; empty when it is nobody's */
    uint32_t     value_at, value_size; /* what stands around the match */
} EventMatch;

typedef struct FoundStretch {
    Bytes        matches; /* EventMatch[], in the order of trace/event_order.h */
    Bytes        texts;
    bool         ended;  /* there is no more */
    OrderedEvent last;   /* where to go on otherwise */
    uint64_t     unread; /* events whose arguments could not be read */
} FoundStretch;

/* `found` comes empty; found_stretch_release it, also after a failure. */
bool find_stretch(const Trace *trace, const FindStretch *stretch, FoundStretch *found, Err *err) WARN_UNUSED;
void found_stretch_release(FoundStretch *found);

#endif
