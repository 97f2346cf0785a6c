/* format/apitrace/dump.h - writes a whole capture in the form of `apitrace dump`.
 *
 * Options, as in apitrace: calls, verbose, thread-ids, call-nos, arg-names, multiline, blobs, grep (the caller
 * matches names by TextRequest.matches). */
#ifndef FORMAT_APITRACE_DUMP_H
#define FORMAT_APITRACE_DUMP_H
#include "format/text.h"

bool apitrace_dump(Input *input, const TextRequest *request, TextResult *result, Err *err);

#endif
