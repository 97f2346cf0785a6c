/* base/lock.h - a lock for what several threads change; in the browser build, which has one thread, it does nothing. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H
#include "base/arena.h"

typedef struct Lock Lock;

/* Lives in `arena`, which must outlive its use; NULL when out of memory. */
Lock *lock_create(Arena *arena) WARN_UNUSED;
void  lock_destroy(Lock *lock); /* before the arena goes; NULL is allowed */
void  lock_take(Lock *lock);
void  lock_give(Lock *lock);

#endif
