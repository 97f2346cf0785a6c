/* app/session/event_members.h - writes the members of SLICE and INSTANT (docs/PROTOCOL.md) about flows, objects and stacks.
 * For app/session only. */
#ifndef APP_SESSION_EVENT_MEMBERS_H
#define APP_SESSION_EVENT_MEMBERS_H
#include "app/session/context.h"
#include "base/json_writer.h"
#include "trace/store/event_order.h"
#include "trace/store/flows.h"

/* Writes the member `ended_by` of a state: the arrows to the slice behind it, at its end. Nothing without arrows. */
void put_ended_by(JsonWriter *w, const RequestContext *ctx, uint64_t slice);
/* Writes a member of SLICE: the arrows that begin (FLOW_FROM) or end in it. */
void put_flows(JsonWriter *w, const RequestContext *ctx, const char *key, uint64_t slice, FlowSide side);
/* Write the members about objects, contexts and dumps; `args`: of the event, as JSON. */
void put_slice_objects(JsonWriter *w, const RequestContext *ctx, uint64_t slice, const Bytes *args);
void put_instant_objects(JsonWriter *w, const RequestContext *ctx, uint64_t instant, const Bytes *args);
/* Write the members about stacks and samples. */
void put_slice_stacks(JsonWriter *w, const RequestContext *ctx, uint64_t slice);
void put_instant_stack(JsonWriter *w, const RequestContext *ctx, uint64_t instant);
/* Writes a member MARK, an instant with its place; SNAPSHOT_NONE gives null. */
void put_mark(JsonWriter *w, const char *key, const RequestContext *ctx, uint64_t instant);
/* Writes the members "place" and "mark" of an event: null for the one that it is not, both for PLACE_NONE. */
void put_event_place(JsonWriter *w, const RequestContext *ctx, OrderKind kind, uint64_t id);

#endif
