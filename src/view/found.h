/* view/found.h - the results of a search. */
#ifndef VIEW_FOUND_H
#define VIEW_FOUND_H
#include "view/view_state.h"

/* The found or the highlighted events of one row, valid until they are set again. */
typedef struct FoundRow {
    const TraceView  *trace;
    const uint32_t   *labels; /* sorted: all slices of these labels; NULL = of none */
    size_t            label_count;
    const FoundEvent *slices, *instants; /* sorted by begin */
    size_t            slice_count, instant_count;
} FoundRow;

/* Returns the found events of a row. `track` is an index in the outline, `row` one of the track's. */
FoundRow found_row(View *view, uint32_t trace, uint32_t track, uint32_t row);
/* Returns the highlighted events of a row likewise. */
FoundRow highlight_row(View *view, uint32_t trace, uint32_t track, uint32_t row);
/* True if a slice of the run is among the events or labels. */
bool found_run(const FoundRow *row, const Run *run);
/* Draws lines under the found instants of a row that begins at y (device pixels). */
void draw_found_instants(View *view, Frame *frame, const FoundRow *found, double y, double height);

#endif
