/* format/heph/stream.h - the streams of a trace, and what their counters say about events that are missing, late or
 * there twice.
 *
 * The rules are those of section 6 of the format's description: a number that was skipped is missing until it comes;
 * an old number that is not missing is the same event again if the bytes are the same, else the producer started its
 * counter anew. A stream whose numbers are all equal has no counter. */
#ifndef FORMAT_HEPH_STREAM_H
#define FORMAT_HEPH_STREAM_H
#include "trace/builder.h"

enum { RANGES_KEPT = 1024 };

/* Runs of numbers, in the order in which they were found. */
typedef struct CounterRange {
    uint32_t first, count;
} CounterRange;

typedef struct CounterRanges {
    CounterRange *items; /* in the reader's arena; the newest RANGES_KEPT */
    uint32_t      count, capacity;
    uint64_t      total; /* of numbers in all ranges, also those no longer kept */
    EventPos      first; /* the event that showed the first of them */
} CounterRanges;

typedef struct HephStream HephStream;
struct HephStream {
    HephStream *next; /* by first appearance */
    uint32_t    id;
    ProcessId   process;
    uint64_t    event_count; /* without those that came twice */
    uint32_t    first_counter, expected;
    bool        counts; /* its numbers are not all the same */
    uint64_t    restart_count;
    uint32_t
        open_from; /* index of the first of `missing` that can still come: others are of before a restart */
    CounterRanges missing, late, twice;
};

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
    Arena       *arena; /* borrowed: the load's */
    HephStream  *first, *last;
    HephStream **slots; /* by id, open addressing */
    uint32_t     slot_count, stream_count;
    uint64_t     missing_total, late_total, twice_total; /* of all streams */
    bool         out_of_memory;
    CachedTrack  tracks[CACHED_TRACKS]; /* by hash: what does not fit costs a look-up in the builder */
    RecentEvent  recent[RECENT_EVENTS]; /* by stream and counter */
} HephStreams;

/* The stream and track of an event, made when they are new. NULL when out of memory. */
const CachedTrack *heph_track(HephStreams *streams, TraceBuilder *builder, uint32_t stream_id,
                              uint64_t substream);

typedef enum { COUNTED_EVENT, COUNTED_TWICE } Counted;

/* Takes note of an event's number. COUNTED_TWICE: it was there before, with the same bytes. */
Counted heph_count_event(HephStreams *streams, HephStream *stream, uint32_t counter, const uint8_t *packet,
                         size_t size, EventPos pos);

/* Warns of what is missing, late or there twice: at the end, for only then is it known. */
void heph_report_counters(const HephStreams *streams, TraceBuilder *builder);

#endif
