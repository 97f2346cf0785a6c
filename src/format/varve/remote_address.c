/* A `.varve` file at an address. */
#include "format/http.h"
#include "format/load.h"
#include "format/varve/layout.h"
#include "format/varve/remote.h"

#include <string.h>

static RemoteFile *open_shown(const char *address, const char *shown, const Progress *progress, Err *err)
{
    static const char SUFFIX[] = ".varve";
    const size_t      size = strlen(shown), suffix = sizeof SUFFIX - 1;
    RangeSource       source;
    uint8_t           probe[RANGE_PROBE_BYTES];
    size_t            got = 0;
    if (size < suffix || strcmp(shown + size - suffix, SUFFIX) != 0) {
        (void)err_set(err, ERR_UNKNOWN, "the address does not end in .varve");
        return NULL;
    }
    if (!http_ranges_open(address, shown, progress, &source, probe, &got, err)) return NULL;
    if (got >= sizeof VARVE_MAGIC && memcmp(probe, VARVE_MAGIC, sizeof VARVE_MAGIC) == 0)
        return remote_open(&source, VARVE_ALL_LEVELS, err);
    source.close(source.context);
    (void)err_set(err, ERR_UNKNOWN, "the address has no .varve file");
    return NULL;
}

RemoteFile *remote_open_address(const char *address, const Progress *progress, Err *err)
{
    Arena       arena = arena_create(0);
    const char *shown = load_shown_path(&arena, address);
    RemoteFile *file = NULL;
    *err = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (shown == NULL)
        (void)err_set(err, ERR_MEMORY, "out of memory");
    else
        file = open_shown(address, shown, progress, err);
    arena_release(&arena);
    return file;
}
