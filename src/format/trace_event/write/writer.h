/* format/trace_event/write/writer.h - writes a trace as Trace Event JSON: an
 * object with one event per line, metadata first, then all events in order of time. chrome://tracing, Perfetto, Spall
 * and speedscope load it without errors, and Varve reads the same trace from it.
 *
 * Finished slices are X events, parents first; unfinished slices are a B without an E. If the same trace could not be
 * read from that, slices are pairs of B and E: a slice whose end ended other slices, and slices of length 0 that end
 * before another slice begins beside them at the same time. Times are exact decimals of microseconds with 3 digits,
 * or 6 if nanoseconds are not enough. Only times of a clock whose ticks are not whole picoseconds are rounded, and
 * counted. */
#ifndef FORMAT_TRACE_EVENT_WRITE_WRITER_H
#define FORMAT_TRACE_EVENT_WRITE_WRITER_H
#include "format/writer.h"

extern const FormatWriter TRACE_EVENT_WRITER;

#endif
