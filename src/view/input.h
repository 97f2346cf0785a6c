/* view/input.h - hover and held keys. */
#ifndef VIEW_INPUT_H
#define VIEW_INPUT_H
#include "view/view_state.h"

void view_update_hover(View *view);
void step_held_keys(View *view, double dt_ms);
/* Returns the anchor of zooms by key: the pointer if it is in the plot, else the plot's middle. CSS pixels from its
 * left. */
double view_anchor(const View *view);

#endif
