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
#include "format/trace_event/read/ftrace.h"
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

/* A text of ftrace in JSON fails the load, so that engine.wasm opens the file. */
FtraceTaken ftrace_take_text(Emitter *emitter, const JsonValue *string, EventPos pos, Bytes *comments)
{
    (void)string;
    (void)pos;
    (void)comments;
    emitter->failed = true;
    return FTRACE_NONE;
}

bool ftrace_is_line(const EventBytes *bytes)
{
    (void)bytes;
    return false;
}

bool ftrace_details(const EventBytes *begin, const EventBytes *end, EventDetails *details, Err *err)
{
    (void)begin;
    (void)end;
    (void)details;
    (void)err;
    return false;
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
    char unused;
};
struct SlotFrames {
    char unused;
};

SlotGo *slot_go_create(Arena *arena)
{
    return ARENA_NEW(arena, SlotGo);
}

void slot_go_destroy(SlotGo *go)
{
    (void)go;
}

SlotFrames *slot_frames_create(Arena *arena)
{
    return ARENA_NEW(arena, SlotFrames);
}

void slot_frames_destroy(SlotFrames *frames)
{
    (void)frames;
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

#define REFUSE(handler)                                                                                      \
    void handler(RequestContext *ctx)                                                                        \
    {                                                                                                        \
        refuse(ctx);                                                                                         \
    }
REFUSE(handle_area)
REFUSE(handle_sample)
REFUSE(handle_arguments)
REFUSE(handle_call)
REFUSE(handle_axis)
REFUSE(handle_profile)
REFUSE(handle_compare)
REFUSE(handle_event_at)
REFUSE(handle_first)
REFUSE(handle_flame)
REFUSE(handle_flame_change)
REFUSE(handle_frames)
REFUSE(handle_blob)
REFUSE(handle_go)
REFUSE(handle_go_pprof)
REFUSE(handle_source)
REFUSE(handle_save)
REFUSE(handle_search)
REFUSE(handle_sql)
REFUSE(handle_sql_result)
REFUSE(handle_sql_cancel)
REFUSE(handle_sql_schema)
REFUSE(handle_stats)
REFUSE(handle_histogram)
REFUSE(handle_table)
