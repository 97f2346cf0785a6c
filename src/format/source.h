/* format/source.h - copies the input of a loaded trace. */
#ifndef FORMAT_SOURCE_H
#define FORMAT_SOURCE_H
#include "format/writer.h"

/* True if source_copy appends the file itself: not a pipe, and not a page with the trace inside. */
bool source_is_file(const Loaded *loaded);
/* True if the bytes of the input alone give the same trace, when they are loaded without options: the trace is not a part of
 * the input, no names come from an executable, and a pipe did not bring an archive. */
bool source_is_enough(const Loaded *loaded);
/* Appends the input to the sink: a file as it is, also if it is compressed; other input, and the trace in an HTML page, decompressed. Fails with ERR_IO if the
 * input cannot be read again or the size of the file has changed. Any thread. */
bool source_copy(const Loaded *loaded, const OutputSink *sink, Err *err) WARN_UNUSED;

#endif
