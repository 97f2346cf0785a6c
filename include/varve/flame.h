/* varve/flame.h - flame graphs. A part of varve/varve.h. */
#ifndef VARVE_FLAME_H
#define VARVE_FLAME_H
#include <varve/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- flame graphs ---- */

/* A call path. */
typedef struct VarveFlameNode {
    VarveText name;
    uint32_t  parent; /* index of the caller's node, less than this one's; UINT32_MAX = outermost */
    uint32_t  depth;  /* 0 = outermost */
    uint64_t  count;  /* calls */
    uint64_t  total_ns, self_ns;
} VarveFlameNode;

typedef enum VarveFlameOrder {
    VARVE_FLAME_CALLS,   /* callers above callees */
    VARVE_FLAME_INVERTED /* callees above callers */
} VarveFlameOrder;

/* The measure that orders siblings, and is the width of a picture. */
typedef enum VarveFlameWeight {
    VARVE_FLAME_TOTAL,
    VARVE_FLAME_SELF,
    VARVE_FLAME_COUNT,
    VARVE_FLAME_CPU
} VarveFlameWeight;

typedef enum VarveFlameSource {
    VARVE_FLAME_SLICES, /* of threads, or samples where there are no slices; of all tracks that the part names */
    VARVE_FLAME_SAMPLES, /* also where there are slices */
    /* stacks of waiting goroutines, in the loaded range. The part has no effect, except its `name`. VARVE_ERROR_UNKNOWN: the trace is not
     * a Go execution trace */
    VARVE_FLAME_WAITS_NETWORK,
    VARVE_FLAME_WAITS_SYNC,
    VARVE_FLAME_WAITS_SYSCALL,
    VARVE_FLAME_WAITS_SCHEDULER
} VarveFlameSource;

typedef enum VarveRecursion { VARVE_RECURSION_SHOWN, VARVE_RECURSION_COLLAPSED } VarveRecursion;

typedef struct VarveFlameOptions {
    VarveFlameOrder  order;
    VarveFlameWeight weight; /* inverted: a node has the total, or the self time, of its frame */
    VarveFlameSource source;
    VarveRecursion   recursion; /* VARVE_RECURSION_COLLAPSED: direct recursion is one node */
    /* slices of these names have no nodes: their callees are below their callers. At most 64; not of waits */
    const char *const *hidden_names;
    uint64_t           hidden_count;
    uint64_t           reserved[2];
} VarveFlameOptions;

typedef struct VarveFlame VarveFlame;

/* Adds up equal call paths of the slices in the part: of those of its `name` and below, inverted of their callers; of `slices` and
 * below. `part` and `options` may be NULL. */
VARVE_API VarveFlame *varve_flame_open(const VarveTrace *trace, const VarvePart *part,
                                       const VarveFlameOptions *options, VarveError *error);
VARVE_API void        varve_flame_close(VarveFlame *flame);
/* Returns the number of nodes. Any thread. */
VARVE_API uint32_t varve_flame_count(const VarveFlame *flame);
/* Returns the nodes, parents first, heaviest siblings first, and their number; NULL and 0 when out of memory. */
VARVE_API const VarveFlameNode *varve_flame_nodes(VarveFlame *flame, uint32_t *node_count);

typedef enum VarveFlameKind {
    VARVE_FLAME_SVG, /* SVG and HTML need no other file, and have hover, zoom and search */
    VARVE_FLAME_HTML,
    VARVE_FLAME_PNG,
    VARVE_FLAME_JSON,
    VARVE_FLAME_FOLDED /* lines "outer;inner 120" */
} VarveFlameKind;

typedef struct VarveFlamePicture {
    VarveFlameKind kind;
    VarveTheme     theme;
    /* the range of the trace, in the title; NULL = that of the part */
    const char *range;
    /* a graph with the same options of another trace: colours show the change since. Not VARVE_FLAME_FOLDED. NULL = none */
    const VarveFlame *against;
    uint64_t          reserved[4];
} VarveFlamePicture;

/* Draws the graph and replaces the content of `out` by the file. `picture` may be NULL: SVG. Any thread, with an `out` of its own. */
VARVE_API bool varve_flame_draw(const VarveFlame *flame, const VarveFlamePicture *picture, VarveBytes *out,
                                VarveError *error);

#ifdef __cplusplus
}
#endif
#endif
