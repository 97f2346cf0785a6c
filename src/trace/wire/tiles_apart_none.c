/* For builds with one thread. */
#include "trace/wire/tiles_apart.h"

unsigned tiles_threads(const Trace *trace, const TileKey *keys, size_t count, unsigned threads)
{
    (void)trace, (void)keys, (void)count, (void)threads;
    return 1;
}

bool tiles_encode_apart(const Trace *trace, const Filter *filter, const TileKey *keys, size_t count,
                        unsigned threads, Bytes *out, LodReads *reads, Err *err)
{
    (void)trace, (void)filter, (void)keys, (void)count, (void)threads, (void)out, (void)reads;
    return err_set(err, ERR_USAGE, "there is one thread");
}
