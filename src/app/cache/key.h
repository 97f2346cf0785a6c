/* app/cache/key.h - the key of a load in the cache. */
#ifndef APP_CACHE_KEY_H
#define APP_CACHE_KEY_H
#include "format/load.h"

/* Returns a hash of the size, time of change and samples of a regular file, of the options on which the trace depends, and of the
 * version of the program; 0 if the file has none, as standard input. */
uint64_t cache_key(const char *path, const LoadOptions *options);

#endif
