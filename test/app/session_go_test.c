/* The session's answers about Go traces. */
#include "app/session/session.h"
#include "format/go/stats/pprof.h"
#include "support/golden.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* range: NULL = the whole trace. */
static Session *session_of_range(const Bytes *file, const char *name, const char *range)
{
    Loaded      loaded = { 0 };
    LoadOptions options = { .threads = 1, .range = range };
    Err         err;
    CHECK_DONE(load_bytes(file->data, file->size, name, &options, &loaded, &err), err);
    Session *session = session_create();
    CHECK(session != NULL);
    CHECK(session_add_loaded(session, &loaded));
    return session;
}

static Session *session_of(const Bytes *file, const char *name)
{
    return session_of_range(file, name, NULL);
}

static bool answers_with(Session *session, const char *request, SessionStatus status, const char *piece)
{
    Answer answer = session_answer(session, request);
    CHECK_INT(answer.status, status);
    bytes_append(&answer.body, "", 1);
    bool holds = strstr((const char *)answer.body.data, piece) != NULL;
    if (!holds) (void)fprintf(stderr, "%s answers %s\n", request, (const char *)answer.body.data);
    bytes_release(&answer.body);
    return holds;
}

TEST(each_question_has_an_answer)
{
    static const struct {
        const char *request, *piece;
    } CASES[] = {
        { "go?trace=0&what=functions", "\"function\":\"main.annot.func1\",\"count\":8," },
        { "go?trace=0&what=goroutines", "\"goroutine\":1,\"function\":\"main.main\",\"created_ns\":\"0\"" },
        { "go?trace=0&what=net", "\"what\":\"net\",\"stacks\":[" },
        { "go?trace=0&what=sync", "\"function\":\"sync.(*WaitGroup).Wait\"" },
        { "go?trace=0&what=syscall", "\"stacks\":[{\"count\":" },
        { "go?trace=0&what=sched", "\"stacks\":[{\"count\":" },
        { "go?trace=0&what=tasks", "\"name\":\"order\",\"count\":8,\"open\":0," },
        { "go?trace=0&what=regions", "\"name\":\"left open\",\"count\":0,\"open\":8," },
        { "go?trace=0&what=mmu", "\"counts\":[\"stw\",\"background\",\"assist\"],\"series\":1," },
        { "go?trace=0&what=mmu&counts=sweep,per-processor",
          "\"counts\":[\"sweep\",\"per-processor\"],\"series\":2," },
        { "go?trace=0&what=gc", "\"finished_cycles\":0,\"mark_ns\":\"0\"" },
        { "go?trace=0&what=functions&begin=1000&end=2000", "\"begin_ns\":\"1000\",\"end_ns\":\"2000\"" },
        { "go?trace=0&what=functions&begin=99999999999", "\"functions\":[]" },
    };
    Bytes file = { 0 };
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of(&file, "annot.trace");
    for (int round = 0; round < 2; round++) { /* in any order of requests */
        for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
            CHECK(answers_with(session, CASES[i].request, SESSION_OK, CASES[i].piece));
    }
    session_destroy(session);
    bytes_release(&file);
}

/* The profiles equal those of the file's statistics. */
TEST(profiles_are_given_as_pprof)
{
    Bytes          file = { 0 };
    GoStats        stats;
    GoStatsRequest request = { .util = GO_UTIL_USUAL };
    Err            err;
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of(&file, "annot.trace");
    CHECK_DONE(go_stats_bytes(file.data, file.size, &request, &stats, &err), err);
    for (int p = 0; p < GO_PROFILE_COUNT; p++) {
        char  asked[48];
        Bytes wanted = { 0 };
        (void)snprintf(asked, sizeof asked, "pprof?trace=0&what=%s", go_profile_name((GoProfile)p));
        CHECK(go_pprof_write(&stats, (GoProfile)p, &wanted));
        Answer answer = session_answer(session, asked);
        CHECK_INT(answer.status, SESSION_OK);
        CHECK_STRING(answer.content_type, "application/octet-stream");
        CHECK_UINT(answer.body.size, wanted.size);
        CHECK(wanted.size > 0 && memcmp(answer.body.data, wanted.data, wanted.size) == 0);
        bytes_release(&answer.body);
        bytes_release(&wanted);
    }
    CHECK(answers_with(session, "pprof?trace=0&what=gc", SESSION_BAD_REQUEST, "net, sync, syscall or sched"));
    CHECK(answers_with(session, "pprof?trace=0", SESSION_BAD_REQUEST, "what="));
    go_stats_release(&stats);
    session_destroy(session);
    bytes_release(&file);
}

TEST(a_window_is_all_that_is_asked_about)
{
    Bytes file = { 0 };
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of_range(&file, "annot.trace", "2ms..5ms");
    CHECK(answers_with(session, "go?trace=0&what=functions", SESSION_OK,
                       "\"begin_ns\":\"2000000\",\"end_ns\":\"5000000\""));
    CHECK(answers_with(session, "go?trace=0&what=functions&begin=3000000&end=4000000", SESSION_OK,
                       "\"begin_ns\":\"3000000\",\"end_ns\":\"4000000\""));
    session_destroy(session);
    bytes_release(&file);
}

