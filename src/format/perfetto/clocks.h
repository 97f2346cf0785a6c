/* format/perfetto/clocks.h - converts times to the clock of the trace. For format/perfetto only.
 *
 * Snapshots (ClockSnapshot) have the times of several clocks at one moment. The clock of the trace is the one that the first
 * snapshot names as primary, or boottime, or without snapshots that of the first event. A time is converted by the latest snapshot of its clock at or before it, or by the
 * first one. A snapshot without the trace's clock is placed by those of its clocks that are known from others. Ids 64 to 127
 * are clocks of one sequence. Source: the page "Clock synchronization" of Perfetto. */
#ifndef FORMAT_PERFETTO_CLOCKS_H
#define FORMAT_PERFETTO_CLOCKS_H
#include "base/id_map.h"
#include "base/string_view.h"

/* A moment on a clock and on the trace's clock, in ns. */
typedef struct ClockPoint {
    int64_t own, trace;
} ClockPoint;

typedef struct TraceClock {
    uint64_t unit_ns; /* ns of one unit */
    uint64_t last;    /* is_incremental: the latest time, in units */
    bool     is_incremental;
    uint32_t late_count;           /* of points that were inserted */
    uint32_t hint;                 /* the point of the last conversion */
    ARENA_LIST(ClockPoint) points; /* in order of `own` */
} TraceClock;

typedef struct Clocks {
    Arena *arena;                  /* borrowed */
    IdMap  index;                  /* by key: index into `all` */
    ARENA_LIST(TraceClock) all;    /* [0] is unused */
    uint32_t primary;              /* id of the trace's clock */
    bool     has_primary, is_used; /* a time was converted: the trace's clock stays */
} Clocks;

typedef enum { CLOCK_KNOWN, CLOCK_UNKNOWN, CLOCK_OUT_OF_RANGE, CLOCK_NO_MEMORY } ClockResult;

void clocks_open(Clocks *clocks, Arena *arena);
/* Adds a snapshot in a packet of a sequence (its index). CLOCK_UNKNOWN: it is damaged, or it has no known clock. */
ClockResult clocks_add_snapshot(Clocks *clocks, uint32_t sequence, StringView snapshot);
/* Converts a time of a packet; id 0: it is one of the trace's clock. *ns is set also with CLOCK_UNKNOWN, to the time as it
 * is. Times of incremental clocks are differences to the one before. */
ClockResult clocks_to_trace(Clocks *clocks, uint32_t sequence, uint32_t id, uint64_t time, int64_t *ns);

#endif
