/* view/row_order.h - the order of the rows: sorted, with or without groups, and with rows that the user has moved.
 *
 * A trace has a list of its tracks from top to bottom (RowLists). It is made in three phases: the tracks of each process are
 * sorted, then the processes, then the moves of the user are applied in their order. Sorting continues in later frames if a
 * trace has many tracks; until its end the rows keep the order before. The track of a thread's states stays above that of
 * the thread. */
#ifndef VIEW_ROW_ORDER_H
#define VIEW_ROW_ORDER_H
#include "view/view_state.h"

enum { ROW_MOVES_MOST = 4096 }; /* the oldest ones are dropped */

/* Allocates the lists of a trace, in the default order. False when out of memory. */
bool row_lists_init(TraceView *trace) WARN_UNUSED;
/* Copies the order of an earlier outline of the same trace with the same tracks. */
void row_lists_carry(const TraceView *before, TraceView *after);
/* Returns the track of a thread whose states are in the track before it, for both; UINT32_MAX: its thread has no such track. */
uint32_t row_thread_with_states(const Outline *outline, uint32_t track);
/* Continues the work by a bounded amount, in a picture until its end. True if the order of a trace has become ready. */
bool row_order_step(View *view);
/* True while rows are being sorted. */
bool row_order_is_working(const View *view);

/* Choose the sort or the groups, which also drops the moves. Steps of the history. */
void row_order_set_sort(View *view, RowSort sort);
void row_order_set_groups(View *view, RowGroups groups);
/* Puts a row with its list before or after another one of the same list: the processes of a trace and its tracks outside of
 * processes, or the tracks of a process. A step of the history. No effect on rows of different lists. */
void row_order_move(View *view, const RowMove *move);
/* Returns the row to which a row can be moved instead of `over`: `over` itself, or its process, in the list of `row`. False:
 * the rows have no list in common. */
bool row_order_target(const View *view, RowTarget row, RowTarget over, RowTarget *target);
/* True if both are one row, or rows that move together. */
bool row_order_is_one(const View *view, RowTarget a, RowTarget b);
/* Undoes all moves. A step of the history. */
void row_order_unmove(View *view);
/* Replaces the order without a step of the history; the moves are copied. */
void row_order_set(View *view, const RowOrder *order);
bool row_order_is_same(const RowOrder *a, const RowOrder *b);
/* Copies an order. False when out of memory. */
bool row_order_copy(RowOrder *to, const RowOrder *from) WARN_UNUSED;
/* Renumbers the rows of a trace: tracks[i] and processes[i] are the new indices, UINT32_MAX = gone. NULL: all are gone. */
void row_order_renumber(RowOrder *order, uint32_t trace, const uint32_t *tracks, const uint32_t *processes);
/* Removes the moves of a trace. The traces after it move by one number. */
void row_order_remove_trace(RowOrder *order, uint32_t trace);

#endif
