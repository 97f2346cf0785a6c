#include "format/input_notes.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void notes_add(Notes *notes, const char *kind, uint64_t offset, const char *format, ...)
{
    size_t i = 0;
    while (i < notes->count && notes->items[i].kind != kind)
        i++;
    assert(i < NOTE_KINDS);
    InputNote *found = &notes->items[i];
    if (found->count++ > 0) return;
    notes->count = i + 1;
    found->kind = kind;
    found->offset = offset;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(found->message, sizeof found->message, format, values);
    va_end(values);
}
