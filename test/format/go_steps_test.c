/* The fast path for steps (format/go/feed/steps.h) gives the same trace as all events one by one. */
#include "format/go/feed/feed.h"
#include "format/go_made.h"
#include "format/go_support.h"
#include "trace/store/flows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The reader's parts, with and without the fast path. */
typedef struct Parts {
    TraceBuilder *builder;
    GoTrace      *trace;
    Feed          feed;
    uint64_t     *step_count; /* NULL: all events are fed one by one */
} Parts;

static uint64_t steps_taken;

PRINTF_LIKE(4, 0)
static void warn(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    builder_warn_args(((Parts *)context)->builder, kind, (EventPos){ offset, ERR_NOWHERE }, format, args);
}

static bool take_steps(void *context, GoTrace *trace)
{
    Parts         *parts = context;
    const uint64_t before = trace->event_count;
    const bool     done = feed_steps(&parts->feed, trace);
    *parts->step_count += trace->event_count - before;
    return done;
}

static void begin(void *context, const GoTrace *trace)
{
    Parts *parts = context;
    builder_set_version(parts->builder, trace->version.name);
    feed_begin(&parts->feed, trace);
    const bool takes_steps = feed_takes_steps(&parts->feed);
    CHECK(takes_steps);
    parts->trace->sink.steps = parts->step_count == NULL ? NULL : take_steps;
}

static bool take(void *context, GoTrace *trace, const GoEvent *event)
{
    return feed_event(&((Parts *)context)->feed, trace, event);
}

static bool end(void *context, GoTrace *trace)
{
    Parts *parts = context;
    if (trace->is_damaged) builder_set_incomplete(parts->builder);
    if (!feed_end(&parts->feed, trace)) return false;
    if (trace->event_count > 0) builder_widen(parts->builder, trace->begin_time);
    for (unsigned type = 0; type < 256; type++)
        if (trace->counts.of[type] > 0)
            builder_warn(parts->builder, "counted", (EventPos){ type, trace->counts.of[type] }, "type %u",
                         type);
    return true;
}

