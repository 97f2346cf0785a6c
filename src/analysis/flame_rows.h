/* analysis/flame_rows.h - the part of a flame graph that a screen shows: the frames below one frame that are wide enough
 * to be seen, row by row; and marks for a search and for a selected slice.
 *
 * The key of a frame is a hash of the names from the root to it. It is the same in every tree that has this path. The
 * root's key is 0. Functions that fail do so with ERR_MEMORY. */
#ifndef ANALYSIS_FLAME_ROWS_H
#define ANALYSIS_FLAME_ROWS_H
#include "analysis/flame.h"

/* Returns the keys of all nodes, by node; in `arena`. NULL when out of memory. */
uint64_t *flame_keys(const Flame *flame, Arena *arena) WARN_UNUSED;

typedef struct FlameFrame {
    uint32_t node, row;    /* row 0: the front frame itself */
    double   begin, share; /* place in the width of the front frame, 0 to 1 */
} FlameFrame;

typedef struct FlameRowsQuery {
    uint32_t front;       /* node that is as wide as the picture */
    double   least_share; /* narrower frames are left out, with all below them */
    uint32_t first_row;
    uint32_t most_frames; /* whole rows up to this number of frames, but one row at least */
} FlameRowsQuery;

typedef struct FlameRows {
    FlameFrame *frames; /* of [first_row, next_row), by row, from left to right; in the arena */
    uint32_t    count;
    uint32_t    next_row;
    uint32_t    row_count; /* of the whole picture */
} FlameRows;

/* Lays out the rows from first_row on. O(frames of the picture). */
bool flame_rows(const FlameLayout *layout, const FlameRowsQuery *query, Arena *arena, FlameRows *rows,
                Err *err) WARN_UNUSED;

enum { FLAME_IS_MATCH = 1 << 0, FLAME_IS_ON_PATH = 1 << 1, FLAME_IS_SELECTED = 1 << 2 };

typedef struct FlameMatches {
    uint64_t weight; /* of matching frames below the front frame; once where one is inside another */
    uint64_t frames;
} FlameMatches;

/* Sets FLAME_IS_MATCH in marks[node] if the node's name contains the text, as find_is_part compares, and adds up the
 * matching frames from `front` down. */
bool flame_match(const FlameLayout *layout, StringView text, uint32_t front, uint8_t *marks,
                 FlameMatches *matches, Err *err) WARN_UNUSED;

/* Sets marks[node] = 1 in the nodes of `flame` whose slices the frame with this key has in the tree of a shape
 * (flame_shaped), and 0 in the others; `shown` is that tree. */
bool flame_mark_frame(const Flame *flame, const FlameShape *shape, const Flame *shown, uint64_t key,
                      uint8_t *marks, Err *err) WARN_UNUSED;

/* Sets FLAME_IS_ON_PATH in the nodes of a path of names from the root, as far as the tree has it, and FLAME_IS_SELECTED in
 * the last node if the tree has the whole path. */
void flame_mark_path(const Flame *flame, const StringId *names, uint32_t count, uint8_t *marks);

#endif
