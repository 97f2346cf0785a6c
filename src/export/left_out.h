/* export/left_out.h - reports the parts of a trace that a profile does not hold. */
#ifndef EXPORT_LEFT_OUT_H
#define EXPORT_LEFT_OUT_H
#include "format/writer.h"

/* Reports the instants, counters, arrows, objects, dumps and stacks in the range, and the facts about the whole trace. */
void report_left_out(const Trace *trace, WriterReport *report);
/* Reports asynchronous slices and states. */
void report_left_out_slices(const Trace *trace, WriterReport *report);

#endif
