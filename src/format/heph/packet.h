/* format/heph/packet.h - one packet's bytes taken apart. Knows nothing of what stands around it.
 *
 * Spec: sections 2 to 4 of the format's description. */
#ifndef FORMAT_HEPH_PACKET_H
#define FORMAT_HEPH_PACKET_H
#include "base/cursor.h"
#include "base/string_table.h"

static const uint32_t HEPH_METADATA_MAGIC = 0x75D11D4D;
static const uint32_t HEPH_EVENT_MAGIC = 0xC1FC1FB7;

enum {
    HEPH_MAGIC_BYTES = 4,
    HEPH_HEAD_BYTES = 8,      /* magic and size */
    HEPH_METADATA_BYTES = 10, /* the smallest metadata packet */
    HEPH_EPOCH_BYTES = 23,
    HEPH_MOST_BYTES = 1 << 26 /* of a packet in a file: what claims more is none, and is not waited for */
};

/* The layout changed once, without a new version or magic (section 12). */
typedef struct HephLayout {
    const char *version;
    uint8_t     fixed_bytes; /* of an event, up to its description */
    uint8_t     substream_bytes;
} HephLayout;

extern const HephLayout HEPH_PRESENT, HEPH_EARLY;

/* The layout of a trace by its version. */
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

/* Take a whole packet of `size` bytes apart that stands at `offset`; false when its fixed part or its first string does
 * not fit into it. */
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
    HEPH_TYPES = 8     /* so many there are: heph_type_index */
};

/* A number below HEPH_TYPES for a valid type, and back. */
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
    ATTRIBUTE_SHORT_NAME, /* the name, or its length, runs over the end of the packet */
    ATTRIBUTE_NO_TYPE,
    ATTRIBUTE_BAD_TYPE,
    ATTRIBUTE_SHORT_VALUE
} AttributeState;

typedef struct HephAttribute {
    StringView name;
    uint8_t    type;
    uint32_t   count; /* of values: 1 unless it is an array */
    ByteCursor values;
} HephAttribute;

/* The next attribute; there must be bytes left. Unless it is good the cursor stays at its begin, and nothing behind it
 * can be decoded. */
AttributeState heph_attribute_next(ByteCursor *cursor, HephAttribute *attribute);
/* The next of attribute's values that are strings. */
StringView heph_string_next(ByteCursor *values);

/* What a walk over all attributes of an event finds. */
typedef struct AttributeWalk {
    AttributeState state;       /* of the last one */
    uint8_t        bad_type;    /* with ATTRIBUTE_BAD_TYPE */
    uint64_t       bad_offset;  /* of the attribute that is not good */
    uint32_t       bad_strings; /* names and values that are not UTF-8 */
    uint64_t       work;        /* how dear the walk was: steps of about the same time */
    uint32_t       types[HEPH_TYPES];
} AttributeWalk;

void heph_walk_attributes(ByteCursor attributes, AttributeWalk *walk);

#endif