/* Returns the answer about a slice, with a zero byte behind its text. */
static Answer slice_answer(Session *session, unsigned id)
{
    char request[48];
    (void)snprintf(request, sizeof request, "slice?trace=0&id=%u", id);
    Answer answer = session_answer(session, request);
    bytes_append(&answer.body, "", 1);
    return answer;
}

/* Each of the eight orders sleeps in the region "prepare". */
TEST(a_state_says_what_its_thread_does)
{
    Bytes file = { 0 };
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of(&file, "annot.trace");
    unsigned sleeps = 0;
    for (unsigned id = 0;; id++) {
        Answer      answer = slice_answer(session, id);
        const char *body = (const char *)answer.body.data;
        const char *during = strstr(body, "\"during\":{");
        if (strstr(body, "\"name\":\"sleep\"") != NULL && during != NULL)
            sleeps += strstr(during, "\"name\":\"prepare\"") != NULL;
        bool is_over = answer.status != SESSION_OK;
        bytes_release(&answer.body);
        if (is_over) break;
    }
    CHECK_UINT(sleeps, 8);
    session_destroy(session);
    bytes_release(&file);
}

/* Each receive from a channel of this trace is ended by another goroutine. */
TEST(a_wait_says_who_ended_it)
{
    Bytes file = { 0 };
    fixture_read("go/go126_mixed.trace", &file);
    Session *session = session_of(&file, "mixed.trace");
    unsigned waits = 0, named = 0;
    for (unsigned id = 0;; id++) {
        Answer      answer = slice_answer(session, id);
        const char *body = (const char *)answer.body.data;
        const char *ended = strstr(body, "\"ended_by\":{\"count\":1,");
        if (strstr(body, "\"name\":\"chan receive\"") != NULL && strstr(body, "\"unfinished\"") == NULL) {
            waits++;
            named += ended != NULL && strstr(ended, "\"name\":\"unblock\"") != NULL;
        }
        bool is_over = answer.status != SESSION_OK;
        bytes_release(&answer.body);
        if (is_over) break;
    }
    CHECK_UINT(waits, 256);
    CHECK_UINT(named, waits);
    session_destroy(session);
    bytes_release(&file);
}

/* The stacks of a run are read again from the input; other slices have no such facts. */
TEST(a_run_says_how_it_begins_and_ends)
{
    Bytes file = { 0 };
    fixture_read("go/go119_chans.trace", &file);
    Session *session = session_of(&file, "chans.trace");
    unsigned begun = 0, ended = 0, others = 0;
    for (unsigned id = 0;; id++) {
        char request[48];
        (void)snprintf(request, sizeof request, "slice?trace=0&id=%u", id);
        Answer     slice = session_answer(session, request);
        const bool is_over = slice.status != SESSION_OK;
        bytes_append(&slice.body, "", 1);
        const bool has_ends = strstr((const char *)slice.body.data, "\"has_ends\":true") != NULL;
        bytes_release(&slice.body);
        if (is_over) break;
        (void)snprintf(request, sizeof request, "ends?trace=0&id=%u", id);
        Answer ends = session_answer(session, request);
        bytes_append(&ends.body, "", 1);
        const char *end = strstr((const char *)ends.body.data, "\"end\":");
        CHECK(ends.status == SESSION_OK && end != NULL);
        const char *why = strstr((const char *)ends.body.data, "\"why\":\"waits: chan ");
        begun += why != NULL && why < end;
        ended += strstr(end, "\"function\":\"runtime.chan") != NULL;
        others += !has_ends;
        CHECK(has_ends || strstr((const char *)ends.body.data, "\"frames\"") == NULL);
        bytes_release(&ends.body);
    }
    CHECK(begun > 20 && ended > 20 && others > 2);
    CHECK(answers_with(session, "ends?trace=0&id=1000000", SESSION_NOT_FOUND, "there is no slice"));
    session_destroy(session);
    bytes_release(&file);
}

static bool field_of(const Bytes *body, const char *field, char *out, size_t size)
{
    const char *at = strstr((const char *)body->data, field);
    if (at == NULL) return false;
    at += strlen(field);
    size_t length = strcspn(at, "\",}");
    snprintf(out, size, "%.*s", (int)length, at);
    return true;
}

