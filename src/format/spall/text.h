/* format/spall/text.h - names as recorders write them, made fit to show. For format/spall only. */
#ifndef FORMAT_SPALL_TEXT_H
#define FORMAT_SPALL_TEXT_H
#include "trace/builder.h"

typedef struct SpallText {
    const uint8_t *bytes;
    size_t         size;
    size_t         most; /* the size at which the recorder cuts */
} SpallText;

/* The string of a name: trailing NULs are not part of it, a character that was cut is left out, other
 * bytes that are not UTF-8 are replaced and reported. STRING_NONE and *out_of_memory when that needs
 * memory that is not there. */
StringId spall_intern_text(TraceBuilder *builder, SpallText text, EventPos pos, bool *out_of_memory);

#endif
