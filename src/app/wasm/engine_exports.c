/* The engine in a worker: loads one file at once, then answers requests of session.h.
 *
 * The file stays outside: the module reads its bytes with read_input, which the worker answers from a Blob.
 * Each file has its own module, so that loads run in parallel, and ending the worker cancels a load. */
#include "app/session/session.h"
#include "app/wasm/export.h"

#include <string.h>

typedef struct PageEngine {
    Arena       arena;       /* holds this struct */
    Session    *session;     /* owned */
    Bytes       in;          /* text from the page */
    Bytes       out;         /* the last answer, or the reason why the load failed */
    Bytes       parts;       /* InputPart[], names in the arena: an archive's files */
    const char *perspective; /* in the arena; LoadOptions.perspective */
    uint64_t    most_bytes;  /* LoadOptions.most_bytes */
    WidthRule   widths;      /* LoadOptions.widths */
} PageEngine;

/* Copies up to `size` bytes at `offset` of the file to `buffer`; returns the number of bytes. */
WASM_IMPORT(read_input) size_t host_read_input(double offset, void *buffer, size_t size);

WASM_EXPORT(engine_open) PageEngine *page_engine_open(void);
WASM_EXPORT(engine_input) char *page_engine_input(PageEngine *page, size_t size);
WASM_EXPORT(engine_sure) int page_engine_sure(const PageEngine *page);
WASM_EXPORT(engine_add_part) bool page_engine_add_part(PageEngine *page, double size);
WASM_EXPORT(engine_look_from) bool page_engine_look_from(PageEngine *page);
WASM_EXPORT(engine_count_calls) void page_engine_count_calls(PageEngine *page);
WASM_EXPORT(engine_end_after) void page_engine_end_after(PageEngine *page, double bytes);
WASM_EXPORT(engine_load)
bool page_engine_load(PageEngine *page, double size, double most_memory, double source_bytes,
                      CodecKind codec);
WASM_EXPORT(engine_answer) SessionStatus page_engine_answer(PageEngine *page);
WASM_EXPORT(engine_output) const uint8_t *page_engine_output(const PageEngine *page);
WASM_EXPORT(engine_output_size) size_t page_engine_output_size(const PageEngine *page);

PageEngine *page_engine_open(void)
{
    Arena       arena = arena_create(0);
    PageEngine *page = ARENA_NEW(&arena, PageEngine);
    if (page == NULL) return NULL;
    page->arena = arena;
    page->session = session_create();
    return page->session == NULL ? NULL : page;
}

/* Returns room for a text of `size` bytes and a zero byte; NULL when out of memory. */
char *page_engine_input(PageEngine *page, size_t size)
{
    bytes_clear(&page->in);
    char *room = size < SIZE_MAX ? bytes_reserve(&page->in, size + 1) : NULL;
    if (room == NULL) return NULL;
    room[size] = 0;
    bytes_grow(&page->in, size + 1);
    return room;
}

static size_t read_input(void *context, uint64_t offset, void *buffer, size_t size)
{
    (void)context;
    return host_read_input((double)offset, buffer, size);
}

static void close_input(void *context)
{
    (void)context;
}

/* Returns the confidence, 0 to 100, that the input begins a trace of some format. */
int page_engine_sure(const PageEngine *page)
{
    return format_probe_sure(page->in.data, page->in.size - 1); /* a zero byte follows it */
}

/* Adds a file of an archive that the page has decompressed: the input is its name. Call before engine_load,
 * whose file is then the concatenation of all of them. False: out of memory. */
bool page_engine_add_part(PageEngine *page, double size)
{
    const char *name = (const char *)page->in.data;
    InputPart   part = { .name = arena_push_copy(&page->arena, name, strlen(name)), .size = (uint64_t)size };
    bytes_append(&page->parts, &part, sizeof part);
    return part.name != NULL && !page->parts.failed;
}

/* Loads the trace for one perspective, whose name is the input, "" = the first. Call before engine_load.
 * False: out of memory. */
bool page_engine_look_from(PageEngine *page)
{
    const char *name = (const char *)page->in.data;
    page->perspective = arena_push_copy(&page->arena, name, strlen(name));
    return page->perspective != NULL;
}

/* Loads a capture with equal widths of calls. Call before engine_load. */
void page_engine_count_calls(PageEngine *page)
{
    page->widths = WIDTHS_OF_CALLS;
}

/* Loads only about the first `bytes` bytes of the file. Call before engine_load. */
void page_engine_end_after(PageEngine *page, double bytes)
{
    page->most_bytes = (uint64_t)bytes;
}

/* Loads the file. The input is its name; `size` bytes are read, which were `source_bytes` before the page
 * decompressed them by `codec` (CodecKind). False: the output is the reason. */
bool page_engine_load(PageEngine *page, double size, double most_memory, double source_bytes, CodecKind codec)
{
    const InputStore  store = { .read = read_input, .close = close_input };
    const LoadOptions options = {
        .threads = 1, .perspective = page->perspective, .most_bytes = page->most_bytes, .widths = page->widths
    };
    const char      *name = (const char *)page->in.data;
    const InputPart *parts = (const InputPart *)(const void *)page->parts.data;
    size_t           part_count = page->parts.size / sizeof(InputPart);
    Loaded           loaded;
    Err              err;
    bytes_clear(&page->out);
    memory_set_limit((uint64_t)most_memory);
    bool done = part_count > 0 ? load_parts(store, parts, part_count, name, &options, &loaded, &err)
                               : load_store(store, (uint64_t)size, name, &options, &loaded, &err);
    if (!done) {
        char line[320];
        bytes_append(&page->out, line, err_format(&err, line, sizeof line));
        return false;
    }
    loaded.bytes = (uint64_t)source_bytes;
    if (codec != CODEC_NONE) /* for other inputs the engine has decompressed the data and knows the codec */
        loaded.codec = codec;
    if (session_add_loaded(page->session, &loaded)) return true;
    loaded_release(&loaded);
    bytes_append_text(&page->out, "out of memory");
    return false;
}

/* Answers the request in the input; after a zero byte follows its body, if it has one. Returns the
 * SessionStatus; the output is the body of the answer. */
SessionStatus page_engine_answer(PageEngine *page)
{
    const char *request = (const char *)page->in.data;
    /* a zero byte follows the input */
    const size_t     size = strlen(request), rest = page->in.size - 1 - size;
    const StringView body = { rest > 0 ? request + size + 1 : "", rest > 0 ? rest - 1 : 0 };
    bytes_release(&page->out);
    const Answer answer = session_answer_body(page->session, request, body);
    page->out = answer.body;
    return answer.status;
}

const uint8_t *page_engine_output(const PageEngine *page)
{
    return page->out.data;
}

size_t page_engine_output_size(const PageEngine *page)
{
    return page->out.failed ? 0 : page->out.size;
}
