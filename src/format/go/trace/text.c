#include "format/go/trace/text.h"

#include "format/go/trace/go_trace.h"
#include "format/go/v1/text.h"
#include "format/go/v2/text.h"

#include <stdio.h>

typedef struct GoText {
    const TextRequest *request; /* borrowed */
    TextResult        *result;  /* borrowed */
    V2TextForm         form;
    Bytes              out;
    bool               is_stopped;
} GoText;

PRINTF_LIKE(4, 0)
static void note_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    GoText *text = context;
    char    message[sizeof text->result->why.message];
    (void)kind;
    if (!text->result->complete) return; /* the first warning is the reason */
    text->result->complete = false;
    vsnprintf(message, sizeof message, format, args);
    err_set_at(&text->result->why, ERR_CORRUPT, offset, ERR_NOWHERE, "%s", message);
}

static void begin_text(void *context, const GoTrace *trace)
{
    (void)context;
    (void)trace;
}

static void flush_text(GoText *text)
{
    if (!text->is_stopped && text->out.size > 0)
        text->is_stopped = !text->request->write(text->request->context, &text->out);
    bytes_clear(&text->out);
}

static bool append_event(void *context, GoTrace *trace, const GoEvent *event)
{
    enum { FULL_BYTES = 64 << 10 };
    GoText *text = context;
    if (text->is_stopped || trace->is_before || trace->is_past) return true;
    if (!trace->is_v2) {
        v1_text_append(&trace->v1, event, &text->out);
    } else { /* the last sync belongs to no generation */
        v2_text_append(trace->is_ended ? NULL : &trace->generation, trace->texts, event, text->form,
                       &text->out);
    }
    if (text->out.failed) return false;
    if (text->out.size >= FULL_BYTES) flush_text(text);
    return true;
}

static bool end_text(void *context, GoTrace *trace)
{
    (void)trace;
    flush_text(context);
    return true;
}

bool go_text(Input *input, const TextRequest *request, TextResult *result, Err *err)
{
    const char *like = request->option(request->context, "like");
    if (like != NULL && strcmp(like, "go") != 0)
        return err_set(err, ERR_USAGE, "--like=%s: it is a trace of Go", like);
    result->complete = true;
    GoText      text = { .request = request,
                         .result = result,
                         .form = like == NULL ? V2_TEXT_LINE : V2_TEXT_STACKS };
    Arena       arena = arena_create(0);
    GoTrace    *trace = go_trace_create(&arena, &(GoSink){ .v1_mode = V1_BY_TIME,
                                                           .begin = begin_text,
                                                           .event = append_event,
                                                           .end = end_text,
                                                           .report = { note_warning, &text },
                                                           .context = &text });
    const char *range = request->option(request->context, "range");
    if (trace != NULL && range != NULL) {
        go_trace_set_range(trace, range);
        trace->again = input_again(input);
    }
    bool done = trace == NULL ? err_set(err, ERR_MEMORY, "out of memory")
                              : go_trace_read_input(trace, input, &text.is_stopped, err);
    bytes_release(&text.out);
    arena_release(&arena);
    return done;
}
