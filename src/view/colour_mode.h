/* view/colour_mode.h - the property of an event that decides its colour, and the palette without colours that colour-blind people
 * confuse.
 *
 *   name, category       the colour of the text, as view/colour.h defines it
 *   thread, process      the colour of the title of the track or process (colour_of_title)
 *   file                 by the number of the trace
 *   duration             eight steps of viridis: below 1 us, 10 us, 100 us, 1 ms, 10 ms, 100 ms, 1 s, and from 1 s on; without
 *                        time by ticks instead: below 10, 100, ...
 *
 * VIEW_SAFE_COLOURS: the 24 hues become eight colours, three hues each: seven of Okabe and Ito, and grey for their black. The
 * steps of the duration and the states of threads are the same with and without it. A bar of several slices has the step of the
 * longest. */
#ifndef VIEW_COLOUR_MODE_H
#define VIEW_COLOUR_MODE_H
#include "view/view_state.h"

/* Sets the looks of View.screen; after a change of the theme. */
void colour_mode_prepare(View *view);
/* Returns the value of VIEW_COLOUR_BY. */
unsigned colour_mode_of(const View *view);
/* Returns the look of a colour <= COLOUR_UNKNOWN in the palette of the view. */
NameColour colour_mode_look(const View *view, uint32_t colour);
/* Returns the look of a name in the palette of the view, in any theme. */
NameColour colour_mode_name(const View *view, Theme theme, const char *name, size_t size);
/* Returns the look of all bars of a trace by file. */
NameColour colour_mode_file(const View *view, uint32_t trace);
/* Returns the look of all bars of a track by thread or process. */
NameColour colour_mode_track(const View *view, uint32_t trace, uint32_t track);
/* Returns the look of a bar by duration. */
NameColour colour_mode_duration(const View *view, uint32_t trace, uint64_t ticks);

#endif
