/* Sorts numbers with two threads and records each call: `cc -O2 -pthread -Iinclude examples/record/sort.c -o sort &&
 * ./sort sort.spall && varve open sort.spall`. */
#define VARVE_RECORD_IMPLEMENTATION
#include <varve/record.h>

enum { COUNT = 1 << 16, SMALL = 1 << 12 };

static uint32_t numbers[COUNT], merged[COUNT];

typedef struct Part {
    size_t begin, end;
} Part;

static int compare(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void merge(Part part)
{
    VARVE_SCOPE("merge");
    const size_t middle = part.begin + (part.end - part.begin) / 2;
    size_t       left = part.begin, right = middle;
    for (size_t i = part.begin; i < part.end; i++) {
        const int is_left = right == part.end || (left < middle && numbers[left] <= numbers[right]);
        merged[i] = is_left ? numbers[left++] : numbers[right++];
    }
    memcpy(numbers + part.begin, merged + part.begin, (part.end - part.begin) * sizeof numbers[0]);
}

static void sort(Part part)
{
    char args[64];
    snprintf(args, sizeof args, "{\"begin\":%zu,\"count\":%zu}", part.begin, part.end - part.begin);
    VARVE_SCOPE_ARGS("sort", args);
    if (part.end - part.begin <= SMALL) {
        VARVE_SCOPE("qsort");
        qsort(numbers + part.begin, part.end - part.begin, sizeof numbers[0], compare);
        return;
    }
    const size_t middle = part.begin + (part.end - part.begin) / 2;
    sort((Part){ part.begin, middle });
    sort((Part){ middle, part.end });
    merge(part);
}

static void *sort_in_thread(void *part)
{
    varve_thread_name("second half");
    sort(*(const Part *)part);
    return NULL;
}

int main(int count, char **arguments)
{
    Part      first = { 0, COUNT / 2 }, second = { COUNT / 2, COUNT };
    pthread_t thread;
    if (count != 2 || varve_record_start(arguments[1]) != 0) return 1;
    varve_thread_name("first half");
    varve_begin("fill");
    for (uint32_t i = 0, random = 1; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        numbers[i] = random;
    }
    varve_end();
    if (pthread_create(&thread, NULL, sort_in_thread, &second) != 0) return 1;
    sort(first);
    varve_begin("wait");
    pthread_join(thread, NULL);
    varve_end();
    merge((Part){ 0, COUNT });
    return varve_record_stop();
}
