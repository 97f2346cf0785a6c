/* Runs a fuzz target over files instead of under a fuzzer: each argument is a file or a directory of files. One TAP
 * line a file; a finding is a crash or a sanitizer's report, as under the fuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

static unsigned replayed;

/* False if `path` is not a readable file. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    uint8_t *data = NULL;
    size_t   size = 0, capacity = 0, got = 0;
    do {
        if (size == capacity) {
            capacity = capacity == 0 ? 65536 : 2 * capacity;
            uint8_t *grown = realloc(data, capacity);
            if (grown == NULL) abort();
            data = grown;
        }
        got = fread(data + size, 1, capacity - size, file);
        size += got;
    } while (got > 0);
    int failed = ferror(file);
    fclose(file);
    if (!failed) {
        /* memory of just this size, so that a byte read too much is found */
        uint8_t *exact = realloc(data, size == 0 ? 1 : size);
        data = exact == NULL ? data : exact;
        LLVMFuzzerTestOneInput(data, size);
        printf("ok %u - %s\n", ++replayed, path);
        fflush(stdout);
    }
    free(data);
    return !failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Also of the directories in it. */
static int replay_directory(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL) return 0;
    char **names = NULL;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        char **grown = realloc(names, (count + 1) * sizeof *names);
        if (grown == NULL || (grown[count] = malloc(length)) == NULL) abort();
        names = grown;
        snprintf(names[count++], length, "%s/%s", path, entry->d_name);
    }
    closedir(directory);
    if (count > 0) qsort(names, count, sizeof *names, by_name);
    int all = 1;
    for (size_t i = 0; i < count; i++) {
        if (!replay_directory(names[i]) && !replay_file(names[i])) all = 0;
        free(names[i]);
    }
    free(names);
    return all;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (!replay_directory(argv[i]) && !replay_file(argv[i])) {
            printf("not ok %u - cannot read %s\n", ++replayed, argv[i]);
            failed = 1;
        }
    }
    printf("1..%u\n", replayed);
    return failed;
}
