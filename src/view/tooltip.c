#include "base/ascii.h"
#include "base/utf8.h"
#include "view/counter.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/flow_lines.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>

enum {
    PAD_PX = 10,
    LINE_PX = 17,
    MAX_WIDTH_PX = 440,
    MAX_DETAILS = 12,
    APART_PX = 6,
    KEY_GAP_PX = 14,
    SWATCH_PX = 7,
    SWATCH_GAP_PX = 5
};
enum { MAX_LINES = MAX_DETAILS + 8, LINE_TEXT = 192 };

typedef enum { LINE_TITLE, LINE_PAIR, LINE_NOTE } LineKind;

typedef struct TipLine {
    LineKind kind;
    uint32_t swatch, swatch_edge; /* colours; 0 = none */
    char     key[48];
    char     text[LINE_TEXT];
    size_t   key_size, size;
} TipLine;

typedef struct Tip {
    TipLine lines[MAX_LINES];
    int     count;
} Tip;

static void add_line(Tip *tip, LineKind kind, StringView key, StringView text)
{
    if (tip->count == MAX_LINES) return;
    TipLine *line = &tip->lines[tip->count++];
    line->kind = kind;
    line->swatch = line->swatch_edge = 0;
    line->key_size = utf8_cut(key.bytes, key.size, sizeof line->key);
    memcpy(line->key, key.bytes, line->key_size);
    line->size = utf8_cut(text.bytes, text.size, sizeof line->text);
    memcpy(line->text, text.bytes, line->size);
}

static void add_pair(Tip *tip, Word key, const char *text)
{
    const char *name = word_text(key);
    add_line(tip, LINE_PAIR, c_string_view(name), c_string_view(text));
}

static void add_tick(View *view, Tip *tip, uint32_t trace_index, uint64_t tick, Word key)
{
    char text[TIME_TEXT];
    view_time_text(view, trace_index, tick, text);
    add_pair(tip, key, text);
}

/* Adds a sentence about a count. */
static void add_counted(Tip *tip, Word word, uint64_t count)
{
    char   line[WORD_TEXT];
    size_t size = word_format(word, count, "", line);
    add_line(tip, LINE_NOTE, (StringView){ "", 0 }, (StringView){ line, size });
}

static void add_note(Tip *tip, Word word)
{
    const char *text = word_text(word);
    add_line(tip, LINE_NOTE, (StringView){ "", 0 }, c_string_view(text));
}

/* True if the host's lines are those of the hit event. */
static bool has_details(const View *view, ViewRequestKind kind, uint32_t trace, const Hit *hit)
{
    const HoverDetails *details = &view->details;
    const EventPlace    event = view_hit_event(view, hit);
    return details->state == DATA_READY && details->kind == kind && details->trace == trace &&
           view_same_event(&details->event, &event);
}

/* Adds the host's lines from `at` on: "key\tvalue\n"... */
static void add_details(View *view, Tip *tip, const char *at)
{
    const char *end = view->details.text + view->details.size;
    for (int n = 0; at < end; n++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) line_end = end;
        const char *tab = memchr(at, '\t', (size_t)(line_end - at));
        if (n == MAX_DETAILS) {
            add_note(tip, WORD_MORE_DETAILS);
            return;
        }
        if (tab != NULL)
            add_line(tip, LINE_PAIR, (StringView){ at, (size_t)(tab - at) },
                     (StringView){ tab + 1, (size_t)(line_end - tab - 1) });
        at = line_end + 1;
    }
}

static StringView name_or_none(StringView name)
{
    const char *none = word_text(WORD_NO_NAME);
    return name.size > 0 ? name : c_string_view(none);
}

/* Reads the host's first line, "self\tTICKS\n". Returns the line after it; without it *self stays. */
static const char *take_self(const View *view, uint64_t *self)
{
    static const char KEY[] = "self\t";
    const char       *at = view->details.text, *end = at + view->details.size;
    uint64_t          ticks = 0;
    if (view->details.size < sizeof KEY || memcmp(at, KEY, sizeof KEY - 1) != 0) return at;
    for (at += sizeof KEY - 1; at < end && ascii_is_digit(*at); at++)
        ticks = ticks * 10 + (uint64_t)(*at - '0');
    if (at == end || *at != '\n') return view->details.text;
    *self = ticks;
    return at + 1;
}

