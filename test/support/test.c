#include "support/test.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Meson sets this variable for programs that it runs by the emulator of a cross file. */
bool test_is_emulated(void)
{
    return getenv("MESON_EXE_WRAPPER") != NULL;
}

/* -- checks -- */

void test_check(int holds, const char *text, const char *file, int line)
{
    if (holds) return;
    print_error("%s\n", text);
    _fail(file, line);
}

void test_check_int(intmax_t actual, intmax_t expected, const char *text, const char *file, int line)
{
    if (actual == expected) return;
    print_error("%s is %" PRIdMAX ", expected %" PRIdMAX "\n", text, actual, expected);
    _fail(file, line);
}

void test_check_uint(uintmax_t actual, uintmax_t expected, const char *text, const char *file, int line)
{
    if (actual == expected) return;
    print_error("%s is %" PRIuMAX ", expected %" PRIuMAX "\n", text, actual, expected);
    _fail(file, line);
}

static void print_string(const char *label, const char *string)
{
    if (string == NULL) {
        print_error("  %s NULL\n", label);
    } else {
        print_error("  %s \"%s\"\n", label, string);
    }
}

void test_check_string(const char *actual, const char *expected, const char *text, const char *file, int line)
{
    if (actual == expected) return;
    if (actual != NULL && expected != NULL && strcmp(actual, expected) == 0) return;
    print_error("%s is not as expected\n", text);
    print_string("actual:  ", actual);
    print_string("expected:", expected);
    _fail(file, line);
}

static void print_bytes(const char *label, const uint8_t *bytes, size_t size, size_t from)
{
    print_error("  %s", label);
    for (size_t i = from; i < size && i < from + 16; i++)
        print_error(" %02x", bytes[i]);
    print_error("\n");
}

void test_check_bytes(const void *actual, size_t actual_size, const void *expected, size_t expected_size,
                      const char *text, const char *file, int line)
{
    const uint8_t *a = (const uint8_t *)actual, *e = (const uint8_t *)expected;
    size_t         at = 0;
    while (at < actual_size && at < expected_size && a[at] == e[at])
        at++;
    if (at == actual_size && at == expected_size) return;
    print_error("%s: %zu bytes, expected %zu; they differ from byte %zu on\n", text, actual_size,
                expected_size, at);
    print_bytes("actual:  ", a, actual_size, at);
    print_bytes("expected:", e, expected_size, at);
    _fail(file, line);
}

void test_check_done(bool done, const Err *err, const char *text, const char *file, int line)
{
    if (done) return;
    char message[256];
    err_format(err, message, sizeof message);
    print_error("%s: %s: %s\n", text, err_code_name(err->code), message);
    _fail(file, line);
}

int test_case_end(void **state)
{
    (void)state;
    memory_fail_after(UINT64_MAX);
    return 0;
}

/* -- scratch files -- */

static char scratch_directory[1024];

/* Removes a folder with all it has. */
static void remove_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (remove(path) != 0) remove_folder(path);
    }
    (void)closedir(directory);
    (void)rmdir(folder);
}

static void scratch_remove(void)
{
    remove_folder(scratch_directory);
}

static void scratch_create(void)
{
    if (scratch_directory[0] != '\0') return;
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == '\0') parent = "/tmp";
    (void)snprintf(scratch_directory, sizeof scratch_directory, "%s/varve-test-XXXXXX", parent);
    if (mkdtemp(scratch_directory) == NULL) {
        scratch_directory[0] = '\0';
        fail_msg("no scratch directory can be made in %s", parent);
    }
    (void)atexit(scratch_remove);
}

void test_scratch_path(const char *name, char *out, size_t size)
{
    scratch_create();
    int length = snprintf(out, size, "%s/%s", scratch_directory, name);
    CHECK(length > 0 && (size_t)length < size);
}

size_t test_scratch_count(void)
{
    scratch_create();
    DIR *directory = opendir(scratch_directory);
    CHECK(directory != NULL);
    size_t count = 0;
    while (readdir(directory) != NULL)
        count++;
    (void)closedir(directory);
    return count - 2; /* without "." and ".." */
}

/* -- randomness -- */

uint64_t test_random(TestRandom *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t z = random->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t test_random_below(TestRandom *random, uint64_t bound)
{
    return test_random(random) % bound; /* the bias does not matter in a test */
}

size_t test_random_size(TestRandom *random, size_t bound)
{
    return (size_t)test_random_below(random, bound);
}

uint64_t test_seeds(uint64_t usual)
{
    const char *seeds = getenv("VARVE_SEEDS");
    return seeds == NULL ? usual : strtoull(seeds, NULL, 10);
}

void test_random_fill(TestRandom *random, void *bytes, size_t size)
{
    uint8_t *p = (uint8_t *)bytes;
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)test_random(random);
}
