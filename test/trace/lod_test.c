/* The level-of-detail index, and the reads of frames: src/trace/store/lod.c. */
#include "trace/store/lod.h"

#include "support/test.h"
#include "trace/store/lod_leaf.h"
#include "trace/wire/tile_encode.h"
#include "trace_shapes.h"
#include "trace_support.h"

static void check_range(const Trace *trace, const Row *row, uint32_t first, uint32_t last)
{
    enum { SHOWN = SLICE_UNFINISHED | SLICE_NO_END | SLICE_REPAIRED };
    uint64_t   weights[64] = { 0 }, covered = 0, longest_ticks = 0, total = 0;
    uint32_t   longest = first, flags = 0;
    LodSummary summary = lod_summarise(trace, row, first, last, NULL);
    for (uint32_t i = first; i < last; i++) {
        uint64_t slice = row->first_slice + i, duration = trace_slice_duration(trace, slice);
        covered += duration;
        flags |= trace->slices.flags[slice] & SHOWN;
        weights[trace_slice_label(trace, slice)] += duration + 1;
        total += duration + 1;
        if (duration > longest_ticks) longest = i;
        if (duration > longest_ticks) longest_ticks = duration;
    }
    CHECK_UINT(summary.count, last - first);
    CHECK_UINT(summary.covered, covered);
    CHECK_UINT(summary.longest_ticks, longest_ticks);
    CHECK_UINT(summary.flags, flags);
    if (first < last) CHECK_UINT(summary.longest, longest);
    uint64_t kept[64] = { 0 };
    for (unsigned i = 0; i < LOD_CANDIDATES; i++) {
        if (summary.weight[i] > 0) kept[summary.label[i]] += summary.weight[i];
    }
    uint32_t dominant = lod_row_dominant(trace, row, &summary);
    for (uint32_t label = 0; label < 64; label++) { /* never too large, and too small by a quarter at most */
        CHECK(kept[label] <= weights[label]);
        CHECK(weights[label] - kept[label] <= total / 4);
        if (weights[label] > total / 4) CHECK(kept[label] > 0);
        if (weights[label] > total / 2) CHECK_UINT(dominant, label);
        CHECK(kept[dominant] > kept[label] || (kept[dominant] == kept[label] && dominant <= label) ||
              kept[label] == 0);
    }
}

TEST(every_range_of_small_rows)
{
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        Trace *trace = shape_trace(shape, 21, 150);
        for (uint32_t r = 0; r < trace->row_count; r++) {
            const Row *row = &trace->rows[r];
            for (uint32_t first = 0; first <= row->slice_count; first++) {
                for (uint32_t last = first; last <= row->slice_count; last++)
                    check_range(trace, row, first, last);
            }
        }
        trace_release(trace);
    }
}

TEST(random_ranges_of_long_rows)
{
    TestRandom random = { 22 };
    for (unsigned size = 8000; size < 60000; size *= 7) { /* 8000 and 56000: three and four levels */
        Trace     *trace = shape_trace(SHAPE_DENSE, size, size);
        const Row *row = &trace->rows[0];
        for (uint32_t r = 0; r < trace->row_count; r++) {
            if (trace->rows[r].slice_count > row->slice_count) row = &trace->rows[r];
        }
        CHECK(row->slice_count > size / 2);
        check_range(trace, row, 0, row->slice_count);
        for (unsigned i = 0; i < 150; i++) {
            uint32_t a = (uint32_t)test_random_below(&random, row->slice_count + 1);
            uint32_t b = (uint32_t)test_random_below(&random, row->slice_count + 1);
            if (i % 3 == 0) a = a / 256 * 256; /* begins of nodes */
            check_range(trace, row, a < b ? a : b, a < b ? b : a);
        }
        trace_release(trace);
    }
}

/* A name with half of the time is found however the rest is distributed. */
TEST(half_of_the_time_wins)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    for (int64_t i = 0; i < 20000; i++) {
        char name = (char)(i % 2 == 0 ? 'Z' : 'a' + i / 2 % 26);
        builder_complete(feed.builder, feed.thread, i * 10, i * 10 + (i % 2 == 0 ? 5 : 4),
                         feed_label(&feed, &name, 1), feed_next_pos(&feed), 0);
    }
    Trace     *trace = feed_finish(&feed, 2);
    LodSummary summary = lod_summarise(trace, &trace->rows[0], 0, 20000, NULL);
    CHECK_UINT(lod_row_dominant(trace, &trace->rows[0], &summary), trace_slice_label(trace, 0));
    trace_release(trace);
}

