/* Begin and end events in rows and in logs make the same trace, whatever they are and whenever a thread changes from
 * one to the other. */
#include "support/test.h"
#include "trace/log/builder_log.h"
#include "trace_support.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MOST_STEPS = 3000, LABELS = 6 };

typedef enum {
    STEP_BEGIN,
    STEP_END,
    STEP_COMPLETE,
    STEP_INSTANT,
    STEP_STACK, /* of the event before */
    STEP_CPU,   /* of the event before */
    STEP_CLOCK  /* changes to a finer clock */
} StepKind;

typedef struct Step {
    StepKind kind;
    unsigned thread, label, flags, stack;
    int64_t  tick, end_tick;
    EventPos pos;
} Step;

/* The contents of a stream besides begins and ends in order of time. A bit each. */
enum {
    ODD_TIMES = 1 << 0, /* times that go back */
    ODD_NAMES = 1 << 1, /* names of ends, usually those of their slices */
    ODD_ENDS = 1 << 2,  /* ends without a begin */
    ODD_DETAILS = 1 << 3,
    ODD_COMPLETES = 1 << 4,
    ODD_STACKS = 1 << 5,
    ODD_CPU_TIMES = 1 << 6,
    ODD_LENGTHS = 1 << 7, /* beyond 32 bits */
    ODD_PLACES = 1 << 8,  /* positions in the input, far from each other; numbers likewise */
    ODD_CLOCK = 1 << 9,
    ODD_INSTANTS = 1 << 10,
    ODD_DEPTHS = 1 << 11, /* hundreds of slices open */
    ODD_BITS = 12,
    ALL_ANYWHERE = 1 << ODD_BITS /* begins and ends are EVENT_ANYWHERE */
};

typedef struct Stream {
    unsigned  odd;
    MatchRule match;
    Step     *steps;
    size_t    count;
} Stream;

typedef struct Walk { /* The state of a thread while its steps are generated. */
    int64_t  tick;
    unsigned depth, open[MOST_STEPS]; /* labels */
} Walk;

static bool odd_now(const Stream *s, TestRandom *random, unsigned what, unsigned one_in)
{
    return (s->odd & what) != 0 && test_random_below(random, one_in) == 0;
}

static int64_t next_tick(const Stream *s, TestRandom *random, Walk *walk)
{
    const uint64_t most = odd_now(s, random, ODD_LENGTHS, 8) ? UINT64_C(1) << 40 : 4;
    walk->tick += (int64_t)test_random_below(random, most);
    if (odd_now(s, random, ODD_LENGTHS, 16)) /* at the limit of 32 bits */
        walk->tick += (int64_t)(UINT32_MAX - 1 + test_random_below(random, 3));
    if (odd_now(s, random, ODD_TIMES, 50)) return walk->tick - (int64_t)test_random_below(random, 10);
    return walk->tick;
}

/* Adds a begin or an end. */
static void make_mark(const Stream *s, TestRandom *random, Walk *walk, Step *step)
{
    const unsigned begins = s->odd & ODD_DEPTHS ? 9 : walk->depth > 6 ? 4 : 8;
    const bool     may_end = walk->depth > 0 || odd_now(s, random, ODD_ENDS, 4);
    step->tick = step->end_tick = next_tick(s, random, walk);
    step->label = 0;
    if (may_end && test_random_below(random, 16) >= begins) {
        step->kind = STEP_END;
        if (walk->depth > 0) walk->depth--;
        if (odd_now(s, random, ODD_NAMES, 2)) step->label = walk->open[walk->depth];
        if (odd_now(s, random, ODD_NAMES, 100)) step->label = (unsigned)test_random_below(random, LABELS + 1);
    } else {
        step->kind = STEP_BEGIN;
        step->label = (unsigned)test_random_below(random, LABELS + 1);
        walk->open[walk->depth++] = step->label;
    }
}

