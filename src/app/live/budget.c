#include "app/live/budget.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

Budget budget_of(uint64_t bytes)
{
    if (bytes == 0) return (Budget){ UINT64_MAX, UINT64_MAX, UINT64_MAX };
    return (Budget){ .total = bytes, .columns = bytes / 4, .receiving = bytes / 8 * 5 };
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most)
{
    if (count > 0) qsort(sizes, count, sizeof sizes[0], by_size);
    for (size_t i = 0; i < count; i++) { /* smaller sizes are not cut: the rest is for those from i */
        const uint64_t share = most / (count - i);
        if (sizes[i] > share) return share;
        most -= sizes[i];
    }
    return UINT64_MAX;
}

/* Cuts the largest traces. A trace that cannot be cut reduces the share of the others. Stops such traces
 * before the sum of all traces exceeds the limit. */
static void keep_columns(uint64_t most, uint64_t keep_bytes, Sender *const *senders, size_t count)
{
    const uint64_t least = UINT64_C(64) << 10;
    uint64_t       sizes[BUDGET_SENDERS], uncut = 0, sum = 0;
    size_t         size_count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = sender_column_bytes(senders[i]);
        sum += bytes;
        if (sender_exceeds(senders[i]))
            uncut += bytes;
        else
            sizes[size_count++] = bytes;
    }
    uint64_t level = budget_level(sizes, size_count, most > uncut ? most - uncut : 0);
    if (level < least) level = least;
    const uint64_t keep = level != UINT64_MAX && (keep_bytes == 0 || level < keep_bytes) ? level : keep_bytes;
    for (size_t i = 0; i < count; i++) {
        if (sum > most && sender_exceeds(senders[i]) && sender_takes_events(senders[i])) sender_stop(senders[i]);
        sender_keep_columns(senders[i], keep);
    }
}

/* Stops the sender with the largest state if all together hold more than `most` bytes. Stops only one: the
 * memory that it releases is seen by the next call. */
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

uint64_t budget_least_columns(uint64_t bytes)
{
    return bytes / 16;
}

/* Returns the bytes for columns: the rest after all other memory, up to their share. */
static uint64_t columns_left(const Budget *budget)
{
    const uint64_t held = memory_held(), least = budget_least_columns(budget->total);
    const uint64_t left = held < budget->total ? budget->total - held : 0;
    if (left >= budget->columns) return budget->columns;
    return left > least ? left : least;
}

void budget_keep(const Budget *budget, uint64_t keep_bytes, Sender *const *senders, size_t count)
{
    assert(count <= BUDGET_SENDERS);
    keep_columns(columns_left(budget), keep_bytes, senders, count);
    keep_receiving(budget->receiving, senders, count);
}