TEST(nothing_is_dominated_by_nothing)
{
    Trace     *trace = trace_of_events("X0..1:a");
    LodSummary summary = lod_summarise(trace, &trace->rows[0], 0, 0, NULL), one;
    CHECK_UINT(summary.count, 0);
    CHECK_UINT(lod_row_dominant(trace, &trace->rows[0], &summary), 0);
    one = lod_summarise(trace, &trace->rows[0], 0, 1, NULL);
    lod_merge(&summary, &one);
    CHECK_UINT(lod_row_dominant(trace, &trace->rows[0], &summary), 1);
    trace_release(trace);
}

/* The longest and a label survive a duration of 2^64-1. */
TEST(a_slice_of_all_time)
{
    Trace     *trace = trace_of_events("X-9223372036854775808..9223372036854775807:all");
    LodSummary summary = lod_summarise(trace, &trace->rows[0], 0, 1, NULL);
    CHECK_UINT(summary.covered, UINT64_MAX);
    CHECK_UINT(lod_row_dominant(trace, &trace->rows[0], &summary), 1);
    trace_release(trace);
}

/* Slices on `rows` rows, one inside the other, the same shape at any size. */
static Trace *grown_trace(uint32_t per_row, uint32_t rows)
{
    TestRandom random = { 31 };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId labels[7];
    for (unsigned i = 0; i < 7; i++)
        labels[i] = feed_label(&feed, &"abcdefg"[i], 1);
    int64_t tick = 0;
    for (uint32_t i = 0; i < per_row; i++) {
        for (uint32_t r = 0; r < rows; r++) {
            builder_begin(feed.builder, feed.thread, tick, labels[test_random_below(&random, 7)],
                          feed_next_pos(&feed), 0);
            tick += (int64_t)test_random_below(&random, 20);
        }
        for (uint32_t r = 0; r < rows; r++)
            builder_end(feed.builder, feed.thread, tick += (int64_t)test_random_below(&random, 20),
                        LABEL_NONE, feed_next_pos(&feed), 0);
    }
    return feed_finish(&feed, 2);
}

static uint32_t level_of_frame(const Trace *trace, unsigned buckets)
{
    return tile_level_for((double)((uint64_t)trace->end_tick - (uint64_t)trace->begin_tick) / buckets);
}

/* Returns the number of buckets of a row at the level of reads_of_frame: up to twice the requested number. */
static uint64_t bucket_count(const Trace *trace, unsigned buckets)
{
    return ((uint64_t)(trace->end_tick - trace->begin_tick) >> level_of_frame(trace, buckets)) + 1;
}

/* Returns the reads for showing all of the trace in this number of buckets, as a frame does. */
static uint64_t reads_of_frame(const Trace *trace, unsigned buckets)
{
    Err      err = { 0 };
    LodReads reads = { 0, 0 };
    Bytes    bytes = { NULL, 0, 0, false };
    uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    uint32_t level = level_of_frame(trace, buckets);
    for (uint64_t index = 0; index <= span >> (level + TILE_BUCKET_BITS); index++) {
        bytes_clear(&bytes);
        CHECK_DONE(tile_encode(trace, (TileKey){ 1, 0, level, index, 0 }, &bytes, &reads, &err), err);
    }
    bytes_release(&bytes);
    return reads.slices + reads.nodes;
}

TEST(a_frame_costs_buckets_not_slices)
{
    /* Enough slices that buckets are full in both: 100 times as many take some more steps of a search. */
    enum { ROWS = 2, BUCKETS = 512, FEW = 10000, MANY = 1000000 };
    Trace   *few = grown_trace(FEW, ROWS), *many = grown_trace(MANY, ROWS);
    uint64_t few_reads = reads_of_frame(few, BUCKETS), many_reads = reads_of_frame(many, BUCKETS);
    CHECK(many_reads < 3 * few_reads);
    /* The leaf at the border of two buckets is read once. The search for the border reads 8 slices one by one; nodes and
     * steps of the search are logarithmic. */
    const uint64_t log_many = 20, bucket_reads = LOD_LEAF_SLICES + 8 + 2 * log_many;
    CHECK(many_reads < bucket_count(many, BUCKETS) * ROWS * bucket_reads);
    CHECK(reads_of_frame(many, 8 * BUCKETS) < bucket_count(many, 8 * BUCKETS) * ROWS * bucket_reads);
    /* And with few slices, not many more than there are. */
    CHECK(reads_of_frame(few, 8 * BUCKETS) < (uint64_t)8 * FEW * ROWS);
    trace_release(few);
    trace_release(many);
}

/* Returns the weight of a label. */
static uint64_t weight_of(const LodSummary *summary, uint32_t label)
{
    uint64_t weight = 0;
    for (unsigned i = 0; i < LOD_CANDIDATES; i++)
        if (summary->label[i] == label) weight += summary->weight[i];
    return weight;
}

