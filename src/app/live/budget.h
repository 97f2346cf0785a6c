/* app/live/budget.h - the memory limit of all senders together.
 *
 * The columns of the shown traces get the rest after all other memory: at most a quarter of the limit and at
 * least a sixteenth. They are in reserved address space, which memory_held() does not count; so the program's
 * memory limit is reduced by this sixteenth. Five eighths are for receiving: names, threads, open records,
 * and the tables of tracks and rows. The rest is for the session's answers and indexes.
 *
 * If the columns exceed their share, the largest traces are cut to the same size and the others stay
 * complete. A trace that cannot be cut, because its slices are open, is stopped: later events are not shown.
 * If receiving exceeds its share, the sender with the largest state is stopped in the same way. */
#ifndef APP_LIVE_BUDGET_H
#define APP_LIVE_BUDGET_H
#include "app/live/sender.h"

typedef struct Budget {
    uint64_t total, columns, receiving; /* bytes; UINT64_MAX = no limit */
} Budget;

enum { BUDGET_SENDERS = 512 };

/* Returns the shares of a limit; 0 = no limit. */
Budget budget_of(uint64_t bytes);

/* Returns the share of a limit that is reserved for the columns. */
uint64_t budget_least_columns(uint64_t bytes);

/* Reduces the senders, at most BUDGET_SENDERS, to the budget. No shown trace keeps more than `keep_bytes`; 0
 * = no such limit. */
void budget_keep(const Budget *budget, uint64_t keep_bytes, Sender *const *senders, size_t count);

/* Returns the largest size to which sizes can be cut so that their sum is at most `most`; UINT64_MAX if the
 * sum is already. Sorts `sizes`. */
uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most);

#endif
