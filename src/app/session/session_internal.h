/* app/session/session_internal.h - the declarations that the files of app/session share. For app/session
 * only. */
#ifndef APP_SESSION_SESSION_INTERNAL_H
#define APP_SESSION_SESSION_INTERNAL_H
#include "analysis/call_profile.h"
#include "analysis/find_pattern.h"
#include "app/session/found_slices.h"
#include "app/session/live_source.h"
#include "app/session/request.h"
#include "app/session/session.h"
#include "base/json_writer.h"
#include "base/lock.h"
#include "export/tables.h"
#include "format/go/stats/stats.h"
#include "format/load.h"
#include "schema/schema.h"
#include "trace/flows.h"

typedef enum { SLOT_LOADING, SLOT_READY, SLOT_FAILED, SLOT_CANCELLED } SlotState;

typedef struct SlotFilters SlotFilters; /* handlers_categories.c */
typedef struct SlotGo      SlotGo;      /* handlers_go.c */
typedef struct SlotFrames  SlotFrames;  /* handlers_frames.c */
typedef struct SlotDetails SlotDetails; /* slot_details.c */
typedef struct SessionSql  SessionSql;  /* handlers_sql.c */
typedef struct LongWorks   LongWorks;   /* long_work.c */

/* One trace. `loaded`, `error` and `tag` are written by the loading thread before it stores `state`, and may
 * be read after `state` has changed from SLOT_LOADING. */
typedef struct SessionSlot {
    _Atomic int  state; /* SlotState */
    uint32_t     index;
    const char  *path; /* as given by the user, in the session's arena */
    const char  *name; /* the displayed name: the last part of the path */
    Progress     progress;
    Loaded       loaded;  /* owned once SLOT_READY */
    Err          error;   /* once SLOT_FAILED */
    uint64_t     tag;     /* once SLOT_READY; not 0 */
    SlotFilters *filters; /* owned */
    SlotGo      *go;      /* owned */
    LiveSource  *live;    /* owned; NULL: the trace does not grow. Else `loaded` is the receiver's */
    SlotFrames  *frames;  /* owned */
    SlotDetails *details; /* owned */
    LongWorks   *works;   /* owned */
    /* Cancels the load and waits for its end; NULL if the trace was added loaded. */
    void (*join)(struct SessionSlot *slot);
    void       *job;     /* data for `join`, in the session's arena */
    LoadOptions options; /* of the load in progress */
    bool        is_copy; /* of the trace `of`, loaded for another perspective (options.perspective) */
    uint32_t    of;
} SessionSlot;

struct Session {
    Arena            arena;   /* holds the session; used by session_create, _open and _add_loaded only */
    const char      *listens; /* the address where more traces may arrive; NULL = none */
    _Atomic uint32_t slot_count;
    SessionSlot     *slots[SESSION_MAX_TRACES];
    /* Loads a slot's file again, for another perspective, into a new slot and sets its number; NULL if this
     * is not possible. Any thread. */
    bool (*open_copy)(struct Session *session, const SessionSlot *slot, const char *perspective,
                      uint32_t *copy, Err *err);
    Lock       *opening; /* held while a slot is added */
    SessionSql *sql;     /* owned; NULL in the browser */
};

/* Returns a slot in SLOT_LOADING, invisible to requests until session_slot_publish; NULL if out of memory or
 * slots. One thread at a time. */
SessionSlot *session_slot_create(Session *session, const char *path) WARN_UNUSED;
/* Releases a slot that was not published. NULL is allowed. */
void session_slot_discard(SessionSlot *slot);
/* Makes the slot visible to requests as the next trace. */
void session_slot_publish(Session *session, SessionSlot *slot);
/* Stores the loaded trace, which the slot then owns. */
void session_slot_ready(SessionSlot *slot, const Loaded *loaded);
void session_slot_failed(SessionSlot *slot, const Err *err);

/* A request and its answer, for the handlers. */
typedef struct RequestContext {
    Session       *session;
    const Request *request;
    StringView     body; /* of a request with a body; "" = none */
    /* NULL without a trace; SLOT_READY unless the table of requests allows others */
    SessionSlot       *slot;
    const Trace       *trace; /* of the slot, if it is ready */
    Arena             *arena; /* for this request alone */
    Answer            *answer;
    struct KeptFilter *filter; /* in use until the request is answered; NULL = none */
} RequestContext;

