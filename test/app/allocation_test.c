/* Each allocation fails in turn, also inside zlib, libzstd, Brotli, Cairo, FreeType, fontconfig, libdw and
 * libmicrohttpd: an operation succeeds or ends with an error about memory. Under AddressSanitizer nothing leaks. */
#define _GNU_SOURCE /* dladdr */
#include "analysis/compare.h"
#include "app/server/server.h"
#include "codec/encoder.h"
#include "paint/paint.h"
#include "paint/picture.h"
#include "support/failing_malloc.h"
#include "support/golden.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* An operation that is repeated. False: `err` is filled. */
typedef bool (*Operation)(void *context, Err *err);

/* True if the error is about memory. */
static bool is_of_memory(const Err *err)
{
    /* Cairo has one status for all errors of FreeType, also for a failed allocation. */
    return err->code == ERR_MEMORY || strstr(err->message, "out of memory") != NULL ||
           strstr(err->message, "libfreetype") != NULL;
}

/* Returns the distance to the next tested allocation: all of the first 80, then with increasing gaps. */
static uint64_t next_step(uint64_t n)
{
    return n < 80 ? 1 : n / 10;
}

/* Runs the operation repeatedly, with another allocation failing each time. Returns the number of allocations, rounded
 * up to the next tested one. */
static uint64_t fail_in_turn(const char *name, AllocationScope scope, Operation run, void *context)
{
    for (uint64_t n = 0;; n += next_step(n)) {
        Err err = { 0 };
        malloc_fail_at(scope, n);
        const bool done = run(context, &err);
        const bool failed = malloc_fail_end();
        if (!done && !is_of_memory(&err))
            fprintf(stderr, "%s, allocation %u: %s: %s\n", name, (unsigned)n, err_code_name(err.code),
                    err.message);
        CHECK(done || is_of_memory(&err));
        if (failed) continue;
        CHECK(done);
        fprintf(stderr, "%s: %u allocations\n", name, (unsigned)n);
        return n;
    }
}

/* ---- compressed inputs ---- */

enum { EVENTS = 3000 };

static void append_json(Bytes *json)
{
    bytes_append_text(json, "[");
    for (int i = 0; i < EVENTS; i++)
        bytes_printf(json, "{\"ph\":\"X\",\"name\":\"f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},",
                     i % 977, i * 10, i % 9);
    bytes_append_text(json, "{}]");
    CHECK(!json->failed);
}

typedef struct Packing {
    CodecKind    kind;
    const Bytes *plain;
    Bytes       *out; /* overwritten */
} Packing;

static bool pack(void *context, Err *err)
{
    const Packing *packing = context;
    Encoder       *encoder = encoder_open(packing->kind, encoder_levels(packing->kind).least, err);
    bytes_clear(packing->out);
    if (encoder == NULL) return false;
    const bool done = encoder_run(encoder, packing->plain->data, packing->plain->size, packing->out, err) &&
                      encoder_finish(encoder, packing->out, err);
    encoder_close(encoder);
    return done;
}

typedef struct Input {
    Bytes    bytes;
    unsigned threads;
} Input;

/* Loads a trace; it must contain every event, or be marked as incomplete. */
static bool load(void *context, Err *err)
{
    const Input      *input = context;
    const LoadOptions options = { .threads = input->threads };
    Loaded            loaded;
    if (!load_bytes(input->bytes.data, input->bytes.size, "x", &options, &loaded, err)) return false;
    const bool is_whole = loaded.trace->slices.count == EVENTS || !loaded.trace->source.complete;
    loaded_release(&loaded);
    return is_whole || err_set(err, ERR_CORRUPT, "events are missing without a warning");
}

static const CodecKind KINDS[] = { CODEC_GZIP, CODEC_ZSTD, CODEC_BROTLI };

