#include "format/go/v2/generation.h"

#include "format/go/common/version.h"
#include "format/go/v2/spec.h"

#include <inttypes.h>

enum { MOST_BATCH_BYTES = 64 << 10, HEADER_MOST_BYTES = 2 + 4 * 10, PADDED_VARINT_BYTES = 10 };

static uint64_t offset_of(const GoGeneration *generation, uint64_t at)
{
    return generation->origin + at;
}

void generation_begin(GoGeneration *generation, uint64_t origin)
{
    generation->number = 0;
    generation->origin = origin;
    generation->size = 0;
    generation->batch_count = generation->thread_count = generation->sample_count = 0;
    id_map_clear(&generation->thread_map);
    generation->thread_map.arena = generation->known_threads.arena = generation->arena;
    if (generation->frequency != 0) generation->previous_frequency = generation->frequency;
    generation->frequency = 0;
    generation->min_ticks = 0;
    generation->snapshot = (GoSnapshot){ .is_known = false };
    generation->heap = (GoHeapLayout){ .is_known = false };
    id_map_clear(&generation->type_map);
    generation->type_map.arena = generation->arena;
    generation->skip_begin = ERR_NOWHERE;
    generation->is_cut = generation->is_clock_damaged = false;
    go_tables_clear(&generation->tables);
}

/* -- batches -- */

typedef enum { HEADER_GOOD, HEADER_END_MARK, HEADER_BAD, HEADER_SHORT } HeaderResult;

typedef struct BatchHeader {
    uint64_t    generation, time, size;
    int64_t     m;
    uint64_t    at; /* offset of its data */
    uint8_t     experiment;
    bool        is_padded; /* its size is written in ten bytes, as by the runtime */
    const char *fault;     /* for HEADER_BAD */
} BatchHeader;

static HeaderResult header_fault(BatchHeader *header, const char *fault)
{
    header->fault = fault;
    return HEADER_BAD;
}

static HeaderResult read_header(ByteCursor *c, unsigned version, BatchHeader *header)
{
    *header = (BatchHeader){ .experiment = 0 };
    uint8_t type = cursor_u8(c);
    if (type == V2_END_OF_GENERATION && version >= GO_1_26) return HEADER_END_MARK;
    if (!c->failed && type != V2_EVENT_BATCH && type != V2_EXPERIMENTAL_BATCH)
        return header_fault(header, "no batch begins here");
    if (type == V2_EXPERIMENTAL_BATCH) header->experiment = cursor_u8(c);
    header->generation = cursor_varint(c, ULEB_REFUSE_EXCESS);
    header->m = (int64_t)cursor_varint(c, ULEB_REFUSE_EXCESS);
    header->time = cursor_varint(c, ULEB_REFUSE_EXCESS);
    size_t size_at = c->at;
    header->size = cursor_varint(c, ULEB_REFUSE_EXCESS);
    header->is_padded = c->at - size_at == PADDED_VARINT_BYTES;
    header->at = c->at;
    if (c->failed) {
        return c->size > HEADER_MOST_BYTES ? header_fault(header, "a number of a batch's header is too long")
                                           : HEADER_SHORT;
    }
    if (header->generation == 0) return header_fault(header, "a batch of generation 0");
    if (header->size > MOST_BATCH_BYTES) return header_fault(header, "a batch claims more than 65536 bytes");
    return HEADER_GOOD;
}

