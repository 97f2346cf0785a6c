/* base/string_view.h - a byte string with a length, borrowed, and its comparison. */
#ifndef BASE_STRING_VIEW_H
#define BASE_STRING_VIEW_H
#include "base/arena.h"

typedef struct StringView {
    const char *bytes; /* borrowed; strings in a StringTable are followed by a zero byte */
    size_t      size;
} StringView;

#define STRING_LITERAL(text) ((StringView){ (text), sizeof(text) - 1 })

/* Returns a C string as a view. */
static inline StringView c_string_view(const char *text)
{
    return (StringView){ text, strlen(text) };
}

/* Returns the bytes of a buffer, borrowed until it changes; { "", 0 } for an empty one. */
static inline StringView bytes_view(const Bytes *bytes)
{
    return (StringView){ bytes->size == 0 ? "" : (const char *)bytes->data, bytes->size };
}

/* Compares names: letters case-insensitively (ASCII), runs of digits by value ("worker 2" before "worker 10"), equal
 * names by their bytes. Returns < 0, 0 or > 0. */
int string_compare_natural(StringView a, StringView b);
/* Compares bytes; a string comes after its prefixes. Returns < 0, 0 or > 0. */
int  string_compare(StringView a, StringView b);
bool string_equal(StringView a, StringView b);
/* Removes the part before the next `separator` from the front of *rest; false at the end. "" has one empty part. */
bool text_next_part(StringView *rest, char separator, StringView *part) WARN_UNUSED;

#endif
