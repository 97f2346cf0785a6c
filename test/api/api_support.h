/* Shared by the tests of varve/varve.h, programs that have nothing but the header. Valid C99 and C++11. */
#ifndef TEST_API_SUPPORT_H
#define TEST_API_SUPPORT_H
#include <varve/varve.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);                                         \
            faults++;                                                                                        \
        }                                                                                                    \
    } while (0)

/* The nested slices p (10 to 20 us) and q (12 to 14 us), an instant with arguments and a counter. */
static const char SMALL[] =
    "{\"run\":7,\"traceEvents\":["
    "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":10,\"name\":\"p\",\"cat\":\"c\",\"args\":{\"size\":3}},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":2,\"name\":\"q\"},"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":13,\"name\":\"mark\",\"s\":\"t\",\"args\":{\"why\":\"now\"}},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":13,\"name\":\"heap\",\"args\":{\"bytes\":5}},"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":20}]}";

static const char *data_folder;

static inline VarveTrace *open_small(void)
{
    VarveError  error;
    VarveTrace *trace = varve_open_bytes(SMALL, sizeof SMALL - 1, "small.json", NULL, &error);
    if (trace == NULL) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    return trace;
}

static inline VarveTrace *open_data(const char *name, VarveError *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", data_folder, name);
    return varve_open(path, NULL, error);
}

static inline int is_text(VarveText text, const char *wanted)
{
    return text.size_bytes == strlen(wanted) && memcmp(text.bytes, wanted, text.size_bytes) == 0;
}

static inline int has_text(const VarveBytes *bytes, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (size_t i = 0; i + size <= bytes->size_bytes; i++)
        if (memcmp(bytes->bytes + i, wanted, size) == 0) return 1;
    return 0;
}

static inline void report(int number, const char *name)
{
    static int before;
    printf("%s %d - %s\n", faults == before ? "ok" : "not ok", number, name);
    before = faults;
}

#endif
