/* The table of columns: every column of the Trace is in it, and all of them are mapped, counted, checked and released. */
#include "support/test.h"
#include "trace/store/begins.h"
#include "trace/store/columns.h"
#include "trace/store/trace.h"
#include "trace_shapes.h"

#include <string.h>

/* Returns the number of pointers to columns in the Trace, counted from the sizes of its structs. */
static size_t column_pointers(void)
{
    const SliceColumns   slices = { .count = 0 };
    const InstantColumns instants = { .count = 0 };
    const StackColumn    stacks = { .count = 0 };
    size_t               other = 0;
    /* the members that are not columns: counts, flags with their padding */
    other +=
        sizeof slices.begin_block_count + sizeof slices.begin_word_count + sizeof slices.begin_high_count;
    other += sizeof slices.count + sizeof slices.hole_count + sizeof slices.source_count +
             sizeof slices.source_rank_count + sizeof slices.async_thread_count +
             sizeof slices.end_source_count + sizeof slices.long_count + 3 * sizeof(uint64_t) +
             2 * sizeof stacks;
    const size_t of_slices = (sizeof slices - other) / sizeof(void *);
    const size_t of_instants = (sizeof instants - 2 * sizeof instants.count - sizeof stacks) / sizeof(void *);
    const size_t of_stacks = 3 * (sizeof stacks - 2 * sizeof(uint64_t)) / sizeof(void *);
    const size_t of_samples = (sizeof(SampleColumns) - 2 * sizeof(uint64_t)) / sizeof(void *);
    const size_t of_profile = (sizeof(ProfileColumns) - 3 * sizeof(uint64_t)) / sizeof(void *);
    /* without count, long_offsets (in the arena), long_count and reach_count */
    const size_t of_flows = (sizeof(FlowColumns) - 3 * sizeof(uint64_t)) / sizeof(void *) - 1;
    return of_slices + of_instants + of_stacks + of_samples + of_profile + of_flows;
}

TEST(every_column_of_a_trace_is_in_the_table_once)
{
    if (sizeof(void *) == sizeof(uint64_t)) CHECK_UINT(column_pointers(), COLUMN_COUNT);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            CHECK(TRACE_COLUMNS[i].address != TRACE_COLUMNS[j].address);
            CHECK(strcmp(TRACE_COLUMNS[i].name, TRACE_COLUMNS[j].name) != 0);
        }
    }
}

TEST(mapped_columns_are_counted_and_released)
{
    Trace trace = { .track_count = 0 };
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        memcpy((char *)&trace + TRACE_COLUMNS[i].count, &(uint64_t){ 1000 + i }, sizeof(uint64_t));
    trace.slices.has_cpu = true;
    trace.slices.begin_block_count = trace.slices.begin_word_count = trace.slices.begin_high_count =
        0; /* packed later */
    const uint64_t before = memory_held();
    CHECK(columns_map(&trace, COLUMNS_EVENTS) && columns_map(&trace, COLUMNS_SPARSE));
    CHECK(columns_map(&trace, COLUMNS_STACKS) && columns_map(&trace, COLUMNS_FLOWS));
    CHECK_UINT(memory_held() - before, columns_bytes(&trace, COLUMNS_ALL));
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const bool is_absent = TRACE_COLUMNS[i].presence == COLUMN_WITH_WEIGHTS ||
                               TRACE_COLUMNS[i].presence == COLUMN_WITH_FAR_SOURCES ||
                               TRACE_COLUMNS[i].presence == COLUMN_WITH_HIGH_LABELS ||
                               TRACE_COLUMNS[i].group == COLUMNS_PACKED;
        CHECK((column_items(&trace, &TRACE_COLUMNS[i]) == NULL) == is_absent);
    }
    columns_release(&trace, COLUMNS_FLOWS);
    CHECK(trace.flows.from == NULL && trace.slices.label != NULL);
    CHECK_UINT(memory_held() - before,
               columns_bytes(&trace, COLUMNS_EVENTS | COLUMNS_SPARSE | COLUMNS_STACKS));
    columns_release(&trace, COLUMNS_ALL);
    CHECK_UINT(memory_held(), before);
}

