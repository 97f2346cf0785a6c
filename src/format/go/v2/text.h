/* format/go/v2/text.h - an event of a v2 trace as `go tool trace -d=parsed` prints it. */
#ifndef FORMAT_GO_V2_TEXT_H
#define FORMAT_GO_V2_TEXT_H
#include "format/go/v2/generation.h"

/* All of an event with its stacks, as the tool prints it; or its first line alone. */
typedef enum { V2_TEXT_STACKS, V2_TEXT_LINE } V2TextForm;

/* Appends the event's lines, each with its newline. V2_TEXT_LINE adds the decoded ids of memory experiments
 * (alloc_free.h). `generation` is the event's, NULL for the last sync. */
void v2_text_append(const GoGeneration *generation, const StringTable *texts, const GoEvent *event,
                    V2TextForm form, Bytes *out);

#endif
