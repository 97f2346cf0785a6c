/* app/session/call_text.h - times of a capture of graphics calls as text. For app/session only. */
#ifndef APP_SESSION_CALL_TEXT_H
#define APP_SESSION_CALL_TEXT_H
#include "trace/store/trace.h"

/* Appends a time of a capture as text: "call 1 230, frame 4", "before call 124, frame 4". Appends nothing for other
 * traces. */
void append_call_text(Bytes *out, const Trace *trace, int64_t tick);

#endif
