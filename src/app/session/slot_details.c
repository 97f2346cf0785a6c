#include "app/session/slot_details.h"
#include "base/lock.h"

struct SlotDetails {
    Lock         *lock;   /* of the rest */
    Arena         own;    /* holds the reader */
    DetailReader *reader; /* NULL = not needed yet */
};

SlotDetails *slot_details_create(Arena *arena)
{
    SlotDetails *details = ARENA_NEW(arena, SlotDetails);
    if (details == NULL) return NULL;
    details->own = arena_create(0);
    details->lock = lock_create(arena);
    return details->lock == NULL ? NULL : details;
}

static void drop_reader(SlotDetails *details)
{
    detail_reader_release(details->reader);
    details->reader = NULL;
    arena_release(&details->own);
    details->own = arena_create(0);
}

void slot_details_destroy(SlotDetails *details)
{
    if (details == NULL) return;
    drop_reader(details);
    lock_destroy(details->lock);
}

bool slot_details_read(SlotDetails *details, const Loaded *loaded, DetailsBytes bytes, ReadDetails read,
                       uint64_t id, EventDetails *result, Err *err)
{
    lock_take(details->lock);
    if (details->reader == NULL) details->reader = detail_reader_create(&details->own, loaded);
    const bool is_read = details->reader == NULL ? err_set(err, ERR_MEMORY, "out of memory")
                                                 : read(details->reader, id, result, err);
    if (bytes == DETAILS_DROP_BYTES) drop_reader(details);
    lock_give(details->lock);
    return is_read;
}