/* Reads the details of an event of the request's trace: slot_details_read. */
bool request_details(const RequestContext *ctx, ReadDetails read, uint64_t id, EventDetails *details,
                     Err *err) WARN_UNUSED;

/* Handlers: each fills the answer, and reports failures with answer_fail. */
void handle_outline(RequestContext *ctx);
void handle_overview(RequestContext *ctx);
void handle_labels(RequestContext *ctx);
void handle_tiles(RequestContext *ctx);
void handle_slice(RequestContext *ctx);
void handle_places(RequestContext *ctx);
void handle_ends(RequestContext *ctx);
void handle_counterpart(RequestContext *ctx);
void handle_tooltip(RequestContext *ctx);
void handle_instant(RequestContext *ctx);
void handle_process(RequestContext *ctx);
void handle_thread(RequestContext *ctx);
void handle_near(RequestContext *ctx);
void handle_flow(RequestContext *ctx);
void handle_stats(RequestContext *ctx);
void handle_histogram(RequestContext *ctx);
void handle_area(RequestContext *ctx);
void handle_flame(RequestContext *ctx);
void handle_profile(RequestContext *ctx);
void handle_compare(RequestContext *ctx);
void handle_first(RequestContext *ctx);
void handle_flame_change(RequestContext *ctx);
/* Reads the profile of the other trace, the body of the request. False: the answer is a failure. Release the profile in
 * either case. */
bool param_body_profile(RequestContext *ctx, CallProfile *profile) WARN_UNUSED;
void handle_find(RequestContext *ctx);
void handle_info(RequestContext *ctx);
void handle_identity(RequestContext *ctx);
void handle_properties(RequestContext *ctx);
void handle_property(RequestContext *ctx);
void handle_categories(RequestContext *ctx);
void handle_go(RequestContext *ctx);
void handle_go_pprof(RequestContext *ctx);
void handle_visible(RequestContext *ctx);
void handle_call(RequestContext *ctx);
void handle_look(RequestContext *ctx);
void handle_changes(RequestContext *ctx);

/* For growing traces; they do nothing to a NULL source. Between the two calls the trace does not change. */
void live_read(LiveSource *source);
void live_read_done(LiveSource *source);
void live_source_release(LiveSource *source);
/* Returns 0 for NULL. */
uint64_t live_generation(const LiveSource *source);
/* Returns the shape to which slice ids belong; 0 for NULL. Under live_read. */
uint64_t live_shape(const LiveSource *source);
/* Returns Outline.begin_unix_ns; 0 for NULL. Under live_read. */
int64_t live_begin_unix_ns(const LiveSource *source);
/* Returns a tag that differs for each generation. */
uint64_t live_tag(const LiveSource *source, uint64_t tag);
/* The kind of ids in a request. */
typedef enum { IDS_NONE, IDS_OF_TRACKS, IDS_OF_SLICES } RequestIds;
/* True if the ids of the request have the same meaning as in its shape ("shape", optional). False: the answer
 * is a failure. */
bool live_has_shape(RequestContext *ctx, RequestIds ids) WARN_UNUSED;
/* Reads the parameters "track", "row" and "begin". False: the answer is a failure. */
bool param_row_tick(RequestContext *ctx, const Row **row, int64_t *tick) WARN_UNUSED;
/* Finds the slice that begins at the place in these parameters. False: the answer is a failure. */
bool param_slice_place(RequestContext *ctx, uint64_t *slice) WARN_UNUSED;
/* Finds the instant at that place: of several at one time *instant if it is among them, otherwise the first.
 * False: the answer is a failure. */
bool param_instant_place(RequestContext *ctx, uint64_t *instant) WARN_UNUSED;
/* Writes the member "live" of `status` and `changes`: LIVE, or null. */
void put_live(JsonWriter *w, LiveSource *source);
void handle_search(RequestContext *ctx);
void handle_frames(RequestContext *ctx);
void handle_save(RequestContext *ctx);
void handle_blob(RequestContext *ctx);
void handle_sql(RequestContext *ctx);
void handle_sql_result(RequestContext *ctx);
void handle_sql_cancel(RequestContext *ctx);
void handle_sql_schema(RequestContext *ctx);
void handle_table(RequestContext *ctx);

/* Creates the part of the session that runs statements of SQL. False: out of memory. */
bool session_sql_create(Session *session) WARN_UNUSED;
/* Cancels the statements and waits for their end. Call before the traces are released. NULL is allowed. */
void session_sql_destroy(SessionSql *sql);

