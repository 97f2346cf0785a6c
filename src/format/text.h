/* format/text.h - the text that a format has of its own, for those whose tools print one: FormatReader.text. */
#ifndef FORMAT_TEXT_H
#define FORMAT_TEXT_H
#include "format/input.h"

/* Who asks, and for what. */
struct TextRequest {
    /* The value of an option as it was given ("" for a flag); NULL = it was not. */
    const char *(*option)(const void *context, const char *name);
    /* For formats with an option "grep": whether a name is wanted. */
    bool (*matches)(const void *context, const char *name);
    /* Takes the text piece by piece, in order, from any thread. False: no more is wanted. */
    bool (*write)(void *context, const Bytes *text);
    void    *context;
    bool     color;
    unsigned threads; /* 0 = default */
};

struct TextResult {
    bool complete; /* else: */
    Err  why;
};

#endif
