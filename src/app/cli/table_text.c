#include "app/cli/table_text.h"

#include "base/digits.h"

#include <assert.h>
#include <inttypes.h>

int table_columns_of(const char *text)
{
    int columns = 0;
    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* True if a text appended to `out` needs a space between it and the previous cell. */
static bool needs_separator(const Bytes *out)
{
    return out->size > 0 && out->data[out->size - 1] != ' ' && out->data[out->size - 1] != '\n';
}

void table_put_right(Bytes *out, const char *text, int width)
{
    int padding = width - table_columns_of(text);
    if (padding <= 0) padding = needs_separator(out) ? 1 : 0;
    bytes_printf(out, "%*s%s", padding, "", text);
}

void table_put_count(Bytes *out, uint64_t count, int width)
{
    char text[DIGITS_TEXT];
    (void)digits_put_whole(count, text);
    table_put_right(out, text, width);
}

void table_put_span(Bytes *out, const VarveTrace *trace, uint64_t ticks, int width)
{
    char text[VARVE_TIME_TEXT_BYTES];
    if (strcmp(varve_unit(trace), "ns") == 0)
        table_put_right(out, varve_span_text(trace, ticks, text).bytes, width);
    else
        table_put_count(out, ticks, width);
}

uint32_t table_rows(uint32_t count, uint64_t top)
{
    return top != 0 && count > top ? (uint32_t)top : count;
}

void table_put_rest(Bytes *out, uint32_t count, uint32_t shown)
{
    assert(shown <= count);
    if (shown < count)
        bytes_printf(out, "and %" PRIu32 " more: --top=%" PRIu32 " shows all\n", count - shown, count);
}
