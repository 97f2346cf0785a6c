/* format/apitrace/diff_lines.h - which lines of two sequences have no counterpart.
 *
 * E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space. Where sequences
 * differ by more than a bound the search for the shortest script is given up for a good one, so that
 * effort stays near linear. */
#ifndef FORMAT_APITRACE_DIFF_LINES_H
#define FORMAT_APITRACE_DIFF_LINES_H
#include "base/arena.h"

typedef struct DiffLines {
    const uint64_t *lines[2]; /* borrowed: equal numbers are equal lines */
    size_t          counts[2];
    uint8_t        *changed[2];   /* out: 1 for a line that only this one has; zeroed by the caller */
    int64_t        *ahead, *back; /* its own: furthest places by diagonal */
} DiffLines;

/* False: out of memory. */
bool diff_lines(DiffLines *lines, Arena *arena) WARN_UNUSED;

#endif
