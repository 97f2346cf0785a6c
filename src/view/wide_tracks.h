/* view/wide_tracks.h - the tracks whose events are drawn over other tracks: instants of processes and of the trace, and
 * boundaries. They are few among the tracks of a trace, so that a frame does not look for them in all tracks. */
#ifndef VIEW_WIDE_TRACKS_H
#define VIEW_WIDE_TRACKS_H
#include "view/trace_view.h"

/* Lists the tracks of an outline. False when out of memory. */
bool wide_tracks_init(TraceView *trace);
/* Returns the tracks of a process with instants of the process. */
WideTracks wide_tracks_of_process(const TraceView *trace, uint32_t process);

#endif
