/* format/go/common/event.h - the events of Go traces of all versions, in the order in which they happened.
 *
 * The terms are those of Go's own reader. A goroutine (G) runs on a processor (P) that a thread (M) holds. An event has
 * the G, P and M that were current *before* it. A transition changes the state of one G or P, which may not be the
 * current one. The tables in v1/spec.c and v2/spec.c have the types of records and their arguments. */
#ifndef FORMAT_GO_COMMON_EVENT_H
#define FORMAT_GO_COMMON_EVENT_H
#include "base/string_table.h"

#include <stdarg.h>

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

/* States of goroutines, with the numbers of Go's reader. */
typedef enum {
    GO_STATE_UNDETERMINED,
    GO_STATE_NOT_EXIST,
    GO_STATE_RUNNABLE,
    GO_STATE_RUNNING,
    GO_STATE_WAITING,
    GO_STATE_SYSCALL,
    GO_STATE_COUNT
} GoState;

/* States of processors, with the numbers of Go's reader. */
typedef enum {
    GO_PROC_UNDETERMINED,
    GO_PROC_NOT_EXIST,
    GO_PROC_RUNNING,
    GO_PROC_IDLE,
    GO_PROC_STATE_COUNT
} GoProcState;

enum { GO_MOST_ARGS = 5 };

/* One event. `args` are the numbers of the record after its time. Ordering replaces some of them (v2/scheduler.c,
 * v1/check.c). */
typedef struct GoEvent {
    int64_t  time;    /* ns: v2: of the monotonic clock; v1: from the first event */
    int64_t  g, p, m; /* GO_NONE = none */
    int64_t  id;      /* of the changed G or P; of ranges: id of the scope */
    uint64_t args[GO_MOST_ARGS];
    uint64_t offset;      /* of the record in the input */
    uint64_t extra_task;  /* GO_TASK_END: the parent */
    StringId extra;       /* an interned text that is not in the record: name of an ending task or STW */
    uint32_t stack;       /* of the current G: place in the table of stacks; 0 = none */
    uint32_t id_stack;    /* of the changed G, if it is another: likewise */
    uint8_t  type;        /* V1Type or V2Type; 0 with GO_SYNC */
    uint8_t  record_type; /* v2: type of the record; not `type` if the record represents several events */
    uint8_t  kind;        /* GoKind */
    uint8_t  resource;    /* GoResource: of a transition, or the scope of a range */
    uint8_t  from, to;    /* transitions: GoState or GoProcState */
} GoEvent;

const char *go_kind_name(GoKind kind);             /* "StateTransition" */
const char *go_state_name(GoState state);          /* "Runnable" */
const char *go_proc_state_name(GoProcState state); /* "Idle" */
const char *go_resource_name(GoResource resource); /* "Goroutine" */

/* The receiver of problems in the input. */
typedef struct GoReport {
    /* kind: static, like builder_warn's; offset: in the input. NULL = warnings are dropped. */
    void (*warn)(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
        PRINTF_LIKE(4, 0);
    void *context;
} GoReport;

void go_report(const GoReport *report, const char *kind, uint64_t offset, const char *format, ...)
    PRINTF_LIKE(4, 5);

#endif
