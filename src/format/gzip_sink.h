/* format/gzip_sink.h - an output sink that compresses with gzip and passes the result to another sink. Native only: a browser
 * compresses by itself. */
#ifndef FORMAT_GZIP_SINK_H
#define FORMAT_GZIP_SINK_H
#include "codec/encoder.h"
#include "format/writer.h"

/* Must not move while its sink is used. A zeroed one is closed. */
typedef struct GzipSink {
    const OutputSink *to; /* destination, borrowed */
    Encoder          *encoder;
    Bytes             packed;
    OutputSink        sink; /* the input: append here */
} GzipSink;

/* Opens a stream. Close it in either case. */
bool gzip_sink_open(GzipSink *gzip, const OutputSink *to, Err *err) WARN_UNUSED;
/* Appends the end of the stream to the other sink. Call it once, after the last bytes. */
bool gzip_sink_finish(GzipSink *gzip, Err *err) WARN_UNUSED;
/* Releases it, also without gzip_sink_finish. */
void gzip_sink_close(GzipSink *gzip);

/* Writes a trace with a writer: compressed if the packing of the format is WRITER_GZIP. */
bool gzip_write_trace(const Loaded *loaded, const FormatWriter *writer, const OutputSink *to,
                      WriterReport *report, Err *err) WARN_UNUSED;

#endif
