/* The engine in a worker: loads one file at once, then answers requests of session.h.
 *
 * The file stays outside: the module reads its bytes with read_input, which the worker answers from a Blob.
 * Each file has its own module, so that loads run in parallel, and ending the worker cancels a load. */
#include "app/session/session.h"
#include "app/wasm/export.h"
#include "base/digits.h"
#include "base/external_store.h"
#include "format/varve/layout.h"

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
    RangeTarget target;      /* of a file that is read by ranges */
} PageEngine;

/* Copies up to `size` bytes at `offset` of the file to `buffer`; returns the number of bytes. */
WASM_IMPORT(read_input) size_t host_read_input(double offset, void *buffer, size_t size);

/* Stores a copy of the bytes; returns its place, or -1 if there is no room. get_external reads it. */
WASM_IMPORT(put_external) double host_put_external(const void *bytes, size_t size);
WASM_IMPORT(get_external) bool host_get_external(double place, void *bytes, size_t size);

/* Requests bytes [offset, offset + size) of the address and copies at most `size` bytes of the answer to `buffer`. Returns the number of its
 * bytes, and copies four lines to `head`, at most `head_size` bytes and a zero byte: the status, and the values of Content-Range,
 * ETag and Last-Modified. -1: no answer; `head` has the reason. */
WASM_IMPORT(fetch_range)
double host_fetch_range(double offset, size_t size, void *buffer, char *head, size_t head_size);

/* The result of engine_open_ranges. ENGINE_RANGES_FAILED: the output is the reason. ENGINE_RANGES_WHOLE: the file cannot be read by ranges, only
 * loaded as a whole. */
typedef enum { ENGINE_RANGES_FAILED, ENGINE_RANGES_OPEN, ENGINE_RANGES_WHOLE } EngineRanges;

WASM_EXPORT(engine_open) PageEngine *page_engine_open(void)
{
    Arena       arena = arena_create(0);
    PageEngine *page = ARENA_NEW(&arena, PageEngine);
    if (page == NULL) return NULL;
    page->arena = arena;
    page->session = session_create();
    return page->session == NULL ? NULL : page;
}

/* Returns room for a text of `size` bytes and a zero byte; NULL when out of memory. */
WASM_EXPORT(engine_input) char *page_engine_input(PageEngine *page, size_t size)
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
WASM_EXPORT(engine_sure) int page_engine_sure(const PageEngine *page)
{
    return format_probe_sure(page->in.data, page->in.size - 1); /* a zero byte follows it */
}

/* Adds a file of an archive that the page has decompressed: the input is its name. Call before engine_load,
 * whose file is then the concatenation of all of them. False: out of memory. */
WASM_EXPORT(engine_add_part) bool page_engine_add_part(PageEngine *page, double size)
{
    const char *name = (const char *)page->in.data;
    InputPart   part = { .name = arena_push_copy(&page->arena, name, strlen(name)), .size = (uint64_t)size };
    bytes_append(&page->parts, &part, sizeof part);
    return part.name != NULL && !page->parts.failed;
}

/* Loads the trace for one perspective, whose name is the input, "" = the first. Call before engine_load.
 * False: out of memory. */
WASM_EXPORT(engine_look_from) bool page_engine_look_from(PageEngine *page)
{
    const char *name = (const char *)page->in.data;
    page->perspective = arena_push_copy(&page->arena, name, strlen(name));
    return page->perspective != NULL;
}

/* Loads a capture with equal widths of calls. Call before engine_load. */
WASM_EXPORT(engine_count_calls) void page_engine_count_calls(PageEngine *page)
{
    page->widths = WIDTHS_OF_CALLS;
}

/* Loads only about the first `bytes` bytes of the file. Call before engine_load. */
WASM_EXPORT(engine_end_after) void page_engine_end_after(PageEngine *page, double bytes)
{
    page->most_bytes = (uint64_t)bytes;
}

static bool put_external(void *context, const void *bytes, size_t size, uint64_t *place)
{
    (void)context;
    const double put = host_put_external(bytes, size);
    if (put >= 0) *place = (uint64_t)put;
    return put >= 0;
}

static bool get_external(void *context, uint64_t place, void *bytes, size_t size)
{
    (void)context;
    return host_get_external((double)place, bytes, size);
}

/* Loads the file. The input is its name; `size` bytes are read, which were `source_bytes` before the page
 * decompressed them by `codec` (CodecKind). `store_from`: ExternalStore.from_bytes. False: the output is the reason. */
