#include "format/load_input.h"

#include "base/self_trace.h"
#include "format/blocks.h"

#include <assert.h>
#include <string.h>

enum {
    RECORD_BYTES = 64 << 20, /* the default of --record-limit */
    BLOCK_BYTES = 256 << 10  /* a block is still in the second-level cache when it is decoded */
};

/* Returns the size of a block. */
static size_t block_bytes(const MemoryPlan *memory)
{
    const uint64_t share = memory->most_input / 4;
    if (memory->most_input == 0 || share > BLOCK_BYTES) return BLOCK_BYTES;
    return share > LEAST_BLOCK_BYTES ? (size_t)share : LEAST_BLOCK_BYTES;
}

/* Warns that the rest of the input cannot be read. The trace has the part before it. */
static void report_input_error(Load *load, const Err *cause)
{
    TraceBuilder   *builder = load->reading.builder;
    const EventPos  pos = { load->reading.offset + load->size, ERR_NOWHERE };
    const CodecKind codec = input_error_codec(load->input);
    /* the offset in a compressed source says more than that in the decompressed bytes */
    if (cause->offset == ERR_NOWHERE || codec == CODEC_NONE)
        builder_warn(builder, "input-cut-short", pos, "%s", cause->message);
    else
        builder_warn(builder, "input-cut-short", pos, "%s (at byte %llu of the %s input)", cause->message,
                     (unsigned long long)cause->offset, codec_name(codec));
    builder_set_incomplete(builder);
}

/* ---- parts ---- */

/* Records the part of an archive that was read. */
static bool keep_part(Load *load, Err *err)
{
    const char *name = input_part_name(load->input);
    uint64_t    end = load->reading.offset + load->size;
    assert(end >= load->part_begin);
    if (name == NULL || load->part_names == NULL) return true;
    InputPart part = { .name = arena_push_copy(load->part_names, name, strlen(name)),
                       .size = end - load->part_begin };
    load->part_begin = end;
    vec_push(&load->parts, part);
    return (part.name != NULL && !load->parts.bytes.failed) || err_set(err, ERR_MEMORY, "out of memory");
}

/* Reports that the input of a container ended early when the file was written, or that the file itself is damaged or cut
 * short, so that its input was read again. */
static void report_container(const Load *load)
{
    const Container *container = load->container;
    TraceBuilder    *builder = load->reading.builder;
    if (container == NULL) return;
    if (container->cut_message != NULL) {
        builder_warn(builder, "input-cut-short", (EventPos){ container->cut_offset, ERR_NOWHERE }, "%s",
                     container->cut_message);
        builder_set_incomplete(builder);
    }
    if (container->fault.code == ERR_NONE) return;
    const bool is_cut = container->fault.code == ERR_TRUNCATED;
    builder_warn(builder, is_cut ? "varve-cut-short" : "varve-damaged",
                 (EventPos){ container->fault.offset, ERR_NOWHERE },
                 "%s: the trace is made of the input in it", container->fault.message);
    if (is_cut) builder_set_incomplete(builder);
}

/* If the buffer holds the last bytes of a part, goes to the next part. Sets load->ended if no part follows. */
static bool end_part(Load *load, Err *err)
{
    bool found = false;
    if (!load->part_ended || load->ended) return true;
    if (load->has_fault && load->fault.code == ERR_MEMORY) {
        *err = load->fault;
        return false;
    }
    if (load->has_fault) report_input_error(load, &load->fault);
    load->has_fault = false;
    if (!keep_part(load, err)) return false;
    Err cause;
    if (!input_begin_part(load->input, load->reader, &found, &cause)) {
        if (cause.code == ERR_MEMORY) {
            *err = cause;
            return false;
        }
        report_input_error(load, &cause);
    }
    load->ended = !found;
    if (!found) report_container(load);
    return true;
}

/* Passes the input's notes about omitted and replaced data to the builder as warnings. */
static void report_notes(Load *load)
{
    const InputNote *note;
    for (size_t i = 0; (note = input_note(load->input, i)) != NULL; i++) {
        for (uint64_t n = 0; n < note->count; n++)
            builder_warn(load->reading.builder, note->kind, (EventPos){ note->offset, ERR_NOWHERE }, "%s",
                         note->message);
    }
}

/* ---- reading ---- */

