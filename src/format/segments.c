#include "format/segments.h"

#include "base/search.h"

#include <assert.h>
#include <string.h>

typedef struct Segment {
    uint64_t     offset, source_offset;
    TextEncoding encoding;
} Segment;

static size_t count_of(const Segments *segments)
{
    return vec_count(&segments->list);
}

static const Segment *segment_at(const Segments *segments, size_t i)
{
    return &segments->list.items[i];
}

bool segments_add(Segments *segments, uint64_t offset, uint64_t source_offset, TextEncoding encoding)
{
    assert(count_of(segments) == 0 || segment_at(segments, count_of(segments) - 1)->offset <= offset);
    Segment segment = { .offset = offset, .source_offset = source_offset, .encoding = encoding };
    vec_push(&segments->list, segment);
    return !segments->list.bytes.failed;
}

/* Returns the index of the last segment that begins at or before `offset`. */
static size_t find(const Segments *segments, uint64_t offset)
{
    size_t low = 1;
    LOWER_BOUND(size_t, low, count_of(segments), i, segment_at(segments, i)->offset <= offset);
    return low - 1;
}

/* A read in progress. */
typedef struct Wanted {
    uint64_t offset; /* of the next byte to copy */
    uint8_t *buffer;
    size_t   size, got;
} Wanted;

/* Copies the wanted part of `bytes`, which have the offsets [at, at + size). */
static void take(Wanted *wanted, uint64_t at, const uint8_t *bytes, size_t size)
{
    assert(wanted->got <= wanted->size);
    uint64_t skip = wanted->offset > at ? wanted->offset - at : 0;
    if (skip >= size) return;
    size_t count = size - (size_t)skip, room = wanted->size - wanted->got;
    if (count > room) count = room;
    memcpy(wanted->buffer + wanted->got, bytes + skip, count);
    wanted->got += count;
    wanted->offset += count;
}

/* Decodes from the start of the segment to the end of the wanted bytes or of the segment. */
static void read_utf16(const Segments *segments, const Segment *segment, uint64_t end, Wanted *wanted)
{
    uint8_t  in[4096], out[6144];
    uint64_t at = segment->offset, source = segment->source_offset;
    while (at < end && wanted->got < wanted->size) {
        size_t     in_size = segments->below.read(segments->below.context, source, in, sizeof in);
        Utf16Input input = in_size < 4 ? UTF16_ENDS : UTF16_CONTINUES;
        Utf16Step  step = utf16_decode(segment->encoding, input, in, in_size, out, sizeof out);
        if (step.in_used == 0) return;
        uint64_t left = end - at;
        take(wanted, at, out, step.out_used > left ? (size_t)left : step.out_used);
        at += step.out_used;
        source += step.in_used;
    }
}

static void read_plain(const Segments *segments, const Segment *segment, uint64_t end, Wanted *wanted)
{
    assert(wanted->offset >= segment->offset && wanted->offset <= end);
    uint64_t left = end - wanted->offset;
    size_t   room = wanted->size - wanted->got;
    uint64_t source = segment->source_offset + (wanted->offset - segment->offset);
    size_t   got = segments->below.read(segments->below.context, source, wanted->buffer + wanted->got,
                                      left < room ? (size_t)left : room);
    wanted->got += got;
    wanted->offset += got;
}

static size_t segments_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Segments *segments = (const Segments *)context;
    size_t          count = count_of(segments);
    Wanted          wanted = { .offset = offset, .buffer = (uint8_t *)buffer, .size = size };
    for (size_t i = find(segments, offset); i < count && wanted.got < size; i++) {
        const Segment *segment = segment_at(segments, i);
        uint64_t       end = i + 1 < count ? segment[1].offset : UINT64_MAX;
        if (segment->encoding == TEXT_UTF8)
            read_plain(segments, segment, end, &wanted);
        else
            read_utf16(segments, segment, end, &wanted);
        if (wanted.offset < end) break; /* the source ended, or all wanted bytes were copied */
    }
    return wanted.got;
}

static void segments_close(void *context)
{
    Segments *segments = (Segments *)context;
    segments->below.close(segments->below.context);
    segments_release(segments);
}

InputStore segments_store(Segments *segments)
{
    return (InputStore){ segments_read, segments_close, segments };
}

void segments_release(Segments *segments)
{
    vec_release(&segments->list);
}
