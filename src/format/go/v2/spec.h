/* format/go/v2/spec.h - the records of version 1.22 and later, as a table. */
#ifndef FORMAT_GO_V2_SPEC_H
#define FORMAT_GO_V2_SPEC_H
#include "format/go/common/event.h"

typedef enum {
    V2_EVENT_BATCH = 1,
    V2_STACKS = 2,
    V2_STACK = 3,
    V2_STRINGS = 4,
    V2_STRING = 5,
    V2_CPU_SAMPLES = 6,
    V2_CPU_SAMPLE = 7,
    V2_FREQUENCY = 8,
    V2_PROCS_CHANGE = 9,
    V2_PROC_START = 10,
    V2_PROC_STOP = 11,
    V2_PROC_STEAL = 12,
    V2_PROC_STATUS = 13,
    V2_GO_CREATE = 14,
    V2_GO_CREATE_SYSCALL = 15,
    V2_GO_START = 16,
    V2_GO_DESTROY = 17,
    V2_GO_DESTROY_SYSCALL = 18,
    V2_GO_STOP = 19,
    V2_GO_BLOCK = 20,
    V2_GO_UNBLOCK = 21,
    V2_GO_SYSCALL_BEGIN = 22,
    V2_GO_SYSCALL_END = 23,
    V2_GO_SYSCALL_END_BLOCKED = 24,
    V2_GO_STATUS = 25,
    V2_STW_BEGIN = 26,
    V2_STW_END = 27,
    V2_GC_ACTIVE = 28,
    V2_GC_BEGIN = 29,
    V2_GC_END = 30,
    V2_GC_SWEEP_ACTIVE = 31,
    V2_GC_SWEEP_BEGIN = 32,
    V2_GC_SWEEP_END = 33,
    V2_GC_MARK_ASSIST_ACTIVE = 34,
    V2_GC_MARK_ASSIST_BEGIN = 35,
    V2_GC_MARK_ASSIST_END = 36,
    V2_HEAP_ALLOC = 37,
    V2_HEAP_GOAL = 38,
    V2_GO_LABEL = 39,
    V2_USER_TASK_BEGIN = 40,
    V2_USER_TASK_END = 41,
    V2_USER_REGION_BEGIN = 42,
    V2_USER_REGION_END = 43,
    V2_USER_LOG = 44,
    V2_GO_SWITCH = 45,
    V2_GO_SWITCH_DESTROY = 46,
    V2_GO_CREATE_BLOCKED = 47,
    V2_GO_STATUS_STACK = 48,
    V2_EXPERIMENTAL_BATCH = 49,
    V2_SYNC = 50,
    V2_CLOCK_SNAPSHOT = 51,
    V2_END_OF_GENERATION = 52,
    V2_SPAN = 128,
    V2_SPAN_ALLOC = 129,
    V2_SPAN_FREE = 130,
    V2_HEAP_OBJECT = 131,
    V2_HEAP_OBJECT_ALLOC = 132,
    V2_HEAP_OBJECT_FREE = 133,
    V2_GOROUTINE_STACK = 134,
    V2_GOROUTINE_STACK_ALLOC = 135,
    V2_GOROUTINE_STACK_FREE = 136,
    V2_TYPE_COUNT
} V2Type;

typedef struct V2Spec {
    const char *name;      /* NULL = the type does not exist */
    uint8_t     kind;      /* GoKind; GO_BAD = structural */
    uint8_t     arg_count; /* after the time */
    uint8_t     strings;   /* bit i: argument i is the id of a string */
    uint8_t     stacks;    /* bit i: argument i is the id of a stack */
    uint8_t     stack_arg; /* 1 + index of the argument with the stack of the current goroutine; 0 = none */
    bool        is_timed;  /* in the batches of threads, with a time before its arguments */
    const char *args[GO_MOST_ARGS];
} V2Spec;

extern const V2Spec V2_SPECS[V2_TYPE_COUNT];

/* The values of P and G statuses in records. */
enum { V2_PROC_RUNNING = 1, V2_PROC_IDLE, V2_PROC_SYSCALL, V2_PROC_SYSCALL_ABANDONED };
enum { V2_GO_RUNNABLE = 1, V2_GO_RUNNING, V2_GO_SYSCALL, V2_GO_WAITING };

#endif