/* Returns the largest accepted size of a record in bytes; UINT64_MAX = no limit. Without --record-limit it is
 * RECORD_BYTES for a reader that can skip records. For other readers, whose records may be large images, it is a
 * quarter of the memory limit. */
static uint64_t record_limit(const Load *load)
{
    if (load->options->record_limit != 0) return load->options->record_limit;
    if (load->reader->skip != NULL) return RECORD_BYTES;
    return memory_limit() == 0 ? UINT64_MAX : memory_limit() / 4;
}

/* Returns the number of bytes to offer to the reader after it used no byte of the last input. Growth is small,
 * because fresh memory is expensive. It is a doubling for a reader that decodes the record from its start each time. */
static size_t wanted_bytes(const Load *load)
{
    const size_t refused = load->reading.refused;
    size_t       wanted = refused == 0 || load->reader->goes_on ? refused : refused * 2;
    if (refused > 0 && wanted > record_limit(load)) wanted = (size_t)record_limit(load) + 1;
    return wanted < refused ? refused : wanted;
}

/* Fills the buffer with a block, or with more bytes if the reader needs them. */
static bool fill(Load *load, Err *err)
{
    SELF_SLICE("read bytes");
    /* first size of the buffer, which doubles until it has a block: a small input takes little memory */
    enum { FIRST_BYTES = 8 << 10 };
    const size_t wanted = wanted_bytes(load) + block_bytes(&load->memory);
    while (load->buffer.size < wanted && !load->part_ended) {
        size_t size = wanted - load->buffer.size;
        if (size > load->buffer.capacity - load->buffer.size && size > load->buffer.size + FIRST_BYTES)
            size = load->buffer.size + FIRST_BYTES;
        uint8_t *room = (uint8_t *)bytes_reserve(&load->buffer, size);
        if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for a record of %zu bytes", wanted);
        size_t got = 0;
        bool   filled = input_fill(load->input, room, size, &got, &load->fault);
        assert(got <= size);
        bytes_grow(&load->buffer, got);
        if (filled && got > 0) continue;
        load->part_ended = true;
        load->has_fault = !filled;
    }
    return true;
}

/* Passes an event and its record to the LoadObserver. An EventObserver of the builder. */
static void hand_on(void *context, const ObservedEvent *event)
{
    Load *load = (Load *)context;
    if (load->stopped) return;
    assert(event->pos.offset <= load->reading.offset ||
           event->pos.offset - load->reading.offset <= load->size);
    /* A reader may report an event after a later record. Then its bytes are no longer in the buffer. */
    bool           is_there = event->pos.offset >= load->reading.offset;
    size_t         at = is_there ? (size_t)(event->pos.offset - load->reading.offset) : load->size;
    ObservedRecord record = { .builder = load->reading.builder,
                              .reader = load->reader,
                              .event = event,
                              .bytes = { .bytes = load->bytes + at,
                                         .size = load->size - at,
                                         .offset = event->pos.offset,
                                         .tick = event->has_tick ? event->tick : 0,
                                         .ends_input = load->part_ended } };
    load->stopped = !load->observer->event(load->observer->context, &record);
}

/* Returns the reader for the first bytes of the input, or NULL with `err`. Only apitrace writes Snappy chunks, so an
 * unrecognised stream of them goes to apitrace's reader, which reports the damage. */
static const FormatReader *probe_input(const Load *load, Err *err)
{
    const FormatReader *found = format_probe(load->buffer.data, load->buffer.size, err);
    return found == NULL && input_codec(load->input) == CODEC_SNAPPY ? format_find("apitrace") : found;
}

bool load_choose_reader(Load *load, Err *err)
{
    const FormatReader *wanted = NULL;
    bool                found;
    if (load->options->format_name != NULL) {
        wanted = format_find(load->options->format_name);
        if (wanted == NULL)
            return err_set(err, ERR_USAGE, "unknown format \"%s\"", load->options->format_name);
    }
    if (!input_begin_part(load->input, wanted, &found, err) || !fill(load, err)) return false;
    assert(found);
    if (load->buffer.size == 0 && load->has_fault) {
        *err = load->fault;
        return false;
    }
    if (load->buffer.size == 0) return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "the input is empty");
    load->reader = wanted != NULL ? wanted : probe_input(load, err);
    return load->reader != NULL;
}

