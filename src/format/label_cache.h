/* format/label_cache.h - finds the label of a name and a category by their raw bytes, with one look-up per event.
 *
 * A file may contain the same name millions of times, in the same bytes. The key is the raw bytes, including escapes
 * and invalid UTF-8, so that each spelling is decoded and interned once.
 *
 * The cache keeps at most 2^18 spellings and 16 MiB of text. Spellings after these are not cached. */
#ifndef FORMAT_LABEL_CACHE_H
#define FORMAT_LABEL_CACHE_H
#include "trace/log/builder.h"

typedef struct LabelCache LabelCache;

/* Creates a cache in `arena`; NULL when out of memory. */
LabelCache *label_cache_create(Arena *arena);
/* Returns the label of this spelling, or NULL if it is new. Then the caller decodes the texts, makes the label and
 * calls label_cache_put. `name` and `category` may be NULL with size 0, which differs from "" with size 0. */
const LabelId *label_cache_find(LabelCache *cache, const char *name, size_t name_size, const char *category,
                                size_t category_size);
/* Stores the label of a spelling for which label_cache_find returned NULL. Does nothing if the cache is full. Returns
 * false when out of memory. */
bool label_cache_put(LabelCache *cache, const char *name, size_t name_size, const char *category,
                     size_t category_size, LabelId label) WARN_UNUSED;
bool label_cache_is_full(const LabelCache *cache);

#endif
