#include "format/go/common/event.h"

#include <assert.h>

static const char *const KINDS[GO_KIND_COUNT] = {
    [GO_BAD] = "Bad",
    [GO_SYNC] = "Sync",
    [GO_METRIC] = "Metric",
    [GO_LABEL] = "Label",
    [GO_SAMPLE] = "StackSample",
    [GO_RANGE_BEGIN] = "RangeBegin",
    [GO_RANGE_ACTIVE] = "RangeActive",
    [GO_RANGE_END] = "RangeEnd",
    [GO_TASK_BEGIN] = "TaskBegin",
    [GO_TASK_END] = "TaskEnd",
    [GO_REGION_BEGIN] = "RegionBegin",
    [GO_REGION_END] = "RegionEnd",
    [GO_LOG] = "Log",
    [GO_TRANSITION] = "StateTransition",
    [GO_EXPERIMENTAL] = "Experimental",
};
static const char *const STATES[GO_STATE_COUNT] = { "Undetermined", "NotExist", "Runnable",
                                                    "Running",      "Waiting",  "Syscall" };
static const char *const PROC_STATES[GO_PROC_STATE_COUNT] = { "Undetermined", "NotExist", "Running", "Idle" };
static const char *const RESOURCES[] = { "None", "Goroutine", "Proc", "Thread" };

const char *go_kind_name(GoKind kind)
{
    assert(kind < GO_KIND_COUNT);
    return KINDS[kind];
}

const char *go_state_name(GoState state)
{
    assert(state < GO_STATE_COUNT);
    return STATES[state];
}

const char *go_proc_state_name(GoProcState state)
{
    assert(state < GO_PROC_STATE_COUNT);
    return PROC_STATES[state];
}

const char *go_resource_name(GoResource resource)
{
    assert((size_t)resource < sizeof RESOURCES / sizeof RESOURCES[0]);
    return RESOURCES[resource];
}

void go_report(const GoReport *report, const char *kind, uint64_t offset, const char *format, ...)
{
    va_list args;
    if (report->warn == NULL) return;
    va_start(args, format);
    report->warn(report->context, kind, offset, format, args);
    va_end(args);
}
