/* analysis/argument_keys.h - the values of one argument, as keys of groups of slices.
 *
 * Arguments are not stored decoded: those of each slice in the range are read again from the input, once. The value of a
 * slice is that of the first member with this name in its arguments, else in its other fields, as in the table `arg` of
 * SQL: the text of a string, the JSON of any other value. */
#ifndef ANALYSIS_ARGUMENT_KEYS_H
#define ANALYSIS_ARGUMENT_KEYS_H
#include "analysis/find_values.h"
#include "analysis/stats.h"

typedef struct ArgumentKeys {
    /* by slice id: StringId.index of the value; 0 = the slice does not have the argument. Owned pages */
    uint32_t    *keys;
    size_t       bytes;  /* of `keys` */
    StringTable *values; /* in the arena */
} ArgumentKeys;

/* Reads the argument `name` of the slices in the range and on the tracks of the query. Linear in the slices and in the
 * bytes of their arguments. A slice that cannot be read does not have the argument. False: err filled. Release the keys in
 * either case. */
bool argument_keys_read(const Trace *trace, const StatsQuery *query, StringView name,
                        const EventSource *source, Arena *arena, ArgumentKeys *found, Err *err) WARN_UNUSED;
void argument_keys_release(ArgumentKeys *found);

#endif
