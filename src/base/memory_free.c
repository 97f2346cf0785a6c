#include "base/memory_free.h"

#include "base/arena.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, TEXT_BYTES = 16384 };

/* Reads a small file below `root` into `text`, which has room for TEXT_BYTES, and terminates it. */
static bool read_text(const char *root, const char *directory, const char *name, char *text)
{
    char path[PATH_BYTES];
    int  length = snprintf(path, sizeof path, "%s%s/%s", root, directory, name);
    if (length < 0 || (size_t)length >= sizeof path) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t  size = 0;
    ssize_t got = 1;
    while (size < TEXT_BYTES - 1 && (got = read(fd, text + size, TEXT_BYTES - 1 - size)) > 0)
        size += (size_t)got;
    (void)close(fd);
    text[size] = '\0';
    return got >= 0;
}

/* Reads the number at the start of `text`. */
static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return end != text;
}

/* Returns the number after `key` in the first line that begins with it, 0 without such a line. */
static uint64_t number_of(const char *text, const char *key)
{
    const size_t size = strlen(key);
    uint64_t     number = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, key, size) == 0 && parse_number(line + size, &number)) return number;
    }
    return 0;
}

/* The files of a version of control groups. */
typedef struct GroupFiles {
    const char *mount;
    const char *limits[2]; /* file names; the second may be NULL */
    const char *usage;     /* file name */
    /* keys of memory.stat: the file cache, which the kernel drops before it refuses memory */
    const char *cache[2];
} GroupFiles;

static const GroupFiles VERSION_1 = { "/sys/fs/cgroup/memory",
                                      { "memory.limit_in_bytes", NULL },
                                      "memory.usage_in_bytes",
                                      { "total_inactive_file ", "total_active_file " } };
static const GroupFiles VERSION_2 = {
    "/sys/fs/cgroup", { "memory.max", "memory.high" }, "memory.current", { "inactive_file ", "active_file " }
};

/* Returns the free memory of one group in bytes; UINT64_MAX = the group has no bound. */
static uint64_t group_free(const char *root, const GroupFiles *files, const char *group)
{
    char     directory[PATH_BYTES], text[TEXT_BYTES];
    uint64_t limit = UINT64_MAX, used, number;
    int      length = snprintf(directory, sizeof directory, "%s%s", files->mount, group);
    if (length < 0 || (size_t)length >= sizeof directory) return UINT64_MAX;
    for (size_t i = 0; i < 2 && files->limits[i] != NULL; i++) {
        bool is_bound = read_text(root, directory, files->limits[i], text) && parse_number(text, &number);
        if (is_bound && number < limit) limit = number; /* "max" is not a number */
    }
    if (limit == UINT64_MAX) return limit;
    if (!read_text(root, directory, files->usage, text) || !parse_number(text, &used)) return limit;
    if (read_text(root, directory, "memory.stat", text)) {
        uint64_t cache = number_of(text, files->cache[0]) + number_of(text, files->cache[1]);
        used -= cache < used ? cache : used;
    }
    return used < limit ? limit - used : 0;
}

/* Returns the minimum of the free memory of `group` and of its ancestors. `group` is an absolute path; it is
 * modified. */
static uint64_t groups_free(const char *root, const GroupFiles *files, char *group)
{
    uint64_t least = UINT64_MAX;
    /* the group is outside this process's cgroup namespace */
    if (strstr(group, "..") != NULL) group[0] = '\0';
    for (;;) {
        char *slash = strrchr(group, '/');
        if (slash != NULL && slash[1] == '\0') *slash = '\0';
        const uint64_t free_bytes = group_free(root, files, group);
        if (free_bytes < least) least = free_bytes;
        slash = strrchr(group, '/');
        if (slash == NULL) return least;
        *slash = '\0';
    }
}

/* Returns the free memory by a line of /proc/self/cgroup: hierarchy, controllers and path, separated by colons. */
static uint64_t line_free(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL) return UINT64_MAX;
    *path++ = '\0';
    controllers++;
    if (controllers[0] == '\0') return groups_free(root, &VERSION_2, path);
    if (strcmp(controllers, "memory") == 0) return groups_free(root, &VERSION_1, path);
    return UINT64_MAX;
}

uint64_t memory_free_under(const char *root)
{
    char     text[TEXT_BYTES], *rest = text;
    uint64_t least = UINT64_MAX;
    if (read_text(root, "/proc", "meminfo", text)) {
        const uint64_t kib = number_of(text, "MemAvailable:");
        if (kib > 0) least = kib * 1024;
    }
    if (!read_text(root, "/proc/self", "cgroup", text)) return least;
    while (rest != NULL && *rest != '\0') {
        char *line = rest;
        rest = strchr(line, '\n');
        if (rest != NULL) *rest++ = '\0';
        const uint64_t free_bytes = line_free(root, line);
        if (free_bytes < least) least = free_bytes;
    }
    return least;
}

/* Returns the rest of the address space that `ulimit -v` leaves. */
static uint64_t address_space_free(void)
{
    struct rlimit limit;
    char          text[TEXT_BYTES];
    uint64_t      pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    if (!read_text("", "/proc/self", "statm", text) || !parse_number(text, &pages)) return limit.rlim_cur;
    const uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

uint64_t memory_free(void)
{
    uint64_t       least = memory_free_under("");
    const uint64_t addresses = address_space_free();
    if (least == UINT64_MAX) least = memory_total();
    return addresses < least ? addresses : least;
}

uint64_t memory_default_limit(void)
{
    return memory_free() / 4 * 3;
}
