#include "base/text_table.h"

#include "base/digits.h"

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
