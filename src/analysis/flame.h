/* analysis/flame.h - call trees for flame graphs: equal call paths are added up to one node.
 *
 * A tree is filled from the slices of a trace (flame_add_slices; states, samples and calls are slices, too) or path by
 * path (flame_child and the numbers of the node: waits of goroutines). Further trees are made of it (flame_shaped). A layout puts
 * the children of each node in order and gives the weights for one measure; outputs are made from layouts.
 *
 * The index of a node is higher than its parent's. The order of nodes depends on the input alone.
 * Functions fail with ERR_MEMORY only. A tree is used by one thread at a time while it is filled. */
#ifndef ANALYSIS_FLAME_H
#define ANALYSIS_FLAME_H
#include "base/hash_index.h"
#include "base/vec.h"
#include "trace/scan/scan.h"

typedef struct FlameNode {
    uint64_t count;  /* calls; in an inverted tree those of the path's first frame: see has_whole_counts */
    uint64_t total;  /* ticks in it and in the frames it calls; never less than its children's together */
    uint64_t cpu_ns; /* CPU time, likewise; of the calls whose CPU time is known */
    StringId name;   /* STRING_NONE: the root, and calls without a name */
    uint32_t parent;
} FlameNode;

#define FLAME_NONE UINT32_MAX

typedef struct Flame Flame;
struct Flame {
    const StringTable *strings; /* borrowed */
    /* owned pages; [0] is the root, whose numbers are the sums of its children's */
    FlameNode  *nodes;
    uint32_t    node_count, capacity;
    HashIndex   index;            /* of nodes, by parent and name; in `arena` */
    uint64_t    key;              /* of the hash: an input does not know it */
    Arena       arena;            /* owned */
    bool        has_whole_counts; /* a node's count includes its children's */
    uint32_t    left_out_tracks;  /* of samples: trace/scan/scan.h */
    const char *perspective;      /* whose tracks are counted (trace/scan/scan.h), or NULL */
    uint32_t    kinds; /* bit i: slices of tracks of TrackKind i have been counted, if there were any */
};

/* Makes an empty tree. Release it in either case. */
bool flame_create(const StringTable *strings, Flame *flame, Err *err) WARN_UNUSED;
void flame_release(Flame *flame);
/* Returns the child of that name, added with zeros if it is new; FLAME_NONE when out of memory. */
uint32_t flame_child(Flame *flame, uint32_t parent, StringId name);
/* Returns the child of that name; FLAME_NONE if it does not exist. */
uint32_t flame_find_child(const Flame *flame, uint32_t parent, StringId name);
/* Writes the node of `other` with the same path for each node of `flame`, or FLAME_NONE. Names are compared as text: the
 * trees may be of two traces. */
void flame_pair_paths(const Flame *flame, const Flame *other, uint32_t *same);

/* FLAME_BY_TRACK: the children of the root are tracks, and the slices of each are below it. The name of such a node is not a
 * string, but has the track's id as its index. */
typedef enum { FLAME_TOGETHER, FLAME_BY_TRACK } FlameRoots;

/* Few names: each slice is compared with all of them. */
typedef struct FlameNames {
    const StringId *ids; /* borrowed */
    uint32_t        count;
} FlameNames;
enum { FLAME_MOST_NAMES = 64 };
static inline bool flame_names_have(FlameNames names, StringId name)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (names.ids[i].index == name.index) return true;
    return false;
}

typedef struct FlameQuery {
    /* times are clipped to it; hidden slices are passed through: their children belong to their parents */
    TracePart part;
    /* NULL, or a bit for each slice id (slice_set_has): only these and the slices inside them count */
    const uint8_t *slices;
    FlameNames     hidden; /* slices of these names are passed through, too */
    FlameRoots     roots;
} FlameQuery;

/* A set of slices: slice i is in it if bit i % 8 of set[i / 8] is set. */
static inline bool slice_set_has(const uint8_t *set, uint64_t slice)
{
    return (set[slice / 8] >> slice % 8 & 1) != 0;
}

/* The slices of a row that have a node, ascending. */
typedef struct Placed {
    uint64_t slice;
    uint32_t node;
} Placed;
typedef VEC(Placed) Placements;

/* Finds the node of each slice of a scan. The scan is of SCAN_SLICES, in its own order, with FLAME_PLACE_COLUMNS and
 * SCAN_MARK_HIDDEN. A zeroed placer with its tree is ready for the first batch. */
