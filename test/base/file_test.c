#include "base/file.h"

#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_file(const char *path, const char *expected)
{
    Bytes bytes = { .data = NULL };
    Err   err = { 0 };
    CHECK_DONE(file_read_whole(path, &bytes, &err), err);
    CHECK_UINT(bytes.size, strlen(expected));
    CHECK(bytes.size == 0 || memcmp(bytes.data, expected, bytes.size) == 0);
    bytes_release(&bytes);
}

static void write_file(const char *path, const char *text)
{
    Err err = { 0 };
    CHECK_DONE(file_write_whole(path, text, strlen(text), &err), err);
}

TEST(file_write_whole_makes_and_replaces)
{
    char path[1100];
    test_scratch_path("whole", path, sizeof path);
    write_file(path, "first");
    check_file(path, "first");
    CHECK(chmod(path, 0640) == 0);
    write_file(path, "2nd");
    check_file(path, "2nd");
    write_file(path, "");
    check_file(path, "");
    struct stat info;
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0640); /* rights stay */
    CHECK_UINT(test_scratch_count(), 1);
    CHECK(unlink(path) == 0);
}

TEST(file_write_whole_follows_a_symbolic_link)
{
    char path[1100], link[1100];
    test_scratch_path("target", path, sizeof path);
    test_scratch_path("link", link, sizeof link);
    write_file(path, "old");
    CHECK(symlink("target", link) == 0);
    write_file(link, "new");
    check_file(path, "new");
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(unlink(path) == 0 && unlink(link) == 0);
}

TEST(file_write_whole_failing_leaves_nothing)
{
    char path[1100];
    Err  err = { 0 };
    test_scratch_path("missing/file", path, sizeof path);
    CHECK(!file_write_whole(path, "x", 1, &err));
    CHECK(err.code == ERR_OUTPUT);
    CHECK_STRING(err.message, "No such file or directory");

    char directory[1100];
    test_scratch_path("directory", directory, sizeof directory);
    CHECK(mkdir(directory, 0777) == 0);
    CHECK(!file_write_whole(directory, "x", 1, &err));
    CHECK(err.code == ERR_OUTPUT && strstr(err.message, "directory") != NULL);
    CHECK_UINT(test_scratch_count(), 1); /* the directory and no temporary file */
    CHECK(rmdir(directory) == 0);

    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    test_scratch_path(name, path, sizeof path);
    CHECK(!file_write_whole(path, "x", 1, &err));
    CHECK_UINT(test_scratch_count(), 0);
}

/* A write that fails half-way, which only a full disk or a limit brings about. */
TEST(file_write_whole_cut_short_keeps_the_old_file)
{
    char    path[1100], command[4096], program[2048];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0 || test_is_emulated()) return; /* no /proc here, or the program cannot start itself */
    program[length] = '\0';
    test_scratch_path("kept", path, sizeof path);
    write_file(path, "old");
    int needed =
        snprintf(command, sizeof command,
                 "ulimit -f 1; trap '' XFSZ; VARVE_TEST_FILL='%s' '%s' >/dev/null 2>&1", path, program);
    CHECK(needed > 0 && (size_t)needed < sizeof command);
    CHECK_INT(system(command), 0);
    check_file(path, "old");
    CHECK_UINT(test_scratch_count(), 1);
    CHECK(unlink(path) == 0);
}

TEST(file_write_whole_writes_to_devices)
{
    Err err = { 0 };
    CHECK_DONE(file_write_whole("/dev/null", "x", 1, &err), err);
    struct stat info;
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode)); /* it is still there */
    if (access("/dev/full", W_OK) == 0) {
        CHECK(!file_write_whole("/dev/full", "x", 1, &err));
        CHECK_STRING(err.message, "No space left on device");
    }
}

