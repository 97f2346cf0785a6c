/* view/select.h - events for the page, history, selection, area. */
#ifndef VIEW_SELECT_H
#define VIEW_SELECT_H
#include "view/view_state.h"

void view_push_event(View *view, const ViewEvent *event);
void view_push_command(View *view, ViewEventKind kind, const char *command);
void view_push_area(View *view);
/* Requests the details of a track or process from the page. A trace has none. */
void view_push_about(View *view, RowTarget target);
void view_set_cursor(View *view, const char *cursor);
void history_record(View *view);
void history_go(View *view, int by);
/* Replaces the position of the current step by the present one, after a change of the data or of the perspective. */
void history_renew(View *view);
/* Removes the steps that do not differ from the step before. */
void history_drop_equal(View *view);
void view_select_run(View *view, const Hit *hit);
/* Selects the first visible slice of a track's item, in its uppermost row with one. False if no slice is visible. */
bool view_select_first(View *view, uint32_t item);
/* True if the row of the selected slice or instant is visible in the scrolled section. */
bool view_selection_is_in_sight(const View *view);
/* Shows a row and scrolls it into view: ends filters that exclude it, and opens its groups. row: of a track; else 0. */
void view_reveal_row(View *view, RowTarget shown, uint32_t row);
/* Scrolls by the shortest way until the row of the selection is visible. */
void view_scroll_to_selection(View *view);
void view_zoom_to_selection(View *view);
void view_fit_selection(View *view);
void view_area_from_selection(View *view);
void view_area_of_all(View *view);
/* True if the area covers everything, so that it follows changes of the traces. */
bool view_area_is_all(const View *view);
/* Adds the tracks of items [first, end) of the layout to the area. Closed groups count with all their tracks. */
void view_area_add(View *view, uint32_t first, uint32_t end);
void view_clear_area(View *view);

#endif
