/* export/left_out.h - reports the parts of a trace that an output does not hold. */
#ifndef EXPORT_LEFT_OUT_H
#define EXPORT_LEFT_OUT_H
#include "format/writer.h"

/* Reports the instants, counters, arrows, objects, dumps and stacks in the range, and the facts about the whole trace. */
void report_left_out(const Trace *trace, WriterReport *report);
/* Reports asynchronous slices and states. */
void report_left_out_slices(const Trace *trace, WriterReport *report);
/* Reports the perspectives that were not loaded, and the repeated events that writers skip. Any output of a writer. */
void report_views(const Trace *trace, WriterReport *report);

#endif
