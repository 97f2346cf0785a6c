#include "format/go/v2/generation.h"

#include "format/go/common/version.h"
#include "format/go/v2/alloc_free.h"
#include "format/go/v2/spec.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_STRING_BYTES = 1024, MOST_FRAMES = 128, NUMBERS_PER_FRAME = 4 };
static const uint64_t USUAL_FREQUENCY = 15625000; /* ticks of 64 ns, on all systems except Windows */
static const uint64_t MOST_FREQUENCY = 1000000000000;

/* A batch with a table. */
typedef struct TableBatch {
    GoGeneration  *generation;
    const GoBatch *batch;
    ByteCursor     c; /* over its data; its origin is the offset in GoTables.bytes */
} TableBatch;

/* Returns the offset in the input of byte `at` of the data. */
static uint64_t offset_of(const TableBatch *table, size_t at)
{
    return table->generation->origin + table->batch->at + at;
}

static bool is_damaged(TableBatch *table, size_t at, const char *fault)
{
    go_report(table->generation->report, "bad-table", offset_of(table, at),
              "%s: the rest of this table is lost", fault);
    return true; /* not an error of the reader */
}

/* { 05 id len bytes }* */
static bool read_strings(TableBatch *table)
{
    ByteCursor *c = &table->c;
    while (cursor_left(c) > 0) {
        size_t at = c->at;
        if (cursor_u8(c) != V2_STRING) return is_damaged(table, at, "no string where one was expected");
        uint64_t id = cursor_varint(c, ULEB_REFUSE_EXCESS);
        uint64_t size = cursor_varint(c, ULEB_REFUSE_EXCESS);
        uint64_t begin = cursor_offset(c);
        if (c->failed || size > cursor_left(c)) return is_damaged(table, at, "a string runs over its table");
        if (size > MOST_STRING_BYTES) {
            go_report(table->generation->report, "long-string", offset_of(table, at),
                      "a string of %" PRIu64 " bytes, where Go writes at most 1024", size);
        }
        (void)cursor_take(c, (size_t)size);
        if (!go_tables_add_string(&table->generation->tables, id, begin, (uint32_t)size)) return false;
    }
    return true;
}

/* { 03 id n n x (pc, func, file, line) }* */
static bool read_stacks(TableBatch *table)
{
    ByteCursor *c = &table->c;
    while (cursor_left(c) > 0) {
        size_t at = c->at;
        if (cursor_u8(c) != V2_STACK) return is_damaged(table, at, "no stack where one was expected");
        uint64_t id = cursor_varint(c, ULEB_REFUSE_EXCESS);
        uint64_t count = cursor_varint(c, ULEB_REFUSE_EXCESS);
        uint64_t begin = cursor_offset(c);
        if (c->failed || !cursor_can_hold(c, count, NUMBERS_PER_FRAME))
            return is_damaged(table, at, "a stack runs over its table");
        if (count > MOST_FRAMES) {
            go_report(table->generation->report, "deep-stack", offset_of(table, at),
                      "a stack of %" PRIu64 " frames, where Go writes at most 128", count);
        }
        for (uint64_t i = 0; i < count * NUMBERS_PER_FRAME; i++)
            (void)cursor_varint(c, ULEB_REFUSE_EXCESS);
        if (c->failed) return is_damaged(table, at, "a stack runs over its table");
        if (!go_tables_add_stack(&table->generation->tables, id, begin, (uint32_t)(cursor_offset(c) - begin),
                                 (uint32_t)count))
            return false;
    }
    return true;
}

