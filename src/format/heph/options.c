#include "format/heph/options.h"

#include "base/utf8.h"
#include "format/heph/names.h"
#include "format/input_text.h"

#include <inttypes.h>
#include <string.h>

enum { EPOCH_BYTES = 8 };

static bool is_epoch(const HephOption *option)
{
    return string_equal(option->name, STRING_LITERAL("epoch"));
}

static uint64_t epoch_of(const HephOption *option)
{
    ByteCursor cursor = cursor_over(option->value.bytes, option->value.size, 0);
    return cursor_u64be(&cursor);
}

/* -- values as JSON -- */

void heph_write_hex(JsonWriter *w, const void *bytes, size_t size)
{
    static const char DIGITS[] = "0123456789abcdef";
    const uint8_t    *from = (const uint8_t *)bytes;
    char              text[2 * HEPH_HEX_BYTES];
    size_t            shown = size < HEPH_HEX_BYTES ? size : HEPH_HEX_BYTES;
    for (size_t i = 0; i < shown; i++) {
        text[2 * i] = DIGITS[from[i] >> 4];
        text[2 * i + 1] = DIGITS[from[i] & 15];
    }
    json_object_begin(w);
    json_put_u64(w, "bytes", size);
    json_put_view(w, "hex", (StringView){ text, 2 * shown });
    json_object_end(w);
}

/* True for UTF-8 without control characters. Small binary numbers are valid UTF-8, too, but contain control
 * characters. */
static bool is_plain_text(StringView text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = (uint8_t)text.bytes[i];
        if (c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) return false;
    }
    return utf8_valid_prefix(text.bytes, text.size) == text.size;
}

/* Options have no type. A value is shown as a string if it decodes as a string of the format up to its last byte. */
static bool is_string(const HephOption *option, StringView *text)
{
    ByteCursor cursor = cursor_over(option->value.bytes, option->value.size, 0);
    size_t     size = cursor_u16be(&cursor);
    *text = (StringView){ (const char *)cursor_take(&cursor, size), size };
    return !cursor.failed && cursor_left(&cursor) == 0 &&
           utf8_valid_prefix(text->bytes, text->size) == text->size;
}

static void write_name(JsonWriter *w, const HephName *name)
{
    json_object_begin(w);
    json_put_u64(w, "stream", name->stream);
    if (name->is_substream) json_put_u64(w, "substream", name->substream);
    json_put_view(w, "name", name->text);
    json_object_end(w);
}

void heph_write_value(JsonWriter *w, const HephOption *option)
{
    StringView text;
    HephName   name;
    if (heph_name_decode(option, &name)) {
        write_name(w, &name);
    } else if (is_epoch(option) && option->value.size >= EPOCH_BYTES) {
        json_u64(w, epoch_of(option));
    } else if (is_string(option, &text)) {
        json_string_bytes(w, text);
    } else if (is_plain_text(option->value)) {
        json_string_bytes(w, option->value);
    } else {
        heph_write_hex(w, option->value.bytes, option->value.size);
    }
}

/* -- collecting -- */

/* True if the name (value NULL), or the name with this value, is new. */
static bool is_new(HephOptions *options, StringView name, const StringView *value)
{
    const char *bytes = value == NULL ? NULL : value->bytes;
    size_t      size = value == NULL ? 0 : value->size;
    if (label_cache_find(options->seen, name.bytes, name.size, bytes, size) != NULL) return false;
    if (label_cache_is_full(options->seen)) return false; /* limits the memory for options */
    if (!label_cache_put(options->seen, name.bytes, name.size, bytes, size, LABEL_NONE)) {
        options->out_of_memory = true;
    }
    return true;
}

static void put_property(HephOptions *options, StringId name, const HephOption *option)
{
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    heph_write_value(&writer, option);
    if (json.failed) {
        options->out_of_memory = true;
    } else {
        builder_property(options->builder, name, (const char *)json.data, json.size);
    }
    bytes_release(&json);
}

/* Sets the epoch. Returns false if the value is shorter than an epoch. */
static bool take_epoch(HephOptions *options, HephTimes *times, const HephOption *option, EventPos pos)
{
    if (option->value.size != EPOCH_BYTES) {
        builder_warn(options->builder, "bad-epoch", pos, "epoch of %zu bytes, expected 8: %s",
                     option->value.size,
                     option->value.size < EPOCH_BYTES ? "it is left out" : "the first 8 are used");
        if (option->value.size < EPOCH_BYTES) return false;
    }
    StringView value = { option->value.bytes, EPOCH_BYTES };
    if (is_new(options, option->name, &value) && ++options->epoch_count == 2) options->second_epoch = pos;
    heph_times_set_epoch(times, epoch_of(option), pos);
    return true;
}

static void take_name(HephOptions *options, const HephName *name, EventPos pos)
{
    ProcessId stream = builder_process(options->builder, ident_uint(name->stream));
    StringId  text =
        input_text_intern(options->builder, name->text, "a name in metadata", pos, &options->out_of_memory);
    if (name->is_substream) {
        TrackId substream = builder_thread(options->builder, stream, ident_uint(name->substream));
        builder_name_thread(options->builder, substream, text);
    } else {
        builder_name_process(options->builder, stream, text);
    }
}

void heph_option_take(HephOptions *options, HephTimes *times, const HephOption *option, EventPos pos)
{
    bool     epoch = is_epoch(option), useful = !epoch || take_epoch(options, times, option, pos);
    StringId name =
        input_text_intern(options->builder, option->name, "a name in metadata", pos, &options->out_of_memory);
    uint16_t kind = builder_event_kind(options->builder, "metadata", strlen("metadata"));
    builder_other(options->builder, OTHER_METADATA, kind,
                  &(EventHead){ .label = builder_label(options->builder, name, STRING_NONE),
                                .pos = pos,
                                .is_timeless = true });
    HephName of_stream;
    if (!useful) return;
    if (heph_name_decode(option, &of_stream)) {
        take_name(options, &of_stream, pos);
    } else if (is_new(options, option->name, NULL)) {
        put_property(options, name, option);
        if (!epoch) (void)is_new(options, option->name, &option->value);
    } else if (!epoch && is_new(options, option->name, &option->value)) {
        builder_warn(options->builder, "repeated-option", pos,
                     "an option comes again with another value: the first one is shown");
    }
}

void heph_report_epochs(const HephOptions *options)
{
    if (options->epoch_count < 2) return;
    builder_warn(options->builder, "different-epochs", options->second_epoch,
                 "%" PRIu32
                 " different epochs: each event is placed by the last one before it, and times count "
                 "from the first",
                 options->epoch_count);
}
