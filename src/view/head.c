#include "view/head.h"

#include "base/json_writer.h"
#include "view/data.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/row_heights.h"
#include "view/scene.h"
#include "view/select.h"
#include "view/shown.h"
#include "view/view_file.h"

/* Finds the row with the buttons: the focused row after a key, else the row whose label is under the pointer. */
static bool head_row(View *view, RowTarget *row)
{
    Hit hit = { 0 };
    if (!view_interactive(view) || view->input.pointer.drag != DRAG_NONE) return false;
    if (view->input.keys_lead) return shown_target(view, row);
    if (!view->input.pointer.inside) return false;
    view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    return hit.zone == ZONE_LABELS && shown_target(view, row);
}

/* Finds the place of the head of an item in CSS pixels; false if it is not visible as a whole. */
static bool head_place(const View *view, uint32_t item, Rect *place)
{
    const LayoutItem   *it = layout_item(view, item);
    const LayoutSection section = layout_section_of(view, item);
    const SectionExtent extent = layout_section_extent(view, section);
    double              top = extent.top / view->screen.scale, sticky_y = 0;
    const double        end = extent.bottom / view->screen.scale;
    const uint32_t      sticky = layout_sticky_header(view, section, &sticky_y);
    if (!layout_column_is_open(view)) return false;
    *place = (Rect){ 0, layout_item_screen_y(view, item), view->screen.column_px - 1, it->height };
    if (it->kind == ITEM_TRACK) place->h = HEADER_PX + TRACK_PAD_PX - 1;
    if (item == sticky) place->y = sticky_y;
    if (it->kind == ITEM_TRACK) { /* the title stays on the screen while a row of its track is visible */
        if (sticky != UINT32_MAX) top = sticky_y + HEADER_PX;
        double last = place->y + it->height - place->h;
        if (place->y < top) place->y = last < top ? last : top;
    }
    return place->y >= top - 1 && place->y + place->h <= end + 1;
}

/* Returns the flags of a row; TRACK_PINNED of a group: all its tracks are pinned. */
static RowFlags row_flags(const View *view, RowTarget row)
{
    const TraceView *trace = view_trace(view, row.trace);
    unsigned         flags = trace->closed ? TRACK_CLOSED : 0;
    if (row.kind == ITEM_PROCESS) flags = trace->process_flags[row.index];
    if (row.kind == ITEM_GROUP)
        flags = (trace->track_flags[row.index] & TRACK_GROUP_CLOSED) != 0 ? TRACK_CLOSED : 0;
    if (row.kind == ITEM_TRACK) flags = trace->track_flags[row.index];
    return (RowFlags)(shown_is_pinned(view, row) ? flags | TRACK_PINNED : flags & ~(unsigned)TRACK_PINNED);
}

static RowHead head_now(View *view)
{
    RowHead head = { .is_there = false };
    layout_build(view);
    head.is_there = head_row(view, &head.row);
    uint32_t item = head.is_there ? shown_item(view, head.row) : UINT32_MAX;
    head.is_there = item != UINT32_MAX;
    if (!head.is_there) return head;
    head.is_visible = head_place(view, item, &head.place);
    head.flags = row_flags(view, head.row);
    head.isolates = view->layout.isolates;
    return head;
}

static bool is_same(const RowHead *a, const RowHead *b)
{
    return a->is_there == b->is_there && a->is_visible == b->is_visible && a->row.kind == b->row.kind &&
           a->row.trace == b->row.trace && a->row.index == b->row.index && a->flags == b->flags &&
           a->isolates == b->isolates && a->place.x == b->place.x && a->place.y == b->place.y &&
           a->place.w == b->place.w && a->place.h == b->place.h;
}

void head_update(View *view)
{
    const RowHead head = head_now(view);
    if (is_same(&head, &view->input.head)) return;
    view->input.head = head;
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_HEAD });
}

