/* format/apitrace/pending.h - the calls that have begun and not returned.
 *
 * Usually they are few: the number of threads times the nesting. A crafted file may have any number of them. */
#ifndef FORMAT_APITRACE_PENDING_H
#define FORMAT_APITRACE_PENDING_H
#include "format/apitrace/call.h"

typedef struct PendingCall {
    CallEvents events;
    uint64_t   end; /* offset after its last byte in the stream */
    /* owned: the bytes of events.enter if they must outlive their block; NULL = not copied */
    uint8_t *copy;
    bool     has_left; /* it returned; it is kept until the calls after it have returned */
} PendingCall;

typedef struct PendingCalls {
    Arena       *arena; /* borrowed; holds the list */
    PendingCall *items; /* sorted by number */
    uint32_t     count, capacity;
    size_t       left;  /* number of items with has_left */
    PendingCall  taken; /* the call last taken, after its item was removed */
} PendingCalls;

/* Appends an uninitialised item, which the caller must fill. Numbers must increase. NULL when out of memory. */
PendingCall *pending_add(PendingCalls *pending) WARN_UNUSED;
/* Removes the call of this number. NULL = there is no such call. Valid until the next call of these functions. The
 * caller owns its copy. */
const PendingCall *pending_take(PendingCalls *pending, uint64_t number) WARN_UNUSED;
/* Copies the bytes of the calls that have no copy, before their block is released. */
bool pending_keep(PendingCalls *pending) WARN_UNUSED;
void pending_free_copy(uint8_t *copy); /* NULL is allowed */
void pending_free_copies(PendingCalls *pending);

#endif
