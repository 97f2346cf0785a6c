/* writer_support.h - converts a trace from a text to another format, in memory. */
#ifndef TEST_FORMAT_WRITER_SUPPORT_H
#define TEST_FORMAT_WRITER_SUPPORT_H
#include "export/writers.h"
#include "support/test.h"

/* Loads a trace. Must succeed; release with loaded_release. */
Loaded writer_load(const void *bytes, size_t size);

/* Appends the trace of `bytes`, written with the writer of this name, to `out`. Must succeed. */
void writer_convert(const void *bytes, size_t size, const char *writer, WriterReport *report, Bytes *out);
/* As writer_convert, for a C string and with a C string as result. */
const char *writer_convert_text(const char *text, const char *writer, WriterReport *report, Bytes *out);

/* Returns the count of a reported loss; 0 = not reported. */
uint64_t writer_lost(const WriterReport *report, const char *what);

/* Returns a sink that fails after this number of appends. */
OutputSink writer_failing_sink(size_t *appends_left);

/* Writes a Trace Event file of random slices of every form on a few threads: nested, overlapping, tied, without length,
 * unfinished, ended by others, with unmatched ends. */
void writer_random_json(TestRandom *random, Bytes *out);

#endif
