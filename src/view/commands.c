#include "view/commands.h"

#include "view/align.h"
#include "view/chart_changes.h"
#include "view/data.h"
#include "view/head.h"
#include "view/hit.h"
#include "view/input.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/motion.h"
#include "view/notes.h"
#include "view/perspective.h"
#include "view/row_history.h"
#include "view/row_moves.h"
#include "view/row_order.h"
#include "view/row_sizes.h"
#include "view/select.h"
#include "view/shown.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Executes a command; `times` is 4 for the fast variant. */
typedef void CommandAction(View *view, int argument);

typedef struct CommandRow {
    Command        command;
    CommandAction *action; /* NULL: the host executes it */
    int            argument;
} CommandRow;

enum { ZOOM_PERCENT = 25, PAN_PERCENT = 12 };

static void do_zoom(View *view, int percent)
{
    double factor = percent > 0 ? 1 + percent / 100.0 : 1 / (1 - percent / 100.0);
    camera_zoom(&view->position.camera, view_anchor(view), factor, view_motion(view));
    view_camera_changed(view);
}

static void do_pan(View *view, int percent)
{
    camera_pan(&view->position.camera, view->position.camera.width_px * percent / 100, view_motion(view));
    view_camera_changed(view);
}

static void do_scroll(View *view, int percent)
{
    double room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    view_scroll_to(view, view->position.target_px + room * percent / 100);
}

static void do_fit(View *view, int unused)
{
    (void)unused;
    camera_go(&view->position.camera, camera_fit(&view->position.camera), view_motion(view));
    view_camera_changed(view);
}

/* Moves the trace's begin to the left edge (side 0) or its end to the right edge (side 1). */
static void do_side(View *view, int side)
{
    CameraPos pos = view->position.camera.target;
    double    margin = view->position.camera.width_px * 0.01 / pos.px_per_tick,
           span = view->position.camera.width_px / pos.px_per_tick;
    pos.tick = side == 0 ? 0 : (int64_t)view->extent;
    pos.frac = 0;
    camera_advance(&pos, side == 0 ? -margin : margin - span);
    camera_go(&view->position.camera, pos, view_motion(view));
    view_camera_changed(view);
    if (side == 1) live_start_following(view);
}

static void do_focus_selection(View *view, int unused)
{
    (void)unused;
    view_zoom_to_selection(view);
}

static void do_fit_selection(View *view, int unused)
{
    (void)unused;
    view_fit_selection(view);
}

static void do_history(View *view, int by)
{
    history_go(view, by);
}

static void do_near(View *view, int which)
{
    static const char *const moves[] = { "previous",  "next",          "parent",        "child",
                                         "next-same", "previous-same", "flow-previous", "flow-next" };
    if (view->selection.has_slice || view->selection.has_instant)
        view_push_command(view, VIEW_EVENT_NEAR, moves[which]);
}

static void do_area(View *view, int all)
{
    if (all)
        view_area_of_all(view);
    else
        view_area_from_selection(view);
}

/* Ends the drag, the filter of durations, the selection of a note, the area, the selection or the highlight: the first of
 * them that exists. */
static void do_cancel(View *view, int unused)
{
    (void)unused;
    if (view->input.pointer.drag != DRAG_NONE) {
        bool was_area = view->input.pointer.drag == DRAG_AREA;
        if (view->input.pointer.drag == DRAG_TRACE) align_drag_cancel(view);
        view->input.pointer.drag = DRAG_NONE;
        if (was_area) view_clear_area(view);
    } else if (view->emphasis.durations.is_set) {
        view_filter_no_durations(view);
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_DURATIONS });
    } else if (view->notes.selected != 0) {
        view_select_note(view, 0);
    } else if (view->selection.area.is_set) {
        view_clear_area(view);
    } else if (view->selection.has_slice || view->selection.has_instant) {
        view->selection.has_slice = view->selection.has_instant = false;
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_SELECT, .exact = true });
    } else {
        view->emphasis.has_labels = false;
    }
    view->picture.is_stale = true;
}

