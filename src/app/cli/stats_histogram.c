#include "app/cli/stats_histogram.h"

#include "app/cli/exact_time.h"
#include "app/cli/table_text.h"
#include "base/digits.h"
#include "base/json_writer.h"

#include <string.h>

enum { WIDTH = 12, BAR_WIDTH = 40 };

const char *const HISTOGRAM_SCALES[2] = { "log", "linear" };

static void put_span(const Clock *clock, uint64_t ticks, Bytes *out)
{
    char text[CLOCK_SPAN_TEXT];
    if (clock_has_time(clock)) {
        (void)clock_format_span(clock, ticks, text);
    } else {
        (void)digits_put_whole(ticks, text);
    }
    table_put_right(out, text, WIDTH);
}

void stats_histogram_table(const Trace *trace, const Histogram *histogram, Bytes *out)
{
    static const char *const HEADS[] = { "from", "below", "count", "share" };
    uint64_t                 most = 0;
    for (uint32_t i = 0; i < histogram->bin_count; i++)
        if (histogram->bins[i].count > most) most = histogram->bins[i].count;
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        table_put_right(out, HEADS[i], WIDTH);
    bytes_append_text(out, "\n");
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        const HistogramBin *bin = &histogram->bins[i];
        char                text[CLOCK_SPAN_TEXT];
        put_span(&trace->clock, bin->least, out);
        put_span(&trace->clock, bin->most == UINT64_MAX ? bin->most : bin->most + 1, out);
        (void)digits_put_whole(bin->count, text);
        table_put_right(out, text, WIDTH);
        bytes_printf(out, "%10.1f %%", 100 * (double)bin->count / (double)histogram->count);
        int bar = (int)((double)BAR_WIDTH * (double)bin->count / (double)most);
        if (bar == 0 && bin->count > 0) bar = 1;
        bytes_printf(out, "%s%.*s\n", bar == 0 ? "" : "  ", bar, "########################################");
    }
}

void stats_histogram_json(const Trace *trace, const Histogram *histogram, HistogramScale scale, Bytes *out)
{
    const ExactTime exact = exact_time_for(&trace->clock);
    JsonWriter      w = json_writer_to(out, 0);
    Bytes           text = { 0 };
    json_object_begin(&w);
    json_put_string(&w, "scale", HISTOGRAM_SCALES[scale]);
    json_put_string(&w, "unit", exact.in_ns ? "ns" : "ticks");
    if (histogram->perspective != NULL) json_put_string(&w, "perspective", histogram->perspective);
    json_put_u64(&w, "slices", histogram->count);
    json_put_array(&w, "bins");
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        const HistogramBin *bin = &histogram->bins[i];
        const struct {
            const char *key;
            uint64_t    ticks;
        } spans[] = { { "least", bin->least }, { "most", bin->most }, { "total", bin->total } };
        json_object_begin(&w);
        json_put_u64(&w, "count", bin->count);
        for (size_t k = 0; k < sizeof spans / sizeof spans[0]; k++) {
            bytes_clear(&text);
            exact_span_append(&exact, &trace->clock, spans[k].ticks, &text);
            json_key(&w, spans[k].key);
            json_raw(&w, (const char *)text.data, text.size);
        }
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
    bytes_release(&text);
}
