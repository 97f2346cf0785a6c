/* format/content.h - from the bytes of a file, or of an archive's member, to plain UTF-8. For src/format only.
 *
 * What the bytes are is seen from their beginning: compressed or not, UTF-16 or not; each layer is put on
 * that it needs. */
#ifndef FORMAT_CONTENT_H
#define FORMAT_CONTENT_H
#include "codec/source.h"

typedef struct Content {
    HeldSource   packed; /* as they come */
    HeldSource   plain;  /* decompressed */
    HeldSource   text;   /* UTF-8; whole for every other format */
    DecodeSource decode;
    Utf16Source  utf16;
    CodecKind    codec;
    TextEncoding encoding;
} Content;

enum { CONTENT_LOOK_BYTES = 64 << 10 }; /* so much of `text` can be looked at */

/* Buffers in `arena`. */
bool content_create(Content *content, Arena *arena, Err *err) WARN_UNUSED;
/* Begins anew with these bytes. An archive is left to codec/zip.h and a file of Snappy chunks to
 * format/chunk_file.h: codec says so, all their bytes are in `packed`, and nothing is in `text`. Brotli,
 * which has no magic, is what decompresses to a trace and is none as it is. */
bool content_begin(Content *content, ByteSource below, Err *err) WARN_UNUSED;
/* Likewise with what is plain UTF-8 whatever it begins with. */
void content_begin_plain(Content *content, ByteSource below);
void content_close(Content *content);

static inline bool content_read(Content *content, void *buffer, size_t size, size_t *got, Err *err)
{
    ByteSource text = held_source(&content->text);
    return source_read(&text, buffer, size, got, err);
}

#endif
