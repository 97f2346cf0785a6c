/* varve/events.h - arguments of events, and search. A part of varve/varve.h. */
#ifndef VARVE_EVENTS_H
#define VARVE_EVENTS_H
#include <varve/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- events ---- */

typedef enum VarveEventKind { VARVE_SLICE, VARVE_INSTANT, VARVE_VALUE, VARVE_TRACK } VarveEventKind;

/* Reads the arguments and the other members of a slice or an instant (column `id`) from the input, as two JSON values, each
 * empty if the event has none. Both replace the content of the buffers. VARVE_ERROR_USAGE: another kind, or no event has this id. Any
 * thread, with buffers of its own. */
VARVE_API bool varve_details(const VarveTrace *trace, VarveEventKind kind, uint64_t id, VarveBytes *args_json,
                             VarveBytes *other_json, VarveError *error);

/* The result of a search. Texts are valid until the next call with the handle. */
typedef struct VarveMatch {
    VarveEventKind kind;
    uint32_t       track_id; /* column track_id */
    uint64_t       id;       /* of a slice or an instant: column `id`; else 0 */
    const char *
        type; /* static: "slice", "async", "state", "object", "instant", "counter"; of a track its kind, "thread" */
    /* since the begin of the trace; not of VARVE_TRACK. Of an earlier time begin_ticks is negative, modulo 2^64 */
    int64_t   begin_ns;
    uint64_t  begin_ticks;
    uint64_t  duration_ns, duration_ticks; /* of a slice; else 0 */
    VarveText name, category;
    VarveText key, value; /* of the first argument that matches; empty if the name or the track does */
} VarveMatch;

typedef enum VarveFindWhere { VARVE_FIND_EVERYWHERE, VARVE_FIND_IN_NAMES } VarveFindWhere;

typedef struct VarveFindOptions {
    VarveFindWhere where;        /* VARVE_FIND_IN_NAMES: not in arguments, so that the input is not read */
    uint32_t       thread_count; /* for reading arguments, as in VarveOptions */
    uint64_t       most;         /* matches; 0 = all */
    uint64_t       reserved[4];
} VarveFindOptions;

typedef struct VarveFind VarveFind;

/* Starts a search for `text`, in the language of docs/search.md: words, key=value, key>3, /regex/, >5ms, name:x, thread:x.
 * Matches come in the order: tracks and counter values, then slices and instants by time. Of `part` the range is
 * ignored: open the trace with it. `part` and `options` may be NULL. */
VARVE_API VarveFind *varve_find_open(const VarveTrace *trace, const char *text, const VarvePart *part,
                                     const VarveFindOptions *options, VarveError *error);
VARVE_API void       varve_find_close(VarveFind *find);
/* Fills the next match and sets *is_found; false in *is_found after the last. */
VARVE_API bool varve_find_next(VarveFind *find, VarveMatch *match, bool *is_found, VarveError *error);
/* Return the title of the last match's track, and of the process of the track ("" = none). Valid until the next call with `find`. */
VARVE_API VarveText varve_find_track(VarveFind *find);
VARVE_API VarveText varve_find_process(VarveFind *find);
/* Makes the last match as `varve find --json` prints it, with a line break. Valid until the next call with `find`. */
VARVE_API bool varve_find_json(VarveFind *find, VarveText *line, VarveError *error);
/* Returns the number of events so far whose arguments could not be read. */
VARVE_API uint64_t varve_find_unread(const VarveFind *find);

/* Finds all slices that match `text`, as varve_find_open does with this `thread_count`. It borrows the trace. */
VARVE_API VarveSliceSet *varve_slice_set_find(const VarveTrace *trace, const char *text,
                                              uint32_t thread_count, VarveError *error);
VARVE_API void           varve_slice_set_close(VarveSliceSet *set);
/* Returns the number of slices in the set. Any thread. */
VARVE_API uint64_t varve_slice_set_count(const VarveSliceSet *set);

#ifdef __cplusplus
}
#endif
#endif
