/* view/hit.h - the item under a point. */
#ifndef VIEW_HIT_H
#define VIEW_HIT_H
#include "view/view_state.h"

/* Returns the bar of a slice in device pixels, from its place. False if its row is not laid out (hidden, or in a closed
 * group). */
bool view_place_rect(const View *view, const SlicePlace *place, Rect *bar);
/* The same for an instant, whose row may have a strip for it. */
bool view_instant_rect(const View *view, const SlicePlace *place, Rect *mark);

/* Finds the item under a point in CSS pixels. */
void view_hit(View *view, double x, double y, Hit *hit);
/* Returns the event of a hit arrow, instant or slice, for its tooltip. */
EventPlace view_hit_event(const View *view, const Hit *hit);
bool       view_same_event(const EventPlace *a, const EventPlace *b);
/* Updates the hover to a hit and its time. */
void view_hover_hit(View *view, const Hit *hit);

#endif
