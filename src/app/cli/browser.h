/* app/cli/browser.h - opens the viewer in the user's browser, where there is a desktop.
 *
 * Every user of the machine can list the arguments of every process, so the viewer's address, which holds its secret,
 * must not be one of them. The browser is given the name of a page instead. The page leads to the address, and only its
 * owner can read it. */
#ifndef APP_CLI_BROWSER_H
#define APP_CLI_BROWSER_H
#include <stdbool.h>

enum { BROWSER_PATH_BYTES = 4096 };
typedef struct BrowserPage {
    char path[BROWSER_PATH_BYTES]; /* "" = no page */
} BrowserPage;

/* Writes the page into $TMPDIR, else $XDG_RUNTIME_DIR, else /tmp, and starts the browser without waiting for it. `url`
 * needs no escapes in HTML. Returns false when there is no desktop, no page can be written, or nothing can be started. */
bool browser_open(BrowserPage *page, const char *url);
/* Removes the page. Does nothing to an empty path. */
void browser_close(BrowserPage *page);

#endif
