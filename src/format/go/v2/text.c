#include "format/go/v2/text.h"

#include "format/go/common/quote.h"
#include "format/go/v2/alloc_free.h"
#include "format/go/v2/spec.h"
#include "trace/store/wall_time.h"

#include <inttypes.h>

typedef struct Text {
    const GoGeneration *generation; /* borrowed; NULL after the last one */
    const StringTable  *texts;      /* borrowed */
    const GoEvent      *event;
    V2TextForm          form;
    Bytes              *out;
} Text;

static StringView string_of(const Text *text, unsigned arg)
{
    return go_string_view(&text->generation->tables, text->event->args[arg]);
}

static void append_named(const Text *text, const char *before, StringView value)
{
    bytes_append_text(text->out, before);
    go_quoted_append(value, text->out);
}

static void append_resource(const Text *text, const char *before, GoResource resource, int64_t id)
{
    bytes_append_text(text->out, before);
    bytes_append_text(text->out, go_resource_name(resource));
    if (resource == GO_RESOURCE_NONE) return;
    go_number_append("(", id, text->out);
    bytes_append(text->out, ")", 1);
}

/* -- kinds of events -- */

static void append_metric(const Text *text)
{
    const char *name = text->event->type == V2_PROCS_CHANGE ? "/sched/gomaxprocs:threads"
                       : text->event->type == V2_HEAP_ALLOC ? "/memory/classes/heap/objects:bytes"
                                                            : "/gc/heap/goal:bytes";
    bytes_append_text(text->out, " Name=\"");
    bytes_append_text(text->out, name);
    go_unsigned_append("\" Value=Value{Uint64(", text->event->args[0], text->out);
    bytes_append_text(text->out, ")}");
}

static void append_range(const Text *text)
{
    const GoEvent *event = text->event;
    Bytes         *out = text->out;
    switch (event->type) {
    case V2_STW_BEGIN:
    case V2_STW_END: {
        StringView kind = string_of(text, 0);
        Bytes      name = { 0 };
        bytes_append_text(&name, "stop-the-world (");
        bytes_append(&name, kind.bytes, kind.size);
        bytes_append_text(&name, ")");
        append_named(text, " Name=", bytes_view(&name));
        bytes_release(&name);
        append_resource(text, " Scope=", GO_RESOURCE_GOROUTINE, event->g);
        break;
    }
    case V2_GC_BEGIN:
    case V2_GC_ACTIVE:
    case V2_GC_END:
        bytes_append_text(out, " Name=\"GC concurrent mark phase\"");
        append_resource(text, " Scope=", GO_RESOURCE_NONE, 0);
        break;
    case V2_GC_SWEEP_BEGIN:
    case V2_GC_SWEEP_ACTIVE:
    case V2_GC_SWEEP_END:
        bytes_append_text(out, " Name=\"GC incremental sweep\"");
        append_resource(text, " Scope=", GO_RESOURCE_PROC, event->p); /* for Active as well, like Go */
        break;
    default:
        bytes_append_text(out, " Name=\"GC mark assist\"");
        append_resource(text, " Scope=", GO_RESOURCE_GOROUTINE, event->id);
        break;
    }
    if (event->kind != GO_RANGE_END) return;
    bytes_append_text(out, " Attributes=[");
    if (event->type == V2_GC_SWEEP_END) {
        bytes_printf(
            out, "\"bytes swept\"=Value{Uint64(%" PRIu64 ")} \"bytes reclaimed\"=Value{Uint64(%" PRIu64 ")}",
            event->args[0], event->args[1]);
    }
    bytes_append_text(out, "]");
}

static void append_task(const Text *text)
{
    const GoEvent *event = text->event;
    bool           is_begin = event->kind == GO_TASK_BEGIN;
    uint64_t       parent = is_begin ? event->args[1] : event->extra_task;
    /* Go prints ids of tasks unsigned, including "none" */
    go_unsigned_append(" ID=", event->args[0], text->out);
    go_unsigned_append(" Parent=", parent, text->out);
    append_named(text,
                 " Type=", is_begin ? string_of(text, 2) : string_table_view(text->texts, event->extra));
}

static void append_frames(const Text *text, const char *title, uint32_t place)
{
    const GoTables *tables = &text->generation->tables;
    ByteCursor      frames = go_stack_frames(tables, place);
    GoFrame         frame;
    bytes_append_text(text->out, title);
    bytes_append_text(text->out, "=\n");
    while (go_stack_next(tables, &frames, &frame)) {
        StringView function = go_string_view(tables, frame.function);
        StringView file = go_string_view(tables, frame.file);
        bytes_append_text(text->out, "\t");
        bytes_append(text->out, function.bytes, function.size);
        bytes_printf(text->out, " @ 0x%" PRIx64 "\n\t\t", frame.pc);
        bytes_append(text->out, file.bytes, file.size);
        go_unsigned_append(":", frame.line, text->out);
        bytes_append(text->out, "\n", 1);
    }
}

/* Appends the stack of the changed goroutine, if the event has it. A new goroutine's stack is printed even if empty. */
static void append_transition_stack(const Text *text)
{
    const GoEvent *event = text->event;
    bool           is_own = event->type == V2_GO_STOP || event->type == V2_GO_BLOCK ||
                  event->type == V2_GO_SYSCALL_BEGIN || event->type == V2_GO_STATUS_STACK;
    bool     is_new = event->type == V2_GO_CREATE || event->type == V2_GO_CREATE_BLOCKED;
    uint32_t stack = is_own ? event->stack : is_new ? event->id_stack : 0;
    if ((stack == 0 && !is_new) || text->form == V2_TEXT_LINE) return;
    bytes_append_text(text->out, "\n");
    append_frames(text, "TransitionStack", stack);
}

