/* format/apitrace/call_set.h - a set of numbers of calls or frames, in the syntax of --calls and --frames.
 *
 *   SET    RANGEs separated by commas or blanks, or @FILE, a file with RANGEs
 *   RANGE  *, N, A-B or A-, optionally followed by /STEP (every STEP-th from A) or by /frame, /fbo (also
 * /rendertarget),
 *          /draw (also /render); or one of these words alone */
#ifndef FORMAT_APITRACE_CALL_SET_H
#define FORMAT_APITRACE_CALL_SET_H
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

typedef struct CallRange {
    uint64_t first, last, step;
    uint32_t flags; /* the call must have one of these flags; 0 = no condition */
} CallRange;

typedef struct CallSet {
    VEC(CallRange) ranges;
    uint64_t last; /* the largest number in the set */
} CallSet;

/* Adds the numbers that `text` names. False with err if its syntax is invalid or its file cannot be read. */
bool call_set_add(CallSet *set, const char *text, Err *err) WARN_UNUSED;
bool call_set_holds(const CallSet *set, uint64_t number, uint32_t flags);
void call_set_release(CallSet *set);

#endif
