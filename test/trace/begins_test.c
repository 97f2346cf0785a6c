/* The begins of slices in blocks, and labels of more than 16 bits. */
#include "support/test.h"
#include "trace/store/begins.h"
#include "trace/store/columns.h"
#include "trace_support.h"

#include <stdio.h>
#include <string.h>

/* Makes a trace with these begins and no other columns. Release it with columns_release. */
static void set_begins(Trace *trace, const int64_t *begins, uint64_t count)
{
    *trace = (Trace){ .track_count = 0 };
    trace->slices.count = count;
    trace->slices.begin_tick = (int64_t *)memory_map((size_t)count * sizeof *begins);
    CHECK(trace->slices.begin_tick != NULL);
    memcpy(trace->slices.begin_tick, begins, (size_t)count * sizeof *begins);
}

static bool is_wide(const Trace *trace, uint64_t block)
{
    return trace->slices.begin_blocks[block].high != 0;
}

TEST(begins_in_blocks_are_those_that_were_packed)
{
    enum { COUNT = 10000 };
    static int64_t begins[COUNT], read[COUNT];
    TestRandom     random = { 3 };
    for (int round = 0; round < 60; round++) {
        const uint64_t count = 1 + test_random_below(&random, COUNT);
        int64_t        tick = INT64_MIN;
        Trace          trace;
        uint64_t       wide = 0;
        for (uint64_t i = 0; i < count; i++) { /* some blocks have large distances, and some are not sorted */
            const bool is_far = test_random_below(&random, 200) == 0;
            tick = (int64_t)((uint64_t)tick + test_random_below(&random, is_far ? UINT64_C(1) << 62 : 1000));
            begins[i] = tick;
        }
        const uint64_t held = memory_held();
        set_begins(&trace, begins, count);
        CHECK(begins_pack(&trace));
        CHECK(trace.slices.begin_tick == NULL);
        CHECK_UINT(memory_held() - held, columns_bytes(&trace, COLUMNS_PACKED));
        for (uint64_t i = 0; i < count; i++)
            CHECK_INT(trace_slice_begin(&trace, i), begins[i]);
        for (int part = 0; part < 20; part++) {
            const uint64_t first = test_random_below(&random, count),
                           size = test_random_below(&random, count - first + 1);
            begins_read(&trace, first, (uint32_t)size, read);
            CHECK(memcmp(read, begins + first, (size_t)size * sizeof *read) == 0);
        }
        for (uint64_t b = 0; b < trace.slices.begin_block_count; b++)
            wide += is_wide(&trace, b);
        CHECK(count < 2000 || (wide > 0 && wide < trace.slices.begin_block_count));
        Err err;
        CHECK(begins_check(&trace, &err));
        columns_release(&trace, COLUMNS_ALL);
        CHECK_UINT(memory_held(), held);
    }
}

TEST(a_block_is_wide_from_a_distance_of_32_bits_on)
{
    int64_t begins[3 * BEGIN_BLOCK_SLICES];
    Trace   trace;
    for (int i = 0; i < 3 * BEGIN_BLOCK_SLICES; i++)
        begins[i] = i;
    begins[BEGIN_BLOCK_SLICES - 1] = UINT32_MAX;
    begins[2 * BEGIN_BLOCK_SLICES - 1] = INT64_C(1) + BEGIN_BLOCK_SLICES + UINT32_MAX;
    set_begins(&trace, begins, 3 * BEGIN_BLOCK_SLICES);
    CHECK(begins_pack(&trace));
    CHECK(!is_wide(&trace, 0) && is_wide(&trace, 1) && !is_wide(&trace, 2));
    CHECK_UINT(trace.slices.begin_high_count, BEGIN_BLOCK_SLICES);
    for (uint64_t i = 0; i < 3 * BEGIN_BLOCK_SLICES; i++)
        CHECK_INT(trace_slice_begin(&trace, i), begins[i]);
    columns_release(&trace, COLUMNS_ALL);
}