/* Adds the length of a slice, and its self time unless that is all of it: "4.2 ms (self 1.3 ms)". */
static void add_length(View *view, Tip *tip, uint32_t trace_index, uint64_t extent, uint64_t self)
{
    const bool is_time = clock_has_time(&view_trace(view, trace_index)->outline.clock);
    char       length[TIME_TEXT], own[TIME_TEXT], both[LINE_TEXT];
    view_length_text(view, trace_index, extent, length);
    view_length_text(view, trace_index, self, own);
    snprintf(both, sizeof both, "%s (%s %s)", length, word_text(WORD_SELF), own);
    add_pair(tip, is_time ? WORD_DURATION : WORD_LENGTH, self < extent ? both : length);
}

static void describe_run(View *view, Tip *tip, const Hit *hit)
{
    const LayoutItem *item = layout_item(view, hit->item);
    const TraceView  *trace = view_trace(view, item->trace);
    const Run        *run = &hit->run;
    char              span[TIME_TEXT];
    StringView        none = { "", 0 };
    const bool        known = run->count == 1 && has_details(view, VIEW_REQUEST_DETAILS, item->trace, hit);
    uint64_t          self = run->extent;
    const char       *details = known ? take_self(view, &self) : NULL;
    add_line(tip, LINE_TITLE, none, name_or_none(view_label_name(view, item->trace, run->label)));
    if (run->count > 1) {
        add_counted(tip, WORD_SLICES_SHARE, run->count);
        view_span_text(view, item->trace, run->longest_ticks, SPAN_FULL, span);
        add_pair(tip, WORD_LONGEST, span);
        view_span_text(view, item->trace, (uint64_t)run->covered, SPAN_FULL, span);
        add_pair(tip, WORD_TOGETHER, span);
    } else {
        add_length(view, tip, item->trace, run->extent, self);
    }
    add_tick(view, tip, item->trace, run->begin, WORD_START);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    bool                is_thread = track->kind == TRACK_KIND_THREAD;
    const char         *noun = word_text(is_thread ? WORD_THREAD : WORD_TRACK);
    add_line(tip, LINE_PAIR, c_string_view(noun), track->title);
    if (run->flags & TILE_UNFINISHED) add_note(tip, WORD_UNENDED);
    if (run->flags & TILE_REPAIRED) add_note(tip, WORD_REPAIRED);
    if (known) add_details(view, tip, details);
}

static void describe_mark(View *view, Tip *tip, const Hit *hit)
{
    StringView none = { "", 0 };
    add_line(tip, LINE_TITLE, none, name_or_none(view_label_name(view, hit->mark_trace, hit->mark.label)));
    if (hit->mark.count > 1) add_counted(tip, WORD_INSTANTS_SHARE, hit->mark.count);
    add_tick(view, tip, hit->mark_trace, hit->mark.tick, WORD_TIME);
    if (hit->mark.count == 1 && has_details(view, VIEW_REQUEST_INSTANT_DETAILS, hit->mark_trace, hit))
        add_details(view, tip, view->details.text);
}

/* Describes an arrow: its name and duration. The host adds its ends, category and id. */
static void describe_flow(View *view, Tip *tip, const Hit *hit)
{
    const FlowLine *line = &hit->flow;
    const Clock    *clock = &view_trace(view, line->trace)->outline.clock;
    uint64_t        from = line->flow.from.tick, to = line->flow.to.tick;
    char            text[LINE_TEXT], span[TIME_TEXT];
    StringView      none = { "", 0 };
    StringView      name = view_label_name(view, line->trace, line->flow.label);
    const char     *flow = word_text(WORD_FLOW);
    add_line(tip, LINE_TITLE, none, name.size > 0 ? name : c_string_view(flow));
    if (line->count > 1) add_counted(tip, WORD_FLOWS_SHARE, line->count);
    view_length_text(view, line->trace, from > to ? from - to : to - from, span);
    snprintf(text, sizeof text, "%s%s", span, from > to ? word_text(WORD_BACKWARDS) : "");
    add_pair(tip, clock_has_time(clock) ? WORD_DELAY : WORD_LENGTH, text);
    add_tick(view, tip, line->trace, from, WORD_LEAVES);
    if (has_details(view, VIEW_REQUEST_FLOW_DETAILS, line->trace, hit))
        add_details(view, tip, view->details.text);
    FlowEndKind far = flow_far_end(line, view->input.pointer.x * view->screen.scale,
                                   view->input.pointer.y * view->screen.scale);
    add_note(tip, far == FLOW_END_TO ? WORD_TO_END : WORD_TO_BEGIN);
}