static StepKind other_kind(const Stream *s, TestRandom *random)
{
    if (odd_now(s, random, ODD_COMPLETES, 200)) return STEP_COMPLETE;
    if (odd_now(s, random, ODD_INSTANTS, 10)) return STEP_INSTANT;
    if (odd_now(s, random, ODD_STACKS, 5)) return STEP_STACK;
    if (odd_now(s, random, ODD_CPU_TIMES, 100)) return STEP_CPU;
    if (odd_now(s, random, ODD_CLOCK, 300)) return STEP_CLOCK;
    return STEP_BEGIN;
}

static Stream stream_create(uint64_t seed, unsigned odd)
{
    TestRandom random = { seed };
    Stream     s = { .odd = odd, .match = (MatchRule)test_random_below(&random, 2) };
    Walk      *walks = calloc(THREADS, sizeof *walks);
    EventPos   pos = { 0, 0 };
    unsigned   thread = 0;
    s.count = 1 + (size_t)test_random_below(&random, MOST_STEPS);
    s.steps = calloc(s.count, sizeof *s.steps);
    CHECK(walks != NULL && s.steps != NULL);
    for (size_t i = 0; i < s.count; i++) {
        Step *step = &s.steps[i];
        if (test_random_below(&random, 40) == 0) thread = (unsigned)test_random_below(&random, THREADS);
        pos.offset += 1 + test_random_below(&random, 30);
        pos.event++;
        if (odd_now(&s, &random, ODD_PLACES, 20)) pos.offset += 0xFFE - test_random_below(&random, 3);
        if (odd_now(&s, &random, ODD_PLACES, 30)) pos.offset += test_random_below(&random, UINT64_C(1) << 34);
        if (odd_now(&s, &random, ODD_PLACES, 30)) pos.event += test_random_below(&random, 1 << 17);
        *step = (Step){ .kind = other_kind(&s, &random), .thread = thread, .pos = pos };
        step->stack = (unsigned)test_random_below(&random, 3);
        if (odd_now(&s, &random, ODD_DETAILS, 3)) step->flags |= EVENT_DETAILS;
        if (odd_now(&s, &random, ODD_DETAILS, 30)) step->flags |= EVENT_REPAIRED;
        if (step->kind == STEP_BEGIN) {
            make_mark(&s, &random, &walks[thread], step);
            if (odd & ALL_ANYWHERE) step->flags = EVENT_ANYWHERE;
        } else {
            step->tick = step->end_tick = next_tick(&s, &random, &walks[thread]);
            step->end_tick += (int64_t)test_random_below(&random, 5);
        }
    }
    free(walks);
    return s;
}

/* ---- feeding ---- */

typedef struct Feeder {
    TraceBuilder *builder;
    TrackId       threads[THREADS];
    LabelId       labels[LABELS + 1];
    StackId       stacks[3];
    int64_t       scale; /* of ticks: the clock has changed */
} Feeder;

static Feeder feeder_create(const Stream *s)
{
    Feeder   f = { .builder = builder_create("test", 0), .scale = 1 };
    StringId category = { 0 };
    if (f.builder == NULL) return f;
    builder_set_rules(f.builder, s->match, UNFINISHED_TO_TRACE_END);
    if (s->odd & ALL_ANYWHERE) builder_set_endless(f.builder, ENDLESS_EXPECTED);
    ProcessId process = builder_process(f.builder, ident_int(1));
    for (unsigned i = 0; i < THREADS; i++)
        f.threads[i] = builder_thread(f.builder, process, ident_int(i));
    category = builder_string(f.builder, "category", 8);
    for (unsigned i = 1; i <= LABELS; i++) { /* a, a/category, b, b/category, ...; one has a colour */
        const char name = (char)('a' + i / 2);
        f.labels[i] = builder_label(f.builder, builder_string(f.builder, &name, 1),
                                    i % 2 == 0 ? category : STRING_NONE);
    }
    if (s->odd & ODD_STACKS)
        f.labels[1] = builder_colour_label(f.builder, f.labels[1], LABEL_COLOUR(0x123456));
    for (unsigned i = 1; i < 3; i++) {
        StackFrame frame = { .function = builder_string(f.builder, i == 1 ? "f" : "g", 1) };
        f.stacks[i] = builder_stack(f.builder, STACK_NONE, builder_frame(f.builder, &frame));
    }
    return f;
}

