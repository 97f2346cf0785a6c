#include "app/live/budget.h"

#include <assert.h>
#include <stdlib.h>

Budget budget_of(uint64_t bytes)
{
    if (bytes == 0) return (Budget){ UINT64_MAX, UINT64_MAX };
    return (Budget){ .columns = bytes / 4, .receiving = bytes / 2 };
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most)
{
    if (count > 0) qsort(sizes, count, sizeof sizes[0], by_size);
    for (size_t i = 0; i < count; i++) { /* the smaller ones stay whole: `most` is for those from i on */
        const uint64_t share = most / (count - i);
        if (sizes[i] > share) return share;
        most -= sizes[i];
    }
    return UINT64_MAX;
}

static void keep_columns(uint64_t most, uint64_t keep_bytes, Sender *const *senders, size_t count)
{
    uint64_t sizes[BUDGET_SENDERS];
    for (size_t i = 0; i < count; i++)
        sizes[i] = sender_column_bytes(senders[i]);
    const uint64_t level = budget_level(sizes, count, most);
    const uint64_t keep = level != UINT64_MAX && (keep_bytes == 0 || level < keep_bytes) ? level : keep_bytes;
    for (size_t i = 0; i < count; i++)
        sender_keep_columns(senders[i], keep);
}

/* Stops at most one sender: what that one gives back shows in the next call. */
static void keep_receiving(uint64_t most, Sender *const *senders, size_t count)
{
    Sender  *largest = NULL;
    uint64_t sum = 0, largest_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = sender_held_bytes(senders[i]);
        sum += bytes;
        if (bytes <= largest_bytes || !sender_takes_events(senders[i])) continue;
        largest = senders[i];
        largest_bytes = bytes;
    }
    if (sum > most && largest != NULL) sender_stop(largest);
}

void budget_keep(const Budget *budget, uint64_t keep_bytes, Sender *const *senders, size_t count)
{
    assert(count <= BUDGET_SENDERS);
    keep_columns(budget->columns, keep_bytes, senders, count);
    keep_receiving(budget->receiving, senders, count);
}
