#include "format/load.h"

#include "format/input.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 20, DETAIL_BYTES = 16 << 10 };
static const size_t MOST_DETAIL_BYTES = (size_t)1 << 28;

/* One load on its way: a buffer that is filled behind what the reader has not used yet. */
typedef struct Load {
    const LoadOptions  *options;
    Input              *input;
    const FormatReader *reader;
    TraceBuilder       *builder;
    void               *state;
    Arena               arena; /* the reader's */
    Bytes               buffer;
    uint64_t            offset;  /* in the decompressed input, of buffer.data[0] */
    size_t              refused; /* the reader used nothing of so many bytes: it wants more */
    bool                ended;
} Load;

static uint64_t memory_limit(const LoadOptions *options)
{
    return options->memory_limit != 0 ? options->memory_limit : memory_total() / 4 * 3;
}

static const EventPos NOWHERE = { ERR_NOWHERE, ERR_NOWHERE };

/* The rest of the input cannot be had: what came before it is shown. */
static void report_input_error(Load *load, const Err *cause)
{
    uint64_t at = load->offset + load->buffer.size;
    if (cause->offset == ERR_NOWHERE) {
        builder_warn(load->builder, "input-cut-short", (EventPos){ at, ERR_NOWHERE }, "%s", cause->message);
    } else {
        builder_warn(load->builder, "input-cut-short", (EventPos){ at, ERR_NOWHERE },
                     "%s (at byte %llu of the %s input)", cause->message, (unsigned long long)cause->offset,
                     codec_name(input_codec(load->input)));
    }
    builder_set_incomplete(load->builder);
}

/* Fills the buffer up to its block size, or beyond it when the reader wants more. */
static bool fill(Load *load, Err *err)
{
    size_t wanted = load->refused == 0 ? BLOCK_BYTES : load->refused * 2 + BLOCK_BYTES;
    while (load->buffer.size < wanted && !load->ended) {
        uint8_t *room = (uint8_t *)bytes_reserve(&load->buffer, wanted - load->buffer.size);
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for a record of %zu bytes", wanted);
        size_t got = 0;
        Err    cause;
        bool   filled = input_fill(load->input, room, wanted - load->buffer.size, &got, &cause);
        bytes_grow(&load->buffer, got);
        if (filled && got > 0) continue;
        load->ended = true;
        if (filled) break;
        if (load->builder == NULL)
            return err_set_at(err, cause.code, cause.offset, ERR_NOWHERE, "%s", cause.message);
        report_input_error(load, &cause);
    }
    return true;
}

static bool choose_reader(Load *load, Err *err)
{
    const char *name = load->options->format_name;
    if (name == NULL) {
        load->reader = format_probe(load->buffer.data, load->buffer.size, err);
        return load->reader != NULL;
    }
    load->reader = format_find(name);
    return load->reader != NULL || err_set(err, ERR_USAGE, "there is no format called \"%s\"", name);
}

static bool start(Load *load, Err *err)
{
    if (!fill(load, err)) return false;
    if (load->buffer.size == 0)
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "it is empty: there is no trace in it");
    if (!choose_reader(load, err)) return false;
    load->builder = builder_create(load->reader->name, memory_limit(load->options));
    if (load->builder == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    load->state = load->reader->open(&load->arena, load->builder, err);
    return load->state != NULL;
}

static bool read_step(Load *load, Err *err)
{
    size_t     used = 0;
    InputState state = load->ended ? INPUT_ENDS : INPUT_CONTINUES;
    if (!load->reader->read(load->state, load->buffer.data, load->buffer.size, state, &used, err))
        return false;
    if (builder_failed(load->builder)) {
        builder_error(load->builder, err);
        return false;
    }
    load->refused = used == 0 ? load->buffer.size : 0;
    load->offset += used;
    size_t left = load->buffer.size - used;
    if (used > 0 && left > 0) memmove(load->buffer.data, load->buffer.data + used, left);
    load->buffer.size = left;
    uint64_t limit = memory_limit(load->options);
    if (limit != 0 && load->refused > limit / 4) {
        return err_set_at(err, ERR_LIMIT, load->offset, ERR_NOWHERE, "a record does not end within %zu bytes",
                          load->refused);
    }
    return true;
}

static bool read_all(Load *load, Err *err)
{
    Progress *progress = load->options->progress;
    progress_phase(progress, PROGRESS_READING, input_raw_size(load->input));
    if (!start(load, err)) return false;
    for (;;) {
        bool was_last = load->ended;
        if (!read_step(load, err)) return false;
        if (was_last) break;
        progress_set(progress, input_raw_read(load->input));
        if (progress_cancelled(progress)) return err_set(err, ERR_CANCELLED, "cancelled");
        if (!fill(load, err)) return false;
    }
    const Err *store_error = input_store_error(load->input);
    if (store_error != NULL) {
        builder_warn(load->builder, "arguments-not-kept", NOWHERE, "arguments cannot be shown: %s",
                     store_error->message);
    }
    return true;
}

