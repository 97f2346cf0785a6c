/* format/load_part.h - the parts of a load that do not depend on its source: its names, and the part of the trace that was
 * requested (LoadOptions.range and .tracks). For load.c and load_kept.c. */
#ifndef FORMAT_LOAD_PART_H
#define FORMAT_LOAD_PART_H
#include "format/load.h"

typedef enum { NAME_OF_FILE, NAME_ONLY } NameMeaning;

/* Sets the name and the ReadContext of `loaded`, copied to its arena. False when out of memory. */
bool load_name_input(Loaded *loaded, const char *name, NameMeaning meaning,
                     const LoadOptions *options) WARN_UNUSED;

/* Sets the window of the trace to the range of its ReadContext, unless the reader has set it, and to the tracks that match
 * `tracks` (NULL = all). False: err filled, ERR_USAGE if the range is invalid or after the trace, or no track matches. */
bool load_choose_part(Loaded *loaded, const char *tracks, Err *err) WARN_UNUSED;

#endif
