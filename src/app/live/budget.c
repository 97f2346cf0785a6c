#include "app/live/budget.h"

#include "base/arena.h"
#include "base/compare.h"

#include <assert.h>
#include <stdlib.h>

Budget budget_of(uint64_t bytes)
{
    if (bytes == 0) return (Budget){ UINT64_MAX, UINT64_MAX, UINT64_MAX };
    return (Budget){ .total = bytes, .columns = bytes / 4, .receiving = bytes / 8 * 5 };
}

uint64_t budget_level(uint64_t *sizes, size_t count, uint64_t most)
{
    if (count > 0) qsort(sizes, count, sizeof sizes[0], compare_first_u64);
    for (size_t i = 0; i < count; i++) { /* smaller sizes are not cut: the rest is for those from i */
        const uint64_t share = most / (count - i);
        if (sizes[i] > share) return share;
        assert(sizes[i] <= most && (i == 0 || sizes[i - 1] <= sizes[i]));
        most -= sizes[i];
    }
    return UINT64_MAX;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Returns the rest of the limit after `others` bytes and the eighth for answers: at most `share`, at least a sixteenth of the
 * limit. */
static uint64_t share_left(const Budget *budget, uint64_t share, uint64_t others)
{
    const uint64_t least = budget->total / 16, left = difference(budget->total - budget->total / 8, others);
    return least_of(share, left > least ? left : least);
}

/* Cuts the largest traces. A trace that cannot be cut reduces the share of the others, but each may have a part of `most`.
 * Stops such traces if the sum of all traces exceeds `most`. Returns the bytes left. */
static uint64_t keep_columns(uint64_t most, SenderRules *rules, Sender *const *senders, size_t count)
{
    const uint64_t least = most / SESSION_MAX_TRACES, bound = rules->show.keep_bytes;
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
    uint64_t level = budget_level(sizes, size_count, difference(most, uncut));
    if (level < least) level = least;
    rules->keep_bytes = level != UINT64_MAX && (bound == 0 || level < bound) ? level : bound;
    for (size_t i = 0; i < count; i++) {
        if (sum > most && sender_exceeds(senders[i]) && sender_takes_events(senders[i]))
            sender_stop(senders[i]);
        sender_keep_columns(senders[i], rules->keep_bytes);
    }
    return difference(most, sum);
}

/* Stops the sender with the largest state if all together hold more than `most` bytes and it holds more than its part. The
 * part matters if stopped senders hold the memory. Stops only one: the memory that it releases is seen by the next call. */
static void keep_receiving(uint64_t most, Sender *const *senders, size_t count)
{
    Sender  *largest = NULL;
    uint64_t sizes[BUDGET_SENDERS], largest_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = sizes[i] = sender_held_bytes(senders[i]);
        if (bytes <= largest_bytes || !sender_takes_events(senders[i])) continue;
        largest = senders[i];
        largest_bytes = bytes;
    }
    if (largest != NULL && largest_bytes > budget_level(sizes, count, most)) sender_stop(largest);
}

void budget_keep(const Budget *budget, SenderRules *rules, Sender *const *senders, size_t count)
{
    enum { PIECE_SHARE = 256, LEAST_SHARE = 16 << 10, MOST_PIECE = 16 << 20 };
    assert(count <= BUDGET_SENDERS);
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns += sender_column_memory(senders[i]);
    const uint64_t others = difference(memory_held(), columns);
    const uint64_t left = keep_columns(share_left(budget, budget->columns, others), rules, senders, count);
    keep_receiving(share_left(budget, budget->receiving, columns), senders, count);
    const uint64_t piece = left / PIECE_SHARE, least = budget->total / LEAST_SHARE + 1;
    rules->piece_bytes = least_of(piece > least ? piece : least, MOST_PIECE);
}
