/* trace/store/choose_tracks.h - finds the tracks for a name from the user: --thread and --tracks of the commands, thread :=
 * of SQL. */
#ifndef TRACE_STORE_CHOOSE_TRACKS_H
#define TRACE_STORE_CHOOSE_TRACKS_H
#include "trace/store/trace.h"

/* Writes the ids of the tracks with that name or thread id to `tracks`, which has room for trace->track_count ids, and
 * returns their number. If no track has it, finds the tracks whose title contains the name. Titles that do not fit into
 * memory do not match. O(tracks). */
uint32_t choose_tracks_called(const Trace *trace, StringView name, uint32_t *tracks);

/* As choose_tracks_called. If no title contains the name either: the tracks of the processes whose title contains
 * it. */
uint32_t choose_tracks_matching(const Trace *trace, StringView name, uint32_t *tracks);

/* Writes the ids of all tracks except the tracks that divide the others (Track.divides), such as the frames of a capture.
 * They cover the time of the calls again: they count only when they are chosen by name. */
uint32_t choose_tracks_all(const Trace *trace, uint32_t *tracks);

#endif
