/* format/perf_data/queue.h - brings the records of perf.data in order of time. For format/perf_data only.
 *
 * Each processor has a buffer of its own, and perf writes the buffers in rounds. A record is not later than the records of the next
 * round, so all up to the latest time of the round before are complete at the end of a round (ordered-events.c of perf 6.1). */
#ifndef FORMAT_PERF_DATA_QUEUE_H
#define FORMAT_PERF_DATA_QUEUE_H
#include "base/vec.h"
#include "format/perf_data/events.h"
#include "trace/log/builder.h"

typedef struct QueuedRecord {
    uint64_t time, number; /* equal times stay in the order of the file */
    EventPos pos;
    size_t   at; /* of its bytes */
    uint32_t type;
    uint16_t misc, size;
} QueuedRecord;

/* A zeroed PerfQueue is valid and empty. */
typedef struct PerfQueue {
    VEC(QueuedRecord) records;
    Bytes    bytes;             /* the bodies of the records */
    uint64_t number;            /* of the next record */
    uint64_t latest, round_end; /* times: of all records so far, and at the end of the last round */
    void (*take)(void *context, const PerfRecord *record, EventPos pos);
    void *context;
} PerfQueue;

/* Adds a copy of a record. Passes some of the first ones on if they take too much memory. */
void perf_queue_add(PerfQueue *queue, const PerfRecord *record, uint64_t time, EventPos pos);
/* Passes the complete records of a round to `take`, or at the end all records. */
void perf_queue_end_round(PerfQueue *queue);
void perf_queue_end(PerfQueue *queue);
/* True after a failed allocation. */
bool perf_queue_failed(const PerfQueue *queue);
void perf_queue_release(PerfQueue *queue);

#endif