TEST(compressing_survives_each_failing_allocation)
{
    Bytes plain = { 0 }, packed = { 0 };
    append_json(&plain);
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        Packing packing = { KINDS[k], &plain, &packed };
        if (KINDS[k] == CODEC_BROTLI) continue; /* libbrotlienc calls exit(1): BROTLI_ENCODER_EXIT_ON_OOM */
        CHECK(fail_in_turn(codec_name(KINDS[k]), ALLOCATIONS_OF_THIS_THREAD, pack, &packing) > 1);
    }
    bytes_release(&plain);
    bytes_release(&packed);
}

TEST(loading_survives_each_failing_allocation_in_any_thread)
{
    Bytes plain = { 0 };
    append_json(&plain);
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        Input   input = { .bytes = { 0 } };
        Packing packing = { KINDS[k], &plain, &input.bytes };
        Err     err;
        CHECK_DONE(pack(&packing, &err), err);
        for (input.threads = 1; input.threads <= 4; input.threads += 3)
            CHECK(fail_in_turn(codec_name(KINDS[k]), ALLOCATIONS_OF_ALL_THREADS, load, &input) > 10);
        bytes_release(&input.bytes);
    }
    bytes_release(&plain);
}

/* ---- comparisons ---- */

typedef struct Comparing {
    CompareInput inputs[SIDE_COUNT];
    CompareBy    by;
} Comparing;

/* Compares and sorts; the comparison must be complete. */
static bool compare(void *context, Err *err)
{
    const Comparing *comparing = context;
    Comparison       comparison;
    Bytes            name = { 0 };
    bool             done = compare_traces(comparing->inputs, comparing->by, &comparison, err);
    if (done && !compare_sort(&comparison, MEASURE_P99)) done = err_set(err, ERR_MEMORY, "out of memory");
    if (done) {
        compare_put_name(&comparison, &comparison.rows[0], &name);
        CHECK_INT(comparison.row_count, 978);
        CHECK(comparison.profiles[SIDE_A]->slice_count == EVENTS &&
              comparison.profiles[SIDE_B]->slice_count == 1);
        if (name.failed) done = err_set(err, ERR_MEMORY, "out of memory");
    }
    bytes_release(&name);
    compare_release(&comparison);
    return done;
}

TEST(comparing_survives_each_failing_allocation)
{
    static const char OTHER[] = "[{\"ph\":\"X\",\"name\":\"new\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9}]";
    const LoadOptions options = { .threads = 1 };
    Bytes             plain = { 0 };
    Loaded            a, b;
    Err               err;
    append_json(&plain);
    CHECK_DONE(load_bytes(plain.data, plain.size, "a", &options, &a, &err), err);
    CHECK_DONE(load_bytes(OTHER, sizeof OTHER - 1, "b", &options, &b, &err), err);
    const StatsQuery all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    Comparing        comparing = { .inputs = { { a.trace, all }, { b.trace, all } } };
    for (comparing.by = COMPARE_BY_NAME; comparing.by <= COMPARE_BY_PATH; comparing.by++)
        CHECK(fail_in_turn("comparing", ALLOCATIONS_OF_ALL_THREADS, compare, &comparing) > 10);
    loaded_release(&a);
    loaded_release(&b);
    bytes_release(&plain);
}

/* ---- pictures ---- */

typedef bool (*Painter)(const DrawList *list, const PaintFonts *fonts, Bytes *out, Err *err);

static bool png(const DrawList *list, const PaintFonts *fonts, Bytes *out, Err *err)
{
    return paint_png(list, fonts, 1, out, err);
}

static bool svg(const DrawList *list, const PaintFonts *fonts, Bytes *out, Err *err)
{
    return paint_svg(list, 1, fonts, out, err);
}

static bool pdf(const DrawList *list, const PaintFonts *fonts, Bytes *out, Err *err)
{
    return paint_pdf(list, 1, fonts, out, err);
}

typedef struct Painting {
    const DrawList *list;
    Painter         painter;
    PaintFonts      fonts;
} Painting;

