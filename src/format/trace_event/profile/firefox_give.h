/* format/trace_event/profile/firefox_give.h - passes the tables of a thread or a counter to the builder. For
 * firefox_threads.c only. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_FIREFOX_GIVE_H
#define FORMAT_TRACE_EVENT_PROFILE_FIREFOX_GIVE_H
#include "format/trace_event/profile/firefox_threads.h"

/* Out of memory: sets file->cells.failed. */
void firefox_give_thread(Firefox *file, FirefoxOwner *owner);
void firefox_give_counter(Firefox *file, const FirefoxOwner *owner);

#endif
