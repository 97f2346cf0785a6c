#include "format/heph/stream.h"
#include "base/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -- ranges of numbers -- */

/* Returns a new last range. Beyond RANGES_KEPT ranges it drops the oldest; `total` still counts its numbers. */
static CounterRange *ranges_push(HephStreams *streams, HephStream *stream, CounterRanges *ranges)
{
    if (ranges->count == RANGES_KEPT) {
        memmove(ranges->items, ranges->items + 1, (RANGES_KEPT - 1) * sizeof *ranges->items);
        ranges->count--;
        if (ranges == &stream->missing && stream->open_from > 0) stream->open_from--;
    }
    CounterRange *items =
        arena_grow(streams->arena, ranges->items, ranges->count, &ranges->capacity, sizeof *items);
    if (items == NULL) {
        streams->out_of_memory = true;
        return NULL;
    }
    ranges->items = items;
    return &items[ranges->count++];
}

static uint64_t *total_of_all(HephStreams *streams, const HephStream *stream, const CounterRanges *ranges)
{
    if (ranges == &stream->missing) return &streams->missing_total;
    return ranges == &stream->late ? &streams->late_total : &streams->twice_total;
}

static void ranges_add(HephStreams *streams, HephStream *stream, CounterRanges *ranges, CounterRange range,
                       EventPos pos)
{
    assert(range.count > 0);
    *total_of_all(streams, stream, ranges) += range.count;
    if (ranges->total == 0) ranges->first = pos;
    ranges->total += range.count;
    CounterRange *last = ranges->count == 0 ? NULL : &ranges->items[ranges->count - 1];
    if (last != NULL && ranges != &stream->missing && last->first + last->count == range.first) {
        last->count += range.count;
        return;
    }
    CounterRange *added = ranges_push(streams, stream, ranges);
    if (added != NULL) *added = range;
}

/* Inserts `rest` after range i: the numbers after the one that was removed from the middle of range i. */
static void missing_split(HephStreams *streams, HephStream *stream, uint32_t i, CounterRange rest)
{
    CounterRanges *missing = &stream->missing;
    /* ranges_push drops the oldest range */
    uint32_t behind = missing->count == RANGES_KEPT ? i : i + 1;
    if (ranges_push(streams, stream, missing) == NULL) return;
    CounterRange *place = &missing->items[behind];
    assert(behind < missing->count);
    memmove(place + 1, place, (missing->count - 1 - behind) * sizeof *place);
    *place = rest;
}

/* Removes a number from the missing ranges since the last restart. False if it is not in one of them. */
static bool missing_remove(HephStreams *streams, HephStream *stream, uint32_t counter)
{
    CounterRanges *missing = &stream->missing;
    assert(stream->open_from <= missing->count);
    for (uint32_t i = missing->count; i-- > stream->open_from;) {
        CounterRange *range = &missing->items[i];
        uint32_t      before = counter - range->first; /* modulo 2^32, like the counters */
        if (before >= range->count) continue;
        uint32_t behind = range->count - before - 1;
        assert(missing->total > 0 && streams->missing_total > 0);
        missing->total--;
        streams->missing_total--;
        if (before > 0 && behind > 0) {
            range->count = before;
            missing_split(streams, stream, i, (CounterRange){ counter + 1, behind });
        } else if (before > 0 || behind > 0) {
            *range = (CounterRange){ before > 0 ? range->first : counter + 1, before + behind };
        } else {
            missing->count--;
            memmove(range, range + 1, (missing->count - i) * sizeof *range);
        }
        return true;
    }
    return false;
}

/* -- streams -- */

static HephStream *stream_of(HephStreams *streams, TraceBuilder *builder, uint32_t id)
{
    const uint32_t found = id_map_find(&streams->by_id, id);
    if (found != 0) return heph_stream_at(streams, found - 1);
    HephStream  *stream = ARENA_NEW(streams->arena, HephStream);
    HephStream **place = stream == NULL ? NULL : ARENA_LIST_PUSH(&streams->all, streams->arena);
    if (place == NULL) goto no_memory;
    *place = stream;
    stream->id = id;
    stream->process = builder_process(builder, ident_uint(id));
    streams->by_id.arena = streams->arena;
    if (id_map_put(&streams->by_id, id, (uint32_t)streams->all.count)) return stream;
no_memory:
    streams->out_of_memory = true;
    return NULL;
}

