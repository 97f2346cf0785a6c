/* base/lock.h: mutual exclusion and waiting. */
#include "base/lock.h"

#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct Shared {
    Arena       arena;
    SharedLock *lock;
    int64_t     first, second; /* the writer keeps them equal */
    atomic_bool stop;
    atomic_int  torn, reads;
} Shared;

static void shared_begin(Shared *shared)
{
    *shared = (Shared){ .arena = arena_create(0) };
    shared->lock = shared_lock_create(&shared->arena);
    CHECK(shared->lock != NULL);
}

static void shared_end(Shared *shared)
{
    shared_lock_destroy(shared->lock);
    arena_release(&shared->arena);
}

TEST(readers_share_and_keep_a_writer_out)
{
    Shared shared;
    shared_begin(&shared);
    shared_lock_read(shared.lock);
    shared_lock_read(shared.lock);
    CHECK(!shared_lock_write(shared.lock, 0));
    CHECK(!shared_lock_write(shared.lock, 5));
    shared_lock_read_done(shared.lock);
    CHECK(!shared_lock_write(shared.lock, 0));
    shared_lock_read_done(shared.lock);
    CHECK(shared_lock_write(shared.lock, 0));
    CHECK(!shared_lock_write(shared.lock, 0)); /* not twice */
    shared_lock_write_done(shared.lock);
    shared_lock_read(shared.lock); /* the writers that went without it are not waited for */
    shared_lock_read_done(shared.lock);
    shared_end(&shared);
}

static void *read_on(void *context)
{
    Shared *shared = context;
    while (!atomic_load(&shared->stop)) {
        shared_lock_read(shared->lock);
        if (shared->first != shared->second) atomic_fetch_add(&shared->torn, 1);
        atomic_fetch_add(&shared->reads, 1);
        shared_lock_read_done(shared->lock);
    }
    return NULL;
}

/* Readers without a pause between them: a writer that waits gets its turn all the same. */
TEST(a_writer_gets_its_turn_among_readers)
{
    enum { READERS = 3, WRITES = 200 };
    Shared    shared;
    pthread_t threads[READERS];
    int       written = 0;
    shared_begin(&shared);
    for (int i = 0; i < READERS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, read_on, &shared), 0);
    while (atomic_load(&shared.reads) == 0)
        ;
    for (int i = 0; i < WRITES; i++) {
        if (!shared_lock_write(shared.lock, 10000)) continue;
        shared.first++;
        shared.second++;
        written++;
        shared_lock_write_done(shared.lock);
    }
    atomic_store(&shared.stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(written, WRITES);
    CHECK_INT(atomic_load(&shared.torn), 0);
    shared_end(&shared);
}

TEST_MAIN("lock", TEST_CASE(readers_share_and_keep_a_writer_out),
          TEST_CASE(a_writer_gets_its_turn_among_readers))
