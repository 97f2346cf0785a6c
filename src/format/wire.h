/* format/wire.h - reads the fields of a message of Protocol Buffers.
 *
 * A message is a series of fields: a tag, number << 3 | type, and a value. Types: 0 varint (unsigned LEB128), 1 eight bytes,
 * 2 a size and as many bytes, 5 four bytes. The types 3 and 4 (groups) are not used by traces: they count as damage.
 * Source: protobuf.dev/programming-guides/encoding. */
#ifndef FORMAT_WIRE_H
#define FORMAT_WIRE_H
#include "base/cursor.h"
#include "base/string_view.h"

typedef enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } WireType;

typedef struct WireField {
    uint32_t   number; /* from 1 */
    WireType   type;
    uint64_t   value; /* of numbers; the size of bytes */
    StringView bytes; /* WIRE_BYTES: borrowed; otherwise empty */
} WireField;

static inline uint64_t wire_varint(ByteCursor *c)
{
    if (LIKELY(c->at < c->size && c->bytes[c->at] < 0x80)) return c->bytes[c->at++];
    if (LIKELY(c->size - c->at > 1 && c->bytes[c->at + 1] < 0x80)) { /* it has two bytes */
        c->at += 2;
        return (uint64_t)(c->bytes[c->at - 2] & 0x7f) | (uint64_t)c->bytes[c->at - 1] << 7;
    }
    return cursor_uleb_as(c, ULEB_DROP_EXCESS);
}

/* Reads the next field. Returns false at the end of the message and at damage, which sets c->failed. */
static inline bool wire_next(ByteCursor *c, WireField *field)
{
    if (c->failed || c->at == c->size) return false;
    const uint64_t tag = wire_varint(c);
    if (UNLIKELY(tag < 8 || tag > UINT32_MAX)) {
        c->failed = true;
        return false;
    }
    field->number = (uint32_t)(tag >> 3);
    field->type = (WireType)(tag & 7);
    field->bytes = (StringView){ "", 0 };
    switch (tag & 7) {
    case WIRE_VARINT:
        field->value = wire_varint(c);
        break;
    case WIRE_FIXED64:
        field->value = cursor_u64le(c);
        break;
    case WIRE_BYTES:
        field->value = wire_varint(c);
        if (LIKELY(field->value <= cursor_left(c)))
            field->bytes =
                (StringView){ (const char *)cursor_take(c, (size_t)field->value), (size_t)field->value };
        else
            c->failed = true;
        break;
    case WIRE_FIXED32:
        field->value = cursor_u32le(c);
        break;
    default:
        c->failed = true;
        break;
    }
    return !c->failed;
}

/* Returns a cursor over the fields of a message inside another. */
static inline ByteCursor wire_message(StringView bytes)
{
    return cursor_over(bytes.bytes, bytes.size, 0);
}

static inline double wire_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Reads the next number of a repeated field that has one number (`type` is not WIRE_BYTES) or, packed, all of them. `packed` is
 * the cursor over the bytes of the field, for all calls. `item` is the type of a number. */
static inline bool wire_next_packed(ByteCursor *packed, WireType item, uint64_t *value)
{
    if (packed->failed || packed->at == packed->size) return false;
    *value = item == WIRE_VARINT ? wire_varint(packed) : cursor_u64le(packed);
    return !packed->failed;
}

/* Reads the varints of a repeated field of a message, packed or not. message.failed: the message is damaged. */
typedef struct WireRepeated {
    ByteCursor message, pack;
    uint32_t   number;
} WireRepeated;

static inline WireRepeated wire_repeated(StringView message, uint32_t number)
{
    return (WireRepeated){ wire_message(message), cursor_over("", 0, 0), number };
}

static inline bool wire_next_repeated(WireRepeated *repeated, uint64_t *value)
{
    WireField field;
    while (!wire_next_packed(&repeated->pack, WIRE_VARINT, value)) {
        repeated->message.failed |= repeated->pack.failed;
        if (!wire_next(&repeated->message, &field)) return false;
        if (field.number != repeated->number) continue;
        *value = field.value;
        if (field.type != WIRE_BYTES) return true;
        repeated->pack = wire_message(field.bytes);
    }
    return true;
}

#endif
