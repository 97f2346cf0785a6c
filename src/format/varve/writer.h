/* format/varve/writer.h - writes a `.varve` file: a trace with its index, and the bytes of its input. */
#ifndef FORMAT_VARVE_WRITER_H
#define FORMAT_VARVE_WRITER_H
#include "format/varve/layout.h"
#include "format/varve/levels.h"
#include "format/writer.h"
#include "trace/store/filter.h"

/* VARVE_PACKED: the blocks are compressed. VARVE_MAPPED: they are as in memory, so that the file is opened without a copy. */
typedef enum { VARVE_PACKED, VARVE_MAPPED } VarvePacking;

/* The answer to a request of docs/PROTOCOL.md, which a program that reads the file by ranges gives as it is. */
typedef struct VarveAnswer {
    const char *request; /* "outline", "labels?page=1": at most TILES_REQUEST_BYTES bytes */
    StringView  body;
} VarveAnswer;

/* For a file that can be read by ranges: format/varve/tiles.h. */
typedef struct VarveTiles VarveTiles;
struct VarveTiles {
    const VarveAnswer *answers;
    size_t             answer_count;
    const Filter      *filter; /* of the categories that are hidden at first; NULL = none */
    VarveLevels        levels;
};

typedef struct VarveFileOptions {
    VarvePacking      packing;
    VarveDetails      details; /* STORED: the input is in the file; SOURCE: only its name and identity */
    unsigned          threads; /* for compression; 0 = one per core */
    const VarveTiles *tiles;   /* NULL: the file has no tiles */
} VarveFileOptions;

/* True if the file holds the trace, false if it holds only its input, of which the trace is made again: the reader keeps data for
 * the decoding of details, or the trace has perspectives. */
bool trace_file_holds(const Trace *trace);
/* Writes the whole trace. Fails with ERR_USAGE for a trace with a range or chosen tracks, and for one that grows. */
bool trace_file_write(const Loaded *loaded, const VarveFileOptions *options, const OutputSink *sink,
                      WriterReport *report, Err *err) WARN_UNUSED;

extern const FormatWriter VARVE_WRITER;

#endif
