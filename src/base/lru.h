/* base/lru.h - chooses the entry of a small cache: an array whose entries note the time of their last use.
 *
 * LRU_CHOOSE reads the whole array, which suits tens of entries. It is a macro, because the conditions read the caller's
 * variables. It contains no jump out of the macro. */
#ifndef BASE_LRU_H
#define BASE_LRU_H
#include <stddef.h>
#include <stdint.h>

/* Sets `place` to the first index below `count` for which `is_wanted` is true. Without such an index sets it to the one with
 * the least `last_use`, a number, of those for which `is_free` is true; if all are in use, to `count`. The conditions
 * and `last_use` are expressions of `i`, the name of the index under test. */
#define LRU_CHOOSE(place, count, i, is_wanted, is_free, last_use)                                            \
    do {                                                                                                     \
        uint64_t least_ = UINT64_MAX;                                                                        \
        (place) = (count);                                                                                   \
        for (size_t i = 0; i < (size_t)(count); i++) {                                                       \
            if (is_wanted) {                                                                                 \
                (place) = i;                                                                                 \
                break;                                                                                       \
            }                                                                                                \
            if (!(is_free) || (last_use) >= least_) continue;                                                \
            least_ = (last_use);                                                                             \
            (place) = i;                                                                                     \
        }                                                                                                    \
    } while (0)

#endif
