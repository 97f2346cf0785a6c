/* view/label_fit.h - a name cut to the room there is, so that what tells it apart stays.
 *
 * In this order, the first that fits: the whole name; without its template arguments ("std::vector::push_back");
 * with its middle left out ("std::vec…::push_back"); its last segment alone ("push_back"); that with its middle left
 * out ("push…ck"), if four characters fit; nothing. Segments end at "::", ".", "/" and "\". */
#ifndef VIEW_LABEL_FIT_H
#define VIEW_LABEL_FIT_H
#include "view/text.h"

enum { LABEL_FIT_MAX = 256 }; /* bytes; nothing longer is ever shown in a bar */

typedef struct FittedLabel {
    char     text[LABEL_FIT_MAX];
    size_t   size;
    uint64_t units; /* its width */
} FittedLabel;

/* `name` is UTF-8; max_units as in view/text.h. */
void label_fit(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out);

/* The middle left out, where it must be, and nothing else: for titles, whose ends tell them apart. */
void label_fit_middle(FontFace face, const char *name, size_t size, uint64_t max_units, FittedLabel *out);

#endif
