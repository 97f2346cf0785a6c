/* query/statements.h - splits a text into SQL statements. */
#ifndef QUERY_STATEMENTS_H
#define QUERY_STATEMENTS_H
#include "base/arena.h"
#include "base/string_view.h"

/* Moves the next statement from the front of *rest to `out`, which is cleared first, with a NUL behind it and without its
 * semicolon. False at the end: only spaces, comments and semicolons are left. Knows strings ('', E'', $tag$ $tag$),
 * quoted names and comments; leaves everything else to DuckDB.
 *
 * Writes the parameter name `end :=` as `"end" :=`: END is a reserved word of DuckDB's grammar, and `end :=` has no other
 * meaning there. */
bool statements_next(StringView *rest, Bytes *out) WARN_UNUSED;

#endif