static void append_transition(const Text *text)
{
    const GoEvent *event = text->event;
    bool           is_go = event->resource == GO_RESOURCE_GOROUTINE;
    bool           has_reason = event->type == V2_GO_STOP || event->type == V2_GO_BLOCK;
    go_number_append(is_go ? " GoID=" : " ProcID=", event->id, text->out);
    bytes_append_text(text->out, " ");
    bytes_append_text(text->out, is_go ? go_state_name((GoState)event->from)
                                       : go_proc_state_name((GoProcState)event->from));
    bytes_append_text(text->out, "->");
    bytes_append_text(text->out,
                      is_go ? go_state_name((GoState)event->to) : go_proc_state_name((GoProcState)event->to));
    append_named(text, " Reason=", has_reason ? string_of(text, 0) : (StringView){ "", 0 });
    append_transition_stack(text);
}

static void append_experimental(const Text *text)
{
    const V2Spec *spec = &V2_SPECS[text->event->type];
    bytes_printf(text->out, " Name=%s Args=[", spec->name);
    for (unsigned i = 0; i < spec->arg_count; i++) {
        bytes_printf(text->out, "%s%s=Value{Uint64(%" PRIu64 ")}", i == 0 ? "" : ", ", spec->args[i],
                     text->event->args[i]);
    }
    bytes_append_text(text->out, "]");
    if (text->form == V2_TEXT_LINE) alloc_free_append_meaning(text->generation, text->event, text->out);
}

/* Appends a fraction of a second without trailing zeros. */
static void append_fraction(Bytes *out, uint32_t nsec)
{
    int digits = 9;
    if (nsec == 0) return;
    for (; nsec % 10 == 0; nsec /= 10)
        digits--;
    bytes_printf(out, ".%0*" PRIu32, digits, nsec);
}

/* Appends seconds since 1970 as RFC 3339, in UTC. */
static void append_utc(Bytes *out, uint64_t unix_sec, uint32_t nsec)
{
    const WallTime t = wall_time_at((int64_t)unix_sec);
    bytes_printf(out, "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u", t.year, t.month, t.day, t.hour, t.minute,
                 t.second);
    append_fraction(out, nsec);
    bytes_append_text(out, "Z");
}

static void append_sync(const Text *text)
{
    bytes_printf(text->out, " N=%" PRIu64, text->event->args[0]);
    if (text->generation == NULL || !text->generation->snapshot.is_known) return;
    const GoSnapshot *snapshot = &text->generation->snapshot;
    bytes_printf(text->out, " Trace=%" PRId64 " Mono=%" PRIu64 " Wall=",
                 go_ticks_to_ns(text->generation->ns_per_tick, snapshot->ticks), snapshot->mono_ns);
    append_utc(text->out, snapshot->unix_sec + snapshot->unix_nsec / 1000000000,
               (uint32_t)(snapshot->unix_nsec % 1000000000));
}

static void append_kind(const Text *text)
{
    switch ((GoKind)text->event->kind) {
    case GO_SYNC:
        append_sync(text);
        return;
    case GO_METRIC:
        append_metric(text);
        return;
    case GO_LABEL:
        append_named(text, " Label=", string_of(text, 0));
        append_resource(text, " Resource=", GO_RESOURCE_GOROUTINE, text->event->g);
        return;
    case GO_RANGE_BEGIN:
    case GO_RANGE_ACTIVE:
    case GO_RANGE_END:
        append_range(text);
        return;
    case GO_TASK_BEGIN:
    case GO_TASK_END:
        append_task(text);
        return;
    case GO_REGION_BEGIN:
    case GO_REGION_END:
        go_unsigned_append(" Task=", text->event->args[0], text->out);
        append_named(text, " Type=", string_of(text, 1));
        return;
    case GO_LOG:
        go_unsigned_append(" Task=", text->event->args[0], text->out);
        append_named(text, " Category=", string_of(text, 1));
        append_named(text, " Message=", string_of(text, 2));
        return;
    case GO_TRANSITION:
        append_transition(text);
        return;
    case GO_EXPERIMENTAL:
        append_experimental(text);
        return;
    case GO_SAMPLE:
    case GO_BAD:
    case GO_KIND_COUNT:
        return;
    }
}

void v2_text_append(const GoGeneration *generation, const StringTable *texts, const GoEvent *event,
                    V2TextForm form, Bytes *out)
{
    Text text = { generation, texts, event, form, out };
    go_number_append("M=", event->m, out);
    go_number_append(" P=", event->p, out);
    go_number_append(" G=", event->g, out);
    bytes_append_text(out, " ");
    bytes_append_text(out, go_kind_name((GoKind)event->kind));
    go_number_append(" Time=", event->time, out);
    append_kind(&text);
    if ((event->stack != 0 || event->kind == GO_SAMPLE) && form == V2_TEXT_STACKS) {
        bytes_append_text(out, "\n");
        append_frames(&text, "Stack", event->stack);
    }
    bytes_append_text(out, "\n");
    if (event->kind == GO_SYNC && generation != NULL && form == V2_TEXT_LINE)
        alloc_free_append_batches(generation, out);
}
