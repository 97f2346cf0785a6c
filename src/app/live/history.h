/* app/live/history.h - the senders that have ended, for the report: the latest ones in detail, of earlier
 * ones their number.
 *
 * This limits the memory for any number of senders. One thread at a time. */
#ifndef APP_LIVE_HISTORY_H
#define APP_LIVE_HISTORY_H
#include "app/live/sender.h"

enum { HISTORY_SENDERS = 1000 };

typedef struct EndedSender EndedSender;

/* A zeroed History is empty. */
typedef struct History {
    ARENA_LIST(EndedSender) records; /* at most HISTORY_SENDERS */
    size_t   oldest; /* index of the record that is replaced next, once there are HISTORY_SENDERS */
    uint64_t unlisted;
} History;

/* Copies `status`, texts included, but not so_far. The records live in `arena`, the same in every call. */
void history_add(History *history, Arena *arena, const SenderStatus *status);
/* Calls back for each record in the order in which the senders ended. */
void history_each(const History *history, void (*each)(void *context, const SenderStatus *status),
                  void          *context);
/* Returns the number of added senders without a record. */
uint64_t history_unlisted(const History *history);
/* Call before the arena is released. */
void history_release(History *history);

#endif
