/* Loads files and keeps their traces in the user's cache as `varve open` does, however short the loads are: for cache_cli_test.py.
 *
 * usage: app_cache_fill FILE...   Prints "kept", "found" or "not kept" for each file. */
#include "app/cache/cache.h"
#include "app/session/range_answers.h"

#include <stdatomic.h>
#include <stdio.h>

/* Keeps a load. Takes over the trace. */
static bool keep(const Cache *cache, const LoadOptions *options, const CacheLoad *load, Loaded *loaded)
{
    static const _Atomic bool NOT_CANCELLED = false;
    Session                  *session = session_create();
    RangeAnswers              answers;
    Err                       err;
    if (session == NULL || !session_add_loaded(session, loaded)) {
        session_destroy(session);
        loaded_release(loaded);
        return false;
    }
    bool is_kept = range_answers_create(session, 0, VARVE_COARSE_LEVELS, &answers, &err);
    if (is_kept) {
        is_kept = cache_keep(cache, loaded, options, load, &answers.tiles, &NOT_CANCELLED);
        range_answers_release(&answers);
    }
    session_destroy(session);
    return is_kept;
}

int main(int argc, char **argv)
{
    Cache cache;
    if (!cache_of_user(&cache)) return 1;
    cache.least_ms = 0;
    cache.least_free_bytes = 0;
    for (int i = 1; i < argc; i++) {
        const LoadOptions options = { .symbols = { .policy = SYMBOLS_SEARCH } };
        Loaded            loaded;
        CacheLoad         load;
        Err               err;
        if (!cache_load_file(&cache, argv[i], &options, &loaded, &load, &err)) return 1;
        const bool is_kept = keep(&cache, &options, &load, &loaded);
        (void)puts(load.was_found ? "found" : is_kept ? "kept" : "not kept");
    }
    return 0;
}