static void do_about(View *view, int unused)
{
    RowTarget target;
    (void)unused;
    if (shown_target(view, &target)) view_push_about(view, target);
}

static void do_close(View *view, int unused)
{
    RowTarget target;
    (void)unused;
    uint32_t at = shown_target(view, &target) ? shown_item(view, target) : UINT32_MAX;
    if (at != UINT32_MAX) shown_toggle_closed(view, at);
}

static void do_toggle(View *view, int flag)
{
    RowTarget target;
    if (shown_target(view, &target)) shown_toggle(view, target, (RowFlags)flag);
}

static void do_show_all(View *view, int unused)
{
    (void)unused;
    row_change_begin(view);
    shown_reset(view);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

static void do_focus_row(View *view, int by)
{
    shown_move_focus(view, by);
}

static void do_row_menu(View *view, int unused)
{
    (void)unused;
    head_open_menu_of_target(view);
}

static void do_move_row(View *view, int by)
{
    row_move_by(view, by);
}

static void do_sort(View *view, int sort)
{
    row_order_set_sort(view, (RowSort)sort);
}

static void do_groups(View *view, int groups)
{
    row_order_set_groups(view, (RowGroups)groups);
}

static void do_unmove(View *view, int unused)
{
    (void)unused;
    row_order_unmove(view);
}

static void do_enter(View *view, int unused)
{
    (void)unused;
    shown_enter(view);
}

static void do_close_all(View *view, int unused)
{
    (void)unused;
    bool any_open = false;
    row_change_begin(view);
    for (uint32_t t = 0; t < view->trace_count; t++)
        for (uint32_t i = 0; i < view_trace(view, t)->outline.track_count; i++)
            any_open |= (view_trace(view, t)->track_flags[i] & TRACK_CLOSED) == 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            trace->track_flags[i] =
                (RowFlags)((trace->track_flags[i] & ~TRACK_CLOSED) | (any_open ? TRACK_CLOSED : 0));
    }
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

/* Switches to a row height, VIEW_COMPACT or VIEW_ROOMY, or back to the normal one. The row under the pointer stays in
 * place. */
static void do_row_height(View *view, int option)
{
    Hit hit = { 0 };
    if (view->input.pointer.inside) view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    bool      keep = hit.has_item && hit.item >= view->layout.pinned;
    AreaTrack track = { 0 };
    double    before = 0;
    if (keep) {
        track = (AreaTrack){ layout_item(view, hit.item)->trace, layout_item(view, hit.item)->index };
        keep = layout_item(view, hit.item)->kind == ITEM_TRACK;
        before = layout_item_screen_y(view, hit.item) +
                 (keep ? layout_row_top(view, view_trace(view, track.trace), track.track, hit.row) : 0);
    }
    const unsigned heights = VIEW_COMPACT | VIEW_ROOMY, now = view->screen.options & heights;
    const unsigned wanted = now == (unsigned)option ? 0 : (unsigned)option;
    view_set_options(view, (view->screen.options & ~heights) | wanted);
    uint32_t item = keep ? layout_track_item(view, track.trace, track.track) : UINT32_MAX;
    if (item == UINT32_MAX) return;
    double after = layout_item_screen_y(view, item) +
                   layout_row_top(view, view_trace(view, track.trace), track.track, hit.row);
    view_set_scroll(view, view->position.scroll_px + after - before);
}

static void do_own_height(View *view, int height)
{
    RowTarget target;
    if (shown_target(view, &target)) row_height_toggle(view, target, (RowFlags)height);
}

/* Commands for the chart of a counter. */
typedef void ChartChange(View *view, RowTarget row);
static void  do_chart(View *view, int which)
{
    static ChartChange *const changes[] = { chart_join_above, chart_separate, chart_toggle_scale };
    RowTarget                 target;
    if (shown_target(view, &target)) changes[which](view, target);
}

static void do_limit(View *view, int unused)
{
    RowTarget target;
    (void)unused;
    if (shown_target(view, &target)) row_limit_toggle(view, target);
}

static void do_column(View *view, int unused)
{
    (void)unused;
    view_toggle_column(view);
}

static void do_option(View *view, int option)
{
    view_set_options(view, view->screen.options ^ (unsigned)option);
}

static void do_colours(View *view, int option)
{
    view_set_options(view, (view->screen.options & ~(unsigned)VIEW_COLOUR_BY) | (unsigned)option);
}

static void do_palette(View *view, int option)
{
    view_set_options(view, (view->screen.options & ~(unsigned)VIEW_SAFE_COLOURS) | (unsigned)option);
}

static void do_perspective(View *view, int by)
{
    perspective_turn(view, by);
}

static void do_flows(View *view, int unused)
{
    (void)unused;
    view_set_flows(view, (FlowMode)((view->screen.flow_mode + 1) % FLOW_MODES));
}

static void do_note_here(View *view, int unused)
{
    (void)unused;
    note_here(view);
}

static void do_note_of_area(View *view, int unused)
{
    (void)unused;
    note_of_area(view);
}

static void do_remove_note(View *view, int unused)
{
    (void)unused;
    note_remove_selected(view);
}

static void do_step_note(View *view, int by)
{
    note_step(view, by);
}

#define HOST(name, group, keys) { { name, group, keys, CONTEXT_ANY, true }, NULL, 0 }

/* clang-format off */
static const CommandRow COMMANDS[] = {
    { { "zoom-in", "move", "W  +", CONTEXT_ANY, false }, do_zoom, ZOOM_PERCENT },
    { { "zoom-out", "move", "S  -", CONTEXT_ANY, false }, do_zoom, -ZOOM_PERCENT },
    { { "pan-left", "move", "A", CONTEXT_ANY, false }, do_pan, -PAN_PERCENT },
    { { "pan-right", "move", "D", CONTEXT_ANY, false }, do_pan, PAN_PERCENT },
    { { "zoom-in-fast", "move", "Shift+W", CONTEXT_ANY, false }, do_zoom, 4 * ZOOM_PERCENT },
    { { "zoom-out-fast", "move", "Shift+S", CONTEXT_ANY, false }, do_zoom, -4 * ZOOM_PERCENT },
    { { "pan-left-fast", "move", "Shift+A", CONTEXT_ANY, false }, do_pan, -4 * PAN_PERCENT },
    { { "pan-right-fast", "move", "Shift+D", CONTEXT_ANY, false }, do_pan, 4 * PAN_PERCENT },
    { { "arrow-left", "move", "\xE2\x86\x90", CONTEXT_UNSELECTED, false }, do_pan, -PAN_PERCENT },
    { { "arrow-right", "move", "\xE2\x86\x92", CONTEXT_UNSELECTED, false }, do_pan, PAN_PERCENT },
    { { "page-up", "move", "PgUp", CONTEXT_ANY, false }, do_scroll, -90 },
    { { "scroll-up", "move", "", CONTEXT_ANY, false }, do_scroll, -25 },
    { { "scroll-down", "move", "", CONTEXT_ANY, false }, do_scroll, 25 },
    { { "page-down", "move", "PgDn", CONTEXT_ANY, false }, do_scroll, 90 },
    { { "fit-all", "move", "0", CONTEXT_ANY, false }, do_fit, 0 },
    { { "go-start", "move", "Home", CONTEXT_ANY, false }, do_side, 0 },
    { { "go-end", "move", "End", CONTEXT_ANY, false }, do_side, 1 },
    { { "undo-view", "move", "Ctrl+Z  Alt+\xE2\x86\x90", CONTEXT_ANY, false }, do_history, -1 },
    { { "redo-view", "move", "Ctrl+Y  Ctrl+Shift+Z  Alt+\xE2\x86\x92", CONTEXT_ANY, false }, do_history, 1 },

    { { "focus-up", "select", "\xE2\x86\x91", CONTEXT_UNSELECTED, false }, do_focus_row, -1 },
    { { "focus-down", "select", "\xE2\x86\x93", CONTEXT_UNSELECTED, false }, do_focus_row, 1 },
    { { "enter-row", "select", "Enter", CONTEXT_UNSELECTED, false }, do_enter, 0 },
    { { "focus-selection", "select", "F", CONTEXT_ANY, false }, do_focus_selection, 0 },
    { { "fit-selection", "select", "Shift+F", CONTEXT_ANY, false }, do_fit_selection, 0 },
    { { "select-previous", "select", "\xE2\x86\x90  ,", CONTEXT_SELECTED, false }, do_near, 0 },
    { { "select-next", "select", "\xE2\x86\x92  .", CONTEXT_SELECTED, false }, do_near, 1 },
    { { "select-parent", "select", "\xE2\x86\x91", CONTEXT_SELECTED, false }, do_near, 2 },
    { { "select-child", "select", "\xE2\x86\x93", CONTEXT_SELECTED, false }, do_near, 3 },
    { { "select-next-same", "select", "N", CONTEXT_ANY, false }, do_near, 4 },
    { { "select-previous-same", "select", "Shift+N", CONTEXT_ANY, false }, do_near, 5 },
    { { "flow-previous", "select", "[", CONTEXT_ANY, false }, do_near, 6 },
    { { "flow-next", "select", "]", CONTEXT_ANY, false }, do_near, 7 },
    { { "area-from-selection", "select", "R", CONTEXT_ANY, false }, do_area, 0 },
    { { "select-all", "select", "Ctrl+A", CONTEXT_ANY, false }, do_area, 1 },
    { { "deselect", "select", "Esc", CONTEXT_ANY, false }, do_cancel, 0 },

    { { "collapse-track", "rows", "E", CONTEXT_ANY, false }, do_close, 0 },
    { { "collapse-all", "rows", "Shift+E", CONTEXT_ANY, false }, do_close_all, 0 },
    { { "pin-track", "rows", "P", CONTEXT_ANY, false }, do_toggle, TRACK_PINNED },
    { { "hide-track", "rows", "H", CONTEXT_ANY, false }, do_toggle, TRACK_HIDDEN },
    { { "isolate-track", "rows", "I", CONTEXT_ANY, false }, do_toggle, TRACK_ISOLATED },
    { { "show-all-tracks", "rows", "Shift+H", CONTEXT_ANY, false }, do_show_all, 0 },
    { { "about-track", "rows", "Shift+I", CONTEXT_ANY, false }, do_about, 0 },
    { { "row-menu", "rows", "Menu  Shift+F10", CONTEXT_ANY, false }, do_row_menu, 0 },
    { { "move-row-up", "rows", "Alt+\xE2\x86\x91", CONTEXT_ANY, false }, do_move_row, -1 },
    { { "move-row-down", "rows", "Alt+\xE2\x86\x93", CONTEXT_ANY, false }, do_move_row, 1 },
    { { "unmove-rows", "rows", "", CONTEXT_ANY, false }, do_unmove, 0 },
    { { "sort-default", "rows", "", CONTEXT_ANY, false }, do_sort, SORT_DEFAULT },
    { { "sort-name", "rows", "", CONTEXT_ANY, false }, do_sort, SORT_NAME },
    { { "sort-first", "rows", "", CONTEXT_ANY, false }, do_sort, SORT_FIRST },
    { { "sort-busiest", "rows", "", CONTEXT_ANY, false }, do_sort, SORT_BUSIEST },
    { { "group-process", "rows", "", CONTEXT_ANY, false }, do_groups, GROUPS_PROCESS },
    { { "group-name", "rows", "", CONTEXT_ANY, false }, do_groups, GROUPS_NAME },
    { { "group-flat", "rows", "", CONTEXT_ANY, false }, do_groups, GROUPS_NONE },
    { { "track-compact", "rows", "", CONTEXT_ANY, false }, do_own_height, TRACK_COMPACT },
    { { "track-normal", "rows", "", CONTEXT_ANY, false }, do_own_height, TRACK_NORMAL },
    { { "track-roomy", "rows", "", CONTEXT_ANY, false }, do_own_height, TRACK_ROOMY },
    { { "track-limit", "rows", "", CONTEXT_ANY, false }, do_limit, 0 },
    { { "join-counter", "rows", "", CONTEXT_ANY, false }, do_chart, 0 },
    { { "separate-counters", "rows", "", CONTEXT_ANY, false }, do_chart, 1 },
    { { "same-scale", "rows", "", CONTEXT_ANY, false }, do_chart, 2 },
    { { "compact", "rows", "C", CONTEXT_ANY, false }, do_row_height, VIEW_COMPACT },
    { { "roomy", "rows", "Shift+C", CONTEXT_ANY, false }, do_row_height, VIEW_ROOMY },
    { { "colour-name", "rows", "", CONTEXT_ANY, false }, do_colours, 0 },
    { { "colour-category", "rows", "", CONTEXT_ANY, false }, do_colours, VIEW_BY_CATEGORY },
    { { "colour-thread", "rows", "", CONTEXT_ANY, false }, do_colours, VIEW_BY_THREAD },
    { { "colour-process", "rows", "", CONTEXT_ANY, false }, do_colours, VIEW_BY_PROCESS },
    { { "colour-duration", "rows", "", CONTEXT_ANY, false }, do_colours, VIEW_BY_DURATION },
    { { "colour-file", "rows", "", CONTEXT_ANY, false }, do_colours, VIEW_BY_FILE },
    { { "palette-standard", "rows", "", CONTEXT_ANY, false }, do_palette, 0 },
    { { "palette-safe", "rows", "", CONTEXT_ANY, false }, do_palette, VIEW_SAFE_COLOURS },
    { { "flows", "rows", "L", CONTEXT_ANY, false }, do_flows, 0 },
    { { "perspective", "rows", "V", CONTEXT_ANY, false }, do_perspective, 1 },
    { { "perspective-back", "rows", "Shift+V", CONTEXT_ANY, false }, do_perspective, -1 },
    HOST("equal-widths", "rows", "X"),
    { { "toggle-column", "rows", "", CONTEXT_ANY, false }, do_column, 0 },

    { { "mark", "marks", "M", CONTEXT_ANY, false }, do_note_here, 0 },
    { { "note", "marks", "Shift+M", CONTEXT_ANY, false }, do_note_of_area, 0 },
    { { "delete-mark", "marks", "Delete", CONTEXT_ANY, false }, do_remove_note, 0 },
    { { "next-mark", "marks", "Alt+M", CONTEXT_ANY, false }, do_step_note, 1 },
    { { "previous-mark", "marks", "Alt+Shift+M", CONTEXT_ANY, false }, do_step_note, -1 },
    HOST("marks", "marks", ""),

    HOST("pause", "move", "Space"),

    HOST("timeline", "views", "1"),
    HOST("left-heavy", "views", "2"),
    HOST("sandwich", "views", "3"),
    HOST("area-flame", "views", "4"),
    HOST("collapse-recursion", "views", "Shift+R"),
    HOST("names", "views", "5"),
    HOST("sql", "views", "6"),
    HOST("compare", "views", "7"),
    HOST("enlarge-drawer", "views", "Shift+Q"),

    HOST("matches", "find", ""),
    HOST("frames", "find", ""),
    HOST("go", "find", ""),
    HOST("categories", "rows", "K"),

    HOST("search", "find", "/  Ctrl+F"),
    HOST("go-to", "find", "G"),
    HOST("jump", "find", "Ctrl+P"),
    HOST("filter-tracks", "find", "Shift+P"),
    HOST("palette", "find", "Ctrl+Shift+P  F1"),

    HOST("open", "program", "Ctrl+O"),
    HOST("save", "program", "Ctrl+S"),
    HOST("share", "program", ""),
    HOST("save-png", "program", ""),
    HOST("save-svg", "program", ""),
    HOST("save-view", "program", ""),
    HOST("copy-link", "program", "Ctrl+Shift+C"),
    HOST("toggle-drawer", "program", "Q"),
    HOST("trace-info", "program", "Ctrl+I"),
    HOST("report", "program", ""),
    HOST("settings", "program", "Ctrl+,"),
    HOST("theme", "program", ""),
    HOST("help", "program", "?"),
    { { "toggle-drag-pans", "program", "", CONTEXT_ANY, false }, do_option, VIEW_DRAG_PANS },
    { { "toggle-wheel-zooms", "program", "", CONTEXT_ANY, false }, do_option, VIEW_WHEEL_ZOOMS },
};
/* clang-format on */

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };
_Static_assert((int)COMMAND_COUNT <= (int)COMMANDS_MAX, "room for the keys of each command");

