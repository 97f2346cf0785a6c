#include "format/heph/packet.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

const HephLayout HEPH_PRESENT = { .version = "0.1.0", .fixed_bytes = 42, .substream_bytes = 8 };
const HephLayout HEPH_EARLY = { .version = "before 0.1.0", .fixed_bytes = 34, .substream_bytes = 0 };

enum { BYTES_A_STEP = 32 /* checking a string of this size takes about the time of decoding an attribute */ };

const HephLayout *heph_layout_named(const char *version)
{
    return strcmp(version, HEPH_EARLY.version) == 0 ? &HEPH_EARLY : &HEPH_PRESENT;
}

/* A string: u16 length in bytes, then UTF-8. */
static StringView take_string(ByteCursor *cursor)
{
    size_t      size = cursor_u16be(cursor);
    const char *bytes = (const char *)cursor_take(cursor, size);
    return bytes == NULL ? (StringView){ "", 0 } : (StringView){ bytes, size };
}

/* 0 u32 magic   4 u32 size   8 string name   10+n the rest is the value.   syn_unknown_options */
bool heph_option_decode(const uint8_t *bytes, size_t size, HephOption *option)
{
    ByteCursor cursor = cursor_over(bytes, size, 0);
    (void)cursor_take(&cursor, HEPH_HEAD_BYTES);
    option->name = take_string(&cursor);
    size_t left = cursor_left(&cursor);
    option->value = (StringView){ (const char *)cursor_take(&cursor, left), left };
    return !cursor.failed;
}

/* 0 u32 magic    4 u32 size   8 u32 stream   12 u32 counter   16 u64 substream (not in HEPH_EARLY)
 * 24 u64 start   32 u64 end   40 string description   42+d attributes up to the end.   syn_spec_example, heph_old_layout */
bool heph_event_decode(const HephLayout *layout, const uint8_t *bytes, size_t size, uint64_t offset,
                       HephEvent *event)
{
    ByteCursor cursor = cursor_over(bytes, size, offset);
    (void)cursor_take(&cursor, HEPH_HEAD_BYTES);
    event->stream = cursor_u32be(&cursor);
    event->counter = cursor_u32be(&cursor);
    event->substream = layout->substream_bytes == 0 ? 0 : cursor_u64be(&cursor);
    event->start = cursor_u64be(&cursor);
    event->end = cursor_u64be(&cursor);
    event->description = take_string(&cursor);
    event->attributes = cursor;
    return !cursor.failed;
}

/* Skips `count` values of a type. False if the packet ends before the last one. */
static bool take_values(ByteCursor *cursor, uint8_t type, uint32_t count)
{
    if ((type & ~HEPH_ARRAY) != HEPH_STRING) return cursor_take(cursor, 8 * (size_t)count) != NULL;
    if (!cursor_can_hold(cursor, count, 2)) return false;
    for (uint32_t i = 0; i < count && !cursor->failed; i++)
        (void)take_string(cursor);
    return !cursor->failed;
}

/* 0 string name   2+a u8 type   3+a value; of an array u16 count, then the values.   syn_all_types */
AttributeState heph_attribute_next(ByteCursor *cursor, HephAttribute *attribute)
{
    ByteCursor at = *cursor;
    attribute->name = take_string(&at);
    if (at.failed) return ATTRIBUTE_SHORT_NAME;
    attribute->type = cursor_u8(&at);
    if (at.failed) return ATTRIBUTE_NO_TYPE;
    uint8_t kind = attribute->type & (uint8_t)~HEPH_ARRAY;
    if (kind < HEPH_UNSIGNED || kind > HEPH_STRING) return ATTRIBUTE_BAD_TYPE;
    attribute->count = attribute->type & HEPH_ARRAY ? cursor_u16be(&at) : 1;
    size_t begin = at.at;
    if (at.failed || !take_values(&at, attribute->type, attribute->count)) return ATTRIBUTE_SHORT_VALUE;
    attribute->values = cursor_over(at.bytes + begin, at.at - begin, at.origin + begin);
    *cursor = at;
    return ATTRIBUTE_GOOD;
}

StringView heph_string_next(ByteCursor *values)
{
    return take_string(values);
}

static void check_string(AttributeWalk *walk, StringView text)
{
    walk->work += 1 + text.size / BYTES_A_STEP;
    if (utf8_valid_prefix(text.bytes, text.size) < text.size) walk->bad_strings++;
}

void heph_walk_attributes(ByteCursor attributes, AttributeWalk *walk)
{
    HephAttribute attribute = { .count = 0 };
    *walk = (AttributeWalk){ .state = ATTRIBUTE_GOOD };
    while (cursor_left(&attributes) > 0) {
        walk->work++;
        walk->state = heph_attribute_next(&attributes, &attribute);
        if (walk->state != ATTRIBUTE_GOOD) {
            walk->work += attribute.count; /* for the strings before the truncated one */
            walk->bad_type = attribute.type;
            walk->bad_offset = cursor_offset(&attributes);
            return;
        }
        walk->types[heph_type_index(attribute.type)]++;
        check_string(walk, attribute.name);
        if ((attribute.type & ~HEPH_ARRAY) != HEPH_STRING) continue;
        for (uint32_t i = 0; i < attribute.count; i++)
            check_string(walk, heph_string_next(&attribute.values));
    }
}