/* Returns the name of the requested perspective for builder_want_perspective. */
static const char *wanted_perspective(const Load *load)
{
    const char *name = load->options->perspective;
    bool        is_counted = name != NULL && strcmp(name, PERSPECTIVE_COUNTED) == 0;
    return is_counted ? load->reader->counted_perspective : name;
}

static bool start(Load *load, Err *err)
{
    EventObserver observer = { hand_on, load };
    load->context.again = input_again(load->input);
    ReadingOptions options = { .observer = load->observer != NULL ? &observer : NULL,
                               .perspective = wanted_perspective(load),
                               .context = &load->context };
    return reading_open(&load->reading, load->reader, &options, err);
}

/* True if reading must stop for lack of memory. */
static bool has_no_memory_for_more(const Load *load)
{
    const MemoryPlan *memory = &load->memory;
    return (memory->left_part != 0 && memory_left() < memory_used() / memory->left_part) ||
           (memory->most_input != 0 && load->reading.offset + block_bytes(memory) > memory->most_input);
}

/* Ends the input at the current offset, as if it were truncated there. */
static bool end_early(Load *load, Err *err)
{
    load->size = 0; /* drops the rest of the block, or the reader would report a truncated record */
    builder_set_incomplete(load->reading.builder);
    load->stopped = true;
    return keep_part(load, err) && reading_read(&load->reading, load->bytes, load->size, INPUT_ENDS, err);
}

static bool end_for_memory(Load *load, Err *err)
{
    builder_warn(load->reading.builder, "memory-limit", (EventPos){ load->reading.offset, ERR_NOWHERE },
                 "the rest of the input is not loaded: memory is limited to %llu MiB, and the temporary "
                 "directories have no room for more; --mem=SIZE allows more",
                 (unsigned long long)(memory_limit() >> 20));
    return end_early(load, err);
}

/* True if reading must stop because LoadOptions.most_bytes are read. */
static bool has_most_bytes(const Load *load)
{
    const uint64_t most = load->options->most_bytes;
    return most != 0 && load->reading.offset + block_bytes(&load->memory) > most;
}

static bool end_after_begin(Load *load, Err *err)
{
    builder_warn(load->reading.builder, "begin-only", (EventPos){ load->reading.offset, ERR_NOWHERE },
                 "only the begin of the input is loaded");
    return end_early(load, err);
}

/* Handles a record that is longer than `limit` bytes: skips it, or ends the input before it if the reader cannot
 * skip. */
static bool pass_long_record(Load *load, uint64_t limit, Err *err)
{
    const FormatReader *reader = load->reader;
    assert(load->size > limit);
    TraceBuilder *builder = load->reading.builder;
    EventPos      pos = { load->reading.offset, ERR_NOWHERE };
    if (reader->skip == NULL) {
        builder_warn(
            builder, "record-too-long", pos,
            "a record of more than %llu bytes: the rest is not read; --record-limit=SIZE allows more",
            (unsigned long long)limit);
        return end_early(load, err);
    }
    if (!reader->skip(load->reading.state))
        return err_set_at(err, ERR_LIMIT, pos.offset, ERR_NOWHERE, "a record does not end within %llu bytes",
                          (unsigned long long)limit);
    builder_warn(builder, "record-too-long", pos,
                 "a record of more than %llu bytes is skipped; --record-limit=SIZE allows more",
                 (unsigned long long)limit);
    return true;
}

/* Passes the available bytes to the reader, at most the record limit at once. So the limit has the same effect for any
 * size of blocks. */
static bool read_block(Load *load, Err *err)
{
    SELF_SLICE("decode");
    const uint64_t limit = record_limit(load);
    const size_t   size = load->size;
    for (;;) {
        const bool is_all = load->size <= limit;
        InputState state = INPUT_CONTINUES;
        if (load->part_ended && is_all) state = load->ended ? INPUT_ENDS : INPUT_PART_ENDS;
        if (!reading_read(&load->reading, load->bytes, is_all ? load->size : (size_t)limit, state, err))
            return false;
        assert(load->reading.used <= load->size);
        if (load->reading.used > 0) load->bytes += load->reading.used;
        load->size -= load->reading.used;
        load->used = size - load->size;
        if (builder_has_enough(load->reading.builder)) load->stopped = true;
        if (is_all || load->stopped) return true;
        if (load->reading.used == 0 && !pass_long_record(load, limit, err)) return false;
        if (load->stopped) return true;
    }
}

