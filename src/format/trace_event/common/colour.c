#include "format/trace_event/common/colour.h"

#include "base/ascii.h"
#include "trace/store/trace.h"

#include <string.h>

/* clang-format off */
static const struct {
    const char *name;
    uint32_t    rgb;
} NAMES[] = {
    { "thread_state_uninterruptible", 0xB67D8F }, { "thread_state_iowait", 0xFF8C00 },
    { "thread_state_running", 0x7EC894 },         { "thread_state_runnable", 0x85A0D2 },
    { "thread_state_sleeping", 0xF0F0F0 },        { "thread_state_unknown", 0xC79B7D },
    { "background_memory_dump", 0x00B4B4 },       { "light_memory_dump", 0x0000B4 },
    { "detailed_memory_dump", 0xB400B4 },         { "vsync_highlight_color", 0x0000FF },
    { "generic_work", 0x7D7D7D },                 { "good", 0x007D00 },
    { "bad", 0xB47D00 },                          { "terrible", 0xB40000 },
    { "black", 0x000000 },                        { "grey", 0xDDDDDD },
    { "white", 0xFFFFFF },                        { "yellow", 0xFFFF00 },
    { "olive", 0x646400 },                        { "rail_response", 0x4387FD },
    { "rail_animation", 0xF44A3F },               { "rail_idle", 0xEE8E00 },
    { "rail_load", 0x0DA861 },                    { "startup", 0xE6E600 },
    { "heap_dump_stack_frame", 0x808080 },        { "heap_dump_object_type", 0x0000FF },
    { "heap_dump_child_node_arrow", 0xCC6600 },   { "cq_build_running", 0xFFFF77 },
    { "cq_build_passed", 0x99EE66 },              { "cq_build_failed", 0xEE8888 },
    /* as Chrome spells it ... */
    { "cq_build_abandoned", 0xBBBBBB },           { "cq_build_attempt_runnig", 0xDEDE4B },
    { "cq_build_attempt_running", 0xDEDE4B },     /* ... and as it is meant */
    { "cq_build_attempt_passed", 0x67DA23 },      { "cq_build_attempt_failed", 0xC55151 },
};
/* clang-format on */

/* Returns the colour of the digits after '#', three or six. */
static uint32_t colour_of_hex(const uint8_t *at, size_t size)
{
    uint32_t rgb = 0;
    if (size != 3 && size != 6) return 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned digit = ascii_hex_value((char)at[i]);
        if (digit == 16) return 0;
        rgb = rgb << 4 | digit;
        if (size == 3) rgb = rgb << 4 | digit;
    }
    return LABEL_COLOUR(rgb);
}

/* Returns the colour of the text after "rgb(": three numbers up to 255 and a bracket. */
static uint32_t colour_of_numbers(const uint8_t *at, const uint8_t *end)
{
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t number = 0;
        int      digits = 0;
        while (at < end && *at == ' ')
            at++;
        for (; at < end && *at >= '0' && *at <= '9' && digits < 4; at++, digits++)
            number = number * 10 + (uint32_t)(*at - '0');
        while (at < end && *at == ' ')
            at++;
        if (digits == 0 || number > 255 || at == end || *at++ != (i < 2 ? ',' : ')')) return 0;
        rgb = rgb << 8 | number;
    }
    return at == end ? LABEL_COLOUR(rgb) : 0;
}

uint32_t colour_of_value(const JsonValue *value)
{
    const uint8_t *at = value->at, *end = value->at + value->size;
    if (value->kind != JSON_STRING) return 0;
    while (at < end && *at == ' ')
        at++;
    while (at < end && end[-1] == ' ')
        end--;
    if (at < end && *at == '#') return colour_of_hex(at + 1, (size_t)(end - at) - 1);
    const StringView text = { (const char *)at, (size_t)(end - at) };
    if (text.size > 4 && ascii_starts_with(text, STRING_LITERAL("rgb(")))
        return colour_of_numbers(at + 4, end);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (ascii_equal(text, c_string_view(NAMES[i].name))) return LABEL_COLOUR(NAMES[i].rgb);
    }
    return 0;
}
