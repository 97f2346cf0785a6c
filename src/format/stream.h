/* format/stream.h - an input that is still being made: bytes are pushed as they come, from a sender or out of
 * a file that grows, and go to the builder at once.
 *
 * Offsets count what was pushed, from the first byte on: whoever keeps those bytes one after the other can give them to
 * FormatReader.details later. One stream, one thread at a time. */
#ifndef FORMAT_STREAM_H
#define FORMAT_STREAM_H
#include "format/format.h"
#include "trace/observe.h"

/* STREAM_DATAGRAMS: a record never goes on in the next piece. */
typedef enum { STREAM_PIECES, STREAM_DATAGRAMS } StreamCarrier;

enum {
    STREAM_HEAD_BYTES = 64 << 10,  /* so many are looked at for a format */
    STREAM_RECORD_BYTES = 16 << 20 /* no record may be longer */
};

typedef enum {
    STREAM_UNSURE, /* more bytes are needed */
    STREAM_KNOWN,  /* *reader is set */
    STREAM_UNKNOWN /* err says why: nothing is recognised, or it cannot be read before it is complete */
} StreamGuess;

/* Which format a stream has that begins with `head`. ENDED: no more bytes will come. */
typedef enum { STREAM_GOES_ON, STREAM_ENDED } StreamState;
StreamGuess stream_guess(const void *head, size_t size, StreamCarrier carrier, StreamState state,
                         const FormatReader **reader, Err *err);
/* Whether a reader can be fed by such a carrier; else err says what can. */
bool stream_can_be(const FormatReader *reader, StreamCarrier carrier, Err *err) WARN_UNUSED;

typedef struct StreamOptions {
    const FormatReader  *reader;
    StreamCarrier        carrier;
    uint64_t             memory_limit; /* of the builder, and of the reader; 0 = no bound */
    const EventObserver *observer;     /* copied; NULL = a trace is to be made of the events */
} StreamOptions;

typedef struct Stream Stream;

/* NULL: err filled. */
Stream *stream_create(const StreamOptions *options, Err *err) WARN_UNUSED;
/* Takes in the next piece, which may have any size; a datagram, whole. False: nothing more of this stream can
 * be read (err), but what came before stays good; stream_end must not follow. */
bool stream_push(Stream *stream, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* No more will come: what was kept back is a record cut short, and the reader reports what it knows only now. Once. */
bool stream_end(Stream *stream, Err *err) WARN_UNUSED;
void stream_destroy(Stream *stream); /* NULL is allowed */

const FormatReader *stream_reader(const Stream *stream);
TraceBuilder       *stream_builder(Stream *stream);
/* Leaves the builder to the caller, who keeps it until stream_destroy: the stream goes on feeding it. */
TraceBuilder *stream_take_builder(Stream *stream);
uint64_t      stream_bytes(const Stream *stream); /* pushed so far */
/* Bytes of memory that the stream, its reader and its builder hold. */
uint64_t stream_held_bytes(const Stream *stream);
/* Zeros where the format does not number its events. */
ReadLosses stream_losses(const Stream *stream);

#endif
