/* The codecs of the browser build. It links no decompression library: the page decompresses gzip, zstd, Brotli and zip
 * before the engine gets the bytes. Snappy blocks are decoded by snappy_decode.c. */
#include "codec/inflate.h"
#include "codec/page.h"
#include "codec/snappy.h"
#include "codec/zip.h"

#include "base/cursor.h"

bool snappy_plain_size(const uint8_t *block, size_t size, size_t *plain_size)
{
    ByteCursor c = cursor_over(block, size, 0);
    uint64_t   value = cursor_uleb(&c);
    *plain_size = (size_t)value;
    return !c.failed && c.at <= SNAPPY_VARINT_MOST && value <= UINT32_MAX;
}

static void err_set_no_codec(Err *err)
{
    err_set(err, ERR_VERSION, "compressed input must be decompressed by the page first");
}

Decoder *decoder_open(CodecKind kind, Err *err)
{
    (void)kind;
    err_set_no_codec(err);
    return NULL;
}

void decoder_close(Decoder *decoder)
{
    (void)decoder;
}

DecodeState decoder_run(Decoder *decoder, CodecStream *stream, Err *err)
{
    (void)decoder, (void)stream;
    err_set_no_codec(err);
    return DECODE_FAILED;
}

bool decoder_finish(Decoder *decoder, Err *err)
{
    (void)decoder;
    err_set_no_codec(err);
    return false;
}

Inflater *inflater_create(Arena *arena, InflateForm form)
{
    (void)form;
    return arena_push(arena, 1, 1); /* it has no state */
}

InflateState inflater_run(Inflater *inflater, CodecStream *stream, const char **failure)
{
    (void)inflater, (void)stream;
    *failure = "the page cannot decompress them; `varve open` can";
    return INFLATE_FAILED;
}

static bool read_no_archive(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    (void)context, (void)buffer, (void)size;
    *got = 0;
    err_set_no_codec(err);
    return false;
}

bool page_detect(const uint8_t *head, size_t size)
{
    (void)head, (void)size;
    return false;
}

PageReader *page_open(Arena *arena, HeldSource *page, Err *err)
{
    (void)arena, (void)page;
    err_set_no_codec(err);
    return NULL;
}

ByteSource page_source(PageReader *page)
{
    return (ByteSource){ read_no_archive, page };
}

bool page_finish(PageReader *page, PageOthers *others, Err *err)
{
    (void)page, (void)others;
    err_set_no_codec(err);
    return false;
}

bool page_has_failed(const PageReader *page)
{
    (void)page;
    return false;
}

ZipReader *zip_open(Arena *arena, HeldSource *archive, Err *err)
{
    (void)arena, (void)archive;
    err_set_no_codec(err);
    return NULL;
}

bool zip_next(ZipReader *zip, ZipMember *member, bool *found, Err *err)
{
    (void)zip, (void)member;
    *found = false;
    err_set_no_codec(err);
    return false;
}

ByteSource zip_source(ZipReader *zip)
{
    return (ByteSource){ read_no_archive, zip };
}