/* The counted frames of a capture. NULL when out of memory. */
SlotFrames *slot_frames_create(void) WARN_UNUSED;
void        slot_frames_destroy(SlotFrames *frames);

/* The last statistics of a Go trace. NULL when out of memory. */
SlotGo *slot_go_create(void) WARN_UNUSED;
void    slot_go_destroy(SlotGo *go);

/* Computes the statistics of a Go trace in the range of the parameters "begin" and "end" (default: its
 * window), and locks them until unlock_go_stats. False: the answer is a failure, and nothing is locked. */
bool lock_go_stats(RequestContext *ctx, const GoStats **stats) WARN_UNUSED;
void unlock_go_stats(RequestContext *ctx);

/* The cached filters of a slot: several, so that requests for tiles with different filters do not replace
 * them. NULL when out of memory. */
SlotFilters *slot_filters_create(void) WARN_UNUSED;
void         slot_filters_destroy(SlotFilters *filters);
/* Called after a change to a generation, while no request reads the trace: removes filters that were not used
 * for some time. */
void slot_filters_age(SlotFilters *filters, uint64_t generation);
/* Finds the filter for the parameter "hide": *filter, NULL if it hides nothing. Valid until the request is
 * answered. False: the answer is a failure. Call once for a request. */
bool param_filter(RequestContext *ctx, const Filter **filter) WARN_UNUSED;
/* Reads the client's number of the filter ("filter"; 0 without). False: the answer is a failure. */
bool param_filter_number(RequestContext *ctx, uint32_t *number) WARN_UNUSED;
void release_filter(RequestContext *ctx);

/* Makes the answer a failure with one line of text. Returns false, so that a check reads `return answer_fail(...)`. */
bool answer_fail(Answer *answer, SessionStatus status, const char *format, ...) PRINTF_LIKE(3, 4);
/* As answer_fail, for an error of the engine. */
bool answer_fail_err(Answer *answer, const Err *err);
/* Makes the answer SESSION_RUNNING. share: the part of the work that is done, 0 to 1. */
void answer_running(RequestContext *ctx, double share);
/* Reads a required parameter, a number up to `max`. False: the answer is a failure. */
bool param_u64(RequestContext *ctx, const char *key, uint64_t max, uint64_t *value) WARN_UNUSED;
/* Finds the value of an optional parameter in a list of words; without the parameter, the first word. False: the answer is a
 * failure. */
bool param_word(RequestContext *ctx, const char *key, const char *const *words, size_t count,
                size_t *found) WARN_UNUSED;
#define ASKED_WORD(ctx, key, words, found)                                                                   \
    param_word((ctx), (key), (words), sizeof(words) / sizeof(words)[0], (found))
/* Reads the optional parameters of a set of slices: "search" and "in", or "inside": the slice with this id and the slices inside
 * it. Without them the set stays zeroed. False: the answer is a failure. Release the set in either case. */
bool param_slices(RequestContext *ctx, FoundSlices *found, Arena *arena) WARN_UNUSED;
/* Writes the rows of a table of a loaded trace to the sink. `name` is the value of the column `trace`; bounds may be NULL.
 * False: the answer is a failure. */
bool answer_rows(RequestContext *ctx, const Loaded *loaded, const char *name, TableForm form,
                 const SchemaTable *table, const TableBounds *bounds, const OutputSink *sink);
/* Returns the table in the parameter "table". NULL: the answer is a failure. */
const SchemaTable *param_table(RequestContext *ctx) WARN_UNUSED;
/* Reads an optional number of ticks from the trace's begin, and the tick there. False: the answer is a
 * failure. */
bool    param_offset(RequestContext *ctx, const char *key, int64_t missing, int64_t *offset) WARN_UNUSED;
int64_t tick_at_offset(const Trace *trace, int64_t offset);
/* Reads the optional parameters "begin" and "end", ticks from the trace's begin; the default is the trace's
 * window, or the whole trace. False: the answer is a failure. */
bool param_range(RequestContext *ctx, int64_t *begin_tick, int64_t *end_tick) WARN_UNUSED;
/* Parses the search in the parameter "text"; its copy is in `arena`. False: the answer is a failure. Release the pattern in
 * either case. */
bool param_pattern(RequestContext *ctx, FindPattern *pattern, Arena *arena) WARN_UNUSED;
/* Reads the optional parameter "tracks", "1,2,3": ids of existing tracks, each once; NULL without it. False:
 * the answer is a failure. */