/* { 07 time m p g stack }* */
static bool read_samples(TableBatch *table)
{
    GoGeneration *generation = table->generation;
    ByteCursor   *c = &table->c;
    while (cursor_left(c) > 0) {
        size_t at = c->at;
        if (cursor_u8(c) != V2_CPU_SAMPLE)
            return is_damaged(table, at, "no CPU sample where one was expected");
        GoSample sample = { .offset = offset_of(table, at) };
        sample.time = (int64_t)cursor_varint(c, ULEB_REFUSE_EXCESS); /* in ticks until the clock is known */
        sample.m = (int64_t)cursor_varint(c, ULEB_REFUSE_EXCESS);
        sample.p = (int64_t)cursor_varint(c, ULEB_REFUSE_EXCESS);
        sample.g = (int64_t)cursor_varint(c, ULEB_REFUSE_EXCESS);
        sample.stack = cursor_varint(c, ULEB_REFUSE_EXCESS);
        if (c->failed) return is_damaged(table, at, "a CPU sample runs over its table");
        if (sample.g == 0) sample.g = GO_NONE;
        GoSample *samples = arena_grow(generation->arena, generation->samples, generation->sample_count,
                                       &generation->sample_capacity, sizeof *samples);
        if (samples == NULL) return false;
        generation->samples = samples;
        samples[generation->sample_count++] = sample;
    }
    return true;
}

static void take_frequency(TableBatch *table, size_t at)
{
    GoGeneration *generation = table->generation;
    uint64_t      frequency = cursor_varint(&table->c, ULEB_REFUSE_EXCESS);
    uint64_t      offset = offset_of(table, at);
    if (table->c.failed) return;
    if (frequency == 0 || frequency > MOST_FREQUENCY) {
        go_report(generation->report, "bad-frequency", offset, "%" PRIu64 " ticks a second cannot be",
                  frequency);
    } else if (generation->frequency != 0) {
        go_report(generation->report, "repeated-frequency", offset,
                  "another frequency in the same generation: the first one counts");
    } else {
        generation->frequency = frequency;
    }
}

/* { 33 dt mono sec nsec } */
static void take_snapshot(TableBatch *table)
{
    GoSnapshot *snapshot = &table->generation->snapshot;
    GoSnapshot  read = { .is_known = true };
    read.ticks = table->batch->time + cursor_varint(&table->c, ULEB_REFUSE_EXCESS);
    read.mono_ns = cursor_varint(&table->c, ULEB_REFUSE_EXCESS);
    read.unix_sec = cursor_varint(&table->c, ULEB_REFUSE_EXCESS);
    read.unix_nsec = cursor_varint(&table->c, ULEB_REFUSE_EXCESS);
    if (!table->c.failed && !snapshot->is_known) *snapshot = read;
}

/* Reads the clock: a frequency; from 1.25 on 32, then frequency and snapshot in any order. Events need it for their
 * times. */
static bool read_clock(TableBatch *table)
{
    ByteCursor *c = &table->c;
    if (table->generation->version >= GO_1_25) (void)cursor_u8(c);
    while (cursor_left(c) > 0) {
        size_t  at = c->at;
        uint8_t type = cursor_u8(c);
        if (type == V2_FREQUENCY) {
            take_frequency(table, at);
        } else if (type == V2_CLOCK_SNAPSHOT && table->generation->version >= GO_1_25) {
            take_snapshot(table);
        }
        if (c->failed || (type != V2_FREQUENCY && type != V2_CLOCK_SNAPSHOT)) {
            table->generation->is_clock_damaged = true;
            go_report(table->generation->report, "bad-clock", offset_of(table, at),
                      "expected frequency or clock snapshot, got %u: generation %" PRIu64 " has no times",
                      type, table->generation->number);
            return true;
        }
    }
    return true;
}

static bool read_table(TableBatch *table)
{
    assert(cursor_left(&table->c) > 0);
    switch (table->c.bytes[0]) {
    case V2_STRINGS:
        table->c.at = 1;
        return read_strings(table);
    case V2_STACKS:
        table->c.at = 1;
        return read_stacks(table);
    case V2_CPU_SAMPLES:
        table->c.at = 1;
        return read_samples(table);
    default:
        return read_clock(table);
    }
}

