#include "app/cli/table_text.h"

#include <assert.h>
#include <inttypes.h>

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
