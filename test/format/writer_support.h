/* writer_support.h - a trace from a text, written as something else, into memory. */
#ifndef TEST_FORMAT_WRITER_SUPPORT_H
#define TEST_FORMAT_WRITER_SUPPORT_H
#include "export/writers.h"
#include "support/test.h"

/* Must succeed; release with loaded_release. */
Loaded writer_load(const void *bytes, size_t size);

/* Writes the trace of `bytes` with the writer of this name to the end of `out`. Must succeed. */
void writer_convert(const void *bytes, size_t size, const char *writer, WriterReport *report, Bytes *out);
/* The same, of a C string, and the result is one too. */
const char *writer_convert_text(const char *text, const char *writer, WriterReport *report, Bytes *out);

/* How often this was reported; 0 = not. */
uint64_t writer_lost(const WriterReport *report, const char *what);

/* Returns a sink that fails after so many appends. */
OutputSink writer_failing_sink(size_t *appends_left);

/* A Trace Event file of random slices of every form on a few threads: nested, overlapping, tied, without length,
 * unfinished, ended by others, with ends that belong to nothing. */
void writer_random_json(TestRandom *random, Bytes *out);

#endif
