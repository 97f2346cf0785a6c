/* Events that come as steps (GoSink.steps) are those that come one by one. */
#include "format/go_support.h"

#include <inttypes.h>
#include <string.h>

typedef struct Told {
    Bytes    lines, warnings; /* these may come before the steps that stand before them */
    uint64_t event_count, step_count;
} Told;

static void print_event(Told *told, const GoEvent *event)
{
    bytes_printf(&told->lines,
                 "%" PRId64 " type %u kind %u at %" PRIu64 " g %" PRId64 " p %" PRId64 " m %" PRId64
                 " id %" PRId64 " %u -> %u stack %u\n",
                 event->time, event->type, event->kind, event->offset, event->g, event->p, event->m,
                 event->id, event->from, event->to, event->stack);
}

static void begin(void *context, const GoTrace *trace)
{
    (void)context, (void)trace;
}

static bool take(void *context, GoTrace *trace, const GoEvent *event)
{
    Told *told = context;
    print_event(told, event);
    CHECK_UINT(trace->event_count, ++told->event_count);
    return true;
}

static bool take_steps(void *context, GoTrace *trace, const GoStep *steps, uint32_t count)
{
    Told *told = context;
    CHECK(count > 0 && count <= GO_MOST_STEPS);
    for (uint32_t i = 0; i < count; i++) {
        const GoEvent event = go_step_event(&steps[i]);
        CHECK(i == 0 || steps[i].time >= steps[i - 1].time);
        print_event(told, &event);
    }
    told->event_count += count;
    told->step_count += count;
    CHECK_UINT(trace->event_count, told->event_count);
    return true;
}

static bool end(void *context, GoTrace *trace)
{
    Told *told = context;
    for (unsigned type = 0; type < 256; type++)
        bytes_printf(&told->lines, "%" PRIu64 " of type %u\n", trace->counts.of[type], type);
    return true;
}

static void warn(void *context, const char *kind, uint64_t offset, const char *message)
{
    Told *told = context;
    bytes_printf(&told->warnings, "%s at %" PRIu64 ": %s\n", kind, offset, message);
}

static void check_same(const char *name, const Bytes *wanted, const Bytes *found)
{
    size_t same = 0, line = 1;
    while (same < wanted->size && same < found->size && wanted->data[same] == found->data[same])
        line += wanted->data[same++] == '\n';
    if (same == wanted->size && same == found->size) return;
    print_error("%s: line %zu differs\n", name, line);
    CHECK_UINT(found->size, wanted->size);
    CHECK_UINT(same, wanted->size);
}

/* Reads a file twice. Gives how many of its events were steps. */
static uint64_t compare(const char *name, const Bytes *file)
{
    Told   alone = { .event_count = 0 }, stepped = { .event_count = 0 };
    GoSink sink = { .v1_mode = V1_BY_CAUSE, .begin = begin, .event = take, .end = end, .report.warn = warn };
    Err    err;
    sink.context = sink.report.context = &alone;
    bool done = go_events(file, file->size, 0, &sink, &err);
    sink.context = sink.report.context = &stepped;
    sink.steps = take_steps;
    CHECK(go_events(file, file->size, 0, &sink, &err) == done);
    check_same(name, &alone.lines, &stepped.lines);
    check_same(name, &alone.warnings, &stepped.warnings);
    bytes_release(&alone.lines);
    bytes_release(&stepped.lines);
    bytes_release(&alone.warnings);
    bytes_release(&stepped.warnings);
    return stepped.step_count;
}

static void compare_file(const char *name, uint64_t *steps_of_v1, uint64_t *steps_of_v2)
{
    Bytes     file = { 0 };
    GoVersion version;
    CHECK(go_file_read(name, &file));
    const uint64_t steps = compare(name, &file);
    if (go_version_parse(file.data, file.size, &version))
        *(version.read_as >= GO_1_22 ? steps_of_v2 : steps_of_v1) += steps;
    bytes_release(&file);
}

TEST(steps_are_events)
{
    uint64_t steps_of_v1 = 0, steps_of_v2 = 0;
    for (const char *const *name = GO_FILES; *name != NULL; name++)
        compare_file(*name, &steps_of_v1, &steps_of_v2);
    compare_file("go119_gc_cpuprofile.trace", &steps_of_v1, &steps_of_v2);
    compare_file("go126_mixed.trace", &steps_of_v1, &steps_of_v2);
    CHECK(steps_of_v1 > 5000);
    CHECK(steps_of_v2 > 5000);
}

TEST(steps_of_damaged_traces_are_events)
{
    enum { TIMES = 6, MOST_BYTES = 200000 };
    TestRandom random = { 21 };
    for (const char *const *name = GO_FILES; *name != NULL; name++) {
        Bytes file = { 0 };
        if (!go_file_read(*name, &file) || file.size < 64 || file.size > MOST_BYTES) {
            bytes_release(&file);
            continue;
        }
        for (unsigned i = 0; i < TIMES; i++) {
            const size_t  at = 16 + (size_t)test_random_below(&random, file.size - 16);
            const uint8_t before = file.data[at];
            file.data[at] = (uint8_t)test_random(&random);
            (void)compare(*name, &file);
            file.data[at] = before;
        }
        bytes_release(&file);
    }
}

TEST_MAIN("go_steps", TEST_CASE(steps_are_events), TEST_CASE(steps_of_damaged_traces_are_events))
