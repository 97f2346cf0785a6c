/* The table of columns: every column of the Trace is in it, and all of them are mapped, counted, checked and released. */
#include "support/test.h"
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
    other += sizeof slices.count + sizeof slices.hole_count + sizeof slices.source_count +
             sizeof slices.source_rank_count + sizeof slices.async_thread_count +
             sizeof slices.end_source_count + sizeof slices.long_count + 2 * sizeof(uint64_t) +
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
    const uint64_t before = memory_held();
    CHECK(columns_map(&trace, COLUMNS_EVENTS) && columns_map(&trace, COLUMNS_SPARSE));
    CHECK(columns_map(&trace, COLUMNS_STACKS) && columns_map(&trace, COLUMNS_FLOWS));
    CHECK_UINT(memory_held() - before, columns_bytes(&trace, COLUMNS_ALL));
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const bool is_absent = TRACE_COLUMNS[i].presence == COLUMN_WITH_WEIGHTS ||
                               TRACE_COLUMNS[i].presence == COLUMN_WITH_FAR_SOURCES;
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
    trace->slices.label[3] = trace->label_count + 1;
    CHECK(!columns_check(trace, &err));
    CHECK_STRING(err.message, "trace_check: slice.label out of range (3)");
    trace->slices.label[3] = 1;
    trace->instants.tick[2] = trace->end_tick + 1;
    CHECK(!columns_check(trace, &err));
    CHECK_STRING(err.message, "trace_check: instant.tick out of range (2)");
    trace_release(trace);
}

TEST_MAIN("columns", TEST_CASE(every_column_of_a_trace_is_in_the_table_once),
          TEST_CASE(mapped_columns_are_counted_and_released), TEST_CASE(a_value_out_of_range_is_found))