static bool note_thread(GoGeneration *generation, uint32_t batch)
{
    int64_t  m = generation->batches[batch].m;
    uint32_t place = id_map_find(&generation->thread_map, (uint64_t)m);
    if (place == 0) {
        GoThread *threads = arena_grow(generation->arena, generation->threads, generation->thread_count,
                                       &generation->thread_capacity, sizeof *threads);
        if (threads == NULL) return false;
        generation->threads = threads;
        place = generation->thread_count + 1;
        if (!id_map_put(&generation->thread_map, (uint64_t)m, place)) return false;
        if (id_map_find(&generation->known_threads, (uint64_t)m) == 0 &&
            !id_map_put(&generation->known_threads, (uint64_t)m, 1))
            return false;
        threads[generation->thread_count++] = (GoThread){ .m = m };
    }
    GoThread *thread = &generation->threads[place - 1];
    if (thread->last == 0) {
        thread->first = batch + 1;
    } else {
        generation->batches[thread->last - 1].next = batch + 1;
    }
    thread->last = batch + 1;
    thread->batch_count++;
    return true;
}

/* True if a batch with this first byte is a table. */
static bool is_table(unsigned version, uint8_t first)
{
    switch (first) {
    case V2_STACKS:
    case V2_STRINGS:
    case V2_CPU_SAMPLES:
        return true;
    case V2_FREQUENCY:
        return version < GO_1_25;
    case V2_SYNC:
        return version >= GO_1_25;
    default:
        return false;
    }
}

static bool add_batch(GoGeneration *generation, const BatchHeader *header, uint64_t at, const uint8_t *data)
{
    GoBatch *batches = arena_grow(generation->arena, generation->batches, generation->batch_count,
                                  &generation->batch_capacity, sizeof *batches);
    if (batches == NULL) return false;
    generation->batches = batches;
    uint32_t index = generation->batch_count++;
    bool     is_events =
        header->experiment == 0 && (header->size == 0 || !is_table(generation->version, data[0]));
    batches[index] = (GoBatch){ .time = header->time,
                                .m = header->m,
                                .at = at,
                                .table_at = at,
                                .size = (uint32_t)header->size,
                                .experiment = header->experiment,
                                .is_events = is_events };
    if (generation->min_ticks == 0 || header->time < generation->min_ticks)
        generation->min_ticks = header->time;
    return !is_events || note_thread(generation, index);
}

/* -- recovery from damage -- */

/* True if a batch of this or the next generation plausibly begins here. */
static bool is_plausible(const GoGeneration *generation, const BatchHeader *header)
{
    bool fits = generation->number == 0 || header->generation == generation->number ||
                header->generation == generation->number + 1;
    return fits && header->is_padded && header->experiment == 0 &&
           (header->m == GO_NONE || id_map_find(&generation->known_threads, (uint64_t)header->m) != 0);
}

/* Returns the offset, from `at` on, of the first possible begin of a batch, or of the first one with too few bytes to
 * check. */
static size_t find_batch(const GoGeneration *generation, const uint8_t *bytes, size_t size, size_t at,
                         InputState input)
{
    while (at < size) {
        const uint8_t *found = memchr(bytes + at, V2_EVENT_BATCH, size - at);
        if (found == NULL) return size;
        at = (size_t)(found - bytes);
        ByteCursor  c = cursor_over(bytes + at, size - at, 0);
        BatchHeader header;
        switch (read_header(&c, generation->version, &header)) {
        case HEADER_GOOD:
            if (is_plausible(generation, &header)) return at;
            break;
        case HEADER_SHORT:
            if (input != INPUT_ENDS) return at;
            break;
        case HEADER_END_MARK:
        case HEADER_BAD:
            break;
        }
        at++;
    }
    return size;
}

static void report_skipped(GoGeneration *generation, uint64_t end)
{
    uint64_t begin = generation->skip_begin;
    go_report(generation->report, "skipped-bytes", offset_of(generation, begin),
              "no batch could be read here: %" PRIu64 " bytes skipped", end - begin);
    generation->skip_begin = ERR_NOWHERE;
}

/* -- scanning -- */

