/* The lines of tooltips, and the colours of the states of threads. */
#include "session_support.h"

#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

TEST(session_gives_lines_for_a_tooltip)
{
    char     text[4096], request[64];
    Session *session = session_of(SESSION_SAMPLE);
    (void)snprintf(request, sizeof request, "tooltip?trace=0&id=%" PRIu64, slice_of(session, "f", 0));
    CHECK_STRING(ask(session, request, SESSION_OK, text, sizeof text),
                 "self\t13000\ncategory\tc\ntext\ta bé\nn\t12345678901234567890\no.x\t1, 2\n");
    (void)snprintf(request, sizeof request, "tooltip?trace=0&id=%" PRIu64, slice_of(session, "io", 0));
    CHECK_STRING(ask(session, request, SESSION_OK, text, sizeof text), "self\t24000\n");
    CHECK_STRING(ask(session, "tooltip?trace=0&instant=0", SESSION_OK, text, sizeof text), "why\t1\n");
    ask(session, "tooltip?trace=0&instant=99", SESSION_NOT_FOUND, text, sizeof text);
    session_destroy(session);
}

TEST(session_gives_binary_data_one_line_of_a_tooltip)
{
    char     text[4096];
    Session *session =
        session_of("[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1,\"args\":{"
                   "\"data\":{\"bytes\":1024,\"hex\":\"11 a0 ...\",\"blob\":0},"
                   "\"all\":[{\"bytes\":2,\"hex\":\"11 a0\",\"blob\":1},7],"
                   "\"other\":{\"bytes\":3,\"hex\":4,\"blob\":0}}}]");
    CHECK_STRING(ask(session, "tooltip?trace=0&id=0", SESSION_OK, text, sizeof text),
                 "self\t1000\ndata\t1\xe2\x80\xaf"
                 "024 B: 11 a0 ...\nall[0]\t2 B: 11 a0\nall[1]\t7\n"
                 "other.bytes\t3\nother.hex\t4\nother.blob\t0\n");
    session_destroy(session);
}

/* Checks the answer to a request for the lines of a tooltip: an event that begins 10 us after the begin of the trace, in
 * row 0 of track 1. */
static void check_there(Session *session, const char *ids, const char *lines)
{
    char request[96], text[256];
    (void)snprintf(request, sizeof request, "tooltip?trace=0&track=1&row=0&begin=10000%s", ids);
    CHECK_STRING(ask(session, request, SESSION_OK, text, sizeof text), lines);
}

TEST(a_place_decides_which_event_a_tooltip_describes)
{
    char     text[256];
    Session *session =
        session_of("[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"first\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5},"
                   "{\"ph\":\"B\",\"name\":\"b\",\"cat\":\"b\",\"pid\":1,\"tid\":1,\"ts\":10},{\"ph\":\"E\","
                   "\"pid\":1,\"tid\":1,\"ts\":10},"
                   "{\"ph\":\"B\",\"name\":\"c\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":10},{\"ph\":\"E\","
                   "\"pid\":1,\"tid\":1,\"ts\":10},"
                   "{\"ph\":\"X\",\"name\":\"d\",\"cat\":\"d\",\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":5},"
                   "{\"ph\":\"i\",\"name\":\"e\",\"cat\":\"e\",\"pid\":1,\"tid\":1,\"ts\":1,\"s\":\"t\"},"
                   "{\"ph\":\"i\",\"name\":\"f\",\"cat\":\"f\",\"pid\":1,\"tid\":1,\"ts\":10,\"s\":\"t\"},"
                   "{\"ph\":\"s\",\"name\":\"g\",\"cat\":\"g\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1},"
                   "{\"ph\":\"f\",\"name\":\"g\",\"cat\":\"g\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":10},"
                   "{\"ph\":\"s\",\"name\":\"h\",\"cat\":\"h\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":10},"
                   "{\"ph\":\"f\",\"name\":\"h\",\"cat\":\"h\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":20}]");
    check_there(session, "", "self\t0\ncategory\tb\n");
    check_there(session, "&id=1", "self\t0\ncategory\tb\n");
    check_there(session, "&id=2", "self\t0\ncategory\tc\n");
    check_there(session, "&id=0", "self\t0\ncategory\tb\n");
    check_there(session, "&id=3", "self\t0\ncategory\tb\n");
    check_there(session, "&id=99", "self\t0\ncategory\tb\n");
    check_there(session, "&instant=0", "category\tf\n");
    check_there(session, "&instant=1", "category\tf\n");
    check_there(session, "&flow=0&end=from",
                "from\tc, Thread 1 of Process 1\nto\td, Thread 1 of Process 1\ncategory\th\nid\t2\n");
    check_there(session, "&flow=1&end=from",
                "from\tc, Thread 1 of Process 1\nto\td, Thread 1 of Process 1\ncategory\th\nid\t2\n");
    ask(session, "tooltip?trace=0&track=1&row=0&begin=11000&id=1", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "tooltip?trace=0&track=1&row=0&begin=11000&instant=1", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "tooltip?trace=0&track=1&row=0&begin=11000&flow=1&end=from", SESSION_NOT_FOUND, text,
        sizeof text);
    ask(session, "tooltip?trace=0&track=1&row=0&begin=10000&id=x", SESSION_BAD_REQUEST, text, sizeof text);
    ask(session, "tooltip?trace=0&track=1&row=0&begin=10000&flow=1", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

TEST(session_gives_states_of_threads_in_a_flame_graph_their_colours)
{
    Session *session = session_of(
        "[{\"ph\":\"X\",\"name\":\"Runnable\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9},"
        "{\"ph\":\"T\",\"name\":\"Runnable\",\"cat\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},"
        "{\"ph\":\"T\",\"name\":\"Parked\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1},"
        "{\"ph\":\"T\",\"name\":\"Odd\",\"pid\":1,\"tid\":1,\"ts\":4,\"dur\":1},"
        "{\"ph\":\"T\",\"name\":\"Sleeping\",\"cname\":\"good\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}]");
    char text[4096];
    ask(session, "flame?trace=0&tracks=1", SESSION_OK, text, sizeof text);
    CHECK(strstr(text, "{\"name\":\"Runnable\",\"label\":1,\"colour\":3}") != NULL);
    CHECK(strstr(text, "{\"name\":\"Parked\",\"label\":3,\"colour\":4}") != NULL);
    CHECK(strstr(text, "{\"name\":\"Odd\",\"label\":4,\"colour\":0}") != NULL);
    CHECK(strstr(text, "{\"name\":\"Sleeping\",\"label\":5,\"colour\":8192255}") != NULL);
    CHECK(answers_with(session, "flame?trace=0", "{\"name\":\"Runnable\",\"label\":1,\"colour\":0}"));
    session_destroy(session);
}

TEST_MAIN("session_tooltip", TEST_CASE(session_gives_lines_for_a_tooltip),
          TEST_CASE(session_gives_binary_data_one_line_of_a_tooltip),
          TEST_CASE(a_place_decides_which_event_a_tooltip_describes),
          TEST_CASE(session_gives_states_of_threads_in_a_flame_graph_their_colours))
