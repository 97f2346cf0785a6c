/* format/apitrace/call_flags.h - what a call does, told by its function's name alone: nothing of it is in the file.
 *
 * The flags are apitrace's (lib/trace/trace_parser_flags.cpp, January 2026); families are ours. */
#ifndef FORMAT_APITRACE_CALL_FLAGS_H
#define FORMAT_APITRACE_CALL_FLAGS_H
#include "format/apitrace/signatures.h"

enum {
    CALL_FAKE = 1,            /* the program did not make it: from the file, not from the name */
    CALL_NO_SIDE_EFFECTS = 4, /* a pure query */
    CALL_RENDER = 8,          /* it draws */
    CALL_SWAP_TARGET = 16,    /* what is drawn to changes */
    CALL_END_FRAME = 32,      /* the last call of its frame */
    CALL_VERBOSE = 128,       /* of little interest: `dump` leaves it out unless asked */
    CALL_MARKER = 256,        /* an annotation */
    CALL_PUSH = 512,          /* that opens a group */
    CALL_POP = 1024           /* that closes one */
};

uint32_t call_flags_of(StringView name);
/* The i-th flag and what it is called; NULL behind the last. */
const char *call_flag_name(size_t i, uint32_t *flag);
/* `flags` are the function's. */
ApiFamily call_family_of(StringView name, uint32_t flags);
/* "draw", "state", ... */
const char *call_family_name(ApiFamily family);

/* The colour of its calls, LABEL_COLOUR. */
uint32_t call_family_colour(ApiFamily family);

/* The API whose function this is, as `info` names it, or NULL: it tells nothing. */
const char *call_api_of(StringView name);

#endif
