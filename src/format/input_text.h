/* format/input_text.h - texts of the input in the string table. */
#ifndef FORMAT_INPUT_TEXT_H
#define FORMAT_INPUT_TEXT_H
#include "trace/log/builder.h"

/* Returns the id of a text of the input. Invalid UTF-8 is replaced by U+FFFD, with a warning that names the text by `noun`.
 * Sets *out_of_memory, and returns STRING_NONE, if the replaced text does not fit into memory. */
StringId input_text_intern(TraceBuilder *builder, StringView text, const char *noun, EventPos pos,
                           bool *out_of_memory);

#endif
