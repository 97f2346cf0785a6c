/* base/string_table.h - stores each distinct byte string once and numbers the strings from 1.
 *
 * StringId 0 is "none". Ids follow the order of first appearance, so the same input gives the same ids on every
 * machine. The hash is keyed per table, so that a crafted input cannot make look-ups slow. Strings are bytes with a
 * length and may contain zero bytes; readers intern valid UTF-8 only. Several threads may read a table while no
 * thread interns. */
#ifndef BASE_STRING_TABLE_H
#define BASE_STRING_TABLE_H
#include "base/string_view.h"

typedef struct {
    uint32_t index;
} StringId;

#define STRING_NONE ((StringId){ 0 })

typedef struct StringTable StringTable;

/* Creates a table in `arena`; it is released with the arena. Returns NULL when out of memory. */
StringTable *string_table_create(Arena *arena);
/* Returns the id of these bytes; adds a copy of them if they are new. The empty string has an id other than 0. Returns
 * STRING_NONE when out of memory or beyond 2^32-2 strings. */
StringId string_table_intern(StringTable *table, const char *bytes, size_t size);
/* Returns a number of the caller for string `id`, initially 0, if the last call of string_table_intern returned this string;
 * otherwise NULL. It is beside the data that the call has read. Valid until the next call. */
uint32_t *string_table_note(StringTable *table, StringId id);
/* Returns the id of these bytes, STRING_NONE if the table does not have them. */
StringId string_table_find(const StringTable *table, const char *bytes, size_t size);
/* Returns the string with this id, valid until the arena is released; { "", 0 } for STRING_NONE. */
StringView string_table_view(const StringTable *table, StringId id);
/* Returns a table with the strings that `table` has now, in `arena`. It can be read while `table` grows; both share the bytes, so
 * the arena of `table` must outlive it. It must not grow itself. NULL when out of memory. */
StringTable *string_table_copy(const StringTable *table, Arena *arena);
uint32_t     string_table_count(const StringTable *table); /* number of strings, the highest id */
size_t       string_table_bytes(const StringTable *table); /* bytes of memory held */

#endif
