/* format/apitrace/text.h - writes calls and values exactly in the form of `apitrace dump` (releases 11.1 to 13.0),
 * including its octal escapes. */
#ifndef FORMAT_APITRACE_TEXT_H
#define FORMAT_APITRACE_TEXT_H
#include "base/err.h"
#include "format/apitrace/stream.h"

typedef struct TextStyle {
    bool color;
    bool no_call_numbers, no_arg_names, one_line; /* --call-nos=no, --arg-names=no, --multiline=no */
    bool thread_ids;
    bool verbose;      /* includes calls with CALL_VERBOSE */
    bool blobs;        /* writes blobs to separate files in the working directory */
    bool no_addresses; /* writes all OPAQUE values alike, for comparisons */
} TextStyle;

typedef struct TextWriter {
    Grammar          *g;
    const TextStyle  *style;
    Bytes            *out;
    CallParts         parts;
    const CallEvents *call;       /* the current call */
    uint32_t          blob_count; /* number of its blobs so far */
    Err               err;
    bool              failed; /* a blob could not be written: err */
} TextWriter;

/* Appends a call as a line, with lines of its backtrace, and an empty line after the end of a frame. Returns false if
 * writer->failed, or if the details of the call are invalid. */
bool text_append_call(TextWriter *writer, const CallEvents *call);
/* Appends the call without number, thread, comment and line end. The writer's `parts` must be filled. */
void text_append_signature(TextWriter *writer, const CallEvents *call, uint32_t flags);
/* Appends the value of an argument in `parts`, if the argument is present. */
void text_append_argument(TextWriter *writer, uint32_t index);
/* Appends a line for each property of the stream, sorted by name; of equal names the last is used. False when out of
 * memory. */
bool text_append_properties(TextWriter *writer, const CallStream *stream, Arena *scratch) WARN_UNUSED;
void text_writer_release(TextWriter *writer);

/* Parts that other files of the format use, too. */
void text_append_bitmask(Bytes *out, const BitmaskSig *sig, uint64_t value);
/* Appends the GUID of the four values at the cursor. Returns false if they are not the values of a GUID. */
bool text_append_guid(Grammar *g, ByteCursor c, Bytes *out);

#endif
