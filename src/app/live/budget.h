/* app/live/budget.h - one bound of memory for all senders together.
 *
 * The columns of the shown traces get the rest after all other memory, a quarter of the bound at most and a
 * sixteenth at least. They are in reserved address space, which memory_held() does not count; so the program's memory
 * limit is the bound without this sixteenth. Five eighths are for receiving: names, threads, open records, and the
 * tables of tracks and rows. The rest is for the session's answers and indexes.
 *
 * If the columns exceed their share, the largest traces are cut to the same size and the others stay complete. A trace
 * that cannot be cut, because its slices are open, is stopped: later events are not shown. If receiving exceeds its
 * share, the sender with the largest state is stopped in the same way. */
#ifndef APP_LIVE_BUDGET_H
#define APP_LIVE_BUDGET_H
#include "app/live/sender.h"

typedef struct Budget {
    uint64_t total, columns, receiving; /* bytes; UINT64_MAX = no bound */
} Budget;

enum { BUDGET_SENDERS = 512 };

/* Returns the parts of a bound; 0 = no bound. */
Budget budget_of(uint64_t bytes);

/* Returns the part of a bound that is always left to the columns. */
uint64_t budget_least_columns(uint64_t bytes);

/* Brings the senders, at most BUDGET_SENDERS, back to the budget. No trace that is shown keeps more than `keep_bytes`; 0 =
 * no such bound. */
void budget_keep(const Budget *budget, uint64_t keep_bytes, Sender *const *senders, size_t count);

/* Returns the largest level to which sizes can be cut so that their sum is at most `most`; UINT64_MAX if the sum is so
 * already. Sorts `sizes`. */
uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most);

#endif
