/* format/trace_event/profile/speedscope.h - reads the files of speedscope (*.speedscope.json).
 *
 * A file is a JSON object: `shared.frames` has the functions, `profiles` the profiles. An evented profile is a list of begins
 * and ends (`events`), a sampled one a list of stacks (`samples`) and their lengths (`weights`). The lists are read item by item,
 * so the complete items of a truncated file are shown. Keys may be in any order: items that are before the frames or the unit
 * which they need are kept as text until the end of the profile or the input. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_SPEEDSCOPE_H
#define FORMAT_TRACE_EVENT_PROFILE_SPEEDSCOPE_H
#include "format/reader.h"

extern const FormatReader SPEEDSCOPE_READER;

#endif
