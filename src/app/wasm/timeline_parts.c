/* The parts of timeline-engine.wasm that replace parts of engine.wasm: it reads JSON and .varve files, and answers the requests
 * of the timeline, not those of panels.
 *
 * Both modules are linked from the same objects. The linker takes an object for a name that is not defined yet, so the functions
 * below keep the objects of the panels and of the other formats out. A trace that this module cannot read is opened by
 * engine.wasm. */
#include "app/session/call_text.h"
#include "app/session/handlers.h"
#include "app/session/session_sql.h"
#include "app/session/slot_frames.h"
#include "app/session/slot_go.h"
#include "format/format.h"
#include "format/trace_event/profile/cpuprofile.h"
#include "format/trace_event/trace_event.h"
#include "format/unknown.h"
#include "format/varve/varve.h"

/* -- formats -- */

const FormatReader *const FORMATS[] = { &CPUPROFILE_READER, &TRACE_EVENT_READER, &VARVE_READER };
const size_t              FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0];

/* The message is that of engine.wasm, which opens other files. */
void describe_unknown(const uint8_t *head, size_t size, char out[UNKNOWN_TEXT])
{
    (void)head;
    (void)size;
    out[0] = '\0';
}

/* No trace is a capture. */
void append_call_text(Bytes *out, const Trace *trace, int64_t tick)
{
    (void)out;
    (void)trace;
    (void)tick;
}

/* -- state of panels -- */

/* No request reads the members of these structs. */
struct SlotGo {
    Arena arena; /* holds this struct */
};
struct SlotFrames {
    Arena arena; /* holds this struct */
};

SlotGo *slot_go_create(void)
{
    Arena   arena = arena_create(0);
    SlotGo *go = ARENA_NEW(&arena, SlotGo);
    if (go != NULL) go->arena = arena;
    return go;
}

void slot_go_destroy(SlotGo *go)
{
    if (go == NULL) return;
    Arena arena = go->arena; /* the arena holds the struct itself */
    arena_release(&arena);
}

SlotFrames *slot_frames_create(void)
{
    Arena       arena = arena_create(0);
    SlotFrames *frames = ARENA_NEW(&arena, SlotFrames);
    if (frames != NULL) frames->arena = arena;
    return frames;
}

void slot_frames_destroy(SlotFrames *frames)
{
    if (frames == NULL) return;
    Arena arena = frames->arena; /* the arena holds the struct itself */
    arena_release(&arena);
}

bool session_sql_create(Session *session)
{
    (void)session;
    return true;
}

void session_sql_destroy(SessionSql *sql)
{
    (void)sql;
}

/* -- requests of panels -- */

static void refuse(RequestContext *ctx)
{
    (void)answer_fail(ctx->answer, SESSION_NOT_FOUND,
                      "the engine of the timeline does not have this request");
}

void handle_area(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_sample(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_arguments(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_call(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_axis(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_profile(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_compare(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_event_at(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_first(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_flame(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_flame_change(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_frames(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_blob(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_go(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_go_pprof(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_source(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_save(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_search(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_sql(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_sql_result(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_sql_cancel(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_sql_schema(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_stats(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_histogram(RequestContext *ctx)
{
    refuse(ctx);
}

void handle_table(RequestContext *ctx)
{
    refuse(ctx);
}
