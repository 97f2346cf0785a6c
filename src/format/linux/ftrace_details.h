/* format/linux/ftrace_details.h - the arguments of an event of ftrace. */
#ifndef FORMAT_LINUX_FTRACE_DETAILS_H
#define FORMAT_LINUX_FTRACE_DETAILS_H
#include "base/json_writer.h"
#include "format/linux/ftrace_line.h"
#include "format/reader.h"

/* As FormatReader.details, for the line of an event. `end` is the line that ends it, or empty. */
bool ftrace_line_details(StringView begin, StringView end, EventDetails *details, Err *err);

/* The parts of ftrace_line_details, as members of the open object: the arguments of an event, its task and CPU (an empty name and
 * a negative id are left out), and the facts of the event that ends a slice: the state of the task, the result of the call. */
void ftrace_put_args(JsonWriter *w, const FtraceLine *line);
void ftrace_put_task(JsonWriter *w, const FtraceLine *line);
void ftrace_put_end(JsonWriter *w, const FtraceLine *line);

#endif
