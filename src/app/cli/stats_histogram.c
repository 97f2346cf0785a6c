#include "app/cli/stats_histogram.h"

#include "app/cli/table_text.h"
#include "base/json_writer.h"

enum { WIDTH = 12, BAR_WIDTH = 40 };

const char *const HISTOGRAM_SCALES[2] = { "log", "linear" };

void stats_histogram_table(const HistogramBins *bins, Bytes *out)
{
    static const char *const HEADS[] = { "from", "below", "count", "share" };
    uint64_t                 most = 0;
    for (uint32_t i = 0; i < bins->count; i++)
        if (bins->bins[i].count > most) most = bins->bins[i].count;
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        table_put_right(out, HEADS[i], WIDTH);
    bytes_append_text(out, "\n");
    for (uint32_t i = 0; i < bins->count; i++) {
        const VarveBin *bin = &bins->bins[i];
        const uint64_t  last = bin->most_ticks;
        table_put_span(out, bins->trace, bin->least_ticks, WIDTH);
        table_put_span(out, bins->trace, last == UINT64_MAX ? last : last + 1, WIDTH);
        table_put_count(out, bin->count, WIDTH);
        bytes_printf(out, "%10.1f %%", 100 * (double)bin->count / (double)bins->totals.slice_count);
        int bar = (int)((double)BAR_WIDTH * (double)bin->count / (double)most);
        if (bar == 0 && bin->count > 0) bar = 1;
        bytes_printf(out, "%s%.*s\n", bar == 0 ? "" : "  ", bar, "########################################");
    }
}

static void put_span(const HistogramBins *bins, const char *key, uint64_t ticks, JsonWriter *w)
{
    char            text[VARVE_TIME_TEXT_BYTES];
    const VarveText exact = varve_span_exact(bins->trace, ticks, text);
    json_key(w, key);
    json_raw(w, exact.bytes, exact.size_bytes);
}

void stats_histogram_json(const HistogramBins *bins, Bytes *out)
{
    JsonWriter  w = json_writer_to(out, 0);
    const char *perspective = bins->totals.perspective;
    json_object_begin(&w);
    json_put_string(&w, "scale", HISTOGRAM_SCALES[bins->scale - VARVE_HISTOGRAM_LOG]);
    json_put_string(&w, "unit", varve_exact_unit(bins->trace));
    if (perspective != NULL) json_put_string(&w, "perspective", perspective);
    json_put_u64(&w, "slices", bins->totals.slice_count);
    json_put_array(&w, "bins");
    for (uint32_t i = 0; i < bins->count; i++) {
        const VarveBin *bin = &bins->bins[i];
        json_object_begin(&w);
        json_put_u64(&w, "count", bin->count);
        put_span(bins, "least", bin->least_ticks, &w);
        put_span(bins, "most", bin->most_ticks, &w);
        put_span(bins, "total", bin->total_ticks, &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}
