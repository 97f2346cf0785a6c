/* format/heph/packet.h - decodes the bytes of one packet, independent of the other packets.
 *
 * Spec: doc/Trace Format.md of Heph, version 0.1.0. */
#ifndef FORMAT_HEPH_PACKET_H
#define FORMAT_HEPH_PACKET_H
#include "base/cursor.h"
#include "base/string_view.h"

static const uint32_t HEPH_METADATA_MAGIC = 0x75D11D4D;
static const uint32_t HEPH_EVENT_MAGIC = 0xC1FC1FB7;

enum {
    HEPH_MAGIC_BYTES = 4,
    HEPH_HEAD_BYTES = 8,      /* magic and size */
    HEPH_METADATA_BYTES = 10, /* the smallest metadata packet */
    HEPH_EPOCH_BYTES = 23,
    HEPH_MOST_BYTES = 1 << 26 /* limit of a packet's size in a file; a larger size is damage */
};

/* The layout changed once, without a new version or magic: on 17 March 2021. */
typedef struct HephLayout {
    const char *version;
    uint8_t     fixed_bytes; /* size of an event before its description */
    uint8_t     substream_bytes;
} HephLayout;

extern const HephLayout HEPH_PRESENT, HEPH_EARLY;

/* Returns the layout of a trace by its version. */
const HephLayout *heph_layout_named(const char *version);

typedef struct HephOption {
    StringView name;
    StringView value; /* any bytes */
} HephOption;

typedef struct HephEvent {
    uint32_t   stream, counter;
    uint64_t   substream, start, end;
    StringView description;
    ByteCursor attributes; /* the rest of the packet */
} HephEvent;

/* Decode a whole packet of `size` bytes at `offset`. False if its fixed part or its first string exceeds it. */
bool heph_option_decode(const uint8_t *bytes, size_t size, HephOption *option);
bool heph_event_decode(const HephLayout *layout, const uint8_t *bytes, size_t size, uint64_t offset,
                       HephEvent *event);

/* -- attributes -- */

enum {
    HEPH_UNSIGNED = 0x01,
    HEPH_SIGNED = 0x02,
    HEPH_DOUBLE = 0x03,
    HEPH_STRING = 0x04,
    HEPH_ARRAY = 0x80, /* added to one of the above */
    HEPH_TYPES = 8     /* number of types; see heph_type_index */
};

/* Maps a valid type to an index below HEPH_TYPES, and back. */
static inline unsigned heph_type_index(uint8_t type)
{
    return (type & 3u ? (type & 3u) - 1 : 3u) + (type & HEPH_ARRAY ? 4u : 0u);
}
static inline uint8_t heph_type_at(unsigned index)
{
    return (uint8_t)(index % 4 + 1 + (index >= 4 ? HEPH_ARRAY : 0u));
}

typedef enum {
    ATTRIBUTE_GOOD,
    ATTRIBUTE_SHORT_NAME, /* the name, or its length, exceeds the packet */
    ATTRIBUTE_NO_TYPE,
    ATTRIBUTE_BAD_TYPE,
    ATTRIBUTE_SHORT_VALUE
} AttributeState;

typedef struct HephAttribute {
    StringView name;
    uint8_t    type;
    uint32_t   count; /* number of values; 1 for a scalar */
    ByteCursor values;
} HephAttribute;

/* Decodes the next attribute; the cursor must not be at its end. If the attribute is invalid the cursor stays at its
 * begin, and the rest of the packet cannot be decoded. */
AttributeState heph_attribute_next(ByteCursor *cursor, HephAttribute *attribute);
/* Returns the next string of an attribute's values. */
StringView heph_string_next(ByteCursor *values);

/* The result of checking all attributes of an event. */
typedef struct AttributeWalk {
    AttributeState state;       /* of the last attribute */
    uint8_t        bad_type;    /* with ATTRIBUTE_BAD_TYPE */
    uint64_t       bad_offset;  /* of the invalid attribute */
    uint32_t       bad_strings; /* number of names and values with invalid UTF-8 */
    uint64_t       work;        /* cost of the check, in steps of about equal time */
    uint32_t       types[HEPH_TYPES];
} AttributeWalk;

void heph_walk_attributes(ByteCursor attributes, AttributeWalk *walk);

#endif
