/* format/writer.h - the interface of a writer: a trace as one file of another format.
 *
 * A writer reads the trace and, through its source, the arguments of events. It streams: memory grows with threads,
 * names and rows, not with events. The same trace gives the same bytes. The report lists all data that the format cannot
 * represent and that the writer left out or changed. The list of writers is export/writers.h. */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H
#include "base/file.h"
#include "format/load.h"

/* The destination of the output, and the means to make it. */
typedef struct OutputSink {
    bool (*append)(void *context, const void *bytes, size_t size, Err *err);
    void    *context; /* borrowed */
    unsigned threads; /* that may make the output; 0 and 1: only the thread of the caller */
} OutputSink;

/* Returns a sink that appends to `out`, which is borrowed. */
OutputSink output_to_bytes(Bytes *out);
/* Returns a sink that appends to an open file, which is borrowed. */
OutputSink output_to_file(FileWriter *file);

/* A kind of data that the output does not have as the trace has it. */
typedef struct WriterLoss {
    const char *what; /* static; printed after the count: "instants are left out" */
    StringView  kind; /* a subdivision of `what`, or empty; borrowed from the trace */
    uint64_t    count;
} WriterLoss;

enum { WRITER_MAX_LOSSES = 32 };
typedef struct WriterReport {
    WriterLoss losses[WRITER_MAX_LOSSES]; /* by first appearance; the last one counts all further kinds */
    size_t     loss_count;
} WriterReport;

/* Adds `count` to a loss; does nothing for 0. */
void writer_report(WriterReport *report, uint64_t count, const char *what);
void writer_report_kind(WriterReport *report, uint64_t count, const char *what, StringView kind);

/* WRITER_GZIP: a file of the format is the writer's output compressed with gzip, which is left to the caller. */
typedef enum { WRITER_PLAIN, WRITER_GZIP } WriterPacking;

typedef struct FormatWriter {
    const char   *name;   /* as in --to= */
    const char   *suffix; /* of file names, without the point; NULL = only by name */
    const char   *what;   /* one line for --help */
    WriterPacking packing;
    /* Writes the whole trace. `report` is zeroed before the call. On failure the output is incomplete. */
    bool (*write)(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err);
} FormatWriter;

/* True if the raw event is a sample that is also in the trace's sample columns. Writers write it from the columns. */
bool writer_is_sample(const Trace *trace, const OtherEvent *other);

/* The parts of a label that writers need for each event. */
typedef struct WriterLabel {
    StringView name; /* borrowed from the trace */
    bool       has_category;
    bool       is_cut; /* for the writer's use: it has changed the name */
} WriterLabel;
/* Returns the labels, by LabelId.index, in `arena`. NULL when out of memory. */
WriterLabel *writer_labels(const Trace *trace, Arena *arena) WARN_UNUSED;

/* Appends `buffer` to the sink and clears it, if it holds at least `threshold` bytes. */
enum { WRITER_BLOCK_BYTES = 256 << 10 };
bool writer_flush(const OutputSink *sink, Bytes *buffer, size_t threshold, Err *err) WARN_UNUSED;

#endif
