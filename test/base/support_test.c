#include "support/test.h"

#include "base/file.h"
#include "support/golden.h"

#include <stdlib.h>
#include <string.h>

TEST(random_numbers_are_those_of_splitmix64)
{
    TestRandom random = { 1234567 };
    CHECK_UINT(test_random(&random), 6457827717110365317u);
    CHECK_UINT(test_random(&random), 3203168211198807973u);
    for (int i = 0; i < 1000; i++)
        CHECK(test_random_below(&random, 7) < 7);
}

TEST(golden_files_are_written_and_read)
{
    char directory[1100], path[1100];
    test_scratch_path("", directory, sizeof directory);
    CHECK(setenv("VARVE_TEST_DATA", directory, 1) == 0);
    CHECK(setenv("VARVE_UPDATE_GOLDEN", "1", 1) == 0);
    golden_check("kept.txt", "one\ntwo\n", 8);
    CHECK(unsetenv("VARVE_UPDATE_GOLDEN") == 0);
    golden_check("kept.txt", "one\ntwo\n", 8);
    Bytes bytes = { 0 };
    fixture_read("kept.txt", &bytes);
    CHECK_BYTES(bytes.data, bytes.size, "one\ntwo\n");
    bytes_release(&bytes);
    fixture_path("kept.txt", path, sizeof path);
    CHECK(file_is_regular(path) && strncmp(path, directory, strlen(directory)) == 0);
    CHECK(unsetenv("VARVE_TEST_DATA") == 0);
}

TEST_MAIN("support", TEST_CASE(random_numbers_are_those_of_splitmix64),
          TEST_CASE(golden_files_are_written_and_read))
