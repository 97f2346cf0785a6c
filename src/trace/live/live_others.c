/* Raw events of a growing trace: metadata, events of flows and counters, unmatched ends. They stay in the list of the
 * builder, in the order of the input, with the builder's threads, because the numbers of tracks change. */
#include "trace/live/live_state.h"

#include <stdlib.h>

static OtherEvent *events_of(const LiveTrace *live)
{
    return live->builder->records.others.items;
}

static size_t count_of(const LiveTrace *live)
{
    return vec_count(&live->builder->records.others);
}

/* True if the event has no timestamp, so that its age is unknown. */
static bool is_timeless(const OtherEvent *event)
{
    return event->is_metadata || !event->has_tick;
}

void live_others_take(LiveTrace *live)
{
    for (size_t i = live->raw.known; i < count_of(live); i++)
        live->raw.timeless_count += is_timeless(&events_of(live)[i]);
}

bool live_others_end(LiveTrace *live, const LiveEnd *end)
{
    return live_append(live, &live->raw.ends, end, sizeof *end);
}

static int compare_ends(const void *left, const void *right)
{
    const LiveEnd *a = (const LiveEnd *)left, *b = (const LiveEnd *)right;
    if (a->event.offset != b->event.offset) return a->event.offset < b->event.offset ? -1 : 1;
    if (a->event.thread != b->event.thread) return a->event.thread < b->event.thread ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Keeps the last record of each event. Returns the number of records that are left. */
static size_t last_words(LiveEnd *ends, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        ends[i].order = (uint32_t)i;
    if (count > 1) qsort(ends, count, sizeof *ends, compare_ends);
    for (size_t i = 0; i < count; i++) {
        const bool is_last = i + 1 == count || ends[i].event.offset != ends[i + 1].event.offset ||
                             ends[i].event.thread != ends[i + 1].event.thread;
        if (is_last) ends[kept++] = ends[i];
    }
    return kept;
}

static bool is_same(const OtherEvent *event, const LiveEnd *end)
{
    return event->offset == end->event.offset && event->kind == end->event.kind && !event->is_metadata;
}

/* Returns the index of the first event at or after `offset`. */
static size_t first_from(const LiveTrace *live, uint64_t offset)
{
    const OtherEvent *events = events_of(live);
    size_t            low = 0;
    LOWER_BOUND(size_t, low, count_of(live), i, events[i].offset < offset);
    return low;
}

/* Removes the raw events of ends. `ends` are in order. They are usually near the end. */
static void take_out(LiveTrace *live, const LiveEnd *ends, size_t count)
{
    OtherEvent  *events = events_of(live);
    const size_t all = count_of(live);
    size_t       kept = count > 0 ? first_from(live, ends[0].event.offset) : all, end = 0;
    for (size_t i = kept; i < all; i++) {
        while (end < count && ends[end].event.offset < events[i].offset)
            end++;
        if (end < count && is_same(&events[i], &ends[end])) continue;
        events[kept++] = events[i];
    }
    live->builder->records.others.bytes.size = kept * sizeof *events;
}

/* Inserts the unmatched ends, from the last one backwards, so that each event is moved once. */
static bool put_in(LiveTrace *live, const LiveEnd *ends, size_t count, size_t more)
{
    size_t at = count_of(live), to = at + more;
    Bytes *list = &live->builder->records.others.bytes;
    if (bytes_reserve(list, more * sizeof(OtherEvent)) == NULL) {
        live->failed = true;
        return false;
    }
    bytes_grow(list, more * sizeof(OtherEvent));
    OtherEvent *events = events_of(live);
    for (size_t end = count; end-- > 0;) {
        if (!ends[end].is_kept) continue;
        while (at > 0 && events[at - 1].offset > ends[end].event.offset)
            events[--to] = events[--at];
        events[--to] = ends[end].event;
    }
    return true;
}

bool live_others_settle(LiveTrace *live)
{
    LiveEnd     *ends = VECTOR(live->raw.ends, LiveEnd);
    const size_t count = last_words(ends, VECTOR_COUNT(live->raw.ends, LiveEnd));
    size_t       more = 0;
    for (size_t i = 0; i < count; i++)
        more += ends[i].is_kept;
    take_out(live, ends, count);
    if (more > 0 && !put_in(live, ends, count, more)) return false;
    bytes_clear(&live->raw.ends);
    live->raw.known = count_of(live);
    return true;
}

/* Returns the limit on the number of retained events without a timestamp. */
static size_t timeless_most(const LiveOptions *options)
{
    enum { PART = 16, LEAST = 1 << 12, MOST = 1 << 18 };
    const uint64_t part = options->keep_bytes / PART / sizeof(OtherEvent);
    if (options->keep_bytes == 0) return MOST;
    return part < LEAST ? LEAST : part > MOST ? MOST : (size_t)part;
}

void live_others_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    enum { SHARE = 4 }; /* of the kept time must have passed since the last removal */
    OtherEvent    *events = events_of(live);
    const size_t   count = count_of(live), most = timeless_most(&live->options);
    const uint64_t left = (uint64_t)live->trace.end_tick - (uint64_t)tick;
    const bool     is_worth_it = at_once || live->raw.timeless_count > most || !live->raw.were_dropped ||
                             (uint64_t)tick - (uint64_t)live->raw.from > left / SHARE;
    if (count == 0 || !is_worth_it) return;
    size_t   kept = 0;
    uint64_t too_many = live->raw.timeless_count > most ? live->raw.timeless_count - most / 2 : 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_timeless(&events[i])) {
            if (events[i].tick >= tick) events[kept++] = events[i];
        } else if (too_many > 0) {
            too_many--;
            live->raw.timeless_count--;
        } else {
            events[kept++] = events[i];
        }
    }
    live->builder->records.others.bytes.size = kept * sizeof *events;
    live->raw.known = kept;
    live->raw.from = tick;
    live->raw.were_dropped = true;
}
