/* view/align.h - alignments of several traces. */
#ifndef VIEW_ALIGN_H
#define VIEW_ALIGN_H
#include "view/view_state.h"

/* Returns the tick offset of each trace that has the common position on the axis; NULL: the traces are aligned by their
 * clocks. */
const uint64_t *align_anchors(const View *view);
/* Aligns by clocks and forgets all alignments: the number of traces has changed. The axis is built by the caller. */
void align_reset(View *view);
/* Follows a trace whose begin is `later` ticks before the old one. */
void align_shift(View *view, uint32_t trace, uint64_t later);
/* Uses an alignment (Position.alignment) and builds the axis. False when out of memory: nothing changes. */
bool align_use(View *view, uint32_t alignment);

#endif
