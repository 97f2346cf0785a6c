/* format/spall/text.h - converts names of records to valid UTF-8. For format/spall only. */
#ifndef FORMAT_SPALL_TEXT_H
#define FORMAT_SPALL_TEXT_H
#include "trace/log/builder.h"

typedef struct SpallText {
    const uint8_t *bytes;
    size_t         size;
    size_t         most; /* the size at which the recorder truncates */
} SpallText;

/* Interns a name. Removes trailing zero bytes and a truncated character at the end; replaces other invalid UTF-8 and
 * warns. Returns STRING_NONE and sets *out_of_memory when out of memory. */
StringId spall_intern_text(TraceBuilder *builder, SpallText text, EventPos pos, bool *out_of_memory);

#endif
