#include "trace/make/window_observe.h"

#include "trace/make/rescale.h"

bool observed_window_open(ObservedWindow *window, const Trace *trace, Arena *arena)
{
    *window = (ObservedWindow){ .trace = trace };
    return window_begins_collect(trace, arena, &window->begins) &&
           window_threads_collect(trace, arena, &window->threads);
}

/* Converts a tick of the builder's present clock to that of the whole trace, which may be finer. */
static int64_t final_tick(const Clock *from, const Clock *to, int64_t tick)
{
    ClockConversion conversion;
    bool            is_same = from->ns_num == to->ns_num && from->ns_den == to->ns_den &&
                   from->origin_ns == to->origin_ns && from->is_unsigned == to->is_unsigned;
    if (is_same || !clock_conversion_between(from, to, &conversion)) return tick;
    conversion.changes = true;
    clock_convert(&conversion, &tick);
    return tick;
}

static StringView text_of_ident(const Trace *trace, Ident ident)
{
    if (ident.kind != IDENT_TEXT) return (StringView){ "", 0 };
    return trace_string(trace, (StringId){ (uint32_t)ident.bits });
}

static bool is_begin(const ObservedEvent *event)
{
    return event->kind == OBSERVED_BEGIN || event->kind == OBSERVED_OTHER ||
           (event->kind == OBSERVED_COMPLETE && (event->flags & EVENT_NO_END) != 0);
}

/* Sets the ids of the event's thread in `key`. */
static void set_ids(WindowEvent *key, const TraceBuilder *builder, const Trace *so_far,
                    const ObservedEvent *event)
{
    if (event->thread.index == TRACK_NONE.index) return;
    ObservedIds ids = observed_ids(builder, event->thread);
    key->pid = ids.pid;
    key->tid = ids.tid;
    key->pid_text = text_of_ident(so_far, ids.pid);
    key->tid_text = text_of_ident(so_far, ids.tid);
}

/* True if the event's thread is chosen. */
static bool has_thread(const ObservedWindow *window, const TraceBuilder *builder, const ObservedEvent *event)
{
    WindowEvent thread = { .name = STRING_LITERAL("") };
    Trace       so_far;
    if (window->trace->window.tracks == NULL || event->thread.index == TRACK_NONE.index) return true;
    builder_view(builder, &so_far);
    set_ids(&thread, builder, &so_far, event);
    return window_begins_have(&window->threads, &thread);
}

bool observed_window_has(const ObservedWindow *window, const TraceBuilder *builder,
                         const ObservedEvent *event)
{
    const Trace *trace = window->trace;
    if (event->kind == OBSERVED_METADATA || (event->flags & EVENT_PART) != 0) return true;
    if (!has_thread(window, builder, event)) return false;
    if (!trace->window.is_set || !event->has_tick) return true;
    const Clock *clock = builder_clock(builder);
    int64_t      begin = final_tick(clock, &trace->clock, event->tick);
    int64_t      end = begin;
    if (event->kind == OBSERVED_COMPLETE) end = final_tick(clock, &trace->clock, event->end_tick);
    if (trace_window_meets(trace, begin, end)) return true;
    if (begin > trace->window.end || !is_begin(event)) return false;
    Trace so_far;
    builder_view(builder, &so_far);
    WindowEvent key = { .tick = begin, .name = trace_label_name(&so_far, event->label.index) };
    set_ids(&key, builder, &so_far, event);
    return window_begins_have(&window->begins, &key);
}