static bool read_step(Load *load, Err *err)
{
    if (!read_block(load, err)) return false;
    if (load->part_ended || load->stopped) return true;
    if (has_most_bytes(load)) return end_after_begin(load, err);
    return has_no_memory_for_more(load) ? end_for_memory(load, err) : true;
}

/* Moves the unused bytes to the start of the buffer. */
static void drop_used(Load *load)
{
    assert(load->used <= load->buffer.size);
    size_t left = load->buffer.size - load->used;
    if (load->used > 0 && left > 0) memmove(load->buffer.data, load->buffer.data + load->used, left);
    load->buffer.size = left;
}

static bool note_progress(const Load *load, Err *err)
{
    Progress *progress = load->options->progress;
    progress_set(progress, load->raw_read);
    return !progress_cancelled(progress) || err_set(err, ERR_CANCELLED, "cancelled");
}

static bool read_serially(Load *load, Err *err)
{
    for (;;) {
        load->bytes = load->buffer.data;
        load->size = load->buffer.size;
        if (!end_part(load, err) || !read_step(load, err)) return false;
        drop_used(load);
        if (load->ended || load->stopped) return true;
        load->part_ended = false;
        load->raw_read = input_raw_read(load->input);
        if (!note_progress(load, err) || !fill(load, err)) return false;
    }
}

/* -- one file, decompressed or decoded ahead of the reader -- */

static void show_block(Load *load, const Block *block)
{
    load->bytes = block->bytes;
    load->size = block->size;
    load->raw_read = block->raw_read;
    load->part_ended = block->is_last;
    load->has_fault = block->failed;
    if (block->failed) load->fault = block->err;
    if (block->decoded != NULL)
        load->reader->ahead->give(load->reading.state, block->decoded_offset, block->decoded);
}

static bool read_ahead(Load *load, Err *err)
{
    Arena   arena = arena_create(0);
    Blocks *blocks =
        blocks_create(&arena, load->input, load->options->threads, load->reader->ahead, &load->buffer);
    bool done = blocks != NULL || err_set(err, ERR_MEMORY, "out of memory"), more = done;
    while (more) {
        show_block(load, blocks_current(blocks));
        done = end_part(load, err) && read_step(load, err);
        more = done && !load->ended && !load->stopped;
        if (more)
            done = more =
                note_progress(load, err) && blocks_next(blocks, load->used, wanted_bytes(load), err);
    }
    blocks_release(blocks);
    arena_release(&arena);
    return done;
}

/* True if pieces of the input can be decoded ahead. */
static bool can_decode_ahead(const Load *load)
{
    const AheadDecoding *ahead = load->reader->ahead;
    return ahead != NULL &&
           (ahead->begin == NULL || ahead->begin(NULL, load->buffer.data, load->buffer.size));
}

/* True if helper threads have work: the input is compressed, or can be decoded ahead. */
static bool can_read_ahead(const Load *load)
{
    enum {
        MUCH_BYTES = 4 * BLOCK_BYTES
    }; /* the start of threads takes as long as the decoding of one block */
    const bool decodes = can_decode_ahead(load) && input_raw_size(load->input) >= MUCH_BYTES;
    return (decodes || input_codec(load->input) != CODEC_NONE) && input_part_name(load->input) == NULL &&
           load->options->threads != 1 && !load->part_ended && load->memory.most_input == 0 &&
           load->options->most_bytes == 0;
}

bool load_read(Load *load, Err *err)
{
    SELF_SLICE("read the input");
    progress_phase(load->options->progress, PROGRESS_READING, input_raw_size(load->input));
    if (!start(load, err)) return false;
    if (!(can_read_ahead(load) ? read_ahead(load, err) : read_serially(load, err))) return false;
    report_notes(load);
    const Err *store_error = input_store_error(load->input);
    if (store_error != NULL) {
        builder_warn(load->reading.builder, "arguments-not-kept",
                     (EventPos){ store_error->offset, ERR_NOWHERE }, "arguments cannot be shown: %s",
                     store_error->message);
    }
    return true;
}

void load_close(Load *load)
{
    reading_close(&load->reading);
    bytes_release(&load->buffer);
    vec_release(&load->parts);
    input_close(load->input);
}
