/* app/session/session_open.h - loading in the background, where there are threads: the native side alone. */
#ifndef APP_SESSION_SESSION_OPEN_H
#define APP_SESSION_SESSION_OPEN_H
#include "app/session/session.h"

/* Starts to load a file on a thread of its own and gives it the next trace number at once; requests then answer from
 * `status`. `options` (its progress is ignored) is copied; the texts it points to must outlive the session. Not from
 * two threads at once. Fails with ERR_MEMORY or ERR_LIMIT (too many traces); a file that cannot be loaded shows in
 * session_load_state. */
bool session_open(Session *session, const char *path, const LoadOptions *options, Err *err) WARN_UNUSED;

typedef enum { LOAD_RUNNING, LOAD_DONE, LOAD_FAILED } LoadState;
/* How far trace `index` is. LOAD_DONE: *loaded, valid until the session is destroyed; LOAD_FAILED (also when it was
 * cancelled): *err. Any thread. */
LoadState session_load_state(Session *session, uint32_t index, const Loaded **loaded, Err *err);
/* The progress of trace `index`, to be read by anyone and cancelled by anyone. */
Progress *session_load_progress(Session *session, uint32_t index);

#endif