TEST(file_writer_gives_the_name_only_to_the_whole)
{
    FileWriter writer;
    Err        err = { 0 };
    char       path[1100];
    test_scratch_path("pieces", path, sizeof path);
    CHECK_DONE(file_writer_open(&writer, path, &err), err);
    CHECK_DONE(file_writer_append(&writer, "one ", 4, &err), err);
    CHECK(access(path, F_OK) != 0);
    CHECK_DONE(file_writer_append(&writer, "two", 3, &err), err);
    CHECK_DONE(file_writer_commit(&writer, &err), err);
    check_file(path, "one two");

    CHECK_DONE(file_writer_open(&writer, path, &err), err);
    CHECK_DONE(file_writer_append(&writer, "other", 5, &err), err);
    CHECK_UINT(test_scratch_count(), 2);
    file_writer_abort(&writer);
    file_writer_abort(&writer); /* closed: nothing happens */
    check_file(path, "one two");
    CHECK_UINT(test_scratch_count(), 1);
    CHECK(unlink(path) == 0);
}

TEST(file_reader_refuses_directories_and_devices)
{
    FileReader reader;
    Err        err = { 0 };
    char       path[1100];
    test_scratch_path("nothing", path, sizeof path);
    CHECK(!file_reader_open(path, &reader, &err) && err.code == ERR_IO);
    CHECK_STRING(err.message, "No such file or directory");
    CHECK(!file_reader_open("/", &reader, &err));
    CHECK_STRING(err.message, "is a directory");
    CHECK(!file_reader_open("/dev/null", &reader, &err));
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(!file_reader_open(path, &reader, &err)); /* at once: no waiting for a writer */
    CHECK_STRING(err.message, "is not a regular file");
    file_reader_close(&reader); /* harmless */
    CHECK(!file_is_regular(path) && !file_is_regular("/") && !file_is_regular("/no/such"));
    CHECK(unlink(path) == 0);
}

TEST(file_reader_reads_anywhere)
{
    char path[1100], buffer[8];
    test_scratch_path("read", path, sizeof path);
    write_file(path, "0123456789");
    CHECK(file_is_regular(path));
    FileReader reader;
    Err        err = { 0 };
    CHECK_DONE(file_reader_open(path, &reader, &err), err);
    CHECK_INT(file_reader_read(&reader, 4, buffer, 3), 3);
    CHECK_BYTES(buffer, 3, "456");
    CHECK_INT(file_reader_read(&reader, 8, buffer, sizeof buffer), 2);
    CHECK_INT(file_reader_read(&reader, 10, buffer, sizeof buffer), 0);
    CHECK_INT(file_reader_read(&reader, UINT64_MAX, buffer, sizeof buffer), 0);
    CHECK_INT(file_reader_read(&reader, 0, buffer, 0), 0);
    file_reader_close(&reader);
    file_reader_close(&reader);
    CHECK(unlink(path) == 0);
}

TEST(file_read_fd_reads_pipes)
{
    int  ends[2];
    char buffer[8];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], "abc", 3) == 3);
    CHECK_INT(file_read_fd(ends[0], buffer, sizeof buffer), 3);
    CHECK_BYTES(buffer, 3, "abc");
    CHECK(close(ends[1]) == 0);
    CHECK_INT(file_read_fd(ends[0], buffer, sizeof buffer), 0);
    CHECK(close(ends[0]) == 0);
    CHECK_INT(file_read_fd(-1, buffer, sizeof buffer), -1);
}

/* Appended bytes are in the file at once, under its name; earlier contents are gone. */
TEST(file_spool_create_keeps_what_comes)
{
    char      path[512];
    FileSpool spool;
    Err       err = { 0 };
    char      buffer[16];
    test_scratch_path("kept", path, sizeof path);
    for (int round = 0; round < 2; round++) {
        CHECK_DONE(file_spool_create(&spool, path, &err), err);
        check_file(path, "");
        CHECK_DONE(file_spool_append(&spool, "one", 3, &err), err);
        check_file(path, "one");
        CHECK_DONE(file_spool_append(&spool, "two", 3, &err), err);
        check_file(path, "onetwo");
        CHECK_INT(file_spool_read(&spool, 2, buffer, sizeof buffer), 4);
        CHECK_BYTES(buffer, 4, "etwo");
        file_spool_close(&spool);
        check_file(path, "onetwo");
    }
    CHECK(!file_spool_create(&spool, "/dev/null", &err) && err.code == ERR_IO);
    CHECK(!file_spool_create(&spool, "/", &err) && err.code == ERR_IO);
}

