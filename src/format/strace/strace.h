/* format/strace/strace.h - the text that strace prints. docs/formats/strace.md describes it. */
#ifndef FORMAT_STRACE_STRACE_H
#define FORMAT_STRACE_STRACE_H
#include "format/reader.h"

extern const FormatReader STRACE_READER;

#endif
