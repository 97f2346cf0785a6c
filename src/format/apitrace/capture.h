/* format/apitrace/capture.h - what is kept of a capture for who asks later: Trace.kept of this format.
 *
 * A tick is an event's number, so calls are numbered by counting the events before that begin one: a bit an event says
 * which. (With equal widths a tick is a call's number, and nothing has to be counted.) */
#ifndef FORMAT_APITRACE_CAPTURE_H
#define FORMAT_APITRACE_CAPTURE_H
#include "format/apitrace/signatures.h"
#include "trace/trace.h"

enum {
    CAPTURE_PAGE_EVENTS = 1 << 16,
    CAPTURE_PAGE_WORDS = CAPTURE_PAGE_EVENTS / 64,
    CAPTURE_RUN_EVENTS = 1 << 10, /* so that few words have to be counted */
    CAPTURE_PAGE_RUNS = CAPTURE_PAGE_EVENTS / CAPTURE_RUN_EVENTS
};

typedef struct CapturePage {
    uint64_t calls_before;
    uint32_t calls_before_run[CAPTURE_PAGE_RUNS]; /* of the page */
    uint64_t enters[CAPTURE_PAGE_WORDS];          /* bit i: event i of the page begins a call */
} CapturePage;

typedef struct ApiCapture {
    Arena         arena; /* holds all of it, itself too */
    Signatures    sigs;
    uint32_t      version;
    bool          equal_widths;
    CapturePage **pages;
    size_t        page_count, page_capacity;
    CapturePage  *page; /* the last one */
    uint64_t      event_count, call_count;
} ApiCapture;

/* NULL when out of memory. */
ApiCapture *capture_create(void);
void        capture_release(void *capture); /* for builder_keep */

/* A page for the events that follow. False when out of memory. */
bool capture_add_page(ApiCapture *capture) WARN_UNUSED;
/* Notes the next event. False when out of memory. */
static inline WARN_UNUSED bool capture_add_event(ApiCapture *capture, bool is_enter)
{
    const size_t at = (size_t)(capture->event_count % CAPTURE_PAGE_EVENTS);
    if (UNLIKELY(at == 0) && !capture_add_page(capture)) return false;
    if (UNLIKELY(at % CAPTURE_RUN_EVENTS == 0))
        capture->page->calls_before_run[at / CAPTURE_RUN_EVENTS] =
            (uint32_t)(capture->call_count - capture->page->calls_before);
    capture->page->enters[at / 64] |= (uint64_t)is_enter << at % 64;
    capture->event_count++;
    capture->call_count += is_enter;
    return true;
}

/* NULL for a trace of another format. */
const ApiCapture *capture_of(const Trace *trace);
/* The number of the call that begins at `tick`, or else of the next one that does. */
uint64_t capture_call_at(const ApiCapture *capture, int64_t tick);
/* The event that begins call `number` (< call_count). */
uint64_t capture_event_of(const ApiCapture *capture, uint64_t number);
/* When that is. */
int64_t capture_tick_of(const ApiCapture *capture, uint64_t number);

#endif