/* Adds the value of each series in the column under the pointer. */
static void describe_counter(View *view, Tip *tip, const Hit *hit)
{
    const LayoutItem   *item = layout_item(view, hit->item);
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    StringView          none = { "", 0 };
    Bytes               text = { 0 };
    double              total = 0;
    SeriesColours       colours;
    const ChartList     list = chart_list(trace, item->index);
    chart_choose_colours(trace, &list, &colours);
    add_line(tip, LINE_TITLE, none, name_or_none(track->title));
    for (uint32_t i = 0; i < list.count; i++) {
        const uint32_t      row = list.series[i].row;
        const OutlineTrack *counter = &trace->outline.tracks[list.series[i].track];
        if (row % TILE_BAND_ROWS == 0) runs_find_sources(view, item->trace, counter, row / TILE_BAND_ROWS);
        const ValueColumn *columns = counter_columns(view, item->trace, counter, row % TILE_BAND_ROWS);
        if (columns == NULL || hit->column >= view->screen.geometry.plot_w) break;
        if (!isnan(columns[hit->column].last)) total += columns[hit->column].last;
        if (i >= MAX_DETAILS) continue;
        bytes_clear(&text);
        counter_format_column(&columns[hit->column], counter_unit(counter), &text);
        const bool  has_name = trace->outline.rows[counter->first_row + row].series.size > 0;
        const char *value = word_text(WORD_VALUE);
        add_line(tip, LINE_PAIR,
                 has_name || list.counters > 1 ? chart_series_name(trace, &list, i) : c_string_view(value),
                 bytes_view(&text));
        NameColour look = chart_series_look(view, &colours, i);
        tip->lines[tip->count - 1].swatch = look.fill;
        tip->lines[tip->count - 1].swatch_edge = look.edge;
    }
    if (list.total > MAX_DETAILS) add_counted(tip, WORD_MORE_SERIES, list.total - MAX_DETAILS);
    if (track->is_stacked && list.counters == 1 && list.total == list.count) {
        char sum[COUNTER_TEXT];
        counter_format(total, counter_unit(track), sum);
        add_pair(tip, WORD_TOGETHER, sum);
    }
    bytes_release(&text);
    add_tick(view, tip, item->trace, hit->tick, WORD_TIME);
}

typedef struct TipSize {
    double swatch_w, key_w, width, height;
} TipSize;

static TextStyle line_style(const View *view, LineKind kind)
{
    const Palette *palette = colour_palette(view->screen.theme);
    double         size = (kind == LINE_TITLE ? 12 : 11.5) * view->screen.scale;
    return (TextStyle){ kind == LINE_TITLE ? FONT_MEDIUM : FONT_REGULAR, size,
                        kind == LINE_NOTE ? palette->muted : palette->text };
}

static TipSize measure(const View *view, const Tip *tip)
{
    TipSize size = { 0 };
    double  rest = 0;
    for (int i = 0; i < tip->count; i++) {
        const TipLine *line = &tip->lines[i];
        TextStyle      style = line_style(view, line->kind);
        double         key = text_width(style.face, style.size_px, line->key, line->key_size);
        double         text = text_width(style.face, style.size_px, line->text, line->size);
        if (key > size.key_w) size.key_w = key;
        if (line->swatch != 0) size.swatch_w = view_px(view, SWATCH_PX + SWATCH_GAP_PX);
        if (line->kind == LINE_PAIR && text > rest) rest = text;
        if (line->kind != LINE_PAIR && text > size.width) size.width = text;
    }
    if (size.key_w > 0) size.key_w = ceil(size.key_w) + view_px(view, KEY_GAP_PX);
    if (size.swatch_w + size.key_w + rest > size.width) size.width = size.swatch_w + size.key_w + rest;
    size.width = ceil(size.width) + 2 * view_px(view, PAD_PX) + 1;
    double widest = view_px(view, MAX_WIDTH_PX);
    if (size.width > widest) size.width = widest;
    size.height = tip->count * view_px(view, LINE_PX) + 2 * view_px(view, PAD_PX) - view_px(view, 4);
    return size;
}