TEST(file_spool_create_new_touches_nothing_that_exists)
{
    char        path[512], target[512], link[512];
    struct stat info;
    FileSpool   spool;
    Err         err = { 0 };
    test_scratch_path("new", path, sizeof path);
    test_scratch_path("target", target, sizeof target);
    test_scratch_path("link", link, sizeof link);
    const mode_t mask = umask(0);
    CHECK(file_spool_create_new(&spool, path, &err) == SPOOL_CREATED);
    (void)umask(mask);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600);
    CHECK_DONE(file_spool_append(&spool, "one", 3, &err), err);
    file_spool_close(&spool);
    CHECK(file_spool_create_new(&spool, path, &err) == SPOOL_EXISTS);
    check_file(path, "one");
    CHECK(symlink(path, link) == 0);
    CHECK(file_spool_create_new(&spool, link, &err) == SPOOL_EXISTS);
    check_file(path, "one");
    CHECK(unlink(link) == 0 && symlink(target, link) == 0); /* a link to nothing */
    CHECK(file_spool_create_new(&spool, link, &err) == SPOOL_EXISTS);
    CHECK(stat(target, &info) != 0);
    CHECK(file_spool_create_new(&spool, "/dev/null", &err) == SPOOL_EXISTS);
    CHECK(file_spool_create_new(&spool, "/nowhere/file", &err) == SPOOL_FAILED && err.code == ERR_IO);
    file_spool_close(&spool);
}

TEST(file_spool_forgets_its_begin_and_nothing_else)
{
    static char block[1 << 20];
    FileSpool   spool;
    Err         err = { 0 };
    char        buffer[4];
    memset(block, 'x', sizeof block);
    CHECK_DONE(file_spool_open(&spool, &err), err);
    file_spool_forget(&spool, 100); /* nothing is there yet */
    CHECK_DONE(file_spool_append(&spool, block, sizeof block, &err), err);
    CHECK_DONE(file_spool_append(&spool, "tail", 4, &err), err);
    file_spool_forget(&spool, sizeof block);
    CHECK_UINT(spool.size, sizeof block + 4);
    CHECK_INT(file_spool_read(&spool, sizeof block, buffer, sizeof buffer), 4);
    CHECK_BYTES(buffer, 4, "tail");
    CHECK_INT(file_spool_read(&spool, 0, buffer, sizeof buffer), 4);
    CHECK(buffer[0] == 0 || buffer[0] == 'x'); /* as the file system can */
    file_spool_close(&spool);
}

/* The child of file_write_whole_cut_short_keeps_the_old_file: 0 if writing failed as it should. */
static int fill(const char *path)
{
    static char big[1 << 20];
    Err         err = { 0 };
    return !file_write_whole(path, big, sizeof big, &err) && err.code == ERR_OUTPUT ? 0 : 1;
}

int main(void)
{
    const char *path = getenv("VARVE_TEST_FILL");
    if (path != NULL) return fill(path);
    const struct CMUnitTest cases[] = {
        TEST_CASE(file_write_whole_makes_and_replaces),
        TEST_CASE(file_write_whole_follows_a_symbolic_link),
        TEST_CASE(file_write_whole_failing_leaves_nothing),
        TEST_CASE(file_write_whole_cut_short_keeps_the_old_file),
        TEST_CASE(file_write_whole_writes_to_devices),
        TEST_CASE(file_writer_gives_the_name_only_to_the_whole),
        TEST_CASE(file_reader_refuses_directories_and_devices),
        TEST_CASE(file_reader_reads_anywhere),
        TEST_CASE(file_read_fd_reads_pipes),
        TEST_CASE(file_spool_create_keeps_what_comes),
        TEST_CASE(file_spool_create_new_touches_nothing_that_exists),
        TEST_CASE(file_spool_forgets_its_begin_and_nothing_else),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("base/file", cases, NULL, NULL);
}
