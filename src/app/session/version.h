/* app/session/version.h - the program's version, the same as the build's (a test compares them). */
#ifndef APP_SESSION_VERSION_H
#define APP_SESSION_VERSION_H

#define VARVE_VERSION "0.1.0"

#endif
