/* Input that is read while it is written. */
#include "trace/live/live.h"

#include "api/api.h"
#include "base/file.h"
#include "format/stream.h"

#include <string.h>

struct VarveLive {
    VarveTrace       trace; /* its arena holds this too */
    VarveLiveOptions options;
    Bytes            head;   /* the first bytes, until the format is known */
    Stream          *stream; /* NULL = the format is not known yet */
    LiveTrace       *live;
    FileSpool        spool; /* all bytes, for arguments; closed = not stored */
    bool             is_ended;
};

static size_t read_spool(void *context, uint64_t offset, void *buffer, size_t size)
{
    const VarveLive *live = context;
    const int64_t    got = file_spool_read(&live->spool, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

VarveLive *varve_live_open(const char *name, const VarveLiveOptions *options, VarveError *error)
{
    Err        err = API_ERR;
    VarveLive *live = API_HANDLE(VarveLive, error);
    if (live == NULL) return NULL;
    if (options != NULL) live->options = *options;
    char *format = NULL, *copy = arena_push_copy(&live->trace.arena, name, strlen(name));
    if (live->options.format != NULL) {
        format = arena_push_copy(&live->trace.arena, live->options.format, strlen(live->options.format));
        live->options.format = format;
    }
    live->trace.loaded.name = copy;
    if (copy == NULL || (options != NULL && options->format != NULL && format == NULL))
        (void)err_set(&err, ERR_MEMORY, "out of memory");
    else if (format != NULL && format_find(format) == NULL)
        (void)err_set(&err, ERR_USAGE, "unknown format '%.60s'", format);
    else if (live->options.details == VARVE_DETAILS_UNUSED || file_spool_open(&live->spool, &err))
        return live;
    (void)api_fail(&err, error);
    varve_live_close(live);
    return NULL;
}

void varve_live_close(VarveLive *live)
{
    if (live == NULL) return;
    stream_destroy(live->stream);
    live_destroy(live->live);
    file_spool_close(&live->spool);
    bytes_release(&live->head);
    api_handle_release(live);
}

/* Creates the stream and the trace. */
static bool begin(VarveLive *live, const FormatReader *reader, Err *err)
{
    const StreamOptions stream = { .reader = reader, .transport = STREAM_PIECES };
    const LiveOptions   keep = { .keep_bytes = live->options.keep_bytes, .keep_ns = live->options.keep_ns };
    if (!stream_can_be(reader, STREAM_PIECES, err)) return false;
    live->stream = stream_create(&stream, err);
    if (live->stream == NULL) return false;
    live->live = live_create(stream_take_builder(live->stream), &keep, err);
    if (live->live == NULL) return false;
    Loaded *loaded = &live->trace.loaded;
    loaded->trace = live_trace(live->live);
    loaded->reader = reader;
    loaded->store = (InputStore){ .read = read_spool, .context = live };
    loaded->is_plain = true;
    return true;
}

/* Begins the stream if the first bytes tell the format. */
static bool guess(VarveLive *live, StreamState state, Err *err)
{
    const FormatReader *reader = NULL;
    if (live->options.format != NULL) {
        reader = format_find(live->options.format);
    } else {
        switch (stream_guess(live->head.data, live->head.size, STREAM_PIECES, state, &reader, err)) {
        case STREAM_UNSURE:
            return true;
        case STREAM_UNKNOWN:
            return false;
        case STREAM_KNOWN:
            break;
        }
    }
    return begin(live, reader, err);
}

/* Reads bytes, and adds their events to the trace. */
static bool read_bytes(VarveLive *live, const void *bytes, size_t size, Err *err)
{
    LiveChange change;
    return stream_push(live->stream, bytes, size, err) && live_absorb(live->live, &change, err);
}

static bool push(VarveLive *live, const void *bytes, size_t size, Err *err)
{
    if (live->is_ended) return err_set(err, ERR_USAGE, "the input has ended");
    if (live->spool.handle_plus_one != 0 && !file_spool_append(&live->spool, bytes, size, err)) return false;
    live->trace.loaded.bytes += size;
    if (live->live != NULL) return read_bytes(live, bytes, size, err);
    bytes_append(&live->head, bytes, size);
    if (live->head.failed) return err_set(err, ERR_MEMORY, "out of memory for the input");
    if (!guess(live, STREAM_GOES_ON, err)) return false;
    if (live->live == NULL) return true;
    const bool is_read = read_bytes(live, live->head.data, live->head.size, err);
    bytes_release(&live->head);
    return is_read;
}

bool varve_live_push(VarveLive *live, const void *bytes, size_t size_bytes, VarveError *error)
{
    Err err = API_ERR;
    if (push(live, bytes, size_bytes, &err)) return true;
    live->is_ended = true;
    return api_fail(&err, error);
}

static bool end(VarveLive *live, Err *err)
{
    LiveChange change;
    if (live->is_ended) return err_set(err, ERR_USAGE, "the input has ended");
    live->is_ended = true;
    if (live->live == NULL) {
        if (!guess(live, STREAM_ENDED, err)) return false;
        if (live->live == NULL) return err_set(err, ERR_UNKNOWN, "the format of the input is not known");
        if (!stream_push(live->stream, live->head.data, live->head.size, err)) return false;
    }
    return stream_end(live->stream, err) && live_settle(live->live, &change, err);
}

bool varve_live_end(VarveLive *live, VarveError *error)
{
    Err err = API_ERR;
    return end(live, &err) || api_fail(&err, error);
}

const VarveTrace *varve_live_trace(const VarveLive *live)
{
    return live->live == NULL ? NULL : &live->trace;
}
