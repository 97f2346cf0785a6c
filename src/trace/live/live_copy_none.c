/* For the browser build, where no trace grows. */
#include "trace/live/live.h"

LiveCopy *live_copy(const LiveTrace *live)
{
    (void)live;
    return NULL;
}

Trace *live_copy_trace(LiveCopy *copy)
{
    (void)copy;
    return NULL;
}

void live_copy_release(LiveCopy *copy)
{
    (void)copy;
}
