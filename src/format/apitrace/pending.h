/* format/apitrace/pending.h - the calls that have begun and not returned.
 *
 * They are few: about as many as threads and nesting. A file may hold ever so many that never return, all the same. */
#ifndef FORMAT_APITRACE_PENDING_H
#define FORMAT_APITRACE_PENDING_H
#include "format/apitrace/call.h"

typedef struct PendingCall {
    CallEvents events;
    uint64_t   offset; /* of its first byte in the stream */
    uint64_t   end;    /* behind its last one */
    int64_t    tick;   /* when it began */
    uint8_t   *copy; /* owned: events.enter's bytes, when they must outlive their block; NULL = not copied */
    bool       has_left; /* it returned, and is only here until those behind it did */
} PendingCall;

typedef struct PendingCalls {
    Arena       *arena; /* borrowed: the list lives there */
    PendingCall *items; /* by number */
    size_t       count, capacity;
    size_t       left; /* how many of them have */
} PendingCalls;

/* Numbers must ascend. False when out of memory. */
bool pending_add(PendingCalls *pending, const PendingCall *call) WARN_UNUSED;
/* Takes the call of this number out, if it is there; *call then owns its copy. */
bool pending_take(PendingCalls *pending, uint64_t number, PendingCall *call);
/* Copies the bytes of all that were not copied yet: their block goes. */
bool pending_keep(PendingCalls *pending) WARN_UNUSED;
void pending_free_copy(uint8_t *copy); /* NULL is allowed */
void pending_free_copies(PendingCalls *pending);

#endif
