/* format/label_cache.h - from the raw bytes of a name and a category to their label, one look-up an event.
 *
 * The same name stands in a file millions of times in the same bytes. The cache is keyed by those raw bytes,
 * escapes and damage included, so that decoding and interning happen once for each spelling.
 *
 * It has a bound: of a stream whose names are ever new the first quarter of a million spellings are remembered. */
#ifndef FORMAT_LABEL_CACHE_H
#define FORMAT_LABEL_CACHE_H
#include "trace/builder.h"

typedef struct LabelCache LabelCache;

/* Lives in `arena`; NULL when out of memory. */
LabelCache *label_cache_create(Arena *arena);
/* The label stored for this spelling, or NULL when it is new: then decode, make the label, and
 * label_cache_put. `name` and `category` may be NULL with size 0, which differs from "" with size 0. */
const LabelId *label_cache_find(LabelCache *cache, const char *name, size_t name_size, const char *category,
                                size_t category_size);
/* False when out of memory. Must follow a find that gave NULL for the same bytes. Does nothing when the cache
 * is full. */
bool label_cache_put(LabelCache *cache, const char *name, size_t name_size, const char *category,
                     size_t category_size, LabelId label) WARN_UNUSED;
bool label_cache_is_full(const LabelCache *cache);

#endif
