/* codec/source.h - bytes that come one way, and what can be put between them and their reader.
 *
 * Each source is asked by one thread, ends once, and may give less than was asked for. A failure is final: what was
 * given before it stays good, and asking again fails again. */
#ifndef CODEC_SOURCE_H
#define CODEC_SOURCE_H
#include "codec/codec.h"
#include "codec/utf16.h"

typedef struct ByteSource {
    /* Up to `size` (> 0) bytes into `buffer`; *got 0 = the end. */
    bool (*read)(void *context, void *buffer, size_t size, size_t *got, Err *err);
    void *context; /* borrowed */
} ByteSource;

static inline bool source_read(const ByteSource *source, void *buffer, size_t size, size_t *got, Err *err)
{
    return source->read(source->context, buffer, size, got, err);
}

/* A source whose next bytes can be looked at before they are read. */
typedef struct HeldSource {
    ByteSource below;
    uint8_t   *bytes; /* `capacity` of them, in the arena given */
    size_t     capacity, at, end;
    bool       ended, failed; /* `below` did; held bytes come first */
    Err        failure;
} HeldSource;

bool held_open(HeldSource *held, Arena *arena, size_t capacity, Err *err) WARN_UNUSED;
void held_restart(HeldSource *held, ByteSource below); /* forgets what it holds; before the first use, too */
/* Sees to it that `count` (<= capacity) bytes can be looked at, at held->bytes + held->at; fewer only before the end or
 * a failure of what is below. How many there are. */
size_t     held_look(HeldSource *held, size_t count);
void       held_skip(HeldSource *held, size_t count); /* over bytes that were looked at */
ByteSource held_source(HeldSource *held);

/* Decompresses. Offsets in failures are those of the compressed bytes. */
typedef struct DecodeSource {
    HeldSource *below;   /* borrowed */
    Decoder    *decoder; /* owned */
    bool        ended, failed;
    Err         failure;
} DecodeSource;

bool       decode_open(DecodeSource *source, CodecKind kind, HeldSource *below, Err *err) WARN_UNUSED;
void       decode_close(DecodeSource *source); /* a zeroed one is closed */
ByteSource decode_source(DecodeSource *source);

/* UTF-16 as UTF-8. */
typedef struct Utf16Source {
    HeldSource  *below; /* borrowed; behind a byte order mark, if there was one */
    TextEncoding encoding;
    size_t       mark_size;      /* of the byte order mark that was skipped */
    uint64_t     in_offset;      /* bytes used, without the mark */
    uint64_t     replaced;       /* characters that were none: U+FFFD stands for them */
    uint64_t     first_replaced; /* in_offset of the first */
    uint8_t      tail[4];        /* of a character that the last caller had no room for */
    size_t       tail_at, tail_end;
} Utf16Source;

void       utf16_open(Utf16Source *source, TextEncoding encoding, HeldSource *below); /* skips the mark */
ByteSource utf16_source(Utf16Source *source);

#endif