TEST(a_block_may_have_both_ends_of_the_time)
{
    const int64_t begins[] = { INT64_MAX - 10, INT64_MAX - 5, INT64_MIN + 3, INT64_MIN + 7 }; /* two rows */
    Trace         trace;
    Err           err;
    set_begins(&trace, begins, 4);
    CHECK(begins_pack(&trace) && begins_check(&trace, &err));
    for (uint64_t i = 0; i < 4; i++)
        CHECK_INT(trace_slice_begin(&trace, i), begins[i]);
    CHECK_UINT(begins_lower_bound(&trace.slices, 0, 2, INT64_MAX - 6), 1);
    CHECK_UINT(begins_lower_bound(&trace.slices, 2, 4, INT64_MIN + 4), 3);
    CHECK_UINT(begins_lower_bound(&trace.slices, 2, 4, INT64_MAX), 4);
    columns_release(&trace, COLUMNS_ALL);

    set_begins(&trace, begins, 2);
    CHECK(begins_pack(&trace) && begins_check(&trace, &err) && !is_wide(&trace, 0));
    trace.slices.begin_blocks[0].base = INT64_MAX - 4; /* 5 later is before it */
    CHECK(!begins_check(&trace, &err));
    CHECK_STRING(err.message, "slice.begin_block: a begin before the base of block 0");
    columns_release(&trace, COLUMNS_ALL);
}

TEST(upper_halves_of_a_file_must_follow_one_another)
{
    enum { COUNT = 5 * BEGIN_BLOCK_SLICES + 1 };
    int64_t begins[COUNT];
    Trace   trace;
    Err     err;
    for (int i = 0; i < COUNT; i++)
        begins[i] = i * (i < 4 * BEGIN_BLOCK_SLICES ? INT64_C(1) << 32 : 1);
    set_begins(&trace, begins, COUNT);
    CHECK(begins_pack(&trace) && begins_check(&trace, &err));
    BeginBlock *blocks = trace.slices.begin_blocks;
    CHECK(is_wide(&trace, 3) && !is_wide(&trace, 4));
    blocks[2].high += BEGIN_BLOCK_SLICES;
    CHECK(!begins_check(&trace, &err));
    CHECK_STRING(err.message, "slice.begin_block: wrong upper halves in block 2");
    blocks[2].high -= BEGIN_BLOCK_SLICES;
    blocks[5].high = 4 * BEGIN_BLOCK_SLICES + 1;
    CHECK(!begins_check(&trace, &err));
    CHECK_STRING(err.message, "slice.begin_high: 256 items, expected 257");
    blocks[5].high = 0;
    trace.slices.begin_word_count--;
    CHECK(!begins_check(&trace, &err));
    CHECK_STRING(err.message, "slice.begin: 320 items, expected 321");
    trace.slices.begin_word_count++;
    trace.slices.begin_block_count--;
    CHECK(!begins_check(&trace, &err));
    CHECK_STRING(err.message, "slice.begin_block: 5 blocks, expected 6");
    trace.slices.begin_block_count++;
    CHECK(begins_check(&trace, &err));
    columns_release(&trace, COLUMNS_ALL);
}

/* The names of the slices of a trace in the order of the columns are 0, 1, 2, ... */
static void check_names(const Trace *trace, unsigned count)
{
    CHECK_UINT(trace->slices.count, count);
    CHECK(trace->slices.has_high_labels);
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", i);
        CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, i)).bytes, name);
    }
}

TEST(a_trace_may_have_labels_of_more_than_16_bits)
{
    enum { COUNT = 70000 };
    for (int is_logged = 0; is_logged < 2; is_logged++) {
        EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
        feed_set_thread(&feed, 1, 2);
        for (unsigned i = 0; i < COUNT; i++) {
            char          name[16];
            const int     size = snprintf(name, sizeof name, "%u", i);
            const LabelId label = feed_label(&feed, name, (size_t)size);
            if (is_logged) {
                builder_complete(feed.builder, feed.thread, 2 * (int64_t)i, 2 * (int64_t)i + 1, label,
                                 feed_next_pos(&feed), 0);
            } else {
                builder_begin(feed.builder, feed.thread, 2 * (int64_t)i, label, feed_next_pos(&feed), 0);
                builder_end(feed.builder, feed.thread, 2 * (int64_t)i + 1, LABEL_NONE, feed_next_pos(&feed),
                            0);
            }
        }
        Trace *trace = feed_finish(&feed, 1);
        check_names(trace, COUNT);
        trace_release(trace);
    }
}