static bool paint(void *context, Err *err)
{
    const Painting *painting = context;
    Bytes           out = { 0 };
    const bool      done = painting->painter(painting->list, &painting->fonts, &out, err);
    bytes_release(&out);
    return done;
}

enum { NOT_REACHED, SURVIVED, REFUSED, LIBRARY_CRASHED };

/* Libraries that do not check every allocation. libcairo 1.16: cairo_fill for a PNG. libfontconfig 2.14:
 * FcConfigSubstitute, after its configuration was read with too little memory. */
static bool crashes_by_itself(const char *library)
{
    return strstr(library, "/libcairo.") != NULL || strstr(library, "/libfontconfig.") != NULL;
}

/* Ends the process with LIBRARY_CRASHED if the fault is in such a library, or in a function of libc that it called. */
static void on_crash(int signal_number)
{
    enum { FRAMES = 8, FAULT = 2 }; /* before it: this function and the signal's trampoline */
    void     *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    for (int i = FAULT; i < count; i++) {
        Dl_info place;
        if (dladdr(frames[i], &place) == 0 || place.dli_fname == NULL) break;
        if (crashes_by_itself(place.dli_fname)) _exit(LIBRARY_CRASHED);
        if (strstr(place.dli_fname, "/libc.") == NULL) break;
    }
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* Paints in a child process, with allocation number n failing. Returns the outcome. */
static int paint_in_child(Painting *painting, uint64_t n)
{
    int         status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *frame;
        Err   err = { 0 };
        (void)backtrace(&frame, 1); /* loads its library */
        (void)signal(SIGSEGV, on_crash);
        (void)signal(SIGABRT, on_crash);
        malloc_fail_at(ALLOCATIONS_OF_THIS_THREAD, n);
        const bool done = paint(painting, &err);
        const bool failed = malloc_fail_end();
        if (!done && !is_of_memory(&err)) abort();
        _exit(!failed ? NOT_REACHED : done ? SURVIVED : REFUSED);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status)) fprintf(stderr, "allocation %u: wait status %x\n", (unsigned)n, (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= LIBRARY_CRASHED);
    return WEXITSTATUS(status);
}

TEST(painting_survives_each_failing_allocation)
{
    static const struct {
        const char *name;
        Painter     painter;
    } PAINTERS[] = { { "PNG", png }, { "SVG", svg }, { "PDF", pdf } };
    const PictureOptions options = { .width_px = 400, .scale = 1, .threads = 1 };
    /* The second name has a character that is not in the program's own fonts: fontconfig searches for one. */
    static const char JSON[] = "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9},"
                               "{\"ph\":\"X\",\"name\":\"\\u6f22\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":5}]";
    Loaded            loaded;
    Err               err;
    CHECK_DONE(load_bytes(JSON, sizeof JSON - 1, "x", &(LoadOptions){ .threads = 1 }, &loaded, &err), err);
    ViewLoaded      shown;
    const DrawList *list;
    View           *view = picture_create(&loaded, 1, &options, &list, &shown, &err);
    view_loaded_release(&shown);
    CHECK_DONE(view != NULL, err);
    for (size_t p = 0; p < sizeof PAINTERS / sizeof PAINTERS[0]; p++) {
        Painting painting = { list, PAINTERS[p].painter, paint_fonts() };
        unsigned counts[LIBRARY_CRASHED + 1] = { 0 };
        for (uint64_t n = 0; counts[NOT_REACHED] == 0; n += next_step(n))
            counts[paint_in_child(&painting, n)]++;
        fprintf(stderr, "%s: %u survived, %u refused, %u crashed in a library\n", PAINTERS[p].name,
                counts[SURVIVED], counts[REFUSED], counts[LIBRARY_CRASHED]);
        CHECK(counts[REFUSED] > 10);
    }
    view_destroy(view);
    loaded_release(&loaded);
}

/* ---- symbols ---- */

static bool load_symbols(void *context, Err *err)
{
    const LoadOptions options = { .threads = 1, .symbols = { .policy = SYMBOLS_SEARCH } };
    Loaded            loaded;
    if (!load_file(context, &options, &loaded, err)) return false;
    loaded_release(&loaded);
    return true;
}

