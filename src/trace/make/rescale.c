/* Changes the clock during a load: converts all stored times. */
#include "trace/make/rescale.h"
#include "base/checked.h"
#include "base/wide.h"
#include "trace/make/async.h"
#include "trace/make/contexts.h"
#include "trace/make/counters.h"
#include "trace/make/flow_log.h"
#include "trace/make/objects.h"
#include "trace/make/profile.h"

static bool divides(uint64_t divisor, int64_t value)
{
    return (value < 0 ? 0 - (uint64_t)value : (uint64_t)value) % divisor == 0;
}

bool clock_conversion_between(const Clock *from, const Clock *to, ClockConversion *conversion)
{
    uint64_t nums = wide_common_divisor(from->ns_num, to->ns_num),
             dens = wide_common_divisor(from->ns_den, to->ns_den);
    uint64_t a = from->ns_num / nums, b = to->ns_den / dens, c = from->ns_den / dens, d = to->ns_num / nums;
    if (a > UINT64_MAX / b || c > UINT64_MAX / d) return false;
    *conversion = (ClockConversion){ .num = a * b, .den = c * d, .fits = true };
    uint64_t divisor = wide_common_divisor(conversion->num, conversion->den);
    conversion->num /= divisor;
    conversion->den /= divisor;
    if (from->is_unsigned != to->is_unsigned) {
        conversion->flipped_sign = UINT64_C(1) << 63;
        conversion->to_unsigned = to->is_unsigned;
        return conversion->num == conversion->den && from->origin_ns == to->origin_ns;
    }
    if (from->is_unsigned) return conversion->num == conversion->den && from->origin_ns == to->origin_ns;

    /* The distance of the origins is added in the coarser ticks, where it cannot overflow. */
    bool    clamped = false;
    int64_t distance_ns = i64_sub_clamped(from->origin_ns, to->origin_ns, &clamped);
    if (clamped) return false;
    if (conversion->num >= conversion->den) {
        conversion->old_shift = wide_mul_div_i64(distance_ns, from->ns_den, from->ns_num);
        conversion->rounded = !divides(from->ns_num, distance_ns);
    } else {
        conversion->new_shift = wide_mul_div_i64(distance_ns, to->ns_den, to->ns_num);
        conversion->rounded = !divides(to->ns_num, distance_ns);
    }
    return true;
}

void clock_convert(ClockConversion *conversion, int64_t *tick)
{
    if (conversion->flipped_sign != 0) {
        bool lower_half = *tick < 0; /* of the stored ticks: for an unsigned clock below 2^63 */
        if (lower_half == conversion->to_unsigned) conversion->fits = false;
        if (conversion->changes) *tick = (int64_t)((uint64_t)*tick ^ conversion->flipped_sign);
        return;
    }
    bool    clamped = false;
    int64_t shifted = i64_add_clamped(*tick, conversion->old_shift, &clamped);
    int64_t scaled = wide_mul_div_i64(shifted, conversion->num, conversion->den);
    if (scaled == INT64_MAX || scaled == INT64_MIN) clamped = true;
    if (!divides(conversion->den, shifted)) conversion->rounded = true; /* num and den share no factor */
    int64_t result = i64_add_clamped(scaled, conversion->new_shift, &clamped);
    if (clamped) conversion->fits = false;
    if (conversion->changes) *tick = result;
}

/* Makes a new log with the other times, because records are packed. */
static void convert_events(TraceBuilder *builder, ClockConversion *conversion, EventLog *log)
{
    EventLog    converted = { .has_durations = log->has_durations };
    EventReader reader = event_log_read(log);
    while (event_reader_next(&reader)) {
        EventRecord record = reader.record;
        int64_t     end = (int64_t)((uint64_t)record.tick + record.duration);
        clock_convert(conversion, &record.tick);
        if (record.duration > 0) clock_convert(conversion, &end);
        if (!conversion->changes) continue;
        if (record.duration > 0) record.duration = (uint64_t)end - (uint64_t)record.tick;
        if (!event_log_append(&converted, &builder->log_arena, &record)) builder->failed = true;
    }
    if (reader.failed) builder->failed = true;
    if (conversion->changes) *log = converted;
}

/* Makes new rows with the other times. */
static void convert_rows(TraceBuilder *builder, ClockConversion *conversion, ThreadLog *thread)
{
    Arena      scratch = arena_create(0);
    MarkRows  *converted = NULL;
    MarkReader reader;
    bool       done = mark_reader_open(&reader, thread->rows, &scratch);
    if (done && conversion->changes) {
        converted = mark_rows_create(&builder->row_space);
        done = converted != NULL;
    }
    while (done && mark_reader_next(&reader)) {
        EventRecord mark = reader.record;
        clock_convert(conversion, &mark.tick);
        if (converted != NULL) done = mark_rows_add(converted, &builder->row_space, &mark);
    }
    if (!done) builder->failed = true;
    if (converted != NULL) {
        mark_rows_release(thread->rows, NULL);
        thread->rows = converted;
    }
    arena_release(&scratch);
}

