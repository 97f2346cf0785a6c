/* trace/track_order.h - the order in which processes and their threads stand. For src/trace only.
 *
 * By sort index, then those with a name, by name, then labels, the main thread, the id (section 16 of the
 * Trace Event page, which is what viewers of other formats do as well). */
#ifndef TRACE_TRACK_ORDER_H
#define TRACE_TRACK_ORDER_H
#include "trace/builder_log.h"

/* Both make arrays in `arena`; false when out of memory. */

/* Returns the builder's processes in *processes: one less than the vector has, which begins with "none". */
bool order_processes(const TraceBuilder *builder, Arena *arena, uint32_t **processes) WARN_UNUSED;
/* Returns the threads of each process: (*threads)[(*first_thread)[p] .. (*first_thread)[p + 1]) are the builder's threads
 * of its process p. Those that hold the states of a thread stand with it and are left out. */
bool order_threads(const TraceBuilder *builder, Arena *arena, uint32_t **threads,
                   uint32_t **first_thread) WARN_UNUSED;

#endif
