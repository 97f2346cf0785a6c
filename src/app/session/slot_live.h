/* app/session/slot_live.h - the growing trace of a slot, for requests. For app/session only.
 *
 * The functions without a request accept NULL: a trace that does not grow. */
#ifndef APP_SESSION_SLOT_LIVE_H
#define APP_SESSION_SLOT_LIVE_H
#include "app/session/context.h"
#include "base/json_writer.h"
#include "trace/live/live.h"

/* Between the two calls the trace does not change. */
void live_read(LiveSource *source);
void live_read_done(LiveSource *source);
/* For a request that takes long. Under live_read. Sets *loaded to that of the slot, with a copy of a trace that still receives
 * events, and ends live_read. NULL: live_read goes on, and *loaded has the trace itself, which receives no events, or there is
 * no memory for a copy. */
LiveCopy *live_copy_of(SessionSlot *slot, Loaded *loaded);
/* Releases the copy; NULL: ends live_read. */
void live_copy_done(SessionSlot *slot, LiveCopy *copy);
void live_source_release(LiveSource *source);
/* Returns 0 for NULL. */
uint64_t live_generation(const LiveSource *source);
/* Returns the shape to which slice ids belong; 0 for NULL. Under live_read. */
uint64_t live_shape(const LiveSource *source);
/* Returns Outline.begin_unix_ns; 0 for NULL. Under live_read. */
int64_t live_begin_unix_ns(const LiveSource *source);
/* Returns a tag that differs for each generation; `source` is not NULL. */
uint64_t live_tag(const LiveSource *source, uint64_t tag);
/* Writes the member "live" of `status` and `changes`: LIVE, or null. */
void put_live(JsonWriter *w, LiveSource *source);

/* The kind of ids in a request. */
typedef enum { IDS_NONE, IDS_OF_TRACKS, IDS_OF_SLICES } RequestIds;
/* True if the ids of the request have the same meaning as in its shape ("shape", optional). False: the answer
 * is a failure. */
bool live_has_shape(RequestContext *ctx, RequestIds ids) WARN_UNUSED;

#endif
