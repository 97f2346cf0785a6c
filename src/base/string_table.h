/* base/string_table.h - every distinct byte string once, numbered from 1.
 *
 * StringId 0 is "none". Ids are given in order of first appearance, so the same input
 * gives the same ids on every machine; the hash is keyed per table, so that no input
 * can be built to make look-ups slow. Strings are bytes with a length, valid UTF-8 by
 * the reader's care, and may hold NUL. Threads may read a table together while none interns. */
#ifndef BASE_STRING_TABLE_H
#define BASE_STRING_TABLE_H
#include "base/arena.h"

typedef struct {
    uint32_t index;
} StringId;

#define STRING_NONE ((StringId){ 0 })

typedef struct StringView {
    const char *bytes; /* borrowed; a zero byte follows strings that live in a StringTable */
    size_t      size;
} StringView;

#define STRING_LITERAL(text) ((StringView){ (text), sizeof(text) - 1 })

typedef struct StringTable StringTable;

/* NULL when out of memory. The table lives in `arena` and is released with it. */
StringTable *string_table_create(Arena *arena);
/* The id of these bytes, interned if new (the bytes are copied). STRING_NONE when out of
 * memory or beyond 2^32-2 strings. The empty string has an id of its own, not 0. */
StringId string_table_intern(StringTable *table, const char *bytes, size_t size);
/* The id of these bytes if they are there, else STRING_NONE. */
StringId string_table_find(const StringTable *table, const char *bytes, size_t size);
/* Valid until the arena is released. STRING_NONE gives { "", 0 }. */
StringView string_table_view(const StringTable *table, StringId id);
uint32_t   string_table_count(const StringTable *table); /* ids run from 1 to this */
size_t     string_table_bytes(const StringTable *table); /* memory held */

/* A 64-bit hash of bytes under a key: for tables, not for anything frozen or secret. */
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t key);

/* A key for it that an input's author cannot know, where the system has one. */
uint64_t hash_random_key(void);

/* Compares as people expect of names: case-insensitive (ASCII), runs of digits by value
 * ("worker 2" before "worker 10"), then by bytes. <0, 0, >0. */
int  string_compare_natural(StringView a, StringView b);
bool string_equal(StringView a, StringView b);

#endif
