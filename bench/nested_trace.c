#include "nested_trace.h"

#include "trace/log/builder.h"

#include <stdio.h>

enum { DEPTH = 20, BRANCHING_DEPTH = 8, CHOICES = 3 };

/* The label of a choice on a level, "f12_1". */
static LabelId label_of(TraceBuilder *builder, unsigned depth, unsigned choice)
{
    char      name[32];
    const int size = snprintf(name, sizeof name, "f%u_%u", depth, choice);
    return builder_label(builder, builder_string(builder, name, (size_t)size), STRING_NONE);
}

Trace *nested_trace_make(uint64_t slices, uint64_t seed, Err *err)
{
    TraceBuilder *builder = builder_create("bench", 0);
    if (builder == NULL) return NULL;
    LabelId labels[DEPTH][CHOICES];
    for (unsigned depth = 0; depth < DEPTH; depth++)
        for (unsigned choice = 0; choice < CHOICES; choice++)
            labels[depth][choice] = label_of(builder, depth, choice);
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    uint64_t      state = seed, event = 0;
    unsigned      depth = 0;
    int64_t       tick = 0;
    for (uint64_t begun = 0; begun < slices || depth > 0; event++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned random = (unsigned)(state >> 40);
        const EventPos pos = { event, event };
        tick += 1 + (int64_t)(random % 100);
        if (begun < slices && depth < DEPTH && (depth == 0 || random / 100 % 8 < 5)) {
            const unsigned choice = depth < BRANCHING_DEPTH ? random / 800 % CHOICES : 0;
            builder_begin(builder, thread, tick, labels[depth++][choice], pos, 0);
            begun++;
        } else {
            builder_end(builder, thread, tick, LABEL_NONE, pos, 0);
            depth--;
        }
    }
    Trace *trace = builder_finish(builder, 1, NULL, err);
    builder_destroy(builder);
    return trace;
}
