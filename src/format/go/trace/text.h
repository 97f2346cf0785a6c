/* format/go/trace/text.h - the events of a Go trace as text: one line each, or as Go's own tools print them. */
#ifndef FORMAT_GO_TRACE_TEXT_H
#define FORMAT_GO_TRACE_TEXT_H
#include "format/text.h"

/* Implements FormatReader.text. Its option is "like": "go" prints the same text as Go's tools, including stacks. */
bool go_text(Input *input, const TextRequest *request, TextResult *result, Err *err);

#endif
