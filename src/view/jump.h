/* view/jump.h - the search of rows by their titles, for the jump list. */
#ifndef VIEW_JUMP_H
#define VIEW_JUMP_H
#include "view/layout_items.h"

enum { JUMP_ROWS = 100, JUMP_WORDS = 16, JUMP_PATTERN = 128 };

/* A row that matches. A lower rank is better; rows of one rank have the order of the timeline. */
typedef struct JumpRow {
    RowTarget row;
    uint32_t  rank;
} JumpRow;

typedef struct JumpSearch {
    char       pattern[JUMP_PATTERN]; /* lower case in ASCII */
    StringView words[JUMP_WORDS];     /* parts of `pattern` */
    uint32_t   word_count;
    uint32_t   trace, track; /* the next track to examine; tracks have the order of the timeline */
    uint32_t   group;        /* the process whose title was examined last */
    uint32_t   group_words;  /* bit i: its title contains word i */
    uint64_t   count;        /* of all rows that match */
    uint32_t   kept;
    JumpRow    best[JUMP_ROWS]; /* [kept] */
} JumpSearch;

/* Drops the results and ends the search, because rows were renumbered. */
static inline void jump_forget(JumpSearch *search)
{
    search->trace = UINT32_MAX;
    search->kept = 0;
    search->count = 0;
}

#endif
