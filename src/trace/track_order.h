/* trace/track_order.h - the order in which processes and their threads stand. For src/trace only.
 *
 * By sort index, then those with a name, by name, then labels, the main thread, the id (section 16 of the
 * Trace Event page, which is what viewers of other formats do as well). */
#ifndef TRACE_TRACK_ORDER_H
#define TRACE_TRACK_ORDER_H
#include "trace/builder_log.h"

typedef struct OrderItem {
    double     sort_index;
    StringView name, labels; /* labels: of a process */
    Ident      id;
    StringView id_text; /* of a text id */
    uint32_t   index;   /* in the builder */
    uint32_t   group;   /* builder's process of a thread */
    bool       named, is_main;
} OrderItem;

/* Both make arrays in `arena`; false when out of memory. */

/* items[1 .. number of processes]. */
bool order_processes(const TraceBuilder *builder, Arena *arena, OrderItem **processes) WARN_UNUSED;
/* Threads of each process: threads[first_thread[p] .. first_thread[p + 1]) are those of the builder's process
 * p. Those that hold the states of a thread stand with it and are left out. */
bool order_threads(const TraceBuilder *builder, Arena *arena, OrderItem **threads,
                   uint32_t **first_thread) WARN_UNUSED;

#endif
