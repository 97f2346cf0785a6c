/* Pages of a temporary file, for Linux. */
#define _GNU_SOURCE /* fallocate */
#include "base/overflow.h"

#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h> /* FALLOC_FL_ZERO_RANGE of musl */
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* The reserved address space: the page at `begin + n` is the page at offset n of the file. Offsets are not reused
 * except at the end, because the file is sparse. */
static const uint64_t MOST_ADDRESSES = UINT64_C(1) << 40;
static const uint64_t LEAST_ADDRESSES = UINT64_C(16) << 30;

static pthread_mutex_t   guard = PTHREAD_MUTEX_INITIALIZER; /* protects the next five */
static bool              was_opened;
static FileSpool         file; /* closed: no directory is suitable */
static uint64_t          next; /* offset of the next page */
static uint64_t          end;  /* offsets are below it */
static uint64_t          most; /* bytes that may be given out at the same time */
static _Atomic uint64_t  used, resident_most;
static _Atomic uintptr_t addresses_begin, addresses_end; /* equal: none are reserved */

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t page_round(size_t size)
{
    const uint64_t page = page_bytes();
    return size > SIZE_MAX - page ? UINT64_MAX : ((uint64_t)size + page - 1) / page * page;
}

static int handle(void)
{
    return file.handle_plus_one - 1;
}

