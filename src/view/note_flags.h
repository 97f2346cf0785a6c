/* view/note_flags.h - the flags of the notes in the strip below the ruler. */
#ifndef VIEW_NOTE_FLAGS_H
#define VIEW_NOTE_FLAGS_H
#include "view/view_state.h"

/* The height of the strip in CSS pixels; it is shown if there are notes. */
enum { NOTE_STRIP_PX = 17 };

/* Returns the id of the note whose flag is at a point of the strip, in device pixels; 0: none. */
uint32_t note_flag_at(View *view, double x, double y);
/* Draw the lines of the notes over the rows, the flags in the strip, and the marks in the minimap. */
void draw_note_lines(View *view, Frame *frame);
void draw_note_strip(View *view, Frame *frame);
void draw_note_minimap(View *view, Frame *frame);

#endif
