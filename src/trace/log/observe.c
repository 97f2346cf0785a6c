#include "trace/log/observe.h"

#include "trace/log/builder_log.h"

#include <string.h>

void builder_observe(TraceBuilder *builder, EventObserver observer)
{
    builder->observer = observer;
}

void builder_refer(const TraceBuilder *builder, Trace *trace)
{
    trace->strings = builder->strings;
    trace->source.format_name = builder->rules.format_name;
    trace->source.format_version = builder->rules.format_version;
    trace->source.process_word = builder->rules.process_word;
    trace->source.thread_word = builder->rules.thread_word;
    trace->source.complete = !builder->incomplete;
    trace->source.kept = builder->kept;
    memcpy(trace->perspectives.names, builder->perspectives.names, sizeof trace->perspectives.names);
    trace->perspectives.count = builder->perspectives.count;
    trace->perspectives.made = builder->perspectives.made;
    trace->labels = builder->labels.all.items;
    trace->label_count = (uint32_t)vec_count(&builder->labels.all) - 1;
    trace->idle_label = builder->labels.idle.index == 0 ? UINT32_MAX : builder->labels.idle.index;
    trace->records.event_kinds = builder->records.kinds.items;
    trace->records.event_kind_count = (uint32_t)vec_count(&builder->records.kinds);
    trace->records.properties = builder->records.properties.items;
    trace->records.property_count = (uint32_t)vec_count(&builder->records.properties);
    trace->records.warnings = builder->records.warnings.items;
    trace->records.warning_count = (uint32_t)vec_count(&builder->records.warnings);
}

void builder_view(const TraceBuilder *builder, Trace *view)
{
    *view = (Trace){ .clock = builder->clock };
    builder_refer(builder, view);
}

void builder_view_again(const TraceBuilder *builder, Trace *view)
{
    view->clock = builder->clock;
    builder_refer(builder, view);
}

bool builder_is_observed(const TraceBuilder *builder)
{
    return is_observed(builder);
}

ObservedIds observed_ids(const TraceBuilder *builder, TrackId thread)
{
    const ThreadEntry *entry = builder_thread_entry(builder, thread);
    const ThreadLog   *log = builder_log_of(builder, thread.index);
    return (ObservedIds){ builder->processes.all.items[entry->process].pid, thread_tid(entry),
                          log != NULL && log->is_states };
}

/* -- for builder.c -- */

void observe_mark(const TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label, EventPos pos,
                  unsigned flags)
{
    ObservedEvent event = { .kind = flags & MARK_END ? OBSERVED_END : OBSERVED_BEGIN,
                            .flags = flags & ~(unsigned)MARK_END,
                            .thread = thread,
                            .label = { label },
                            .has_tick = true,
                            .tick = tick,
                            .end_tick = tick,
                            .pos = pos };
    observe_event(builder, &event);
}

void observe_event(const TraceBuilder *builder, const ObservedEvent *event)
{
    builder->observer.event(builder->observer.context, event);
}
