#include "base/digits.h"
#include "base/json_writer.h"
#include "view/counter.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/row_heights.h"
#include "view/runs.h"
#include "view/shown.h"
#include "view/wide_tracks.h"
#include "view/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ROWS_MAX = 200, CELLS_MAX = 24 };

typedef struct RowsWriter {
    View      *view;
    JsonWriter json;
    int        written; /* rows; ROWS_MAX at most */
} RowsWriter;

/* Writes a cell for each instant that is alone in its column, at most `room`. */
static void write_instants(RowsWriter *writer, const LayoutItem *item, int room)
{
    View       *view = writer->view;
    JsonWriter *w = &writer->json;
    const Mark *marks = view->picture.scratch.row->marks.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    for (size_t i = 0; i < count && room > 0; i++) {
        if (marks[i].count > 1) continue;
        char begin[TIME_TEXT];
        view_time_text(view, item->trace, marks[i].tick, begin);
        json_object_begin(w);
        json_put_printf(w, "instant", "%" PRIu64, marks[i].instant);
        json_put_view(w, "name", view_label_name(view, item->trace, marks[i].label));
        json_put_string(w, "begin", begin);
        json_put_printf(w, "offset", "%" PRIu64, marks[i].tick); /* ticks from the trace's begin */
        json_object_end(w);
        room--;
    }
}

static void write_cells(RowsWriter *writer, const LayoutItem *item)
{
    View       *view = writer->view;
    JsonWriter *w = &writer->json;
    const Run  *runs = view->picture.scratch.row->runs.items;
    size_t      count = vec_count(&view->picture.scratch.row->runs);
    int         written = 0;
    json_put_array(w, "cells");
    for (size_t i = 0; i < count && written < CELLS_MAX; i++) {
        const Run *run = &runs[i];
        if (run->count > 1) continue;
        char       begin[TIME_TEXT], span[TIME_TEXT];
        StringView name = view_label_name(view, item->trace, run->label);
        view_time_text(view, item->trace, run->begin, begin);
        view_length_text(view, item->trace, run->extent, span);
        json_object_begin(w);
        json_put_printf(w, "slice", "%" PRIu64, (uint64_t)run->slice);
        json_put_view(w, "name", name);
        json_put_string(w, "begin", begin);
        json_put_string(w, "duration", span);
        json_put_printf(w, "offset", "%" PRIu64, (uint64_t)run->begin);
        json_object_end(w);
        written++;
    }
    write_instants(writer, item, CELLS_MAX - written);
    json_array_end(w);
}

/* Begins a row. */
static void write_head(RowsWriter *writer, const char *id, uint32_t level, StringView title)
{
    JsonWriter *w = &writer->json;
    writer->written++;
    json_object_begin(w);
    json_put_string(w, "id", id);
    json_put_u64(w, "level", level);
    json_put_view(w, "title", title);
}

/* Appends the visible values of a series: "young: 0 to 40, at last 12". */
static void append_series(View *view, const LayoutItem *item, const ChartList *list, uint32_t series,
                          Bytes *out)
{
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[list->series[series].track];
    const uint32_t      row = list->series[series].row;
    const CounterUnit   unit = counter_unit(track);
    StringView          name = chart_series_name(trace, list, series);
    if (row % TILE_BAND_ROWS == 0) runs_find_sources(view, item->trace, track, row / TILE_BAND_ROWS);
    const ValueColumn *columns = counter_columns(view, item->trace, track, row % TILE_BAND_ROWS);
    ValueColumn        seen = { NAN, NAN, NAN };
    char               text[COUNTER_TEXT];
    for (int32_t x = 0; columns != NULL && x < view->screen.geometry.plot_w; x++) {
        const ValueColumn *column = &columns[x];
        seen.least = fmin(seen.least, fmin(column->least, column->last)); /* fmin and fmax ignore a NaN */
        seen.greatest = fmax(seen.greatest, fmax(column->greatest, column->last));
        if (!isnan(column->last)) seen.last = column->last;
    }
    bytes_append(out, name.bytes, name.size);
    bytes_append_text(out, ": ");
    bytes_append(out, text, counter_format(seen.least, unit, text));
    if (isnan(seen.least)) return;
    bytes_append_text(out, word_text(WORD_TO));
    bytes_append(out, text, counter_format(seen.greatest, unit, text));
    char last[WORD_TEXT];
    (void)counter_format(seen.last, unit, text);
    bytes_append(out, last, word_format(WORD_AND_LAST, 0, text, last));
}

static void append_row(uint32_t row, Bytes *out)
{
    char number[DIGITS_TEXT], text[WORD_TEXT];
    (void)digits_put_whole((uint64_t)row + 1, number);
    bytes_append(out, text, word_format(WORD_ROW, 0, number, text));
}

