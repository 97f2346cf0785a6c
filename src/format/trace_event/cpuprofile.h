/* format/trace_event/cpuprofile.h - .cpuprofile: a CPU profile of V8 as Node.js (--cpu-prof) and Chrome
 * DevTools save it.
 *
 * One JSON object: `nodes`, the tree of what was called from where; `samples`, the node at each moment;
 * `timeDeltas`, the microseconds between them. Also inside the answer of the debugging protocol ({"profile":
 * ...}). The lists are taken item by item, so that of a file that was cut short all is shown that is whole.
 * A profile that only counted how often each node was met (hitCount) is shown in the order of the tree, as
 * wide as it was frequent. */
#ifndef FORMAT_TRACE_EVENT_CPUPROFILE_H
#define FORMAT_TRACE_EVENT_CPUPROFILE_H
#include "format/reader.h"

extern const FormatReader CPUPROFILE_READER;

#endif
