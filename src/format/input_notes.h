/* format/input_notes.h - the data of an input that was left out or replaced, by kind. For src/format only. */
#ifndef FORMAT_INPUT_NOTES_H
#define FORMAT_INPUT_NOTES_H
#include "format/input.h"

enum { NOTE_KINDS = 2 };

typedef struct Notes {
    InputNote items[NOTE_KINDS];
    size_t    count;
    uint64_t  replaced; /* number of replaced characters of the current part that are counted in a note */
} Notes;

/* Counts one more piece of data of a kind, which is compared by its address. The first one has the offset and the message. */
void notes_add(Notes *notes, const char *kind, uint64_t offset, const char *format, ...) PRINTF_LIKE(4, 5);

#endif