WASM_EXPORT(engine_load)
bool page_engine_load(PageEngine *page, double size, double most_memory, double store_from,
                      double source_bytes, CodecKind codec)
{
    const ExternalStore external = { .put = put_external,
                                     .get = get_external,
                                     .from_bytes = (uint64_t)store_from };
    const InputStore    store = { .read = read_input, .close = close_input };
    const LoadOptions   options = {
          .threads = 1, .perspective = page->perspective, .most_bytes = page->most_bytes, .widths = page->widths
    };
    const char      *name = (const char *)page->in.data;
    const InputPart *parts = (const InputPart *)(const void *)page->parts.data;
    size_t           part_count = page->parts.size / sizeof(InputPart);
    Loaded           loaded;
    Err              err;
    bytes_clear(&page->out);
    memory_set_limit((uint64_t)most_memory);
    external_store_set(&external);
    bool done = part_count > 0 ? load_parts(store, parts, part_count, name, &options, &loaded, &err)
                               : load_store(store, (uint64_t)size, name, &options, &loaded, &err);
    external_store_set(NULL);
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

/* ---- ranges ---- */

enum { REPLY_HEAD_BYTES = 1024 };

/* Takes the next line of the text; "" behind the last. */
static const char *take_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    *text = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL) *end = '\0';
    return line;
}

static bool read_range(void *context, uint64_t offset, void *buffer, size_t size, Err *err)
{
    PageEngine  *page = context;
    char         head[REPLY_HEAD_BYTES] = "", *rest = head;
    const double received = host_fetch_range((double)offset, size, buffer, head, sizeof head);
    if (received < 0) return err_set(err, ERR_IO, "%s", head);
    const char      *status = take_line(&rest);
    uint64_t         number = 0;
    const RangeReply reply = { .received = (uint64_t)received,
                               .content_range = take_line(&rest),
                               .etag = take_line(&rest),
                               .last_modified = take_line(&rest) };
    RangeReply       checked = reply;
    if (text_to_u64(c_string_view(status), &number)) checked.status = (uint32_t)number;
    return range_reply_check(&page->target, offset, size, &checked, err);
}

/* Reads the begin of the file, whose size is in the target afterwards. False: err filled. ERR_UNKNOWN: it is not a `.varve` file. */
static bool probe_ranges(PageEngine *page, Err *err)
{
    uint8_t probe[RANGE_PROBE_BYTES];
    return read_range(page, 0, probe, sizeof probe, err) &&
           (memcmp(probe, VARVE_MAGIC, sizeof VARVE_MAGIC) == 0 ||
            err_set(err, ERR_UNKNOWN, "the address has no .varve file"));
}

/* Opens a `.varve` file by ranges. The input is its address without user and query; `size`: its size, 0 = unknown. */
WASM_EXPORT(engine_open_ranges) EngineRanges page_engine_open_ranges(PageEngine *page, double size)
{
    const char *address = (const char *)page->in.data, *slash = strrchr(address, '/');
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    RemoteFile *remote = NULL;
    char        line[320];
    bytes_clear(&page->out);
    page->target = (RangeTarget){ .address = arena_push_copy(&page->arena, address, strlen(address)),
                                  .size = (uint64_t)size };
    if (page->target.address == NULL || slash == NULL) {
        (void)err_set(&err, ERR_MEMORY, "out of memory");
    } else if (probe_ranges(page, &err)) {
        const RangeSource source = { .read = read_range, .context = page, .size = page->target.size };
        remote = remote_open(&source, VARVE_ALL_LEVELS, &err);
    }
    if (remote != NULL && session_add_remote(page->session, remote, page->target.address))
        return ENGINE_RANGES_OPEN;
    if (remote != NULL) {
        remote_close(remote);
        (void)err_set(&err, ERR_MEMORY, "out of memory");
    }
    bytes_append(&page->out, line, err_format(&err, line, sizeof line));
    return err.code == ERR_UNKNOWN ? ENGINE_RANGES_WHOLE : ENGINE_RANGES_FAILED;
}

/* Answers the request in the input; after a zero byte follows its body, if it has one. Returns the
 * SessionStatus; the output is the body of the answer. */
WASM_EXPORT(engine_answer) SessionStatus page_engine_answer(PageEngine *page)
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

WASM_EXPORT(engine_output) const uint8_t *page_engine_output(const PageEngine *page)
{
    return page->out.data;
}

WASM_EXPORT(engine_output_size) size_t page_engine_output_size(const PageEngine *page)
{
    return page->out.failed ? 0 : page->out.size;
}
