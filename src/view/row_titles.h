/* view/row_titles.h - processes and tracks by their titles, for view files: an index or id can differ from file to file.
 *
 * Rows can have the same title. `nth` counts them in the order of the outline, from 1. */
#ifndef VIEW_ROW_TITLES_H
#define VIEW_ROW_TITLES_H
#include "view/view_state.h"

typedef struct RowTitle {
    ItemKind   kind;           /* ITEM_PROCESS or ITEM_TRACK */
    bool       has_process;    /* false: a track outside of processes */
    StringView process, track; /* track: empty for a process */
    uint32_t   nth;
} RowTitle;

/* Sorts the rows of a trace, once for each outline. False when out of memory. */
bool row_titles_prepare(TraceView *trace) WARN_UNUSED;
/* Returns the title of a row. The rows of its trace are sorted. The texts are those of the outline. */
RowTitle row_title_of(const TraceView *trace, RowTarget row);
/* Finds the row of trace `index` with a title, in logarithmic time. The rows are sorted. False: no such row. */
bool row_title_find(const TraceView *trace, uint32_t index, const RowTitle *title, RowTarget *row);

#endif
