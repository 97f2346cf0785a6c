#include "format/perfetto/ftrace_bundle.h"

#include "format/perfetto/fields.h"

/* Returns the count of varints. */
static uint32_t count_packed(StringView bytes)
{
    uint32_t count = 0;
    for (size_t i = 0; i < bytes.size; i++)
        count += (uint8_t)bytes.bytes[i] < 0x80;
    return count;
}

bool bundle_decode(StringView message, FtraceBundle *bundle)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    *bundle = (FtraceBundle){ .message = message };
    while (wire_next(&c, &field)) {
        const bool is_bytes = field.type == WIRE_BYTES;
        if (field.number == BUNDLE_EVENT && is_bytes) bundle->event_count++;
        if (field.number == BUNDLE_COMPACT && is_bytes) bundle->compact = field.bytes;
        if (is_bytes) continue;
        if (field.number == BUNDLE_CPU) bundle->cpu = (uint32_t)field.value;
        if (field.number == BUNDLE_LOST) bundle->has_lost = field.value != 0;
        if (field.number == BUNDLE_CLOCK) bundle->clock = (uint32_t)field.value;
        if (field.number == BUNDLE_FTRACE_TIME) bundle->ftrace_ns = (int64_t)field.value;
        if (field.number == BUNDLE_BOOT_TIME) bundle->boot_ns = (int64_t)field.value;
    }
    ByteCursor compact = wire_message(bundle->compact);
    while (bundle->compact.bytes != NULL && wire_next(&compact, &field)) {
        if (field.number == COMPACT_SWITCH_TIMES) bundle->switch_count = count_packed(field.bytes);
        if (field.number == COMPACT_WAKING_TIMES) bundle->waking_count = count_packed(field.bytes);
    }
    return !c.failed && !compact.failed;
}

/* -- series -- */

/* Reads the next FtraceEvent. Damage ends the series. */
static void pull_event(BundleCursor *cursor)
{
    WireField field = { .number = 0 }, part;
    cursor->has_next[BUNDLE_EVENTS] = false;
    do {
        if (!wire_next(&cursor->events, &field)) return;
    } while (field.number != BUNDLE_EVENT || field.type != WIRE_BYTES);
    BundledEvent *event = &cursor->next[BUNDLE_EVENTS];
    ByteCursor    c = wire_message(field.bytes);
    *event = (BundledEvent){ .number = cursor->taken[BUNDLE_EVENTS]++, .data = { "", 0 } };
    while (wire_next(&c, &part)) {
        if (part.type == WIRE_BYTES) {
            event->kind = part.number;
            event->data = part.bytes;
        } else if (part.number == FTRACE_TIMESTAMP) {
            event->time = part.value;
        } else if (part.number == FTRACE_PID) {
            event->tid = (int32_t)part.value;
        } else if (part.number == FTRACE_COMMON_FLAGS) {
            event->flags = (uint32_t)part.value;
        }
    }
    event->is_damaged = c.failed;
    cursor->has_next[BUNDLE_EVENTS] = true;
}

/* Reads the next number of a column; 0 behind its end. */
static uint64_t next_of(ByteCursor *column)
{
    uint64_t value = 0;
    (void)wire_next_packed(column, WIRE_VARINT, &value);
    return value;
}

static void pull_compact(BundleCursor *cursor, BundleSeries series)
{
    CompactColumns *columns = &cursor->columns[series];
    BundledEvent   *event = &cursor->next[series];
    uint64_t        delta;
    cursor->has_next[series] = wire_next_packed(&columns->times, WIRE_VARINT, &delta);
    if (!cursor->has_next[series]) return;
    const bool     is_switch = series == BUNDLE_SWITCHES;
    const uint32_t first = cursor->bundle.event_count + (is_switch ? 0 : cursor->bundle.switch_count);
    columns->time += delta;
    *event = (BundledEvent){ .time = columns->time,
                             .number = first + cursor->taken[series]++,
                             .kind = is_switch ? FTRACE_SCHED_SWITCH : FTRACE_SCHED_WAKING,
                             .tid = -1,
                             .is_compact = true,
                             .data = { "", 0 } };
    event->task.tid = (int32_t)next_of(&columns->tids);
    event->task.priority = (int32_t)next_of(&columns->priorities);
    event->detail = (int64_t)next_of(&columns->details);
    event->flags = (uint32_t)next_of(&columns->flags);
    const uint64_t name = next_of(&columns->names);
    event->task.name = name < cursor->names.count ? cursor->names.items[name] : (StringView){ "", 0 };
    event->previous = columns->last;
    columns->last = event->task;
}

static void pull(BundleCursor *cursor, BundleSeries series)
{
    if (series == BUNDLE_EVENTS)
        pull_event(cursor);
    else
        pull_compact(cursor, series);
}

