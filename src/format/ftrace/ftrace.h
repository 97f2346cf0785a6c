/* format/ftrace/ftrace.h - the text of the kernel's ftrace, as a file. docs/formats/ftrace.md describes it. */
#ifndef FORMAT_FTRACE_FTRACE_H
#define FORMAT_FTRACE_FTRACE_H
#include "format/reader.h"

extern const FormatReader FTRACE_READER;

#endif
