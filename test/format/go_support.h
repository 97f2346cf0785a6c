/* format/go_support.h - Go traces in tests: files, their events in the form of Go's tools, traces made of them. */
#ifndef TEST_FORMAT_GO_SUPPORT_H
#define TEST_FORMAT_GO_SUPPORT_H
#include "format/go/go.h"
#include "format/go/trace/go_trace.h"
#include "format/pieces.h"
#include "support/golden.h"

/* Appends the bytes of a recording in test/data/go or one of its folders. */
void go_file_read(const char *name, Bytes *file);
/* The files of test/data/go; the last one is NULL. */
extern const char *const GO_FILES[];

/* Passes all events of a file to a sink, in pieces of `piece` bytes (0 = all at once). False: err filled. */
bool go_events(const Bytes *file, size_t size, size_t piece, const GoSink *sink, Err *err);

/* Builds a trace, in pieces of `piece` bytes (0 = all at once). */
Built go_built(const uint8_t *bytes, size_t size, size_t piece);
/* As go_built, for one perspective (builder_want_perspective). */
Built go_built_for(const char *perspective, const uint8_t *bytes, size_t size, size_t piece);
/* Writes a summary of the trace. */
void go_built_text(const Built *built, Bytes *out);
/* As go_built_text, for these perspectives only. */
void go_built_text_from(const Built *built, uint8_t perspectives, Bytes *out);

/* Writes the SHA-256 as 64 hexadecimal digits and a zero byte. */
void sha256_text(const void *bytes, size_t size, char out[65]);

#endif
