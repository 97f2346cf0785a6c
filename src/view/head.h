/* view/head.h - the head of a row: its title in the label column, where the page shows buttons and a menu. */
#ifndef VIEW_HEAD_H
#define VIEW_HEAD_H
#include "view/view_state.h"

/* The width of the page's buttons at the right end of a head, in CSS pixels (.head-buttons of the page). */
enum { HEAD_BUTTONS_PX = 94 };

/* Pushes VIEW_EVENT_HEAD if the row with the buttons, its place or its state has changed since the last call. */
void head_update(View *view);
/* True if the page shows buttons over the head of an item. */
bool head_has_buttons(const View *view, const LayoutItem *item);
/* Requests the menu of a row from the page, at a point in CSS pixels, and gives the row the focus. */
void head_open_menu(View *view, RowTarget row, double x, double y);
/* The same for the row under the pointer or the focused row, below its head. */
void head_open_menu_of_target(View *view);

#endif
