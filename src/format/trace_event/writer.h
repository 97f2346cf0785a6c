/* format/trace_event/writer.h - a trace as Trace Event JSON (section 21 of the format's description): an object with
 * the events one a line, metadata first, then all in order of time. chrome://tracing, Perfetto, Spall and speedscope
 * load it without complaint, and Varve reads the same trace from it.
 *
 * Finished slices are X events, parents first; what the file left unfinished is a B without an E. Where
 * that is not enough to read the same trace again, slices are pairs of B and E: one that ended others with it, and
 * those of no length that end just before another begins beside them. Times are exact decimals
 * of microseconds with 3 digits, or 6 where nanoseconds are not enough; only a clock whose ticks are no whole number of
 * picoseconds is rounded, and counted. */
#ifndef FORMAT_TRACE_EVENT_WRITER_H
#define FORMAT_TRACE_EVENT_WRITER_H
#include "format/writer.h"

extern const FormatWriter TRACE_EVENT_WRITER;

#endif
