/* System calls for the WebAssembly build: memory, no files, one thread. */
#include "base/os.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

/* -- memory -- */

void *os_pages_map(size_t size)
{
    enum { PAGE_BYTES = 4096 };
    if (size > SIZE_MAX - PAGE_BYTES) return NULL;
    size = (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES; /* aligned_alloc wants a multiple */
    void *pages = aligned_alloc(PAGE_BYTES, size);
    return pages == NULL ? NULL : memset(pages, 0, size);
}

void os_pages_unmap(void *pages, size_t size)
{
    (void)size;
    free(pages);
}

void *os_pages_remap(void *pages, size_t size, size_t new_size)
{
    (void)pages, (void)size, (void)new_size;
    return NULL;
}

void *os_pages_shrink(void *pages, size_t size, size_t new_size)
{
    (void)size;
    return realloc(pages, new_size);
}

void *os_pages_reserve(size_t size)
{
    (void)size;
    return NULL;
}

void os_pages_discard(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

void os_pages_take(void *page)
{
    (void)page;
}

bool os_pages_move(void *from, void *to, size_t size)
{
    (void)from;
    (void)to;
    (void)size;
    return false;
}

/* The module has no imports and so no source of randomness. A crafted input can slow down only its own tab. */
uint64_t os_random_key(void)
{
    return 0x9e3779b97f4a7c15u;
}

/* -- files -- */

static bool fail_no_files(Err *err)
{
    return err_set(err, ERR_IO, "there are no files in the browser");
}

bool file_reader_open(const char *path, FileReader *reader, Err *err)
{
    (void)path;
    *reader = (FileReader){ 0, 0 };
    return fail_no_files(err);
}

void file_reader_close(FileReader *reader)
{
    *reader = (FileReader){ 0, 0 };
}

int64_t file_reader_read(const FileReader *reader, uint64_t offset, void *buffer, size_t size)
{
    (void)reader, (void)offset, (void)buffer, (void)size;
    return -1;
}

void *file_reader_map(const FileReader *reader)
{
    (void)reader;
    return NULL;
}

void file_unmap(void *bytes, size_t size)
{
    (void)bytes, (void)size;
}

bool file_read_whole(const char *path, Bytes *out, Err *err)
{
    (void)path, (void)out;
    return fail_no_files(err);
}

int64_t file_read_fd(int fd, void *buffer, size_t size)
{
    (void)fd, (void)buffer, (void)size;
    return -1;
}

bool file_is_regular(const char *path)
{
    (void)path;
    return false;
}

bool file_spool_open(FileSpool *spool, Err *err)
{
    *spool = (FileSpool){ 0, 0 };
    return fail_no_files(err);
}

bool file_spool_open_in(FileSpool *spool, unsigned place, FileRoom *room, Err *err)
{
    (void)place, (void)room;
    *spool = (FileSpool){ 0, 0 };
    return fail_no_files(err);
}

bool file_spool_create(FileSpool *spool, const char *path, Err *err)
{
    (void)spool, (void)path;
    return fail_no_files(err);
}

SpoolOutcome file_spool_create_new(FileSpool *spool, const char *path, Err *err)
{
    (void)path;
    *spool = (FileSpool){ 0, 0 };
    (void)fail_no_files(err);
    return SPOOL_FAILED;
}

bool file_spool_append(FileSpool *spool, const void *bytes, size_t size, Err *err)
{
    (void)spool, (void)bytes, (void)size;
    return fail_no_files(err);
}

void file_spool_forget(FileSpool *spool, uint64_t offset)
{
    (void)spool, (void)offset;
}

int64_t file_spool_read(const FileSpool *spool, uint64_t offset, void *buffer, size_t size)
{
    (void)spool, (void)offset, (void)buffer, (void)size;
    return -1;
}

void file_spool_close(FileSpool *spool)
{
    *spool = (FileSpool){ 0, 0 };
}

bool file_writer_open(FileWriter *writer, const char *path, Err *err)
{
    (void)path;
    *writer = (FileWriter){ .handle_plus_one = 0 };
    return fail_no_files(err);
}

bool file_writer_append(FileWriter *writer, const void *bytes, size_t size, Err *err)
{
    (void)writer, (void)bytes, (void)size;
    return fail_no_files(err);
}

bool file_writer_commit(FileWriter *writer, Err *err)
{
    (void)writer;
    return fail_no_files(err);
}

void file_writer_abort(FileWriter *writer)
{
    (void)writer;
}

void file_writers_clean_up(void)
{
}

bool file_write_whole(const char *path, const void *bytes, size_t size, Err *err)
{
    (void)path, (void)bytes, (void)size;
    return fail_no_files(err);
}

uint64_t memory_total(void)
{
    return 0;
}

/* -- threads -- */

unsigned thread_count_default(void)
{
    return 1;
}

void thread_run(unsigned threads, size_t count, void (*job)(void *context, size_t i), void *context)
{
    (void)threads;
    for (size_t i = 0; i < count; i++)
        job(context, i);
}

Thread *thread_start(Arena *arena, void (*work)(void *context), void *context)
{
    (void)arena, (void)work, (void)context;
    return NULL;
}

void thread_set_background(void)
{
}

void thread_join(Thread *thread)
{
    (void)thread;
}

struct Lock {
    char unused;
};

Lock *lock_create(Arena *arena)
{
    return ARENA_NEW(arena, Lock);
}

void lock_destroy(Lock *lock)
{
    (void)lock;
}

void lock_take(Lock *lock)
{
    (void)lock;
}

void lock_give(Lock *lock)
{
    (void)lock;
}

void lock_wait(Lock *lock)
{
    (void)lock;
}

void lock_wake(Lock *lock)
{
    (void)lock;
}

struct SharedLock {
    char none;
};

SharedLock *shared_lock_create(Arena *arena)
{
    return ARENA_NEW(arena, SharedLock);
}

void shared_lock_destroy(SharedLock *lock)
{
    (void)lock;
}

void shared_lock_read(SharedLock *lock)
{
    (void)lock;
}

void shared_lock_read_done(SharedLock *lock)
{
    (void)lock;
}

bool shared_lock_write(SharedLock *lock, unsigned patience_ms)
{
    (void)lock;
    (void)patience_ms;
    return true;
}

void shared_lock_write_done(SharedLock *lock)
{
    (void)lock;
}
