/* app/session/context.h - a request in progress and its answer. For app/session only. */
#ifndef APP_SESSION_CONTEXT_H
#define APP_SESSION_CONTEXT_H
#include "app/session/request.h"
#include "app/session/slot.h"

typedef struct RequestContext {
    Session       *session;
    const Request *request;
    StringView     body; /* of a request with a body; "" = none */
    /* NULL without a trace; SLOT_READY or SLOT_SHOWN unless the table of requests allows others */
    SessionSlot *slot;
    /* Of the slot, if it is in SLOT_READY; a copy of a trace that grows, if the request takes long. */
    const Trace       *trace;
    const Loaded      *loaded; /* with this trace; NULL without one */
    Arena             *arena;  /* for this request alone */
    Answer            *answer;
    bool               has_copy;    /* `trace` is a copy of a trace that grows */
    struct KeptFilter *filter;      /* in use until the request is answered; NULL = none */
    struct Filter     *copy_filter; /* of the copy, owned until the request is answered; NULL = none */
    struct LongWork   *copy_work;   /* of the copy, between long_work and long_work_done; NULL = none */
} RequestContext;

/* Makes the answer a failure with one line of text. Returns false, so that a check reads `return answer_fail(...)`. */
bool answer_fail(Answer *answer, SessionStatus status, const char *format, ...) PRINTF_LIKE(3, 4);
/* As answer_fail, for an error of the engine. */
bool answer_fail_err(Answer *answer, const Err *err);
/* Makes the answer SESSION_RUNNING. share: the part of the work that is done, 0 to 1. */
void answer_running(RequestContext *ctx, double share);

/* Reads the details of an event of the request's trace: slot_details_read. */
bool request_details(const RequestContext *ctx, ReadDetails read, uint64_t id, EventDetails *details,
                     Err *err) WARN_UNUSED;

#endif
