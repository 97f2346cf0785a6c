/* What the answers about slices and instants say of stacks and samples. */
#include "analysis/samples.h"
#include "app/session/session_internal.h"

#include <inttypes.h>
#include <stdio.h>

/* Recursion has no bound; `depth` says how many frames there are in truth. */
enum { MOST_FRAMES = 1000 };

static void put_number_or_null(JsonWriter *w, const char *key, uint32_t number)
{
    json_key(w, key);
    if (number == 0) {
        json_null(w);
    } else {
        json_u64(w, number);
    }
}

static void write_frame(JsonWriter *w, const Trace *trace, const StackFrame *frame)
{
    char address[24];
    json_object_begin(w);
    json_key(w, "function");
    write_text_or_null(w, trace, frame->function);
    json_key(w, "file");
    write_text_or_null(w, trace, frame->file);
    put_number_or_null(w, "line", frame->line);
    put_number_or_null(w, "column", frame->column);
    json_key(w, "module");
    write_text_or_null(w, trace, frame->module);
    json_key(w, "address");
    if (frame->address == 0) {
        json_null(w);
    } else {
        snprintf(address, sizeof address, "0x%" PRIx64, frame->address);
        json_string(w, address);
    }
    json_object_end(w);
}

static void put_stack(JsonWriter *w, const char *key, const Trace *trace, StackId stack)
{
    json_key(w, key);
    if (stack.index == 0) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    json_put_u64(w, "depth", trace_stack_depth(trace, stack));
    json_key(w, "frames");
    json_array_begin(w);
    for (int i = 0; i < MOST_FRAMES && stack.index != 0; i++, stack = trace_stack_parent(trace, stack))
        write_frame(w, trace, trace_stack_frame(trace, stack));
    json_array_end(w);
    json_object_end(w);
}

void put_slice_stacks(JsonWriter *w, const Asked *asked, uint64_t slice)
{
    const Trace *trace = asked->trace;
    put_stack(w, "stack", trace, trace_slice_stack(trace, slice));
    put_stack(w, "end_stack", trace, trace_slice_end_stack(trace, slice));
    SampleCounts counts = samples_of_slice(trace, slice);
    json_key(w, "samples");
    if (counts.track_count == 0) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    json_put_u64(w, "total", counts.total);
    json_put_u64(w, "self", counts.self);
    json_put_u64(w, "track_total", counts.track_total);
    json_put_u64(w, "track_self", counts.track_self);
    json_put_u64(w, "track_count", counts.track_count);
    json_object_end(w);
}

void put_instant_stack(JsonWriter *w, const Asked *asked, uint64_t instant)
{
    put_stack(w, "stack", asked->trace, trace_instant_stack(asked->trace, instant));
}
