/* format/apitrace/text.h - calls and values byte for byte as `apitrace dump` prints them (releases 11.1 to 13.0), its
 * octal escapes included. */
#ifndef FORMAT_APITRACE_TEXT_H
#define FORMAT_APITRACE_TEXT_H
#include "base/err.h"
#include "format/apitrace/stream.h"

typedef struct TextStyle {
    bool color;
    bool no_call_numbers, no_arg_names, one_line; /* --call-nos=no, --arg-names=no, --multiline=no */
    bool thread_ids;
    bool verbose;      /* calls of little interest, too */
    bool blobs;        /* to files of their own, in the working directory */
    bool no_addresses; /* OPAQUE values are all alike: for comparing */
} TextStyle;

typedef struct TextWriter {
    Grammar          *g;
    const TextStyle  *style;
    Bytes            *out;
    CallParts         parts;
    const CallEvents *call;       /* that is written */
    uint32_t          blob_count; /* of the call, so far */
    Err               err;
    bool              failed; /* a blob could not be written: err */
} TextWriter;

/* A line, or more: with its backtrace, and an empty one behind the end of a frame. False:
 * text_writer->failed, or the call cannot be walked. */
bool text_append_call(TextWriter *writer, const CallEvents *call);
/* The call alone, without number, thread, comment and line end. `parts` are filled. */
void text_append_signature(TextWriter *writer, const CallEvents *call, uint32_t flags);
/* The value of one argument of them, if it was given. */
void text_append_argument(TextWriter *writer, uint32_t index);
/* A line for each property of the stream, sorted by name; the last of a name counts. False: out of memory. */
bool text_append_properties(TextWriter *writer, const CallStream *stream, Arena *scratch) WARN_UNUSED;
void text_writer_release(TextWriter *writer);

/* What others write in the same way. */
void text_append_bitmask(Bytes *out, const BitmaskSig *sig, uint64_t value);
void text_append_u64(Bytes *out, uint64_t value);
/* The text of a GUID's four values at the cursor, if that is what they are. */
bool text_append_guid(Grammar *g, ByteCursor c, Bytes *out);
void text_append_frame(Bytes *out, const FrameSig *frame);

#endif
