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

uint64_t capture_call_at(const ApiCapture *capture, int64_t tick)
{
    uint64_t at = tick < 0 ? 0 : (uint64_t)tick;
    if (capture->equal_widths) return at < capture->call_count ? at : capture->call_count;
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