static void choose_clock(GoGeneration *generation)
{
    if (generation->frequency == 0) {
        generation->frequency =
            generation->previous_frequency != 0 ? generation->previous_frequency : USUAL_FREQUENCY;
        go_report(generation->report, "no-frequency", generation->origin,
                  "generation %" PRIu64 " does not say how long a tick is: taken as %" PRIu64 " a second",
                  generation->number, generation->frequency);
    }
    if (generation->version >= GO_1_25 && !generation->snapshot.is_known && !generation->is_cut) {
        go_report(generation->report, "no-clock-snapshot", generation->origin,
                  "generation %" PRIu64 " has no clock snapshot", generation->number);
    }
    generation->ns_per_tick = 1.0 / ((double)generation->frequency / 1e9);
}

/* Stable merge sort by runs, which are few in real traces. */
static bool sort_samples(GoGeneration *generation)
{
    uint32_t  count = generation->sample_count;
    GoSample *from = generation->samples;
    GoSample *to = count == 0 ? NULL : ARENA_ARRAY(generation->arena, GoSample, count);
    if (count > 0 && to == NULL) return false;
    for (uint32_t width = 1; width < count; width = (width > count / 2) ? count : width * 2) {
        for (uint32_t begin = 0; begin < count;) {
            uint32_t middle = count - begin < width ? count : begin + width;
            uint32_t end = count - middle < width ? count : middle + width;
            uint32_t a = begin, b = middle, at = begin;
            while (at < end)
                to[at++] = b == end || (a < middle && from[a].time <= from[b].time) ? from[a++] : from[b++];
            begin = end;
        }
        GoSample *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != generation->samples) memcpy(generation->samples, from, count * sizeof *from);
    return true;
}

/* Loads the batches with tables, experiments included, into one buffer. False when out of memory. */
static bool load_tables(GoGeneration *generation)
{
    generation->kept.size = 0;
    for (uint32_t i = 0; i < generation->batch_count; i++) {
        GoBatch *batch = &generation->batches[i];
        if (batch->is_events) continue;
        batch->table_at = generation->kept.size;
        if (!go_buffer_load(generation->arena, &generation->kept, &generation->again,
                            generation->origin + batch->at, batch->size))
            return false;
        batch->size = (uint32_t)(generation->kept.size - batch->table_at);
    }
    return true;
}

bool generation_open(GoGeneration *generation, const uint8_t *bytes)
{
    assert(generation->again.read == NULL || bytes == NULL);
    uint32_t duplicates;
    if (generation->again.read != NULL && !load_tables(generation)) return false;
    generation->tables.bytes = generation->again.read != NULL ? generation->kept.data : bytes;
    generation->tables.rule = ULEB_REFUSE_EXCESS;
    for (uint32_t i = 0; i < generation->batch_count; i++) {
        const GoBatch *batch = &generation->batches[i];
        if (batch->is_events || batch->size == 0) continue;
        const ByteCursor data =
            cursor_over(generation->tables.bytes + batch->table_at, batch->size, batch->table_at);
        if (batch->experiment != 0) {
            ByteCursor c = data;
            if (batch->experiment == GO_EXPERIMENT_ALLOC_FREE && !alloc_free_read(generation, &c))
                return false;
            continue;
        }
        TableBatch table = { generation, batch, data };
        if (!read_table(&table)) return false;
    }
    if (!go_tables_index(&generation->tables, &duplicates)) return false;
    if (duplicates > 0) {
        go_report(generation->report, "duplicate-id", generation->origin,
                  "%u strings or stacks of generation %" PRIu64
                  " have ids that others have: the first ones count",
                  duplicates, generation->number);
    }
    choose_clock(generation);
    for (uint32_t i = 0; i < generation->sample_count; i++)
        generation->samples[i].time =
            go_ticks_to_ns(generation->ns_per_tick, (uint64_t)generation->samples[i].time);
    return sort_samples(generation);
}