static void refine_clock(Feeder *f)
{
    Clock clock = *builder_clock(f->builder);
    bool  rounded;
    if (f->scale >= 16) return;
    clock.ns_den *= 2;
    if (builder_change_clock(f->builder, clock, &rounded)) f->scale *= 2;
}

static void feed_step(Feeder *f, const Step *step)
{
    const TrackId thread = f->threads[step->thread];
    const LabelId label = f->labels[step->label];
    const int64_t tick = step->tick * f->scale, end_tick = step->end_tick * f->scale;
    switch (step->kind) {
    case STEP_BEGIN:
        builder_begin(f->builder, thread, tick, label, step->pos, step->flags);
        break;
    case STEP_END:
        builder_end(f->builder, thread, tick, label, step->pos, step->flags);
        break;
    case STEP_COMPLETE:
        builder_complete(f->builder, thread, tick, end_tick, label, step->pos, step->flags);
        break;
    case STEP_INSTANT:
        builder_instant(f->builder, thread, tick, label, INSTANT_THREAD, step->pos, step->flags);
        break;
    case STEP_STACK:
        builder_mark_stack(f->builder, thread, f->stacks[step->stack]);
        break;
    case STEP_CPU:
        builder_cpu_time(f->builder, thread, step->pos, CPU_READING, step->tick);
        break;
    case STEP_CLOCK:
        refine_clock(f);
        break;
    }
}

static bool is_mark(const Step *step)
{
    return step->kind == STEP_BEGIN || step->kind == STEP_END;
}

/* Adds consecutive steps as one batch. Returns their number. */
static size_t feed_batch(Feeder *f, const Step *steps, size_t count)
{
    MarkBatch batch;
    size_t    taken = 0;
    batch.count = 0;
    while (taken < count && is_mark(&steps[taken]) && steps[taken].thread == steps[0].thread &&
           mark_batch_takes(&batch, steps[taken].pos)) {
        const Step    *step = &steps[taken++];
        const unsigned end = step->kind == STEP_END ? (unsigned)MARK_END : 0;
        mark_batch_add(&batch, step->tick * f->scale, f->labels[step->label], step->pos, step->flags | end);
    }
    if (taken > 0) {
        builder_add_marks(f->builder, f->threads[steps[0].thread], &batch);
        return taken;
    }
    feed_step(f, &steps[0]);
    return 1;
}

static bool may_be_anywhere(const Step *step)
{
    return (step->kind == STEP_BEGIN && step->label != 0) || (step->kind == STEP_END && step->label == 0);
}

/* Adds consecutive steps of one thread with EVENT_ANYWHERE. Returns their number. */
static size_t feed_anywhere(Feeder *f, const Step *steps, size_t count)
{
    enum { MOST = 100 };
    AnywhereMark marks[MOST];
    size_t       taken = 0;
    for (; taken < count && taken < MOST && may_be_anywhere(&steps[taken]) &&
           steps[taken].thread == steps[0].thread;
         taken++)
        marks[taken] = (AnywhereMark){ steps[taken].tick * f->scale, f->labels[steps[taken].label] };
    if (taken == 0) {
        feed_step(f, &steps[0]);
        return 1;
    }
    builder_add_anywhere(f->builder, f->threads[steps[0].thread], marks, taken, steps[taken - 1].pos);
    return taken;
}

typedef enum { ONE_BY_ONE, IN_BATCHES, ANYWHERE } Manner;

static void log_all_marks(TraceBuilder *builder)
{
    builder->logs_marks = true;
    for (uint32_t i = 1; i < vec_count(&builder->threads.all); i++)
        builder_log_marks_of(builder, builder_thread_log(builder, (TrackId){ i }));
}

