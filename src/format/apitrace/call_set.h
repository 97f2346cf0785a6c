/* format/apitrace/call_set.h - numbers of calls or frames, as --calls and --frames name them.
 *
 *   SET = RANGE separated by commas or blanks, or @FILE that holds them;  RANGE = *, N, A-B or A-, with /STEP behind it (every
 *   STEP-th from A) or /frame, /fbo (also /rendertarget), /draw (also /render); or one of those words alone. */
#ifndef FORMAT_APITRACE_CALL_SET_H
#define FORMAT_APITRACE_CALL_SET_H
#include "base/arena.h"
#include "base/err.h"

typedef struct CallRange {
    uint64_t first, last, step;
    uint32_t flags; /* one of these the call must have; 0 = any will do */
} CallRange;

typedef struct CallSet {
    Bytes    ranges; /* CallRange[] */
    uint64_t last;   /* the largest number that is in it */
} CallSet;

/* Adds what `text` names. False: err says what is not understood. */
bool call_set_add(CallSet *set, const char *text, Err *err) WARN_UNUSED;
bool call_set_holds(const CallSet *set, uint64_t number, uint32_t flags);
void call_set_release(CallSet *set);

#endif
