#include "format/http.h"

HttpSource *http_open(Arena *arena, const char *address, const Progress *progress, Err *err)
{
    (void)arena, (void)address, (void)progress;
    err_set(err, ERR_IO, "this build of Varve opens no addresses: download the file");
    return NULL;
}

uint64_t http_size(const HttpSource *source)
{
    (void)source;
    return 0;
}

bool http_read(HttpSource *source, void *buffer, size_t size, size_t *got, Err *err)
{
    (void)source, (void)buffer, (void)size, (void)got;
    return err_set(err, ERR_IO, "this build of Varve opens no addresses");
}

void http_close(HttpSource *source)
{
    (void)source;
}

bool http_ranges_open(const char *address, const char *shown, const Progress *progress, RangeSource *source,
                      uint8_t *probe, size_t *got, Err *err)
{
    (void)address, (void)shown, (void)progress, (void)source, (void)probe, (void)got;
    return err_set(err, ERR_IO, "addresses are not read by this build");
}
