#include "format/heph/details.h"

#include "format/heph/options.h"
#include "format/heph/types.h"

static void write_value(JsonWriter *w, uint8_t kind, ByteCursor *values)
{
    if (kind == HEPH_UNSIGNED) {
        json_u64(w, cursor_u64be(values));
    } else if (kind == HEPH_SIGNED) {
        json_i64(w, (int64_t)cursor_u64be(values));
    } else if (kind == HEPH_STRING) {
        json_string_bytes(w, heph_string_next(values));
    } else {
        heph_double_write(w, cursor_u64be(values));
    }
}

static void write_attribute(JsonWriter *w, HephAttribute *attribute)
{
    uint8_t kind = attribute->type & (uint8_t)~HEPH_ARRAY;
    json_key_bytes(w, attribute->name);
    if (!(attribute->type & HEPH_ARRAY)) {
        write_value(w, kind, &attribute->values);
        return;
    }
    json_array_begin(w);
    for (uint32_t i = 0; i < attribute->count; i++)
        write_value(w, kind, &attribute->values);
    json_array_end(w);
}

/* Writes the attributes as a JSON object, up to the first one that cannot be decoded, and leaves `cursor` before it. */
static void put_args(ByteCursor *cursor, Bytes *out)
{
    JsonWriter    writer = json_writer_to(out, 0);
    HephAttribute attribute;
    if (cursor_left(cursor) == 0) return;
    json_object_begin(&writer);
    size_t empty = out->size;
    while (cursor_left(cursor) > 0 && heph_attribute_next(cursor, &attribute) == ATTRIBUTE_GOOD)
        write_attribute(&writer, &attribute);
    bool nothing = out->size == empty;
    json_object_end(&writer);
    if (nothing) bytes_clear(out);
}

/* Writes an object of the type names of these attributes. */
static void put_types(ByteCursor cursor, JsonWriter *w)
{
    HephAttribute attribute;
    json_put_object(w, HEPH_TYPES_KEY);
    while (cursor_left(&cursor) > 0 && heph_attribute_next(&cursor, &attribute) == ATTRIBUTE_GOOD) {
        json_key_bytes(w, attribute.name);
        json_string(w, heph_type_name(attribute.type));
    }
    json_object_end(w);
}

/* Calls `see` with the bits of every NaN, in order, until it returns false. */
static void each_nan(ByteCursor cursor, bool (*see)(uint64_t bits, void *context), void *context)
{
    HephAttribute attribute;
    while (cursor_left(&cursor) > 0 && heph_attribute_next(&cursor, &attribute) == ATTRIBUTE_GOOD) {
        if ((attribute.type & (uint8_t)~HEPH_ARRAY) != HEPH_DOUBLE) continue;
        for (uint32_t i = 0; i < attribute.count; i++) {
            const uint64_t bits = cursor_u64be(&attribute.values);
            if (heph_is_nan(bits) && !see(bits, context)) return;
        }
    }
}

static bool see_unusual(uint64_t bits, void *unusual)
{
    *(bool *)unusual = bits != HEPH_NAN_BITS;
    return bits == HEPH_NAN_BITS;
}

static bool write_nan(uint64_t bits, void *writer)
{
    heph_nan_bits_write(writer, bits);
    return true;
}

/* Writes the bits of all NaNs if any of them differs from HEPH_NAN_BITS. */
static void put_nans(ByteCursor attributes, JsonWriter *w)
{
    bool unusual = false;
    each_nan(attributes, see_unusual, &unusual);
    if (!unusual) return;
    json_put_array(w, HEPH_NANS_KEY);
    each_nan(attributes, write_nan, w);
    json_array_end(w);
}

static bool times_were_changed(const Trace *trace)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const char *kind = trace->records.warnings[i].kind;
        if (strcmp(kind, "negative-duration") == 0 || strcmp(kind, "different-epochs") == 0 ||
            strcmp(kind, "bad-time") == 0)
            return true;
    }
    return false;
}

/* Fills details->other. `rest` is after the last attribute that can be decoded. */
static void put_other(const Trace *trace, const HephEvent *event, ByteCursor *rest, EventDetails *details)
{
    JsonWriter writer = json_writer_to(&details->other, 0);
    json_object_begin(&writer);
    json_put_u64(&writer, "counter", event->counter);
    if (times_were_changed(trace)) {
        json_put_u64(&writer, "start", event->start);
        json_put_u64(&writer, "end", event->end);
    }
    if (details->args.size > 0 && details->test == NULL) { /* a search does not need the types */
        put_types(event->attributes, &writer);
        put_nans(event->attributes, &writer);
    }
    size_t left = cursor_left(rest);
    if (left > 0) {
        json_key(&writer, "undecoded");
        heph_write_hex(&writer, cursor_take(rest, left), left);
    }
    json_object_end(&writer);
}

static void put_option(const HephOption *option, Bytes *out)
{
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    json_key_bytes(&writer, option->name);
    heph_write_value(&writer, option);
    json_object_end(&writer);
}

bool heph_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                  Err *err)
{
    (void)end; /* an event is one packet */
    ByteCursor cursor = cursor_over(begin->bytes, begin->size, begin->offset);
    uint32_t   magic = cursor_u32be(&cursor), size = cursor_u32be(&cursor);
    bool       known = magic == HEPH_METADATA_MAGIC || magic == HEPH_EVENT_MAGIC;
    if (cursor.failed || (known && size <= HEPH_MOST_BYTES && size > begin->size))
        return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the packet is cut short");
    known = known && size <= HEPH_MOST_BYTES;
    HephOption option;
    HephEvent  event;
    if (known && magic == HEPH_METADATA_MAGIC && heph_option_decode(begin->bytes, size, &option)) {
        put_option(&option, &details->args);
    } else if (known && magic == HEPH_EVENT_MAGIC &&
               heph_event_decode(heph_layout_named(trace->source.format_version), begin->bytes, size,
                                 begin->offset, &event)) {
        ByteCursor rest = event.attributes;
        put_args(&rest, &details->args);
        put_other(trace, &event, &rest, details);
    } else {
        return err_set_at(err, ERR_CORRUPT, begin->offset, ERR_NOWHERE, "there is no packet at this offset");
    }
    if (details->args.failed || details->other.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}