/* The colours of ends make labels when the columns exist already. */
TEST(colours_of_ends_may_make_labels_of_more_than_16_bits)
{
    enum { COUNT = 40000 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    const LabelId red = builder_colour_label(
        feed.builder, builder_label(feed.builder, STRING_NONE, STRING_NONE), LABEL_COLOUR(0xFF0000));
    for (unsigned i = 0; i < COUNT; i++) {
        char          name[16];
        const int     size = snprintf(name, sizeof name, "%u", i);
        const LabelId label = feed_label(&feed, name, (size_t)size);
        builder_begin(feed.builder, feed.thread, 2 * (int64_t)i, label, feed_next_pos(&feed), 0);
        builder_end(feed.builder, feed.thread, 2 * (int64_t)i + 1, red, feed_next_pos(&feed), 0);
    }
    Trace *trace = feed_finish(&feed, 1);
    check_names(trace, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        CHECK_UINT(trace->labels[trace_slice_label(trace, i)].colour, LABEL_COLOUR(0xFF0000));
    trace_release(trace);
}

TEST(begins_are_found_in_every_form)
{
    enum { COUNT = 1000 };
    enum { PLAIN, NARROW, WIDE, FORMS };
    static int64_t begins[COUNT];
    TestRandom     random = { 5 };
    for (int form = PLAIN; form < FORMS; form++) {
        Trace   trace;
        int64_t tick = -500;
        for (int i = 0; i < COUNT; i++) {
            tick += (int64_t)test_random_below(&random, 3);
            if (form == WIDE && i % 300 == 299) tick += INT64_C(1) << 33;
            begins[i] = tick;
        }
        set_begins(&trace, begins, COUNT);
        CHECK(form == PLAIN || begins_pack(&trace));
        CHECK((trace.slices.begin_high_count > 0) == (form == WIDE));
        for (int round = 0; round < 3000; round++) {
            const uint64_t low = test_random_below(&random, COUNT + 1),
                           end = low + test_random_below(&random, COUNT + 1 - low);
            const int64_t sought =
                begins[test_random_below(&random, COUNT)] + (int64_t)test_random_below(&random, 3) - 1;
            uint64_t expected = low;
            while (expected < end && begins[expected] < sought)
                expected++;
            CHECK_UINT(begins_lower_bound(&trace.slices, low, end, sought), expected);
            CHECK_UINT(begins_next_bound(&trace.slices, low, end, sought), expected);
            uint64_t      behind = expected; /* the slices that begin in [sought, until) */
            const int64_t until = sought + (int64_t)test_random_below(&random, 20);
            while (behind < end && begins[behind] < until)
                behind++;
            const SliceRange found = begins_range(&trace.slices, (SliceRange){ low, end },
                                                  test_random_below(&random, COUNT + 2), sought, until);
            CHECK_UINT(found.first, expected);
            CHECK_UINT(found.end, behind);
        }
        static int32_t distances[COUNT];
        begins_read_near(&trace.slices, 70, COUNT - 70, begins[70], distances);
        for (int i = 70; i < COUNT; i++)
            CHECK_UINT((uint32_t)distances[i - 70], (uint32_t)(begins[i] - begins[70]));
        columns_release(&trace, COLUMNS_ALL);
    }
}

TEST_MAIN("begins", TEST_CASE(begins_in_blocks_are_those_that_were_packed),
          TEST_CASE(begins_are_found_in_every_form), TEST_CASE(a_block_is_wide_from_a_distance_of_32_bits_on),
          TEST_CASE(a_block_may_have_both_ends_of_the_time),
          TEST_CASE(upper_halves_of_a_file_must_follow_one_another),
          TEST_CASE(a_trace_may_have_labels_of_more_than_16_bits),
          TEST_CASE(colours_of_ends_may_make_labels_of_more_than_16_bits))