static ScanResult end_of_input(GoGeneration *generation, uint64_t size)
{
    if (generation->skip_begin != ERR_NOWHERE) report_skipped(generation, size);
    bool had_batches = generation->batch_count > 0;
    bool is_whole = generation->version < GO_1_26 && generation->size == size;
    if (generation->size < size || (had_batches && !is_whole)) generation->is_cut = true;
    if (generation->size < size) {
        go_report(generation->report, "truncated-batch", offset_of(generation, generation->size),
                  "the last batch is cut short after %" PRIu64 " bytes", size - generation->size);
    } else if (had_batches && !is_whole) {
        go_report(generation->report, "truncated-generation", offset_of(generation, size),
                  "generation %" PRIu64 " has no end: the trace is cut short", generation->number);
    }
    generation->size = size;
    return !had_batches ? SCAN_NOTHING : generation->is_cut ? SCAN_CUT : SCAN_COMPLETE;
}

typedef enum { STEP_ON, STEP_WAIT, STEP_DONE, STEP_SKIP } Step;

/* Reads the batch at generation->size, where `bytes` begin. */
static Step scan_step(GoGeneration *generation, const uint8_t *bytes, size_t size)
{
    const uint64_t at = generation->size;
    ByteCursor     c = cursor_over(bytes, size, 0);
    BatchHeader    header;
    switch (read_header(&c, generation->version, &header)) {
    case HEADER_SHORT:
        return STEP_WAIT;
    case HEADER_BAD:
        go_report(generation->report, "bad-batch", offset_of(generation, at), "%s", header.fault);
        return STEP_SKIP;
    case HEADER_END_MARK:
        generation->size = at + 1;
        return STEP_DONE;
    case HEADER_GOOD:
        break;
    }
    if (generation->number == 0) generation->number = header.generation;
    if (header.generation != generation->number) {
        /* 4 follows the highest number: the runtime reserves lower ones */
        bool is_next = header.generation == generation->number + 1 ||
                       (generation->number == UINT64_MAX && header.generation == 4);
        if (is_next && generation->version < GO_1_26) return STEP_DONE;
        go_report(generation->report, "generation-order", offset_of(generation, at),
                  "a batch of generation %" PRIu64 " inside generation %" PRIu64, header.generation,
                  generation->number);
        if (is_next) {
            generation->is_cut = true; /* no end of the generation was written */
            return STEP_DONE;
        }
        return STEP_SKIP;
    }
    if (header.size > cursor_left(&c)) return STEP_WAIT;
    if (!add_batch(generation, &header, at + header.at, bytes + header.at)) {
        generation->out_of_memory = true;
        return STEP_DONE;
    }
    generation->size = at + header.at + header.size;
    return STEP_ON;
}

/* Skips unreadable bytes up to the next batch. False: no batch yet. */
static bool skip_on(GoGeneration *generation, const uint8_t *bytes, size_t size, InputState input)
{
    const size_t at = find_batch(generation, bytes, size, 0, input);
    ByteCursor   c = cursor_over(bytes + at, size - at, 0);
    BatchHeader  header;
    generation->size += at;
    if (at == size || read_header(&c, generation->version, &header) != HEADER_GOOD) return false;
    report_skipped(generation, generation->size);
    return true;
}

ScanResult generation_scan(GoGeneration *generation, const uint8_t *bytes, size_t size, InputState input)
{
    const uint64_t before = generation->size;
    for (size_t at = 0; at < size; at = (size_t)(generation->size - before)) {
        if (generation->skip_begin != ERR_NOWHERE && !skip_on(generation, bytes + at, size - at, input))
            break;
        at = (size_t)(generation->size - before);
        switch (scan_step(generation, bytes + at, size - at)) {
        case STEP_ON:
            continue;
        case STEP_DONE:
            return generation->is_cut ? SCAN_CUT : SCAN_COMPLETE;
        case STEP_SKIP:
            generation->is_cut = true;
            generation->skip_begin = generation->size++;
            continue;
        case STEP_WAIT:
            break;
        }
        break;
    }
    return input == INPUT_ENDS ? end_of_input(generation, before + size) : SCAN_NEEDS_MORE;
}
