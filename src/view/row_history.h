/* view/row_history.h - earlier states of the rows (hidden, pinned, isolated, closed, filtered, their order), for undo.
 *
 * A change of the rows is between row_change_begin and row_change_end. The first stores the state before in the current
 * step of the history, the second adds a step with the state after it, if that differs. */
#ifndef VIEW_ROW_HISTORY_H
#define VIEW_ROW_HISTORY_H
#include "view/view_state.h"

void row_change_begin(View *view);
/* ROW_CHANGE_GOES_ON: the change continues that of the current step, as the next letter of a filter does. */
typedef enum { ROW_CHANGE_IS_STEP, ROW_CHANGE_GOES_ON } RowChange;
void row_change_end(View *view, RowChange change);
/* Returns the state of the current step, 0 = none is stored. */
uint32_t row_state(const View *view);
/* Restores the stored state with this number. No effect for 0. */
void row_state_restore(View *view, uint32_t number);
/* Renumbers the tracks and processes of a trace in all states, and the top rows of the steps: tracks[i] and processes[i] are the
 * new indices, UINT32_MAX = gone. */
void row_states_move(View *view, uint32_t trace, const uint32_t *tracks, const uint32_t *processes);
/* Removes the rows of a trace from all states. The traces after it move by one number. Equal states of successive steps of the history
 * become one. */
void row_states_remove_trace(View *view, uint32_t trace);
/* Gives equal states of successive steps of the history one number. */
void row_states_join_equal(View *view);
/* Drops all states. */
void row_states_clear(View *view);

#endif
