#include "app/cli/output_check.h"

#include "base/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets `folder` to the path of the folder of a file or folder. False: the path is too long. */
static bool folder_of(const char *path, char folder[FILE_PATH_BYTES])
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--; /* "out/" */
    while (size > 0 && path[size - 1] != '/')
        size--;
    while (size > 1 && path[size - 1] == '/')
        size--;
    if (size >= FILE_PATH_BYTES) return false;
    memcpy(folder, size == 0 ? "." : path, size == 0 ? 1 : size);
    folder[size == 0 ? 1 : size] = '\0';
    return true;
}

bool output_check(const Cli *cli)
{
    const char *path = cli_option(cli, "output");
    char        folder[FILE_PATH_BYTES];
    struct stat info;
    Err         err;
    if (path == NULL || path[0] == '\0' || strcmp(path, "-") == 0 || stat(path, &info) == 0) return true;
    if (!folder_of(path, folder) || access(folder, W_OK) == 0) return true;
    (void)err_set(&err, ERR_OUTPUT, "cannot be created in %s: %s", folder, strerror(errno));
    cli_error(path, &err);
    return false;
}
