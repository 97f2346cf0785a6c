/* codec/page.h - reads the trace in an HTML page that `varve convert --to=html` or the viewer has made.
 *
 * The trace is a block of base64 and the blocks that continue it (web/src/page_files.ts). They hold a file, which may be
 * compressed. A page with several traces is read up to its end, but only the first trace is returned.
 * In the browser build the page takes the traces out of pages; page_detect returns false there (codec_wasm.c). */
#ifndef CODEC_PAGE_H
#define CODEC_PAGE_H
#include "codec/source.h"

typedef struct PageReader PageReader;

/* True if an input with these first bytes is an HTML page; PAGE_HEAD_BYTES are enough. */
bool page_detect(const uint8_t *head, size_t size);

/* Creates a reader in `arena`. `page` is at the begin of the page, is borrowed, and has a capacity of at least PAGE_LOOK_BYTES.
 * Returns NULL with ERR_MEMORY on failure. */
PageReader *page_open(Arena *arena, HeldSource *page, Err *err) WARN_UNUSED;
/* Returns a source of the bytes of the first trace. Offsets in errors are offsets in the page. ERR_UNKNOWN: it has no trace;
 * ERR_TRUNCATED: it ends before its end tag; ERR_CORRUPT: a block is not base64. */
ByteSource page_source(PageReader *page);

/* The traces after the first one. */
typedef struct PageOthers {
    size_t      count;
    const char *name; /* of the first of them: valid UTF-8, in the arena */
} PageOthers;

/* Reads the rest of the page, up to its end. Fails as page_source does. */
bool page_finish(PageReader *page, PageOthers *others, Err *err) WARN_UNUSED;

/* True if page_source has failed: an error of a reader over it then has an offset in the page. */
bool page_has_failed(const PageReader *page);

enum { PAGE_HEAD_BYTES = 14, PAGE_LOOK_BYTES = 1 << 12 };

#endif
