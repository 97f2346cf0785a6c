/* format/apitrace/call.h - collects the details of a call from its two events.
 *
 * Details come in any order, in either event, and may be repeated: the last one is used. */
#ifndef FORMAT_APITRACE_CALL_H
#define FORMAT_APITRACE_CALL_H
#include "format/apitrace/grammar.h"

/* Bytes of the stream. NULL = absent. */
typedef struct StreamBytes {
    const uint8_t *bytes; /* borrowed */
    size_t         size;
    uint64_t       offset;
} StreamBytes;

/* A call without its details. `enter` and `leave` begin with the details of the two events. */
typedef struct CallEvents {
    const FunctionSig *function;
    uint64_t           number;
    uint32_t           thread;
    bool               fake, incomplete;
    StreamBytes        enter, leave;
} CallEvents;

typedef struct CallParts {
    ByteCursor *args;              /* in `memory`; at the value of each argument; bytes NULL = absent */
    uint32_t    arg_count;         /* number of declared arguments, or of those in the stream if greater */
    ByteCursor  result, backtrace; /* bytes NULL = absent */
    Bytes       memory;            /* owned, reused by the next call; release it with bytes_release */
} CallParts;

/* Fills `parts`. Returns false if the details are invalid, which cannot happen for a call that was parsed before, or
 * when out of memory. */
bool call_parts_of(Grammar *g, const CallEvents *call, CallParts *parts);

/* Returns the flags of a call: those of its function, CALL_FAKE, and CALL_VERBOSE for a glGetError without an error. */
uint32_t call_flags(Grammar *g, const CallEvents *call, const CallParts *parts);

#endif
