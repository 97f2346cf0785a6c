/* format/text.h - the request for a format's text form, as the format's own tools print it: FormatReader.text. */
#ifndef FORMAT_TEXT_H
#define FORMAT_TEXT_H
#include "format/input.h"

struct TextRequest {
    /* Returns the value of a command line option ("" for a flag); NULL = the option was not given. */
    const char *(*option)(const void *context, const char *name);
    /* For formats with an option "grep": true if the name matches. */
    bool (*matches)(const void *context, const char *name);
    /* Receives the text piece by piece, in order, on any thread. Returns false to stop. */
    bool (*write)(void *context, const Bytes *text);
    void    *context;
    bool     color;
    unsigned threads; /* 0 = default */
};

struct TextResult {
    bool complete;
    Err  why; /* if not complete */
};

#endif
