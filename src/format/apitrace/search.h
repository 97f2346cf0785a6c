/* format/apitrace/search.h - whether a call says anything that somebody looks for, without writing it out. */
#ifndef FORMAT_APITRACE_SEARCH_H
#define FORMAT_APITRACE_SEARCH_H
#include "format/apitrace/call.h"
#include "format/reader.h"

/* False: details.c would write nothing that the test finds. True also where that is not easily told. */
bool call_may_hold(Grammar *g, const CallEvents *call, const CallParts *parts, const DetailTest *test);

#endif
