/* app/session/found_slices.h - the set of the slices that a search finds, made a stretch at a time.
 *
 * A stretch takes some hundredths of a second (analysis/find_values.h), so that a caller can report progress and stop. The
 * trace must not change until the set is released. */
#ifndef APP_SESSION_FOUND_SLICES_H
#define APP_SESSION_FOUND_SLICES_H
#include "app/session/event_reader.h"

/* Must not move. */
typedef struct FoundSlices {
    const Loaded *loaded; /* borrowed */
    uint8_t      *slices; /* a bit for each slice id: slice_set_has of analysis/flame.h. Owned pages */
    size_t        bytes;
    uint64_t      count; /* of slices in the set */
    FindPattern   pattern;
    FindStretch   stretch;
    OrderedEvent  last; /* the event where the last stretch stopped */
    EventReaders *readers;
    double        share; /* of the trace's time that has been searched, 0 to 1 */
    bool          is_complete;
} FoundSlices;

/* Prepares a search for `text` (docs/search.md) in `where`, with `threads` threads (0: one for each processor). The
 * search lives in `arena`, which must outlive the set, as must `loaded`. False: err filled, ERR_USAGE where the text is
 * not a search. Release the set in either case; a zeroed one may be released, too. */
bool found_slices_open(FoundSlices *found, const Loaded *loaded, StringView text, FindWhere where, unsigned threads,
                       Arena *arena, Err *err) WARN_UNUSED;
/* Searches the next stretch. Sets `is_complete` at the end. False: err filled. */
bool found_slices_step(FoundSlices *found, Err *err) WARN_UNUSED;
void found_slices_release(FoundSlices *found);

#endif
