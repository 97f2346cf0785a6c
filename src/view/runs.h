/* view/runs.h - the slices and instants of a row, from tiles. */
#ifndef VIEW_RUNS_H
#define VIEW_RUNS_H
#include "view/view_state.h"

/* Updates the geometry and the scales of the traces to the camera. */
void runs_prepare(View *view);
/* Finds the tiles for a band of a track, in scratch.sources. */
void runs_find_sources(View *view, uint32_t trace, const OutlineTrack *track, uint32_t band);
/* Does the same as tile_cache_find, for tiles whose times count from the begin of the trace. */
bool view_find_tile(View *view, uint32_t trace, TileKey key, Tile *tile);
/* Learns the durations of the longest thousandth of a track's slices, from a tile over the whole trace. */
void runs_learn_lengths(TraceView *trace, const Tile *tile);
/* Sets scratch.row to a row of the band of the last runs_find_sources. If its tiles and their place on the screen are
 * those of an earlier call, it is the row of that call. */
void runs_build(View *view, uint32_t trace, uint32_t row_of_band);
/* Sets scratch.row to a row of which only the marks are built. */
void runs_build_marks(View *view, uint32_t trace, uint32_t row_of_band);

#endif
