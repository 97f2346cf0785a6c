#include "format/perf_data/formats.h"

#include "base/cursor.h"
#include "format/line_text.h"

#include <string.h>

/* -- the section -- */

/* Returns the text up to the next zero byte, and passes it. */
static StringView take_text(ByteCursor *c)
{
    const uint8_t *begin = c->bytes + c->at;
    const uint8_t *end = cursor_left(c) == 0 ? NULL : (const uint8_t *)memchr(begin, 0, cursor_left(c));
    if (end == NULL) {
        c->failed = true;
        return (StringView){ "", 0 };
    }
    (void)cursor_take(c, (size_t)(end - begin) + 1);
    return (StringView){ (const char *)begin, (size_t)(end - begin) };
}

static StringView take_sized(ByteCursor *c, uint64_t size)
{
    const uint8_t *bytes = size > SIZE_MAX ? NULL : cursor_take(c, (size_t)size);
    if (bytes == NULL) c->failed = true;
    return (StringView){ bytes == NULL ? "" : (const char *)bytes, bytes == NULL ? 0 : (size_t)size };
}

/* -- the description of an event -- */

/* Returns the number behind a key such as "offset:" in a line of a field. */
static uint32_t number_of(StringView line, StringView key)
{
    StringView field;
    int64_t    number;
    while (text_next_part(&line, ';', &field)) {
        field = line_trim(field);
        if (line_starts_with(field, key) && line_number(line_part(field, key.size, field.size), &number) &&
            number >= 0 && number <= UINT32_MAX)
            return (uint32_t)number;
    }
    return 0;
}

/* True if `text` has `word` between other words. */
static bool has_word(StringView text, StringView word)
{
    for (size_t at = 0; at + word.size <= text.size; at++) {
        const bool begins = at == 0 || !line_is_word(text.bytes[at - 1]);
        const bool ends = at + word.size == text.size || !line_is_word(text.bytes[at + word.size]);
        if (begins && ends && memcmp(text.bytes + at, word.bytes, word.size) == 0) return true;
    }
    return false;
}

/* Reads "field:TYPE NAME;offset:..;size:..;signed:..;" of which NAME may end with [N]. False: no such line. */
static bool read_field(StringView line, PerfField *field)
{
    static const StringView KEY = { "field:", 6 };
    StringView              declaration;
    line = line_trim(line);
    if (!line_starts_with(line, KEY)) return false;
    StringView rest = line_part(line, KEY.size, line.size);
    if (!text_next_part(&rest, ';', &declaration)) return false;
    size_t     end = declaration.size;
    const bool is_array = end > 0 && declaration.bytes[end - 1] == ']';
    while (is_array && end > 0 && declaration.bytes[end - 1] != '[')
        end--;
    if (is_array && end > 0) end--;
    size_t begin = end;
    while (begin > 0 && line_is_word(declaration.bytes[begin - 1]))
        begin--;
    const StringView type = line_part(declaration, 0, begin);
    const bool       is_char = has_word(type, STRING_LITERAL("char"));
    const bool       is_place = has_word(type, STRING_LITERAL("__data_loc"));
    *field = (PerfField){ .name = line_part(declaration, begin, end),
                          .kind = PERF_FIELD_NUMBER,
                          .offset = number_of(rest, STRING_LITERAL("offset:")),
                          .size = number_of(rest, STRING_LITERAL("size:")),
                          .is_signed = number_of(rest, STRING_LITERAL("signed:")) != 0 };
    if (is_place)
        field->kind = is_char ? PERF_FIELD_TEXT_PLACE : PERF_FIELD_OTHER;
    else if (is_array)
        field->kind = is_char ? PERF_FIELD_TEXT : PERF_FIELD_OTHER;
    return field->name.size > 0;
}

/* Adds the format of an event. False: out of memory. */
static bool add_format(PerfFormats *formats, StringView system, StringView text)
{
    Arena     *arena = formats->of_id.arena;
    StringView line, name = { "", 0 };
    int64_t    id = -1;
    PerfFormat format = { .name = { "", 0 } };
    PerfField  field;
    while (line_next(&text, &line)) {
        if (line_starts_with(line, STRING_LITERAL("name: "))) name = line_part(line, 6, line.size);
        if (line_starts_with(line, STRING_LITERAL("ID: ")))
            (void)line_number(line_part(line, 4, line.size), &id);
        if (!read_field(line, &field) || line_starts_with(field.name, STRING_LITERAL("common_"))) continue;
        PerfField *added = ARENA_LIST_PUSH(&format.fields, arena);
        if (added == NULL) return false;
        *added = field;
    }
    if (id < 0 || name.size == 0 || id_map_find(&formats->of_id, (uint64_t)id) != 0) return true;
    char *full = arena_push_raw(arena, system.size + 1 + name.size, 1);
    if (full == NULL) return false;
    memcpy(full, system.bytes, system.size);
    full[system.size] = ':';
    memcpy(full + system.size + 1, name.bytes, name.size);
    format.name = (StringView){ full, system.size + 1 + name.size };
    PerfFormat *added = ARENA_LIST_PUSH(&formats->all, arena);
    if (added == NULL) return false;
    *added = format;
    return id_map_put(&formats->of_id, (uint64_t)id, (uint32_t)formats->all.count);
}

