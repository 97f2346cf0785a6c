/* format/go/event.h - what both generations of Go traces are turned into: events in the order in which they happened.
 *
 * The words are those of Go's own reader. A goroutine (G) runs on a processor (P) that a thread (M) holds. An event
 * has the G, P and M that were current *before* it. A transition changes the state of one G or P, which need not be the
 * current one. What a type means, and which arguments it has: tables in v1_spec.c and v2_spec.c. */
#ifndef FORMAT_GO_EVENT_H
#define FORMAT_GO_EVENT_H
#include "base/string_table.h"

#define GO_NONE INT64_C(-1) /* no G, P, M or task */

typedef enum {
    GO_BAD,
    GO_SYNC,
    GO_METRIC,
    GO_LABEL,
    GO_SAMPLE,
    GO_RANGE_BEGIN,
    GO_RANGE_ACTIVE, /* it began before the trace or generation */
    GO_RANGE_END,
    GO_TASK_BEGIN,
    GO_TASK_END,
    GO_REGION_BEGIN,
    GO_REGION_END,
    GO_LOG,
    GO_TRANSITION,
    GO_EXPERIMENTAL,
    GO_KIND_COUNT
} GoKind;

typedef enum { GO_RESOURCE_NONE, GO_RESOURCE_GOROUTINE, GO_RESOURCE_PROC, GO_RESOURCE_THREAD } GoResource;

/* States of goroutines, numbered as in Go's reader. */
typedef enum {
    GO_STATE_UNDETERMINED,
    GO_STATE_NOT_EXIST,
    GO_STATE_RUNNABLE,
    GO_STATE_RUNNING,
    GO_STATE_WAITING,
    GO_STATE_SYSCALL,
    GO_STATE_COUNT
} GoState;

/* States of processors, likewise. */
typedef enum {
    GO_PROC_UNDETERMINED,
    GO_PROC_NOT_EXIST,
    GO_PROC_RUNNING,
    GO_PROC_IDLE,
    GO_PROC_STATE_COUNT
} GoProcState;

enum { GO_MOST_ARGS = 5 };

/* One event. `args` are the numbers of the record behind its time, with what ordering found out in place of what
 * it proved to mean (see scheduler.c and v1_check.c). */
typedef struct GoEvent {
    int64_t  time;    /* ns: of the monotonic clock (v2), from the first event (v1) */
    int64_t  g, p, m; /* GO_NONE = none */
    int64_t  id;      /* transitions: whose; ranges: that of the scope */
    uint64_t args[GO_MOST_ARGS];
    uint64_t offset;     /* in the input, of the record's first byte */
    uint64_t extra_task; /* GO_TASK_END: the parent */
    StringId extra; /* an interned text that the record itself does not have: name of an ending task or STW */
    uint32_t stack; /* of the current G: place in the table of stacks, 0 = none */
    uint32_t id_stack; /* of the G whose state changes, where that is another: likewise */
    uint8_t  type;     /* V1_ or V2_; 0 with GO_SYNC */
    uint8_t  record_type; /* v2: of the record; another than `type` where ordering made the event of a part of it */
    uint8_t  kind;     /* GoKind */
    uint8_t  resource; /* GoResource: of a transition or a range's scope */
    uint8_t  from, to; /* transitions: GoState or GoProcState */
} GoEvent;

const char *go_kind_name(GoKind kind);             /* "StateTransition" */
const char *go_state_name(GoState state);          /* "Runnable" */
const char *go_proc_state_name(GoProcState state); /* "Idle" */
const char *go_resource_name(GoResource resource); /* "Goroutine" */

/* A problem with the input, as it is found. */
typedef struct GoReport {
    /* kind: static, as builder_warn's; offset: in the input. NULL = nobody wants to know. */
    void (*warn)(void *context, const char *kind, uint64_t offset, const char *message);
    void *context;
} GoReport;

void go_report(const GoReport *report, const char *kind, uint64_t offset, const char *format, ...)
    PRINTF_LIKE(4, 5);

#endif
