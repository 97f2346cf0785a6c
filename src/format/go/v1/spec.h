/* format/go/v1/spec.h - the records of versions 1.5 to 1.21 and their effects, as a table. */
#ifndef FORMAT_GO_V1_SPEC_H
#define FORMAT_GO_V1_SPEC_H
#include "format/go/common/event.h"

typedef enum {
    V1_BATCH = 1,
    V1_FREQUENCY = 2,
    V1_STACK = 3,
    V1_GOMAXPROCS = 4,
    V1_PROC_START = 5,
    V1_PROC_STOP = 6,
    V1_GC_START = 7,
    V1_GC_DONE = 8,
    V1_STW_START = 9,
    V1_STW_DONE = 10,
    V1_GC_SWEEP_START = 11,
    V1_GC_SWEEP_DONE = 12,
    V1_GO_CREATE = 13,
    V1_GO_START = 14,
    V1_GO_END = 15,
    V1_GO_STOP = 16,
    V1_GO_SCHED = 17,
    V1_GO_PREEMPT = 18,
    V1_GO_SLEEP = 19,
    V1_GO_BLOCK = 20,
    V1_GO_UNBLOCK = 21,
    V1_GO_BLOCK_SEND = 22,
    V1_GO_BLOCK_RECV = 23,
    V1_GO_BLOCK_SELECT = 24,
    V1_GO_BLOCK_SYNC = 25,
    V1_GO_BLOCK_COND = 26,
    V1_GO_BLOCK_NET = 27,
    V1_GO_SYS_CALL = 28,
    V1_GO_SYS_EXIT = 29,
    V1_GO_SYS_BLOCK = 30,
    V1_GO_WAITING = 31,
    V1_GO_IN_SYSCALL = 32,
    V1_HEAP_ALLOC = 33,
    V1_HEAP_GOAL = 34,
    V1_TIMER_GOROUTINE = 35,
    V1_FUTILE_WAKEUP = 36,
    V1_STRING = 37,
    V1_GO_START_LOCAL = 38,
    V1_GO_UNBLOCK_LOCAL = 39,
    V1_GO_SYS_EXIT_LOCAL = 40,
    V1_GO_START_LABEL = 41,
    V1_GO_BLOCK_GC = 42,
    V1_GC_MARK_ASSIST_START = 43,
    V1_GC_MARK_ASSIST_DONE = 44,
    V1_USER_TASK_CREATE = 45,
    V1_USER_TASK_END = 46,
    V1_USER_REGION = 47,
    V1_USER_LOG = 48,
    V1_CPU_SAMPLE = 49,
    V1_TYPE_COUNT
} V1Type;

enum { V1_MOST_VALUES = 3, V1_STACK_ARG = GO_MOST_ARGS - 1 /* index of the stack's id in GoEvent.args */ };

/* Pseudo processors: Go's tool shows events there that do not belong to a real one. */
enum { V1_TIMER_P = 1000001, V1_NETPOLL_P, V1_SYSCALL_P, V1_GC_P, V1_PROFILE_P };

/* The goroutine that an event belongs to, and the goroutine that runs on the P after the event. */
typedef enum {
    V1_G_CURRENT,
    V1_G_THEN_NONE,
    V1_G_BECOMES_ARG,
    V1_G_IS_ARG,
    V1_G_IS_ZERO,
    V1_WHOSE_COUNT
} V1Whose;
/* Masks for the running goroutine and the event's first value: -1 = use it, 0 = do not; both 0 = no goroutine. */
typedef struct V1WhoseRule {
    int8_t event_runs, event_value, then_runs, then_value;
} V1WhoseRule;
extern const V1WhoseRule V1_WHOSE[V1_WHOSE_COUNT];

/* The order of an event relative to other processors: the sequence number and status that it needs of a goroutine, and
 * their values after it, as internal/trace/order.go of Go has them. */
typedef enum { V1_OF_NONE, V1_OF_OWN, V1_OF_ARG, V1_OF_GC } V1Of;
typedef enum { V1_SEQ_ANY, V1_SEQ_ZERO, V1_SEQ_ONE, V1_SEQ_ARG /* second value */, V1_SEQ_ARG0 } V1Seq;
typedef enum {
    V1_SETS_SAME,
    V1_SETS_ONE,
    V1_SETS_TWO,
    V1_SETS_NEXT,
    V1_SETS_AFTER_ARG,
    V1_SETS_AFTER_ARG0
} V1Sets;
typedef enum { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING } V1Status;

typedef struct V1Order {
    uint8_t of, seq, status; /* V1Of, V1Seq, V1Status */
    uint8_t sets, then;      /* V1Sets, V1Status */
} V1Order;

typedef struct V1Spec {
    const char *name; /* NULL = the type does not exist */
    uint16_t    since;
    uint8_t     kind;        /* GoKind; GO_BAD = not an event */
    uint8_t     value_count; /* in the newest version; excludes times, sequence numbers and the stack */
    bool        has_stack;   /* the last number is the id of a stack */
    const char *args[V1_MOST_VALUES];
    const char *texts[2]; /* names of the texts that args refer to */
    uint8_t     whose;    /* V1Whose */
    V1Order     order;
    uint8_t     to;     /* the GoState after the event */
    const char *reason; /* of a stop or wait */
} V1Spec;

extern const V1Spec V1_SPECS[V1_TYPE_COUNT];

/* Returns the count of numbers in a record of a version. Not for Stack and String. */
unsigned v1_number_count(unsigned version, V1Type type);
/* Returns the reason of a stop of the world, by the value of STWStart. */
const char *v1_stw_reason(unsigned version, uint64_t kind);

#endif
