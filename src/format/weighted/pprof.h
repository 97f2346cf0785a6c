/* format/weighted/pprof.h - reads profiles of pprof (profile.proto): of Go (`go test -cpuprofile`, runtime/pprof), pprof-rs and
 * others.
 *
 * A profile has no times: see weighted.h. Source: proto/profile.proto of github.com/google/pprof. */
#ifndef FORMAT_WEIGHTED_PPROF_H
#define FORMAT_WEIGHTED_PPROF_H
#include "format/reader.h"

extern const FormatReader PPROF_READER;

#endif
