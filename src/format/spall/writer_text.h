/* format/spall/writer_text.h - names and arguments as the texts of records. */
#ifndef FORMAT_SPALL_WRITER_TEXT_H
#define FORMAT_SPALL_WRITER_TEXT_H
#include "base/string_table.h"

/* As much of a text as a record holds, without NUL (a replacement character stands for it). `scratch` is used when the
 * text cannot be taken as it is. *cut is raised when something is missing or changed. */
StringView spall_text(StringView text, Bytes *scratch, bool *cut);

/* The text to write for arguments in JSON: the JSON itself; but of {"args":"text"}, which is how arguments that are not
 * JSON are read, the text. `scratch` may hold it. */
StringView spall_args(const Bytes *json, Bytes *scratch);

#endif
