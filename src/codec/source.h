/* codec/source.h - byte streams that can only be read forward, and filters over them.
 *
 * One thread reads a source. A read may return fewer bytes than requested. A failure is final: bytes returned before it
 * are valid, and later reads fail again. */
#ifndef CODEC_SOURCE_H
#define CODEC_SOURCE_H
#include "codec/codec.h"
#include "codec/utf16.h"

typedef struct ByteSource {
    /* Reads up to `size` (> 0) bytes into `buffer` and sets *got to their number. *got == 0: the end. */
    bool (*read)(void *context, void *buffer, size_t size, size_t *got, Err *err);
    void *context; /* borrowed */
} ByteSource;

static inline bool source_read(const ByteSource *source, void *buffer, size_t size, size_t *got, Err *err)
{
    return source->read(source->context, buffer, size, got, err);
}

/* A buffered source: its next bytes can be inspected before they are read. */
typedef struct HeldSource {
    ByteSource below;             /* the source that is buffered */
    uint8_t   *bytes;             /* in the caller's arena */
    size_t     capacity, at, end; /* bytes[at, end) are buffered; at <= end <= capacity */
    bool       ended, failed;     /* state of `below`; the buffered bytes are still to be read */
    Err        failure;
} HeldSource;

/* Allocates the buffer in `arena`. Fails with ERR_MEMORY. */
bool held_open(HeldSource *held, Arena *arena, size_t capacity, Err *err) WARN_UNUSED;
/* Discards the buffered bytes and sets the source to read from. Required before the first read. */
void held_restart(HeldSource *held, ByteSource below);
/* Fills the buffer until it holds at least `count` (<= capacity) bytes. They begin at held->bytes + held->at. Returns the
 * number of buffered bytes: less than `count` only at the end or at a failure of `below`. */
size_t     held_look(HeldSource *held, size_t count);
void       held_skip(HeldSource *held, size_t count); /* drops `count` buffered bytes */
ByteSource held_source(HeldSource *held);

/* A source that decompresses `below`. Offsets in errors are offsets of compressed bytes. */
typedef struct DecodeSource {
    HeldSource *below;   /* borrowed */
    Decoder    *decoder; /* owned */
    bool        ended, failed;
    Err         failure;
} DecodeSource;

bool       decode_open(DecodeSource *source, CodecKind kind, HeldSource *below, Err *err) WARN_UNUSED;
void       decode_close(DecodeSource *source); /* accepts a zeroed source */
ByteSource decode_source(DecodeSource *source);

/* A source that converts UTF-16 to UTF-8. */
typedef struct Utf16Source {
    HeldSource  *below; /* borrowed */
    TextEncoding encoding;
    size_t       mark_size;         /* bytes of the byte order mark that was skipped: 0 or 2 */
    uint64_t     in_offset;         /* bytes consumed after the byte order mark */
    uint64_t     replaced;          /* number of invalid sequences replaced by U+FFFD */
    uint64_t     first_replaced;    /* in_offset of the first of them */
    uint8_t      tail[4];           /* the rest of a character for which the last buffer had no room */
    size_t       tail_at, tail_end; /* tail[tail_at, tail_end) is still to be read */
} Utf16Source;

/* skips a byte order mark */
void       utf16_open(Utf16Source *source, TextEncoding encoding, HeldSource *below);
ByteSource utf16_source(Utf16Source *source);

#endif
