/* export/go_flame.h - the stacks in which goroutines waited, as a call tree. */
#ifndef EXPORT_GO_FLAME_H
#define EXPORT_GO_FLAME_H
#include "analysis/flame.h"
#include "format/go/stats/stats.h"

/* Makes the call tree of a profile: times in ns, counts of waits. Names are interned in stats->texts, which the tree
 * borrows. The caller releases the tree, also after a failure: ERR_MEMORY. */
bool go_flame(const GoStats *stats, GoProfile profile, Flame *flame, Err *err) WARN_UNUSED;

#endif
