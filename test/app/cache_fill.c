/* Loads files and keeps their traces in the user's cache, however short the loads are: for cache_cli_test.py.
 *
 * usage: app_cache_fill FILE...   Prints "kept", "found" or "not kept" for each file. */
#include "app/cache/cache.h"

#include <stdatomic.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static const _Atomic bool NOT_CANCELLED = false;
    Cache                     cache;
    if (!cache_of_user(&cache)) return 1;
    cache.least_ms = 0;
    cache.least_free_bytes = 0;
    for (int i = 1; i < argc; i++) {
        const LoadOptions options = { .symbols = { .policy = SYMBOLS_SEARCH } };
        Loaded            loaded;
        CacheLoad         load;
        Err               err;
        if (!cache_load_file(&cache, argv[i], &options, &loaded, &load, &err)) return 1;
        const bool is_kept = cache_keep(&cache, &loaded, &options, &load, &NOT_CANCELLED);
        (void)puts(load.was_found ? "found" : is_kept ? "kept" : "not kept");
        loaded_release(&loaded);
    }
    return 0;
}
