/* view/label_fit.h - shortens a name to its room and keeps the distinctive part.
 *
 * The first of these that fits: the whole name; without its template arguments ("std::vector::push_back"); without its
 * middle ("std::vec…::push_back"); only its last segment ("push_back(int)"); that without its arguments ("push_back");
 * that without its middle ("push…ck"), if four characters fit; the begin of that ("pu…"), if the room is at least two em
 * wide; nothing. Segments end at "::", ".", "/" and "\"; a suffix of the compiler (".part.0") belongs to the segment before it. */
#ifndef VIEW_LABEL_FIT_H
#define VIEW_LABEL_FIT_H
#include "view/text.h"

enum { LABEL_FIT_MAX = 256 }; /* bytes; limit on the name of a bar */

typedef struct FittedLabel {
    char     text[LABEL_FIT_MAX];
    size_t   size;
    uint64_t units; /* its width */
} FittedLabel;

/* Shortens `name` (UTF-8) to max_units (view/text.h). */
void label_fit(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out);

/* Removes only the middle of a name, as far as needed: for titles, which differ at their ends. */
void label_fit_middle(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out);

/* Returns the distance of a label from both ends of a bar of this width, in CSS pixels; below 0: the bar is too narrow for
 * text. A bar of 30 px carries letters of every name. */
double label_pad_px(double bar_px);

#endif
