/* Fuzzes the handler of HTTP requests (app/server/handler.h) over a session that shows a small trace. The input is text:
 * lines with the method, the target, Host, Origin and If-None-Match, then the body. A missing line is a header that was not
 * sent. A '$' at the begin of the target is the secret, so that the bytes behind it reach the session. */
#include "app/server/handler.h"
#include "fuzz.h"

#include <string.h>

static const char SECRET[] = "0123456789abcdef0123456789abcdef";

/* A slice with arguments and one inside it, an instant, a counter, an asynchronous slice, an arrow, an object. */
static const char TRACE[] =
    "[{\"ph\":\"X\",\"name\":\"f\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":40,\"args\":{\"n\":1,"
    "\"s\":\"text\"}},\n"
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":2,\"ts\":7,\"dur\":9},\n"
    "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":3,\"ts\":20,\"dur\":9},\n"
    "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"mark\",\"pid\":1,\"tid\":2,\"ts\":8},\n"
    "{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":6,\"args\":{\"heap\":12.5}},\n"
    "{\"ph\":\"b\",\"name\":\"r\",\"cat\":\"a\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":6},\n"
    "{\"ph\":\"e\",\"name\":\"r\",\"cat\":\"a\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":9},\n"
    "{\"ph\":\"s\",\"name\":\"w\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":8},\n"
    "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"w\",\"id\":7,\"pid\":1,\"tid\":3,\"ts\":22},\n"
    "{\"ph\":\"N\",\"name\":\"o\",\"id\":3,\"pid\":1,\"tid\":2,\"ts\":6},\n"
    "{\"ph\":\"O\",\"name\":\"o\",\"id\":3,\"pid\":1,\"tid\":2,\"ts\":7,\"args\":{\"snapshot\":{\"a\":1}}}]"
    "\n";

static Session *open_session(void)
{
    const LoadOptions options = { .threads = 1 };
    Session          *session = session_create();
    Loaded            loaded;
    Err               err;
    expect(session != NULL, "no session");
    expect(load_bytes(TRACE, sizeof TRACE - 1, "trace.json", &options, &loaded, &err), "no trace");
    expect(session_add_loaded(session, &loaded), "the session takes no trace");
    return session;
}

/* Returns the next line as a C string, NULL behind the last. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (line == NULL) return NULL;
    char *end = strchr(line, '\n');
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL) *end = '\0';
    return line;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(text, *words) == 0) return true;
    }
    return false;
}

/* True if the begin of a target is the secret, as a path of its own. */
static bool has_secret(const char *target)
{
    if (target[0] == '/') target++;
    return strncmp(target, SECRET, TOKEN_TEXT) == 0 && target[TOKEN_TEXT] == '/';
}

static void check(const HttpRequest *request, const Reply *reply)
{
    static const char *const METHODS[] = { "GET", "HEAD", "POST", NULL };
    const bool is_here = request->host != NULL && (strncmp(request->host, "127.0.0.1", 9) == 0 ||
                                                   strncmp(request->host, "localhost", 9) == 0);
    const bool is_allowed = is_here && has_secret(request->target);
    expect(reply->bytes != NULL || reply->size == 0, "a body without bytes");
    expect(reply->cache != NULL, "an answer without a rule for caches");
    expect(reply->status != HTTP_NOT_MODIFIED || (reply->size == 0 && reply->etag[0] == '"'), "a wrong 304");
    expect(reply->status != HTTP_OK || reply->content_type != NULL, "a body without a type");
    expect((reply->status == HTTP_METHOD_NOT_ALLOWED) == (reply->allow != NULL),
           "a 405 without the allowed methods");
    if (is_one_of(request->method, METHODS) && is_allowed) return;
    expect(reply->status == HTTP_FORBIDDEN || reply->status == HTTP_METHOD_NOT_ALLOWED,
           "a stranger is answered");
    expect(reply->owned.data == NULL, "a stranger reaches the session");
    expect(reply->size < 100 && strstr(reply->bytes, SECRET) == NULL,
           "a request without the secret gets data");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Handler handler;
    if (handler.session == NULL) {
        setenv("XDG_STATE_HOME", "/dev/null", 1); /* no marks are stored: it is not a folder */
        setenv("VARVE_DUCKDB", "/", 1);           /* statements fail at once: DuckDB is not a part of this */
        handler.session = open_session();
        memcpy(handler.secret.text, SECRET, sizeof SECRET);
    }
    char *text = malloc(size + 1), *target = malloc(size + sizeof SECRET + 2);
    expect(text != NULL && target != NULL, "out of memory");
    memcpy(text, data, size);
    text[size] = '\0';
    char       *rest = text;
    const char *method = next_line(&rest), *sent = next_line(&rest);
    if (sent != NULL) {
        const bool begins_with_secret = sent[0] == '$';
        snprintf(target, size + sizeof SECRET + 2, "%s%s%s", begins_with_secret ? "/" : "",
                 begins_with_secret ? SECRET : "", begins_with_secret ? sent + 1 : sent);
        HttpRequest request = { .method = method, .target = target };
        Reply       reply;
        request.host = next_line(&rest);
        request.origin = next_line(&rest);
        request.if_none_match = next_line(&rest);
        request.body = rest == NULL ? STRING_LITERAL("") : (StringView){ rest, size - (size_t)(rest - text) };
        handler_reply(&handler, &request, &reply);
        check(&request, &reply);
        reply_release(&reply);
    }
    free(target);
    free(text);
    return 0;
}
