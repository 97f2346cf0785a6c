/* format/heph/stream.h - the streams of a trace. Finds missing, late and duplicate events by their counters.
 *
 * A skipped number is missing until its event comes. An old
 * number that is not missing is a duplicate if the packet's bytes are equal, else the producer has restarted its
 * counter. A stream whose numbers are all equal has no counter. */
#ifndef FORMAT_HEPH_STREAM_H
#define FORMAT_HEPH_STREAM_H
#include "base/id_map.h"
#include "trace/log/builder.h"

enum { RANGES_KEPT = 1024 };

/* A run of consecutive counters. Runs are stored in the order in which they were found. */
typedef struct CounterRange {
    uint32_t first, count;
} CounterRange;

typedef struct CounterRanges {
    CounterRange *items; /* in the reader's arena; the newest RANGES_KEPT */
    uint32_t      count, capacity;
    uint64_t      total; /* numbers in all ranges, including dropped ranges */
    EventPos      first; /* the event at which the first range was found */
} CounterRanges;

typedef struct HephStream {
    uint32_t  id;
    ProcessId process;
    uint64_t  event_count; /* without duplicates */
    uint32_t  first_counter, expected;
    bool      counts; /* its numbers are not all equal */
    uint64_t  restart_count;
    /* index of the first range in `missing` after the last restart: its numbers may still come */
    uint32_t      open_from;
    CounterRanges missing, late, twice;
} HephStream;

enum { RECENT_EVENTS = 4096, CACHED_TRACKS = 256 };

typedef struct RecentEvent {
    uint64_t hash; /* of the packet's bytes; 0 = none */
    uint32_t stream, counter;
} RecentEvent;

typedef struct CachedTrack {
    HephStream *stream;
    uint64_t    substream;
    TrackId     track; /* TRACK_NONE = the entry is empty */
} CachedTrack;

typedef struct HephStreams {
    Arena *arena;                                       /* borrowed from the load */
    ARENA_LIST(HephStream *) all;                       /* by first appearance */
    IdMap       by_id;                                  /* 1 + index into all */
    uint64_t    missing_total, late_total, twice_total; /* of all streams */
    bool        out_of_memory;
    CachedTrack tracks[CACHED_TRACKS]; /* by hash; other tracks are looked up in the builder */
    RecentEvent recent[RECENT_EVENTS]; /* by stream and counter */
} HephStreams;

static inline HephStream *heph_stream_at(const HephStreams *streams, size_t index)
{
    return streams->all.items[index];
}

/* Returns the stream and track of an event; creates new ones. NULL when out of memory. */
const CachedTrack *heph_track(HephStreams *streams, TraceBuilder *builder, uint32_t stream_id,
                              uint64_t substream);

typedef enum { COUNTED_EVENT, COUNTED_TWICE } Counted;

/* Counts an event's number. Returns COUNTED_TWICE if the event is a duplicate. */
Counted heph_count_event(HephStreams *streams, HephStream *stream, uint32_t counter, const uint8_t *packet,
                         size_t size, EventPos pos);

/* Warns of missing, late and duplicate events. Call it after the last packet. */
void heph_report_counters(const HephStreams *streams, TraceBuilder *builder);

#endif
