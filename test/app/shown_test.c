/* Received data as a trace of the session: a day of it in limited memory, with readers at the same time. */
#include "app/live/shown.h"
#include "base/lock.h"
#include "support/test.h"
#include "trace/wire/outline.h"

#include <string.h>
#include <time.h>

static void put(Bytes *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes_append(out, &(uint8_t){ (uint8_t)(value >> (8 * (size - 1 - i))) }, 1);
}

/* A Heph event of 44 bytes without attributes. */
static void put_event(Bytes *out, uint32_t counter, uint64_t start, uint64_t end, const char name[2])
{
    put(out, 0xC1FC1FB7, 4);
    put(out, 44, 4);
    put(out, 1, 4);
    put(out, counter, 4);
    put(out, 0, 8);
    put(out, start, 8);
    put(out, end, 8);
    put(out, 2, 2);
    bytes_append(out, name, 2);
}

static size_t store_nothing(void *context, uint64_t offset, void *buffer, size_t size)
{
    (void)context, (void)offset, (void)buffer, (void)size;
    return 0;
}

static void store_close(void *context)
{
    (void)context;
}

static Stream *stream_open(void)
{
    Err           err;
    StreamOptions options = { .reader = format_find("heph"), .transport = STREAM_PIECES };
    Stream       *stream = stream_create(&options, &err);
    CHECK_DONE(stream != NULL, err);
    return stream;
}

static void push_and_take_in(Shown *shown, Stream *stream, const Bytes *bytes)
{
    Err err;
    CHECK(shown_begin(shown, 0));
    CHECK_DONE(stream_push(stream, bytes->data, bytes->size, &err), err);
    CHECK_DONE(shown_end(shown, SHOW_NEWS, &err), err);
    ReadLosses losses = stream_losses(stream);
    shown_report(shown, LIVE_RECEIVING, stream_bytes(stream), &losses);
}

/* A hundred events a second, but sent faster; after an hour the memory is sufficient for the whole day. */
TEST(a_day_is_shown_in_the_memory_of_an_hour)
{
    enum { PER_PUSH = 1000, HOUR = 3600 * 100 / PER_PUSH, DAY = 24 * HOUR };
    InputStore store = { store_nothing, store_close, NULL };
    Session   *session = session_create();
    ShowRules  rules = { .session = session, .keep_bytes = 1 << 20 };
    Stream    *stream = stream_open();
    Bytes      bytes = { 0 };
    Err        err;
    uint64_t   peak_early = 0;
    memory_watch();
    Shown *shown = shown_create(&rules, stream, "sender", &store, &err);
    CHECK_DONE(shown != NULL, err);
    for (uint32_t push = 0; push < DAY; push++) {
        bytes_clear(&bytes);
        for (uint32_t i = 0; i < PER_PUSH; i++) {
            uint32_t number = push * PER_PUSH + i;
            put_event(&bytes, number, number * UINT64_C(10000000), number * UINT64_C(10000000) + 1000,
                      i % 2 ? "aa" : "bb");
        }
        push_and_take_in(shown, stream, &bytes);
        if (push == HOUR) peak_early = memory_peak();
    }
    CHECK_UINT(shown_events(shown), (uint64_t)PER_PUSH * DAY);
    CHECK(memory_peak() <= peak_early + peak_early / 4);
    CHECK(trace_check(shown_trace(shown), &err));
    stream_destroy(stream);
    session_destroy(session);
    shown_destroy(shown);
    bytes_release(&bytes);
}

