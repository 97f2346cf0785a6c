/* format/apitrace/capture.h - the data that is kept with the trace of a capture: Trace.source.kept of this format.
 *
 * A tick is the number of an event. The number of a call is the count of earlier events that begin a call; a bitmap
 * has a bit for each event that does. (With equal widths a tick is the number of a call, and the bitmap is not
 * needed.) */
#ifndef FORMAT_APITRACE_CAPTURE_H
#define FORMAT_APITRACE_CAPTURE_H
#include "format/apitrace/signatures.h"
#include "trace/store/trace.h"

enum {
    CAPTURE_PAGE_EVENTS = 1 << 16,
    CAPTURE_PAGE_WORDS = CAPTURE_PAGE_EVENTS / 64,
    CAPTURE_RUN_EVENTS = 1 << 10, /* small, so that few words are counted per look-up */
    CAPTURE_PAGE_RUNS = CAPTURE_PAGE_EVENTS / CAPTURE_RUN_EVENTS
};

typedef struct CapturePage {
    uint64_t calls_before;
    uint32_t calls_before_run[CAPTURE_PAGE_RUNS]; /* number of calls in the page before each run */
    uint64_t enters[CAPTURE_PAGE_WORDS];          /* bit i: event i of the page begins a call */
} CapturePage;

typedef struct ApiCapture {
    Arena         arena; /* the capture itself and its pages are allocated in it */
    Signatures    sigs;
    uint32_t      version;
    bool          equal_widths;
    CapturePage **pages;
    uint32_t      page_count, page_capacity;
    CapturePage  *page; /* the last one */
    uint64_t      event_count, call_count;
} ApiCapture;

/* Returns NULL when out of memory. */
ApiCapture *capture_create(void);
void        capture_release(void *capture); /* for builder_keep */

/* Adds a page for the next events. False when out of memory. */
bool capture_add_page(ApiCapture *capture) WARN_UNUSED;
/* An event either begins a call or not. */
typedef enum { CAPTURE_OTHER, CAPTURE_ENTER } CaptureKind;
/* Adds the next event. False when out of memory. */
static inline WARN_UNUSED bool capture_add_event(ApiCapture *capture, CaptureKind kind)
{
    const size_t at = (size_t)(capture->event_count % CAPTURE_PAGE_EVENTS);
    const bool   is_enter = kind == CAPTURE_ENTER;
    if (UNLIKELY(at == 0) && !capture_add_page(capture)) return false;
    if (UNLIKELY(at % CAPTURE_RUN_EVENTS == 0))
        capture->page->calls_before_run[at / CAPTURE_RUN_EVENTS] =
            (uint32_t)(capture->call_count - capture->page->calls_before);
    capture->page->enters[at / 64] |= (uint64_t)is_enter << at % 64;
    capture->event_count++;
    capture->call_count += is_enter;
    return true;
}

/* Returns the capture of a trace; NULL for a trace of another format. */
const ApiCapture *capture_of(const Trace *trace);
/* Returns the number of the first call that begins at `tick` or later. */
uint64_t capture_call_at(const ApiCapture *capture, int64_t tick);
/* Returns the event that begins call `number` (< call_count). */
uint64_t capture_event_of(const ApiCapture *capture, uint64_t number);
/* Returns the tick at which call `number` begins. */
int64_t capture_tick_of(const ApiCapture *capture, uint64_t number);
/* The begin or the end of a range. */
typedef enum { CAPTURE_BEGIN, CAPTURE_END } CaptureEdge;
/* Converts a tick, a number of events, to a number of calls: a begin inside a call to that call, an end to the next one. Ticks
 * outside of the capture keep their distance from it in proportion to its length. */
int64_t capture_events_to_calls(const ApiCapture *capture, int64_t tick, CaptureEdge edge);
/* Converts a number of calls to a number of events; the inverse for the begins of calls. */
int64_t capture_calls_to_events(const ApiCapture *capture, int64_t tick);

#endif
