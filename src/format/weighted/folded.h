/* format/weighted/folded.h - reads folded stacks: lines of frames with a semicolon between them, the outermost first, and one or two
 * numbers, as `stackcollapse-*.pl`, `difffolded.pl` and other programs for flame graphs write them.
 *
 * The stacks have no times: see weighted.h. Source: github.com/brendangregg/FlameGraph, flamegraph.pl and difffolded.pl. */
#ifndef FORMAT_WEIGHTED_FOLDED_H
#define FORMAT_WEIGHTED_FOLDED_H
#include "format/reader.h"

extern const FormatReader FOLDED_READER;

#endif
