#include "view/counter.h"

#include "base/checked.h"
#include "base/digits.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/scene.h"
#include "view/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- from samples to pixel columns ---- */

typedef struct ColumnBuilder {
    ValueColumn     *columns;
    const TickScale *scale;
    int32_t          width;
    uint64_t         held_to; /* limit on the time of values */
} ColumnBuilder;

/* Returns the column of a tick, clamped to [-1, width]. */
static int32_t column_at(const ColumnBuilder *b, uint64_t tick)
{
    double x = tick_scale_x(b->scale, tick);
    if (!(x > -1)) return -1;
    return x >= b->width ? b->width : (int32_t)floor(x);
}

/* Sets the value of [begin, end), and of the column of `end` until a later call sets it. */
static void hold(const ColumnBuilder *b, uint64_t begin, uint64_t end, double value)
{
    if (end > b->held_to) end = b->held_to;
    if (begin > end) return;
    assert(b->width > 0);
    int32_t x0 = column_at(b, begin), x1 = column_at(b, end);
    if (x0 < 0) x0 = 0;
    if (x1 >= b->width) x1 = b->width - 1;
    for (int32_t x = x0; x <= x1; x++)
        b->columns[x].last = value;
}

static void touch(const ColumnBuilder *b, int32_t x, const TileSample *sample)
{
    assert(sample->count > 0);
    if (x < 0 || x >= b->width) return;
    ValueColumn *column = &b->columns[x];
    column->least = fmin(column->least, sample->least); /* fmin and fmax ignore a NaN */
    column->greatest = fmax(column->greatest, sample->greatest);
    column->last = sample->last;
}

/* Returns the end of a tick's bucket. The tick is from the trace's begin, in the tile's window or after it. */
static uint64_t bucket_end(const Tile *tile, uint64_t tick)
{
    uint64_t length = UINT64_C(1) << tile->key.level, begin = (tick + tile->lead) & (0 - length);
    return u64_add_saturated(begin - tile->lead, length);
}

/* Adds several samples in [begin, end). If that is not wider than a column, they are in the first column only, so that
 * a peak is one column wide. In a coarser tile's bucket they may be in any of its columns. */
static void touch_bucket(const ColumnBuilder *b, const TileSample *sample, uint64_t begin, uint64_t end)
{
    assert(begin < end);
    int32_t x0 = column_at(b, begin), x1 = column_at(b, end - 1);
    if ((double)(end - begin) * b->scale->px_per_tick <= 1) x1 = x0;
    for (int32_t x = x0 < 0 ? 0 : x0; x <= x1 && x < b->width; x++)
        touch(b, x, sample);
}

/* lead: the trace's. */
static void add_source(View *view, const ColumnBuilder *b, const TileSource *source, const TileRow *row,
                       uint64_t lead)
{
    uint64_t window = tile_begin(source->tile.key, lead), at = source->begin;
    double   held = NAN;
    for (uint32_t i = 0; i < row->sample_count; i++) {
        TileSample sample = tile_sample(row, i);
        view->picture.entries_drawn++;
        if (sample.tick >= source->end) break;
        bool     is_bucket = sample.count > 1 && sample.tick >= window;
        uint64_t until = is_bucket ? bucket_end(&source->tile, sample.tick) : sample.tick;
        if (until > source->end) until = source->end;
        if (is_bucket ? until <= source->begin : until < source->begin) {
            held = sample.last;
            continue;
        }
        uint64_t from = sample.tick > source->begin ? sample.tick : source->begin;
        hold(b, at, from, held);
        if (is_bucket)
            touch_bucket(b, &sample, from, until);
        else
            touch(b, column_at(b, from), &sample);
        at = is_bucket ? until - 1 : until; /* the last tick of a wide bucket covers several columns */
        held = sample.last;
    }
    hold(b, at, source->end, held);
}

const ValueColumn *counter_columns(View *view, uint32_t trace_index, const OutlineTrack *track,
                                   uint32_t row_of_band)
{
    TraceView    *trace = view_trace(view, trace_index);
    ColumnBuilder builder = { .scale = &trace->scale,
                              .width = view->screen.geometry.plot_w,
                              .held_to = track->held_to < trace->outline.span ? track->held_to
                                                                              : trace->outline.span };
    vec_clear(&view->picture.scratch.values);
    builder.columns = vec_reserve(&view->picture.scratch.values, (size_t)builder.width);
    if (builder.columns == NULL) return NULL;
    vec_grow(&view->picture.scratch.values, (size_t)builder.width);
    for (int32_t x = 0; x < builder.width; x++)
        builder.columns[x] = (ValueColumn){ NAN, NAN, NAN };
    const TileSource *sources = view->picture.scratch.sources.items;
    size_t            count = vec_count(&view->picture.scratch.sources);
    for (size_t s = 0; s < count; s++) {
        if (row_of_band >= sources[s].tile.row_count) continue;
        TileRow row = tile_row(&sources[s].tile, row_of_band);
        add_source(view, &builder, &sources[s], &row, trace->outline.lead);
    }
    return builder.columns;
}

/* ---- geometry ---- */

ValueScale counter_scale(const OutlineTrack *track)
{
    ValueScale scale = { 0, 0 };
    if (track->least < 0 && isfinite(track->least)) scale.least = track->least;
    if (track->greatest > 0 && isfinite(track->greatest)) scale.greatest = track->greatest;
    if (scale.least == scale.greatest) scale.greatest = 1;
    return scale;
}

