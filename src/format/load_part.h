/* format/load_part.h - limits a loaded trace to the part that was requested: LoadOptions.range and .tracks. For load.c. */
#ifndef FORMAT_LOAD_PART_H
#define FORMAT_LOAD_PART_H
#include "format/load.h"

/* Sets the window of the trace to the range of its ReadContext, unless the reader has set it, and to the tracks that match
 * `tracks` (NULL = all). False: err filled, ERR_USAGE if the range is invalid or after the trace, or no track matches. */
bool load_choose_part(Loaded *loaded, const char *tracks, Err *err) WARN_UNUSED;

#endif
