/* format/stream.h - reads an input while it is being written: the caller pushes the bytes of a sender or of a growing
 * file, and the reader passes their events to the builder at once.
 *
 * Offsets count the pushed bytes. A caller that stores these bytes in order can pass them to FormatReader.details
 * later. One thread at a time uses a stream. */
#ifndef FORMAT_STREAM_H
#define FORMAT_STREAM_H
#include "format/format.h"
#include "trace/log/observe.h"

/* STREAM_DATAGRAMS: no record continues in the next piece. */
typedef enum { STREAM_PIECES, STREAM_DATAGRAMS } StreamTransport;

enum {
    STREAM_HEAD_BYTES = 64 << 10,  /* the most bytes examined to recognise the format */
    STREAM_RECORD_BYTES = 16 << 20 /* the longest accepted record */
};

typedef enum {
    STREAM_UNSURE, /* more bytes are needed */
    STREAM_KNOWN,  /* *reader is set */
    STREAM_UNKNOWN /* err: the format is not recognised, or can be read only when the file is complete */
} StreamGuess;

/* Finds the format of a stream by its first bytes. STREAM_ENDED: no more bytes follow. */
typedef enum { STREAM_GOES_ON, STREAM_ENDED } StreamState;
StreamGuess stream_guess(const void *head, size_t size, StreamTransport transport, StreamState state,
                         const FormatReader **reader, Err *err);
/* True if the reader can read input of this kind; else fills err. */
bool stream_can_be(const FormatReader *reader, StreamTransport transport, Err *err) WARN_UNUSED;

typedef struct StreamOptions {
    const FormatReader  *reader;
    StreamTransport      transport;
    uint64_t             memory_limit; /* of the builder, and of the reader; 0 = no bound */
    const EventObserver *observer;     /* copied; NULL = a trace is built */
} StreamOptions;

typedef struct Stream Stream;

/* Creates a stream. Returns NULL on failure. The caller frees it with stream_destroy. */
Stream *stream_create(const StreamOptions *options, Err *err) WARN_UNUSED;
/* Reads the next piece of any size, or a whole datagram. Returns false if the stream cannot be read further; the events
 * before the failure are valid, and stream_end must not follow. */
bool stream_push(Stream *stream, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Ends the input, once: the bytes kept so far are a truncated record, and the reader reports its last events. */
bool stream_end(Stream *stream, Err *err) WARN_UNUSED;
void stream_destroy(Stream *stream); /* accepts NULL */

const FormatReader *stream_reader(const Stream *stream);
TraceBuilder       *stream_builder(Stream *stream);
/* Passes ownership of the builder to the caller, which keeps it until stream_destroy. The stream still writes to it. */
TraceBuilder *stream_take_builder(Stream *stream);
uint64_t      stream_bytes(const Stream *stream); /* pushed so far */
/* Bytes of memory that the stream, its reader and its builder hold. */
uint64_t stream_held_bytes(const Stream *stream);
/* Returns the losses so far; zeros if the format does not number its events. */
ReadLosses stream_losses(const Stream *stream);

#endif
