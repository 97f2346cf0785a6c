/* The session's answers about Go traces. */
#include "app/session/session.h"
#include "support/golden.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static Session *session_of(const Bytes *file, const char *name)
{
    Loaded loaded = { 0 };
    Err    err;
    CHECK_DONE(load_bytes(file->data, file->size, name, &(LoadOptions){ .threads = 1 }, &loaded, &err), err);
    Session *session = session_create();
    CHECK(session != NULL);
    CHECK(session_add_loaded(session, &loaded));
    return session;
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
    for (int round = 0; round < 2; round++) { /* in whatever order they are asked */
        for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
            CHECK(answers_with(session, CASES[i].request, SESSION_OK, CASES[i].piece));
    }
    session_destroy(session);
    bytes_release(&file);
}

/* Each of the eight orders sleeps in the region "prepare" that is open then. */
TEST(a_state_says_what_its_thread_does)
{
    Bytes file = { 0 };
    fixture_read("go/go126_annot_cpuprofile.trace", &file);
    Session *session = session_of(&file, "annot.trace");
    unsigned sleeps = 0;
    for (unsigned id = 0;; id++) {
        char request[48];
        (void)snprintf(request, sizeof request, "slice?trace=0&id=%u", id);
        Answer answer = session_answer(session, request);
        bytes_append(&answer.body, "", 1);
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
    CHECK(answers_with(other, "go?trace=0&what=gc", SESSION_NOT_FOUND, "no Go trace"));
    session_destroy(session);
    session_destroy(other);
    bytes_release(&go);
    bytes_release(&json);
}

TEST_MAIN("session_go", TEST_CASE(each_question_has_an_answer), TEST_CASE(a_state_says_what_its_thread_does),
          TEST_CASE(wrong_questions_are_refused))
