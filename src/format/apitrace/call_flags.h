/* format/apitrace/call_flags.h - classifies calls by the function's name; the file has no such data.
 *
 * The flags are those of apitrace (lib/trace/trace_parser_flags.cpp, January 2026). The families are Varve's. */
#ifndef FORMAT_APITRACE_CALL_FLAGS_H
#define FORMAT_APITRACE_CALL_FLAGS_H
#include "format/apitrace/signatures.h"

enum {
    /* the tracer added the call; this flag comes from the file, not from the name */
    CALL_FAKE = 1,
    CALL_NO_SIDE_EFFECTS = 4, /* a pure query */
    CALL_RENDER = 8,          /* it draws */
    CALL_SWAP_TARGET = 16,    /* changes the render target */
    CALL_END_FRAME = 32,      /* the last call of its frame */
    CALL_VERBOSE = 128,       /* of little interest: `dump` shows it only with --verbose */
    CALL_MARKER = 256,        /* an annotation */
    CALL_PUSH = 512,          /* an annotation that opens a group */
    CALL_POP = 1024           /* an annotation that closes a group */
};

uint32_t call_flags_of(StringView name);
/* Returns the name of the i-th flag and sets *flag; NULL after the last flag. */
const char *call_flag_name(size_t i, uint32_t *flag);
/* Returns the family of a function with this name and these flags. */
ApiFamily call_family_of(StringView name, uint32_t flags);
/* Returns "draw", "state", ... */
const char *call_family_name(ApiFamily family);

/* Returns the colour of the family's calls, LABEL_COLOUR. */
uint32_t call_family_colour(ApiFamily family);

/* Returns the API of a function, as shown by `info`; NULL if the name does not show it. */
const char *call_api_of(StringView name);

#endif
