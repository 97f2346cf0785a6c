/* view/name_groups.h - the tracks of all processes in groups by name, for GROUPS_NAME.
 *
 * Tracks are in one group if their titles are equal without numbers, as in the rule of colours (view/colour.h): "worker 1" and
 * "worker 2". A group has at least two tracks, and is named by the index of its first one. A thread and the track of its states
 * count as one. */
#ifndef VIEW_NAME_GROUPS_H
#define VIEW_NAME_GROUPS_H
#include "view/trace_view.h"

/* Makes the groups of a trace, once for each outline. False when out of memory: then no track is in a group. */
bool name_groups_make(TraceView *trace);
/* Returns the group of a track; UINT32_MAX: it is in none, or the groups are not made. */
uint32_t name_group_of(const TraceView *trace, uint32_t track);
/* Opens or closes a group: a flag of all its tracks, so that it stays when another track becomes the first one. */
void name_group_open(TraceView *trace, uint32_t group);
void name_group_close(TraceView *trace, uint32_t group);
/* Returns the title of a group: that of its first track with # in place of numbers. */
StringView name_group_title(const TraceView *trace, uint32_t group);

#endif
