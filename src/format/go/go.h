/* format/go/go.h - reads Go execution traces, versions 1.5 to 1.26.
 *
 * The folders, each of which includes from those above it:
 *
 *   common   events, strings and stacks by id, numbers, the header
 *   v1       versions 1.5 to 1.21: scan, merge of the processors, checks as Go's tool makes them
 *   v2       versions 1.22 and later: generations, the scheduler's order, checks
 *   trace    both as one sequence of events; events as texts; the ends of runs, found on request
 *   feed     converts the events to tracks and slices of the builder
 *   stats    statistics: goroutines, garbage collection, mutator utilisation, stacks; profiles for Go's tool */
#ifndef FORMAT_GO_GO_H
#define FORMAT_GO_GO_H
#include "format/reader.h"

/* format.version is "1.5" to "1.26", as in the header. Properties: "go" (docs/info.md). */
extern const FormatReader GO_READER;

#endif
