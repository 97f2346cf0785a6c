/* app/wasm/view_page.h - the view of a page with its buffers: the page fills `in` before a call that takes bytes, text or a
 * struct; a call that returns text fills `out`. */
#ifndef APP_WASM_VIEW_PAGE_H
#define APP_WASM_VIEW_PAGE_H
#include "view/colour.h"
#include "view/paint_plan.h"
#include "view/view.h"

#include <assert.h>

typedef struct PageView {
    Arena       arena; /* holds this struct */
    View       *view;  /* owned */
    Bytes       in, out;
    ViewRequest request; /* the last one taken */
    ViewEvent   event;   /* the last result of page_next_event or page_area_in */
    NameColour  colour;  /* the last result of page_name_colour */
    PaintPlan   plan;    /* the last result of page_plan */
} PageView;

/* Returns the text in the input. */
static inline const char *page_text(const PageView *page)
{
    return page->in.size > 0 ? (const char *)page->in.data : "";
}

/* Returns the struct in the input. */
static inline const void *page_struct(const PageView *page, size_t size)
{
    assert(page->in.size == size + 1); /* a zero byte follows it */
    (void)size;
    return page->in.data;
}

#endif
