/* format/apitrace/dump.h - a whole capture as `apitrace dump` prints it.
 *
 * Options, as apitrace's: calls, verbose, thread-ids, call-nos, arg-names, multiline, blobs, grep (what that
 * matches is the asker's: TextRequest.matches). */
#ifndef FORMAT_APITRACE_DUMP_H
#define FORMAT_APITRACE_DUMP_H
#include "format/text.h"

bool apitrace_dump(Input *input, const TextRequest *request, TextResult *result, Err *err);

#endif
