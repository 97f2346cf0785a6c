#include "analysis/random_trace.h"

#include <stdio.h>

static LabelId random_label(TestRandom *random, TraceBuilder *builder)
{
    static const char *const CATEGORIES[] = { "red", "Blue" };
    char                     name[8];
    const char              *category = CATEGORIES[test_random_below(random, 2)];
    int size = snprintf(name, sizeof name, "n%u", (unsigned)test_random_below(random, 7));
    return builder_label(builder, builder_string(builder, name, (size_t)size),
                         builder_string(builder, category, 3));
}

Trace *random_trace_with_instants(TestRandom *random, uint32_t slices, uint32_t instants, uint64_t span)
{
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    builder_set_clock(builder, clock_ns());
    TrackId threads[3];
    for (uint32_t i = 0; i < 3; i++)
        threads[i] = builder_thread(builder, builder_process(builder, ident_int(i / 2)), ident_int(i));
    for (uint32_t i = 0; i < slices; i++) {
        int64_t begin = 1000 + (int64_t)test_random_below(random, span);
        int64_t extent = (int64_t)test_random_below(random, test_random_below(random, 8) == 0 ? span : 12);
        builder_complete(builder, threads[test_random_below(random, 3)], begin, begin + extent,
                         random_label(random, builder), (EventPos){ .offset = i, .event = i }, 0);
    }
    for (uint32_t i = 0; i < instants; i++) {
        TrackId thread = threads[test_random_below(random, 3)];
        builder_instant(builder, thread, 1000 + (int64_t)test_random_below(random, span),
                        random_label(random, builder), (InstantScope)test_random_below(random, 3),
                        (EventPos){ .offset = slices + i, .event = slices + i }, 0);
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_DONE(trace_check(trace, &err), err);
    builder_destroy(builder);
    return trace;
}

Trace *random_trace(TestRandom *random, uint32_t slices, uint64_t span)
{
    return random_trace_with_instants(random, slices, 0, span);
}
