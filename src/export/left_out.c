#include "export/left_out.h"

#include "trace/window.h"

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
    writer_report(report, trace->property_count, "facts about the whole trace are left out");
}

void report_left_out_slices(const Trace *trace, WriterReport *report)
{
    const WindowCounts counts = trace_window_counts(trace);
    writer_report(report, counts.async_slices, "asynchronous slices are left out");
    writer_report(report, counts.states, "states of threads are left out");
}
