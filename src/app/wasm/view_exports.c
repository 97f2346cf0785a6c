/* The timeline for the page's main thread: the functions of view/view.h as exports, without those of notes and view files
 * (view_file_exports.c).
 *
 * web/border.mjs generates the TypeScript declarations of these functions and of the
 * structs, which the page reads and writes in memory. */
#include "app/wasm/export.h"
#include "app/wasm/view_page.h"
#include "view/colour_mode.h"
#include "view/label_fit.h"
#include "view/text.h"
#include "view/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns the plural form of a count in the language of the page (PluralForm of view/words.h). */
WASM_IMPORT(plural_form) unsigned host_plural_form(double count);

WASM_EXPORT(view_open) PageView *page_open(double cache_bytes)
{
    Arena     arena = arena_create(0);
    PageView *page = ARENA_NEW(&arena, PageView);
    if (page == NULL) return NULL;
    page->arena = arena;
    page->view = view_create((size_t)cache_bytes);
    return page->view == NULL ? NULL : page;
}

/* ---- buffers ---- */

/* Returns room for `size` bytes from the page and a zero byte; NULL when out of memory. */
WASM_EXPORT(view_input) uint8_t *page_input(PageView *page, size_t size)
{
    bytes_clear(&page->in);
    uint8_t *room = size < SIZE_MAX ? bytes_reserve(&page->in, size + 1) : NULL;
    if (room == NULL) return NULL;
    room[size] = 0;
    bytes_grow(&page->in, size + 1);
    return room;
}

WASM_EXPORT(view_output) const uint8_t *page_output(const PageView *page)
{
    return page->out.data;
}

WASM_EXPORT(view_output_size) size_t page_output_size(const PageView *page)
{
    return page->out.failed ? 0 : page->out.size;
}

/* ---- set up ---- */

WASM_EXPORT(view_resize) void page_resize(PageView *page, double width, double height, double ratio)
{
    view_resize(page->view, width, height, ratio);
}

WASM_EXPORT(view_set_theme) void page_set_theme(PageView *page, Theme theme)
{
    view_set_theme(page->view, theme);
}

WASM_EXPORT(view_set_options) void page_set_options(PageView *page, uint32_t options)
{
    view_set_options(page->view, options);
}

WASM_EXPORT(view_options) uint32_t page_options(const PageView *page)
{
    return view_options(page->view);
}

/* Writes the ids of the words, a line for each. */
WASM_EXPORT(view_word_ids) void page_word_ids(PageView *page)
{
    bytes_clear(&page->out);
    for (int i = 0; i < WORDS; i++)
        bytes_printf(&page->out, "%s\n", word_id((Word)i));
}

static unsigned plural_form(uint64_t count)
{
    return host_plural_form((double)count);
}

/* Sets the words of the view, `size` bytes of the input as for words_set. */
WASM_EXPORT(view_set_words) bool page_set_words(PageView *page, size_t size)
{
    return words_set((const char *)page->in.data, size, plural_form);
}

/* ---- data ---- */

/* Writes the reason to the output and returns false. */
static bool say(PageView *page, const Err *err)
{
    bytes_clear(&page->out);
    bytes_append_text(&page->out, err->message);
    return false;
}

WASM_EXPORT(view_add_trace) bool page_add_trace(PageView *page, size_t size)
{
    Err err;
    return view_add_trace(page->view, page->in.data, size, &err) || say(page, &err);
}

WASM_EXPORT(view_replace_trace) bool page_replace_trace(PageView *page, uint32_t trace, size_t size)
{
    Err err;
    return view_replace_trace(page->view, trace, page->in.data, size, &err) || say(page, &err);
}

WASM_EXPORT(view_lacks) bool page_lacks(const PageView *page, uint32_t trace)
{
    return view_lacks(page->view, trace);
}

WASM_EXPORT(view_update_outline)
bool page_update_outline(PageView *page, uint32_t trace, size_t size, uint64_t from)
{
    Err err;
    return view_update_outline(page->view, trace, page->in.data, size, from, &err) || say(page, &err);
}

