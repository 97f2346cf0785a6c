/* format/apitrace/diff_lines.h - finds the lines of two sequences that have no counterpart in the other one.
 *
 * E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space. If the sequences differ by
 * more than a bound, it returns a good script instead of the shortest one, so that the time stays nearly linear. */
#ifndef FORMAT_APITRACE_DIFF_LINES_H
#define FORMAT_APITRACE_DIFF_LINES_H
#include "base/arena.h"

typedef struct DiffLines {
    const uint64_t *lines[2]; /* borrowed: equal numbers are equal lines */
    size_t          counts[2];
    uint8_t        *changed[2];   /* output: 1 for a line without a counterpart; zeroed by the caller */
    int64_t        *ahead, *back; /* scratch: furthest positions by diagonal */
} DiffLines;

/* Fills `changed`. False when out of memory. */
bool diff_lines(DiffLines *lines, Arena *arena) WARN_UNUSED;

#endif
