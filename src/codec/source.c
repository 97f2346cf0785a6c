#include "codec/source.h"

#include <assert.h>
#include <string.h>

/* ---- held ---- */

bool held_open(HeldSource *held, Arena *arena, size_t capacity, Err *err)
{
    *held = (HeldSource){ .bytes = (uint8_t *)arena_push_raw(arena, capacity, 1), .capacity = capacity };
    return held->bytes != NULL || err_set(err, ERR_MEMORY, "out of memory");
}

void held_restart(HeldSource *held, ByteSource below)
{
    held->below = below;
    held->at = held->end = 0;
    held->ended = held->failed = false;
}

size_t held_look(HeldSource *held, size_t count)
{
    assert(count <= held->capacity);
    if (held->end - held->at < count && held->capacity - held->at < count) {
        memmove(held->bytes, held->bytes + held->at, held->end - held->at);
        held->end -= held->at;
        held->at = 0;
    }
    while (held->end - held->at < count && !held->ended && !held->failed) {
        size_t got = 0;
        held->failed = !source_read(&held->below, held->bytes + held->end, held->capacity - held->end, &got,
                                    &held->failure);
        held->ended = !held->failed && got == 0;
        held->end += got;
    }
    return held->end - held->at;
}

void held_skip(HeldSource *held, size_t count)
{
    assert(count <= held->end - held->at);
    held->at += count;
}

static bool held_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    HeldSource *held = (HeldSource *)context;
    size_t      waiting = held->end - held->at;
    *got = waiting < size ? waiting : size;
    if (waiting > 0) {
        memcpy(buffer, held->bytes + held->at, *got);
        held->at += *got;
        return true;
    }
    if (!held->failed && !held->ended) {
        held->failed = !source_read(&held->below, buffer, size, got, &held->failure);
        held->ended = !held->failed && *got == 0;
    }
    if (!held->failed) return true;
    *err = held->failure;
    return false;
}

ByteSource held_source(HeldSource *held)
{
    return (ByteSource){ held_read, held };
}

/* ---- decompressed ---- */

bool decode_open(DecodeSource *source, CodecKind kind, HeldSource *below, Err *err)
{
    *source = (DecodeSource){ .below = below, .decoder = decoder_open(kind, err) };
    return source->decoder != NULL;
}

void decode_close(DecodeSource *source)
{
    decoder_close(source->decoder);
    source->decoder = NULL;
}

/* Bytes decompressed before a damaged place are valid: the failure is returned by the next call. */
static bool decode_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    DecodeSource *source = (DecodeSource *)context;
    HeldSource   *below = source->below;
    *got = 0;
    while (*got == 0 && !source->ended) {
        const size_t in_size = held_look(below, 1);
        CodecStream  stream = { below->bytes + below->at, in_size, (uint8_t *)buffer, size };
        DecodeState  state = decoder_run(source->decoder, &stream, &source->failure);
        const size_t in_used = in_size - stream.in_size;
        *got = size - stream.out_size;
        held_skip(below, in_used);
        bool starved = state == DECODE_MORE && *got == 0 && in_used == 0 && held_look(below, 1) == 0;
        if (starved && below->failed) {
            source->failure = below->failure;
            source->failed = true;
        } else if (starved) {
            source->failed = !decoder_finish(source->decoder, &source->failure);
        }
        source->failed |= state == DECODE_FAILED;
        source->ended = state != DECODE_MORE || starved;
    }
    if (*got > 0 || !source->failed) return true;
    *err = source->failure;
    return false;
}

ByteSource decode_source(DecodeSource *source)
{
    return (ByteSource){ decode_read, source };
}

/* ---- UTF-16 ---- */

void utf16_open(Utf16Source *source, TextEncoding encoding, HeldSource *below)
{
    *source = (Utf16Source){ .below = below, .encoding = encoding };
    size_t         size = held_look(below, 2);
    const uint8_t *head = below->bytes + below->at;
    if (size >= 2 && (head[0] ^ head[1]) == 1 && (head[0] & 0xfe) == 0xfe)
        source->mark_size = 2; /* ff fe, fe ff */
    held_skip(below, source->mark_size);
}

/* Decodes bytes of `below` into `out`, which has room for at least one character. Returns the number of bytes written,
 * 0 at the end of the input or after a failure. */
static size_t utf16_step(Utf16Source *source, uint8_t *out, size_t out_size)
{
    enum { PAIR = 4 };
    HeldSource *below = source->below;
    for (;;) {
        size_t in_size = held_look(below, PAIR);
        if (in_size == 0) return 0;
        Utf16Step step = utf16_decode(source->encoding, in_size < PAIR ? UTF16_ENDS : UTF16_CONTINUES,
                                      below->bytes + below->at, in_size, out, out_size);
        if (step.replaced > 0 && source->replaced == 0)
            source->first_replaced = source->in_offset + step.first_replaced;
        source->replaced += step.replaced;
        source->in_offset += step.in_used;
        held_skip(below, step.in_used);
        if (step.out_used > 0) return step.out_used;
    }
}

static bool utf16_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    Utf16Source *source = (Utf16Source *)context;
    *got = 0;
    if (source->tail_at == source->tail_end && size < sizeof source->tail) {
        source->tail_at = 0;
        source->tail_end = utf16_step(source, source->tail, sizeof source->tail);
    }
    if (source->tail_at < source->tail_end) {
        size_t waiting = source->tail_end - source->tail_at;
        *got = waiting < size ? waiting : size;
        memcpy(buffer, source->tail + source->tail_at, *got);
        source->tail_at += *got;
    } else if (size >= sizeof source->tail) {
        *got = utf16_step(source, (uint8_t *)buffer, size);
    }
    if (*got > 0 || !source->below->failed) return true;
    *err = source->below->failure;
    return false;
}

ByteSource utf16_source(Utf16Source *source)
{
    return (ByteSource){ utf16_read, source };
}