TEST(symbols_survive_each_failing_allocation)
{
    const char *program = getenv("NATIVE_PIE");
    char        trace[1024], command[4096];
    CHECK(program != NULL);
    test_scratch_path("trace.spall", trace, sizeof trace);
    snprintf(command, sizeof command, "'%s' '%s' 3", program, trace);
    CHECK_INT(system(command), 0);
    CHECK(fail_in_turn("symbols", ALLOCATIONS_OF_THIS_THREAD, load_symbols, trace) > 10);
}

/* ---- the server ---- */

static bool serve(void *context, Err *err)
{
    Server *server = server_start(&(ServerOptions){ .session = context }, err);
    server_stop(server);
    return server != NULL;
}

typedef struct Client {
    uint16_t port;
    char     request[256];
} Client;

/* Sends one request on a new connection. Returns the status of the answer; 0: the connection was closed without an
 * answer; -1: timeout after ten seconds. Allocates nothing. */
static int ask(const Client *client)
{
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons(client->port),
                                         .sin_addr = { htonl(INADDR_LOOPBACK) } };
    const struct timeval     patience = { .tv_sec = 10 };
    char                     answer[16384];
    size_t                   size = 0;
    ssize_t                  got = 0;
    const int                fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    CHECK(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    (void)send(fd, client->request, strlen(client->request), MSG_NOSIGNAL);
    while (size < sizeof answer - 1 && (got = recv(fd, answer + size, sizeof answer - 1 - size, 0)) > 0)
        size += (size_t)got;
    close(fd);
    answer[size] = '\0';
    if (size == 0 && got < 0) return errno == EAGAIN ? -1 : 0;
    return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? atoi(answer + 9) : 0;
}

TEST(the_server_survives_each_failing_allocation)
{
    static const char JSON[] = "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]";
    Loaded            loaded;
    Err               err;
    Client            client;
    unsigned          port, unanswered = 0;
    char              secret[64];
    Session          *session = session_create();
    CHECK(session != NULL);
    CHECK_DONE(load_bytes(JSON, sizeof JSON - 1, "x", &(LoadOptions){ .threads = 1 }, &loaded, &err), err);
    CHECK(session_add_loaded(session, &loaded));
    CHECK(fail_in_turn("starting the server", ALLOCATIONS_OF_THIS_THREAD, serve, session) > 3);

    Server *server = server_start(&(ServerOptions){ .session = session }, &err);
    CHECK_DONE(server != NULL, err);
    CHECK(sscanf(server_url(server), "http://127.0.0.1:%u/%63[0-9a-f]/", &port, secret) == 2);
    client.port = (uint16_t)port;
    snprintf(client.request, sizeof client.request,
             "GET /%s/api/slice?trace=0&id=0 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n",
             secret, port);
    CHECK_INT(ask(&client), 200);
    bool failed = true;
    for (uint64_t n = 0; failed; n++) {
        malloc_fail_at(ALLOCATIONS_OF_OTHER_THREADS, n);
        const int status = ask(&client);
        failed = malloc_fail_end();
        CHECK(status == 200 || status == 0 || status >= 500);
        if (status == 0) unanswered++;
        CHECK_INT(ask(&client), 200); /* the next request is not affected */
        CHECK(n < 1000);
    }
    fprintf(stderr, "requests closed without an answer: %u\n", unanswered);
    server_stop(server);
    session_destroy(session);
}

TEST_MAIN("allocation", TEST_CASE(compressing_survives_each_failing_allocation),
          TEST_CASE(loading_survives_each_failing_allocation_in_any_thread),
          TEST_CASE(comparing_survives_each_failing_allocation),
          TEST_CASE(painting_survives_each_failing_allocation),
          TEST_CASE(symbols_survive_each_failing_allocation),
          TEST_CASE(the_server_survives_each_failing_allocation))
