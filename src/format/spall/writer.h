/* format/spall/writer.h - a trace as a .spall file, version 3 or 1 (sections 6, 4 and 12.6 of the format's
 * description).
 *
 * The format knows begins and ends on threads, and names of threads and processes (version 3), nothing else.
 * Slices that overlap on one thread, and asynchronous ones, get threads of their own. A slice that never
 * ended is left open where nothing follows it. Texts are cut at a code point at 255 bytes. */
#ifndef FORMAT_SPALL_WRITER_H
#define FORMAT_SPALL_WRITER_H
#include "format/writer.h"

extern const FormatWriter SPALL_WRITER, SPALL_V1_WRITER;

#endif
