/* app/cli/browser.h - opens the viewer in the user's browser, if there is a desktop.
 *
 * Every user of the machine can list the arguments of every process, so the viewer's address, which contains
 * its secret, must not be an argument. The browser gets the name of a page instead. The page redirects to the
 * address, and only its owner can read it. */
#ifndef APP_CLI_BROWSER_H
#define APP_CLI_BROWSER_H
#include <stdbool.h>

enum { BROWSER_PATH_BYTES = 4096 };
typedef struct BrowserPage {
    char path[BROWSER_PATH_BYTES]; /* "" = no page */
} BrowserPage;

/* Writes the page into $TMPDIR, else $XDG_RUNTIME_DIR, else /tmp, and starts the browser without waiting for
 * it. `url` needs no escapes in HTML. Returns false if there is no desktop, or if the page or the process
 * cannot be created. */
bool browser_open(BrowserPage *page, const char *url);
/* Prints the command that forwards the port of the viewer, if the user came to this machine by SSH and standard error is a
 * terminal. `url`: http://127.0.0.1:PORT/... */
void browser_print_tunnel(const char *url);
/* Removes the page. Does nothing to an empty path. */
void browser_close(BrowserPage *page);

#endif
