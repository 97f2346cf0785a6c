/* app/session/session_open.h - loading in background threads; native only. */
#ifndef APP_SESSION_SESSION_OPEN_H
#define APP_SESSION_SESSION_OPEN_H
#include "app/cache/cache.h"
#include "app/session/session.h"

/* Starts loading a file on its own thread and gives it the next trace number at once; requests are answered
 * with its status until it is ready. `name` is shown for it; NULL: the last part of the path. The trace is taken from `cache` if it is there; if its load took long, the thread then keeps it
 * there, after the first requests. `options` (except its progress) is copied; the texts it points to, `name` and `cache`, which may be
 * NULL, must outlive the session. One thread at a time. Fails with ERR_MEMORY or ERR_LIMIT (too many traces);
 * session_load_state reports a file that cannot be loaded. */
bool session_open(Session *session, const char *path, const char *name, const LoadOptions *options,
                  const Cache *cache, Err *err) WARN_UNUSED;

/* Starts loading a file for a request of the page, with the options of the first trace, and sets its number; session_open has been
 * called before. Any thread. Fails as session_open, and with ERR_IO if it is not a regular file. */
bool session_open_by_page(Session *session, const char *path, uint32_t *trace, Err *err) WARN_UNUSED;
/* Returns the path of trace `index`, as the user gave it; NULL if the trace does not exist or is not ready, grows, or is standard
 * input. Any thread. */
const char *session_path(Session *session, uint64_t index);

/* True if trace 0 is a file of this machine that is being loaded. Any thread. */
bool session_loads_file(Session *session);

typedef enum { LOAD_RUNNING, LOAD_DONE, LOAD_FAILED } LoadState;
/* Returns the state of trace `index`. LOAD_DONE: *loaded, valid until the session is destroyed, NULL for a file that is read by ranges; LOAD_FAILED
 * (also if it was cancelled): *err. Any thread. */
LoadState session_load_state(Session *session, uint32_t index, const Loaded **loaded, Err *err);
/* Returns the progress of trace `index`, which any thread may read and cancel. */
Progress *session_load_progress(Session *session, uint32_t index);

#endif