/* Takes over `input` and `loaded->arena`, whatever happens. */
static bool load_input(Input *input, const char *name, const LoadOptions *options, Loaded *loaded, Err *err)
{
    static const LoadOptions DEFAULTS = { .format_name = NULL };
    Load                     load = { .options = options == NULL ? &DEFAULTS : options, .input = input };
    bool                     done = false;
    if (input == NULL) goto done;
    loaded->name = arena_push_copy(&loaded->arena, name, strlen(name));
    if (loaded->name == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    if (!read_all(&load, err)) goto done;
    bytes_release(&load.buffer);
    loaded->trace = builder_finish(load.builder, load.options->threads, load.options->progress, err);
    if (loaded->trace == NULL) goto done;
    loaded->reader = load.reader;
    loaded->codec = input_codec(input);
    loaded->bytes = input_raw_size(input) != 0 ? input_raw_size(input) : input_raw_read(input);
    loaded->store = input_take_store(input);
    progress_phase(load.options->progress, PROGRESS_DONE, 0);
    done = true;
done:
    builder_destroy(load.builder);
    bytes_release(&load.buffer);
    arena_release(&load.arena);
    if (!done) {
        input_close(input);
        arena_release(&loaded->arena);
        *loaded = (Loaded){ .trace = NULL };
    }
    return done;
}

bool load_file(const char *path, const LoadOptions *options, Loaded *loaded, Err *err)
{
    *loaded = (Loaded){ .trace = NULL };
    return load_input(input_open_file(&loaded->arena, path, err), path, options, loaded, err);
}

bool load_bytes(const void *bytes, size_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err)
{
    *loaded = (Loaded){ .trace = NULL };
    return load_input(input_open_bytes(&loaded->arena, bytes, size, err), name, options, loaded, err);
}

bool load_store(InputStore store, uint64_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err)
{
    *loaded = (Loaded){ .trace = NULL };
    return load_input(input_open_store(&loaded->arena, store, size, err), name, options, loaded, err);
}

void loaded_release(Loaded *loaded)
{
    trace_release(loaded->trace);
    if (loaded->store.close != NULL) loaded->store.close(loaded->store.context);
    arena_release(&loaded->arena);
    *loaded = (Loaded){ .trace = NULL };
}

/* ---- back to the bytes of an event ---- */

/* Reads at least a part of the event at `offset`; *whole says that the input ends within the bytes. */
static bool read_event(const Loaded *loaded, uint64_t offset, size_t size, Bytes *bytes, bool *whole,
                       Err *err)
{
    bytes_clear(bytes);
    void *room = bytes_reserve(bytes, size);
    if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for an event's arguments");
    size_t got = loaded->store.read(loaded->store.context, offset, room, size);
    bytes_grow(bytes, got);
    if (got < size) *whole = true;
    return got > 0 || err_set_at(err, ERR_IO, offset, ERR_NOWHERE, "the input cannot be read again");
}

static void release_details(EventDetails *details)
{
    bytes_release(&details->args);
    bytes_release(&details->other);
}

/* Decodes the events at begin and (if has_end) end, reading ever more until they are whole. */
static bool decode_details(const Loaded *loaded, uint64_t begin, bool has_end, uint64_t end,
                           EventDetails *details, Err *err)
{
    Bytes begin_bytes = { NULL, 0, 0, false }, end_bytes = begin_bytes;
    bool  done = false;
    for (size_t size = DETAIL_BYTES;; size *= 8) {
        bool       begin_whole = false, end_whole = !has_end;
        EventBytes at_begin = { NULL, 0, begin }, at_end = { NULL, 0, end };
        if (!read_event(loaded, begin, size, &begin_bytes, &begin_whole, err)) break;
        at_begin = (EventBytes){ begin_bytes.data, begin_bytes.size, begin };
        if (has_end) {
            if (!read_event(loaded, end, size, &end_bytes, &end_whole, err)) break;
            at_end = (EventBytes){ end_bytes.data, end_bytes.size, end };
        }
        Err failure;
        done = loaded->reader->details(loaded->trace, &at_begin, &at_end, details, &failure);
        if (done) break;
        release_details(details);
        if (failure.code == ERR_TRUNCATED && !(begin_whole && end_whole) && size < MOST_DETAIL_BYTES)
            continue;
        *err = failure;
        break;
    }
    bytes_release(&begin_bytes);
    bytes_release(&end_bytes);
    return done;
}

bool load_slice_details(const Loaded *loaded, uint64_t slice, EventDetails *details, Err *err)
{
    *details = (EventDetails){ .args = { NULL, 0, 0, false } };
    uint64_t begin, end = 0;
    bool     has_begin = trace_slice_source(loaded->trace, slice, &begin);
    bool     has_end = trace_slice_end_source(loaded->trace, slice, &end);
    if (!has_begin && !has_end) return true;
    if (!has_begin) return decode_details(loaded, end, false, 0, details, err);
    return decode_details(loaded, begin, has_end, end, details, err);
}

bool load_instant_details(const Loaded *loaded, uint64_t instant, EventDetails *details, Err *err)
{
    *details = (EventDetails){ .args = { NULL, 0, 0, false } };
    uint64_t source = loaded->trace->instants.source[instant];
    return source == 0 || decode_details(loaded, source - 1, false, 0, details, err);
}

bool load_other_details(const Loaded *loaded, uint64_t other, EventDetails *details, Err *err)
{
    *details = (EventDetails){ .args = { NULL, 0, 0, false } };
    return decode_details(loaded, loaded->trace->others[other].offset, false, 0, details, err);
}
