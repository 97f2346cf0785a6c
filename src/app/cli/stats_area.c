#include "app/cli/stats_area.h"
#include "base/utf8.h"

#include "app/cli/table_text.h"

enum { WIDTH = 12, VALUE_WIDTH = 16 };

static void put_instants(const VarveInstantRow *rows, uint32_t count, uint64_t top, Bytes *out)
{
    const uint32_t shown = table_rows(count, top);
    bytes_append_text(out, "\n");
    table_put_right(out, "count", WIDTH);
    bytes_append_text(out, "  instant\n");
    for (uint32_t i = 0; i < shown; i++) {
        table_put_count(out, rows[i].count, WIDTH);
        bytes_append_text(out, rows[i].name.size_bytes == 0 ? "  (none)" : "  ");
        text_append_plain(out, text_view(rows[i].name));
        bytes_append_text(out, "\n");
    }
    table_put_rest(out, count, shown);
}

static void put_value(const VarveCounterRow *row, double value, Bytes *out)
{
    char text[VARVE_TIME_TEXT_BYTES];
    table_put_right(out, varve_counter_text(row, value, text).bytes, VALUE_WIDTH);
}

static void put_counters(const VarveCounterRow *rows, uint32_t count, uint64_t top, Bytes *out)
{
    static const char *const HEADS[] = { "min", "max", "average", "last" };
    const uint32_t           shown = table_rows(count, top);
    bytes_append_text(out, "\n");
    table_put_right(out, "values", WIDTH);
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        table_put_right(out, HEADS[i], VALUE_WIDTH);
    bytes_append_text(out, "  counter\n");
    for (uint32_t i = 0; i < shown; i++) {
        const VarveCounterRow *row = &rows[i];
        table_put_count(out, row->count, WIDTH);
        put_value(row, row->least, out);
        put_value(row, row->most, out);
        put_value(row, row->average, out);
        put_value(row, row->last, out);
        bytes_append_text(out, "  ");
        text_append_plain(out, text_view(row->process));
        if (row->process.size_bytes > 0) bytes_append_text(out, " / ");
        text_append_plain(out, text_view(row->title));
        bytes_append_text(out, "\n");
    }
    table_put_rest(out, count, shown);
}

void stats_area_table(const VarveArea *area, uint64_t top, Bytes *out)
{
    uint32_t               instant_count, counter_count;
    const VarveInstantRow *instants = varve_area_instants(area, &instant_count);
    const VarveCounterRow *counters = varve_area_counters(area, &counter_count);
    if (instant_count > 0) put_instants(instants, instant_count, top, out);
    if (counter_count > 0) put_counters(counters, counter_count, top, out);
}

/* -- JSON -- */

static void put_json_counter(const VarveCounterRow *row, JsonWriter *w)
{
    json_object_begin(w);
    json_put_view(w, "name", text_view(row->name));
    json_put_view(w, "series", text_view(row->series));
    json_put_view(w, "process", text_view(row->process));
    json_put_u64(w, "values", row->count);
    json_put_double(w, "min", row->least);
    json_put_double(w, "max", row->most);
    json_put_double(w, "average", row->average);
    json_put_double(w, "last", row->last);
    json_object_end(w);
}

void stats_area_json(const VarveArea *area, uint64_t top, JsonWriter *w)
{
    uint32_t               instant_count, counter_count;
    const VarveInstantRow *instants = varve_area_instants(area, &instant_count);
    const VarveCounterRow *counters = varve_area_counters(area, &counter_count);
    json_put_array(w, "instants");
    for (uint32_t i = 0; i < table_rows(instant_count, top); i++) {
        json_object_begin(w);
        json_put_view(w, "name", text_view(instants[i].name));
        json_put_u64(w, "count", instants[i].count);
        json_object_end(w);
    }
    json_array_end(w);
    json_put_array(w, "counters");
    for (uint32_t i = 0; i < table_rows(counter_count, top); i++)
        put_json_counter(&counters[i], w);
    json_array_end(w);
}