/* Finds the columns. False: out of memory. */
static bool open_compact(BundleCursor *cursor, Arena *arena)
{
    CompactColumns *switches = &cursor->columns[BUNDLE_SWITCHES], *wakings = &cursor->columns[BUNDLE_WAKINGS];
    const CompactColumns empty = { .last = { .tid = -1, .name = { "", 0 } } };
    ByteCursor           c = wire_message(cursor->bundle.compact);
    WireField            field;
    *switches = *wakings = empty;
    while (cursor->bundle.compact.bytes != NULL && wire_next(&c, &field)) {
        ByteCursor *const columns[] = { [COMPACT_SWITCH_TIMES] = &switches->times,
                                        [COMPACT_SWITCH_STATES] = &switches->details,
                                        [COMPACT_SWITCH_TIDS] = &switches->tids,
                                        [COMPACT_SWITCH_PRIORITIES] = &switches->priorities,
                                        [COMPACT_SWITCH_NAMES] = &switches->names,
                                        [COMPACT_WAKING_TIMES] = &wakings->times,
                                        [COMPACT_WAKING_TIDS] = &wakings->tids,
                                        [COMPACT_WAKING_CPUS] = &wakings->details,
                                        [COMPACT_WAKING_PRIORITIES] = &wakings->priorities,
                                        [COMPACT_WAKING_NAMES] = &wakings->names,
                                        [COMPACT_WAKING_FLAGS] = &wakings->flags };
        if (field.type != WIRE_BYTES) continue;
        if (field.number == COMPACT_NAMES) {
            StringView *name = ARENA_LIST_PUSH(&cursor->names, arena);
            if (name == NULL) return false;
            *name = field.bytes;
        } else if (field.number < sizeof columns / sizeof columns[0] && columns[field.number] != NULL) {
            *columns[field.number] = wire_message(field.bytes);
        }
    }
    return true;
}

bool bundle_open(BundleCursor *cursor, Arena *arena, const FtraceBundle *bundle)
{
    cursor->bundle = *bundle;
    cursor->events = wire_message(bundle->message);
    cursor->names.count = cursor->marks.count = 0;
    if (!open_compact(cursor, arena)) return false;
    for (int i = 0; i < BUNDLE_SERIES; i++) {
        cursor->taken[i] = 0;
        pull(cursor, (BundleSeries)i);
    }
    return true;
}

const BundledEvent *bundle_next(const BundleCursor *cursor)
{
    const BundledEvent *first = NULL;
    for (int i = 0; i < BUNDLE_SERIES; i++)
        if (cursor->has_next[i] && (first == NULL || cursor->next[i].time < first->time))
            first = &cursor->next[i];
    return first;
}

void bundle_take(BundleCursor *cursor, const BundledEvent *event)
{
    pull(cursor, (BundleSeries)(event - cursor->next));
}

static BundleSeries series_of(const FtraceBundle *bundle, uint32_t number)
{
    if (number < bundle->event_count) return BUNDLE_EVENTS;
    return number - bundle->event_count < bundle->switch_count ? BUNDLE_SWITCHES : BUNDLE_WAKINGS;
}

/* Goes to an event of the first series. False: out of memory. */
static bool seek_event(BundleCursor *cursor, Arena *arena, uint32_t number)
{
    const BundledEvent *next = &cursor->next[BUNDLE_EVENTS];
    const bool          is_ahead = cursor->has_next[BUNDLE_EVENTS] && next->number <= number;
    size_t              mark = number / MARK_STEP;
    if (cursor->marks.count == 0 && ARENA_LIST_PUSH(&cursor->marks, arena) == NULL) return false; /* at 0 */
    if (mark >= cursor->marks.count) mark = cursor->marks.count - 1;
    if (!is_ahead || next->number < mark * MARK_STEP) {
        cursor->events = wire_message(cursor->bundle.message);
        cursor->events.at = cursor->marks.items[mark];
        cursor->taken[BUNDLE_EVENTS] = (uint32_t)mark * MARK_STEP;
        pull_event(cursor);
    }
    while (cursor->has_next[BUNDLE_EVENTS] && next->number < number) {
        const uint32_t following = next->number + 1;
        if (following % MARK_STEP == 0 && following / MARK_STEP == cursor->marks.count) {
            uint32_t *added = ARENA_LIST_PUSH(&cursor->marks, arena);
            if (added == NULL) return false;
            *added = (uint32_t)cursor->events.at;
        }
        pull_event(cursor);
    }
    return true;
}

/* Goes to an event of a compact series. False: out of memory. */
static bool seek_compact(BundleCursor *cursor, Arena *arena, BundleSeries series, uint32_t number)
{
    const BundledEvent *next = &cursor->next[series];
    if (!cursor->has_next[series] || next->number > number) {
        const FtraceBundle bundle = cursor->bundle;
        if (!bundle_open(cursor, arena, &bundle)) return false;
    }
    while (cursor->has_next[series] && next->number < number)
        pull_compact(cursor, series);
    return true;
}

const BundledEvent *bundle_find(BundleCursor *cursor, Arena *arena, uint32_t number)
{
    const BundleSeries series = series_of(&cursor->bundle, number);
    const bool         done = series == BUNDLE_EVENTS ? seek_event(cursor, arena, number)
                                                      : seek_compact(cursor, arena, series, number);
    return done && cursor->has_next[series] ? &cursor->next[series] : NULL;
}
