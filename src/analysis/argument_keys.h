/* analysis/argument_keys.h - the values of one argument, as keys of groups of slices; and the names of arguments.
 *
 * Arguments are not stored decoded: those of a slice are read again from the input, once, when its key is first needed.
 * The value of a slice is that of the first member with this name in its arguments, else in its other fields, as in the
 * table `arg` of SQL: the text of a string, the JSON of any other value. */
#ifndef ANALYSIS_ARGUMENT_KEYS_H
#define ANALYSIS_ARGUMENT_KEYS_H
#include "analysis/find_values.h"
#include "analysis/stats.h"

/* The columns of SCAN_SLICES that argument_keys_fill needs. */
#define ARGUMENT_COLUMNS                                                                                     \
    (SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_SOURCE) | SCAN_COLUMN(SCAN_SLICE_END_SOURCE))
/* The key of a slice that does not have the argument. */
#define ARGUMENT_MISSING UINT32_MAX

struct ArgumentKeys {
    StringView         name;   /* borrowed */
    const EventSource *source; /* borrowed */
    /* by slice id: StringId.index of the value, or ARGUMENT_MISSING; 0 = not read yet. Owned pages */
    uint32_t    *keys;
    size_t       bytes;        /* of `keys` */
    StringTable *values;       /* in the arena */
    Bytes        member, text; /* buffers for a name and a value */
};

/* Prepares the keys of the argument `name`. `name` and `source` must outlive them. False: out of memory. Release the
 * keys in either case. */
bool argument_keys_open(ArgumentKeys *found, const Trace *trace, StringView name, const EventSource *source,
                        Arena *arena) WARN_UNUSED;
/* Writes the key of each slice of the batch to `keys`, where it is not ARGUMENT_MISSING already. A slice that cannot be
 * read does not have the argument. False: out of memory. */
bool argument_keys_fill(ArgumentKeys *found, const ScanBatch *batch, uint32_t *keys) WARN_UNUSED;
/* Releases the keys; the values stay in the arena. Zeroed keys may be released, too. */
void argument_keys_release(ArgumentKeys *found);

/* Adds the names of the arguments of slices in the part to `names`: of each label those of its first slice that has
 * arguments. Reads at most ARGUMENT_SLICES_MOST slices, and the arguments of at most ARGUMENT_READS_MOST. False: err
 * filled. */
enum { ARGUMENT_SLICES_MOST = 1 << 19, ARGUMENT_READS_MOST = 4096, ARGUMENT_NAMES_MOST = 1000 };
bool argument_names(const Trace *trace, const TracePart *part, const EventSource *source, Arena *arena,
                    StringTable *names, Err *err) WARN_UNUSED;

#endif
