/* app/live/history.h - the senders that have ended, for the report: the latest one by one, the earlier ones as a number.
 *
 * So the memory does not grow with the number of senders. One thread at a time. */
#ifndef APP_LIVE_HISTORY_H
#define APP_LIVE_HISTORY_H
#include "app/live/sender.h"

enum { HISTORY_SENDERS = 1000 };

/* A zeroed one is empty. */
typedef struct History {
    ArenaList records; /* EndedSender, at most HISTORY_SENDERS */
    size_t    oldest;  /* index of the record that is replaced next, once there are HISTORY_SENDERS */
    uint64_t  unlisted;
} History;

/* Copies `status`, texts included, but not so_far. The records live in `arena`, the same in every call. */
void history_add(History *history, Arena *arena, const SenderStatus *status);
/* Calls back for each record in the order in which the senders ended. */
void history_each(const History *history, void (*each)(void *context, const SenderStatus *status),
                  void          *context);
/* Returns the number of senders that were added and have no record any more. */
uint64_t history_unlisted(const History *history);
/* Before the arena goes. */
void history_release(History *history);

#endif
