/* format/apitrace/details.h - what a call says, read again from its bytes. */
#ifndef FORMAT_APITRACE_DETAILS_H
#define FORMAT_APITRACE_DETAILS_H
#include "format/reader.h"

/* A call that returns so many bytes after it began is found from its begin; the place of other returns is noted. */
enum { LEAVE_NEAR_BYTES = 32 << 10 };

bool apitrace_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                      EventDetails *details, Err *err);

#endif
