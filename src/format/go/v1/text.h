/* format/go/v1/text.h - an event of a v1 trace as `go tool trace -d` prints it. */
#ifndef FORMAT_GO_V1_TEXT_H
#define FORMAT_GO_V1_TEXT_H
#include "format/go/v1/v1.h"

/* Appends the event's line with its newline. */
void v1_text_append(const GoV1 *v1, const GoEvent *event, Bytes *out);

#endif
