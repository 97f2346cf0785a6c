/* format/go/trace/lanes.h - finds the goroutine, processor or thread of a slice, by the names that feed/feed.h gives. */
#ifndef FORMAT_GO_TRACE_LANES_H
#define FORMAT_GO_TRACE_LANES_H
#include "format/reader.h"

/* Finds the run of a goroutine on a lane of a processor or thread that is or contains the slice. False: not in a
 * run. */
bool go_lane_run(const Trace *trace, uint64_t slice, uint64_t *run);
/* Returns the number after the first letters, as in "G12 main.worker", "P 3", "M 4211". False: no number. */
bool go_lane_number(StringView text, int64_t *number);
/* Returns the processor of the slice's lane; GO_NONE: a thread's lane. */
int64_t go_lane_processor(const Trace *trace, uint64_t slice);

/* Implement SliceContext.cross_view_id and find_cross_view_id: goroutines, "G7". */
bool go_cross_view_id(const Trace *trace, uint64_t slice, Bytes *out);
bool go_find_cross_view_id(const Trace *trace, StringView id, uint8_t perspectives, int64_t tick,
                           uint64_t *slice);

#endif
