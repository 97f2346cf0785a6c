#include "format/stream.h"

#include "format/reading.h"

#include <assert.h>

enum {
    SURE_AT_ONCE = 70, /* confidence that is accepted before STREAM_HEAD_BYTES have come */
    SMALL_RECORD = 256 << 10
};

struct Stream {
    Arena           arena; /* the stream itself is allocated in it */
    Reading         reading;
    ReadContext     context;
    StreamTransport transport;
    Bytes           pending; /* bytes that the reader has not used yet */
    uint64_t        bytes;
    bool            ended; /* or failed */
};

/* -- format detection -- */

bool stream_can_be(const FormatReader *reader, StreamTransport transport, Err *err)
{
    if (reader->stream == NULL)
        return err_set(err, ERR_UNKNOWN, "%s cannot be read before it is complete", reader->name);
    if (transport == STREAM_DATAGRAMS && !reader->stream->takes_datagrams)
        return err_set(err, ERR_UNKNOWN, "%s cannot be sent in datagrams; Heph packets can", reader->name);
    return true;
}

StreamGuess stream_guess(const void *head, size_t size, StreamTransport transport, StreamState state,
                         const FormatReader **reader, Err *err)
{
    bool           all = state == STREAM_ENDED || size >= STREAM_HEAD_BYTES || transport == STREAM_DATAGRAMS;
    const uint8_t *bytes = size == 0 ? (const uint8_t *)"" : (const uint8_t *)head;
    const FormatReader *found = format_probe(bytes, size, err);
    if (found == NULL) return all ? STREAM_UNKNOWN : STREAM_UNSURE;
    if (!all && found->probe(bytes, size) < SURE_AT_ONCE) return STREAM_UNSURE;
    if (!stream_can_be(found, transport, err)) return STREAM_UNKNOWN;
    *reader = found;
    return STREAM_KNOWN;
}

/* -- feeding -- */

Stream *stream_create(const StreamOptions *options, Err *err)
{
    Arena   arena = arena_create(0);
    Stream *stream = ARENA_NEW(&arena, Stream);
    if (stream == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    stream->arena = arena;
    stream->transport = options->transport;
    stream->context = (ReadContext){ .symbols = { .policy = SYMBOLS_OFF },
                                     .is_live = true,
                                     .record_limit = STREAM_RECORD_BYTES };
    ReadingOptions reading = { .memory_limit = options->memory_limit,
                               .reader_limit = options->memory_limit,
                               .record_limit = STREAM_RECORD_BYTES,
                               .observer = options->observer,
                               .context = &stream->context };
    if (!reading_open(&stream->reading, options->reader, &reading, err)) {
        stream_destroy(stream);
        return NULL;
    }
    if (options->observer == NULL) builder_set_growing(stream->reading.builder);
    return stream;
}

void stream_destroy(Stream *stream)
{
    if (stream == NULL) return;
    reading_close(&stream->reading);
    bytes_release(&stream->pending);
    Arena arena = stream->arena; /* a copy, because the stream is allocated in it */
    arena_release(&arena);
}

/* True if enough bytes have come since the last attempt: a large record is not read again for every piece. */
static bool is_worth_reading(const Stream *stream)
{
    size_t refused = stream->reading.refused;
    assert(refused <= stream->pending.size);
    return refused < SMALL_RECORD || stream->pending.size - refused >= refused / 8;
}

static bool keep(Stream *stream, const void *bytes, size_t size, Err *err)
{
    bytes_append(&stream->pending, bytes, size);
    return !stream->pending.failed || err_set(err, ERR_MEMORY, "out of memory for a record");
}

static bool push_piece(Stream *stream, const uint8_t *bytes, size_t size, Err *err)
{
    Reading *reading = &stream->reading;
    if (stream->pending.size == 0) { /* the usual case: only an incomplete record is copied */
        return reading_read(reading, bytes, size, INPUT_CONTINUES, err) &&
               keep(stream, bytes + reading->used, size - reading->used, err);
    }
    if (!keep(stream, bytes, size, err)) return false;
    if (!is_worth_reading(stream)) return true;
    if (!reading_read(reading, stream->pending.data, stream->pending.size, INPUT_CONTINUES, err))
        return false;
    assert(reading->used <= stream->pending.size);
    size_t left = stream->pending.size - reading->used;
    if (reading->used > 0 && left > 0)
        memmove(stream->pending.data, stream->pending.data + reading->used, left);
    stream->pending.size = left;
    return true;
}

bool stream_push(Stream *stream, const void *bytes, size_t size, Err *err)
{
    assert(!stream->ended);
    if (size == 0) return true;
    stream->bytes += size;
    bool done;
    if (stream->transport == STREAM_DATAGRAMS) {
        done = reading_read(&stream->reading, bytes, size, INPUT_PART_ENDS, err);
        assert(!done || stream->reading.used == size);
    } else {
        done = push_piece(stream, bytes, size, err);
    }
    stream->ended = !done;
    return done;
}

bool stream_end(Stream *stream, Err *err)
{
    assert(!stream->ended);
    stream->ended = true;
    const uint8_t *bytes = stream->pending.data == NULL ? (const uint8_t *)"" : stream->pending.data;
    return reading_read(&stream->reading, bytes, stream->pending.size, INPUT_ENDS, err);
}

/* -- state -- */

const FormatReader *stream_reader(const Stream *stream)
{
    return stream->reading.reader;
}

TraceBuilder *stream_builder(Stream *stream)
{
    return stream->reading.builder;
}

TraceBuilder *stream_take_builder(Stream *stream)
{
    stream->reading.builder_is_taken = true;
    return stream->reading.builder;
}

uint64_t stream_bytes(const Stream *stream)
{
    return stream->bytes;
}

uint64_t stream_held_bytes(const Stream *stream)
{
    return builder_held_bytes(stream->reading.builder) + stream->reading.arena.held_bytes +
           stream->pending.capacity;
}

ReadLosses stream_losses(const Stream *stream)
{
    const Reading       *reading = &stream->reading;
    const StreamReading *stream_reading = reading->reader->stream;
    if (stream_reading->losses == NULL) return (ReadLosses){ .missing = 0 };
    return stream_reading->losses(reading->state);
}
