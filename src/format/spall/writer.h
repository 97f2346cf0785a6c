/* format/spall/writer.h - writes a trace as a .spall file, version 3 or 1.
 *
 * The format has only begins and ends on threads, and names of threads and processes (version 3). Overlapping slices
 * of a thread and asynchronous slices are written to separate threads. An unfinished slice is left open if no slice
 * follows it. Texts are truncated to 255 bytes at a code point. */
#ifndef FORMAT_SPALL_WRITER_H
#define FORMAT_SPALL_WRITER_H
#include "format/writer.h"

extern const FormatWriter SPALL_WRITER, SPALL_V1_WRITER;

#endif