typedef struct FlamePlacer {
    Flame         *flame; /* borrowed; gets the nodes that are new, with zeros */
    FlameRoots     roots;
    const uint8_t *slices;             /* as in FlameQuery; borrowed */
    FlameNames     hidden;             /* as in FlameQuery */
    uint32_t       root;               /* of the current row: the node above the outermost slices */
    uint32_t       track, lane, depth; /* of the current row */
    /* owned: slices of the row above and of the current row, with their nodes */
    Placements above, row;
    size_t     at; /* index into `above` */
} FlamePlacer;
extern const uint64_t FLAME_PLACE_COLUMNS;
/* Writes the node of each slice of the batch to `nodes`: FLAME_NONE for slices that do not count, because they are hidden
 * or not inside a slice of the set. False when out of memory. */
bool flame_place(FlamePlacer *placer, const ScanBatch *batch, uint32_t *nodes) WARN_UNUSED;
void flame_placer_release(FlamePlacer *placer);

/* Adds the slices that count (SCAN_COUNTED of trace/scan/scan.h). A slice whose parent is not in the range is outermost.
 * Linear in the slices of the range. */
bool flame_add_slices(Flame *flame, const Trace *trace, const FlameQuery *query, Err *err) WARN_UNUSED;

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct FlameCount {
    Flame      *flame; /* borrowed */
    Scan       *scan;  /* in the caller's arena */
    FlamePlacer placer;
    uint64_t    counted, most; /* slices so far, and at most */
    bool        is_done;
} FlameCount;
/* Prepares the count. The tree, the trace and the arrays of the query must outlive it; the filter need not. False: err
 * filled. Release the count in either case; a zeroed one may be released, too. */
bool flame_count_begin(FlameCount *count, Flame *flame, const Trace *trace, const FlameQuery *query,
                       Arena *arena, Err *err) WARN_UNUSED;
/* Adds the next slices, at least `slices` of them. Sets `is_done` at the end. */
bool flame_count_step(FlameCount *count, uint64_t slices, Err *err) WARN_UNUSED;
void flame_count_release(FlameCount *count);

/* ---- weights ---- */

typedef enum { FLAME_TOTAL, FLAME_SELF, FLAME_COUNT, FLAME_CPU } FlameWeight;

/* The weights of a tree by one measure: ticks for FLAME_TOTAL and FLAME_SELF, calls, ns; and the order of its nodes. */
typedef struct FlameLayout {
    const Flame *flame;
    uint64_t    *own;   /* by node */
    uint64_t    *sum;   /* by node: own and those of all nodes below it */
    uint32_t    *order; /* nodes but the root: by parent, then heaviest first, then by name */
    uint32_t    *place; /* by node: its index in `order` */
    uint32_t    *first; /* by node: of its children in `order`; [node_count] is the end of the last */
} FlameLayout;

/* Lives in `arena`. O(n log n) of the nodes. */
bool flame_layout(const Flame *flame, FlameWeight by, Arena *arena, FlameLayout *layout,
                  Err *err) WARN_UNUSED;

/* A walk over the nodes of a layout, parents first, heaviest siblings first. */
typedef struct FlameWalk {
    const FlameLayout *layout;
    uint32_t           node, depth; /* depth 0: the children of the root */
} FlameWalk;
FlameWalk flame_walk(const FlameLayout *layout); /* before the first node */
bool      flame_walk_next(FlameWalk *walk);
/* As flame_walk_next, but skips the nodes below the current one. */
bool flame_walk_skip(FlameWalk *walk);

/* ---- the tree of a view ---- */

/* FLAME_INVERTED: the children of the root are the frames themselves, below each its callers. A frame weighs its self time;
 * by FLAME_TOTAL its whole time, once where it is recursive. Callers beyond FLAME_MOST_CALLERS are cut off.
 * FLAME_CALLERS: the callers of one name, as by FLAME_TOTAL. FLAME_CALLEES: its calls with all they call. */
typedef enum { FLAME_CALLS, FLAME_INVERTED, FLAME_CALLERS, FLAME_CALLEES } FlameTree;
enum { FLAME_MOST_CALLERS = 256 };
/* FLAME_COLLAPSE_RECURSION: a child of its parent's name is merged into the parent. */
typedef enum { FLAME_KEEP_RECURSION, FLAME_COLLAPSE_RECURSION } FlameRecursion;

typedef struct FlameShape {
    FlameTree      tree;
    FlameRecursion recursion;
    StringId       name; /* of FLAME_CALLERS and FLAME_CALLEES */
    FlameWeight    by;   /* of FLAME_INVERTED */
} FlameShape;

/* Makes the tree of a shape from that of all slices. *shown is `made`, or `flame` itself where nothing changes. Release
 * `made` in either case. */
bool flame_shaped(const Flame *flame, const FlameShape *shape, Flame *made, const Flame **shown,
                  Err *err) WARN_UNUSED;
/* Turns the path of a slice, outermost name first, into its path in such a tree, in place. Returns its length; 0 if
 * the tree does not have it. */
uint32_t flame_shaped_path(const FlameShape *wanted, StringId *names, uint32_t count);

#endif
