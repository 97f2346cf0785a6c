/* view/shown.h - focused rows; hidden, pinned and isolated rows. */
#ifndef VIEW_SHOWN_H
#define VIEW_SHOWN_H
#include "view/trace_view.h"
#include "view/view_state.h"

/* Finds the row under the pointer, or the focused row. False if there is neither. */
bool shown_target(View *view, RowTarget *target);
/* Returns the title of a row. */
StringView shown_title(const View *view, RowTarget row);
/* True if the track, or each visible track of the process or trace, is pinned. */
bool shown_is_pinned(const View *view, RowTarget row);
bool shown_is_focus(const View *view, const LayoutItem *item);
/* Hides a row (TRACK_HIDDEN), isolates it or ends its isolation (TRACK_ISOLATED), or pins or unpins its tracks
 * (TRACK_PINNED). */
void shown_toggle(View *view, RowTarget target, RowFlags flag);
/* Closes or opens an item of the layout. */
void shown_toggle_closed(View *view, uint32_t item);
/* Shows all rows that are hidden or not isolated. */
void shown_reset(View *view);
/* Returns the layout's item of a row; UINT32_MAX if it is not shown. */
uint32_t shown_item(const View *view, RowTarget target);
void     shown_focus(View *view, RowTarget target);
/* Scrolls until a row is visible below the header that stays at the top. */
void shown_scroll_to(View *view, RowTarget target);
/* Returns the row at a scroll position; not set at the top of all rows, which stays the top. */
TopItem shown_top_item(const View *view, double scroll_px);
/* Returns the scroll position of a row; `otherwise` if the row is not set or not shown. */
double shown_scroll_of(const View *view, const TopItem *top, double otherwise);
/* Moves the focus by a number of rows and scrolls to it; without a focus, to the first visible row. */
void shown_move_focus(View *view, int by);
/* Selects the first visible slice of the focused track, or opens or closes the focused group. */
void shown_enter(View *view);

#endif
