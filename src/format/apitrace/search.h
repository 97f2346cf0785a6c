/* format/apitrace/search.h - tests the values of a call against a search, without converting them to JSON. */
#ifndef FORMAT_APITRACE_SEARCH_H
#define FORMAT_APITRACE_SEARCH_H
#include "format/apitrace/call.h"
#include "format/reader.h"

/* Returns false if the test finds no value in the JSON that details.c would write. May return true otherwise. */
bool call_may_hold(Grammar *g, const CallEvents *call, const CallParts *parts, const DetailTest *test);

#endif