WASM_EXPORT(view_complete_trace) bool page_complete_trace(PageView *page, uint32_t trace, size_t size)
{
    Err err;
    return view_complete_trace(page->view, trace, page->in.data, size, &err) || say(page, &err);
}

WASM_EXPORT(view_set_growing) void page_set_growing(PageView *page, uint32_t trace, ViewGrowth growth)
{
    view_set_growing(page->view, trace, growth);
}

WASM_EXPORT(view_numbering) uint32_t page_numbering(const PageView *page, uint32_t trace)
{
    return view_numbering(page->view, trace);
}

WASM_EXPORT(view_follows) bool page_follows(const PageView *page)
{
    return view_follows(page->view);
}

WASM_EXPORT(view_remove_trace) void page_remove_trace(PageView *page, uint32_t trace)
{
    view_remove_trace(page->view, trace);
}

WASM_EXPORT(view_clear) void page_clear(PageView *page)
{
    view_clear(page->view);
}

WASM_EXPORT(view_put_tile) bool page_put_tile(PageView *page, uint32_t trace, size_t size)
{
    return view_put_tile(page->view, trace, page->in.data, size);
}

WASM_EXPORT(view_put_labels)
bool page_put_labels(PageView *page, uint32_t trace, uint32_t labels, size_t size)
{
    return view_put_labels(page->view, trace, labels, page->in.data, size);
}

WASM_EXPORT(view_put_overview) bool page_put_overview(PageView *page, uint32_t trace, size_t size)
{
    return view_put_overview(page->view, trace, page->in.data, size);
}

WASM_EXPORT(view_put_visible) bool page_put_visible(PageView *page, uint32_t trace, size_t size)
{
    return view_put_visible(page->view, trace, page->in.data, size);
}

WASM_EXPORT(view_set_hidden) bool page_set_hidden(PageView *page, uint32_t trace, size_t size)
{
    return view_set_hidden(page->view, trace, page_text(page), size);
}

static void put_out(PageView *page, StringView text)
{
    bytes_clear(&page->out);
    bytes_append(&page->out, text.bytes, text.size);
}

WASM_EXPORT(view_hidden) void page_hidden(PageView *page, uint32_t trace)
{
    put_out(page, view_hidden(page->view, trace));
}

WASM_EXPORT(view_set_perspective) bool page_set_perspective(PageView *page, size_t size)
{
    return view_set_perspective(page->view, page_text(page), size);
}

WASM_EXPORT(view_perspective) void page_perspective(PageView *page)
{
    bytes_clear(&page->out);
    bytes_append_text(&page->out, view_perspective(page->view));
}

WASM_EXPORT(view_axis) ViewAxis page_axis(const PageView *page, uint32_t trace)
{
    return view_axis(page->view, trace);
}

/* Writes the names, separated by line feeds. */
WASM_EXPORT(view_perspectives) void page_perspectives(PageView *page)
{
    bytes_clear(&page->out);
    view_perspectives(page->view, &page->out);
}

WASM_EXPORT(view_filter_text) void page_filter_text(PageView *page, uint32_t trace, uint32_t filter)
{
    put_out(page, view_filter_text(page->view, trace, filter));
}

/* The input: a ViewRequest and `size` bytes after it. */
WASM_EXPORT(view_put_details) void page_put_details(PageView *page, size_t size)
{
    const ViewRequest *request = page_struct(page, sizeof(ViewRequest) + size);
    view_put_details(page->view, request, (const char *)(request + 1), size);
}

/* Returns NULL if no request is left. */
WASM_EXPORT(view_next_request) const ViewRequest *page_next_request(PageView *page)
{
    return view_next_request(page->view, &page->request) ? &page->request : NULL;
}

/* The input: a ViewRequest. */
WASM_EXPORT(view_request_failed) void page_request_failed(PageView *page)
{
    view_request_failed(page->view, page_struct(page, sizeof(ViewRequest)));
}

/* The input: a ViewRequest. */
WASM_EXPORT(view_request_is_past) bool page_request_is_past(PageView *page)
{
    return view_request_is_past(page->view, page_struct(page, sizeof(ViewRequest)));
}

