/* app/cli/table_text.h - values in the readable tables of commands. */
#ifndef APP_CLI_TABLE_TEXT_H
#define APP_CLI_TABLE_TEXT_H
#include "base/string_view.h"

#include <varve/varve.h>

/* Returns a text of the library, borrowed. */
static inline StringView text_view(VarveText text)
{
    return (StringView){ text.bytes, text.size_bytes };
}
/* Returns the width of a text in columns: one for each character. */
int table_columns_of(const char *text);
/* Appends a text right-aligned to a width in columns; a longer text makes the column wider. */
void table_put_right(Bytes *out, const char *text, int width);
/* Append a number with groups of digits, and a duration: without time as a number, right-aligned. */
void table_put_count(Bytes *out, uint64_t count, int width);
void table_put_span(Bytes *out, const VarveTrace *trace, uint64_t ticks, int width);

/* Returns the number of rows to show of `count`, at most `top`; 0 = all. */
uint32_t table_rows(uint32_t count, uint64_t top);
/* Appends a line about the rows that are not shown, if there are any. */
void table_put_rest(Bytes *out, uint32_t count, uint32_t shown);

#endif
