/* Streams of any bytes: the first byte says how they come. In pieces they are the same trace as the file of those bytes,
 * also when the trace grows meanwhile; as datagrams nothing of one reaches into the next, so that the order in which
 * damage comes harms no whole packet. */
#include "fuzz.h"

#include "format/load.h"
#include "format/stream.h"
#include "trace/live/live.h"
#include "trace_describe.h"

#include <string.h>

/* Sizes of pieces: out of the bytes themselves, or all the same. */
static size_t piece_at(const uint8_t *data, size_t at, size_t left, uint8_t manner)
{
    size_t piece = manner & 1 ? (size_t)data[at] % 97 + 1 : (size_t)(manner >> 2) + 1;
    return piece < left ? piece : left;
}

static Trace *receive(const FormatReader *reader, StreamTransport transport, uint8_t manner,
                      const uint8_t *data, size_t size)
{
    StreamOptions options = { .reader = reader, .transport = transport, .memory_limit = UINT64_C(1) << 30 };
    Err           err;
    Trace        *trace = NULL;
    Stream       *stream = stream_create(&options, &err);
    bool          done = stream != NULL;
    ReadLosses    before = { 0 };
    for (size_t at = 0, piece; done && at < size; at += piece) {
        piece = piece_at(data, at, size - at, manner);
        done = stream_push(stream, data + at, piece, &err);
        if (!done) break;
        ReadLosses now = stream_losses(stream);
        expect(now.late >= before.late && now.twice >= before.twice &&
                   now.skipped_bytes >= before.skipped_bytes,
               "losses that are taken back");
        expect(now.skipped_bytes <= at + piece, "more skipped than came");
        before = now;
    }
    if (done && stream_end(stream, &err)) {
        expect(stream_bytes(stream) == size, "bytes are not counted");
        trace = builder_finish(stream_builder(stream), 1, NULL, &err);
        expect(trace != NULL, "no trace");
        if (!trace_check(trace, &err)) expect(false, err.message);
    }
    stream_destroy(stream);
    return trace;
}

/* Takes the pieces into a trace that grows. NULL: it cannot be read. Destroy *stream behind it. */
static LiveTrace *grow(const FormatReader *reader, uint8_t manner, const uint8_t *data, size_t size,
                       Stream **stream)
{
    StreamOptions options = { .reader = reader,
                              .transport = STREAM_PIECES,
                              .memory_limit = UINT64_C(1) << 30 };
    Err           err;
    LiveChange    change;
    *stream = stream_create(&options, &err);
    if (*stream == NULL) return NULL;
    LiveTrace *live = live_create(stream_take_builder(*stream), &(LiveOptions){ 0 }, &err);
    bool       done = live != NULL;
    for (size_t at = 0, piece; done && at < size; at += piece) {
        piece = piece_at(data, at, size - at, manner);
        done = stream_push(*stream, data + at, piece, &err);
        if (done && (at & 64) != 0) done = live_absorb(live, &change, &err);
    }
    done = done && stream_end(*stream, &err) && live_settle(live, &change, &err);
    if (done && !trace_check(live_trace(live), &err)) expect(false, err.message);
    if (done) return live;
    live_destroy(live);
    return NULL;
}

/* True if a trace of pieces has the times of the file. Late begins and ends are not sorted while a trace grows. */
static bool has_its_times(const Trace *of_pieces)
{
    return !trace_has_warning(of_pieces, "late-event");
}

static bool can_be_described(const Trace *trace)
{
    return trace->flows.count <= DESCRIBE_MOST_FLOWS;
}

static void compare_grown(const FormatReader *reader, uint8_t manner, const uint8_t *data, size_t size,
                          const Trace *file)
{
    Stream    *stream;
    LiveTrace *live = grow(reader, manner, data, size, &stream);
    expect(live != NULL, "refused an input that is read as a file");
    if (has_its_times(live_trace(live)) && can_be_described(file))
        expect(trace_is_same(live_trace(live), file), "the grown trace is another one");
    live_destroy(live);
    stream_destroy(stream);
}

static void compare_received(const Trace *streamed, const Trace *file)
{
    expect(streamed != NULL, "refused an input that is read as a file");
    expect(streamed->source.complete == file->source.complete, "completeness");
    if (!has_its_times(streamed)) return;
    expect(streamed->begin_tick == file->begin_tick && streamed->end_tick == file->end_tick, "range");
    if (can_be_described(file)) expect(trace_is_same(streamed, file), "the streamed trace is another one");
}

/* Reads the bytes as a file, and compares the trace with that of the pieces, or with that of the pieces while it grows. */
static void check_pieces(const FormatReader *reader, uint8_t manner, const uint8_t *data, size_t size)
{
    const bool        grows = choose(data, size, 2) == 0;
    const LoadOptions options = { .format_name = reader->name, .threads = 1 };
    Trace            *streamed = grows ? NULL : receive(reader, STREAM_PIECES, manner, data, size);
    Loaded            loaded;
    Err               err;
    if (load_bytes(data, size, "fuzz", &options, &loaded, &err)) {
        if (loaded.is_plain && grows) compare_grown(reader, manner, data, size, loaded.trace);
        if (loaded.is_plain && !grows) compare_received(streamed, loaded.trace);
        loaded_release(&loaded);
    }
    trace_release(streamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const FormatReader *reader = NULL;
    Err                 err;
    if (size < 2) return 0;
    uint8_t         manner = *data++;
    StreamTransport transport = manner & 2 ? STREAM_DATAGRAMS : STREAM_PIECES;
    size--;
    if (stream_guess(data, size, transport, STREAM_ENDED, &reader, &err) != STREAM_KNOWN) return 0;
    expect(stream_can_be(reader, transport, &err), "recognised a format that the transport does not have");
    if (transport == STREAM_PIECES)
        check_pieces(reader, manner, data, size);
    else
        trace_release(receive(reader, transport, manner, data, size));
    return 0;
}
