#include "support/golden.h"

#include "base/file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void join(const char *directory, const char *relative_path, char *out, size_t size)
{
    int length = snprintf(out, size, "%s/%s", directory, relative_path);
    CHECK(length > 0 && (size_t)length < size);
}

void fixture_path(const char *relative_path, char *out, size_t size)
{
    const char *data = getenv("VARVE_TEST_DATA");
    join(data != NULL && data[0] != '\0' ? data : VARVE_TEST_DATA, relative_path, out, size);
}

void fixture_read(const char *relative_path, Bytes *out)
{
    char path[4096];
    Err  err;
    fixture_path(relative_path, path, sizeof path);
    if (!file_read_whole(path, out, &err)) fail_msg("%s: %s", path, err.message);
}

/* -- golden files -- */

static size_t line_length(const char *text, size_t size)
{
    const char *end = size == 0 ? NULL : (const char *)memchr(text, '\n', size);
    return end == NULL ? size : (size_t)(end - text);
}

static void print_line(const char *label, const char *text, size_t size)
{
    enum { SHOWN = 400 };
    if (size == 0) {
        print_error("  %s (the end)\n", label);
        return;
    }
    size_t length = line_length(text, size);
    print_error("  %s %.*s\n", label, (int)(length < SHOWN ? length : SHOWN), text);
}

static void print_first_difference(const char *path, const char *actual, size_t actual_size,
                                   const char *expected, size_t expected_size)
{
    size_t line = 1, begin = 0;
    for (size_t at = 0; at < actual_size && at < expected_size && actual[at] == expected[at]; at++) {
        if (actual[at] != '\n') continue;
        line++;
        begin = at + 1;
    }
    print_error("%s:%zu differs (VARVE_UPDATE_GOLDEN=1 accepts it)\n", path, line);
    print_line("actual:  ", actual + begin, actual_size - begin);
    print_line("expected:", expected + begin, expected_size - begin);
}

void golden_check(const char *relative_path, const void *bytes, size_t size)
{
    char path[4096];
    Err  err;
    fixture_path(relative_path, path, sizeof path);
    const char *update = getenv("VARVE_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        if (!file_write_whole(path, bytes, size, &err)) fail_msg("%s: %s", path, err.message);
        return;
    }
    Bytes expected = { 0 };
    if (!file_read_whole(path, &expected, &err)) {
        fail_msg("%s: %s (VARVE_UPDATE_GOLDEN=1 makes it)", path, err.message);
    }
    bool same = expected.size == size && (size == 0 || memcmp(expected.data, bytes, size) == 0);
    if (!same) {
        print_first_difference(path, (const char *)bytes, size, (const char *)expected.data, expected.size);
    }
    bytes_release(&expected);
    if (!same) fail();
}
