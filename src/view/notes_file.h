/* view/notes_file.h - the notes in view files (docs/view-files.md). */
#ifndef VIEW_NOTES_FILE_H
#define VIEW_NOTES_FILE_H
#include "base/json_writer.h"
#include "view/view_reading.h"

/* Writes the list of the notes of a trace. */
void notes_put(JsonWriter *w, const View *view, uint32_t trace);
/* Reads the list in `value` and adds its notes of `trace` to `notes`, unless the list has them. False: the error is filled. */
bool notes_read(ViewReading *r, StringView value, uint32_t trace, NoteList *notes) WARN_UNUSED;

#endif