static ValueScale joined_scale(ValueScale a, ValueScale b)
{
    return (ValueScale){ fmin(a.least, b.least), fmax(a.greatest, b.greatest) };
}

/* Returns the range of the counters of an item's chart. */
static ValueScale own_scale(const TraceView *trace, uint32_t chart)
{
    ValueScale scale = counter_scale(&trace->outline.tracks[chart]);
    for (uint32_t i = trace->chart_next[chart]; i != UINT32_MAX; i = trace->chart_next[i])
        if (chart_has(trace, i)) scale = joined_scale(scale, counter_scale(&trace->outline.tracks[i]));
    return scale;
}

ValueScale chart_scale(const View *view, const LayoutItem *item)
{
    const TraceView *trace = view_trace(view, item->trace);
    if ((trace->track_flags[item->index] & TRACK_SAME_SCALE) == 0) return own_scale(trace, item->index);
    return view->layout.same_scale[counter_unit(&trace->outline.tracks[item->index])];
}

void counter_same_scale(View *view)
{
    ValueScale *scales = view->layout.same_scale;
    for (int unit = 0; unit < COUNTER_UNITS; unit++)
        scales[unit] = (ValueScale){ 0, 0 };
    for (uint32_t i = 0; i < view->layout.count; i++) {
        const LayoutItem *item = layout_item(view, i);
        if (item->kind != ITEM_TRACK) continue;
        const TraceView    *trace = view_trace(view, item->trace);
        const OutlineTrack *track = &trace->outline.tracks[item->index];
        if (track->kind != TRACK_KIND_COUNTER || (trace->track_flags[item->index] & TRACK_SAME_SCALE) == 0)
            continue;
        ValueScale *scale = &scales[counter_unit(track)];
        *scale = joined_scale(*scale, own_scale(trace, item->index));
    }
}

double counter_y(const ValueScale *scale, double value, double height)
{
    /* Halves, because the range itself may exceed a double. */
    double share = (value / 2 - scale->least / 2) / (scale->greatest / 2 - scale->least / 2);
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    return height - floor(share * height + 0.5);
}

void counter_chart(const View *view, const LayoutItem *item, double y_px, double *y, double *height)
{
    double top = y_px + layout_rows_top(view), bottom = y_px + item->height - TRACK_PAD_PX;
    if (item->closed && !layout_column_is_open(view)) { /* only the header's height is available */
        top = y_px + 2;
        bottom = y_px + HEADER_PX - 2;
    }
    *y = view_px(view, top);
    *height = view_px(view, bottom) - *y;
}

StringView chart_series_name(const TraceView *trace, const ChartList *list, uint32_t series)
{
    const ChartSeries   it = list->series[series];
    const OutlineTrack *track = &trace->outline.tracks[it.track];
    const StringView    name = trace->outline.rows[track->first_row + it.row].series;
    const bool          is_counter = list->counters > 1 && track->row_count == 1;
    return name.size > 0 && !is_counter ? name : track->title;
}

/* ---- numbers ---- */

#define NARROW_SPACE "\xE2\x80\xAF"

static bool append_odd(double value, char out[COUNTER_TEXT])
{
    if (isfinite(value)) return false;
    snprintf(out, COUNTER_TEXT, "%s", isnan(value) ? "none" : value > 0 ? "\xE2\x88\x9E" : "-\xE2\x88\x9E");
    return true;
}

static const char *unit_text(CounterUnit unit)
{
    return unit == UNIT_BYTES ? "B" : "";
}

size_t counter_format_short(double value, CounterUnit unit, char out[COUNTER_TEXT])
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
    if (append_odd(value, out)) return strlen(out);
    char   digits[24];
    double scaled = value;
    size_t step = 0;
    /* 999.6 would be rounded to 1e+03. */
    while (fabs(scaled) >= 999.5 && step + 1 < sizeof prefixes / sizeof *prefixes) {
        scaled /= 1000;
        step++;
    }
    snprintf(digits, sizeof digits, "%.3g", scaled);
    bool has_suffix = step > 0 || unit != UNIT_NONE;
    snprintf(out, COUNTER_TEXT, "%s%s%s%s", digits, has_suffix ? NARROW_SPACE : "", prefixes[step],
             unit_text(unit));
    return strlen(out);
}

size_t counter_format(double value, CounterUnit unit, char out[COUNTER_TEXT])
{
    size_t size = digits_put_real(value, out);
    if (unit != UNIT_NONE && isfinite(value))
        size += (size_t)snprintf(out + size, COUNTER_TEXT - size, NARROW_SPACE "%s", unit_text(unit));
    return size;
}

void counter_format_column(const ValueColumn *column, CounterUnit unit, Bytes *out)
{
    char text[COUNTER_TEXT];
    if (isnan(column->last))
        bytes_append_text(out, "\xE2\x80\x93");
    else
        bytes_append(out, text, counter_format(column->last, unit, text));
    if (isnan(column->least) || (column->least == column->last && column->greatest == column->last)) return;
    bytes_append_text(out, " (");
    bytes_append(out, text, counter_format(column->least, unit, text));
    if (column->greatest != column->least) {
        bytes_append_text(out, word_text(WORD_TO));
        bytes_append(out, text, counter_format(column->greatest, unit, text));
    }
    bytes_append_text(out, ")");
}
