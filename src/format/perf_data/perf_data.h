/* format/perf_data/perf_data.h - the reader of perf.data, the files of `perf record`. */
#ifndef FORMAT_PERF_DATA_PERF_DATA_H
#define FORMAT_PERF_DATA_PERF_DATA_H
#include "format/reader.h"

extern const FormatReader PERF_DATA_READER;

#endif
