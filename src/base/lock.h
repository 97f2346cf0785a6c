/* base/lock.h - locks for what several threads change; in the browser build, which has one thread, they do nothing. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H
#include "base/arena.h"

typedef struct Lock Lock;

/* Lives in `arena`, which must outlive its use; NULL when out of memory. */
Lock *lock_create(Arena *arena) WARN_UNUSED;
void  lock_destroy(Lock *lock); /* before the arena goes; NULL is allowed */
void  lock_take(Lock *lock);
void  lock_give(Lock *lock);
/* Lets others have the lock until one of them calls lock_wake, or for no reason at all, and takes it again:
 * look again at what was waited for. Never where there are no other threads. */
void lock_wait(Lock *lock);
void lock_wake(Lock *lock); /* all who wait; the caller holds the lock */

/* A lock that many readers hold at once, or one writer alone. A writer who waits goes before readers that
 * come, but keeps none of them waiting longer than a picture or two: where somebody reads for long, the
 * writer comes again later. */
typedef struct SharedLock SharedLock;

SharedLock *shared_lock_create(Arena *arena) WARN_UNUSED;
void        shared_lock_destroy(SharedLock *lock);
void        shared_lock_read(SharedLock *lock);
void        shared_lock_read_done(SharedLock *lock);
/* False when there were readers all that time. */
bool shared_lock_write(SharedLock *lock, unsigned patience_ms) WARN_UNUSED;
void shared_lock_write_done(SharedLock *lock);

#endif
