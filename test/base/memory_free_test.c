#include "base/memory_free.h"

#include "base/file.h"
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char root[1100];

/* Writes a file below the root, with the directories above it. */
static void put(const char *path, const char *text)
{
    Err  err;
    char whole[2300];
    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = '\0';
        CHECK(mkdir(whole, 0777) == 0 || errno == EEXIST);
    }
    CHECK_DONE(file_write_whole(whole, text, strlen(text), &err), err);
}

/* Begins with an empty machine of 1000 KiB free memory. */
static void begin(const char *name)
{
    test_scratch_path(name, root, sizeof root);
    CHECK(mkdir(root, 0777) == 0 || errno == EEXIST);
    put("/proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n");
}

TEST(the_machine_is_the_bound_without_groups)
{
    begin("machine");
    CHECK_UINT(memory_free_under(root), 1024000);
    put("/proc/self/cgroup", "0::/\n");
    CHECK_UINT(memory_free_under(root), 1024000);
    CHECK_UINT(memory_free_under("/nowhere/at/all"), UINT64_MAX);
}

TEST(a_group_of_version_2)
{
    begin("version-2");
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/b/memory.current", "5000\n");
    CHECK_UINT(memory_free_under(root), 1024000);
    put("/sys/fs/cgroup/a/b/memory.max", "900000\n");
    CHECK_UINT(memory_free_under(root), 895000);
    put("/sys/fs/cgroup/a/b/memory.current", "500000\n");
    put("/sys/fs/cgroup/a/b/memory.stat",
        "anon 1\nfile 300000\nfile_mapped 9\ninactive_file 100000\nactive_file 20000\n");
    CHECK_UINT(memory_free_under(root), 520000);
    put("/sys/fs/cgroup/a/b/memory.high", "600000\n");
    CHECK_UINT(memory_free_under(root), 220000);
    /* the group around it allows less */
    put("/sys/fs/cgroup/a/memory.max", "700000\n");
    put("/sys/fs/cgroup/a/memory.current", "690000\n");
    CHECK_UINT(memory_free_under(root), 10000);
    put("/sys/fs/cgroup/a/memory.current", "800000\n");
    CHECK_UINT(memory_free_under(root), 0);
}

TEST(a_group_of_version_1)
{
    begin("version-1");
    put("/proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/jobs/one\n0::/\n");
    put("/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "1000\n");
    CHECK_UINT(memory_free_under(root), 1024000);
    put("/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "500000\n");
    put("/sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "450000\n");
    put("/sys/fs/cgroup/memory/jobs/memory.stat",
        "inactive_file 1\nactive_file 1\ntotal_inactive_file 30000\ntotal_active_file 20000\n");
    CHECK_UINT(memory_free_under(root), 100000);
}

/* In a container the path may be that of the host: the limits are then at the mount itself. */
TEST(a_group_that_is_not_there)
{
    begin("hidden");
    put("/proc/self/cgroup", "0::/../../host/pod\n");
    put("/sys/fs/cgroup/memory.max", "300000\n");
    put("/sys/fs/cgroup/memory.current", "100000\n");
    CHECK_UINT(memory_free_under(root), 200000);
    put("/proc/self/cgroup", "0::/docker/abc\n");
    CHECK_UINT(memory_free_under(root), 200000);
}

TEST(the_address_space_counts)
{
    struct rlimit kept, little;
    if (test_is_emulated()) return;
    CHECK(memory_free() > 0);
    CHECK(getrlimit(RLIMIT_AS, &kept) == 0);
    little = kept;
    little.rlim_cur = (rlim_t)1 << 46; /* more than a sanitizer reserves */
    CHECK(setrlimit(RLIMIT_AS, &little) == 0);
    CHECK(memory_free() < (uint64_t)1 << 46);
    little.rlim_cur = 1 << 16; /* less than is in use, also by a static program */
    CHECK(setrlimit(RLIMIT_AS, &little) == 0);
    CHECK_UINT(memory_free(), 0);
    CHECK(setrlimit(RLIMIT_AS, &kept) == 0);
    CHECK_UINT(memory_default_limit() % 3, 0);
}

TEST_MAIN("memory_free", TEST_CASE(the_machine_is_the_bound_without_groups), TEST_CASE(a_group_of_version_2),
          TEST_CASE(a_group_of_version_1), TEST_CASE(a_group_that_is_not_there),
          TEST_CASE(the_address_space_counts))
