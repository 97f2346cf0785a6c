/* export/folded.h - call trees as folded stacks, the text that flamegraph.pl, inferno and speedscope read.
 *
 * There is a line "outer;inner N" for each call path, heaviest first: N = own weight in ns (in ticks without time), or
 * calls. In names ";" becomes ":", and control characters become spaces. A line has at most the FOLDED_MOST_FRAMES
 * innermost frames. */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H
#include "analysis/flame.h"
#include "format/writer.h"

enum { FOLDED_MOST_FRAMES = 1000 };

/* Writes the lines of a layout that was made by `by`. False: err is that of the sink, or ERR_MEMORY. */
bool folded_write(const FlameLayout *layout, FlameWeight by, const Clock *clock, const OutputSink *sink,
                  Err *err) WARN_UNUSED;

extern const FormatWriter FOLDED_WRITER; /* --to=folded: self times of the call tree */

#endif
