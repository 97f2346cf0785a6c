/* format/strace/details.h - the arguments and the result of a call. */
#ifndef FORMAT_STRACE_DETAILS_H
#define FORMAT_STRACE_DETAILS_H
#include "format/reader.h"

bool strace_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err);

#endif
