/* app/session/handlers.h - the functions that answer the requests of docs/PROTOCOL.md, for the table in session.c. For app/session
 * only.
 *
 * Each fills the answer, and reports failures with answer_fail. */
#ifndef APP_SESSION_HANDLERS_H
#define APP_SESSION_HANDLERS_H
#include "app/session/context.h"

/* handlers_area.c */
void handle_area(RequestContext *ctx);
void handle_arguments(RequestContext *ctx);
/* handlers_capture.c */
void handle_call(RequestContext *ctx);
/* handlers_categories.c */
void handle_categories(RequestContext *ctx);
/* handlers_compare.c */
void handle_profile(RequestContext *ctx);
void handle_compare(RequestContext *ctx);
void handle_first(RequestContext *ctx);
/* handlers_find.c */
void handle_find(RequestContext *ctx);
/* handlers_flame.c */
void handle_flame(RequestContext *ctx);
void handle_flame_change(RequestContext *ctx);
/* handlers_flow.c */
void handle_flow(RequestContext *ctx);
/* handlers_frames.c */
void handle_frames(RequestContext *ctx);
void handle_blob(RequestContext *ctx);
/* handlers_go.c */
void handle_go(RequestContext *ctx);
void handle_go_pprof(RequestContext *ctx);
/* handlers_info.c */
void handle_info(RequestContext *ctx);
void handle_identity(RequestContext *ctx);
void handle_properties(RequestContext *ctx);
void handle_property(RequestContext *ctx);
/* handlers_look.c */
void handle_look(RequestContext *ctx);
void handle_begin(RequestContext *ctx);
void handle_whole(RequestContext *ctx);
/* handlers_moments.c */
void handle_moments(RequestContext *ctx);
/* handlers_offset.c */
void handle_event_at(RequestContext *ctx);
/* handlers_owner.c */
void handle_process(RequestContext *ctx);
void handle_thread(RequestContext *ctx);
/* handlers_remote.c: every request about a trace that is read by ranges */
void handle_remote(RequestContext *ctx);
/* Answers from the tiles of the slot while it is in SLOT_SHOWN. False: they do not have the answer, or this state has ended. */
bool handle_shown(RequestContext *ctx);
/* Answers that the request needs the whole file. */
void answer_needs_whole(Answer *answer, const SessionSlot *slot);
/* handlers_save.c */
void handle_source(RequestContext *ctx);
void handle_save(RequestContext *ctx);
/* handlers_search.c */
void handle_search(RequestContext *ctx);
/* handlers_slice.c */
void handle_slice(RequestContext *ctx);
void handle_places(RequestContext *ctx);
void handle_axis(RequestContext *ctx);
void handle_counterpart(RequestContext *ctx);
void handle_tooltip(RequestContext *ctx);
void handle_instant(RequestContext *ctx);
void handle_sample(RequestContext *ctx);
void handle_near(RequestContext *ctx);
/* handlers_sql.c; in the browser handlers_sql_wasm.c */
void handle_sql(RequestContext *ctx);
void handle_sql_result(RequestContext *ctx);
void handle_sql_cancel(RequestContext *ctx);
void handle_sql_schema(RequestContext *ctx);
/* handlers_stacks.c */
void handle_ends(RequestContext *ctx);
/* handlers_stats.c */
void handle_stats(RequestContext *ctx);
void handle_histogram(RequestContext *ctx);
/* handlers_table.c */
void handle_table(RequestContext *ctx);
/* handlers_tiles.c */
void handle_outline(RequestContext *ctx);
void handle_overview(RequestContext *ctx);
void handle_labels(RequestContext *ctx);
void handle_tiles(RequestContext *ctx);
void handle_visible(RequestContext *ctx);
/* session_live.c */
void handle_changes(RequestContext *ctx);

#endif