/* From a run to the slice of its goroutine at the same time, and back; on lanes of threads and of the goroutine. */
TEST(a_goroutine_is_found_in_every_perspective)
{
    static const char *const FILES[] = { "go/go119_chans.trace", "go/go126_chans.trace" };
    for (size_t f = 0; f < sizeof FILES / sizeof FILES[0]; f++) {
        Bytes file = { 0 };
        fixture_read(FILES[f], &file);
        Session *session = session_of(&file, "chans.trace");
        unsigned there = 0, back = 0, threads = 0, inside = 0;
        for (unsigned id = 0;; id++) {
            char request[192], cross_view_id[32], begin[32], lane[64];
            (void)snprintf(request, sizeof request, "slice?trace=0&id=%u", id);
            Answer slice = session_answer(session, request);
            bytes_append(&slice.body, "", 1);
            const bool is_over = slice.status != SESSION_OK;
            const bool is_run =
                !is_over && strstr((const char *)slice.body.data, "\"title\":\"Processors") != NULL &&
                strstr((const char *)slice.body.data, "\"category\":\"goroutine\"") != NULL &&
                field_of(&slice.body, "\"cross_view_id\":\"", cross_view_id, sizeof cross_view_id) &&
                field_of(&slice.body, "\"begin\":\"", begin, sizeof begin) &&
                field_of(&slice.body, "\"name\":\"", lane, sizeof lane);
            bytes_release(&slice.body);
            if (is_over) break;
            if (!is_run) continue;
            CHECK(strncmp(lane, cross_view_id, strlen(cross_view_id)) == 0);
            (void)snprintf(request, sizeof request,
                           "counterpart?trace=0&cross_view_id=%s&perspective=Processors&at=%s", cross_view_id,
                           begin);
            (void)snprintf(lane, sizeof lane, "\"slice\":%u,", id);
            back += answers_with(session, request, SESSION_OK, lane);
            (void)snprintf(request, sizeof request,
                           "counterpart?trace=0&cross_view_id=%s&perspective=Goroutines&at=%s", cross_view_id,
                           begin);
            (void)snprintf(lane, sizeof lane, "\"begin\":\"%s\"", begin);
            there += answers_with(session, request, SESSION_OK, lane);
            (void)snprintf(request, sizeof request,
                           "counterpart?trace=0&cross_view_id=%s&perspective=Threads&at=%s", cross_view_id,
                           begin);
            threads += answers_with(session, request, SESSION_OK, lane);
            (void)snprintf(request, sizeof request,
                           "counterpart?trace=0&cross_view_id=%s&perspective=Threads&at=%llu", cross_view_id,
                           strtoull(begin, NULL, 10) + 1);
            inside += answers_with(session, request, SESSION_OK, lane);
        }
        CHECK(there > 40);
        CHECK_UINT(back, there);
        CHECK_UINT(threads, there);
        CHECK_UINT(inside, there);
        CHECK(answers_with(session, "counterpart?trace=0&cross_view_id=G999999&at=0", SESSION_OK, "null"));
        CHECK(answers_with(session, "counterpart?trace=0&cross_view_id=x&at=0", SESSION_OK, "null"));
        CHECK(answers_with(session, "counterpart?trace=0&at=0", SESSION_BAD_REQUEST, "cross_view_id="));
        session_destroy(session);
        bytes_release(&file);
    }
}

TEST(log_messages_are_found)
{
    Bytes file = { 0 };
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of(&file, "annot.trace");
    CHECK(answers_with(session, "find?trace=0&text=log%20without", SESSION_OK,
                       "\"name\":\"background log without category\",\"count\":1,"));
    /* 8, and in their tasks */
    CHECK(answers_with(session, "find?trace=0&text=utf8", SESSION_OK, "\"count\":16,"));
    CHECK(answers_with(session, "search?trace=0&text=utf8&in=names", SESSION_OK,
                       "\"matches\":[{\"place\":null,"));
    session_destroy(session);
    bytes_release(&file);
}

TEST(wrong_questions_are_refused)
{
    Bytes go = { 0 }, json = { 0 };
    fixture_read("go/go119_tiny.trace", &go);
    bytes_append_text(&json, "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]");
    Session *session = session_of(&go, "tiny.trace"), *other = session_of(&json, "other.json");
    CHECK(answers_with(session, "go?trace=0", SESSION_BAD_REQUEST, "what="));
    CHECK(answers_with(session, "go?trace=0&what=lunch", SESSION_BAD_REQUEST, "what="));
    CHECK(answers_with(session, "go?trace=0&what=mmu&counts=", SESSION_BAD_REQUEST, "counts="));
    CHECK(answers_with(session, "go?trace=0&what=mmu&counts=per-processor", SESSION_BAD_REQUEST, "counts="));
    CHECK(answers_with(session, "go?trace=0&what=gc&begin=x", SESSION_BAD_REQUEST, "begin="));
    CHECK(answers_with(other, "go?trace=0&what=gc", SESSION_NOT_FOUND, "not a Go trace"));
    session_destroy(session);
    session_destroy(other);
    bytes_release(&go);
    bytes_release(&json);
}

TEST_MAIN("session_go", TEST_CASE(each_question_has_an_answer), TEST_CASE(profiles_are_given_as_pprof),
          TEST_CASE(a_window_is_all_that_is_asked_about), TEST_CASE(a_state_says_what_its_thread_does),
          TEST_CASE(a_wait_says_who_ended_it), TEST_CASE(a_run_says_how_it_begins_and_ends),
          TEST_CASE(a_goroutine_is_found_in_every_perspective), TEST_CASE(log_messages_are_found),
          TEST_CASE(wrong_questions_are_refused))
