/* codec/inflate.h - decompresses deflate data: members of gzip files and of zip archives (RFC 1951, RFC 1952).
 *
 * inflate_isal.c uses ISA-L, which is about three times as fast as zlib. inflate_zlib.c uses zlib, where ISA-L is not packaged. Both
 * give the same bytes; src/codec/meson.build selects one. */
#ifndef CODEC_INFLATE_H
#define CODEC_INFLATE_H
#include "codec/codec.h"

typedef enum {
    INFLATE_GZIP, /* a gzip member: header, deflate data, checksum and size */
    INFLATE_RAW   /* deflate data alone */
} InflateForm;

typedef struct Inflater Inflater;

/* The inflater is released with the arena, which also holds the memory that inflater_run allocates. NULL: out of memory. */
Inflater *inflater_create(Arena *arena, InflateForm form) WARN_UNUSED;
/* Prepares for the next member. */
void inflater_restart(Inflater *inflater);

typedef enum {
    INFLATE_MORE, /* the input or the room is used up */
    INFLATE_END,  /* the end of the member; the input stops behind it. Call inflater_restart next */
    INFLATE_FAILED
} InflateState;

/* Decompresses from stream->in to stream->out and advances both. After INFLATE_FAILED *failure is a static text, or NULL when out
 * of memory; the output until then is valid. */
InflateState inflater_run(Inflater *inflater, CodecStream *stream, const char **failure);

#endif
