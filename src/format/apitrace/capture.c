#include "format/apitrace/capture.h"

#include "base/bits.h"
#include "base/search.h"
#include "format/apitrace/apitrace.h"

#include <assert.h>

ApiCapture *capture_create(void)
{
    Arena       arena = arena_create((size_t)1 << 30);
    ApiCapture *capture = ARENA_NEW(&arena, ApiCapture);
    if (capture == NULL) return NULL;
    capture->arena = arena;
    capture->sigs.arena = &capture->arena;
    return capture;
}

void capture_release(void *capture)
{
    Arena arena = ((ApiCapture *)capture)->arena; /* a copy, because the arena holds the capture itself */
    arena_release(&arena);
}

bool capture_add_page(ApiCapture *capture)
{
    assert(capture->event_count == (uint64_t)capture->page_count * CAPTURE_PAGE_EVENTS);
    CapturePage **pages = arena_grow(&capture->arena, capture->pages, capture->page_count,
                                     &capture->page_capacity, sizeof *pages);
    if (pages == NULL) return false;
    capture->pages = pages;
    CapturePage *page = ARENA_NEW(&capture->arena, CapturePage);
    if (page == NULL) return false;
    page->calls_before = capture->call_count;
    capture->pages[capture->page_count++] = capture->page = page;
    return true;
}

const ApiCapture *capture_of(const Trace *trace)
{
    bool is_ours =
        trace->source.format_name != NULL && strcmp(trace->source.format_name, APITRACE_READER.name) == 0;
    return is_ours ? (const ApiCapture *)trace->source.kept : NULL;
}

/* Returns the number of calls that begin before event `at`. */
static uint64_t calls_before(const ApiCapture *capture, uint64_t at)
{
    if (at >= capture->event_count) return capture->call_count;
    assert(at / CAPTURE_PAGE_EVENTS < capture->page_count);
    const CapturePage *page = capture->pages[at / CAPTURE_PAGE_EVENTS];
    size_t             run = (size_t)(at % CAPTURE_PAGE_EVENTS) / CAPTURE_RUN_EVENTS;
    uint64_t           calls = page->calls_before + page->calls_before_run[run];
    size_t             word = (size_t)(at % CAPTURE_PAGE_EVENTS) / 64;
    for (size_t i = run * CAPTURE_RUN_EVENTS / 64; i < word; i++)
        calls += bits_count_u64(page->enters[i]);
    return calls + bits_count_u64(page->enters[word] & ((UINT64_C(1) << at % 64) - 1));
}

uint64_t capture_call_at(const ApiCapture *capture, int64_t tick)
{
    uint64_t at = tick < 0 ? 0 : (uint64_t)tick;
    if (capture->equal_widths) return at < capture->call_count ? at : capture->call_count;
    return calls_before(capture, at);
}

int64_t capture_tick_of(const ApiCapture *capture, uint64_t number)
{
    return (int64_t)(capture->equal_widths ? number : capture_event_of(capture, number));
}

uint64_t capture_event_of(const ApiCapture *capture, uint64_t number)
{
    if (capture->page_count == 0) return number;
    size_t last = 1;
    LOWER_BOUND(size_t, last, capture->page_count, i, capture->pages[i]->calls_before <= number);
    last--;
    assert(capture->pages[last]->calls_before <= number);
    const CapturePage *page = capture->pages[last];
    uint64_t           left = number - page->calls_before;
    for (size_t word = 0; word < CAPTURE_PAGE_WORDS; word++) {
        uint64_t bits = page->enters[word];
        unsigned count = bits_count_u64(bits);
        if (left >= count) {
            left -= count;
            continue;
        }
        for (; left > 0; left--)
            bits &= bits - 1;
        return last * CAPTURE_PAGE_EVENTS + word * 64 + bits_lowest_u64(bits);
    }
    return capture->event_count;
}

/* True if the tick is outside of a capture with `count` ticks; then *scaled is its place in one with `new_count`. */
static bool scale_outside(int64_t tick, uint64_t count, uint64_t new_count, int64_t *scaled)
{
    if (tick >= 0 && (uint64_t)tick < count) return false;
    const int64_t edge = tick < 0 ? 0 : (int64_t)count, new_edge = tick < 0 ? 0 : (int64_t)new_count;
    const double  ratio = count == 0 ? 1 : (double)new_count / (double)count,
                 distance = ((double)tick - (double)edge) * ratio;
    const double most = (double)INT32_MAX * 1024;
    *scaled = new_edge + (int64_t)(distance < -most ? -most : distance > most ? most : distance);
    return true;
}

int64_t capture_events_to_calls(const ApiCapture *capture, int64_t tick, CaptureEdge edge)
{
    int64_t scaled;
    if (scale_outside(tick, capture->event_count, capture->call_count, &scaled)) return scaled;
    if (edge == CAPTURE_END) return (int64_t)calls_before(capture, (uint64_t)tick);
    const uint64_t begun = calls_before(capture, (uint64_t)tick + 1);
    return begun == 0 ? 0 : (int64_t)begun - 1;
}

int64_t capture_calls_to_events(const ApiCapture *capture, int64_t tick)
{
    int64_t scaled;
    if (scale_outside(tick, capture->call_count, capture->event_count, &scaled)) return scaled;
    return (int64_t)capture_event_of(capture, (uint64_t)tick);
}