TEST(a_value_out_of_range_is_found)
{
    Trace *trace = shape_trace(SHAPE_NESTED, 7, 500);
    Err    err = { .code = ERR_NONE };
    CHECK(columns_check(trace, &err));
    trace->slices.label[3] = (uint16_t)(trace->label_count + 1);
    CHECK(!columns_check(trace, &err));
    CHECK_STRING(err.message, "trace_check: slice.label out of range (3)");
    trace->slices.label[3] = 1;
    trace->instants.tick[2] = trace->end_tick + 1;
    CHECK(!columns_check(trace, &err));
    CHECK_STRING(err.message, "trace_check: instant.tick out of range (2)");
    trace_release(trace);
}

/* True if a slice of a row is in the time of the trace, after the slice before it, and inside the last slice above that begins
 * before it. */
static bool is_sound(const Trace *trace, uint32_t r, uint32_t i)
{
    const Row    *row = &trace->rows[r], *above = row->depth == 0 ? NULL : row - 1;
    const int64_t begin = trace_slice_begin(trace, row->first_slice + i),
                  end = trace_slice_end(trace, row->first_slice + i);
    const bool is_in_time = begin >= trace->begin_tick && end >= begin && end <= trace->end_tick;
    const bool is_after = i == 0 || begin >= trace_slice_end(trace, row->first_slice + i - 1);
    bool       is_inside = above == NULL;
    for (uint32_t a = 0; above != NULL && a < above->slice_count; a++)
        if (trace_slice_begin(trace, above->first_slice + a) <= begin)
            is_inside = trace_slice_end(trace, above->first_slice + a) >= end;
    return is_in_time && is_after && is_inside;
}

static bool all_are_sound(const Trace *trace)
{
    for (uint32_t r = 0; r < trace->row_count; r++)
        for (uint32_t i = 0; i < trace->rows[r].slice_count; i++)
            if (!is_sound(trace, r, i)) return false;
    return true;
}

/* Makes begins that can be changed. */
static void unpack_begins(Trace *trace)
{
    SliceColumns  *slices = &trace->slices;
    int64_t *const begins = (int64_t *)memory_map((size_t)slices->count * sizeof *begins);
    CHECK(begins != NULL && slices->count <= UINT32_MAX);
    begins_read(trace, 0, (uint32_t)slices->count, begins);
    columns_release(trace, COLUMNS_PACKED);
    slices->begin_block_count = slices->begin_word_count = slices->begin_high_count = 0;
    slices->begin_tick = begins;
}

TEST(a_moved_slice_is_found_unless_it_is_still_in_order_and_inside)
{
    static const TraceShape SHAPES[] = { SHAPE_DENSE, SHAPE_NESTED, SHAPE_LANES };
    TestRandom              random = { 11 };
    unsigned                sound = 0, damaged = 0;
    for (size_t s = 0; s < 3; s++) {
        Trace *trace = shape_trace(SHAPES[s], 5, 300);
        unpack_begins(trace);
        for (int n = 0; n < 500; n++) {
            const size_t   slice = test_random_size(&random, (size_t)trace->slices.count);
            const int64_t  begin = trace_slice_begin(trace, slice);
            const uint32_t duration = trace->slices.duration[slice];
            const int64_t  by = (int64_t)test_random_below(&random, 9) - 4;
            if (trace->slices.flags[slice] & SLICE_LONG) continue;
            if (n % 2 == 0) trace->slices.begin_tick[slice] += by;
            if (n % 3 > 0 && (int64_t)duration + by >= 0) trace->slices.duration[slice] += (uint32_t)by;
            Err        err;
            const bool expected = all_are_sound(trace);
            CHECK(trace_check_rows(trace, &err) == expected);
            *(expected ? &sound : &damaged) += 1;
            trace->slices.begin_tick[slice] = begin;
            trace->slices.duration[slice] = duration;
        }
        trace_release(trace);
    }
    CHECK(sound > 100 && damaged > 100);
}

TEST_MAIN("columns", TEST_CASE(every_column_of_a_trace_is_in_the_table_once),
          TEST_CASE(mapped_columns_are_counted_and_released), TEST_CASE(a_value_out_of_range_is_found),
          TEST_CASE(a_moved_slice_is_found_unless_it_is_still_in_order_and_inside))
