/* app/live/budget.h - one bound of memory for all senders together.
 *
 * A quarter of it is for the columns of the traces that are shown, half for what receiving itself holds; the rest is for
 * the session's answers and indexes. Where the columns exceed their part, the largest traces are cut to the same level and
 * the others stay whole. Where receiving exceeds its part, the sender that holds most is stopped: no more events of it
 * are taken in. So a sender that takes little loses nothing, however much the others send. */
#ifndef APP_LIVE_BUDGET_H
#define APP_LIVE_BUDGET_H
#include "app/live/sender.h"

typedef struct Budget {
    uint64_t columns, receiving; /* bytes; UINT64_MAX = no bound */
} Budget;

enum { BUDGET_SENDERS = 512 };

/* Returns the parts of a bound; 0 = no bound. */
Budget budget_of(uint64_t bytes);

/* Brings the senders, at most BUDGET_SENDERS, back to the budget. No trace that is shown keeps more than `keep_bytes`; 0 =
 * no such bound. */
void budget_keep(const Budget *budget, uint64_t keep_bytes, Sender *const *senders, size_t count);

/* Returns the largest level to which sizes can be cut so that their sum is at most `most`; UINT64_MAX if the sum is so
 * already. Sorts `sizes`. */
uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most);

#endif
