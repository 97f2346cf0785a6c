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

/* A command of the view has one of the two functions; the host executes the others. */
typedef struct CommandRow {
    Command command;
    void (*action)(View *view, int argument);
    int argument;
    void (*plain)(View *view);
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

static void do_fit(View *view)
{
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

static void do_near(View *view, int which)
{
    static const char *const moves[] = { "previous",  "next",          "parent",        "child",
                                         "next-same", "previous-same", "flow-previous", "flow-next" };
    if (view->selection.has_slice || view->selection.has_instant)
        view_push_command(view, VIEW_EVENT_NEAR, moves[which]);
}

/* Ends the drag, the filter of durations, the selection of a note, the area, the selection or the highlight: the first of
 * them that exists. */
static void do_cancel(View *view)
{
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

static void do_about(View *view)
{
    RowTarget target;
    if (shown_target(view, &target)) view_push_about(view, target);
}

static void do_close(View *view)
{
    RowTarget target;
    uint32_t  at = shown_target(view, &target) ? shown_item(view, target) : UINT32_MAX;
    if (at != UINT32_MAX) shown_toggle_closed(view, at);
}

static void do_toggle(View *view, int flag)
{
    RowTarget target;
    if (shown_target(view, &target)) shown_toggle(view, target, (RowFlags)flag);
}

static void do_show_all(View *view)
{
    row_change_begin(view);
    shown_reset(view);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

static void do_sort(View *view, int sort)
{
    row_order_set_sort(view, (RowSort)sort);
}

static void do_groups(View *view, int groups)
{
    row_order_set_groups(view, (RowGroups)groups);
}

static void do_close_all(View *view)
{
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

static void do_limit(View *view)
{
    RowTarget target;
    if (shown_target(view, &target)) row_limit_toggle(view, target);
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

static void do_flows(View *view)
{
    view_set_flows(view, (FlowMode)((view->screen.flow_mode + 1) % FLOW_MODES));
}

#define HOST(name, group, keys) { { name, group, keys, CONTEXT_ANY, true }, NULL, 0, NULL }
#define DO(name, group, keys, action, argument)                                                              \
    { { name, group, keys, CONTEXT_ANY, false }, action, argument, NULL }
#define CALL(name, group, keys, plain) { { name, group, keys, CONTEXT_ANY, false }, NULL, 0, plain }

/* clang-format off */
static const CommandRow COMMANDS[] = {
    DO("zoom-in", "move", "W  +", do_zoom, ZOOM_PERCENT),
    DO("zoom-out", "move", "S  -", do_zoom, -ZOOM_PERCENT),
    DO("pan-left", "move", "A", do_pan, -PAN_PERCENT),
    DO("pan-right", "move", "D", do_pan, PAN_PERCENT),
    DO("zoom-in-fast", "move", "Shift+W", do_zoom, 4 * ZOOM_PERCENT),
    DO("zoom-out-fast", "move", "Shift+S", do_zoom, -4 * ZOOM_PERCENT),
    DO("pan-left-fast", "move", "Shift+A", do_pan, -4 * PAN_PERCENT),
    DO("pan-right-fast", "move", "Shift+D", do_pan, 4 * PAN_PERCENT),
    { { "arrow-left", "move", "\xE2\x86\x90", CONTEXT_UNSELECTED, false }, do_pan, -PAN_PERCENT, NULL },
    { { "arrow-right", "move", "\xE2\x86\x92", CONTEXT_UNSELECTED, false }, do_pan, PAN_PERCENT, NULL },
    DO("page-up", "move", "PgUp", do_scroll, -90),
    DO("scroll-up", "move", "", do_scroll, -25),
    DO("scroll-down", "move", "", do_scroll, 25),
    DO("page-down", "move", "PgDn", do_scroll, 90),
    CALL("fit-all", "move", "0", do_fit),
    DO("go-start", "move", "Home", do_side, 0),
    DO("go-end", "move", "End", do_side, 1),
    DO("undo-view", "move", "Ctrl+Z  Alt+\xE2\x86\x90", history_go, -1),
    DO("redo-view", "move", "Ctrl+Y  Ctrl+Shift+Z  Alt+\xE2\x86\x92", history_go, 1),

    { { "focus-up", "select", "\xE2\x86\x91", CONTEXT_UNSELECTED, false }, shown_move_focus, -1, NULL },
    { { "focus-down", "select", "\xE2\x86\x93", CONTEXT_UNSELECTED, false }, shown_move_focus, 1, NULL },
    { { "enter-row", "select", "Enter", CONTEXT_UNSELECTED, false }, NULL, 0, shown_enter },
    CALL("focus-selection", "select", "F", view_zoom_to_selection),
    CALL("fit-selection", "select", "Shift+F", view_fit_selection),
    { { "select-previous", "select", "\xE2\x86\x90  ,", CONTEXT_SELECTED, false }, do_near, 0, NULL },
    { { "select-next", "select", "\xE2\x86\x92  .", CONTEXT_SELECTED, false }, do_near, 1, NULL },
    { { "select-parent", "select", "\xE2\x86\x91", CONTEXT_SELECTED, false }, do_near, 2, NULL },
    { { "select-child", "select", "\xE2\x86\x93", CONTEXT_SELECTED, false }, do_near, 3, NULL },
    DO("select-next-same", "select", "N", do_near, 4),
    DO("select-previous-same", "select", "Shift+N", do_near, 5),
    DO("flow-previous", "select", "[", do_near, 6),
    DO("flow-next", "select", "]", do_near, 7),
    CALL("area-from-selection", "select", "R", view_area_from_selection),
    CALL("select-all", "select", "Ctrl+A", view_area_of_all),
    CALL("deselect", "select", "Esc", do_cancel),

    CALL("collapse-track", "rows", "E", do_close),
    CALL("collapse-all", "rows", "Shift+E", do_close_all),
    DO("pin-track", "rows", "P", do_toggle, TRACK_PINNED),
    DO("hide-track", "rows", "H", do_toggle, TRACK_HIDDEN),
    DO("isolate-track", "rows", "I", do_toggle, TRACK_ISOLATED),
    CALL("show-all-tracks", "rows", "Shift+H", do_show_all),
    CALL("about-track", "rows", "Shift+I", do_about),
    CALL("row-menu", "rows", "Menu  Shift+F10", head_open_menu_of_target),
    DO("move-row-up", "rows", "Alt+\xE2\x86\x91", row_move_by, -1),
    DO("move-row-down", "rows", "Alt+\xE2\x86\x93", row_move_by, 1),
    CALL("unmove-rows", "rows", "", row_order_unmove),
    DO("sort-default", "rows", "", do_sort, SORT_DEFAULT),
    DO("sort-name", "rows", "", do_sort, SORT_NAME),
    DO("sort-first", "rows", "", do_sort, SORT_FIRST),
    DO("sort-busiest", "rows", "", do_sort, SORT_BUSIEST),
    DO("group-process", "rows", "", do_groups, GROUPS_PROCESS),
    DO("group-name", "rows", "", do_groups, GROUPS_NAME),
    DO("group-flat", "rows", "", do_groups, GROUPS_NONE),
    DO("track-compact", "rows", "", do_own_height, TRACK_COMPACT),
    DO("track-normal", "rows", "", do_own_height, TRACK_NORMAL),
    DO("track-roomy", "rows", "", do_own_height, TRACK_ROOMY),
    CALL("track-limit", "rows", "", do_limit),
    DO("join-counter", "rows", "", do_chart, 0),
    DO("separate-counters", "rows", "", do_chart, 1),
    DO("same-scale", "rows", "", do_chart, 2),
    DO("compact", "rows", "C", do_row_height, VIEW_COMPACT),
    DO("roomy", "rows", "Shift+C", do_row_height, VIEW_ROOMY),
    DO("colour-name", "rows", "", do_colours, 0),
    DO("colour-category", "rows", "", do_colours, VIEW_BY_CATEGORY),
    DO("colour-thread", "rows", "", do_colours, VIEW_BY_THREAD),
    DO("colour-process", "rows", "", do_colours, VIEW_BY_PROCESS),
    DO("colour-duration", "rows", "", do_colours, VIEW_BY_DURATION),
    DO("colour-file", "rows", "", do_colours, VIEW_BY_FILE),
    DO("palette-standard", "rows", "", do_palette, 0),
    DO("palette-safe", "rows", "", do_palette, VIEW_SAFE_COLOURS),
    CALL("flows", "rows", "L", do_flows),
    DO("perspective", "rows", "V", perspective_turn, 1),
    DO("perspective-back", "rows", "Shift+V", perspective_turn, -1),
    HOST("equal-widths", "rows", "X"),
    CALL("toggle-column", "rows", "", view_toggle_column),

    CALL("mark", "marks", "M", note_here),
    CALL("note", "marks", "Shift+M", note_of_area),
    CALL("delete-mark", "marks", "Delete", note_remove_selected),
    DO("next-mark", "marks", "Alt+M", note_step, 1),
    DO("previous-mark", "marks", "Alt+Shift+M", note_step, -1),
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
    DO("toggle-drag-pans", "program", "", do_option, VIEW_DRAG_PANS),
    DO("toggle-wheel-zooms", "program", "", do_option, VIEW_WHEEL_ZOOMS),
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
        if (row->plain != NULL)
            row->plain(view);
        else if (row->action != NULL)
            row->action(view, row->argument);
        else
            view_push_command(view, VIEW_EVENT_COMMAND, row->command.name);
        view_update_hover(view);
        return true;
    }
    return false;
}
