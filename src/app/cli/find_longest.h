/* app/cli/find_longest.h - the outputs of the longest matches of a search, for `varve find --sort=duration`.
 *
 *     LongestMatches longest = { .limit = 100 };
 *     for each match
 *         if (longest_wants(&longest, duration)) longest_add(&longest, duration, its output);
 *     longest_sort(&longest);
 *     ... longest.matches ...
 *     longest_release(&longest);
 *
 * At most twice the limit is held. */
#ifndef APP_CLI_FIND_LONGEST_H
#define APP_CLI_FIND_LONGEST_H
#include "base/attr.h"
#include "base/vec.h"

typedef struct LongMatch {
    uint64_t duration; /* in ticks; 0 = not a slice */
    uint64_t place;    /* among the matches that were added */
    Bytes    text;     /* owned */
} LongMatch;

typedef struct LongestMatches {
    uint64_t limit; /* above 0; UINT64_MAX = none */
    VEC(LongMatch) matches;
    uint64_t added;
    bool     is_full;  /* matches were removed ... */
    uint64_t shortest; /* ... which were not longer than this */
} LongestMatches;

/* True if a match of this duration can be among the longest. */
bool longest_wants(const LongestMatches *longest, uint64_t duration);
/* Takes the text, and empties it. False: out of memory. */
bool longest_add(LongestMatches *longest, uint64_t duration, Bytes *text) WARN_UNUSED;
/* Removes matches beyond the limit, and sorts the others: longer ones first, equal ones as they were added. */
void longest_sort(LongestMatches *longest);
void longest_release(LongestMatches *longest);

#endif
