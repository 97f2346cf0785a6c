/* Pieces of JSON that other threads decode ahead of the reader: the trace has the same bytes as without them, for any sizes of
 * pieces, whatever the number of threads. Under ThreadSanitizer the same test finds data races. */
#include "support/event_ways.h"
#include "support/thread_ways.h"

#include <stdio.h>

enum { FILES = 40, EVENTS = 120, LARGE_EVENTS = 40000 };

/* Texts between two events; most are a comma and a line break. */
static const char *const SEPARATORS[] = { ",\n",   ",\n",  ",\n",  ",",  ",\n  ",
                                          ",\r\n", " ,\n", ",,\n", "\n", ", /* note */ " };

/* Members of events. Some have objects that look like events, and texts that look like the end of an event. */
static const char *const MEMBERS[] = {
    "",
    "",
    "",
    ",\"args\":{\"a\":[1,2,{\"ph\":\"B\",\"name\":\"inner\",\"pid\":1,\"tid\":2,\"ts\":1},{\"ph\":\"E\"}]}",
    ",\"args\":{\"text\":\"},\\n{\\\"ph\\\":\\\"B\\\"},{\"}",
    ",\"args\":{}",
    ",\"cat\":\"a,b\"",
    ",\"cat\":\"\"",
    ",\"cat\":null",
    ",\"tts\":12",
    ",\"other\":[{},{\"ph\":\"X\",\"ts\":5}]",
    ",\"ts\":3.0005",
    ",\"cname\":\"good\"",
};

/* Names; also an escape, no UTF-8, a list, and a word. */
static const char *const NAMES[] = { "\"f\"",      "\"f\"", "\"main\"", "\"a \\\"b\\\" \\u00e9\"",
                                     "\"\xff\"",   "\"\"",  "null",     "17",
                                     "\"{,{\\\\\"" };

/* Damage in the place of an event, which is rare. */
static const char *const BROKEN[] = {
    "{\"ph\":\"B\",\"name\":\"unquoted}", "17", "null", "[{\"ph\":\"i\",\"ts\":3}]", "{\"ph\" \"B\"}", "{}"
};

#define ANY_OF(list, random) list[test_random_below(random, sizeof(list) / sizeof(list)[0])]

static void append_event(Bytes *out, TestRandom *random, unsigned long long ts)
{
    static const char PHASES[] = "BBBEEEXXXXbnei";
    const char        phase = PHASES[test_random_below(random, sizeof PHASES - 1)];
    const unsigned pid = (unsigned)test_random_below(random, 2), tid = (unsigned)test_random_below(random, 3);
    bytes_printf(out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u", phase, pid, tid, ts,
                 tid * 250);
    if (phase != 'E' || tid == 1) bytes_printf(out, ",\"name\":%s", ANY_OF(NAMES, random));
    if (phase == 'X') bytes_printf(out, ",\"dur\":%u", (unsigned)test_random_below(random, 9));
    if (phase == 'b' || phase == 'n' || phase == 'e') bytes_printf(out, ",\"id\":\"0x%x\"", pid + tid);
    bytes_printf(out, "%s}", ANY_OF(MEMBERS, random));
}

/* Makes a file; one in `oddness` of its events and separators is unusual, 0 = none. */
static Bytes file_of(TestRandom *random, size_t events, uint64_t oddness)
{
    Bytes out = { 0 };
    bytes_append_text(&out, test_random_below(random, 2) == 0 ? "[" : "{\"traceEvents\":[\n");
    for (size_t i = 0; i < events; i++) {
        const bool is_odd = oddness != 0 && test_random_below(random, oddness) == 0;
        if (is_odd)
            bytes_append_text(&out, ANY_OF(BROKEN, random));
        else
            append_event(&out, random, 100 + i / 2);
        if (i + 1 < events) bytes_append_text(&out, is_odd ? ANY_OF(SEPARATORS, random) : SEPARATORS[i % 5]);
    }
    bytes_append_text(&out, test_random_below(random, 2) == 0 ? "]}" : "]");
    CHECK(!out.failed);
    return out;
}

TEST(pieces_decoded_ahead_give_the_same_trace)
{
    TestRandom random = { 21 };
    for (unsigned i = 0; i < FILES; i++) {
        Bytes        file = file_of(&random, EVENTS, i % 3 == 0 ? 0 : i % 3 == 1 ? 30 : 5);
        const size_t size = i % 4 == 3 ? (size_t)test_random_below(&random, file.size) : file.size;
        CHECK(event_way_is_right(WAY_SHAPES, file.data, size, 0, 0));
        for (size_t most = 40; most < 20000; most *= 3)
            CHECK(event_way_is_right(WAY_AHEAD, file.data, size, most, test_random(&random)));
        bytes_release(&file);
    }
}

TEST(threads_give_the_same_trace)
{
    TestRandom random = { 22 };
    for (uint64_t oddness = 0; oddness <= 2000; oddness += 1000) {
        Bytes file = file_of(&random, LARGE_EVENTS, oddness);
        CHECK(file.size > 2 << 20); /* smaller ones are read by one thread */
        compare_threads(&file, 0);
        compare_threads(&file, 150); /* some events are longer */
        bytes_release(&file);
    }
}

/* More names than AHEAD_SPELLINGS, and threads in turns. */
TEST(names_without_a_number_give_the_same_trace)
{
    enum { EVENTS_OF_NAMES = 60000, THREADS = 700 };
    Bytes file = { 0 };
    bytes_append_text(&file, "[");
    for (unsigned i = 0; i < EVENTS_OF_NAMES; i++)
        bytes_printf(
            &file,
            "%s{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%u,\"dur\":1,\"name\":\"%s%u\",\"cat\":\"%s\"}",
            i == 0 ? "" : ",\n", i % 3, i * 31 % THREADS, i, i % 7 == 0 ? "a \\\"request\\\" " : "request ",
            i % 5 == 0 ? 0 : i, i % 2 == 0 ? "" : "net");
    bytes_append_text(&file, "]");
    CHECK(!file.failed && file.size > 2 << 20 && EVENTS_OF_NAMES * 4 / 5 > 2 * AHEAD_SPELLINGS);
    compare_threads(&file, 0);
    bytes_release(&file);
}

/* Counts the events that are seen before any of them is stored. */
static bool count_ahead(const Bytes *file, size_t piece, size_t *events)
{
    AheadState *state = (AheadState *)calloc(1, sizeof *state);
    Bytes       decoded = { 0 };
    CHECK(state != NULL);
    *events = 0;
    for (size_t at = 0; at < file->size; at += piece) {
        ahead_decode(state, file->data + at, file->size - at < piece ? file->size - at : piece, &decoded);
        *events += ahead_list(at, &decoded).count;
    }
    ahead_release(state);
    free(state);
    bytes_release(&decoded);
    return *events > 0;
}

TEST(most_events_of_a_usual_file_are_decoded_ahead)
{
    TestRandom random = { 23 };
    Bytes      file = file_of(&random, LARGE_EVENTS, 0);
    size_t     events;
    CHECK(count_ahead(&file, 256 << 10, &events));
    CHECK(events > LARGE_EVENTS * 99 / 100);
    bytes_release(&file);
}

TEST_MAIN("trace_event_ahead", TEST_CASE(pieces_decoded_ahead_give_the_same_trace),
          TEST_CASE(threads_give_the_same_trace), TEST_CASE(names_without_a_number_give_the_same_trace),
          TEST_CASE(most_events_of_a_usual_file_are_decoded_ahead))
