/* A session in many threads: requests at the same time, traces that load in the background. */
#include "session_support.h"

#include "app/session/session_open.h"
#include "base/file.h"
#include "base/thread.h"
#include "support/test.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* -- many at once -- */

typedef struct Crowd {
    Session       *session;
    _Atomic size_t wrong;
} Crowd;

static void crowd_member(void *context, size_t i)
{
    static const char *const REQUESTS[] = { "status",
                                            "outline?trace=0",
                                            "tiles?trace=0&keys=1.0.10.0,2.0.8.1",
                                            "slice?trace=0&id=0",
                                            "stats?trace=0",
                                            "histogram?trace=0",
                                            "area?trace=0",
                                            "flame?trace=0&tree=inverted",
                                            "flame?trace=0&begin=0&end=9000&find=g",
                                            "find?trace=0&text=g",
                                            "info?trace=0" };
    Crowd                   *crowd = context;
    const char              *request = REQUESTS[i % (sizeof REQUESTS / sizeof REQUESTS[0])];
    for (int n = 0; n < 50; n++) {
        Answer a = session_answer(crowd->session, request), b = session_answer(crowd->session, request);
        if (a.status != SESSION_OK || a.body.size != b.body.size ||
            memcmp(a.body.data, b.body.data, a.body.size) != 0)
            atomic_fetch_add(&crowd->wrong, 1);
        bytes_release(&a.body);
        bytes_release(&b.body);
    }
}

TEST(session_answers_many_at_once_the_same)
{
    Crowd crowd = { .session = session_of(SESSION_SAMPLE) };
    thread_run(4, 28, crowd_member, &crowd);
    CHECK_UINT(atomic_load(&crowd.wrong), 0);
    session_destroy(crowd.session);
}

/* -- in the background -- */

static void write_sample(const char *name, const char *text, char *path, size_t size)
{
    Err err;
    test_scratch_path(name, path, size);
    CHECK_DONE(file_write_whole(path, text, strlen(text), &err), err);
}

static LoadState load_settled(Session *session, uint32_t index, Err *err)
{
    const Loaded *loaded;
    LoadState     state;
    while ((state = session_load_state(session, index, &loaded, err)) == LOAD_RUNNING)
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return state;
}

TEST(session_loads_in_the_background)
{
    char     good[512], bad[512], absent[512], text[2048];
    Session *session = session_create();
    Err      err;
    write_sample("good.json", SESSION_SAMPLE, good, sizeof good);
    write_sample("bad.json", "not a trace at all", bad, sizeof bad);
    test_scratch_path("absent.json", absent, sizeof absent);
    CHECK_DONE(session_open(session, good, NULL, &(LoadOptions){ 0 }, NULL, &err), err);
    CHECK_DONE(session_open(session, bad, NULL, &(LoadOptions){ 0 }, NULL, &err), err);
    CHECK_DONE(session_open(session, absent, NULL, &(LoadOptions){ 0 }, NULL, &err), err);
    CHECK_INT(load_settled(session, 0, &err), LOAD_DONE);
    CHECK_INT(load_settled(session, 1, &err), LOAD_FAILED);
    CHECK_INT(err.code, ERR_UNKNOWN);
    CHECK_INT(load_settled(session, 2, &err), LOAD_FAILED);
    CHECK_INT(err.code, ERR_IO);
    CHECK(answers_with(session, "status", "\"trace\":1,\"name\":\"bad.json\",\"state\":\"failed\""));
    CHECK(answers_with(session, "slice?trace=0&id=0", "\"place\""));
    ask(session, "slice?trace=1&id=0", SESSION_NOT_FOUND, text, sizeof text);
    session_destroy(session);
}

TEST(session_takes_no_more_traces_than_it_can_number)
{
    char     path[512];
    Session *session = session_create();
    Err      err = { 0 };
    int      opened = 0;
    write_sample("many.json", SESSION_SAMPLE, path, sizeof path);
    while (opened < 1000 && session_open(session, path, NULL, &(LoadOptions){ 0 }, NULL, &err))
        opened++;
    CHECK_INT(opened, 64);
    CHECK_INT(err.code, ERR_LIMIT);
    session_destroy(session); /* while most are still loading */
}

TEST_MAIN("session_threads", TEST_CASE(session_answers_many_at_once_the_same),
          TEST_CASE(session_loads_in_the_background),
          TEST_CASE(session_takes_no_more_traces_than_it_can_number))
