#include "codec/inflate.h"

#include <limits.h>
#include <zlib.h>

struct Inflater {
    z_stream stream;
};

static voidpf allocate(voidpf arena, uInt count, uInt size)
{
    return arena_push((Arena *)arena, count, size);
}

static void release(voidpf arena, voidpf memory)
{
    (void)arena, (void)memory; /* released with the arena */
}

Inflater *inflater_create(Arena *arena, InflateForm form)
{
    Inflater *inflater = ARENA_NEW(arena, Inflater);
    if (inflater == NULL) return NULL;
    inflater->stream = (z_stream){ .zalloc = allocate, .zfree = release, .opaque = arena };
    const int window = form == INFLATE_GZIP ? 16 + MAX_WBITS : -MAX_WBITS; /* zlib.h: inflateInit2 */
    return inflateInit2(&inflater->stream, window) == Z_OK ? inflater : NULL;
}

void inflater_restart(Inflater *inflater)
{
    (void)inflateReset(&inflater->stream);
}

static uInt clamp_to_uint(size_t size)
{
    return size > UINT_MAX ? UINT_MAX : (uInt)size;
}

InflateState inflater_run(Inflater *inflater, CodecStream *stream, const char **failure)
{
    z_stream  *stream = &inflater->stream;
    const uInt in_size = clamp_to_uint(stream->in_size), out_size = clamp_to_uint(stream->out_size);
    stream->next_in = (z_const Bytef *)(uintptr_t)stream->in;
    stream->avail_in = in_size;
    stream->next_out = stream->out;
    stream->avail_out = out_size;
    const int    result = inflate(stream, Z_NO_FLUSH);
    const size_t in_used = in_size - stream->avail_in, out_used = out_size - stream->avail_out;
    stream->in += in_used, stream->in_size -= in_used;
    stream->out += out_used, stream->out_size -= out_used;

    if (result == Z_OK || result == Z_BUF_ERROR)
        return INFLATE_MORE; /* BUF_ERROR: needs more input or room */
    if (result == Z_STREAM_END) return INFLATE_END;
    *failure = result == Z_MEM_ERROR ? NULL : stream->msg != NULL ? stream->msg : zError(result);
    return INFLATE_FAILED;
}
