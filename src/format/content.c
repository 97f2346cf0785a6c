#include "format/content.h"

#include "codec/page.h"
#include "format/format.h"

enum { PACKED_BYTES = 256 << 10, PLAIN_BYTES = 64 << 10, HEAD_BYTES = 16 };

bool content_create(Content *content, Arena *arena, Err *err)
{
    *content = (Content){ .codec = CODEC_NONE };
    return held_open(&content->packed, arena, PACKED_BYTES, err) &&
           held_open(&content->plain, arena, PLAIN_BYTES, err) &&
           held_open(&content->text, arena, CONTENT_LOOK_BYTES, err);
}

/* Returns the highest confidence of the readers for the bytes as they are. Looks at the available bytes first, and at
 * up to PACKED_BYTES if the confidence is below `enough`. */
static int sure_as_it_is(HeldSource *packed, int enough)
{
    int sure = format_probe_sure(packed->bytes + packed->at, packed->end - packed->at);
    if (sure >= enough || packed->ended || packed->failed) return sure;
    size_t size = held_look(packed, PACKED_BYTES);
    return format_probe_sure(packed->bytes + packed->at, size);
}

/* Sets content->codec to CODEC_BROTLI if the bytes are not a trace and decompress to one. False: out of memory. */
static bool detect_brotli(Content *content, Err *err)
{
    enum { SURE = 70 };
    HeldSource  *packed = &content->packed;
    const size_t in_size = packed->end - packed->at;
    if (in_size == 0 || text_detect(packed->bytes + packed->at, in_size) != TEXT_UTF8) return true;
    int sure = sure_as_it_is(packed, SURE);
    if (sure >= SURE) return true;
    Err failure = { 0 };
    /* the browser has no decoder: the page decompresses */
    Decoder    *decoder = decoder_open(CODEC_BROTLI, &failure);
    CodecStream stream = { packed->bytes + packed->at, packed->end - packed->at, content->plain.bytes,
                           content->plain.capacity };
    if (decoder != NULL) (void)decoder_run(decoder, &stream, &failure);
    decoder_close(decoder);
    if (failure.code == ERR_MEMORY) return err_set(err, ERR_MEMORY, "%s", failure.message);
    if (format_probe_sure(content->plain.bytes, content->plain.capacity - stream.out_size) > sure)
        content->codec = CODEC_BROTLI;
    return true;
}

bool content_begin(Content *content, ByteSource below, Err *err)
{
    content_close(content);
    held_restart(&content->packed, below);
    size_t size = held_look(&content->packed, HEAD_BYTES);
    content->codec = codec_detect(content->packed.bytes, size);
    content->encoding = TEXT_UTF8;
    if (page_detect(content->packed.bytes, size)) content->codec = CODEC_PAGE;
    if (content->codec == CODEC_ZIP || content->codec == CODEC_SNAPPY || content->codec == CODEC_PAGE)
        return true;
    if (content->codec == CODEC_NONE && !detect_brotli(content, err)) return false;
    bool is_stream = content->codec != CODEC_NONE;
    if (is_stream && !decode_open(&content->decode, content->codec, &content->packed, err)) return false;

    held_restart(&content->plain,
                 is_stream ? decode_source(&content->decode) : held_source(&content->packed));
    size = held_look(&content->plain, HEAD_BYTES);
    content->encoding = text_detect(content->plain.bytes, size);
    ByteSource text = held_source(&content->plain);
    if (content->encoding != TEXT_UTF8) {
        utf16_open(&content->utf16, content->encoding, &content->plain);
        text = utf16_source(&content->utf16);
    }
    held_restart(&content->text, text);
    return true;
}

void content_begin_plain(Content *content, ByteSource below)
{
    content_close(content);
    held_restart(&content->packed, below);
    content->codec = CODEC_NONE;
    content->encoding = TEXT_UTF8;
    (void)held_look(&content->packed, HEAD_BYTES);
    held_restart(&content->plain, held_source(&content->packed));
    held_restart(&content->text, held_source(&content->plain));
}

void content_close(Content *content)
{
    decode_close(&content->decode);
}
