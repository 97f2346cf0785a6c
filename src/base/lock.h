/* base/lock.h - mutexes and shared locks. In the browser build, which has one thread, they do nothing. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H
#include "base/arena.h"

typedef struct Lock Lock;

/* A mutex with a condition variable. Returns NULL when out of memory. The lock is allocated in `arena`. */
Lock *lock_create(Arena *arena) WARN_UNUSED;
void  lock_destroy(Lock *lock); /* before the arena is released; accepts NULL */
void  lock_take(Lock *lock);
void  lock_give(Lock *lock);
/* Releases the lock, waits until another thread calls lock_wake, and takes the lock again. Wake-ups may be spurious:
 * the caller checks its condition again. Do not call it in a build with one thread: it returns at once. */
void lock_wait(Lock *lock);
void lock_wake(Lock *lock); /* wakes all waiting threads; the caller holds the lock */

/* A lock that many readers or one writer hold. A waiting writer goes before new readers, but delays each of them for at
 * most 25 ms. If readers hold the lock longer than the writer's patience, the writer gives up and tries again later. */
typedef struct SharedLock SharedLock;

SharedLock *shared_lock_create(Arena *arena) WARN_UNUSED;
void        shared_lock_destroy(SharedLock *lock);
void        shared_lock_read(SharedLock *lock);
void        shared_lock_read_done(SharedLock *lock);
/* Takes the lock for writing. Returns false if readers held it for patience_ms milliseconds. */
bool shared_lock_write(SharedLock *lock, unsigned patience_ms) WARN_UNUSED;
void shared_lock_write_done(SharedLock *lock);

#endif