bool perf_formats_read(PerfFormats *formats, StringView section, bool *out_of_memory)
{
    static const uint8_t MAGIC[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
    const char          *copy = arena_push_copy(formats->of_id.arena, section.bytes, section.size);
    ByteCursor           c = cursor_over(copy, section.size, 0);
    const uint8_t       *magic = copy == NULL ? NULL : cursor_take(&c, sizeof MAGIC);
    *out_of_memory = copy == NULL;
    if (magic == NULL || memcmp(magic, MAGIC, sizeof MAGIC) != 0) return false;
    (void)take_text(&c); /* the version */
    const bool is_big_endian = cursor_u8(&c) != 0;
    (void)cursor_u8(&c), (void)cursor_u32le(&c); /* bytes of a long, of a page */
    if (is_big_endian) return false;
    for (int i = 0; i < 2; i++) { /* header_page, header_event */
        (void)take_text(&c);
        (void)take_sized(&c, cursor_u64le(&c));
    }
    for (uint32_t events = cursor_u32le(&c); events > 0 && !c.failed; events--) /* of ftrace itself */
        (void)take_sized(&c, cursor_u64le(&c));
    for (uint32_t systems = cursor_u32le(&c); systems > 0 && !c.failed; systems--) {
        const StringView system = take_text(&c);
        for (uint32_t events = cursor_u32le(&c); events > 0 && !c.failed; events--) {
            const StringView text = take_sized(&c, cursor_u64le(&c));
            if (c.failed || add_format(formats, system, text)) continue;
            *out_of_memory = true;
            return false;
        }
    }
    return !c.failed;
}

/* -- events -- */

const PerfFormat *perf_formats_find(const PerfFormats *formats, uint64_t id)
{
    const uint32_t found = id_map_find(&formats->of_id, id);
    return found == 0 ? NULL : &formats->all.items[found - 1];
}

const PerfField *perf_format_field(const PerfFormat *format, const char *name)
{
    for (size_t i = 0; format != NULL && i < format->fields.count; i++)
        if (string_equal(format->fields.items[i].name, c_string_view(name))) return &format->fields.items[i];
    return NULL;
}

/* Returns the bytes [offset, offset + size) of an event, or NULL. */
static const uint8_t *bytes_at(StringView event, uint64_t offset, uint64_t size)
{
    return offset <= event.size && size <= event.size - offset ? (const uint8_t *)event.bytes + offset : NULL;
}

int64_t perf_field_number(const PerfField *field, StringView event)
{
    const uint8_t *bytes = field == NULL ? NULL : bytes_at(event, field->offset, field->size);
    if (bytes == NULL) return 0;
    switch (field->size) {
    case 1:
        return field->is_signed ? (int64_t)(int8_t)bytes[0] : (int64_t)bytes[0];
    case 2:
        return field->is_signed ? (int64_t)(int16_t)bits_load_u16(bytes) : (int64_t)bits_load_u16(bytes);
    case 4:
        return field->is_signed ? (int64_t)(int32_t)bits_load_u32(bytes) : (int64_t)bits_load_u32(bytes);
    case 8:
        return (int64_t)bits_load_u64(bytes);
    default:
        return 0;
    }
}

StringView perf_field_text(const PerfField *field, StringView event)
{
    const StringView none = { "", 0 };
    if (field == NULL) return none;
    uint64_t offset = field->offset, size = field->size;
    if (field->kind == PERF_FIELD_TEXT_PLACE) { /* the lower half is the offset, the upper one the size */
        const uint8_t *place = bytes_at(event, offset, sizeof(uint32_t));
        if (place == NULL) return none;
        offset = bits_load_u32(place) & 0xffff;
        size = bits_load_u32(place) >> 16;
    }
    const uint8_t *bytes = bytes_at(event, offset, size);
    if (bytes == NULL || size == 0) return none;
    const uint8_t *end = (const uint8_t *)memchr(bytes, 0, (size_t)size);
    return (StringView){ (const char *)bytes, end == NULL ? (size_t)size : (size_t)(end - bytes) };
}
