/* format/perf/perf.h - the text that `perf script` prints. docs/formats/perf.md describes it. */
#ifndef FORMAT_PERF_PERF_H
#define FORMAT_PERF_PERF_H
#include "format/reader.h"

extern const FormatReader PERF_READER;

#endif
