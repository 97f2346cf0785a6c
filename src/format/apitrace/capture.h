/* format/apitrace/capture.h - what is kept of a capture for who asks later: Trace.kept of this format.
 *
 * A tick is an event's number, so calls are numbered by counting the events before that begin one: a bit an event says
 * which. (With equal widths a tick is a call's number, and nothing has to be counted.) */
#ifndef FORMAT_APITRACE_CAPTURE_H
#define FORMAT_APITRACE_CAPTURE_H
#include "format/apitrace/signatures.h"
#include "trace/trace.h"

enum { CAPTURE_PAGE_EVENTS = 1 << 16, CAPTURE_PAGE_WORDS = CAPTURE_PAGE_EVENTS / 64 };

typedef struct CapturePage {
    uint64_t calls_before;
    uint64_t enters[CAPTURE_PAGE_WORDS]; /* bit i: event i of the page begins a call */
} CapturePage;

typedef struct ApiCapture {
    Arena         arena; /* holds all of it, itself too */
    Signatures    sigs;
    uint32_t      version;
    bool          equal_widths;
    CapturePage **pages;
    size_t        page_count, page_capacity;
    uint64_t      event_count, call_count;
} ApiCapture;

/* NULL when out of memory. */
ApiCapture *capture_create(void);
void        capture_release(void *capture); /* for builder_keep */

/* Notes the next event. False when out of memory. */
bool capture_add_event(ApiCapture *capture, bool is_enter) WARN_UNUSED;

/* NULL for a trace of another format. */
const ApiCapture *capture_of(const Trace *trace);
/* The number of the call that begins at `tick`, or else of the next one that does. */
uint64_t capture_call_at(const ApiCapture *capture, int64_t tick);
/* The event that begins call `number` (< call_count). */
uint64_t capture_event_of(const ApiCapture *capture, uint64_t number);
/* When that is. */
int64_t capture_tick_of(const ApiCapture *capture, uint64_t number);

#endif
