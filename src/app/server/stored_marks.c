#include "app/server/stored_marks.h"

#include "base/file.h"
#include "format/identity.h"

#include <stdio.h>

static bool find_path(const char *identity, char path[FILE_PATH_BYTES], Err *err)
{
    char name[IDENTITY_TEXT + 32];
    if (strlen(identity) != IDENTITY_TEXT || strspn(identity, "0123456789abcdef") != IDENTITY_TEXT)
        return err_set(err, ERR_USAGE, "not the identity of a trace");
    (void)snprintf(name, sizeof name, "marks/%s.varve-view", identity);
    return file_state_path(name, path) ||
           err_set(err, ERR_IO, "there is no folder for marks: XDG_STATE_HOME and HOME are not set");
}

bool stored_marks_read(const char *identity, Bytes *out, Err *err)
{
    char path[FILE_PATH_BYTES];
    if (!find_path(identity, path, err)) return false;
    return !file_is_regular(path) || file_read_whole(path, out, err);
}

bool stored_marks_write(const char *identity, const void *bytes, size_t size, Err *err)
{
    char path[FILE_PATH_BYTES];
    return find_path(identity, path, err) && file_state_write(path, bytes, size, err);
}
