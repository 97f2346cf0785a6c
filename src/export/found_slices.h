/* export/found_slices.h - the set of slices that a request chooses: by a search, computed in steps, or by a slice.
 *
 * A step takes some hundredths of a second (analysis/find_values.h), so that a caller can report progress and
 * stop. The trace must not change until the set is released. */
#ifndef EXPORT_FOUND_SLICES_H
#define EXPORT_FOUND_SLICES_H
#include "export/event_reader.h"

/* Must not be moved. */
typedef struct FoundSlices {
    const Loaded *loaded; /* borrowed */
    uint8_t      *slices; /* a bit for each slice id: slice_set_has of analysis/flame.h. Owned pages */
    size_t        bytes;
    uint64_t      count; /* of slices in the set */
    FindPattern   pattern;
    FindStretch   stretch;
    OrderedEvent  last; /* the event at which the last step stopped */
    EventReaders *readers;
    double        share; /* the searched part of the trace's time, 0 to 1 */
    bool          is_complete;
} FoundSlices;

/* Prepares a search for `text` (docs/search.md) in `where`, with `threads` threads (0: one for each
 * processor). The search lives in `arena`, which must outlive the set, as must `loaded`. False: err filled,
 * ERR_USAGE if the text is not a valid search. Release the set in either case; a zeroed one may be released,
 * too. */
bool found_slices_open(FoundSlices *found, const Loaded *loaded, StringView text, FindWhere where,
                       unsigned threads, Arena *arena, Err *err) WARN_UNUSED;
/* Does the next step. Sets `is_complete` at the end. False: err filled. */
bool found_slices_step(FoundSlices *found, Err *err) WARN_UNUSED;
/* Prepares a search in names and arguments and does all its steps. As found_slices_open. */
bool found_slices_all(FoundSlices *found, const Loaded *loaded, const char *text, unsigned threads,
                      Arena *arena, Err *err) WARN_UNUSED;
/* True if the set has steps left. */
static inline bool found_slices_pending(const FoundSlices *found)
{
    return found->slices != NULL && !found->is_complete;
}
/* Makes the set of a slice and the slices inside it, complete at once. Otherwise as found_slices_open. */
bool found_slices_inside(FoundSlices *found, const Trace *trace, uint64_t slice, Arena *arena,
                         Err *err) WARN_UNUSED;
void found_slices_release(FoundSlices *found);

#endif
