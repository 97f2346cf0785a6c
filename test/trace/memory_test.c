/* Memory for each overlapping slice, thread and process, by the engine's own accounting. */
#include "support/test.h"
#include "trace/log/builder.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 100000 };

typedef struct Cost {
    uint64_t peak, kept; /* bytes per item */
} Cost;

/* Feeds item `i` of a trace. */
typedef void (*FeedItem)(TraceBuilder *builder, LabelId label, int64_t i);

static Cost cost_of(const char *name, FeedItem feed)
{
    const uint64_t before = memory_held();
    Err            err = { 0 };
    memory_watch();
    TraceBuilder *builder = builder_create("test", 0);
    builder_set_input_size(builder, (uint64_t)MANY * 100);
    LabelId label = builder_label(builder, builder_string(builder, "s", 1), STRING_NONE);
    for (int64_t i = 0; i < MANY; i++)
        feed(builder, label, i);
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    builder_destroy(builder);
    CHECK_DONE(trace != NULL, err);
    const Cost cost = { (memory_peak() - before) / MANY, (memory_held() - before) / MANY };
    CHECK_DONE(trace_check(trace, &err), err);
    CHECK_INT((int64_t)trace->slices.count, MANY);
    trace_release(trace);
    printf("# %s: peak %llu, kept %llu bytes each\n", name, (unsigned long long)cost.peak,
           (unsigned long long)cost.kept);
    return cost;
}

static EventPos position(int64_t i)
{
    return (EventPos){ (uint64_t)i * 60, (uint64_t)i };
}

/* A slice that overlaps all others. */
static void feed_overlapping(TraceBuilder *builder, LabelId label, int64_t i)
{
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    builder_complete(builder, thread, i, i + MANY, label, position(i), 0);
}

static void feed_thread(TraceBuilder *builder, LabelId label, int64_t i)
{
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(i));
    builder_complete(builder, thread, i, i + 1, label, position(i), EVENT_DETAILS);
}

static void feed_thread_of_marks(TraceBuilder *builder, LabelId label, int64_t i)
{
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(i));
    builder_begin(builder, thread, i, label, position(2 * i), 0);
    builder_end(builder, thread, i + 1, LABEL_NONE, position(2 * i + 1), 0);
}

/* Every slice is one of ten of its thread, four levels deep. */
static void feed_thread_of_ten(TraceBuilder *builder, LabelId label, int64_t i)
{
    enum { SLICES = 10, LEVELS = 4 };
    const ProcessId process = builder_process(builder, ident_int(1));
    const TrackId   thread = builder_thread(builder, process, ident_int(i / LEVELS % (MANY / SLICES)));
    builder_begin(builder, thread, 2 * i, label, position(2 * i), 0);
    if (i % LEVELS != LEVELS - 1) return;
    for (int64_t level = 0; level < LEVELS; level++)
        builder_end(builder, thread, 2 * i + 1, LABEL_NONE, position(2 * i + 1), 0);
}

static void feed_process(TraceBuilder *builder, LabelId label, int64_t i)
{
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(i)), ident_int(1));
    builder_complete(builder, thread, i, i + 1, label, position(i), 0);
}

TEST(overlapping_slices_are_small)
{
    const Cost cost = cost_of("overlapping slice", feed_overlapping);
    CHECK(cost.peak <= 112);
    CHECK(cost.kept <= 52);
}

TEST(threads_are_small)
{
    const Cost cost = cost_of("thread of one complete", feed_thread);
    CHECK(cost.peak <= 140);
    CHECK(cost.kept <= 88);
}

TEST(threads_of_begins_and_ends_are_small)
{
    const Cost cost = cost_of("thread of a begin and an end", feed_thread_of_marks);
    CHECK(cost.peak <= 178);
    CHECK(cost.kept <= 88);
}

TEST(threads_of_ten_slices_are_small)
{
    const Cost cost = cost_of("slice of a thread of ten", feed_thread_of_ten);
    CHECK(cost.peak <= 140);
    CHECK(cost.kept <= 40);
}

TEST(processes_are_small)
{
    const Cost cost = cost_of("process of one thread", feed_process);
    CHECK(cost.peak <= 295);
    CHECK(cost.kept <= 142);
}

TEST_MAIN("trace/memory", TEST_CASE(overlapping_slices_are_small), TEST_CASE(threads_are_small),
          TEST_CASE(threads_of_begins_and_ends_are_small), TEST_CASE(threads_of_ten_slices_are_small),
          TEST_CASE(processes_are_small))
