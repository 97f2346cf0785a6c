/* Requests that the session refuses: invalid, too long, random; and requests that run out of memory. */
#include "session_support.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* Every request is answered with a status and text. */
TEST(session_refuses_what_makes_no_sense)
{
    static const struct {
        const char   *request;
        SessionStatus status;
    } HOSTILE[] = {
        { "", SESSION_NOT_FOUND },
        { "?", SESSION_NOT_FOUND },
        { "nothing", SESSION_NOT_FOUND },
        { "slic", SESSION_NOT_FOUND },
        { "slice/", SESSION_NOT_FOUND },
        { "slice", SESSION_BAD_REQUEST },
        { "slice?trace=", SESSION_BAD_REQUEST },
        { "slice?trace=-1&id=0", SESSION_BAD_REQUEST },
        { "slice?trace=1&id=0", SESSION_NOT_FOUND },
        { "slice?trace=99999999999999999999&id=0", SESSION_BAD_REQUEST },
        { "slice?trace=0", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=5", SESSION_NOT_FOUND },
        { "slice?trace=0&id=18446744073709551615", SESSION_NOT_FOUND },
        { "slice?trace=0&id=18446744073709551616", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=0x1", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=+1", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=1e3", SESSION_BAD_REQUEST },
        { "slice?trace=%30&id=%", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=%4", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=%zz", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=%00", SESSION_BAD_REQUEST },
        { "slice?trace=0&id=%ff", SESSION_BAD_REQUEST },
        { "slice?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r", SESSION_BAD_REQUEST },
        { "tooltip?trace=0&id=99", SESSION_NOT_FOUND },
        { "places?trace=0", SESSION_BAD_REQUEST },
        { "places?trace=0&slices=0,", SESSION_BAD_REQUEST },
        { "places?trace=0&slices=0,x", SESSION_BAD_REQUEST },
        { "places?trace=0&slices=0,99", SESSION_NOT_FOUND },
        { "instant?trace=0&id=1", SESSION_NOT_FOUND },
        { "near?trace=0&id=0", SESSION_BAD_REQUEST },
        { "near?trace=0&id=0&move=up", SESSION_BAD_REQUEST },
        { "overview?trace=0&buckets=0", SESSION_BAD_REQUEST },
        { "overview?trace=0&buckets=65537", SESSION_BAD_REQUEST },
        { "labels?trace=0&page=4294967295", SESSION_NOT_FOUND },
        { "moments?trace=0&begin=0&level=0&buckets=8", SESSION_BAD_REQUEST },
        { "moments?trace=0&name=1&begin=0&level=0&buckets=0", SESSION_BAD_REQUEST },
        { "moments?trace=0&name=1&begin=0&level=0&buckets=65537", SESSION_BAD_REQUEST },
        { "moments?trace=0&name=1&begin=0&level=64&buckets=8", SESSION_BAD_REQUEST },
        { "moments?trace=0&name=1&begin=-1&level=0&buckets=8", SESSION_BAD_REQUEST },
        { "moments?trace=0&name=0&begin=0&level=0&buckets=8", SESSION_NOT_FOUND },
        { "moments?trace=0&name=99&begin=0&level=0&buckets=8", SESSION_NOT_FOUND },
        { "moments?trace=0&text=/(/&begin=0&level=0&buckets=8", SESSION_BAD_REQUEST },
        { "event-at?trace=0", SESSION_BAD_REQUEST },
        { "event-at?trace=0&byte=-1", SESSION_BAD_REQUEST },
        { "event-at?trace=0&byte=18446744073709551615", SESSION_OK },
        { "labels?trace=0&page=1", SESSION_NOT_FOUND },
        { "tiles?trace=0", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=1.0.0", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=1.0.0.0.0", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=1.0.0.0,", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=4294967296.0.0.0", SESSION_BAD_REQUEST },
        { "tiles?trace=0&keys=4294967295.4294967295.4294967295.18446744073709551615", SESSION_OK },
        { "tiles?trace=0&keys=1.4294967295.54.18446744073709551615", SESSION_OK },
        { "stats?trace=0&begin=x", SESSION_BAD_REQUEST },
        { "stats?trace=0&end=9223372036854775808", SESSION_BAD_REQUEST },
        { "stats?trace=0&begin=-9223372036854775808&end=9223372036854775807", SESSION_OK },
        { "stats?trace=0&begin=9&end=-9", SESSION_OK },
        { "stats?trace=0&tracks=1,,2", SESSION_BAD_REQUEST },
        { "stats?trace=0&tracks=a", SESSION_BAD_REQUEST },
        { "stats?trace=0&top=-1", SESSION_BAD_REQUEST },
        { "stats?trace=0&by=process", SESSION_OK },
        { "stats?trace=0&by=colour", SESSION_BAD_REQUEST },
        { "stats?trace=0&least=-1", SESSION_BAD_REQUEST },
        { "stats?trace=0&most=18446744073709551616", SESSION_BAD_REQUEST },
        { "histogram?trace=0&least=9&most=8", SESSION_OK },
        { "area?trace=0&begin=9&end=-9", SESSION_OK },
        { "area?trace=0&tracks=a", SESSION_BAD_REQUEST },
        { "area?trace=0&top=-1", SESSION_BAD_REQUEST },
        { "histogram?trace=0&scale=cubic", SESSION_BAD_REQUEST },
        { "histogram?trace=0&label=-1", SESSION_BAD_REQUEST },
        { "profile?trace=0&by=size", SESSION_BAD_REQUEST },
        { "profile?trace=0&kinds=some", SESSION_BAD_REQUEST },
        { "profile?trace=0&thread=no%20such", SESSION_BAD_REQUEST },
        { "flame?trace=0&thread=no%20such", SESSION_BAD_REQUEST },
        { "profile?trace=0&by=path&kinds=stacks", SESSION_OK },
        { "profile?trace=0&begin=9&end=-9", SESSION_OK },
        { "flame-change?trace=0", SESSION_BAD_REQUEST },
        { "first?trace=0", SESSION_BAD_REQUEST },
        { "first?trace=0&name=nothing", SESSION_OK },
        { "flame?trace=0&by=size", SESSION_BAD_REQUEST },
        { "flame?trace=0&tree=up", SESSION_BAD_REQUEST },
        { "flame?trace=0&tree=callers", SESSION_BAD_REQUEST },
        { "flame?trace=0&tree=callers&name=", SESSION_OK },
        { "flame?trace=0&tree=callees&name=nothing", SESSION_OK },
        { "flame?trace=0&recursion=some", SESSION_BAD_REQUEST },
        { "flame?trace=0&source=cpu", SESSION_BAD_REQUEST },
        { "flame?trace=0&source=sync", SESSION_NOT_FOUND },
        { "flame?trace=0&at=g", SESSION_BAD_REQUEST },
        { "flame?trace=0&at=11111111111111111", SESSION_BAD_REQUEST },
        { "flame?trace=0&at=ffffffffffffffff", SESSION_OK },
        { "flame?trace=0&row=4294967295", SESSION_OK },
        { "flame?trace=0&row=4294967296", SESSION_BAD_REQUEST },
        { "flame?trace=0&parts=0", SESSION_BAD_REQUEST },
        { "flame?trace=0&parts=4097", SESSION_BAD_REQUEST },
        { "flame?trace=0&slice=99", SESSION_NOT_FOUND },
        { "flame?trace=0&to=png", SESSION_BAD_REQUEST },
        { "flame?trace=0&begin=-9223372036854775808&end=9223372036854775807", SESSION_OK },
        { "flame?trace=0&tracks=", SESSION_OK },
        { "find?trace=0", SESSION_BAD_REQUEST },
        { "find?trace=0&text=", SESSION_OK },
        { "find?trace=0&text=a&move=sideways", SESSION_BAD_REQUEST },
        { "find?trace=0&text=a&from=99", SESSION_NOT_FOUND },
        { "cancel", SESSION_BAD_REQUEST },
        { "cancel?trace=7", SESSION_NOT_FOUND },
        { "info?trace=0", SESSION_OK },
        { "cancel?trace=0", SESSION_OK },
        { "status?trace=99", SESSION_OK },
    };
    char     text[16384];
    Session *session = session_of(SESSION_SAMPLE);
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        (void)fprintf(stderr, "%s\n", HOSTILE[i].request);
        ask(session, HOSTILE[i].request, HOSTILE[i].status, text, sizeof text);
        if (HOSTILE[i].status != SESSION_OK) CHECK(strchr(text, '\n') == text + strlen(text) - 1);
    }
    session_destroy(session);
}

TEST(session_refuses_requests_without_end)
{
    char     text[1024];
    Bytes    request = { 0 };
    Session *session = session_of(SESSION_SAMPLE);
    bytes_append_text(&request, "tiles?trace=0&keys=1.0.0.0");
    for (int i = 0; i < 256; i++)
        bytes_append_text(&request, ",1.0.0.0");
    bytes_append(&request, "", 1);
    ask(session, (const char *)request.data, SESSION_BAD_REQUEST, text, sizeof text);
    request.size--;
    for (int i = 0; i < 60000; i++)
        bytes_append_text(&request, ",1.0.0.0");
    bytes_append(&request, "", 1);
    ask(session, (const char *)request.data, SESSION_BAD_REQUEST, text, sizeof text);
    CHECK_STRING(text, "the request is too long\n");
    bytes_release(&request);
    session_destroy(session);
}

TEST(session_survives_random_requests)
{
    static const char *const WORDS[] = { "slice", "tiles",   "stats",  "find",  "near",   "?",   "&",
                                         "=",     "trace=0", "id=",    "keys=", "text=",  "%41", "%",
                                         "1",     "0",       "-1",     ".",     "1.0.3.", ",",   "move=",
                                         "begin", "tracks",  "labels", "page" };
    static const char *const NAMES[] = { "", "status", "slice?trace=0&",
                                         "tiles?trace=0&keys=", "find?trace=0&text=" };
    TestRandom               random = { 11 };
    Session                 *session = session_of(SESSION_SAMPLE);
    int                      good = 0;
    for (int i = 0; i < 20000; i++) {
        char request[256] = "";
        strcat(request, NAMES[test_random_below(&random, sizeof NAMES / sizeof NAMES[0])]);
        for (uint64_t n = test_random_below(&random, 14); n > 0; n--)
            strcat(request, WORDS[test_random_below(&random, sizeof WORDS / sizeof WORDS[0])]);
        Answer answer = session_answer(session, request);
        CHECK(answer.status <= SESSION_FAILED && !answer.body.failed);
        CHECK(answer.content_type != NULL);
        if (answer.status == SESSION_OK) good++;
        bytes_release(&answer.body);
    }
    CHECK(good > 0);
    session_destroy(session);
}

TEST(session_fails_in_words_when_memory_is_out)
{
    static const char *const REQUESTS[] = { "outline?trace=0",
                                            "tiles?trace=0&keys=1.0.10.0,2.0.1.0",
                                            "slice?trace=0&id=0",
                                            "tooltip?trace=0&id=0",
                                            "places?trace=0&slices=0,1,0",
                                            "stats?trace=0&tracks=1,2",
                                            "flame?trace=0&find=g&slice=0&tree=inverted&recursion=collapsed",
                                            "flame?trace=0&to=svg",
                                            "find?trace=0&text=g",
                                            "info?trace=0" };
    Session                 *session = session_of(SESSION_SAMPLE);
    for (size_t i = 0; i < sizeof REQUESTS / sizeof REQUESTS[0]; i++) {
        bool done = false;
        for (uint64_t n = 0; !done; n++) {
            memory_fail_after(n);
            Answer answer = session_answer(session, REQUESTS[i]);
            memory_fail_after(UINT64_MAX);
            done = answer.status == SESSION_OK && !answer.body.failed;
            bytes_release(&answer.body);
            CHECK(n < 1000);
        }
    }
    session_destroy(session);
}

TEST_MAIN("session_refusal", TEST_CASE(session_refuses_what_makes_no_sense),
          TEST_CASE(session_refuses_requests_without_end), TEST_CASE(session_survives_random_requests),
          TEST_CASE(session_fails_in_words_when_memory_is_out))