const Command *view_command_at(size_t i)
{
    return i < COMMAND_COUNT ? &COMMANDS[i].command : NULL;
}

unsigned command_held(const Command *command, bool *is_fast)
{
    const CommandRow *row = (const CommandRow *)command; /* its first member */
    *is_fast = abs(row->argument) > ZOOM_PERCENT;
    if (row->action == do_zoom) return row->argument > 0 ? HELD_ZOOM_IN : HELD_ZOOM_OUT;
    if (row->action == do_pan) return row->argument > 0 ? HELD_RIGHT : HELD_LEFT;
    return 0;
}

/* ---- keys ---- */

/* Reads at most KEYS_PER_COMMAND keys, separated by spaces. */
static bool read_keys(const char *text, CommandKeys *out, Err *err)
{
    CommandKeys keys = { 0 };
    while (*(text += strspn(text, " ")) != 0) {
        const size_t size = strcspn(text, " ");
        if (keys.count == KEYS_PER_COMMAND)
            return err_set(err, ERR_USAGE, "a command has at most %d keys", KEYS_PER_COMMAND);
        if (!key_read(text, size, &keys.key[keys.count++], err)) return false;
        text += size;
    }
    *out = keys;
    return true;
}

void command_keys_reset(View *view)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const bool is_read = read_keys(COMMANDS[i].command.keys, &view->input.keys[i], NULL);
        assert(is_read);
        (void)is_read;
    }
}

