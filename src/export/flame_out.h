/* export/flame_out.h - a flame graph as text, data or a picture. */
#ifndef EXPORT_FLAME_OUT_H
#define EXPORT_FLAME_OUT_H
#include "analysis/flame.h"
#include "trace/store/trace.h"
#include "view/colour.h"
#include "view/view.h"

typedef struct FlameOut {
    const FlameLayout *layout; /* the weights of the graph, by `by` */
    const FlameLayout *times;  /* the same tree by FLAME_TOTAL */
    FlameWeight        by;
    const Clock       *clock;
    Theme              theme;
    const char        *title;
    const char        *counted; /* the counted items: "call", "wait" */
    /* With --against, by node: the weights to compare (layout->own, or layout->sum of an inverted tree), and the weights of
     * the other trace in the same unit, 0 for a new path. NULL without --against. */
    const uint64_t *weights;
    const double   *before;
    double          most_change; /* greatest absolute change of a weight */
    const uint32_t *colours;     /* by string: Label.colour; NULL = all 0 */
} FlameOut;

/* Returns the colours that a trace gives its labels, by name as FlameOut.colours, in `arena`: of several labels of a name
 * that of the first one with a colour; if `flame` counts states of threads, theirs as COLOUR_OF_STATE. NULL when out of memory. */
const uint32_t *flame_label_colours(const Trace *trace, const Flame *flame, Arena *arena);

/* The same tree of another trace, to which a graph is compared. */
typedef struct FlameAgainst {
    const Flame *flame;
    const Clock *clock;
    FlameTree    tree; /* that of both */
} FlameAgainst;
/* Sets weights, before and most_change of *flame. The numbers are in `arena`. Fails with ERR_MEMORY. */
bool flame_compare(const FlameAgainst *against, Arena *arena, FlameOut *flame, Err *err) WARN_UNUSED;

/* Appends one object: unit, by, and the frames in the order of the picture, each with the index of its parent. */
void flame_put_json(const FlameOut *flame, Bytes *out);
/* Append a file that needs no other file, with a script for hover, zoom and search. */
void flame_put_svg(const FlameOut *flame, Bytes *out);
void flame_put_html(const FlameOut *flame, Bytes *out);

/* The choices of a user that the title lists; NULL = not made. */
typedef struct FlameTitle {
    const char        *file;  /* path or name */
    const char        *waits; /* kind of waits; NULL = slices */
    FlameWeight        by;
    FlameTree          tree;
    const char        *name, *find, *thread, *range, *against;
    FlameNames         hidden;  /* names without frames ... */
    const StringTable *strings; /* ... and their texts */
} FlameTitle;
/* Appends "trace.json: total, inverted, main" and a zero byte. */
void flame_put_title(const FlameTitle *title, Bytes *out);
/* Finds a weight by its name: total, self, count or cpu. False: no weight has this name. */
bool flame_weight_find(StringView name, FlameWeight *by);

/* ---- shared by the outputs ---- */

/* A frame of the picture: its place in the width of the whole, 0 to 1. */
typedef struct FlameBox {
    uint32_t node, depth; /* depth 0: the root */
    double   begin, share;
} FlameBox;
/* Returns the boxes with at least `least_share` and at most `most_depth`, in the order of flame_walk; the first is the root.
 * They are in `arena`. NULL when out of memory. */
FlameBox *flame_boxes(const FlameLayout *layout, double least_share, uint32_t most_depth, Arena *arena,
                      uint32_t *count);
/* Appends the name of a node: "all" for the root, "(none)" for an empty name. */
void flame_put_name(const FlameOut *flame, uint32_t node, Bytes *out);
/* Returns the colour of a node. Without --against it depends on `name`, the text of flame_put_name. With it, red is more and
 * blue is less; the colour is stronger for a larger share of the greatest change. */
NameColour flame_colour(const FlameOut *flame, uint32_t node, const Bytes *name);
/* Appends ", self before 0.9 ms (+11.1 %)" or ", new"; of a graph with `before`. */
void flame_put_before(const FlameOut *flame, uint32_t node, Bytes *out);
/* Appends "12.3 ms, 4.5 %, self 1 ms, 12 calls", with --against ", self before 0.9 ms (+11.1 %)" or ", new". */
void flame_put_numbers(const FlameOut *flame, uint32_t node, Bytes *out);

#endif
