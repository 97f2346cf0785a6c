/* format/apitrace/details.h - decodes the details of a call from its bytes. */
#ifndef FORMAT_APITRACE_DETAILS_H
#define FORMAT_APITRACE_DETAILS_H
#include "format/reader.h"

/* The return of a call within this distance of its begin is found by parsing from the begin. The offsets of other
 * returns are stored. */
enum { LEAVE_NEAR_BYTES = 32 << 10 };

bool apitrace_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                      EventDetails *details, Err *err);

#endif
