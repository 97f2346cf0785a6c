/* format/trace_event/profile/cpuprofile.h - reads .cpuprofile: CPU profiles of V8, saved by Node.js (--cpu-prof) and Chrome
 * DevTools.
 *
 * A profile is a JSON object: `nodes` is the call tree, `samples` the node of each sample, `timeDeltas` the
 * microseconds between samples. It may be inside a response of the debugging protocol ({"profile": ...}). The lists
 * are read item by item, so the complete items of a truncated file are shown. A profile that only counts the samples
 * of each node (hitCount) is shown in the order of the tree, with widths proportional to the counts. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_CPUPROFILE_H
#define FORMAT_TRACE_EVENT_PROFILE_CPUPROFILE_H
#include "format/reader.h"

extern const FormatReader CPUPROFILE_READER;

#endif