/* From step `logs_from` on all begins and ends are logged. */
static Trace *stream_trace(const Stream *s, Manner manner, size_t logs_from, Err *err)
{
    Feeder f = feeder_create(s);
    if (f.builder == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    for (size_t i = 0, taken; i < s->count && !builder_failed(f.builder); i += taken) {
        size_t end = i < logs_from && logs_from < s->count ? logs_from : s->count;
        if (i == logs_from) log_all_marks(f.builder);
        taken = manner == IN_BATCHES ? feed_batch(&f, &s->steps[i], end - i)
                : manner == ANYWHERE ? feed_anywhere(&f, &s->steps[i], end - i)
                                     : 1;
        if (manner == ONE_BY_ONE) feed_step(&f, &s->steps[i]);
    }
    Trace *trace = builder_finish(f.builder, 1, NULL, err);
    builder_destroy(f.builder);
    return trace;
}

static char *stream_text(const Stream *s, Manner manner, size_t logs_from)
{
    Err    err = { 0 };
    Bytes  text = { 0 };
    Trace *trace = stream_trace(s, manner, logs_from, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_DONE(trace_check(trace, &err), err);
    trace_append(trace, &text);
    bytes_append(&text, "", 1);
    CHECK(!text.failed);
    trace_release(trace);
    return (char *)text.data;
}

static void compare(const Stream *s, uint64_t seed, const char *expected, Manner manner, size_t logs_from)
{
    char *text = stream_text(s, manner, logs_from);
    if (strcmp(text, expected) != 0) {
        size_t at = 0;
        while (text[at] == expected[at])
            at++;
        while (at > 0 && text[at - 1] != '\n')
            at--;
        fail_msg("seed %llu odd %x manner %d logs from %zu\n%.300s\ninstead of\n%.300s",
                 (unsigned long long)seed, s->odd, manner, logs_from, text + at, expected + at);
    }
    free(text);
}

static void check_stream(uint64_t seed, unsigned odd)
{
    Stream       s = stream_create(seed, odd);
    char        *logged = stream_text(&s, ONE_BY_ONE, 0);
    const Manner many = odd & ALL_ANYWHERE ? ANYWHERE : IN_BATCHES;
    compare(&s, seed, logged, ONE_BY_ONE, SIZE_MAX);
    compare(&s, seed, logged, many, SIZE_MAX);
    compare(&s, seed, logged, many, 0);
    compare(&s, seed, logged, many, (size_t)(seed % s.count));
    free(logged);
    free(s.steps);
}

/* ---- cases ---- */

TEST(plain_streams)
{
    for (uint64_t seed = 0; seed < 50; seed++)
        check_stream(seed, 0);
}

TEST(streams_with_one_oddity)
{
    for (unsigned bit = 0; bit < ODD_BITS; bit++) {
        for (uint64_t seed = 0; seed < 20; seed++)
            check_stream(seed, 1U << bit);
    }
}

TEST(streams_with_many_oddities)
{
    TestRandom random = { 7 };
    for (uint64_t seed = 0; seed < 200; seed++)
        check_stream(seed, (unsigned)test_random_below(&random, 1 << ODD_BITS) &
                               (unsigned)test_random_below(&random, 1 << ODD_BITS));
}

/* All of them are valid, because warnings would have no position. */
TEST(marks_that_may_stand_anywhere)
{
    enum { ODD = ODD_COMPLETES | ODD_LENGTHS | ODD_PLACES | ODD_CLOCK | ODD_INSTANTS | ODD_DEPTHS };
    TestRandom random = { 11 };
    for (uint64_t seed = 0; seed < 50; seed++)
        check_stream(seed, ALL_ANYWHERE);
    for (uint64_t seed = 0; seed < 200; seed++)
        check_stream(seed, ALL_ANYWHERE | (ODD & (unsigned)test_random_below(&random, 1 << ODD_BITS)));
}

/* Events with details are found among very many pairs, in any row. */
TEST(details_among_marks_that_may_stand_anywhere)
{
    enum { ROUNDS = 3000, MOST_PAIRS = 70 };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TestRandom random = { 5 };
    uint64_t   slices = 0, begins = 0, ends = 0;
    int64_t    tick = 0;
    feed_set_thread(&feed, 1, 1);
    const LabelId label = feed_label(&feed, "run", 3), odd = feed_label(&feed, "odd", 3);
    for (int round = 0; round < ROUNDS; round++) {
        AnywhereMark   marks[2 * MOST_PAIRS];
        const size_t   pairs = (size_t)test_random_below(&random, MOST_PAIRS + 1);
        const unsigned at_begin = (unsigned)test_random_below(&random, 2) * EVENT_DETAILS;
        const unsigned at_end = (unsigned)test_random_below(&random, 2) * EVENT_DETAILS;
        for (size_t i = 0; i < 2 * pairs; i++)
            marks[i].label = i % 2 == 0 ? label : LABEL_NONE;
        const EventPos here = { (uint64_t)tick, (uint64_t)round };
        builder_begin(feed.builder, feed.thread, tick++, odd, here, at_begin);
        for (size_t i = 0; i < 2 * pairs; i++)
            marks[i].tick = tick++;
        builder_add_anywhere(feed.builder, feed.thread, marks, 2 * pairs, here);
        const EventPos there = { (uint64_t)tick, (uint64_t)round };
        builder_end(feed.builder, feed.thread, tick++, LABEL_NONE, there, at_end);
        for (size_t i = 0; i < 2 * pairs; i++)
            marks[i].tick = tick++;
        builder_add_anywhere(feed.builder, feed.thread, marks, 2 * pairs, there);
        slices += 1 + 2 * pairs;
        begins += at_begin != 0;
        ends += at_end != 0;
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->slices.count, slices);
    for (uint64_t i = 0; i < slices; i++) {
        uint64_t      offset;
        const int64_t begin = trace_slice_begin(trace, i), end = begin + trace->slices.duration[i];
        if (trace_slice_source(trace, i, &offset) &&
            (begins-- == 0 || offset != (uint64_t)begin || trace_slice_label(trace, i) != odd.index))
            fail_msg("slice %llu has no such begin", (unsigned long long)i);
        if (trace_slice_end_source(trace, i, &offset) &&
            (ends-- == 0 || offset != (uint64_t)end || trace_slice_label(trace, i) != odd.index))
            fail_msg("slice %llu has no such end", (unsigned long long)i);
    }
    CHECK_UINT(begins, 0);
    CHECK_UINT(ends, 0);
    trace_release(trace);
}

TEST(simple_threads_have_rows_and_others_logs)
{
    static const struct {
        const char *events;
        bool        logs;
    } CASES[] = { { "B1:a B2:b E3 E4:a B4:c", false }, { "E1 B2:a E3", false },
                  { "i1:m B2:a E3 i9:m", false },      { "B5:a B3:b E6 E7", true },
                  { "B1:a B2:b E3:a", true },          { "E1:a B2:a", true },
                  { "B1:a E2 X3..4:b", true } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
        feed_events(&feed, CASES[i].events);
        CHECK_INT(builder_thread_log(feed.builder, feed.thread)->logs_marks, CASES[i].logs);
        trace_release(feed_finish(&feed, 1));
    }
}

/* Chunks of all sizes, blocks, slabs. */
TEST(a_large_thread)
{
    enum { CALLS = 3 << 20 }; /* so many that pages are returned in between */
    for (unsigned logs = 0; logs < 2; logs++) {
        EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
        feed_set_thread(&feed, 1, 1);
        LabelId label = feed_label(&feed, "call", 4);
        if (logs) log_all_marks(feed.builder);
        for (int64_t i = 0; i < CALLS; i++) {
            builder_begin(feed.builder, feed.thread, 3 * i, label, feed_next_pos(&feed), EVENT_DETAILS);
            builder_end(feed.builder, feed.thread, 3 * i + 1 + (i & 1), LABEL_NONE, feed_next_pos(&feed), 0);
        }
        Trace *trace = feed_finish(&feed, 1);
        CHECK_UINT(trace->slices.count, CALLS);
        CHECK_UINT(trace->row_count, 1);
        for (uint64_t i = 0; i < CALLS; i++) {
            uint64_t offset;
            if (trace_slice_begin(trace, i) != 3 * (int64_t)i || trace->slices.duration[i] != 1 + (i & 1) ||
                trace_slice_label(trace, i) != label.index || !trace_slice_source(trace, i, &offset) ||
                offset != 200 * i)
                fail_msg("slice %llu is another", (unsigned long long)i);
        }
        trace_release(trace);
    }
}

/* Pages of the rows of one thread become pages of the columns of the next. */
TEST(threads_that_are_large_together)
{
    enum { LARGE_THREADS = 5, CALLS = 400000 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (unsigned thread = 0; thread < LARGE_THREADS; thread++) {
        char name[] = { (char)('a' + thread) };
        feed_set_thread(&feed, 1, 10 + thread);
        LabelId label = feed_label(&feed, name, 1);
        for (int64_t i = 0; i < CALLS; i++) {
            builder_begin(feed.builder, feed.thread, 5 * i + thread, label, feed_next_pos(&feed), 0);
            builder_end(feed.builder, feed.thread, 5 * i + thread + 2, LABEL_NONE, feed_next_pos(&feed), 0);
        }
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->slices.count, LARGE_THREADS * CALLS);
    CHECK_UINT(trace->row_count, LARGE_THREADS);
    for (uint32_t r = 0; r < LARGE_THREADS; r++) {
        const Row *row = &trace->rows[r];
        CHECK_UINT(row->slice_count, CALLS);
        for (uint64_t i = 0; i < CALLS; i++) {
            const uint64_t at = row->first_slice + i;
            if (trace_slice_begin(trace, at) != 5 * (int64_t)i + r || trace->slices.duration[at] != 2 ||
                trace->slices.flags[at] != 0 ||
                trace_label_name(trace, trace_slice_label(trace, at)).bytes[0] != (char)('a' + r))
                fail_msg("slice %llu of thread %u is another", (unsigned long long)i, r);
        }
    }
    trace_release(trace);
}

TEST(every_allocation_may_fail)
{
    Stream streams[] = { stream_create(1, ODD_DEPTHS | ODD_LENGTHS | ODD_PLACES),
                         stream_create(2, ODD_DETAILS | ODD_ENDS | ODD_CLOCK | ODD_INSTANTS | ODD_STACKS),
                         stream_create(3, ODD_TIMES | ODD_NAMES) };
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        Trace   *trace = NULL;
        uint64_t n = 0;
        for (; trace == NULL; n++) {
            Err err = { 0 };
            memory_fail_after(n);
            trace = stream_trace(&streams[i], IN_BATCHES, SIZE_MAX, &err);
            memory_fail_after(UINT64_MAX);
            CHECK(trace != NULL || err.code == ERR_MEMORY);
        }
        CHECK(n > 5); /* it has failed at least once */
        Err err = { 0 };
        CHECK_DONE(trace_check(trace, &err), err);
        trace_release(trace);
        free(streams[i].steps);
    }
}

TEST_MAIN("trace/mark_rows", TEST_CASE(plain_streams), TEST_CASE(streams_with_one_oddity),
          TEST_CASE(streams_with_many_oddities), TEST_CASE(marks_that_may_stand_anywhere),
          TEST_CASE(details_among_marks_that_may_stand_anywhere),
          TEST_CASE(simple_threads_have_rows_and_others_logs), TEST_CASE(a_large_thread),
          TEST_CASE(threads_that_are_large_together), TEST_CASE(every_allocation_may_fail))
