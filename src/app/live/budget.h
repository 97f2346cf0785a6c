/* app/live/budget.h - the memory limit of all senders together.
 *
 * The limit is that of the program (memory_limit): everything counts, the columns of growing traces included. Each kind of
 * memory has a share, so that one sender cannot take the memory of the others:
 * - The columns of all traces have a quarter. If they exceed it, the largest traces are cut to the same size and the others
 *   stay complete. A trace that cannot be cut, because its slices are open, is stopped: later events are not shown.
 * - Receiving (names, threads, open records, tables of tracks and rows) has five eighths. If it exceeds them, the sender
 *   with the largest state is stopped in the same way.
 * - An eighth is for answers to the viewer. If stopped senders hold more than their share, the other share shrinks instead.
 *
 * Senders take turns: each processes a piece of its received bytes, then the shares are checked. An event of 25 bytes can
 * need 1.7 KB, a row of its own, so a piece is small compared with the memory that is left for columns. */
#ifndef APP_LIVE_BUDGET_H
#define APP_LIVE_BUDGET_H
#include "app/live/sender.h"

typedef struct Budget {
    uint64_t total, columns, receiving; /* bytes; UINT64_MAX = no limit */
} Budget;

enum { BUDGET_SENDERS = 512 };

/* Returns the shares of a limit; 0 = no limit. */
Budget budget_of(uint64_t bytes);

/* Reduces the senders, at most BUDGET_SENDERS, to the budget, and sets keep_bytes and piece_bytes of their rules. No shown
 * trace keeps more than rules->show.keep_bytes; 0 = no such limit. */
void budget_keep(const Budget *budget, SenderRules *rules, Sender *const *senders, size_t count);

/* Returns the largest size to which sizes can be cut so that their sum is at most `most`; UINT64_MAX if the
 * sum is already. Sorts `sizes`. */
uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most);

#endif