/* The input: a ViewRequest and `size` bytes after it. */
WASM_EXPORT(view_put_moments) bool page_put_moments(PageView *page, size_t size)
{
    const ViewRequest *request = page_struct(page, sizeof(ViewRequest) + size);
    return view_put_moments(page->view, request, request + 1, size);
}

WASM_EXPORT(view_is_waiting) bool page_is_waiting(const PageView *page)
{
    return view_is_waiting(page->view);
}

/* ---- input ---- */

WASM_EXPORT(view_pointer)
void page_pointer(PageView *page, PointerKind kind, double x, double y, int button, uint32_t modifiers,
                  int clicks, uint32_t touch, double now_ms)
{
    const PointerInput input = { .kind = kind,
                                 .x = x,
                                 .y = y,
                                 .button = button,
                                 .modifiers = modifiers,
                                 .clicks = clicks,
                                 .touch = touch != 0 };
    view_pointer(page->view, &input, now_ms);
}

WASM_EXPORT(view_wheel)
void page_wheel(PageView *page, double x, double y, double delta_x, double delta_y, uint32_t modifiers,
                double now_ms)
{
    view_wheel(page->view, x, y, delta_x, delta_y, modifiers, now_ms);
}

WASM_EXPORT(view_key) bool page_key(PageView *page, KeyKind kind, uint32_t modifiers, double now_ms)
{
    return view_key(page->view, kind, page_text(page), modifiers, now_ms);
}

WASM_EXPORT(view_command) bool page_command(PageView *page, double now_ms)
{
    return view_command(page->view, page_text(page), now_ms);
}

WASM_EXPORT(view_command_at) const Command *page_command_at(size_t i)
{
    return view_command_at(i);
}

WASM_EXPORT(view_command_keys) void page_command_keys(PageView *page, size_t i)
{
    char text[COMMAND_KEYS_TEXT];
    put_out(page, (StringView){ text, view_command_keys(page->view, i, text) });
}

/* The input: the keys. On failure the output is the reason. */
WASM_EXPORT(view_set_command_keys) bool page_set_command_keys(PageView *page, size_t i)
{
    Err err;
    bytes_clear(&page->out);
    if (view_set_command_keys(page->view, i, page_text(page), &err)) return true;
    bytes_append_text(&page->out, err.message);
    return false;
}

WASM_EXPORT(view_key_text) void page_key_text(PageView *page, uint32_t modifiers)
{
    char text[COMMAND_KEYS_TEXT];
    put_out(page, (StringView){ text, view_key_text(page_text(page), modifiers, text) });
}

/* ---- frame ---- */

WASM_EXPORT(view_step) bool page_step(PageView *page, double now_ms)
{
    return view_step(page->view, now_ms);
}

WASM_EXPORT(view_is_moving) bool page_is_moving(const PageView *page)
{
    return view_is_moving(page->view);
}

WASM_EXPORT(view_draw) const DrawList *page_draw(PageView *page)
{
    return view_draw(page->view);
}

WASM_EXPORT(view_plan) const PaintList *page_plan(PageView *page, const DrawList *frame)
{
    return paint_plan_make(&page->plan, frame);
}

/* Return lengths in em. */
WASM_EXPORT(text_advance) double page_text_advance(FontFace face, uint32_t code_point)
{
    return (double)text_advance(face, code_point) / TEXT_UNITS_PER_EM;
}

WASM_EXPORT(text_shift) double page_text_shift(FontFace face, uint32_t code_point)
{
    return (double)text_shift(face, code_point) / TEXT_UNITS_PER_EM;
}

WASM_EXPORT(text_has_glyph) bool page_text_has_glyph(FontFace face, uint32_t code_point)
{
    return text_has_glyph(face, code_point);
}

/* ---- state ---- */

WASM_EXPORT(view_range_begin) int64_t page_range_begin(const PageView *page, uint32_t trace)
{
    int64_t begin, end;
    view_get_range(page->view, trace, &begin, &end);
    return begin;
}

WASM_EXPORT(view_range_end) int64_t page_range_end(const PageView *page, uint32_t trace)
{
    int64_t begin, end;
    view_get_range(page->view, trace, &begin, &end);
    return end;
}

