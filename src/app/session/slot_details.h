/* app/session/slot_details.h - the arguments of the events of a trace, for requests. For app/session only.
 *
 * A trace has one reader for all its requests, so that consecutive requests about neighbouring events read their bytes
 * once. */
#ifndef APP_SESSION_SLOT_DETAILS_H
#define APP_SESSION_SLOT_DETAILS_H
#include "format/load.h"

typedef struct SlotDetails SlotDetails;

/* Lives in `arena`. NULL when out of memory. */
SlotDetails *slot_details_create(Arena *arena) WARN_UNUSED;
void         slot_details_destroy(SlotDetails *details); /* accepts NULL */

typedef enum {
    DETAILS_KEEP_BYTES, /* for a loaded trace, whose input does not change */
    DETAILS_DROP_BYTES  /* for a growing trace: later requests read its last bytes again */
} DetailsBytes;

/* Reads the details of event `id` with `read`, for example detail_reader_slice. The caller releases result->args and
 * result->other, also after a failure. Thread-safe: one request reads at a time. */
bool slot_details_read(SlotDetails *details, const Loaded *loaded, DetailsBytes bytes, ReadDetails read,
                       uint64_t id, EventDetails *result, Err *err) WARN_UNUSED;

#endif
