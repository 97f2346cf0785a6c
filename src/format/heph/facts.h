/* format/heph/facts.h - the property "statistics": counts over all packets of a trace.
 *
 * {"descriptions": different ones, "largest_event": bytes, "attribute_types": {"0x01": count, ...},
 *  "skipped_bytes": in all, "skipped": [[offset, bytes], ...],
 *  "streams": [{"stream", "events", "first_counter", and if not 0 "missing", "missing_ranges": [[first, last], ...],
 *  "late", "late_ranges", "duplicates", "duplicate_ranges", "restarts"}, ...]}
 * "counts": false marks a stream whose counters are all equal. The lists have the newest RANGES_KEPT ranges and the
 * first RUNS_KEPT skipped runs. */
#ifndef FORMAT_HEPH_FACTS_H
#define FORMAT_HEPH_FACTS_H
#include "format/heph/packet.h"
#include "format/heph/stream.h"

enum { RUNS_KEPT = 1024 };

typedef struct SkippedRun {
    uint64_t offset, size;
} SkippedRun;

typedef struct HephFacts {
    uint64_t   event_count, metadata_count; /* packets */
    uint64_t   description_count, largest_event;
    uint64_t   types[HEPH_TYPES];
    uint64_t   skipped_bytes;
    SkippedRun runs[RUNS_KEPT];
    uint32_t   run_count;
} HephFacts;

void heph_facts_skip(HephFacts *facts, uint64_t offset, uint64_t size);

/* Adds the property to the builder. False when out of memory. */
bool heph_facts_report(const HephFacts *facts, const HephStreams *streams, TraceBuilder *builder);

#endif
