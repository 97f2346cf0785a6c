/* format/perfetto/ftrace_decode.h - the facts of an event of ftrace, and the text that the kernel prints of it. For
 * format/perfetto only. */
#ifndef FORMAT_PERFETTO_FTRACE_DECODE_H
#define FORMAT_PERFETTO_FTRACE_DECODE_H
#include "base/string_view.h"
#include "format/linux/ftrace_event.h"
#include "format/linux/syscalls.h"
#include "format/perfetto/ftrace_bundle.h"

/* The facts about the machine (SystemInfo) that the events depend on. */
typedef struct FtraceMachine {
    SyscallTable calls;
    bool         has_old_states; /* of Linux before 4.14, which numbers the states of tasks in another way */
} FtraceMachine;

/* Memory for texts of an event. */
typedef struct FtraceTexts {
    char state[FTRACE_STATE_BYTES], name[64];
} FtraceTexts;

/* Decodes an event. Sets all of *out but the task, tid and tgid of its line. The result points into `event` and `texts`. */
void ftrace_decode(const FtraceMachine *machine, const BundledEvent *event, uint32_t cpu, FtraceTexts *texts,
                   FtraceEvent *out);
/* As ftrace_decode, but sets *line with its text, of which `text` has the bytes, and its task, as far as the event tells it. */
void ftrace_decode_line(const FtraceMachine *machine, const BundledEvent *event, uint32_t cpu,
                        FtraceTexts *texts, Bytes *text, FtraceLine *line);

#endif