/* Places the tooltip below the bar, or above it if there is no room; never over it. */
static Rect place(const View *view, TipSize size, Rect bar)
{
    const Geometry *g = &view->screen.geometry;
    double          apart = view_px(view, APART_PX);
    double          x = floor(view->input.pointer.x * g->scale + 2 * apart), y = bar.y + bar.h + apart;
    if (x + size.width + apart > g->width) x = g->width - size.width - apart;
    if (x < apart) x = apart;
    if (y + size.height + apart > g->height && bar.y - size.height - apart > 0)
        y = bar.y - size.height - apart;
    return (Rect){ x, y, size.width, size.height };
}

static void paint(View *view, Frame *frame, const Tip *tip, TipSize size, Rect box)
{
    const Palette *palette = colour_palette(view->screen.theme);
    frame_layer(frame, (Rect){ 0, 0, view->screen.geometry.width, view->screen.geometry.height });
    for (int i = 3; i > 0; i--) { /* a soft shadow of a few rounded rectangles */
        double grow = view_px(view, i * 2);
        frame_box(frame,
                  (Rect){ box.x - grow, box.y - grow + view_px(view, 2), box.w + 2 * grow, box.h + 2 * grow },
                  &(DrawShape){ .fill = colour_faded(palette->shadow, 70),
                                .radius = (float)(grow + 5 * view->screen.scale) });
    }
    frame_box(frame, box,
              &(DrawShape){ .fill = palette->raised,
                            .edge = palette->rule,
                            .edge_px = 1,
                            .radius = (float)(5 * view->screen.scale) });
    double line_h = view_px(view, LINE_PX), x = box.x + view_px(view, PAD_PX);
    double y = box.y + view_px(view, PAD_PX) - view_px(view, 2),
           end = box.x + box.w - view_px(view, PAD_PX) + 1;
    for (int i = 0; i < tip->count; i++, y += line_h) {
        const TipLine *line = &tip->lines[i];
        TextStyle      style = line_style(view, line->kind), key = style;
        double         baseline = view_baseline(y, line_h, style.size_px);
        double         text_x = line->kind == LINE_PAIR ? x + size.swatch_w + size.key_w : x;
        double         swatch = view_px(view, SWATCH_PX);
        if (line->swatch != 0)
            frame_mark(frame, DRAW_RECT, (Rect){ x, baseline - swatch, swatch, swatch }, line->swatch,
                       line->swatch_edge, 1);
        key.colour = palette->muted;
        frame_text_cut(frame, &key, x + size.swatch_w, baseline, size.key_w, line->key, line->key_size);
        if (line->kind == LINE_TITLE &&
            text_width(style.face, style.size_px, line->text, line->size) > end - text_x) {
            FittedLabel fitted;
            label_fit(style.face, line->text, line->size,
                      (uint64_t)((end - text_x) / style.size_px * TEXT_UNITS_PER_EM), &fitted);
            frame_text(frame, &style, text_x, baseline, end - text_x, fitted.text, fitted.size);
            continue;
        }
        frame_text_cut(frame, &style, text_x, baseline, end - text_x, line->text, line->size);
    }
}

void draw_tooltip(View *view, Frame *frame)
{
    if (!view_interactive(view) || !view->input.pointer.inside || !view->input.hover.tooltip) return;
    if (view->input.pointer.drag != DRAG_NONE) return;
    Hit hit;
    view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    Tip  tip;
    Rect beside = { view->input.pointer.x * view->screen.scale,
                    view->input.pointer.y * view->screen.scale - view_px(view, 8), 1, view_px(view, 20) };
    tip.count = 0;
    if (hit.has_flow) {
        describe_flow(view, &tip, &hit);
    } else if (hit.has_mark) {
        describe_mark(view, &tip, &hit);
    } else if (hit.has_counter) {
        describe_counter(view, &tip, &hit);
        beside = hit.bar;
    } else if (hit.has_run) {
        describe_run(view, &tip, &hit);
        beside = hit.bar;
    } else {
        return;
    }
    TipSize size = measure(view, &tip);
    paint(view, frame, &tip, size, place(view, size, beside));
}
