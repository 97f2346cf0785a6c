/* view/note_colours.h - the colours of notes: eight that people with any colour vision can distinguish (Okabe and Ito,
 * "Color Universal Design", 2008, with grey for black). */
#ifndef VIEW_NOTE_COLOURS_H
#define VIEW_NOTE_COLOURS_H
#include "view/view.h"

typedef struct NoteColour {
    const char *name; /* in view files */
    uint32_t    rgba; /* before colour_custom fits it to the theme */
} NoteColour;

/* Returns a colour < NOTE_COLOURS. */
const NoteColour *note_colour(uint32_t colour);

#endif
