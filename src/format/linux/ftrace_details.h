/* format/linux/ftrace_details.h - the arguments of an event of ftrace. */
#ifndef FORMAT_LINUX_FTRACE_DETAILS_H
#define FORMAT_LINUX_FTRACE_DETAILS_H
#include "format/reader.h"

/* As FormatReader.details, for the line of an event. `end` is the line that ends it, or empty. */
bool ftrace_line_details(StringView begin, StringView end, EventDetails *details, Err *err);

#endif
