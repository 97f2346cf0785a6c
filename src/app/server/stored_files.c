#include "app/server/stored_files.h"

#include "base/file.h"

#include <varve/varve.h>

#include <stdio.h>

static const char MARKS_PREFIX[] = "marks/";

bool is_stored_file(const char *target)
{
    return strcmp(target, "settings") == 0 || strncmp(target, MARKS_PREFIX, sizeof MARKS_PREFIX - 1) == 0;
}

static bool find_path(const char *target, char path[FILE_PATH_BYTES], Err *err)
{
    char name[VARVE_IDENTITY_DIGITS + 32] = "settings.json";
    if (strcmp(target, "settings") != 0) {
        const char *identity = target + sizeof MARKS_PREFIX - 1;
        if (strlen(identity) != VARVE_IDENTITY_DIGITS ||
            strspn(identity, "0123456789abcdef") != VARVE_IDENTITY_DIGITS)
            return err_set(err, ERR_USAGE, "not the identity of a trace");
        (void)snprintf(name, sizeof name, "marks/%s.varve-view", identity);
    }
    return file_state_path(name, path) ||
           err_set(err, ERR_IO,
                   "there is no folder for marks and settings: XDG_STATE_HOME and HOME are not set");
}

bool stored_file_read(const char *target, Bytes *out, Err *err)
{
    char path[FILE_PATH_BYTES];
    if (!find_path(target, path, err)) return false;
    return !file_is_regular(path) || file_read_whole(path, out, err);
}

bool stored_file_write(const char *target, const void *bytes, size_t size, Err *err)
{
    char path[FILE_PATH_BYTES];
    return find_path(target, path, err) && file_state_write(path, bytes, size, err);
}
