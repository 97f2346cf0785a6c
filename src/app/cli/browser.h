/* app/cli/browser.h - shows an address in the user's browser, where there is a desktop. */
#ifndef APP_CLI_BROWSER_H
#define APP_CLI_BROWSER_H
#include <stdbool.h>

/* Starts the browser and does not wait for it. False when there is no desktop, or nothing to start. */
bool browser_open(const char *url);

#endif
