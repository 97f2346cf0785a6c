/* view/step_maps.h - the history when the axis changes: positions move with a trace that stays. */
#ifndef VIEW_STEP_MAPS_H
#define VIEW_STEP_MAPS_H
#include "view/view_state.h"

/* A trace on the axis of each step of the history, and on the present one. */
typedef struct StepMaps {
    bool    are_known; /* false: out of memory */
    AxisMap steps[HISTORY_MAX];
    AxisMap now;
} StepMaps;

StepMaps step_maps_find(const View *view, uint32_t trace);
/* Moves a position so that the trace stays in place on the screen. */
void step_maps_move_position(const AxisMap *before, const AxisMap *after, CameraPos *pos);
/* Moves the steps of the history from the axis before to the axis after. `counted_calls`: view_counts_calls before. Clears the
 * history if the maps are not known. */
void step_maps_move(View *view, const StepMaps *before, const StepMaps *after, bool counted_calls);

#endif
