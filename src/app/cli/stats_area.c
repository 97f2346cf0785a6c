#include "app/cli/stats_area.h"

#include "app/cli/table_text.h"
#include "base/digits.h"

#include <assert.h>
#include <inttypes.h>

enum { WIDTH = 12, VALUE_WIDTH = 16 };

static uint32_t shown_rows(uint32_t count, uint64_t top)
{
    return top != 0 && count > top ? (uint32_t)top : count;
}

static void put_rest(uint32_t count, uint32_t shown, Bytes *out)
{
    assert(shown <= count);
    if (shown < count)
        bytes_printf(out, "and %" PRIu32 " more: --top=%" PRIu32 " shows all\n", count - shown, count);
}

static void put_count(uint64_t count, Bytes *out)
{
    char text[DIGITS_TEXT];
    (void)digits_put_whole(count, text);
    table_put_right(out, text, WIDTH);
}

static void put_name(const Bytes *name, Bytes *out)
{
    bytes_append_text(out, "  ");
    if (name->size == 0) bytes_append_text(out, "(none)");
    table_put_plain(out, bytes_view(name));
    bytes_append_text(out, "\n");
}

static void append_string(const Trace *trace, StringId id, Bytes *out)
{
    const StringView text = trace_string(trace, id);
    bytes_append(out, text.bytes, text.size);
}

static void put_instants(const Trace *trace, const AreaTable *area, uint64_t top, Bytes *out)
{
    const uint32_t shown = shown_rows(area->instant_rows, top);
    Bytes          name = { 0 };
    bytes_append_text(out, "\n");
    table_put_right(out, "count", WIDTH);
    bytes_append_text(out, "  instant\n");
    for (uint32_t i = 0; i < shown; i++) {
        bytes_clear(&name);
        append_string(trace, area->instants[i].name, &name);
        put_count(area->instants[i].count, out);
        put_name(&name, out);
    }
    put_rest(area->instant_rows, shown, out);
    bytes_release(&name);
}

/* Appends "process / counter / series". */
static void append_counter(const Trace *trace, const AreaCounter *counter, Bytes *out)
{
    assert(counter->track > 0 && counter->track <= trace->track_count);
    const uint32_t process = trace->tracks[counter->track].process.index;
    if (process != PROCESS_NONE.index) {
        trace_process_title(trace, process, out);
        bytes_append_text(out, " / ");
    }
    trace_track_title(trace, counter->track, out);
    if (counter->series.index == STRING_NONE.index) return;
    bytes_append_text(out, " / ");
    append_string(trace, counter->series, out);
}

static void put_value(const Trace *trace, const AreaCounter *counter, double value, Bytes *out)
{
    char text[DIGITS_TEXT];
    area_value_text(trace, counter, value, text);
    table_put_right(out, text, VALUE_WIDTH);
}

static void put_counters(const Trace *trace, const AreaTable *area, uint64_t top, Bytes *out)
{
    static const char *const HEADS[] = { "min", "max", "average", "last" };
    const uint32_t           shown = shown_rows(area->counter_rows, top);
    Bytes                    name = { 0 };
    bytes_append_text(out, "\n");
    table_put_right(out, "values", WIDTH);
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        table_put_right(out, HEADS[i], VALUE_WIDTH);
    bytes_append_text(out, "  counter\n");
    for (uint32_t i = 0; i < shown; i++) {
        const AreaCounter *counter = &area->counters[i];
        put_count(counter->count, out);
        put_value(trace, counter, counter->min, out);
        put_value(trace, counter, counter->max, out);
        put_value(trace, counter, counter->average, out);
        put_value(trace, counter, counter->last, out);
        bytes_clear(&name);
        append_counter(trace, counter, &name);
        put_name(&name, out);
    }
    put_rest(area->counter_rows, shown, out);
    bytes_release(&name);
}

void stats_area_table(const Trace *trace, const AreaTable *area, uint64_t top, Bytes *out)
{
    if (area->instant_rows > 0) put_instants(trace, area, top, out);
    if (area->counter_rows > 0) put_counters(trace, area, top, out);
}

/* -- JSON -- */

static void put_json_counter(const Trace *trace, const AreaCounter *counter, Bytes *text, JsonWriter *w)
{
    const Track *track = &trace->tracks[counter->track];
    bytes_clear(text);
    if (track->process.index != PROCESS_NONE.index) trace_process_title(trace, track->process.index, text);
    json_object_begin(w);
    json_put_view(w, "name", trace_string(trace, track->name));
    json_put_view(w, "series", trace_string(trace, counter->series));
    json_put_view(w, "process", bytes_view(text));
    json_put_u64(w, "values", counter->count);
    json_put_double(w, "min", counter->min);
    json_put_double(w, "max", counter->max);
    json_put_double(w, "average", counter->average);
    json_put_double(w, "last", counter->last);
    json_object_end(w);
}

void stats_area_json(const Trace *trace, const AreaTable *area, uint64_t top, JsonWriter *w)
{
    Bytes text = { 0 };
    json_put_array(w, "instants");
    for (uint32_t i = 0; i < shown_rows(area->instant_rows, top); i++) {
        json_object_begin(w);
        json_put_view(w, "name", trace_string(trace, area->instants[i].name));
        json_put_u64(w, "count", area->instants[i].count);
        json_object_end(w);
    }
    json_array_end(w);
    json_put_array(w, "counters");
    for (uint32_t i = 0; i < shown_rows(area->counter_rows, top); i++)
        put_json_counter(trace, &area->counters[i], &text, w);
    json_array_end(w);
    bytes_release(&text);
}