static void convert_instants(ClockConversion *conversion, InstantLog *log)
{
    for (InstantChunk *chunk = log->first; chunk != NULL; chunk = chunk->next) {
        for (uint64_t i = 0; i < chunk->count; i++)
            clock_convert(conversion, &chunk->marks[i].tick);
    }
}

static void convert_range(ClockConversion *conversion, int64_t *min, int64_t *max)
{
    if (*min > *max) return;
    clock_convert(conversion, min);
    clock_convert(conversion, max);
}

static bool convert_arrow(void *context, ArrowRecord *arrow)
{
    ClockConversion *conversion = (ClockConversion *)context;
    clock_convert(conversion, &arrow->from_tick);
    clock_convert(conversion, &arrow->to_tick);
    return true;
}

void clock_convert_items(ClockConversion *conversion, const Bytes *items, size_t item_bytes, size_t tick_at)
{
    for (size_t at = tick_at; at < items->size; at += item_bytes)
        clock_convert(conversion, (int64_t *)(void *)(items->data + at));
}

static void convert_everything(TraceBuilder *builder, ClockConversion *conversion)
{
    for (uint32_t i = 1; i < vec_count(&builder->threads.all); i++) {
        ThreadLog *log = builder_thread_log(builder, (TrackId){ i });
        if (log->rows != NULL) convert_rows(builder, conversion, log);
        convert_events(builder, conversion, &log->marks);
        if (log->completes != NULL) convert_events(builder, conversion, log->completes);
        convert_instants(conversion, &log->instants);
        convert_range(conversion, &log->min_tick, &log->max_tick);
        if (log->last_mark_tick > INT64_MIN) clock_convert(conversion, &log->last_mark_tick);
    }
    ProcessLog *processes = builder->processes.all.items;
    for (size_t i = 1; i < vec_count(&builder->processes.all); i++) {
        if (processes[i].instants == NULL) continue;
        convert_instants(conversion, &processes[i].instants->events);
        convert_instants(conversion, &processes[i].instants->derived);
        convert_instants(conversion, &processes[i].instants->dumps);
    }
    convert_instants(conversion, &builder->global.instants);
    convert_instants(conversion, &builder->global.moments);
    CONVERT_TICKS(builder->objects.events.bytes, ObjectEvent, tick, conversion);
    CONVERT_TICKS(builder->objects.contexts.bytes, ContextEvent, tick, conversion);
    CONVERT_TICKS(builder->records.clock_syncs.bytes, ClockSync, tick, conversion);
    CONVERT_TICKS(builder->async.events.bytes, AsyncEvent, tick, conversion);
    for (size_t p = 0; p < sample_log_pieces(&builder->counters.samples); p++) {
        const SamplePiece piece = sample_log_piece(&builder->counters.samples, p);
        for (size_t i = 0; i < piece.count; i++)
            clock_convert(conversion, &piece.samples[i].tick);
    }
    CONVERT_TICKS(builder->profile.samples.bytes, StackSample, tick, conversion);
    CONVERT_TICKS(builder->flows.events.bytes, FlowEvent, tick, conversion);
    if (!arrow_log_rewrite(&builder->flows.arrows, &builder->log_arena, convert_arrow, conversion))
        builder->failed = true;
    OtherEvent *others = builder->records.others.items;
    for (size_t i = 0; i < vec_count(&builder->records.others); i++) {
        if (others[i].has_tick) clock_convert(conversion, &others[i].tick);
    }
    convert_range(conversion, &builder->global.min_tick, &builder->global.max_tick);
    /* the first events are in logs now, but their range of time still belongs to that of the trace */
    FirstEvents *first = &builder->threads.first_events;
    convert_range(conversion, &first->min_tick, &first->max_tick);
}

/* True if the ticks of both clocks are the same; other members may differ. */
static bool same_ticks(const Clock *a, const Clock *b)
{
    return a->kind == b->kind && a->ns_num == b->ns_num && a->ns_den == b->ns_den &&
           a->origin_ns == b->origin_ns && a->is_unsigned == b->is_unsigned;
}

bool builder_change_clock(TraceBuilder *builder, Clock clock, bool *rounded)
{
    ClockConversion conversion;
    *rounded = false;
    if (same_ticks(&builder->clock, &clock)) {
        builder->clock = clock;
        return true;
    }
    if (!clock_conversion_between(&builder->clock, &clock, &conversion)) return false;
    convert_everything(builder, &conversion);
    if (!conversion.fits) return false;
    conversion.changes = true;
    convert_everything(builder, &conversion);
    *rounded = conversion.rounded;
    builder->clock = clock;
    return true;
}
