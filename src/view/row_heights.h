/* view/row_heights.h - the heights of the rows of each track, and tracks that show only their first rows.
 *
 * A track has the height of its flags, else that of its process, else that of all rows (VIEW_COMPACT, VIEW_ROOMY). */
#ifndef VIEW_ROW_HEIGHTS_H
#define VIEW_ROW_HEIGHTS_H
#include "view/trace_view.h"
#include "view/view_state.h"

typedef enum { HEIGHT_NORMAL, HEIGHT_COMPACT, HEIGHT_ROOMY } RowHeight;
RowHeight row_height_of(const View *view, const TraceView *trace, uint32_t track);
RowHeight row_height_of_all(const View *view); /* of tracks without a height of their own */

/* The number of rows of a track with TRACK_LIMITED. */
enum { ROWS_LIMIT = 4 };
/* Returns the number of its rows that an open track shows. */
uint32_t rows_shown(const TraceView *trace, uint32_t track);

/* True if a track has more rows than a limited one shows. */
bool row_has_more(const TraceView *trace, uint32_t track);
/* Returns the bits of TRACK_HEIGHT of a row, for its menu; of a trace: those of its first track. */
RowFlags row_own_height(const View *view, RowTarget row);
/* ROWS_FEW: no track of the row has more rows than a limited one shows. ROWS_LIMITED: all that have more are limited. */
typedef enum { ROWS_FEW, ROWS_ALL, ROWS_LIMITED } RowLimit;
RowLimit row_limit(const View *view, RowTarget row);
/* Finds the tracks of a row: the track itself, or those of the process or trace: [*first, *end). Those of a group by name are among them:
 * see row_has. */
void rows_of(const View *view, RowTarget row, uint32_t *first, uint32_t *end);
/* True if a track of rows_of belongs to the row: always, except with a group by name. */
bool row_has(const TraceView *trace, RowTarget row, uint32_t track);

#endif
