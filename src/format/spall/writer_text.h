/* format/spall/writer_text.h - converts names and arguments to the texts of records. */
#ifndef FORMAT_SPALL_WRITER_TEXT_H
#define FORMAT_SPALL_WRITER_TEXT_H
#include "base/string_view.h"

/* Returns the part of a text that fits into a record; zero bytes are replaced by U+FFFD. The result is `text` itself
 * or in `scratch`. Sets *cut if it differs from `text`. */
StringView spall_text(StringView text, Bytes *scratch, bool *cut);

/* Returns the text to write for arguments in JSON: the JSON itself, or the text of {"args":"text"}, which is the form
 * of arguments that were not JSON. The result may be in `scratch`. */
StringView spall_args(const Bytes *json, Bytes *scratch);

#endif
