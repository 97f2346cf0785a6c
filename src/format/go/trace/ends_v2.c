/* From 1.22 on: a generation is read like a trace of its own, up to the moment. No two of its events have the same
 * time. */
#include "format/go/trace/ends.h"

#include "base/search.h"
#include "format/go/v2/spec.h"

typedef struct Pass {
    GoLookup      *lookup;
    const uint8_t *bytes; /* origin of the events' offsets */
    size_t         size;
    int64_t        until;
    uint32_t       syscalls[GO_MOMENT_COUNT]; /* place of the stack of the goroutine's last syscall */
    bool           found[GO_MOMENT_COUNT], out_of_memory;
} Pass;

/* Returns the type of the event's record, which may represent several events. */
static unsigned record_type(const Pass *pass, const GoEvent *event)
{
    const uint8_t type = event->offset < pass->size ? pass->bytes[event->offset] : 0;
    return type < V2_TYPE_COUNT ? type : 0;
}

/* Returns the reason in a record: the text of its first argument. */
static StringView reason_of(const Pass *pass, GoTrace *trace, const GoEvent *event)
{
    const unsigned type = record_type(pass, event);
    if (type == V2_GO_SWITCH) return STRING_LITERAL("for a coroutine");
    if ((V2_SPECS[type].strings & 1) == 0) return (StringView){ "", 0 };
    ByteCursor c = cursor_over(pass->bytes, pass->size, 0);
    c.at = (size_t)event->offset + 1;
    (void)cursor_varint(&c, ULEB_REFUSE_EXCESS);
    StringId text = go_string_intern(go_trace_tables(trace), cursor_varint(&c, ULEB_REFUSE_EXCESS));
    return text.index == 0 || c.failed ? (StringView){ "", 0 } : string_table_view(trace->texts, text);
}

static const char *what_happens(const GoEvent *event)
{
    if (event->kind != GO_TRANSITION) return "";
    if (event->resource == GO_RESOURCE_PROC) return "its processor is taken during a syscall";
    switch (event->to) {
    case GO_STATE_WAITING:
        return "waits";
    case GO_STATE_RUNNABLE:
        return event->from == GO_STATE_SYSCALL ? "runnable after a syscall" : "runnable";
    case GO_STATE_NOT_EXIST:
        return "ends";
    case GO_STATE_SYSCALL:
        return "syscall";
    default:
        return "";
    }
}

/* True if the event is the one of the moment, not another one at its time. */
static bool is_of(const GoMoment *moment, const GoEvent *event)
{
    const bool is_processor = event->kind == GO_TRANSITION && event->resource == GO_RESOURCE_PROC;
    const bool is_own =
        event->kind == GO_TRANSITION && event->resource == GO_RESOURCE_GOROUTINE && event->id == moment->g;
    if (!moment->is_stop) return event->g == moment->g || is_own;
    if (is_processor) return event->id == moment->p && event->to == GO_PROC_IDLE;
    return is_own && event->to != GO_STATE_RUNNING && event->to != GO_STATE_SYSCALL;
}

static bool describe(Pass *pass, GoTrace *trace, const GoEvent *event, unsigned i)
{
    GoMoment  *moment = &pass->lookup->moments[i];
    const bool is_processor = event->kind == GO_TRANSITION && event->resource == GO_RESOURCE_PROC;
    uint32_t   stack = is_processor ? pass->syscalls[i] : event->g == moment->g ? event->stack : 0;
    if (stack == 0 && moment->is_stop && event->from == GO_STATE_SYSCALL) stack = pass->syscalls[i];
    return go_lookup_stack(pass->lookup, go_trace_tables(trace), stack, moment->end) &&
           (!moment->is_stop ||
            go_lookup_why(pass->lookup, what_happens(event), reason_of(pass, trace, event), moment->end));
}

/* Compares an event with the moments. False: all are found, or in the past. */
static bool look_at(Pass *pass, GoTrace *trace, const GoEvent *event)
{
    for (unsigned i = 0; i < GO_MOMENT_COUNT; i++) {
        const GoMoment *moment = &pass->lookup->moments[i];
        if (!moment->is_wanted || pass->found[i]) continue;
        if (event->time == moment->time && is_of(moment, event)) {
            pass->found[i] = true;
            if (!describe(pass, trace, event, i)) pass->out_of_memory = true;
        }
        if (event->kind == GO_TRANSITION && event->resource == GO_RESOURCE_GOROUTINE &&
            event->id == moment->g && event->to == GO_STATE_SYSCALL)
            pass->syscalls[i] = event->stack;
    }
    return !pass->out_of_memory && event->time <= pass->until;
}

static void begin(void *context, const GoTrace *trace)
{
    (void)context, (void)trace;
}

static bool take_event(void *context, GoTrace *trace, const GoEvent *event)
{
    return look_at(context, trace, event);
}

static bool end(void *context, GoTrace *trace)
{
    (void)context, (void)trace;
    return true;
}

/* Reads the generation of this index for the moments that are not found yet. */
static bool look_in(Pass *pass, size_t index, Err *err)
{
    const GoKept           *kept = pass->lookup->kept;
    const GoKeptGeneration *generations = kept->generations.items;
    const uint64_t          from = generations[index].offset;
    const uint64_t to = index + 1 < kept->generations.count ? generations[index + 1].offset : kept->end;
    size_t         used;
    uint8_t       *bytes = go_lookup_bytes(pass->lookup, from, to, GO_HEADER_BYTES, err);
    if (bytes == NULL) return false;
    uint8_t *header = go_lookup_bytes(pass->lookup, 0, GO_HEADER_BYTES, 0, err);
    if (header == NULL) return false;
    memcpy(bytes, header, GO_HEADER_BYTES);
    pass->bytes = bytes;
    pass->size = (size_t)(to - from) + GO_HEADER_BYTES;
    memset(pass->syscalls, 0, sizeof pass->syscalls);
    GoTrace *trace = go_trace_create(
        pass->lookup->arena, &(GoSink){ .begin = begin, .event = take_event, .end = end, .context = pass });
    Err stopped; /* the pass stops itself, or is out of memory */
    if (trace == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    (void)go_trace_read(trace, bytes, pass->size, INPUT_ENDS, &used, &stopped);
    return !pass->out_of_memory || err_set(err, ERR_MEMORY, "out of memory");
}

/* Returns the index of the generation of a moment, or a later one: successive generations overlap a little. */
static size_t generation_of(const GoKept *kept, int64_t time)
{
    const GoKeptGeneration *generations = kept->generations.items;
    size_t                  low = 1;
    LOWER_BOUND(size_t, low, kept->generations.count, i, generations[i].time <= time);
    return low - 1;
}

bool go_lookup_v2(GoLookup *lookup, Err *err)
{
    Pass pass = { .lookup = lookup };
    if (lookup->kept->generations.count == 0) return true;
    for (unsigned i = 0; i < GO_MOMENT_COUNT; i++) {
        const size_t at = generation_of(lookup->kept, lookup->moments[i].time);
        for (size_t back = 0; back < 2 && back <= at; back++) {
            if (!lookup->moments[i].is_wanted || pass.found[i]) break;
            pass.until = INT64_MIN;
            for (unsigned k = i; k < GO_MOMENT_COUNT; k++) {
                if (lookup->moments[k].is_wanted && lookup->moments[k].time > pass.until)
                    pass.until = lookup->moments[k].time;
            }
            if (!look_in(&pass, at - back, err)) return false;
        }
    }
    return true;
}
