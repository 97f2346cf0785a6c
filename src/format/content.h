/* format/content.h - decompresses and converts the bytes of a file, or of an archive's member, to UTF-8. For src/format
 * only.
 *
 * The first bytes show if the content is compressed and if it is UTF-16. The sources that it needs are stacked. */
#ifndef FORMAT_CONTENT_H
#define FORMAT_CONTENT_H
#include "codec/source.h"

typedef struct Content {
    HeldSource   packed; /* the bytes of the file or member */
    HeldSource   plain;  /* decompressed */
    HeldSource   text;   /* converted from UTF-16; other bytes unchanged */
    DecodeSource decode;
    Utf16Source  utf16;
    CodecKind    codec;
    TextEncoding encoding;
} Content;

enum { CONTENT_LOOK_BYTES = 64 << 10 }; /* capacity of `text` */

/* Allocates the buffers in `arena`. */
bool content_create(Content *content, Arena *arena, Err *err) WARN_UNUSED;
/* Restarts with new bytes. The caller reads a zip archive (codec/zip.h), a page (codec/page.h) and a file of Snappy
 * chunks (format/chunk_file.h) from `packed`, as `codec` tells; `text` is then empty. Brotli has no magic: bytes are Brotli if
 * their decompressed form is recognised as a trace and they themselves are not. */
bool content_begin(Content *content, ByteSource below, Err *err) WARN_UNUSED;
/* Restarts with bytes that are plain UTF-8, without detection. */
void content_begin_plain(Content *content, ByteSource below);
void content_close(Content *content);

/* True if further reads return the bytes below as they are, and nothing of them is buffered. */
static inline bool content_is_below(const Content *content)
{
    return content->codec == CODEC_NONE && content->encoding == TEXT_UTF8 &&
           content->packed.at == content->packed.end && content->plain.at == content->plain.end &&
           content->text.at == content->text.end;
}

static inline bool content_read(Content *content, void *buffer, size_t size, size_t *got, Err *err)
{
    ByteSource text = held_source(&content->text);
    return source_read(&text, buffer, size, got, err);
}

#endif