static int64_t wall_clock_ns(void)
{
    struct timespec now;
    CHECK(timespec_get(&now, TIME_UTC) == TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the wall-clock time of the trace's begin from the session's outline. */
static int64_t begin_unix_ns(Session *session)
{
    Outline outline;
    Err     err;
    Arena   arena = arena_create(0);
    Answer  answer = session_answer(session, "outline?trace=0");
    CHECK(outline_open(answer.body.data, answer.body.size, &arena, &outline, &err));
    arena_release(&arena);
    bytes_release(&answer.body);
    return outline.begin_unix_ns;
}

TEST(the_begin_is_where_the_first_event_arrived)
{
    InputStore store = { store_nothing, store_close, NULL };
    Session   *session = session_create();
    ShowRules  rules = { .session = session };
    Stream    *stream = stream_open();
    Bytes      bytes = { 0 };
    Err        err;
    Shown     *shown = shown_create(&rules, stream, "sender", &store, &err);
    CHECK_DONE(shown != NULL, err);
    const int64_t before = wall_clock_ns();
    put_event(&bytes, 0, 5000000000, 5000001000, "aa");
    push_and_take_in(shown, stream, &bytes);
    const int64_t begin = begin_unix_ns(session);
    CHECK(begin >= before && begin <= wall_clock_ns());
    /* A later event has no effect, an earlier one moves the begin by its distance. */
    bytes_clear(&bytes);
    put_event(&bytes, 1, 9000000000, 9000001000, "aa");
    push_and_take_in(shown, stream, &bytes);
    CHECK_INT(begin_unix_ns(session), begin);
    bytes_clear(&bytes);
    put_event(&bytes, 2, 3000000000, 3000001000, "aa");
    push_and_take_in(shown, stream, &bytes);
    CHECK_INT(begin_unix_ns(session), begin - 2000000000);
    stream_destroy(stream);
    session_destroy(session);
    shown_destroy(shown);
    bytes_release(&bytes);
}

/* The input of a trace that grows while the threads of a request read its events again. */
typedef struct GrowingInput {
    Lock   *lock; /* protects all below */
    Bytes   bytes;
    Stream *stream;
    Shown  *shown;
    bool    grows;
    int     reads;
} GrowingInput;

static void grow(GrowingInput *input, const char *text)
{
    Bytes piece = { 0 };
    bytes_append_text(&piece, text);
    bytes_append(&input->bytes, piece.data, piece.size);
    push_and_take_in(input->shown, input->stream, &piece);
    bytes_release(&piece);
}

static size_t store_read_and_grow(void *context, uint64_t offset, void *buffer, size_t size)
{
    GrowingInput *input = context;
    lock_take(input->lock);
    input->reads++;
    /* It fails if the request excludes the receiver. */
    if (input->grows)
        grow(input,
             "{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":1,\"ts\":90,\"dur\":5,\"args\":{\"n\":2}},");
    const size_t left = offset < input->bytes.size ? (size_t)(input->bytes.size - offset) : 0;
    if (size > left) size = left;
    if (size > 0) memcpy(buffer, input->bytes.data + offset, size);
    lock_give(input->lock);
    return size;
}

/* Checks that an answer has a piece of text. */
static void check_answer(Session *session, const char *request, const char *piece)
{
    Answer answer = session_answer(session, request);
    bytes_append(&answer.body, "", 1);
    if (answer.status != SESSION_OK || strstr((const char *)answer.body.data, piece) == NULL)
        fail_msg("%s answers %s, without %s", request, (const char *)answer.body.data, piece);
    bytes_release(&answer.body);
}

/* They read many events again. Each sees the trace as it was when the request came. */
TEST(requests_that_read_arguments_let_the_trace_grow)
{
    static const struct {
        const char *request, *piece;
    } CASES[] = { { "arguments?trace=0", "[\"n\"]" },
                  { "stats?trace=0&by=arg:n", "\"slices\":2," },
                  { "stats?trace=0&by=arg:n&hide=1", "\"slices\":1," },
                  { "stats?trace=0&search=n%3D1", "\"slices\":1," },
                  { "histogram?trace=0&label=1&search=n%3D1", "\"slices\":1," },
                  { "flame?trace=0&search=n%3D1", "\"all\":{\"count\":1," } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Err           err;
        Arena         arena = arena_create(0);
        GrowingInput  input = { .lock = lock_create(&arena) };
        InputStore    store = { store_read_and_grow, store_close, &input };
        Session      *session = session_create();
        ShowRules     rules = { .session = session };
        StreamOptions options = { .reader = format_find("trace-event"), .transport = STREAM_PIECES };
        CHECK(input.lock != NULL);
        input.stream = stream_create(&options, &err);
        CHECK_DONE(input.stream != NULL, err);
        input.shown = shown_create(&rules, input.stream, "sender", &store, &err);
        CHECK_DONE(input.shown != NULL, err);
        grow(&input,
             "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":20,\"args\":{\"n\":1}},"
             "{\"ph\":\"X\",\"name\":\"g\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":12,\"dur\":3,"
             "\"args\":{\"n\":2}},");
        input.grows = true;
        check_answer(session, CASES[i].request, CASES[i].piece);
        input.grows = false;
        CHECK(input.reads > 0);
        CHECK_UINT(shown_events(input.shown), (uint64_t)input.reads + 2);
        check_answer(session, "stats?trace=0&by=arg:n&hide=1", "\"slices\":");
        CHECK(trace_check(shown_trace(input.shown), &err));
        stream_destroy(input.stream);
        session_destroy(session);
        shown_destroy(input.shown);
        bytes_release(&input.bytes);
        lock_destroy(input.lock);
        arena_release(&arena);
    }
}

/* A trace that cannot be shown leaves the session unchanged. */
TEST(without_memory_nothing_is_added)
{
    InputStore store = { store_nothing, store_close, NULL };
    Session   *session = session_create();
    ShowRules  rules = { .session = session };
    bool       done = false;
    for (uint64_t n = 0; !done; n++) {
        Err     err;
        Stream *stream = stream_open();
        CHECK(n < 1000);
        memory_fail_after(n);
        Shown *shown = shown_create(&rules, stream, "sender", &store, &err);
        memory_fail_after(UINT64_MAX);
        done = shown != NULL;
        if (!done) CHECK_INT(err.code, ERR_MEMORY);
        Answer answer = session_answer(session, "status");
        bytes_append(&answer.body, "", 1);
        CHECK((strstr((const char *)answer.body.data, "sender") != NULL) == done);
        bytes_release(&answer.body);
        stream_destroy(stream);
        if (done) session_destroy(session);
        shown_destroy(shown);
    }
}

TEST_MAIN("shown", TEST_CASE(a_day_is_shown_in_the_memory_of_an_hour),
          TEST_CASE(the_begin_is_where_the_first_event_arrived),
          TEST_CASE(requests_that_read_arguments_let_the_trace_grow),
          TEST_CASE(without_memory_nothing_is_added))
