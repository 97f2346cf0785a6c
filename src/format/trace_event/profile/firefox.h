/* format/trace_event/profile/firefox.h - reads profiles of the Firefox Profiler: saved at profiler.firefox.com, written by samply,
 * or by Firefox itself.
 *
 * A profile is a JSON object. Its tables are objects of columns, each a list ("processed" profiles), or have rows, with a schema
 * that tells the place of each column in a row (profiles of Firefox itself, "Gecko" profiles). Lists are read item by item.
 *
 * Sources: docs-developer/CHANGELOG-formats.md, processed-profile-format.md and gecko-profile-format.md of
 * github.com/firefox-devtools/profiler; processed versions to 70, Gecko versions 3 to 34. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_FIREFOX_H
#define FORMAT_TRACE_EVENT_PROFILE_FIREFOX_H
#include "format/reader.h"

extern const FormatReader FIREFOX_READER;

#endif
