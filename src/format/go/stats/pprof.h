/* format/go/stats/pprof.h - writes stacks with counts and durations as a profile for `go tool pprof`.
 *
 * Format: github.com/google/pprof, proto/profile.proto, an uncompressed message of Protocol Buffers. A sample has two
 * values, like those of Go's own tool: contentions/count and delay/nanoseconds. */
#ifndef FORMAT_GO_STATS_PPROF_H
#define FORMAT_GO_STATS_PPROF_H
#include "format/go/stats/stats.h"

/* Appends the message of a profile. False when out of memory. */
bool go_pprof_write(const GoStats *stats, GoProfile profile, Bytes *out) WARN_UNUSED;

#endif
