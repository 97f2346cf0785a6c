/* format/writer.h - the interface of a writer: a trace as one file of another format.
 *
 * A writer reads the trace and, through its source, the arguments of events. It streams: memory grows with threads,
 * names and rows, not with events. The same trace gives the same bytes. A writer leaves out or changes what its format
 * cannot hold, and reports it: never silently. The list of writers is export/writers.h. */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H
#include "format/load.h"

/* Where the bytes go. */
typedef struct OutputSink {
    bool (*append)(void *context, const void *bytes, size_t size, Err *err);
    void *context; /* borrowed */
} OutputSink;

/* Returns a sink that appends to `out`, which is borrowed. */
OutputSink output_to_bytes(Bytes *out);

/* One kind of thing that is not in the output as it is in the trace. */
typedef struct WriterLoss {
    const char *what; /* static, behind the count: "instants are left out" */
    StringView  kind; /* told apart further by this, or empty; lives as long as the trace */
    uint64_t    count;
} WriterLoss;

enum { WRITER_MAX_LOSSES = 32 };
typedef struct WriterReport {
    WriterLoss losses[WRITER_MAX_LOSSES]; /* by first appearance; what does not fit is counted in the last */
    size_t     loss_count;
} WriterReport;

/* Counts `count` more; 0 is no loss. */
void writer_report(WriterReport *report, uint64_t count, const char *what);
void writer_report_kind(WriterReport *report, uint64_t count, const char *what, StringView kind);

typedef struct FormatWriter {
    const char *name;   /* as in --to= */
    const char *suffix; /* of file names, without the point; NULL = only by name */
    const char *what;   /* for help, one line */
    /* Writes the whole trace. `report` comes zeroed. False: err filled; what was written is no whole file. */
    bool (*write)(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err);
} FormatWriter;

/* Whether the event is one of the samples that the trace has columns for: they are written from there. */
bool writer_is_sample(const Trace *trace, const OtherEvent *other);

/* Hands `buffer` on and empties it, if it holds at least `threshold` bytes. */
enum { WRITER_BLOCK_BYTES = 256 << 10 };
bool writer_flush(const OutputSink *sink, Bytes *buffer, size_t threshold, Err *err) WARN_UNUSED;

#endif
