#define _DEFAULT_SOURCE /* mkstemps */
#include "app/cli/browser.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const char *page_directory(void)
{
    static const char *const VARIABLES[] = { "TMPDIR", "XDG_RUNTIME_DIR" };
    for (size_t i = 0; i < sizeof VARIABLES / sizeof VARIABLES[0]; i++) {
        const char *value = getenv(VARIABLES[i]);
        if (value != NULL && value[0] == '/') return value;
    }
    return "/tmp";
}

#define PAGE                                                                                                 \
    "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"          \
    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>Varve</title>\n"                            \
    "<p><a href=\"%s\">Open the viewer</a></p>\n"

/* Creates a file that its owner alone can read; the system chooses its name. */
static bool page_write(BrowserPage *page, const char *url)
{
    static const char SUFFIX[] = ".html";
    const int length = snprintf(page->path, sizeof page->path, "%s/varve-XXXXXX%s", page_directory(), SUFFIX);
    assert(strpbrk(url, "\"'<>&;") == NULL);
    const bool fits = length > 0 && (size_t)length < sizeof page->path;
    const int  fd = fits ? mkstemps(page->path, (int)strlen(SUFFIX)) : -1; /* mode 0600 */
    if (fd < 0) {
        page->path[0] = '\0';
        return false;
    }
    const int written = dprintf(fd, PAGE, url, url);
    return close(fd) == 0 && written > 0;
}

/* Starts a program with one argument and does not wait for it. */
static bool start(char *program, char *argument)
{
    char *words[] = { program, argument, NULL };
    (void)signal(SIGCHLD, SIG_IGN); /* the system removes it when it ends */
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
    bool started = posix_spawnp(&child, program, &files, &settings, words, environ) == 0;
    (void)posix_spawnattr_destroy(&settings);
    (void)posix_spawn_file_actions_destroy(&files);
    return started;
}

bool browser_open(BrowserPage *page, const char *url)
{
    page->path[0] = '\0';
    if (!has_desktop()) return false;
    if (page_write(page, url) && start(OPENER, page->path)) return true;
    browser_close(page);
    return false;
}

/* True for the characters of an address, so that the printed command has no other meaning. */
static bool is_address(const char *text)
{
    static const char CHARACTERS[] = "0123456789abcdefABCDEF.:";
    return text[0] != '\0' && text[strspn(text, CHARACTERS)] == '\0';
}

void browser_print_tunnel(const char *url)
{
    enum { SSH_PORT = 22 };
    const char *connection = getenv("SSH_CONNECTION"); /* client, its port, server, its port */
    char        server[64];
    unsigned    port, ssh_port;
    if (connection == NULL || isatty(STDERR_FILENO) == 0) return;
    if (sscanf(connection, "%*s %*u %63s %u", server, &ssh_port) != 2 || !is_address(server)) return;
    if (sscanf(url, "http://127.0.0.1:%u/", &port) != 1) return;
    char option[32] = "";
    if (ssh_port != SSH_PORT) (void)snprintf(option, sizeof option, "-p %u ", ssh_port);
    (void)fprintf(stderr,
                  "To open it on your machine, run there:  ssh -N -L %u:127.0.0.1:%u %s%s\n"
                  "and open the address above there.\n",
                  port, port, option, server);
}

void browser_close(BrowserPage *page)
{
    if (page->path[0] != '\0') (void)unlink(page->path);
    page->path[0] = '\0';
}
