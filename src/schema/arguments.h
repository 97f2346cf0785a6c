/* schema/arguments.h - the rows of the table `arg`: the arguments of slices and instants, one member a row.
 *
 * Arguments are not kept decoded: the source of the events reads them again from the input, event by event. */
#ifndef SCHEMA_ARGUMENTS_H
#define SCHEMA_ARGUMENTS_H
#include "base/lock.h"
#include "schema/bounds.h"

extern const SchemaTable ARGUMENTS_TABLE;

typedef struct ArgumentsWalk ArgumentsWalk;

/* Begins a walk over the events in the given bounds, slices before instants. It holds `lock` while it calls the source of
 * the events, which all walks share. It lives in `arena`; end it with arguments_release. NULL: err filled. */
ArgumentsWalk *arguments_begin(const SchemaTrace *trace, Lock *lock, const TableBounds *given, Arena *arena,
                               Err *err) WARN_UNUSED;
/* Moves to the next row. False at the end. */
bool arguments_next(ArgumentsWalk *walk);
/* A value of the row, borrowed until the next move. `column` as in ARGUMENTS_TABLE. */
SchemaCell arguments_cell(const ArgumentsWalk *walk, uint32_t column);
void       arguments_release(ArgumentsWalk *walk); /* NULL is allowed */

#endif
