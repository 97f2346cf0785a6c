/* For builds with one thread. */
#include "trace/wire/tiles_apart.h"

unsigned tiles_threads(const TilesRequest *request)
{
    (void)request;
    return 1;
}

bool tiles_encode_apart(const TilesRequest *request, unsigned threads, Bytes *out, LodReads *reads, Err *err)
{
    (void)request, (void)threads, (void)out, (void)reads;
    return err_set(err, ERR_USAGE, "there is one thread");
}
