/* Functions shared by the tests of apitrace captures. */
#ifndef FORMAT_APITRACE_SUPPORT_H
#define FORMAT_APITRACE_SUPPORT_H
#include "format/apitrace/apitrace.h"
#include "format/load.h"
#include "format/pieces.h"
#include "support/golden.h"

/* Writes the path of the fixture test/data/apitrace/NAME. */
void capture_path(const char *name, char *path, size_t size);
/* Reads its stream, decompressed, from the trace's store. */
void capture_stream(const char *name, Bytes *out);

/* Options of the text: "verbose", "calls=1-3", ...; the last one is NULL. */
typedef struct Asked {
    const char *const *options;
    unsigned           threads;
} Asked;
/* Writes the text of a file. False: err. */
bool capture_text(const char *path, Asked asked, Bytes *out, TextResult *result, Err *err);

/* Reads the whole file, decompressed if it is gzip. */
void read_whole(const char *path, Bytes *out);

/* Returns the trace of a stream. */
Built built_stream(const Bytes *stream, size_t size, Pieces pieces);
/* Writes its slices, instants and warnings as text. */
void trace_text(const Trace *trace, Bytes *out);

/* -- handwritten streams -- */
void put_byte(Bytes *out, unsigned byte);
void put_number(Bytes *out, uint64_t value);
void put_name(Bytes *out, const char *text);

#endif