bool head_has_buttons(const View *view, const LayoutItem *item)
{
    const RowHead *head = &view->input.head;
    return head->is_there && head->is_visible && head->row.kind == item->kind &&
           head->row.trace == item->trace && head->row.index == item->index;
}

void head_open_menu(View *view, RowTarget row, double x, double y)
{
    shown_focus(view, row);
    view->input.keys_lead = true;
    view->input.menu_x = x;
    view->input.menu_y = y;
    view_push_command(view, VIEW_EVENT_COMMAND, "row-menu");
}

void head_open_menu_of_target(View *view)
{
    RowTarget row;
    Rect      place = { 0 };
    uint32_t  item = shown_target(view, &row) ? shown_item(view, row) : UINT32_MAX;
    if (item == UINT32_MAX) return;
    if (!head_place(view, item, &place)) place.y = view->screen.geometry.rows_y / view->screen.geometry.scale;
    head_open_menu(view, row, place.x + HEADER_PX, place.y + place.h);
}

void view_focus_head(View *view)
{
    const RowHead head = view->input.head;
    if (!head.is_there || head.row.trace >= view->trace_count || shown_item(view, head.row) == UINT32_MAX)
        return;
    shown_focus(view, head.row);
    view->input.keys_lead = true;
}

static void put_place(JsonWriter *w, const Rect *place)
{
    json_key(w, "place");
    json_object_begin(w);
    json_put_double(w, "x", place->x);
    json_put_double(w, "y", place->y);
    json_put_double(w, "width", place->w);
    json_put_double(w, "height", place->h);
    json_object_end(w);
}

/* Returns the name of bits of TRACK_HEIGHT; "": the row has the height of all. */
static const char *height_name(RowFlags height)
{
    for (int i = 0; i < FLAG_LISTS; i++)
        if (FLAG_LIST[i].mask == TRACK_HEIGHT && FLAG_LIST[i].value == height) return FLAG_LIST[i].name;
    return "";
}

/* "none": not a counter; "joined": in one chart with others; else "single". */
static const char *chart_state(const View *view, RowTarget row)
{
    const TraceView *trace = view_trace(view, row.trace);
    if (row.kind != ITEM_TRACK || trace->outline.tracks[row.index].kind != TRACK_KIND_COUNTER) return "none";
    return trace->chart_next[trace->chart[row.index]] != UINT32_MAX ? "joined" : "single";
}

void view_head_json(View *view, Bytes *out)
{
    static const char *const KINDS[] = {
        [ITEM_TRACE] = "trace", [ITEM_PROCESS] = "process", [ITEM_TRACK] = "track", [ITEM_GROUP] = "group"
    };
    static const char *const LIMITS[] = {
        [ROWS_FEW] = "few", [ROWS_ALL] = "all", [ROWS_LIMITED] = "limited"
    };
    const RowHead head = head_now(view);
    JsonWriter    w = json_writer_to(out, 0);
    json_object_begin(&w);
    if (head.is_there) {
        json_put_string(&w, "kind", KINDS[head.row.kind]);
        json_put_view(&w, "title", shown_title(view, head.row));
        json_put_bool(&w, "closed", (head.flags & TRACK_CLOSED) != 0);
        json_put_bool(&w, "pinned", (head.flags & TRACK_PINNED) != 0);
        json_put_bool(&w, "isolates", head.isolates);
        json_put_string(&w, "height", height_name(row_own_height(view, head.row)));
        json_put_string(&w, "chart", chart_state(view, head.row));
        json_put_bool(&w, "same_scale", (head.flags & TRACK_SAME_SCALE) != 0);
        json_put_string(&w, "limit", LIMITS[row_limit(view, head.row)]);
        json_put_double(&w, "menu_x", view->input.menu_x);
        json_put_double(&w, "menu_y", view->input.menu_y);
        if (head.is_visible) put_place(&w, &head.place);
    }
    json_object_end(&w);
}
