#include "format/trace_event/trace_event.h"

#include "format/trace_event/read/details.h"
#include "format/trace_event/read/document.h"

#include <string.h>

/* Returns the offset of the first byte from `at` on that is not white space; `size` if all are. */
static size_t skip_blanks(const uint8_t *head, size_t size, size_t at)
{
    while (at < size && head[at] <= ' ')
        at++;
    return at;
}

/* True if JSON may follow the comment at `at`. */
static bool may_begin_with_comment(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *stop;
    bool           comments;
    const JsonScan result = json_scan_space(at, end, &stop, &comments);
    return result == JSON_SCAN_MORE ||
           (result == JSON_SCAN_DONE && (stop == end || *stop == '[' || *stop == '{'));
}

static int trace_event_probe(const uint8_t *head, size_t size)
{
    size_t at = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    at = skip_blanks(head, size, at);
    if (at == size) return 0;
    if (head[at] == '/') return may_begin_with_comment(head + at, head + size) ? 10 : 0;
    if (head[at] != '[' && head[at] != '{') return 0;
    size_t next = skip_blanks(head, size, at + 1);
    if (next == size) return 40;
    if (head[at] == '[') return head[next] == '{' ? 80 : 40;
    return head[next] == '"' ? 70 : 40;
}

static void *trace_event_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Document *document = ARENA_NEW(arena, Document);
    if (document == NULL || !document_open(document, arena, builder)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    return document;
}

static bool trace_event_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                             Err *err)
{
    return document_read((Document *)state, bytes, size, input, used, err);
}

static bool trace_event_skip(void *state)
{
    return document_skip((Document *)state);
}

static const StreamReading STREAM_READING = { .takes_datagrams = false };

static void trace_event_give(void *state, uint64_t offset, const Bytes *decoded)
{
    document_give_ahead((Document *)state, offset, decoded);
}

static const AheadDecoding AHEAD_DECODING = {
    .state_bytes = sizeof(AheadState),
    .decode = ahead_decode,
    .release = ahead_release,
    .give = trace_event_give,
};

const FormatReader TRACE_EVENT_READER = {
    .name = "trace-event",
    .spec = "Trace Event Format, Google, 2016, and files of Chromium, Node.js, clang and others of 2025",
    .about = "Trace Event JSON of Chromium, Node.js, clang, Bazel, PyTorch and many others.\n"
             "Usual names: *.json, *.json.gz, *.trace.",
    .probe = trace_event_probe,
    .open = trace_event_open,
    .read = trace_event_read,
    .skip = trace_event_skip,
    .details = trace_event_details,
    .parts = PARTS_SEVERAL,
    .stream = &STREAM_READING,
    .ahead = &AHEAD_DECODING,
};
