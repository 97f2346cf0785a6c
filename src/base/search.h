/* base/search.h - binary search over indices.
 *
 * LOWER_BOUND is a macro, because the condition reads the caller's variables: a callback would need a struct for them,
 * and a call for each step. It contains no jump out of the macro. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/* Sets `low` to the first index of [low, end) for which `is_before` is false; to `end` if it is true for all of them.
 * `is_before` is an expression of `index`, the name of the index under test. It is true for the indices up to some
 * point and false from there on. `Index` is the unsigned type of the indices. Evaluates `end` once.
 *
 * The last index for which a condition is true is one less: search from 1 and subtract 1 if index 0 is known to be
 * before. */
#define LOWER_BOUND(Index, low, end, index, is_before)                                                       \
    do {                                                                                                     \
        for (Index end_ = (end); (low) < end_;) {                                                            \
            const Index index = (low) + (end_ - (low)) / 2;                                                  \
            if (is_before) {                                                                                 \
                (low) = index + 1;                                                                           \
            } else {                                                                                         \
                end_ = index;                                                                                \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

#endif