const CachedTrack *heph_track(HephStreams *streams, TraceBuilder *builder, uint32_t stream_id,
                              uint64_t substream)
{
    uint64_t mixed = (stream_id * UINT64_C(0x9E3779B97F4A7C15) + substream) * UINT64_C(0xD1B54A32D192ED03);
    CachedTrack *cached = &streams->tracks[mixed >> 56];
    if (LIKELY(cached->track.index != 0 && cached->substream == substream && cached->stream->id == stream_id))
        return cached;
    HephStream *stream = stream_of(streams, builder, stream_id);
    if (stream == NULL) return NULL;
    TrackId track = builder_thread(builder, stream->process, ident_uint(substream));
    *cached = (CachedTrack){ stream, substream, track };
    return cached;
}

/* -- counters -- */

/* True if the same packet was received a short time ago. Remembers the packet. */
static bool was_seen(HephStreams *streams, uint32_t stream_id, uint32_t counter, const uint8_t *packet,
                     size_t size)
{
    const uint32_t spread = (uint32_t)(stream_id * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    RecentEvent   *recent = &streams->recent[(counter + spread) & (RECENT_EVENTS - 1)];
    uint64_t       hash = hash_bytes(packet, size, 0) | 1;
    if (recent->hash == hash && recent->stream == stream_id && recent->counter == counter) return true;
    *recent = (RecentEvent){ hash, stream_id, counter };
    return false;
}

/* Handles a counter before the expected one. */
static Counted count_old(HephStreams *streams, HephStream *stream, uint32_t counter, bool seen, EventPos pos)
{
    CounterRange one = { counter, 1 };
    bool         never_counted = !stream->counts && stream->event_count > 1;
    if (missing_remove(streams, stream, counter)) {
        ranges_add(streams, stream, &stream->late, one, pos);
    } else if (seen && !never_counted) {
        ranges_add(streams, stream, &stream->twice, one, pos);
        return COUNTED_TWICE;
    } else if (stream->restart_count == 0 && counter + 1 == stream->first_counter) {
        stream->first_counter = counter; /* the first two events came in reverse order */
        ranges_add(streams, stream, &stream->late, one, pos);
    } else {
        stream->restart_count++;
        stream->expected = counter + 1;
        stream->open_from = stream->missing.count;
    }
    return COUNTED_EVENT;
}

Counted heph_count_event(HephStreams *streams, HephStream *stream, uint32_t counter, const uint8_t *packet,
                         size_t size, EventPos pos)
{
    bool    seen = was_seen(streams, stream->id, counter, packet, size);
    Counted counted = COUNTED_EVENT;
    if (stream->event_count == 0) stream->first_counter = stream->expected = counter;
    if (counter != stream->first_counter) stream->counts = true;
    uint32_t ahead = counter - stream->expected;
    if (LIKELY(ahead == 0)) {
        stream->expected++;
    } else if (ahead <= INT32_MAX) {
        ranges_add(streams, stream, &stream->missing, (CounterRange){ stream->expected, ahead }, pos);
        stream->expected = counter + 1;
    } else {
        counted = count_old(streams, stream, counter, seen, pos);
    }
    if (counted == COUNTED_EVENT) stream->event_count++;
    return counted;
}

/* -- the report -- */

/* "3-4, 7-19, ..." */
static void format_ranges(const CounterRanges *ranges, char *out, size_t size)
{
    assert(size > 0);
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < ranges->count && i < 4 && used < size; i++) {
        const CounterRange *range = &ranges->items[i];
        int                 n = range->count == 1
                                    ? snprintf(out + used, size - used, "%s%" PRIu32, i > 0 ? ", " : "", range->first)
                                    : snprintf(out + used, size - used, "%s%" PRIu32 "-%" PRIu32, i > 0 ? ", " : "",
                                               range->first, range->first + range->count - 1);
        used += (size_t)n;
    }
    if (ranges->count > 4 && used < size) snprintf(out + used, size - used, ", ...");
}

static void report(TraceBuilder *builder, const HephStream *stream, const CounterRanges *ranges,
                   const char *kind, const char *what)
{
    if (ranges->total == 0) return;
    char text[128];
    format_ranges(ranges, text, sizeof text);
    builder_warn(builder, kind, ranges->first, "stream %" PRIu32 ": %" PRIu64 " event%s %s: %s", stream->id,
                 ranges->total, ranges->total == 1 ? "" : "s", what, text);
}

void heph_report_counters(const HephStreams *streams, TraceBuilder *builder)
{
    for (size_t i = 0; i < streams->all.count; i++) {
        const HephStream *stream = heph_stream_at(streams, i);
        report(builder, stream, &stream->twice, "duplicate-events", "received twice, kept once");
        if (!stream->counts) continue;
        report(builder, stream, &stream->missing, "missing-events", "missing");
        report(builder, stream, &stream->late, "reordered-events", "out of order");
    }
}
