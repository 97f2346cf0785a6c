#include "export/left_out.h"

#include "trace/store/window.h"

#include <string.h>

void report_left_out(const Trace *trace, WriterReport *report)
{
    const WindowCounts counts = trace_window_counts(trace);
    writer_report(report, counts.instants + counts.async_instants, "instants are left out");
    writer_report(report, counts.flows, "arrows between slices are left out");
    writer_report(report, counts.counter_samples, "values of counters are left out");
    writer_report(report, counts.objects, "lives of objects are left out");
    writer_report(report, counts.snapshots, "snapshots of objects are left out");
    writer_report(report, counts.dumps, "memory dumps are left out");
    writer_report(report, counts.stacks, "stacks of slices and instants are left out");
    writer_report(report, trace->clock.has_epoch, "the wall-clock time of tick 0 is left out");
    writer_report(report, trace->records.property_count, "facts about the whole trace are left out");
}

void report_left_out_slices(const Trace *trace, WriterReport *report)
{
    const WindowCounts counts = trace_window_counts(trace);
    writer_report(report, counts.async_slices, "asynchronous slices are left out");
    writer_report(report, counts.states, "states of threads are left out");
}

/* Returns the number of slices and instants in the range that repeat others; writers skip them. */
static uint64_t count_repeats(const Trace *trace)
{
    uint64_t count = 0;
    for (uint32_t row = 0; row < trace->row_count; row++) {
        RowWindow window = row_window(trace, &trace->rows[row]);
        for (uint64_t i = window.first_slice; i < window.slice_end; i++)
            count += trace_repeats_slice(trace, i) ? 1 : 0;
        for (uint64_t i = window.first_instant; i < window.instant_end; i++)
            count += trace_repeats_instant(trace, i) ? 1 : 0;
    }
    return count;
}

void report_views(const Trace *trace, WriterReport *report)
{
    for (uint32_t i = 0; i < trace->perspectives.count; i++) {
        StringView name = c_string_view(trace->perspectives.names[i]);
        if ((trace->perspectives.made >> i & 1) == 0)
            writer_report_kind(report, 1, "a perspective of the same events is left out", name);
    }
    writer_report(report, trace_has_repeats(trace) ? count_repeats(trace) : 0,
                  "regions and logs in the rows of their tasks are left out: their goroutines have them");
}
