/* app/server/site.h - the viewer's page, embedded in the program by embed.py from the files of web/site. */
#ifndef APP_SERVER_SITE_H
#define APP_SERVER_SITE_H
#include <stddef.h>

typedef struct SiteFile {
    const char *path; /* relative to the page: "index.html", "fonts/x.woff2" */
    const void *bytes;
    size_t      size;
    const char *tag; /* hexadecimal, of the content */
} SiteFile;

/* Ends with a row whose path is NULL; empty in a build without the viewer. */
extern const SiteFile SITE_FILES[];
/* The hash of the script in index.html, as a source of a content security policy; empty in a build without the viewer. */
extern const char SITE_SCRIPT_HASH[];

#endif