/* Compares two summaries. The order of the candidates may differ. */
static void check_same(const LodSummary *a, const LodSummary *b)
{
    CHECK_UINT(a->count, b->count);
    CHECK_UINT(a->covered, b->covered);
    CHECK_UINT(a->flags, b->flags);
    CHECK_UINT(a->longest, b->longest);
    CHECK_UINT(a->longest_ticks, b->longest_ticks);
    for (unsigned i = 0; i < LOD_CANDIDATES; i++) {
        CHECK_UINT(weight_of(a, a->label[i]), weight_of(b, a->label[i]));
        CHECK_UINT(weight_of(a, b->label[i]), weight_of(b, b->label[i]));
    }
}

static LodSummary summary_of_piece(const LodPiece *piece, uint64_t count)
{
    LodSummary summary = { .count = count,
                           .covered = piece->covered,
                           .longest = piece->longest,
                           .longest_ticks = piece->longest_ticks };
    for (unsigned i = 0; i < LOD_CANDIDATES; i++) {
        summary.label[i] = piece->label[i];
        summary.weight[i] = piece->weight[i];
    }
    return summary;
}

/* Compares a piece with the summary of its slices. A large piece is marked if a sum of its leaf may need more than 30 bits. */
static void check_piece(const LodPiece *piece, const LodSummary *alone, unsigned bits)
{
    if (piece->covered == LOD_PIECE_LARGE) {
        CHECK(bits > 25);
        return;
    }
    CHECK(alone->covered < LOD_PIECE_LIMIT && alone->longest_ticks < LOD_PIECE_LIMIT);
    const LodSummary summary = summary_of_piece(piece, alone->count);
    check_same(&summary, alone);
}

/* Random pieces of a leaf. */
static void cut_leaf(TestRandom *random, LeafPieces *leaf)
{
    leaf->begins = leaf->ends = 0;
    for (uint32_t at = 0; at < LOD_LEAF_SLICES;) {
        const uint32_t most = LOD_LEAF_SLICES - at, count = 1 + (uint32_t)test_random_below(random, most);
        leaf->begins |= UINT32_C(1) << at;
        leaf->ends |= UINT32_C(1) << (at + count - 1);
        at += count + (uint32_t)test_random_below(random, 2);
    }
}

