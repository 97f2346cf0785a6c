/* support/test.h - cases, checks, scratch files and random numbers for a test file.
 *
 * A thin layer over cmocka that speaks TAP:
 *
 *     #include "support/test.h"
 *
 *     TEST(arena_gives_zeroed_memory)
 *     {
 *         CHECK(...);
 *     }
 *
 *     TEST_MAIN("arena", TEST_CASE(arena_gives_zeroed_memory))
 *
 * A failed check ends its case by a longjmp, so checks belong on the main thread. After
 * every case memory_fail_after is switched off again. A case with nothing to do returns:
 * cmocka's skip() counts as a failure in TAP. Golden files: support/golden.h. */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H
#include "base/arena.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* True if a program for another machine is running in an emulator (make check-portable), which cannot start itself, has other
 * limits of memory, and does not return or move pages. */
bool test_is_emulated(void);

#define TEST(name) static void name(void **test_state __attribute__((unused)))
#define TEST_CASE(name) cmocka_unit_test_teardown(name, test_case_end)
#define TEST_MAIN(suite, ...)                                                                                \
    int main(void)                                                                                           \
    {                                                                                                        \
        const struct CMUnitTest test_cases[] = { __VA_ARGS__ };                                              \
        cmocka_set_message_output(CM_OUTPUT_TAP);                                                            \
        return cmocka_run_group_tests_name(suite, test_cases, NULL, NULL);                                   \
    }

#define CHECK(condition) test_check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, expected) test_check_int((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_UINT(actual, expected) test_check_uint((actual), (expected), #actual, __FILE__, __LINE__)
/* C strings; either may be NULL. */
#define CHECK_STRING(actual, expected) test_check_string((actual), (expected), #actual, __FILE__, __LINE__)
/* Compares `actual` and its size with a string literal, which may contain NUL. */
#define CHECK_BYTES(actual, size, expected)                                                                  \
    test_check_bytes((actual), (size), (expected), sizeof(expected) - 1, #actual, __FILE__, __LINE__)
/* A bool call that fills `error`: must be true; otherwise the error is printed. */
#define CHECK_DONE(done, error) test_check_done((done), &(error), #done, __FILE__, __LINE__)

void test_check(int holds, const char *text, const char *file, int line);
void test_check_int(intmax_t actual, intmax_t expected, const char *text, const char *file, int line);
void test_check_uint(uintmax_t actual, uintmax_t expected, const char *text, const char *file, int line);
void test_check_string(const char *actual, const char *expected, const char *text, const char *file,
                       int line);
void test_check_bytes(const void *actual, size_t actual_size, const void *expected, size_t expected_size,
                      const char *text, const char *file, int line);
void test_check_done(bool done, const Err *err, const char *text, const char *file, int line);
int  test_case_end(void **state);

/* Returns the path of `name` in a directory of this process, which is emptied and removed at exit. */
void test_scratch_path(const char *name, char *out, size_t size);
/* Returns the number of files in that directory. */
size_t test_scratch_count(void);

/* splitmix64: the same numbers for the same seed on every machine. Any seed is valid. */
typedef struct TestRandom {
    uint64_t state;
} TestRandom;

uint64_t test_random(TestRandom *random);
uint64_t test_random_below(TestRandom *random, uint64_t bound); /* in [0, bound), bound > 0 */
size_t   test_random_size(TestRandom *random, size_t bound);    /* the same, for sizes and indices */
void     test_random_fill(TestRandom *random, void *bytes, size_t size);
/* Returns the number of random inputs of a test: VARVE_SEEDS of the environment; without it `usual`. */
uint64_t test_seeds(uint64_t usual);

#endif
