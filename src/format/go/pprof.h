/* format/go/pprof.h - stacks with counts and durations as a profile that `go tool pprof` reads.
 *
 * The format: github.com/google/pprof, proto/profile.proto; a message of Protocol Buffers, not compressed
 * here. Two values a sample, as Go's own tool has them: contentions/count and delay/nanoseconds. */
#ifndef FORMAT_GO_PPROF_H
#define FORMAT_GO_PPROF_H
#include "format/go/stats.h"

/* Appends the message of one of the profiles. False when out of memory. */
bool go_pprof_write(const GoStats *stats, GoProfile profile, Bytes *out) WARN_UNUSED;

#endif
