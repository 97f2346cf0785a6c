/* view/notes.h - the user's notes (ViewNote): their list, its versions for undo, and the commands that change it. */
#ifndef VIEW_NOTES_H
#define VIEW_NOTES_H
#include "view/view_state.h"

/* Returns the version of the list after the last change, for Visit.notes. */
uint32_t notes_version(const View *view);
/* Uses the list of an earlier version, if it is still known. */
void notes_restore(View *view, uint32_t version);
/* Follows a trace whose begin is `later` ticks before the old one. */
void notes_shift(View *view, uint32_t trace, uint64_t later);
/* Removes the notes of a trace from all versions. The traces after it move by one number. Equal versions of successive steps of the
 * history become one. */
void notes_remove_trace(View *view, uint32_t trace);
/* Removes all notes and versions. */
void notes_clear(View *view);
/* Replaces the notes of all traces by `notes`. With NOTES_STORED earlier versions are forgotten. False when out of memory:
 * nothing changes. */
typedef enum { NOTES_STORED, NOTES_CHANGED } NotesChange;
bool notes_replace(View *view, const ViewNote *notes, size_t count, NotesChange change);
/* Sets the text of a note: one line of at most NOTE_TEXT bytes; a longer one is cut. */
void note_set_text(ViewNote *note, const char *text, size_t size);
/* Adds a note of the moment at the pointer; outside of the timeline at the begin of the selected slice or instant, without one
 * in the middle. */
void note_here(View *view);
/* Adds a note of the moment at a CSS pixel of the plot. */
void note_at_pixel(View *view, double plot_x_px);
/* Adds a note of the selected area; without an area, of the selected slice. */
void note_of_area(View *view);
/* Removes the selected note. */
void note_remove_selected(View *view);
/* Selects the note before (-1) or after (1) the selected one, in order of time, and moves it into view. */
void note_step(View *view, int by);
/* Selects a note (0: none). `command` is that of VIEW_EVENT_NOTES. */
void note_select(View *view, uint32_t id, const char *command);

#endif
