/* Bytes in temporary files: src/format/spool.c. */
#include "format/spool.h"

#include "support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { FILE_BYTES = 1 << 20, PIECE_BYTES = 70000 }; /* a piece that continues in the next file */

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 7 + offset / 251);
}

/* Appends the bytes of these offsets. */
static bool append(Spool *spool, uint64_t begin, uint64_t end, Err *err)
{
    static uint8_t piece[PIECE_BYTES];
    while (begin < end) {
        size_t size = end - begin < PIECE_BYTES ? (size_t)(end - begin) : PIECE_BYTES;
        for (size_t i = 0; i < size; i++)
            piece[i] = byte_at(begin + i);
        if (!spool_append(spool, piece, size, err)) return false;
        begin += size;
    }
    return true;
}

/* Checks the bytes of the spool up to `end`. */
static void check_bytes(const Spool *spool, uint64_t end)
{
    static uint8_t bytes[3 * PIECE_BYTES];
    for (uint64_t at = 0; at < end; at += sizeof bytes / 2) {
        size_t got = spool_read(spool, at, bytes, sizeof bytes);
        CHECK_UINT(got, end - at < sizeof bytes ? end - at : sizeof bytes);
        for (size_t i = 0; i < got; i++)
            if (bytes[i] != byte_at(at + i)) fail_msg("byte %llu is another", (unsigned long long)(at + i));
    }
    CHECK_UINT(spool_read(spool, end, bytes, 1), 0);
}

/* Limits the size of files to FILE_BYTES, as on a full file system. */
static struct rlimit limit_files(void)
{
    struct rlimit before, little;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    little = before;
    little.rlim_cur = FILE_BYTES;
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    return before;
}

TEST(bytes_come_back)
{
    Spool spool = { .size = 0 };
    Err   err = { 0 };
    CHECK_UINT(spool_read(&spool, 0, &err, 1), 0);
    CHECK_DONE(append(&spool, 0, 3 * FILE_BYTES, &err), err);
    CHECK_UINT(spool.size, 3 * FILE_BYTES);
    CHECK_UINT(spool.count, 1);
    check_bytes(&spool, 3 * FILE_BYTES);
    spool_close(&spool);
    CHECK_UINT(spool.size, 0);
}

/* A directory without room is followed by the next one on another file system. */
TEST(a_full_directory_is_followed_by_the_next)
{
    struct stat first, second;
    if (stat("/dev/shm", &first) != 0 || stat("/var/tmp", &second) != 0 || first.st_dev == second.st_dev)
        return; /* there is no other */
    Spool spool = { .size = 0 };
    Err   err = { 0 };
    CHECK(setenv("TMPDIR", "/dev/shm", 1) == 0);
    const struct rlimit before = limit_files();
    const bool          done = append(&spool, 0, FILE_BYTES + 100001, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(unsetenv("TMPDIR") == 0);
    CHECK_DONE(done, err);
    CHECK_UINT(spool.count, 2);
    CHECK_UINT(spool.parts[1].begin, FILE_BYTES);
    check_bytes(&spool, FILE_BYTES + 100001);
    spool_close(&spool);
}

TEST(no_more_room_is_an_error)
{
    Spool               spool = { .size = 0 };
    Err                 err = { 0 };
    const struct rlimit before = limit_files();
    const bool          done = append(&spool, 0, (FILE_TEMPORARY_PLACES + 1) * FILE_BYTES, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(!done && err.code == ERR_IO);
    CHECK_STRING(err.message, "temporary files cannot be written: File too large");
    spool_close(&spool);
}

/* Half of the free space is left to other programs. */
TEST(half_of_the_free_space_is_the_bound)
{
    Spool spool = { .size = 0 };
    Err   err = { 0 };
    CHECK_DONE(append(&spool, 0, 1000, &err), err);
    CHECK(spool.parts[0].most_bytes > 1000);
    spool.parts[0].most_bytes = 1500;
    spool.next_place = FILE_TEMPORARY_PLACES;
    CHECK_DONE(append(&spool, 1000, 1500, &err), err);
    CHECK(!append(&spool, 1500, 1501, &err) && err.code == ERR_IO);
    CHECK_STRING(err.message, "temporary files would take more than half of the free space");
    CHECK_UINT(spool.size, 1500);
    spool_close(&spool);
}

TEST_MAIN("spool", TEST_CASE(bytes_come_back), TEST_CASE(a_full_directory_is_followed_by_the_next),
          TEST_CASE(no_more_room_is_an_error), TEST_CASE(half_of_the_free_space_is_the_bound))