bool param_tracks(RequestContext *ctx, const uint32_t **tracks, uint32_t *count) WARN_UNUSED;
/* True if the trace has the slice. False: the answer is a failure. */
bool has_slice_param(RequestContext *ctx, uint64_t slice) WARN_UNUSED;
/* Reads the id of a slice: parameter "id", or those of its place. False: the answer is a failure. */
bool param_slice(RequestContext *ctx, uint64_t *slice) WARN_UNUSED;
/* Reads the id of an instant, parameter `key`; together with the parameters of a place it only selects one of
 * several instants there. False: the answer is a failure. */
bool param_instant(RequestContext *ctx, const char *key, uint64_t *instant) WARN_UNUSED;

/* Write members of SLICE and INSTANT about objects, contexts and dumps; `args`: of the event, as JSON. */
void put_slice_objects(JsonWriter *w, const RequestContext *ctx, uint64_t slice, const Bytes *args);
void put_instant_objects(JsonWriter *w, const RequestContext *ctx, uint64_t instant, const Bytes *args);

/* Writes a member of SLICE: the arrows that begin (FLOW_FROM) or end in it. */
void put_flows(JsonWriter *w, const RequestContext *ctx, const char *key, uint64_t slice, FlowSide side);
/* Answers `tooltip` for an arrow, and `near` along one: false if the move is not along arrows. */
void handle_flow_tooltip(RequestContext *ctx);
bool handle_near_flow(RequestContext *ctx, uint64_t slice, const Filter *filter, StringView move);
/* Appends a line of a tooltip, without control characters, cut if it is long. */
void tooltip_line(Bytes *out, StringView key, StringView value);

/* Write members of SLICE and INSTANT about stacks and samples. */
void put_slice_stacks(JsonWriter *w, const RequestContext *ctx, uint64_t slice);
void put_instant_stack(JsonWriter *w, const RequestContext *ctx, uint64_t instant);

/* Parts of JSON, documented in docs/PROTOCOL.md. Each writes a value; the caller writes the key. */
void write_place(JsonWriter *w, const RequestContext *ctx, uint64_t slice);
/* Writes the "text" of a TIME as a member. */
void put_moment(JsonWriter *w, const char *key, const Trace *trace, int64_t tick);
/* Answers "near" of the instant in the parameter "instant": {"place", "mark"}, the slice around it or the
 * nearest instant. */
void handle_near_instant(RequestContext *ctx, StringView move);
/* The slice or instant at the destination of a move; at most one of both. */
typedef struct Neighbour {
    bool     has_slice, has_instant;
    uint64_t slice, instant;
} Neighbour;
/* Finds the next or previous visible slice or instant in the row of a slice; false if `move` is neither
 * "next" nor "previous". *found must be zeroed. */
bool near_along_row(const Trace *trace, const Filter *filter, uint64_t slice, StringView move,
                    Neighbour *found);
/* Writes {"place", "mark"}. */
void write_neighbour(RequestContext *ctx, const Neighbour *found);
void write_mark(JsonWriter *w, const RequestContext *ctx, uint64_t instant);
void write_time(JsonWriter *w, const Trace *trace, int64_t tick);
/* Appends a time of a capture as text: "call 1 230, frame 4", "before call 124, frame 4". Nothing for other
 * traces. */
void append_call_text(Bytes *out, const Trace *trace, int64_t tick);
void write_span(JsonWriter *w, const Trace *trace, uint64_t ticks);
/* The digits in the text of a CPU time: three or four, as in tables, or all. */
typedef enum { CPU_ROUNDED, CPU_EXACT } CpuDigits;
/* Writes {"ns", "text"} of a CPU time; null if `ns` is NULL. */
void put_cpu_or_null(JsonWriter *w, const char *key, const uint64_t *ns, CpuDigits digits);
/* Writes the members "name" and "category". */
void put_label(JsonWriter *w, const Trace *trace, uint32_t label);
void write_text_or_null(JsonWriter *w, const Trace *trace, StringId text);
void write_thread(JsonWriter *w, const Trace *trace, uint32_t track);
void write_process(JsonWriter *w, const Trace *trace, uint32_t process);
/* Writes `json` unchanged; null if it is empty. */
void put_raw_or_null(JsonWriter *w, const char *key, const Bytes *json);
void write_decimal_u64(JsonWriter *w, uint64_t value);
void put_decimal_u64(JsonWriter *w, const char *key, uint64_t value);
void put_decimal_i64(JsonWriter *w, const char *key, int64_t value);

#endif
