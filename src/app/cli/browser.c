#include "app/cli/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

extern char **environ;

static bool has_desktop(void)
{
#ifdef __APPLE__
    return true;
#else
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 != NULL && x11[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
#endif
}

#ifdef __APPLE__
static char OPENER[] = "open";
#else
static char OPENER[] = "xdg-open";
#endif

bool browser_open(const char *url)
{
    union {
        const char *read;
        char       *passed;
    } address = { url }; /* argv is older than const */
    char *words[] = { OPENER, address.passed, NULL };
    if (!has_desktop()) return false;
    (void)signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          settings;
    sigset_t                   none;
    pid_t                      child;
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    if (posix_spawnattr_init(&settings) != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return false;
    }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    (void)posix_spawnattr_setsigmask(&settings, &none); /* varve blocks Ctrl-C; the browser should not */
    (void)posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    bool started = posix_spawnp(&child, OPENER, &files, &settings, words, environ) == 0;
    (void)posix_spawnattr_destroy(&settings);
    (void)posix_spawn_file_actions_destroy(&files);
    return started;
}
