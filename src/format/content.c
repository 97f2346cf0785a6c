#include "format/content.h"

enum { PACKED_BYTES = 256 << 10, PLAIN_BYTES = 64 << 10, HEAD_BYTES = 8 };

bool content_create(Content *content, Arena *arena, Err *err)
{
    *content = (Content){ .codec = CODEC_NONE };
    return held_open(&content->packed, arena, PACKED_BYTES, err) &&
           held_open(&content->plain, arena, PLAIN_BYTES, err) &&
           held_open(&content->text, arena, CONTENT_LOOK_BYTES, err);
}

bool content_begin(Content *content, ByteSource below, Err *err)
{
    content_close(content);
    held_restart(&content->packed, below);
    size_t size = held_look(&content->packed, HEAD_BYTES);
    content->codec = codec_detect(content->packed.bytes, size);
    content->encoding = TEXT_UTF8;
    if (content->codec == CODEC_ZIP) return true;
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

void content_close(Content *content)
{
    decode_close(&content->decode);
}
