#include "format/perf_data/queue.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

static int compare_records(const void *left, const void *right)
{
    const QueuedRecord *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Passes on the first `count` records, which are in order, and removes them. */
static void pass_on(PerfQueue *queue, size_t count)
{
    const size_t all = vec_count(&queue->records);
    Bytes        left = { 0 };
    for (size_t i = 0; i < count; i++) {
        const QueuedRecord *queued = &queue->records.items[i];
        const PerfRecord    record = { queued->type,
                                       queued->misc,
                                       { (const char *)queue->bytes.data + queued->at, queued->size } };
        queue->take(queue->context, &record, queued->pos);
    }
    for (size_t i = count; i < all; i++) {
        QueuedRecord *queued = &queue->records.items[i];
        const size_t  at = left.size;
        bytes_append(&left, queue->bytes.data + queued->at, queued->size);
        queued->at = at;
        queue->records.items[i - count] = *queued;
    }
    vec_cut(&queue->records, all - count);
    if (left.size == 0) { /* the most frequent case keeps the memory */
        bytes_clear(&queue->bytes);
    } else {
        bytes_release(&queue->bytes);
        queue->bytes = left;
    }
}

static void sort(PerfQueue *queue)
{
    const size_t count = vec_count(&queue->records);
    if (count > 1) qsort(queue->records.items, count, sizeof *queue->records.items, compare_records);
}

void perf_queue_add(PerfQueue *queue, const PerfRecord *record, uint64_t time, EventPos pos)
{
    const QueuedRecord queued = { .time = time,
                                  .number = queue->number++,
                                  .pos = pos,
                                  .at = queue->bytes.size,
                                  .type = record->type,
                                  .misc = record->misc,
                                  .size = (uint16_t)record->body.size };
    bytes_append(&queue->bytes, record->body.bytes, record->body.size);
    vec_push(&queue->records, queued);
    if (time > queue->latest) queue->latest = time;
    if (queue->bytes.size <= MOST_BYTES || perf_queue_failed(queue)) return;
    sort(queue);
    pass_on(queue, vec_count(&queue->records) / 2);
}

void perf_queue_end_round(PerfQueue *queue)
{
    size_t count = 0;
    if (perf_queue_failed(queue)) return;
    sort(queue);
    while (count < vec_count(&queue->records) && queue->records.items[count].time <= queue->round_end)
        count++;
    queue->round_end = queue->latest;
    if (count > 0) pass_on(queue, count);
}

void perf_queue_end(PerfQueue *queue)
{
    if (perf_queue_failed(queue)) return;
    sort(queue);
    pass_on(queue, vec_count(&queue->records));
}

bool perf_queue_failed(const PerfQueue *queue)
{
    return queue->bytes.failed || queue->records.bytes.failed;
}

void perf_queue_release(PerfQueue *queue)
{
    vec_release(&queue->records);
    bytes_release(&queue->bytes);
}
