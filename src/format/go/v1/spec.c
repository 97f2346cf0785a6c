#include "format/go/v1/spec.h"

#include "format/go/common/version.h"

/* From the table of event descriptions in Go's internal/trace/parser.go, and internal/trace/order.go, of 1.5 to 1.21. */
/* clang-format off */
const V1Spec V1_SPECS[V1_TYPE_COUNT] = {
    /* name, since, kind, values, stack, ... */
    [V1_BATCH] = { "Batch", GO_1_5, GO_BAD, 2, false, .args = { "p", "ticks" } },
    [V1_FREQUENCY] = { "Frequency", GO_1_5, GO_BAD, 1, false, .args = { "freq" } },
    [V1_STACK] = { "Stack", GO_1_5, GO_BAD, 2, false, .args = { "id", "siz" } },
    [V1_GOMAXPROCS] = { "Gomaxprocs", GO_1_5, GO_METRIC, 1, true, .args = { "procs" } },
    [V1_PROC_START] = { "ProcStart", GO_1_5, GO_TRANSITION, 1, false, .args = { "thread" } },
    [V1_PROC_STOP] = { "ProcStop", GO_1_5, GO_TRANSITION, 0, false, .args = { NULL } },
    [V1_GC_START] = { "GCStart", GO_1_5, GO_RANGE_BEGIN, 1, true, .args = { "seq" }, .whose = V1_G_IS_ZERO, .order = { V1_OF_GC, V1_SEQ_ARG0, V1_DEAD, V1_SETS_AFTER_ARG0, V1_DEAD } },
    [V1_GC_DONE] = { "GCDone", GO_1_5, GO_RANGE_END, 0, false, .whose = V1_G_IS_ZERO },
    [V1_STW_START] = { "STWStart", GO_1_5, GO_RANGE_BEGIN, 1, false, .args = { "kindid" }, .texts = { "kind" }, .whose = V1_G_IS_ZERO },
    [V1_STW_DONE] = { "STWDone", GO_1_5, GO_RANGE_END, 0, false, .whose = V1_G_IS_ZERO },
    [V1_GC_SWEEP_START] = { "GCSweepStart", GO_1_5, GO_RANGE_BEGIN, 0, true, .args = { NULL } },
    [V1_GC_SWEEP_DONE] = { "GCSweepDone", GO_1_5, GO_RANGE_END, 2, false, .args = { "swept", "reclaimed" } },
    [V1_GO_CREATE] = { "GoCreate", GO_1_5, GO_TRANSITION, 2, true, .args = { "g", "stack" }, .order = { V1_OF_ARG, V1_SEQ_ZERO, V1_DEAD, V1_SETS_ONE, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE },
    [V1_GO_START] = { "GoStart", GO_1_5, GO_TRANSITION, 2, false, .args = { "g", "seq" }, .whose = V1_G_BECOMES_ARG, .order = { V1_OF_OWN, V1_SEQ_ARG, V1_RUNNABLE, V1_SETS_AFTER_ARG, V1_RUNNING }, .to = GO_STATE_RUNNING },
    [V1_GO_END] = { "GoEnd", GO_1_5, GO_TRANSITION, 0, false, .whose = V1_G_THEN_NONE, .to = GO_STATE_NOT_EXIST },
    [V1_GO_STOP] = { "GoStop", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .to = GO_STATE_WAITING, .reason = "forever" },
    [V1_GO_SCHED] = { "GoSched", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE, .reason = "runtime.Gosched" },
    [V1_GO_PREEMPT] = { "GoPreempt", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE, .reason = "preempted" },
    [V1_GO_SLEEP] = { "GoSleep", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "sleep" },
    [V1_GO_BLOCK] = { "GoBlock", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "" },
    [V1_GO_UNBLOCK] = { "GoUnblock", GO_1_5, GO_TRANSITION, 2, true, .args = { "g", "seq" }, .order = { V1_OF_ARG, V1_SEQ_ARG, V1_WAITING, V1_SETS_AFTER_ARG, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE },
    [V1_GO_BLOCK_SEND] = { "GoBlockSend", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "chan send" },
    [V1_GO_BLOCK_RECV] = { "GoBlockRecv", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "chan receive" },
    [V1_GO_BLOCK_SELECT] = { "GoBlockSelect", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "select" },
    [V1_GO_BLOCK_SYNC] = { "GoBlockSync", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "sync" },
    [V1_GO_BLOCK_COND] = { "GoBlockCond", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "sync.(*Cond).Wait" },
    [V1_GO_BLOCK_NET] = { "GoBlockNet", GO_1_5, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "network" },
    [V1_GO_SYS_CALL] = { "GoSysCall", GO_1_5, GO_TRANSITION, 0, true, .to = GO_STATE_RUNNING },
    [V1_GO_SYS_EXIT] = { "GoSysExit", GO_1_5, GO_TRANSITION, 3, false, .args = { "g", "seq", "ts" }, .whose = V1_G_IS_ARG, .order = { V1_OF_ARG, V1_SEQ_ARG, V1_WAITING, V1_SETS_AFTER_ARG, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE },
    [V1_GO_SYS_BLOCK] = { "GoSysBlock", GO_1_5, GO_TRANSITION, 0, false, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_SYSCALL },
    [V1_GO_WAITING] = { "GoWaiting", GO_1_5, GO_TRANSITION, 1, false, .args = { "g" }, .whose = V1_G_IS_ARG, .order = { V1_OF_OWN, V1_SEQ_ONE, V1_RUNNABLE, V1_SETS_TWO, V1_WAITING }, .to = GO_STATE_WAITING },
    [V1_GO_IN_SYSCALL] = { "GoInSyscall", GO_1_5, GO_TRANSITION, 1, false, .args = { "g" }, .whose = V1_G_IS_ARG, .order = { V1_OF_OWN, V1_SEQ_ONE, V1_RUNNABLE, V1_SETS_TWO, V1_WAITING }, .to = GO_STATE_SYSCALL },
    [V1_HEAP_ALLOC] = { "HeapAlloc", GO_1_5, GO_METRIC, 1, false, .args = { "mem" } },
    [V1_HEAP_GOAL] = { "HeapGoal", GO_1_5, GO_METRIC, 1, false, .args = { "mem" } },
    [V1_TIMER_GOROUTINE] = { "TimerGoroutine", GO_1_5, GO_BAD, 1, false, .args = { "g" } },
    [V1_FUTILE_WAKEUP] = { "FutileWakeup", GO_1_5, GO_EXPERIMENTAL, 0, false, .args = { NULL } },
    [V1_STRING] = { "String", GO_1_7, GO_BAD, 0, false, .args = { NULL } },
    [V1_GO_START_LOCAL] = { "GoStartLocal", GO_1_7, GO_TRANSITION, 1, false, .args = { "g" }, .whose = V1_G_BECOMES_ARG, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNABLE, V1_SETS_NEXT, V1_RUNNING }, .to = GO_STATE_RUNNING },
    [V1_GO_UNBLOCK_LOCAL] = { "GoUnblockLocal", GO_1_7, GO_TRANSITION, 1, true, .args = { "g" }, .order = { V1_OF_ARG, V1_SEQ_ANY, V1_WAITING, V1_SETS_NEXT, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE },
    [V1_GO_SYS_EXIT_LOCAL] = { "GoSysExitLocal", GO_1_7, GO_TRANSITION, 2, false, .args = { "g", "ts" }, .whose = V1_G_IS_ARG, .order = { V1_OF_ARG, V1_SEQ_ANY, V1_WAITING, V1_SETS_NEXT, V1_RUNNABLE }, .to = GO_STATE_RUNNABLE },
    [V1_GO_START_LABEL] = { "GoStartLabel", GO_1_8, GO_TRANSITION, 3, false, .args = { "g", "seq", "labelid" }, .texts = { "label" }, .whose = V1_G_BECOMES_ARG, .order = { V1_OF_OWN, V1_SEQ_ARG, V1_RUNNABLE, V1_SETS_AFTER_ARG, V1_RUNNING }, .to = GO_STATE_RUNNING },
    [V1_GO_BLOCK_GC] = { "GoBlockGC", GO_1_8, GO_TRANSITION, 0, true, .whose = V1_G_THEN_NONE, .order = { V1_OF_OWN, V1_SEQ_ANY, V1_RUNNING, V1_SETS_SAME, V1_WAITING }, .to = GO_STATE_WAITING, .reason = "GC mark assist wait for work" },
    [V1_GC_MARK_ASSIST_START] = { "GCMarkAssistStart", GO_1_9, GO_RANGE_BEGIN, 0, true, .args = { NULL } },
    [V1_GC_MARK_ASSIST_DONE] = { "GCMarkAssistDone", GO_1_9, GO_RANGE_END, 0, false, .args = { NULL } },
    [V1_USER_TASK_CREATE] = { "UserTaskCreate", GO_1_11, GO_TASK_BEGIN, 3, true, .args = { "taskid", "pid", "typeid" }, .texts = { "name" } },
    [V1_USER_TASK_END] = { "UserTaskEnd", GO_1_11, GO_TASK_END, 1, true, .args = { "taskid" } },
    [V1_USER_REGION] = { "UserRegion", GO_1_11, GO_REGION_BEGIN, 3, true, .args = { "taskid", "mode", "typeid" }, .texts = { "name" } },
    [V1_USER_LOG] = { "UserLog", GO_1_11, GO_LOG, 2, true, .args = { "id", "keyid" }, .texts = { "category", "message" } },
    [V1_CPU_SAMPLE] = { "CPUSample", GO_1_19, GO_SAMPLE, 3, true, .args = { "ts", "p", "g" } },
};
/* clang-format on */

const V1WhoseRule V1_WHOSE[V1_WHOSE_COUNT] = {
    [V1_G_CURRENT] = { .event_runs = -1, .then_runs = -1 },
    [V1_G_THEN_NONE] = { .event_runs = -1 },
    [V1_G_BECOMES_ARG] = { .event_value = -1, .then_value = -1 },
    [V1_G_IS_ARG] = { .event_value = -1, .then_runs = -1 },
    [V1_G_IS_ZERO] = { .then_runs = -1 },
};

/* Differences between versions: before `until`, `type` had `fewer` values. */
static const struct {
    uint8_t  type;
    uint16_t until;
    uint8_t  fewer;
} CHANGES[] = {
    { V1_GC_SWEEP_DONE, GO_1_9, 2 }, { V1_GC_START, GO_1_7, 1 },   { V1_GO_START, GO_1_7, 1 },
    { V1_GO_UNBLOCK, GO_1_7, 1 },    { V1_STW_START, GO_1_10, 1 },
};

unsigned v1_number_count(unsigned version, V1Type type)
{
    const V1Spec *spec = &V1_SPECS[type];
    unsigned      count = spec->value_count + (unsigned)spec->has_stack;
    if (type == V1_BATCH || type == V1_FREQUENCY || type == V1_TIMER_GOROUTINE)
        return count + (version < GO_1_7 ? 1 : 0); /* an unused number; in Batch a sequence number */
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        if (CHANGES[i].type == type && version < CHANGES[i].until) count -= CHANGES[i].fewer;
    }
    return count + (version < GO_1_7 ? 2 : 1);
}

static const char *const STW_BEFORE_1_21[] = { "mark termination", "sweep termination" };
static const char *const STW_1_21[] = { "unknown",
                                        "GC mark termination",
                                        "GC sweep termination",
                                        "write heap dump",
                                        "goroutine profile",
                                        "goroutine profile cleanup",
                                        "all goroutines stack trace",
                                        "read mem stats",
                                        "AllThreadsSyscall",
                                        "GOMAXPROCS",
                                        "start trace",
                                        "stop trace",
                                        "CountPagesInUse (test)",
                                        "ReadMetricsSlow (test)",
                                        "ReadMemStatsSlow (test)",
                                        "PageCachePagesLeaked (test)",
                                        "ResetDebugLog (test)" };

const char *v1_stw_reason(unsigned version, uint64_t kind)
{
    if (version < GO_1_21)
        return kind < sizeof STW_BEFORE_1_21 / sizeof STW_BEFORE_1_21[0] ? STW_BEFORE_1_21[kind] : "unknown";
    return kind < sizeof STW_1_21 / sizeof STW_1_21[0] ? STW_1_21[kind] : "unknown";
}