/* Writes the track itself, then an item for each of its rows in sight; of a counter for each series. */
static void write_track(RowsWriter *writer, const LayoutItem *item, uint32_t level,
                        const SectionExtent *section)
{
    View               *view = writer->view;
    JsonWriter         *w = &writer->json;
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    char                id[64];
    snprintf(id, sizeof id, "t%u.k%u", item->trace, track->id);
    write_head(writer, id, level, track->title);
    json_put_bool(w, "expanded", !item->closed);
    bool is_focus = shown_is_focus(view, item);
    json_put_bool(w, "focused", is_focus);
    json_put_array(w, "cells");
    json_array_end(w);
    json_object_end(w);
    const bool      is_counter = track->kind == TRACK_KIND_COUNTER;
    const ChartList list = chart_list(trace, item->index);
    uint32_t        first = 0, end = list.count;
    if (!is_counter) {
        const double top = section->scroll_px - item->y;
        first = layout_row_at(view, trace, item->index, top);
        end = layout_row_at(view, trace, item->index,
                            top + (section->bottom - section->top) / view->screen.scale) +
              1;
        if (end > rows_shown(trace, item->index)) end = rows_shown(trace, item->index);
    }
    for (uint32_t row = first; row < end && writer->written < ROWS_MAX && !item->closed; row++) {
        snprintf(id, sizeof id, "t%u.k%u.r%u", item->trace, track->id, row);
        Bytes title = { 0 };
        if (is_counter) {
            append_series(view, item, &list, row, &title);
            runs_build(view, item->trace, list.series[row].row % TILE_BAND_ROWS); /* without slices */
        } else {
            if (row == first || row % TILE_BAND_ROWS == 0)
                runs_find_sources(view, item->trace, track, row / TILE_BAND_ROWS);
            runs_build(view, item->trace, row % TILE_BAND_ROWS);
            append_row(row, &title);
        }
        write_head(writer, id, level + 1, bytes_view(&title));
        bytes_release(&title);
        json_put_bool(w, "focused",
                      is_focus && view->selection.has_slice && view->selection.slice.row == row);
        write_cells(writer, item);
        json_object_end(w);
    }
}

static void write_group(RowsWriter *writer, const LayoutItem *item, uint32_t level)
{
    View       *view = writer->view;
    JsonWriter *w = &writer->json;
    char        id[64];
    if (item->kind == ITEM_TRACE)
        snprintf(id, sizeof id, "t%u", item->trace);
    else
        snprintf(id, sizeof id, "t%u.%c%u", item->trace, item->kind == ITEM_GROUP ? 'g' : 'p', item->index);
    write_head(writer, id, level, shown_title(view, (RowTarget){ item->kind, item->trace, item->index }));
    json_put_bool(w, "expanded", !item->closed);
    json_put_bool(w, "focused", shown_is_focus(view, item));
    json_put_array(w, "cells");
    json_array_end(w);
    json_object_end(w);
}

/* Writes a row for each track of instants that has no rows of its own on the screen. */
static void write_wide_instants(RowsWriter *writer, uint32_t trace, WideTracks wide, uint32_t level)
{
    View *view = writer->view;
    for (uint32_t i = 0; i < wide.count && writer->written < ROWS_MAX; i++) {
        const OutlineTrack *track = &view_trace(view, trace)->outline.tracks[wide.tracks[i]];
        if (track->instant_count == 0) continue;
        const LayoutItem item = { .kind = ITEM_TRACK, .trace = trace, .index = wide.tracks[i] };
        const bool       is_focus = view->selection.has_instant && view->selection.instant.trace == trace &&
                              view->selection.instant.track == track->id;
        char id[64];
        snprintf(id, sizeof id, "t%u.k%u.r0", trace, track->id);
        runs_find_sources(view, trace, track, 0);
        runs_build(view, trace, 0);
        write_head(writer, id, level, track->title);
        json_put_bool(&writer->json, "focused", is_focus);
        json_put_bool(&writer->json, "wide", true);
        write_cells(writer, &item);
        json_object_end(&writer->json);
    }
}

static void write_item(RowsWriter *writer, const LayoutItem *item, const SectionExtent *section)
{
    View          *view = writer->view;
    const uint32_t base = view->trace_count > 1 ? 2 : 1;
    if (item->kind == ITEM_TRACK) {
        const bool has_header = view->order.groups != GROUPS_NONE &&
                                layout_header_item(view, item->trace, item->index) != UINT32_MAX;
        write_track(writer, item, base + (has_header ? 1 : 0), section);
        return;
    }
    write_group(writer, item, item->kind == ITEM_TRACE ? 1 : base);
    if (item->kind == ITEM_PROCESS)
        write_wide_instants(writer, item->trace,
                            wide_tracks_of_process(view_trace(view, item->trace), item->index), base + 1);
}

void view_rows_json(View *view, Bytes *out)
{
    layout_build(view);
    runs_prepare(view);
    RowsWriter          writer = { view, json_writer_to(out, 0), 0 };
    const SectionExtent pinned = layout_section_extent(view, LAYOUT_PINNED),
                        scrolled = layout_section_extent(view, LAYOUT_SCROLLED);
    const SeenItems seen = layout_seen(view, LAYOUT_SCROLLED, 0);
    json_array_begin(&writer.json);
    for (uint32_t t = 0; t < view->trace_count; t++)
        write_wide_instants(&writer, t, view_trace(view, t)->wide[WIDE_GLOBAL_INSTANTS], 1);
    for (uint32_t i = 0; i < pinned.end && writer.written < ROWS_MAX; i++)
        write_item(&writer, layout_item(view, i), &pinned);
    for (uint32_t i = seen.first; i < seen.end && writer.written < ROWS_MAX; i++)
        write_item(&writer, layout_item(view, i), &scrolled);
    json_array_end(&writer.json);
}