WASM_EXPORT(view_set_range)
void page_set_range(PageView *page, uint32_t trace, int64_t begin, int64_t end, double now_ms)
{
    view_set_range(page->view, trace, begin, end, now_ms);
}

/* Writes the offset in ticks as a decimal number. */
WASM_EXPORT(view_find_time_of_day)
DayFinding page_find_time_of_day(PageView *page, uint32_t trace, size_t size)
{
    int64_t          offset = 0;
    const DayFinding finding = view_find_time_of_day(page->view, trace, page_text(page), size, &offset);
    bytes_clear(&page->out);
    if (finding == DAY_FOUND) bytes_printf(&page->out, "%" PRId64, offset);
    return finding;
}

WASM_EXPORT(view_scroll) double page_scroll(const PageView *page)
{
    return view_scroll(page->view);
}

/* The input of these functions: a SlicePlace. */
WASM_EXPORT(view_select) void page_select(PageView *page, double now_ms)
{
    view_select(page->view, page_struct(page, sizeof(SlicePlace)), now_ms);
}

WASM_EXPORT(view_reselect) void page_reselect(PageView *page)
{
    view_reselect(page->view, page_struct(page, sizeof(SlicePlace)));
}

WASM_EXPORT(view_select_instant) void page_select_instant(PageView *page, double now_ms)
{
    view_select_instant(page->view, page_struct(page, sizeof(SlicePlace)), now_ms);
}

WASM_EXPORT(view_select_none) void page_select_none(PageView *page, double now_ms)
{
    view_select(page->view, NULL, now_ms);
}

WASM_EXPORT(view_filter_tracks) void page_filter_tracks(PageView *page)
{
    view_filter_tracks(page->view, page_text(page));
}

/* The input: `count` FoundEvents followed by `label_count` labels. */
WASM_EXPORT(view_set_found)
bool page_set_found(PageView *page, uint32_t trace, uint32_t count, uint32_t label_count)
{
    const FoundEvent *events = (const FoundEvent *)(const void *)page->in.data;
    return view_set_found(page->view, trace, events, count, (const uint32_t *)(const void *)(events + count),
                          label_count);
}

/* label 0: none. */
WASM_EXPORT(view_mark_search) void page_mark_search(PageView *page, uint32_t trace, uint32_t search)
{
    view_mark_search(page->view, trace, search);
}

WASM_EXPORT(view_point_name) void page_point_name(PageView *page, uint32_t trace, uint32_t label)
{
    view_point_name(page->view, trace, label);
}

WASM_EXPORT(view_highlight_name) void page_highlight_name(PageView *page, uint32_t trace, uint32_t label)
{
    view_highlight_name(page->view, trace, label);
}

WASM_EXPORT(view_highlight_also) void page_highlight_also(PageView *page, uint32_t trace, uint32_t label)
{
    view_highlight_also(page->view, trace, label);
}

/* The input: `count` tick offsets (u64), one for each trace; 0: aligns by the clocks. */
WASM_EXPORT(view_align) bool page_align(PageView *page, uint32_t count, double now_ms)
{
    return view_align(page->view, count == 0 ? NULL : (const uint64_t *)(const void *)page->in.data, now_ms);
}

WASM_EXPORT(view_filter_durations)
void page_filter_durations(PageView *page, uint32_t trace, uint64_t least_ticks, uint64_t most_ticks)
{
    view_filter_durations(page->view, trace, least_ticks, most_ticks);
}

WASM_EXPORT(view_filter_no_durations) void page_filter_no_durations(PageView *page)
{
    view_filter_no_durations(page->view);
}

/* The input contains the events. */
WASM_EXPORT(view_highlight_slices)
bool page_highlight_slices(PageView *page, uint32_t trace, uint32_t label, uint32_t count)
{
    return view_highlight_slices(page->view, trace, label, (const FoundEvent *)(const void *)page->in.data,
                                 count);
}

/* Returns the colours of the name in the input, with this Label.colour. */
WASM_EXPORT(view_name_colour)
const NameColour *page_name_colour(PageView *page, Theme theme, uint32_t colour, size_t size)
{
    page->colour = colour == 0 ? colour_mode_name(page->view, theme, (const char *)page->in.data, size)
                               : colour_label(theme, colour);
    return &page->colour;
}

