/* System calls for Linux and other POSIX systems. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE, sched_getaffinity */
#include "base/os.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/thread.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* -- memory -- */

static const size_t HUGE_PAGE_BYTES = (size_t)2 << 20;

static size_t page_round(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return size > SIZE_MAX - page ? 0 : (size + page - 1) / page * page;
}

static void *pages_request(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

#if defined MADV_HUGEPAGE && defined MADV_NOHUGEPAGE

/* Returns this thread's CPU time in ns. Unlike elapsed time it does not grow while other processes run. */
static uint64_t thread_cpu_ns(void)
{
    struct timespec time = { .tv_sec = 0 };
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Huge pages reduce a loader's time much where the system has them ready. A virtual machine may have to fetch each from
 * its host, which can take ten times as long as clearing it, while it has 4 KiB pages available. So the time of one
 * huge page in every 32 MiB is measured. A slow one turns huge pages off until three measurements in a row were fast.
 * */
static _Atomic size_t   until_try; /* bytes to allocate before the next measurement */
static _Atomic unsigned distrust;  /* fast measurements needed before huge pages are used again; 0 = in use */

static const size_t TRY_BYTES = (size_t)32 << 20;

/* Counts `size` bytes that are about to be used. Returns true if a page of them should be measured. */
static bool is_try_due(size_t size)
{
    const size_t left = atomic_load(&until_try);
    if (left > size) atomic_store(&until_try, left - size);
    return left <= size;
}

/* Measures the page fault of one huge page and sets `distrust` by it. */
static void try_huge(char *page)
{
    enum { SLOW_NS = 1000000, TRIES = 3 };
    const unsigned before = atomic_load(&distrust);
    const uint64_t begin = thread_cpu_ns();
    *(volatile char *)page = 0;
    atomic_store(&distrust, thread_cpu_ns() - begin > SLOW_NS ? TRIES : before > 0 ? before - 1 : 0);
    atomic_store(&until_try, TRY_BYTES);
}

/* Advises the kernel to use huge pages for a fresh mapping, or not to. Measures the first page if a measurement is
 * due. */
static void advise_huge(char *pages, size_t size)
{
    const unsigned before = atomic_load(&distrust);
    (void)madvise(pages, size, before == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (!is_try_due(size)) return;
    if (before > 0) (void)madvise(pages, HUGE_PAGE_BYTES, MADV_HUGEPAGE);
    try_huge(pages);
    const unsigned after = atomic_load(&distrust);
    if ((before == 0) != (after == 0))
        (void)madvise(pages + HUGE_PAGE_BYTES, size - HUGE_PAGE_BYTES,
                      after == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

void os_pages_take(void *page)
{
    const bool tries = atomic_load(&distrust) == 0 || is_try_due(HUGE_PAGE_BYTES);
    (void)madvise(page, HUGE_PAGE_BYTES, tries ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (tries) try_huge((char *)page);
}

#else

static void advise_huge(char *pages, size_t size)
{
    (void)pages, (void)size;
}

void os_pages_take(void *page)
{
    (void)page;
}

#endif

void *os_pages_map(size_t size)
{
    size = page_round(size);
    if (size == 0) return NULL;
    if (size < HUGE_PAGE_BYTES || size > SIZE_MAX - HUGE_PAGE_BYTES) return pages_request(size);

    /* Huge pages need an aligned address: maps one page more and unmaps both ends. */
    char *pages = (char *)pages_request(size + HUGE_PAGE_BYTES);
    if (pages == NULL) return pages_request(size);
    size_t before = (HUGE_PAGE_BYTES - (uintptr_t)pages % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0) (void)munmap(pages, before);
    (void)munmap(pages + before + size, HUGE_PAGE_BYTES - before);
    pages += before;
    advise_huge(pages, size);
    return pages;
}

void os_pages_unmap(void *pages, size_t size)
{
    (void)munmap(pages, page_round(size));
}

void *os_pages_remap(void *pages, size_t size, size_t new_size)
{
#ifdef MREMAP_MAYMOVE
    void *grown = mremap(pages, page_round(size), page_round(new_size), MREMAP_MAYMOVE);
    return grown == MAP_FAILED ? NULL : grown;
#else
    (void)pages, (void)size, (void)new_size;
    return NULL;
#endif
}

void *os_pages_shrink(void *pages, size_t size, size_t new_size)
{
    const size_t kept = page_round(new_size), all = page_round(size);
    if (kept < all) (void)munmap((char *)pages + kept, all - kept);
    return pages;
}

void *os_pages_reserve(size_t size)
{
    size = page_round(size);
    if (size == 0) return NULL;
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void os_pages_discard(void *pages, size_t size)
{
    const uintptr_t page = (uintptr_t)page_round(1), begin = (uintptr_t)pages;
    const size_t    before = (size_t)((page - begin % page) % page);
    if (size < before) return;
    (void)madvise((char *)pages + before, (size - before) / page * page, MADV_DONTNEED);
}

bool os_pages_move(void *from, void *to, size_t size)
{
#ifdef MREMAP_DONTUNMAP
    if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) == to) return true;
    /* A failed mremap may have unmapped `to`: maps it again. */
    const void *again =
        mmap(to, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert(again == to);
    (void)again;
#else
    (void)from, (void)to, (void)size;
#endif
    return false;
}

uint64_t os_random_key(void)
{
    uint64_t key;
    if (getentropy(&key, sizeof key) == 0) return key;
    return (uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)&key; /* a sandbox may forbid getentropy */
}

uint64_t memory_total(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages <= 0 || size <= 0 ? 0 : (uint64_t)pages * (uint64_t)size;
}

/* -- files in -- */

static const size_t READ_MAX_BYTES = (size_t)1 << 30; /* read(2) returns at most 2 GiB */

/* Fills err with the system's message for errno. Returns false. */
static bool fail_errno(Err *err)
{
    return err_set(err, errno == ENOMEM ? ERR_MEMORY : ERR_IO, "%s", strerror(errno));
}

bool file_reader_open(const char *path, FileReader *reader, Err *err)
{
    *reader = (FileReader){ 0, 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not block on a FIFO, which fails below */
    if (fd < 0) return fail_errno(err);

    struct stat info;
    bool        done = fstat(fd, &info) == 0 || fail_errno(err);
    if (done && !S_ISREG(info.st_mode))
        done = err_set(err, ERR_IO, S_ISDIR(info.st_mode) ? "is a directory" : "is not a regular file");
    if (done)
        *reader = (FileReader){ .handle_plus_one = fd + 1, .size = (uint64_t)info.st_size };
    else
        (void)close(fd);
    return done;
}

void file_reader_close(FileReader *reader)
{
    if (reader->handle_plus_one > 0) (void)close(reader->handle_plus_one - 1);
    *reader = (FileReader){ 0, 0 };
}

int64_t file_reader_read(const FileReader *reader, uint64_t offset, void *buffer, size_t size)
{
    if (offset >= reader->size || size == 0) return 0;
    if (size > READ_MAX_BYTES) size = READ_MAX_BYTES;
    ssize_t got;
    do {
        got = pread(reader->handle_plus_one - 1, buffer, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got;
}

void *file_reader_map(const FileReader *reader)
{
    if (reader->size == 0 || reader->size > SIZE_MAX) return NULL;
    void *bytes = mmap(NULL, (size_t)reader->size, PROT_READ, MAP_PRIVATE, reader->handle_plus_one - 1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void file_unmap(void *bytes, size_t size)
{
    (void)munmap(bytes, size);
}

bool file_read_whole(const char *path, Bytes *out, Err *err)
{
    enum { BLOCK_BYTES = 64 << 10 };
    FileReader reader;
    if (!file_reader_open(path, &reader, err)) return false;
    bool    done = true;
    int64_t got = 1;
    for (uint64_t at = 0; done && got > 0; at += (uint64_t)got) {
        void *room = bytes_reserve(out, BLOCK_BYTES);
        got = room == NULL ? 0 : file_reader_read(&reader, at, room, BLOCK_BYTES);
        if (room == NULL) done = err_set(err, ERR_MEMORY, "out of memory");
        if (got < 0) done = fail_errno(err);
        if (got > 0) bytes_grow(out, (size_t)got);
    }
    file_reader_close(&reader);
    return done;
}

/* Returns the space of the file system that holds an open file. */
static FileRoom room_of(int fd)
{
    FileRoom       room = { .free_bytes = UINT64_MAX };
    struct stat    info;
    struct statvfs system;
    if (fstat(fd, &info) == 0) room.device = (uint64_t)info.st_dev;
    if (fstatvfs(fd, &system) == 0) room.free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
    return room;
}

bool file_spool_open_in(FileSpool *spool, unsigned place, FileRoom *room, Err *err)
{
    const char *directories[FILE_TEMPORARY_PLACES] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
    char        path[FILE_PATH_BYTES];
    const char *directory = directories[place];
    *spool = (FileSpool){ 0, 0 };
    if (directory == NULL || directory[0] == '\0') return err_set(err, ERR_IO, "TMPDIR is not set");
    int length = snprintf(path, sizeof path, "%s/varve-XXXXXX", directory);
    int fd = -1;
    errno = ENAMETOOLONG;
    if (length > 0 && (size_t)length < sizeof path) fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return err_set(err, ERR_IO, "cannot create a temporary file: %s", strerror(errno));
    (void)unlink(path);
    spool->handle_plus_one = fd + 1;
    *room = room_of(fd);
    return true;
}

bool file_spool_open(FileSpool *spool, Err *err)
{
    FileRoom room;
    for (unsigned place = 0; place < FILE_TEMPORARY_PLACES; place++)
        if (file_spool_open_in(spool, place, &room, err)) return true;
    return false;
}

bool file_spool_create(FileSpool *spool, const char *path, Err *err)
{
    struct stat info;
    *spool = (FileSpool){ 0, 0 };
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return err_set(err, ERR_IO, S_ISDIR(info.st_mode) ? "is a directory" : "is not a regular file");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    spool->handle_plus_one = fd + 1;
    return fd >= 0 || fail_errno(err);
}

SpoolOutcome file_spool_create_new(FileSpool *spool, const char *path, Err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    *spool = (FileSpool){ .handle_plus_one = fd + 1 };
    if (fd >= 0) return SPOOL_CREATED;
    if (errno == EEXIST) return SPOOL_EXISTS;
    (void)fail_errno(err);
    return SPOOL_FAILED;
}

bool file_spool_append(FileSpool *spool, const void *bytes, size_t size, Err *err)
{
    assert(spool->handle_plus_one > 0);
    const char *at = (const char *)bytes;
    while (size > 0) {
        ssize_t wrote = write(spool->handle_plus_one - 1, at, size);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return fail_errno(err);
        at += wrote;
        size -= (size_t)wrote;
        spool->size += (uint64_t)wrote;
    }
    return true;
}

void file_spool_forget(FileSpool *spool, uint64_t offset)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    if (offset > spool->size) offset = spool->size;
    if (offset == 0) return;
    (void)fallocate(spool->handle_plus_one - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)offset);
#else
    (void)spool, (void)offset;
#endif
}

int64_t file_spool_read(const FileSpool *spool, uint64_t offset, void *buffer, size_t size)
{
    const FileReader reader = { .handle_plus_one = spool->handle_plus_one, .size = spool->size };
    return file_reader_read(&reader, offset, buffer, size);
}

void file_spool_close(FileSpool *spool)
{
    if (spool->handle_plus_one > 0) (void)close(spool->handle_plus_one - 1);
    *spool = (FileSpool){ 0, 0 };
}

int64_t file_read_fd(int fd, void *buffer, size_t size)
{
    if (size > READ_MAX_BYTES) size = READ_MAX_BYTES;
    ssize_t got;
    do {
        got = read(fd, buffer, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

bool file_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool file_real_path(const char *path, char real[FILE_PATH_BYTES])
{
    char      *found = realpath(path, NULL);
    const bool fits = found != NULL && strlen(found) < FILE_PATH_BYTES;
    if (fits) memcpy(real, found, strlen(found) + 1);
    free(found);
    return fits;
}

/* -- files out -- */

/* The temporary names of open writers, borrowed. Global, because a signal handler has no other access to them. */
enum { MOST_OPEN_WRITERS = 16 };
static _Atomic(const char *) temporary_names[MOST_OPEN_WRITERS];

/* Registers a temporary name. A signal does not remove the files of writers beyond the limit. */
static void name_register(const char *name)
{
    for (size_t i = 0; i < MOST_OPEN_WRITERS; i++) {
        const char *empty = NULL;
        if (atomic_compare_exchange_strong(&temporary_names[i], &empty, name)) return;
    }
}

static void name_forget(const char *name)
{
    for (size_t i = 0; i < MOST_OPEN_WRITERS; i++) {
        const char *registered = name;
        if (atomic_compare_exchange_strong(&temporary_names[i], &registered, NULL)) return;
    }
}

void file_writers_clean_up(void)
{
    for (size_t i = 0; i < MOST_OPEN_WRITERS; i++) {
        const char *name = atomic_load(&temporary_names[i]);
        if (name != NULL) (void)unlink(name);
    }
}

/* As fail_errno, for an output. */
static bool fail_output(Err *err)
{
    return err_set(err, ERR_OUTPUT, "%s", strerror(errno));
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *at = (const char *)bytes;
    while (size > 0) {
        ssize_t written = write(fd, at, size < READ_MAX_BYTES ? size : READ_MAX_BYTES);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

/* Creates a temporary file beside `path`, with the permissions of the file at `path`, or of a new one. Returns its
 * descriptor, -1 on failure. Sets `name` and registers it. */
static int temporary_open(const char *path, const struct stat *existing, char *name, size_t name_size)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(name, name_size, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= name_size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            name_register(name);
            if (existing != NULL) (void)fchmod(fd, existing->st_mode & 07777);
            return fd;
        }
        if (errno != EEXIST) return -1;
    }
    return -1;
}

/* Sets `target` to the file that the commit replaces: for a symbolic link the file that it points to. */
static bool target_settle(const char *path, bool exists, char *target, Err *err)
{
    char  *real = exists ? realpath(path, NULL) : NULL;
    size_t size = strlen(real != NULL ? real : path) + 1;
    bool   fits = size <= FILE_PATH_BYTES;
    if (fits) memcpy(target, real != NULL ? real : path, size);
    free(real);
    errno = ENAMETOOLONG;
    return fits || fail_output(err);
}

bool file_writer_open(FileWriter *writer, const char *path, Err *err)
{
    struct stat info;
    int         fd;
    *writer = (FileWriter){ .handle_plus_one = 0 };
    if (strcmp(path, "-") == 0) {
        writer->handle_plus_one = STDOUT_FILENO + 1;
        return true;
    }
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) { /* devices and pipes cannot be replaced by a rename */
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        if (!target_settle(path, exists, writer->target, err)) return false;
        fd = temporary_open(writer->target, exists ? &info : NULL, writer->temporary,
                            sizeof writer->temporary);
    }
    writer->handle_plus_one = fd + 1;
    return fd >= 0 || fail_output(err);
}

bool file_writer_append(FileWriter *writer, const void *bytes, size_t size, Err *err)
{
    assert(writer->handle_plus_one > 0);
    return write_all(writer->handle_plus_one - 1, bytes, size) || fail_output(err);
}

/* Closes the file. close(2) may report a full disk. */
static bool writer_close(FileWriter *writer)
{
    int fd = writer->handle_plus_one - 1;
    writer->handle_plus_one = 0;
    return fd == STDOUT_FILENO || close(fd) == 0;
}

bool file_writer_commit(FileWriter *writer, Err *err)
{
    assert(writer->handle_plus_one > 0);
    const bool is_new = writer->target[0] != '\0';
    bool       done = !is_new || fsync(writer->handle_plus_one - 1) == 0;
    if (!done) done = fail_output(err);
    if (!writer_close(writer) && done) done = fail_output(err);
    if (writer->target[0] == '\0') return done;
    if (done && rename(writer->temporary, writer->target) != 0) done = fail_output(err);
    if (!done) (void)unlink(writer->temporary);
    name_forget(writer->temporary);
    return done;
}

void file_writer_abort(FileWriter *writer)
{
    if (writer->handle_plus_one == 0) return;
    (void)writer_close(writer);
    if (writer->target[0] == '\0') return;
    (void)unlink(writer->temporary);
    name_forget(writer->temporary);
}

bool file_write_whole(const char *path, const void *bytes, size_t size, Err *err)
{
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) return false;
    if (file_writer_append(&writer, bytes, size, err)) return file_writer_commit(&writer, err);
    file_writer_abort(&writer);
    return false;
}

bool file_state_path(const char *name, char path[FILE_PATH_BYTES])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool  is_set = state != NULL && state[0] == '/';
    const char *folder = is_set ? state : home;
    if (folder == NULL || folder[0] != '/') return false;
    const int size =
        snprintf(path, FILE_PATH_BYTES, "%s%s/varve/%s", folder, is_set ? "" : "/.local/state", name);
    return size > 0 && size < FILE_PATH_BYTES;
}

void file_make_folders(const char *path)
{
    char         folder[FILE_PATH_BYTES];
    const size_t size = strlen(path);
    if (size >= sizeof folder) return;
    memcpy(folder, path, size + 1);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
}

bool file_state_write(const char *path, const void *bytes, size_t size, Err *err)
{
    FileSpool created;
    if (size == 0) return unlink(path) == 0 || errno == ENOENT || fail_errno(err);
    file_make_folders(path);
    if (file_spool_create_new(&created, path, err) == SPOOL_FAILED)
        return false; /* the writer keeps the mode */
    file_spool_close(&created);
    return file_write_whole(path, bytes, size, err);
}

/* -- threads -- */

unsigned thread_count_default(void)
{
#ifdef CPU_COUNT
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0) return (unsigned)CPU_COUNT(&usable);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

typedef struct Loop {
    void (*job)(void *context, size_t i);
    void         *context;
    size_t        count;
    atomic_size_t next; /* index of the next job; may exceed count */
} Loop;

static void *loop_work(void *argument)
{
    Loop *loop = (Loop *)argument;
    for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->job(loop->context, i);
    return NULL;
}

void thread_run(unsigned threads, size_t count, void (*job)(void *context, size_t i), void *context)
{
    enum { HELPERS_MAX = 255 };
    Loop loop = { .job = job, .context = context, .count = count };
    if (threads == 0) threads = thread_count_default();
    if (threads > count) threads = (unsigned)count;

    pthread_t helpers[HELPERS_MAX];
    size_t    started = 0;
    while (started + 1 < threads && started < HELPERS_MAX) {
        if (pthread_create(&helpers[started], NULL, loop_work, &loop) != 0) break; /* continues with fewer */
        started++;
    }
    loop_work(&loop); /* the caller is one of the threads */
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(helpers[i], NULL);
}

struct Thread {
    pthread_t thread;
    void (*work)(void *context);
    void *context;
};

static void *thread_work(void *argument)
{
    const Thread *thread = (const Thread *)argument;
    thread->work(thread->context);
    return NULL;
}

Thread *thread_start(Arena *arena, void (*work)(void *context), void *context)
{
    Thread *thread = ARENA_NEW(arena, Thread);
    if (thread == NULL) return NULL;
    thread->work = work;
    thread->context = context;
    return pthread_create(&thread->thread, NULL, thread_work, thread) == 0 ? thread : NULL;
}

void thread_join(Thread *thread)
{
    if (thread != NULL) (void)pthread_join(thread->thread, NULL);
}

void thread_set_background(void)
{
#ifdef SCHED_IDLE
    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &(struct sched_param){ .sched_priority = 0 });
#endif
}

/* -- locks -- */

struct Lock {
    pthread_mutex_t mutex;
    pthread_cond_t  woken;
};

Lock *lock_create(Arena *arena)
{
    Lock *lock = ARENA_NEW(arena, Lock);
    if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) return NULL;
    if (pthread_cond_init(&lock->woken, NULL) == 0) return lock;
    (void)pthread_mutex_destroy(&lock->mutex);
    return NULL;
}

void lock_destroy(Lock *lock)
{
    if (lock == NULL) return;
    (void)pthread_cond_destroy(&lock->woken);
    (void)pthread_mutex_destroy(&lock->mutex);
}

void lock_wait(Lock *lock)
{
    (void)pthread_cond_wait(&lock->woken, &lock->mutex);
}

void lock_wake(Lock *lock)
{
    (void)pthread_cond_broadcast(&lock->woken);
}

void lock_take(Lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
}

void lock_give(Lock *lock)
{
    (void)pthread_mutex_unlock(&lock->mutex);
}

struct SharedLock {
    pthread_mutex_t mutex; /* guards the members below; held briefly */
    pthread_cond_t  changed;
    unsigned        readers;
    bool            is_writing, is_wanted; /* is_wanted: a writer waits */
};

/* The longest time that a reader waits for a waiting writer. */
enum { READER_YIELDS_MS = 25 };

SharedLock *shared_lock_create(Arena *arena)
{
    SharedLock        *lock = ARENA_NEW(arena, SharedLock);
    pthread_condattr_t attributes;
    if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) return NULL;
    bool done = pthread_condattr_init(&attributes) == 0;
    if (done) {
        done = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&lock->changed, &attributes) == 0;
        (void)pthread_condattr_destroy(&attributes);
    }
    if (done) return lock;
    (void)pthread_mutex_destroy(&lock->mutex);
    return NULL;
}

void shared_lock_destroy(SharedLock *lock)
{
    if (lock == NULL) return;
    (void)pthread_cond_destroy(&lock->changed);
    (void)pthread_mutex_destroy(&lock->mutex);
}

static struct timespec time_after_ms(unsigned ms)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time_t)(ms / 1000);
    time.tv_nsec += (long)(ms % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

void shared_lock_read(SharedLock *lock)
{
    const struct timespec until = time_after_ms(READER_YIELDS_MS);
    bool                  yields = true;
    (void)pthread_mutex_lock(&lock->mutex);
    while (lock->is_writing || (lock->is_wanted && yields)) {
        if (lock->is_writing)
            (void)pthread_cond_wait(&lock->changed, &lock->mutex);
        else
            yields = pthread_cond_timedwait(&lock->changed, &lock->mutex, &until) == 0;
    }
    lock->readers++;
    (void)pthread_mutex_unlock(&lock->mutex);
}

void shared_lock_read_done(SharedLock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    assert(lock->readers > 0);
    if (--lock->readers == 0) (void)pthread_cond_broadcast(&lock->changed);
    (void)pthread_mutex_unlock(&lock->mutex);
}

bool shared_lock_write(SharedLock *lock, unsigned patience_ms)
{
    const struct timespec until = time_after_ms(patience_ms);
    bool                  waits = true;
    (void)pthread_mutex_lock(&lock->mutex);
    lock->is_wanted = true;
    while ((lock->readers > 0 || lock->is_writing) && waits)
        waits = pthread_cond_timedwait(&lock->changed, &lock->mutex, &until) == 0;
    bool is_mine = lock->readers == 0 && !lock->is_writing;
    if (is_mine) lock->is_writing = true;
    lock->is_wanted = false;
    (void)pthread_cond_broadcast(&lock->changed);
    (void)pthread_mutex_unlock(&lock->mutex);
    return is_mine;
}

void shared_lock_write_done(SharedLock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
    assert(lock->is_writing);
    lock->is_writing = false;
    (void)pthread_cond_broadcast(&lock->changed);
    (void)pthread_mutex_unlock(&lock->mutex);
}
