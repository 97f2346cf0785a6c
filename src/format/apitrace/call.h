/* format/apitrace/call.h - one call put together from the details of its two events.
 *
 * Details come in any order, in either event, and repeatedly: the later one wins. */
#ifndef FORMAT_APITRACE_CALL_H
#define FORMAT_APITRACE_CALL_H
#include "format/apitrace/grammar.h"

/* Bytes of the stream. NULL = there are none. */
typedef struct StreamBytes {
    const uint8_t *bytes; /* borrowed */
    size_t         size;
    uint64_t       offset;
} StreamBytes;

/* What is known of a call without its details. `enter` and `leave` begin with their details. */
typedef struct CallEvents {
    const FunctionSig *function;
    uint64_t           number;
    uint32_t           thread;
    bool               fake, incomplete;
    StreamBytes        enter, leave;
} CallEvents;

typedef struct CallParts {
    ByteCursor *args;              /* in `memory`; at each argument's value; bytes NULL = never given */
    uint32_t    arg_count;         /* declared, or more if more were given */
    ByteCursor  result, backtrace; /* bytes NULL = none */
    Bytes       memory;            /* owned: bytes_release it in the end; used again by the next call */
} CallParts;

/* False: the details cannot be walked (a call that was stepped over before always can), or memory is out. */
bool call_parts_of(Grammar *g, const CallEvents *call, CallParts *parts);

/* glGetError that found none is of no interest: CALL_VERBOSE for those. The function's other flags, and CALL_FAKE. */
uint32_t call_flags(Grammar *g, const CallEvents *call, const CallParts *parts);

#endif
