/* export/call_tree.h - the call tree that profiles are written from: that of `varve flame` without options. */
#ifndef EXPORT_CALL_TREE_H
#define EXPORT_CALL_TREE_H
#include "analysis/flame.h"
#include "trace/store/trace.h"

/* Adds the slices of threads to an empty tree; if no thread has slices, the slices of samples. Times are clipped to the
 * trace's window. `tracks` and `roots` are as in FlameQuery. */
bool call_tree_add(Flame *flame, const Trace *trace, const uint32_t *tracks, uint32_t track_count,
                   FlameRoots roots, Err *err) WARN_UNUSED;

#endif
