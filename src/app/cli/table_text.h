/* app/cli/table_text.h - values in the readable tables of commands. */
#ifndef APP_CLI_TABLE_TEXT_H
#define APP_CLI_TABLE_TEXT_H
#include "base/text_table.h"

#include <varve/varve.h>

/* Returns a text of the library, borrowed. */
static inline StringView text_view(VarveText text)
{
    return (StringView){ text.bytes, text.size_bytes };
}
/* Appends a duration, right-aligned; without time a number. */
void table_put_span(Bytes *out, const VarveTrace *trace, uint64_t ticks, int width);

/* Returns the number of rows to show of `count`, at most `top`; 0 = all. */
uint32_t table_rows(uint32_t count, uint64_t top);
/* Appends a line about the rows that are not shown, if there are any. */
void table_put_rest(Bytes *out, uint32_t count, uint32_t shown);

#endif