static bool change_range(int mode, uint64_t offset, uint64_t size)
{
    int result;
    do {
        result = fallocate(handle(), mode, (off_t)offset, (off_t)size);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* ---- opening ---- */

/* True if the directory's file system is on a disk and allocates and frees parts of a file. */
static bool is_suitable(void)
{
    struct statfs info;
    if (fstatfs(handle(), &info) != 0) return false;
    if ((uint32_t)info.f_type == TMPFS_MAGIC || (uint32_t)info.f_type == RAMFS_MAGIC) return false;
    const size_t page = page_bytes();
    return change_range(0, 0, page) && change_range(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, page);
}

/* Opens a file in the most spacious directory. Sets `most`. */
static void open_file(void)
{
    for (unsigned place = 0; place < FILE_TEMPORARY_PLACES; place++) {
        const FileSpool before = file;
        FileRoom        room;
        Err             ignored;
        if (!file_spool_open_in(&file, place, &room, &ignored)) {
            file = before;
        } else if (room.free_bytes / 2 <= most || !is_suitable()) {
            file_spool_close(&file);
            file = before;
        } else {
            FileSpool worse = before;
            file_spool_close(&worse);
            most = room.free_bytes / 2;
        }
    }
}

/* Reserves addresses and sets `end`. A limit of the address space (ulimit -v) leaves none for them. A limit of the size of
 * files (ulimit -f) is a limit of the offsets: the system answers with a signal beyond it. */
static bool reserve_addresses(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return false;
    for (uint64_t size = MOST_ADDRESSES; size >= LEAST_ADDRESSES; size /= 2) {
        void *begin = size > SIZE_MAX ? MAP_FAILED
                                      : mmap(NULL, (size_t)size, PROT_NONE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (begin == MAP_FAILED) continue;
        atomic_store(&addresses_begin, (uintptr_t)begin);
        atomic_store(&addresses_end, (uintptr_t)begin + (uintptr_t)size);
        end = size;
        if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < end) end = limit.rlim_cur;
        return end >= page_bytes();
    }
    return false;
}

/* ---- the resident pages ---- */

/* Returns the resident bytes of mapped files of the process. */
static uint64_t resident_bytes(void)
{
    char      text[128];
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t size = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[size < 0 ? 0 : size] = '\0';
    char *at = text;
    for (int i = 0; i < 2; i++)
        (void)strtoull(at, &at, 10); /* its size, and all resident pages */
    return (uint64_t)strtoull(at, NULL, 10) * page_bytes();
}

static void *trim(void *unused)
{
    enum { LEAST_NS = 2000000, MOST_NS = 128000000 };
    const uint64_t  others = resident_bytes(); /* the program's own file */
    struct timespec pause = { .tv_nsec = LEAST_NS };
    for (;;) {
        (void)nanosleep(&pause, NULL);
        const uint64_t bound = atomic_load(&resident_most);
        if (bound == 0 || resident_bytes() <= others + bound) {
            pause.tv_nsec = pause.tv_nsec < MOST_NS ? pause.tv_nsec * 2 : MOST_NS;
            continue;
        }
        pause.tv_nsec = LEAST_NS;
        (void)pthread_mutex_lock(&guard);
        const size_t size = (size_t)next;
        (void)pthread_mutex_unlock(&guard);
        (void)madvise((void *)atomic_load(&addresses_begin), size, MADV_DONTNEED);
    }
    return unused;
}

void overflow_set_resident(uint64_t bytes)
{
    atomic_store(&resident_most, bytes);
}

/* ---- pages ---- */

/* Opens the file at the first call. Returns false if no file can be used. Call with the guard. */
static bool is_open(void)
{
    if (was_opened) return file.handle_plus_one != 0;
    was_opened = true;
    if (!reserve_addresses()) return false;
    open_file();
    if (file.handle_plus_one == 0) return false;
    pthread_t thread; /* it ends with the process */
    if (pthread_create(&thread, NULL, trim, NULL) == 0) (void)pthread_detach(thread);
    return true;
}

/* Makes the pages at `offset` pages of the file. */
static void *map_at(uint64_t offset, uint64_t size)
{
    if (!change_range(0, offset, size)) return NULL;
    void *pages = mmap((void *)(atomic_load(&addresses_begin) + (uintptr_t)offset), (size_t)size,
                       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, handle(), (off_t)offset);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Returns the pages at `offset` to the system: addresses and disk blocks. Returns false if the blocks stay. */
static bool unmap_at(uint64_t offset, uint64_t size)
{
    const void *const addresses =
        mmap((void *)(atomic_load(&addresses_begin) + (uintptr_t)offset), (size_t)size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return addresses != MAP_FAILED && change_range(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size);
}

/* Returns overflow_left(). Call with the guard. */
static uint64_t left_now(void)
{
    if (!is_open()) return 0;
    const uint64_t room = most - atomic_load(&used), offsets = end - next;
    return room < offsets ? room : offsets;
}

void *overflow_map(size_t size)
{
    const uint64_t bytes = page_round(size);
    void          *pages = NULL;
    (void)pthread_mutex_lock(&guard);
    if (bytes <= left_now()) {
        pages = map_at(next, bytes);
        if (pages == NULL) (void)unmap_at(next, bytes); /* of a failed allocation, a part may exist */
    }
    if (pages != NULL) {
        next += bytes;
        (void)atomic_fetch_add(&used, bytes);
    }
    (void)pthread_mutex_unlock(&guard);
    return pages;
}

void overflow_unmap(void *bytes, size_t size)
{
    const uint64_t length = page_round(size), offset = (uintptr_t)bytes - atomic_load(&addresses_begin);
    (void)pthread_mutex_lock(&guard);
    assert(offset + length <= next && length <= atomic_load(&used));
    if (unmap_at(offset, length)) {
        if (offset + length == next) next = offset;
        (void)atomic_fetch_sub(&used, length);
    }
    (void)pthread_mutex_unlock(&guard);
}

void overflow_shrink(void *bytes, size_t size, size_t new_size)
{
    const size_t kept = (size_t)page_round(new_size), all = (size_t)page_round(size);
    if (kept < all) overflow_unmap((uint8_t *)bytes + kept, all - kept);
}

bool overflow_holds(const void *bytes)
{
    /* the end first: it is set last */
    return (uintptr_t)bytes < atomic_load_explicit(&addresses_end, memory_order_acquire) &&
           (uintptr_t)bytes >= atomic_load_explicit(&addresses_begin, memory_order_relaxed);
}

void overflow_discard(void *bytes, size_t size)
{
    const uintptr_t page = page_bytes(), begin = (uintptr_t)bytes;
    const size_t    before = (size_t)((page - begin % page) % page);
    if (size < before + page) return;
    const uint64_t offset = begin + before - atomic_load(&addresses_begin);
    const size_t   whole = (size - before) / page * page;
    if (!change_range(FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, whole))
        memset((char *)bytes + before, 0, whole);
}

uint64_t overflow_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

uint64_t overflow_left(void)
{
    (void)pthread_mutex_lock(&guard);
    const uint64_t left = left_now();
    (void)pthread_mutex_unlock(&guard);
    return left;
}