/* Cuts the name in the input to a width. */
WASM_EXPORT(view_fit_name) void page_fit_name(PageView *page, double width_em, size_t size)
{
    FittedLabel label;
    label_fit(FONT_REGULAR, (const char *)page->in.data, size,
              width_em <= 0 ? 0 : (uint64_t)(width_em * TEXT_UNITS_PER_EM), &label);
    put_out(page, (StringView){ label.text, label.size });
}

/* Returns the distance of a label from both ends of a bar; below 0: the bar is too narrow for text. */
WASM_EXPORT(view_label_pad) double page_label_pad(double bar_px)
{
    return label_pad_px(bar_px);
}

/* Returns NULL if no event is left. */
WASM_EXPORT(view_next_event) const ViewEvent *page_next_event(PageView *page)
{
    return view_next_event(page->view, &page->event) ? &page->event : NULL;
}

/* Returns NULL if the area has no tracks of the trace. */
WASM_EXPORT(view_area_in) const ViewEvent *page_area_in(PageView *page, uint32_t trace)
{
    return view_area_in(page->view, trace, &page->event) ? &page->event : NULL;
}

/* The input contains the ids of the tracks. */
WASM_EXPORT(view_keep_area)
bool page_keep_area(PageView *page, uint32_t trace, uint64_t begin, uint64_t end, uint32_t count)
{
    return view_keep_area(page->view, trace, begin, end, (const uint32_t *)(const void *)page->in.data,
                          count);
}

WASM_EXPORT(view_rows_json) void page_rows_json(PageView *page)
{
    bytes_clear(&page->out);
    view_rows_json(page->view, &page->out);
}

WASM_EXPORT(view_span) uint64_t page_span(const PageView *page, uint32_t trace)
{
    return view_span(page->view, trace);
}

WASM_EXPORT(view_time_text) void page_time_text(PageView *page, uint32_t trace, uint64_t ticks)
{
    char text[VIEW_TIME_TEXT];
    put_out(page, (StringView){ text, view_time_text(page->view, trace, ticks, text) });
}

WASM_EXPORT(view_length_text) void page_length_text(PageView *page, uint32_t trace, uint64_t ticks)
{
    char text[VIEW_TIME_TEXT];
    put_out(page, (StringView){ text, view_length_text(page->view, trace, ticks, text) });
}

WASM_EXPORT(view_shown_json) void page_shown_json(PageView *page)
{
    bytes_clear(&page->out);
    view_shown_json(page->view, &page->out);
}

/* The input of both functions: the mark's name. */
WASM_EXPORT(view_unmark_all) void page_unmark_all(PageView *page)
{
    view_unmark_all(page->view, page_text(page));
}

WASM_EXPORT(view_unmark_row)
void page_unmark_row(PageView *page, uint32_t trace, bool is_process, uint32_t index)
{
    (is_process ? view_unmark_process : view_unmark_track)(page->view, page_text(page), trace, index);
}

WASM_EXPORT(view_find_rows) void page_find_rows(PageView *page)
{
    view_find_rows(page->view, page_text(page));
}

WASM_EXPORT(view_find_rows_step) bool page_find_rows_step(PageView *page)
{
    return view_find_rows_step(page->view);
}

WASM_EXPORT(view_found_rows_json) void page_found_rows_json(PageView *page)
{
    bytes_clear(&page->out);
    view_found_rows_json(page->view, &page->out);
}

WASM_EXPORT(view_go_to_row) void page_go_to_row(PageView *page, uint32_t found, double now_ms)
{
    view_go_to_row(page->view, found, now_ms);
}

WASM_EXPORT(view_go_to_track)
void page_go_to_track(PageView *page, uint32_t trace, uint32_t track, double now_ms)
{
    view_go_to_track(page->view, trace, track, now_ms);
}

WASM_EXPORT(view_head_json) void page_head_json(PageView *page)
{
    bytes_clear(&page->out);
    view_head_json(page->view, &page->out);
}

WASM_EXPORT(view_focus_head) void page_focus_head(PageView *page)
{
    view_focus_head(page->view);
}
