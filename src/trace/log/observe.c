#include "trace/log/observe.h"

#include "trace/log/builder_log.h"

#include <assert.h>

void builder_observe(TraceBuilder *builder, EventObserver observer)
{
    builder->observer = observer;
}

void builder_view(const TraceBuilder *builder, Trace *view)
{
    *view = (Trace){ .strings = builder->strings,
                     .labels = builder->labels.all.items,
                     .label_count = (uint32_t)vec_count(&builder->labels.all) - 1,
                     .records.event_kinds = builder->records.kinds.items,
                     .records.event_kind_count = (uint32_t)vec_count(&builder->records.kinds),
                     .records.warnings = builder->records.warnings.items,
                     .records.warning_count = (uint32_t)vec_count(&builder->records.warnings),
                     .records.properties = builder->records.properties.items,
                     .records.property_count = (uint32_t)vec_count(&builder->records.properties),
                     .source.format_name = builder->rules.format_name,
                     .source.format_version = builder->rules.format_version,
                     .source.process_word = builder->rules.process_word,
                     .source.thread_word = builder->rules.thread_word,
                     .source.complete = !builder->incomplete,
                     .clock = builder->clock,
                     .source.kept = builder->kept };
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
