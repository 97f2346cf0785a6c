#include "view/row_moves.h"

#include "view/data.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/motion.h"
#include "view/row_order.h"
#include "view/shown.h"

#include <assert.h>
#include <math.h>

static const double SCROLL_EDGE_PX = 28, SCROLL_PX_PER_MS = 0.6;

static RowTarget row_of(const View *view, uint32_t item)
{
    const LayoutItem *it = layout_item(view, item);
    return (RowTarget){ it->kind, it->trace, it->index };
}

/* Finds the next row of the list of a row, above (-1) or below (1) an item. False: the row is the first or the last one. */
static bool find_neighbour(const View *view, uint32_t item, int by, RowTarget *neighbour)
{
    const RowTarget     row = row_of(view, item);
    const SectionExtent section = layout_section_extent(view, layout_section_of(view, item));
    for (uint32_t i = item; by < 0 ? i > section.first : i + 1 < section.end;) {
        i = by < 0 ? i - 1 : i + 1;
        if (!row_order_target(view, row, row_of(view, i), neighbour)) return false;
        if (!row_order_is_one(view, row, *neighbour)) return true;
    }
    return false;
}

void row_move_by(View *view, int by)
{
    RowTarget row;
    RowMove   move = { .side = by < 0 ? MOVE_BEFORE : MOVE_AFTER };
    layout_build(view);
    uint32_t item = shown_target(view, &row) ? shown_item(view, row) : UINT32_MAX;
    if (item == UINT32_MAX || !find_neighbour(view, item, by, &move.anchor)) return;
    move.row = row;
    row_order_move(view, &move);
    shown_focus(view, row);
    view->input.keys_lead = true; /* the key's repetitions move the same row */
    shown_scroll_to(view, row);
}

/* ---- drag ---- */

void row_drag_begin(View *view, RowTarget row)
{
    view->input.row_drag = (RowDrag){ .move = { .row = row, .anchor = row } };
}

/* Returns the last item above (-1) or below (1) an item that belongs to the list of its row. */
static uint32_t end_of_list(const View *view, uint32_t item, int by)
{
    const RowTarget     row = row_of(view, item);
    const SectionExtent section = layout_section_extent(view, layout_section_of(view, item));
    RowTarget           target;
    uint32_t            at = item;
    for (uint32_t i = item; by < 0 ? i > section.first : i + 1 < section.end;) {
        i = by < 0 ? i - 1 : i + 1;
        if (!row_order_target(view, row, row_of(view, i), &target)) break;
        at = i;
    }
    return at;
}

/* Returns the item under the pointer, or the first or last one of the section. */
static uint32_t item_under_pointer(const View *view, uint32_t dragged)
{
    const LayoutSection section = layout_section_of(view, dragged);
    const SectionExtent extent = layout_section_extent(view, section);
    const double        y = view->input.pointer.y - extent.top / view->screen.scale + extent.scroll_px;
    const uint32_t      item = layout_find(view, y, section);
    return item < extent.end ? item : extent.end - 1;
}

void row_drag_update(View *view)
{
    RowDrag *drag = &view->input.row_drag;
    layout_build(view);
    drag->has_target = false;
    const uint32_t item = shown_item(view, drag->move.row);
    if (item == UINT32_MAX) return;
    uint32_t  over = item_under_pointer(view, item);
    RowTarget target;
    if (!row_order_target(view, drag->move.row, row_of(view, over), &target)) {
        over = end_of_list(view, item, over < item ? -1 : 1);
        if (!row_order_target(view, drag->move.row, row_of(view, over), &target)) return;
    }
    drag->has_target = !row_order_is_one(view, drag->move.row, target);
    drag->move.anchor = target;
    drag->move.side = over < item ? MOVE_BEFORE : MOVE_AFTER;
}

void row_drag_end(View *view)
{
    row_drag_update(view);
    const RowDrag drag = view->input.row_drag;
    if (!drag.has_target) return;
    row_order_move(view, &drag.move);
    shown_focus(view, drag.move.row);
}

void row_drag_step(View *view, double dt_ms)
{
    const Geometry *g = &view->screen.geometry;
    const double y = view->input.pointer.y, top = g->rows_y / g->scale, bottom = top + g->rows_h / g->scale;
    if (view->input.pointer.drag != DRAG_ROW) return;
    const uint32_t item = shown_item(view, view->input.row_drag.move.row);
    if (item == UINT32_MAX || item < view->layout.pinned) return;
    const double into =
        y < top + SCROLL_EDGE_PX ? y - top - SCROLL_EDGE_PX : fmax(y - bottom + SCROLL_EDGE_PX, 0);
    if (into == 0) return;
    const double share = fmax(fmin(into / SCROLL_EDGE_PX, 1), -1);
    view_set_scroll(view, view->position.scroll_px + share * SCROLL_PX_PER_MS * fmin(dt_ms, 50));
    row_drag_update(view);
}

double row_drag_y(const View *view)
{
    const RowMove *move = &view->input.row_drag.move;
    uint32_t       item = shown_item(view, move->anchor);
    assert(view->input.row_drag.has_target);
    if (item == UINT32_MAX) return -1;
    if (move->side == MOVE_BEFORE) return layout_item_screen_y(view, item);
    const uint32_t end = layout_section_extent(view, layout_section_of(view, item)).end;
    const double   most = view->screen.geometry.height / view->screen.geometry.scale;
    RowTarget      target;
    while (item + 1 < end && layout_item_screen_y(view, item) < most &&
           row_order_target(view, move->anchor, row_of(view, item + 1), &target) &&
           row_order_is_one(view, move->anchor, target))
        item++;
    return layout_item_screen_y(view, item) + layout_item(view, item)->height;
}
