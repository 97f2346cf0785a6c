#include "app/server/stored_secret.h"

#include "base/file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* True for a file of the user that others cannot read or write. */
static bool is_private(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

static bool read_secret(const char *path, Token *secret)
{
    Err        err;
    Bytes      text = { 0 };
    const bool done =
        is_private(path) && file_read_whole(path, &text, &err) && token_read(secret, text.data, text.size);
    bytes_release(&text);
    return done;
}

bool stored_secret_of(unsigned port, Token *secret, Err *err)
{
    char name[32], path[FILE_PATH_BYTES];
    Err  fault;
    (void)snprintf(name, sizeof name, "secrets/%u", port);
    const bool has_path = file_state_path(name, path);
    if (has_path && read_secret(path, secret)) return true;
    if (!token_create(secret, err)) return false;
    /* Without a stored secret the server works; only its links end with it. The old file is removed first: a replaced one keeps
     * its mode. */
    if (has_path && file_state_write(path, NULL, 0, &fault))
        (void)!file_state_write(path, secret->text, TOKEN_TEXT, &fault);
    return true;
}
