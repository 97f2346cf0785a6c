/* support/golden.h - files that tests read, and outputs kept as files.
 *
 * Paths are relative to test/data, or to the directory that VARVE_TEST_DATA names in the
 * environment. With VARVE_UPDATE_GOLDEN=1 in the environment golden files are rewritten
 * instead of compared; the difference is then reviewed as code. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H
#include "base/arena.h"

/* Fails the case with the first line that differs, or if the file is missing. */
void golden_check(const char *relative_path, const void *bytes, size_t size);

/* Appends the whole file to `out` (release it). Fails the case on errors. */
void fixture_read(const char *relative_path, Bytes *out);
/* Returns the path of a fixture. */
void fixture_path(const char *relative_path, char *out, size_t size);

#endif