TEST(pieces_at_once_are_pieces_one_by_one)
{
    enum { SLICES = LOD_LEAVES_AT_ONCE * LOD_LEAF_SLICES };
    TestRandom random = { 5 };
    for (int round = 0; round < 20000; round++) {
        uint32_t       durations[SLICES];
        uint16_t       labels[SLICES], high_labels[SLICES];
        LodPiece       pieces[SLICES], pieces_by_4[SLICES], *written[SLICES], *written_by_4[SLICES];
        LeafPieces     leaves[LOD_LEAVES_AT_ONCE], leaves_by_4[LOD_LEAVES_AT_ONCE];
        const uint32_t idle = (uint32_t)test_random_below(&random, 9);
        const uint32_t count = 1 + (uint32_t)test_random_below(&random, LOD_LEAVES_AT_ONCE);
        const uint64_t names = 1 + test_random_below(&random, 12);
        const unsigned bits = 1 + (unsigned)test_random_below(&random, 32);
        const bool     has_high = test_random_below(&random, 4) == 0;
        for (uint32_t i = 0; i < SLICES; i++) {
            durations[i] = (uint32_t)test_random_below(&random, ((uint64_t)1 << bits) - 1);
            labels[i] = (uint16_t)test_random_below(&random, names);
            high_labels[i] = labels[i] == 7 ? UINT16_MAX : (uint16_t)test_random_below(&random, 2);
            written[i] = &pieces[i];
            written_by_4[i] = &pieces_by_4[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t first = i * LOD_LEAF_SLICES;
            leaves[i] = (LeafPieces){ .slices = { durations + first, labels + first,
                                                  has_high ? high_labels + first : NULL, idle },
                                      .first = 100 + first,
                                      .pieces = &written[first] };
            cut_leaf(&random, &leaves[i]);
            leaves_by_4[i] = leaves[i];
            leaves_by_4[i].pieces = &written_by_4[first];
        }
        lod_leaf_pieces(leaves, count);
        lod_leaf_pieces_by_4(leaves_by_4, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = i * LOD_LEAF_SLICES, begin = 0;
            for (uint32_t s = 0; s < LOD_LEAF_SLICES; s++) {
                if (leaves[i].begins >> s & 1) begin = i * LOD_LEAF_SLICES + s;
                if (!(leaves[i].ends >> s & 1)) continue;
                const LeafSlices piece = { durations + begin, labels + begin,
                                           has_high ? high_labels + begin : NULL, idle };
                LodSummary       alone = lod_leaf(&piece, i * LOD_LEAF_SLICES + s + 1 - begin);
                alone.longest += 100 + begin;
                check_piece(&pieces[at], &alone, bits);
                check_piece(&pieces_by_4[at], &alone, bits);
                at++;
            }
        }
    }
}

/* A random piece, with `first` before the index of its longest slice, and its summary. Sometimes it is empty. */
static LodSummary random_piece(TestRandom *random, uint32_t first, LodPiece *piece)
{
    lod_piece_empty(piece);
    LodSummary     summary = { .count = test_random_below(random, 4) };
    const uint64_t names = 3 + test_random_below(random, 5),
                   most = test_random_below(random, 2) ? 4 : 1 << 28;
    if (summary.count == 0) return summary;
    piece->longest = first + (uint32_t)test_random_below(random, 32);
    piece->longest_ticks = (uint32_t)test_random_below(random, most);
    for (uint32_t i = 0; i < LOD_CANDIDATES; i++) {
        piece->label[i] = (uint32_t)((test_random_below(random, names / 3) * 3 + i) % names);
        piece->weight[i] = (uint32_t)test_random_below(random, most);
    }
    return summary_of_piece(piece, summary.count);
}

TEST(pieces_are_added_as_summaries_are_merged)
{
    TestRandom random = { 71 };
    for (int round = 0; round < 50000; round++) {
        LodPiece   pieces[LOD_LEAVES_AT_ONCE], by_4[LOD_LEAVES_AT_ONCE], added[LOD_LEAVES_AT_ONCE];
        LodSummary sums[LOD_LEAVES_AT_ONCE];
        for (uint32_t i = 0; i < LOD_LEAVES_AT_ONCE; i++) {
            sums[i] = random_piece(&random, 0, &pieces[i]);
            by_4[i] = pieces[i];
            const LodSummary other = random_piece(&random, 100, &added[i]);
            lod_merge(&sums[i], &other);
        }
        lod_pieces_add(pieces, added);
        lod_pieces_add_by_4(by_4, added);
        for (uint32_t i = 0; i < LOD_LEAVES_AT_ONCE; i++) {
            LodSummary a = summary_of_piece(&pieces[i], sums[i].count),
                       b = summary_of_piece(&by_4[i], sums[i].count);
            if (sums[i].count == 0) continue;
            a.covered = b.covered = sums[i].covered;
            check_same(&a, &sums[i]);
            check_same(&b, &sums[i]);
        }
    }
}

/* Compares the summaries of parts of a row with those of each part alone. */
static void check_parts(const Trace *trace, const Row *row, const LodPart *parts, uint32_t count)
{
    LodSummary summaries[LOD_MOST_PARTS];
    lod_summarise_parts(trace, trace->index.lod, row, parts, count, summaries, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const LodSummary alone = lod_summarise(trace, row, parts[i].first, parts[i].last, NULL);
        check_same(&summaries[i], &alone);
    }
}

TEST(parts_at_once_are_parts_one_by_one)
{
    TestRandom random = { 41 };
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        Trace *trace = shape_trace(shape, 23, 4000);
        for (uint32_t r = 0; r < trace->row_count; r++) {
            const Row *row = &trace->rows[r];
            for (unsigned round = 0; round < 20; round++) {
                LodPart        parts[LOD_MOST_PARTS];
                uint32_t       count = 0, at = (uint32_t)test_random_below(&random, row->slice_count + 1);
                const uint32_t length = 1 + (uint32_t)test_random_below(&random, 1 + round * round);
                while (count < LOD_MOST_PARTS && at < row->slice_count) {
                    const uint32_t left = row->slice_count - at;
                    const uint32_t here = 1 + (uint32_t)test_random_below(&random, length);
                    parts[count++] = (LodPart){ at, at + (here < left ? here : left) };
                    at = parts[count - 1].last + (uint32_t)test_random_below(&random, 3) / 2;
                }
                check_parts(trace, row, parts, count);
            }
            if (row->slice_count > 0) check_parts(trace, row, &(LodPart){ 0, row->slice_count }, 1);
        }
        trace_release(trace);
    }
}

TEST_MAIN("lod", TEST_CASE(every_range_of_small_rows), TEST_CASE(random_ranges_of_long_rows),
          TEST_CASE(half_of_the_time_wins), TEST_CASE(nothing_is_dominated_by_nothing),
          TEST_CASE(a_slice_of_all_time), TEST_CASE(a_frame_costs_buckets_not_slices),
          TEST_CASE(pieces_at_once_are_pieces_one_by_one),
          TEST_CASE(pieces_are_added_as_summaries_are_merged), TEST_CASE(parts_at_once_are_parts_one_by_one))
