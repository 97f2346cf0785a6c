#include "session_support.h"

#include "format/load.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char SESSION_SAMPLE[] =
    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"srv\"}},"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":1,\"args\":{\"name\":\"main\"}},"
    "{\"ph\":\"X\",\"name\":\"f\",\"cat\":\"c\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":20,"
    "\"args\":{\"text\":\"a\\tb\\u00e9\",\"n\":12345678901234567890,\"o\":{\"x\":[1,2]}}},"
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":7,\"tid\":1,\"ts\":12,\"dur\":3},"
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":7,\"tid\":1,\"ts\":20,\"dur\":4},"
    "{\"ph\":\"X\",\"name\":\"h\",\"pid\":7,\"tid\":1,\"ts\":25,\"dur\":10},"
    "{\"ph\":\"B\",\"name\":\"io\",\"pid\":7,\"tid\":2,\"ts\":11},"
    "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":7,\"tid\":1,\"ts\":13,\"s\":\"p\",\"args\":{\"why\":1}}]";

Session *session_of(const char *json)
{
    Loaded loaded = { 0 };
    Err    err;
    CHECK_DONE(
        load_bytes(json, strlen(json), "dir/sample.json", &(LoadOptions){ .threads = 1 }, &loaded, &err),
        err);
    Session *session = session_create();
    CHECK(session != NULL);
    CHECK(session_add_loaded(session, &loaded));
    return session;
}

const char *ask(Session *session, const char *request, SessionStatus expected, char *text, size_t size)
{
    Answer answer = session_answer(session, request);
    CHECK_INT(answer.status, expected);
    CHECK(answer.body.size < size);
    if (answer.body.size > 0) memcpy(text, answer.body.data, answer.body.size);
    text[answer.body.size] = '\0';
    bytes_release(&answer.body);
    return text;
}

bool answers_with(Session *session, const char *request, const char *piece)
{
    char text[16384];
    ask(session, request, SESSION_OK, text, sizeof text);
    if (strstr(text, piece) == NULL) (void)fprintf(stderr, "%s answers %s\n", request, text);
    return strstr(text, piece) != NULL;
}

uint64_t slice_of(Session *session, const char *name, int n)
{
    char     request[96], text[4096];
    uint64_t id = 0;
    for (int i = 0; i <= n; i++) {
        (void)snprintf(request, sizeof request, "find?trace=0&text=%s", name);
        if (i > 0) (void)snprintf(request, sizeof request, "find?trace=0&text=%s&from=%" PRIu64, name, id);
        const char *at = strstr(ask(session, request, SESSION_OK, text, sizeof text), "\"slice\":");
        CHECK(at != NULL);
        CHECK(sscanf(at, "\"slice\":%" SCNu64, &id) == 1);
    }
    return id;
}