static Parts *open_parts(Arena *arena, TraceBuilder *builder, uint64_t *step_count)
{
    Parts *parts = ARENA_NEW(arena, Parts);
    CHECK(parts != NULL);
    *parts = (Parts){ .builder = builder, .step_count = step_count };
    parts->trace = go_trace_create(arena, &(GoSink){ .v1_mode = V1_BY_CAUSE,
                                                     .begin = begin,
                                                     .event = take,
                                                     .end = end,
                                                     .report = { warn, parts },
                                                     .context = parts });
    CHECK(parts->trace != NULL);
    parts->feed = (Feed){ .arena = arena, .builder = builder, .trace = parts->trace };
    builder_set_rules(builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    builder_set_endless(builder, ENDLESS_EXPECTED);
    return parts;
}

static void *open_alone(Arena *arena, TraceBuilder *builder, Err *err)
{
    (void)err;
    return open_parts(arena, builder, NULL);
}

static void *open_stepping(Arena *arena, TraceBuilder *builder, Err *err)
{
    (void)err;
    return open_parts(arena, builder, &steps_taken);
}

static bool read_parts(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                       Err *err)
{
    return go_trace_read(((Parts *)state)->trace, bytes, size, input, used, err);
}

static void text_of(void *(*open)(Arena *, TraceBuilder *, Err *), const char *perspective, const Bytes *file,
                    Bytes *out)
{
    const FormatReader reader = { .name = "go", .open = open, .read = read_parts };
    Built              built = built_by(&reader, perspective, file->data, file->size, (Pieces){ .fixed = 0 });
    go_built_text(&built, out);
    if (built.trace == NULL) return;
    for (uint64_t i = 0; i < built.trace->flows.count; i++) {
        const FlowEnd from = trace_flow_end(built.trace, i, FLOW_FROM),
                      to = trace_flow_end(built.trace, i, FLOW_TO);
        bytes_printf(out, "arrow %u: %" PRIu64 " %" PRId64 " > %" PRIu64 " %" PRId64 "\n",
                     built.trace->flows.label[i], from.slice, from.tick, to.slice, to.tick);
    }
    trace_release(built.trace);
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* If clocks of processors differ, events are moved to the same time, and those of different processors may be in
 * another order there. Then the lines and the number of moved events are compared, but not which was first. */
static void sort_lines(Bytes *text)
{
    static const char MOVED[] = "time-order ";
    Bytes             lines = { 0 }, sorted = { 0 };
    bytes_append(text, "", 1);
    for (char *rest = (char *)text->data, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        if (strncmp(line, MOVED, sizeof MOVED - 1) == 0) line[strcspn(line, ":")] = 0;
        bytes_append(&lines, &line, sizeof line);
    }
    char **all = (char **)(void *)lines.data;
    qsort(all, lines.size / sizeof *all, sizeof *all, compare_lines);
    for (size_t i = 0; i < lines.size / sizeof *all; i++)
        bytes_printf(&sorted, "%s\n", all[i]);
    bytes_release(&lines);
    bytes_release(text);
    *text = sorted;
}

static bool has_moved(const Bytes *text)
{
    static const char MOVED[] = "\ntime-order ";
    for (size_t i = 0; i + sizeof MOVED - 1 <= text->size; i++)
        if (memcmp(text->data + i, MOVED, sizeof MOVED - 1) == 0) return true;
    return false;
}

/* Reads a file twice. Returns the number of its events that were steps. */
static uint64_t compare_by(const char *perspective, const char *name, const Bytes *file)
{
    Bytes  alone = { 0 }, stepped = { 0 };
    size_t same = 0, line = 1;
    steps_taken = 0;
    text_of(open_alone, perspective, file, &alone);
    CHECK_UINT(steps_taken, 0);
    text_of(open_stepping, perspective, file, &stepped);
    if (has_moved(&alone)) {
        sort_lines(&alone);
        sort_lines(&stepped);
    }
    while (same < alone.size && same < stepped.size && alone.data[same] == stepped.data[same])
        line += alone.data[same++] == '\n';
    if (same < alone.size || same < stepped.size)
        print_error("%s by %s: line %zu differs\n", name, perspective == NULL ? "all" : perspective, line);
    CHECK_UINT(stepped.size, alone.size);
    CHECK_UINT(same, alone.size);
    bytes_release(&alone);
    bytes_release(&stepped);
    return steps_taken;
}

/* Compares by processor, by goroutine, and with all tracks. Returns the least number of steps. */
static uint64_t compare(const char *name, const Bytes *file)
{
    static const char *const PERSPECTIVES[] = { "processors", "goroutines", NULL };
    uint64_t                 least = UINT64_MAX;
    for (size_t i = 0; i < sizeof PERSPECTIVES / sizeof PERSPECTIVES[0]; i++) {
        const uint64_t steps = compare_by(PERSPECTIVES[i], name, file);
        if (steps < least) least = steps;
    }
    return least;
}

static void compare_file(const char *name, uint64_t *steps_of_v1, uint64_t *steps_of_v2)
{
    Bytes     file = { 0 };
    GoVersion version;
    go_file_read(name, &file);
    const uint64_t steps = compare(name, &file);
    if (go_version_parse(file.data, file.size, &version))
        *(version.read_as >= GO_1_22 ? steps_of_v2 : steps_of_v1) += steps;
    bytes_release(&file);
}

TEST(steps_are_events)
{
    uint64_t steps_of_v1 = 0, steps_of_v2 = 0;
    for (const char *const *name = GO_FILES; *name != NULL; name++)
        compare_file(*name, &steps_of_v1, &steps_of_v2);
    compare_file("go119_gc_cpuprofile.trace", &steps_of_v1, &steps_of_v2);
    compare_file("go126_mixed.trace", &steps_of_v1, &steps_of_v2);
    CHECK(steps_of_v1 > 5000);
    CHECK(steps_of_v2 > 5000);
}

/* The time of an event is changed, so that the processors disagree about later times: two of them have the same thread. */
TEST(processors_with_one_thread_are_taken_in_order)
{
    enum { PLACE_OF_TIME = 2674 };
    Bytes file = { 0 };
    go_file_read("go119_net.trace", &file);
    CHECK(file.size > PLACE_OF_TIME);
    file.data[PLACE_OF_TIME] = 0x58;
    (void)compare("go119_net.trace", &file);
    bytes_release(&file);
}

TEST(steps_of_damaged_traces_are_events)
{
    enum { TIMES = 12, MOST_BYTES = 200000 };
    TestRandom random = { 21 };
    for (const char *const *name = GO_FILES; *name != NULL; name++) {
        Bytes file = { 0 };
        go_file_read(*name, &file);
        if (file.size < 64 || file.size > MOST_BYTES) {
            bytes_release(&file);
            continue;
        }
        for (unsigned i = 0; i < TIMES; i++) {
            const size_t  at = 16 + (size_t)test_random_below(&random, file.size - 16);
            const uint8_t before = file.data[at];
            file.data[at] = (uint8_t)test_random(&random);
            (void)compare(*name, &file);
            file.data[at] = before;
        }
        bytes_release(&file);
    }
}

/* Goroutines that stay on their processors, and others that move between them; different clocks; equal times, and times
 * far apart; some damage. */
TEST(steps_of_many_processors_are_events)
{
    enum { ROUNDS = 40 };
    TestRandom random = { 4711 };
    uint64_t   taken = 0, made_events = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        static const unsigned PROCESSORS[] = { 1, 2, 2, 3, 7, 64, GO_MADE_MOST };
        const GoMade          made = { .processors = PROCESSORS[test_random_below(&random, 7)],
                                       .goroutines = 2 + (unsigned)test_random_below(&random, GO_MADE_MOST - 2),
                                       .events = 6000,
                                       .stays = (unsigned)test_random_below(&random, 17),
                                       .others = (unsigned)test_random_below(&random, i % 2 == 0 ? 2 : 100),
                                       .skew = i % 3 == 0 ? 0 : (unsigned)test_random_below(&random, 40),
                                       .pace = i % 5 == 0 ? 2000 : (unsigned)test_random_below(&random, 20) };
        Bytes                 file = { 0 };
        go_make(&made, &random, &file);
        for (uint64_t damage = i % 4 == 3 ? 1 + test_random_below(&random, 5) : 0; damage > 0; damage--)
            file.data[16 + test_random_below(&random, file.size - 16)] = (uint8_t)test_random(&random);
        taken += compare("made", &file);
        made_events += made.events;
        bytes_release(&file);
    }
    CHECK(taken > made_events / 2);
}

TEST_MAIN("go_steps", TEST_CASE(steps_are_events), TEST_CASE(processors_with_one_thread_are_taken_in_order),
          TEST_CASE(steps_of_damaged_traces_are_events), TEST_CASE(steps_of_many_processors_are_events))
