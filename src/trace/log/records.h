/* trace/log/records.h - the builder's records of events that are not in the log of a thread. For src/trace only.
 *
 * The builder appends them in file order. The steps that make the tracks read them: async.h, counters.h, contexts.h,
 * cpu_time.h, flow_log.h, objects.h, profile.h. */
#ifndef TRACE_LOG_RECORDS_H
#define TRACE_LOG_RECORDS_H
#include "trace/log/builder.h"

/* ---- asynchronous slices ---- */

/* An event of an asynchronous slice, or an asynchronous instant. */
typedef struct AsyncEvent {
    int64_t  tick;
    uint64_t place; /* as of an interval, with ASYNC_ bits */
    uint32_t label, event;
    uint32_t async_id; /* the async id: index into `TraceBuilder.async.ids` */
    uint32_t thread;   /* of the builder */
    uint16_t kind;     /* index into Trace.records.event_kinds */
    uint32_t stack;    /* of the builder; 0 = none */
} AsyncEvent;

enum { ASYNC_PLACE_KIND_SHIFT = 4 /* AsyncKind, 2 bits; below them PLACE_ */ };

/* ---- counters ---- */

/* The first two members of CounterLog, SeriesLog, FlowLog and SamplerLog are their identity: builder_find_or_add. */
typedef struct CounterLog {
    ProcessId process;
    StringId  title, category;
    bool      counts_bytes, shares_chart; /* set by the format */
} CounterLog;

typedef struct SeriesLog {
    CounterId counter;
    StringId  name;
    uint32_t  colour; /* as Label.colour */
} SeriesLog;

/* ---- objects and contexts ---- */

/* Identity of an object. */
typedef struct ObjectKey {
    ProcessId process;
    StringId  scope, id;
} ObjectKey;

typedef struct ObjectEvent {
    int64_t    tick;
    uint64_t   offset;
    uint32_t   label, event;
    uint32_t   object; /* index into TraceBuilder.objects.all */
    uint32_t   thread; /* of the builder */
    ObjectNote note;
    uint32_t   kind; /* ObjectEventKind */
} ObjectEvent;

typedef struct ContextEvent {
    int64_t  tick;
    uint64_t offset;
    uint32_t label, event;
    uint32_t thread; /* of the builder */
    StringId scope, id;
    uint16_t kind; /* ContextEventKind */
} ContextEvent;

/* ---- flows ---- */

/* The id of flow events. */
typedef struct FlowLog {
    ProcessId process;
    StringId  key, alias;
} FlowLog;

typedef struct FlowEvent {
    int64_t  tick;
    uint64_t place; /* offset << PLACE_BITS | FlowRole | FlowBinding << FLOW_BINDING_SHIFT */
    uint32_t flow;  /* index into TraceBuilder.flows.ids */
    uint32_t thread;
    uint32_t label, event;
} FlowEvent;

enum { FLOW_ROLE_BITS = 3, FLOW_BINDING_SHIFT = 2 };

/* ---- samples of stacks ---- */

/* The source of samples of a thread. */
typedef struct SamplerLog {
    TrackId  thread; /* of the builder */
    StringId name;
    int64_t  interval; /* of builder_sample_interval; 0 = not known */
} SamplerLog;

typedef struct StackSample {
    int64_t  tick;
    double   weight;
    uint32_t sampler; /* index into TraceBuilder.profile.samplers */
    uint32_t stack;   /* of the builder; 0 = unknown */
} StackSample;

/* ---- CPU times of threads ---- */

typedef struct CpuTime {
    uint64_t    offset; /* of the event */
    int64_t     ns;
    CpuTimeKind kind;
} CpuTime;

#endif