bool view_set_command_keys(View *view, size_t i, const char *keys, Err *err)
{
    if (i >= COMMAND_COUNT) return err_set(err, ERR_USAGE, "there is no such command");
    return read_keys(keys, &view->input.keys[i], err);
}

size_t view_command_keys(const View *view, size_t i, char out[COMMAND_KEYS_TEXT])
{
    size_t size = 0;
    out[0] = 0;
    if (i >= COMMAND_COUNT) return 0;
    for (uint32_t k = 0; k < view->input.keys[i].count; k++) {
        if (k > 0) size += (size_t)snprintf(out + size, COMMAND_KEYS_TEXT - size, "  ");
        size += key_write(&view->input.keys[i].key[k], out + size);
    }
    return size;
}

size_t view_key_text(const char *key, unsigned modifiers, char out[COMMAND_KEYS_TEXT])
{
    const Key it = key_of(key, modifiers);
    return key_write(&it, out);
}

const Command *command_for_key(const View *view, const char *name, unsigned modifiers)
{
    const Key        key = key_of(name, modifiers);
    const KeyContext now =
        view->selection.has_slice || view->selection.has_instant ? CONTEXT_SELECTED : CONTEXT_UNSELECTED;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const Command *command = &COMMANDS[i].command;
        if (command->context != CONTEXT_ANY && command->context != now) continue;
        for (uint32_t k = 0; k < view->input.keys[i].count; k++)
            if (key_equal(&view->input.keys[i].key[k], &key)) return command;
    }
    return NULL;
}

bool view_command(View *view, const char *name, double now_ms)
{
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const CommandRow *row = &COMMANDS[i];
        if (strcmp(row->command.name, name) != 0) continue;
        layout_build(view);
        if (row->action == NULL)
            view_push_command(view, VIEW_EVENT_COMMAND, row->command.name);
        else
            row->action(view, row->argument);
        view_update_hover(view);
        return true;
    }
    return false;
}
