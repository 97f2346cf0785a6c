#include "format/apitrace/pending.h"

#include "base/search.h"

#include <assert.h>

PendingCall *pending_add(PendingCalls *pending)
{
    PendingCall *items =
        arena_grow(pending->arena, pending->items, pending->count, &pending->capacity, sizeof *items);
    if (items == NULL) return NULL;
    pending->items = items;
    return &items[pending->count++];
}

/* Removes the calls that have left from the end, and from everywhere if they are the majority. */
static void drop_left(PendingCalls *pending)
{
    assert(pending->left <= pending->count);
    enum { FEW = 32 };
    while (pending->count > 0 && pending->items[pending->count - 1].has_left) {
        pending->count--;
        assert(pending->left > 0);
        pending->left--;
    }
    if (pending->left <= FEW || pending->left <= pending->count / 2) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pending->count; i++) {
        if (!pending->items[i].has_left) pending->items[kept++] = pending->items[i];
    }
    pending->count = kept;
    pending->left = 0;
}

const PendingCall *pending_take(PendingCalls *pending, uint64_t number)
{
    size_t low = 0, count = pending->count;
    /* the last one has not left */
    if (LIKELY(count > 0 && pending->items[count - 1].events.number == number)) {
        pending->count--;
        if (pending->left == 0) return &pending->items[count - 1];
        pending->taken = pending->items[count - 1];
        drop_left(pending);
        return &pending->taken;
    }
    LOWER_BOUND(size_t, low, count, i, pending->items[i].events.number < number);
    if (low == count) return NULL;
    PendingCall *call = &pending->items[low];
    if (call->events.number != number || call->has_left) return NULL;
    pending->taken = *call;
    call->has_left = true;
    call->copy = NULL;
    pending->left++;
    drop_left(pending);
    return &pending->taken;
}

bool pending_keep(PendingCalls *pending)
{
    for (size_t i = pending->count; i-- > 0;) {
        PendingCall *call = &pending->items[i];
        if (call->has_left) continue;
        if (call->copy != NULL) break; /* all earlier ones have copies */
        Bytes copy = { NULL, 0, 0, false };
        bytes_append(&copy, call->events.enter.bytes, call->events.enter.size);
        if (copy.failed) return false;
        call->copy = copy.data;
        call->events.enter.bytes = copy.data;
    }
    return true;
}

void pending_free_copy(uint8_t *copy)
{
    Bytes bytes = { .data = copy };
    bytes_release(&bytes);
}

void pending_free_copies(PendingCalls *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        pending_free_copy(pending->items[i].copy);
}
