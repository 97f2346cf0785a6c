/* trace/make/track_order.h - the display order of processes and their threads. For src/trace only.
 *
 * By sort index, then named ones, by name, then labels, the main thread, the id: the order of Chromium's trace viewer, for traces of
 * all formats. */
#ifndef TRACE_MAKE_TRACK_ORDER_H
#define TRACE_MAKE_TRACK_ORDER_H
#include "trace/log/builder_log.h"

/* Both allocate arrays in `arena`; false when out of memory. */

/* Returns the builder's processes in *processes: one less than in the vector, whose item 0 is unused. */
bool order_processes(const TraceBuilder *builder, Arena *arena, uint32_t **processes) WARN_UNUSED;
/* Returns the threads of each process: (*threads)[(*first_thread)[p] .. (*first_thread)[p + 1]) are the builder's threads
 * of its process p. Tracks of a thread's states are ordered with the thread and left out. */
bool order_threads(const TraceBuilder *builder, Arena *arena, uint32_t **threads,
                   uint32_t **first_thread) WARN_UNUSED;

/* The name of a future track of a process or thread. `key` decides between equal names. */
typedef struct TrackName {
    uint32_t   owner, key;
    StringView name;
} TrackName;

/* For qsort: orders structs that begin with a TrackName by owner, natural order of the names, and key. */
int compare_track_names(const void *left, const void *right);

#endif
