#include "session_support.h"

#include "base/json_members.h"
#include "format/load.h"
#include "support/golden.h"
#include "support/test.h"
#include "trace/wire/moments.h"
#include "trace/wire/outline.h"
#include "trace/wire/tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool slice_answers(Session *session, const char *what, uint64_t id, const char *piece)
{
    char request[160];
    (void)snprintf(request, sizeof request, "%s&id=%" PRIu64, what, id);
    return answers_with(session, request, piece);
}

TEST(session_says_its_status)
{
    Session *session = session_of(SESSION_SAMPLE);
    CHECK(answers_with(session, "status", "\"name\":\"sample.json\",\"state\":\"ready\",\"phase\":\"done\""));
    CHECK(answers_with(session, "status", "\"error\":null,\"tag\":\""));
    CHECK(answers_with(session, "status", "\"warnings\":2,\"complete\":true"));
    session_destroy(session);
}

TEST(session_returns_the_places_of_slices_in_the_order_of_the_request)
{
    Session *session = session_of(SESSION_SAMPLE);
    uint64_t f = slice_of(session, "f", 0), g = slice_of(session, "g", 1);
    char     request[160], text[4096], ids[3][32];
    (void)snprintf(request, sizeof request, "places?trace=0&slices=%" PRIu64 ",%" PRIu64 ",%" PRIu64, g, f,
                   g);
    const char *at = ask(session, request, SESSION_OK, text, sizeof text);
    CHECK(strncmp(at, "[{\"trace\":0,\"track\":", 20) == 0);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "\"slice\":%" PRIu64 ",", i == 1 ? f : g);
        at = strstr(at, ids[i]);
        CHECK(at != NULL);
        at++;
    }
    CHECK_STRING(ask(session, "places?trace=0&slices=", SESSION_OK, text, sizeof text), "[]");
    session_destroy(session);
}

TEST(session_answers_everything_about_a_slice)
{
    Session *session = session_of(SESSION_SAMPLE);
    uint64_t f = slice_of(session, "f", 0), g = slice_of(session, "g", 1), io = slice_of(session, "io", 0);
    CHECK(slice_answers(session, "slice?trace=0", f, "\"name\":\"f\",\"category\":\"c\""));
    CHECK(slice_answers(session, "slice?trace=0", f,
                        "\"process\":{\"id\":\"7\",\"name\":\"srv\",\"title\":\"srv ("));
    CHECK(slice_answers(session, "slice?trace=0", f, "\"id\":\"1\",\"name\":\"main\",\"title\":\"main ("));
    CHECK(slice_answers(
        session, "slice?trace=0", f,
        "\"begin\":{\"tick\":\"10000\",\"offset\":\"0\",\"ns\":\"10000\",\"text\":\"0 s\",\"utc\":null}"));
    CHECK(slice_answers(session, "slice?trace=0", f,
                        "\"duration\":{\"ticks\":\"20000\",\"ns\":\"20000\",\"text\":\"20 µs\"},"
                        "\"self\":{\"ticks\":\"13000\""));
    CHECK(
        slice_answers(session, "slice?trace=0", f,
                      "\"flags\":[],\"children\":2,\"object\":null,\"refs\":[],\"contexts\":[],\"args\":{"));
    CHECK(slice_answers(session, "slice?trace=0", f, "12345678901234567890"));
    CHECK(
        slice_answers(session, "slice?trace=0", f, "\"other\":null,\"details_error\":null,\"parents\":[],"));
    CHECK(slice_answers(session, "slice?trace=0", g, "\"category\":null"));
    CHECK(slice_answers(session, "slice?trace=0", g, "\"depth\":1,\"lane\":0"));
    CHECK(slice_answers(session, "slice?trace=0", g, "\"parents\":[{\"place\":{\"trace\":0,\"track\":"));
    CHECK(slice_answers(session, "slice?trace=0", g, "\"name\":\"f\",\"duration\":{\"ticks\":\"20000\""));
    CHECK(slice_answers(session, "slice?trace=0", slice_of(session, "h", 0), "\"lane\":1"));
    CHECK(slice_answers(session, "slice?trace=0", io, "\"flags\":[\"unfinished\"]"));
    session_destroy(session);
}

TEST(session_answers_the_time_of_day)
{
    Session *session =
        session_of("{\"baseTimeNanoseconds\":1610113734118010000,\"traceEvents\":["
                   "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":0.1,\"dur\":0.9}]}");
    CHECK(answers_with(session, "slice?trace=0&id=0", "\"utc\":\"2021-01-08 13:48:54.1180101 UTC\""));
    CHECK(answers_with(session, "slice?trace=0&id=0", "\"utc\":\"2021-01-08 13:48:54.118011 UTC\""));
    CHECK(answers_with(session, "info?trace=0", "\"begin_utc\":\"2021-01-08 13:48:54.1180101 UTC\""));
    session_destroy(session);
}

/* Checks the answer about the byte at which `text` begins in the input, and about the byte before it. */
static void check_event_at(Session *session, const char *json, const char *text, const char *expected,
                           const char *before)
{
    char        request[64];
    const char *at = strstr(json, text);
    CHECK(at != NULL);
    (void)snprintf(request, sizeof request, "event-at?trace=0&byte=%zu", (size_t)(at - json));
    CHECK(answers_with(session, request, expected) && answers_with(session, request, "\"exact\":true"));
    (void)snprintf(request, sizeof request, "event-at?trace=0&byte=%zu", (size_t)(at - json) - 1);
    CHECK(answers_with(session, request, before) && answers_with(session, request, "\"exact\":false"));
}

TEST(session_finds_the_event_at_a_byte)
{
    static const char JSON[] =
        "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":1,\"args\":{\"n\":1}},"
        "{\"ph\":\"s\",\"name\":\"way\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":12},"
        "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"m\",\"pid\":1,\"tid\":1,\"ts\":13,\"args\":{\"n\":1}},"
        "{\"ph\":\"B\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":14,\"args\":{\"n\":1}},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":15,\"args\":{\"m\":1}}]";
    static const char *const A = "\"begin\":\"0\",\"extent\":\"1000\"";
    static const char *const WAY = "{\"place\":null,\"mark\":null,\"time\":{\"trace\":0,\"track\":";
    static const char *const M = "\"row\":0,\"begin\":\"3000\"},\"time\":null";
    static const char *const B = "\"begin\":\"4000\",\"extent\":\"1000\"";
    Session                 *session = session_of(JSON);
    check_event_at(session, JSON, "{\"ph\":\"X\"", A, "\"place\":null,\"mark\":null,\"time\":null");
    check_event_at(session, JSON, "{\"ph\":\"s\"", WAY, A);
    check_event_at(session, JSON, "{\"ph\":\"i\"", M, WAY);
    check_event_at(session, JSON, "{\"ph\":\"B\"", B, M);
    check_event_at(session, JSON, "{\"ph\":\"E\"", B, B);
    session_destroy(session);
}

TEST(session_answers_everything_about_an_instant)
{
    Session *session = session_of(SESSION_SAMPLE);
    CHECK(answers_with(session, "instant?trace=0&id=0",
                       "\"name\":\"mark\",\"category\":null,\"scope\":\"process\""));
    CHECK(answers_with(session, "instant?trace=0&id=0", "\"name\":\"main\""));
    CHECK(answers_with(session, "instant?trace=0&id=0", "\"time\":{\"tick\":\"13000\",\"offset\":\"3000\""));
    CHECK(answers_with(session, "instant?trace=0&id=0", "\"args\":{\"why\":1}"));
    session_destroy(session);
}

static const char OBJECTS[] =
    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":9,\"tid\":9,\"args\":{\"name\":\"Browser\"}},"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"old\"}},"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"new\"}},"
    "{\"ph\":\"M\",\"name\":\"num_cpus\",\"pid\":1,\"tid\":3,\"args\":{\"number\":8}},"
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"tid\":2,\"args\":{\"labels\":\"tab\"}},"
    "{\"ph\":\"N\",\"name\":\"Layer\",\"pid\":1,\"tid\":2,\"ts\":10,\"id\":\"0x1\"},"
    "{\"ph\":\"O\",\"name\":\"Layer\",\"pid\":1,\"tid\":2,\"ts\":20,\"id\":\"0x1\",\"args\":{\"snapshot\":"
    "{\"host\":{\"id_ref\":\"0x2\",\"pid_ref\":-1},\"list\":[{\"id_ref\":\"0x1\"}],\"none\":{\"id_ref\":"
    "\"0x7\"},"
    "\"else\":{\"id_ref\":\"0x1\",\"scope\":\"s\"},\"text\":\"{\\\"id_ref\\\":\\\"0x1\\\"}\"}}},"
    "{\"ph\":\"O\",\"name\":\"Layer\",\"pid\":1,\"tid\":2,\"ts\":30,\"id\":\"0x1\",\"args\":{\"snapshot\":"
    "{\"base_type\":\"Base\"}}},"
    "{\"ph\":\"D\",\"name\":\"Layer\",\"pid\":1,\"tid\":2,\"ts\":40,\"id\":\"0x1\"},"
    "{\"ph\":\"O\",\"name\":\"Host\",\"pid\":9,\"tid\":9,\"ts\":15,\"id\":\"0x2\",\"args\":{\"snapshot\":{}}}"
    ","
    "{\"ph\":\"(\",\"name\":\"ctx\",\"pid\":1,\"tid\":2,\"ts\":12,\"id\":\"0x1\"},"
    "{\"ph\":\"X\",\"name\":\"in\",\"pid\":1,\"tid\":2,\"ts\":13,\"dur\":2},"
    "{\"ph\":\")\",\"name\":\"ctx\",\"pid\":1,\"tid\":2,\"ts\":22,\"id\":\"0x1\"},"
    "{\"ph\":\"X\",\"name\":\"out\",\"pid\":1,\"tid\":2,\"ts\":22,\"dur\":2},"
    "{\"ph\":\"v\",\"name\":\"dump\",\"pid\":1,\"tid\":2,\"ts\":25,\"id\":\"0x5\",\"args\":{\"dumps\":{}}},"
    "{\"ph\":\"v\",\"name\":\"dump\",\"pid\":9,\"tid\":9,\"ts\":26,\"id\":\"0x5\"},"
    "{\"ph\":\"v\",\"name\":\"dump\",\"pid\":9,\"tid\":9,\"ts\":28,\"id\":\"0x6\"}]";

/* Tracks, by process: 9 has Memory dumps (1), Host (2), thread 9 (3); 1 has Memory dumps (4), Layer (5), threads 2
 * and 3 (6, 7). Instants: dumps at 26 and 28 (0, 1), Host at 15 (2), dump at 25 (3), Layer at 20 and 30 (4, 5). */
TEST(session_says_whose_snapshot_an_instant_is)
{
    Session *session = session_of(OBJECTS);
    CHECK(answers_with(
        session, "instant?trace=0&id=4",
        "\"object\":{\"id\":\"0x1\",\"scope\":\"ptr\",\"type\":\"Layer\",\"base_type\":\"Base\","
        "\"created\":true,\"life\":1,\"lives\":1,\"place\":{\"trace\":0,\"track\":5,\"row\":0,\"slice\":1,"));
    CHECK(answers_with(
        session, "instant?trace=0&id=4",
        "\"snapshot\":1,\"snapshots\":2,\"first\":{\"trace\":0,\"instant\":4,\"track\":5,\"row\":0,"
        "\"begin\":\"10000\"},\"previous\":null,\"next\":{\"trace\":0,\"instant\":5,"));
    CHECK(answers_with(session, "instant?trace=0&id=5", "\"snapshot\":2,\"snapshots\":2,"));
    CHECK(answers_with(session, "instant?trace=0&id=2",
                       "\"type\":\"Host\",\"base_type\":null,\"created\":false"));
    CHECK(answers_with(session, "instant?trace=0&id=3", "\"object\":null,\"refs\":[]"));
    /* of the life itself, which is not one of its snapshots */
    CHECK(answers_with(session, "slice?trace=0&id=1", "\"snapshot\":0,\"snapshots\":2,"));
    CHECK(answers_with(session, "slice?trace=0&id=1",
                       "\"previous\":null,\"next\":null,\"last\":{\"trace\":0,\"instant\":5,"));
    CHECK(answers_with(session, "slice?trace=0&id=2", "\"object\":null"));
    session_destroy(session);
}

TEST(session_resolves_references_to_objects)
{
    Session *session = session_of(OBJECTS);
    CHECK(answers_with(
        session, "instant?trace=0&id=4",
        "\"refs\":[{\"id\":\"0x2\",\"scope\":null,\"pid\":\"-1\",\"snapshot\":{\"trace\":0,\"instant\":2,"
        "\"track\":2,\"row\":0,\"begin\":\"5000\"}},"
        "{\"id\":\"0x1\",\"scope\":null,\"pid\":null,\"snapshot\":{\"trace\":0,\"instant\":4,"
        "\"track\":5,\"row\":0,\"begin\":\"10000\"}},"
        "{\"id\":\"0x7\",\"scope\":null,\"pid\":null,\"snapshot\":null},"
        "{\"id\":\"0x1\",\"scope\":\"s\",\"pid\":null,\"snapshot\":null}],"));
    session_destroy(session);
}

TEST(session_answers_contexts_and_dumps)
{
    Session *session = session_of(OBJECTS);
    CHECK(answers_with(
        session, "slice?trace=0&id=2",
        "\"contexts\":[{\"name\":\"ctx\",\"category\":null,\"id\":\"0x1\",\"begin\":{\"tick\":\"12000\""));
    CHECK(answers_with(session, "slice?trace=0&id=2", "\"snapshot\":{\"trace\":0,\"instant\":4,"));
    CHECK(answers_with(session, "slice?trace=0&id=3", "\"contexts\":[]"));
    CHECK(answers_with(session, "instant?trace=0&id=3",
                       "\"dump\":{\"id\":\"0x5\",\"parts\":[{\"process\":{\"id\":\"9\",\"name\":\"Browser\","
                       "\"title\":\"Browser (9)\"},\"mark\":{\"trace\":0,\"instant\":0,"));
    CHECK(answers_with(session, "instant?trace=0&id=4", "\"dump\":null"));
    session_destroy(session);
}

TEST(session_answers_all_metadata_of_processes_and_threads)
{
    Session *session = session_of(OBJECTS);
    CHECK(
        answers_with(session, "process?trace=0&id=1", "\"labels\":\"tab\",\"sort_index\":0,\"threads\":1,"));
    CHECK(answers_with(session, "process?trace=0&id=1", "\"metadata_count\":4}"));
    CHECK(answers_with(session, "process?trace=0&id=1", "{\"name\":\"num_cpus\",\"thread\":{\"track\":7,"));
    CHECK(answers_with(session, "thread?trace=0&id=6",
                       "\"metadata\":[{\"name\":\"thread_name\",\"thread\":{\"track\":6,\"is_thread\":true,"
                       "\"id\":\"2\",\"name\":\"new\","
                       "\"title\":\"new (2)\"},\"args\":{\"name\":\"old\"},"));
    CHECK(answers_with(session, "thread?trace=0&id=7", "\"args\":{\"number\":8}"));
    CHECK(answers_with(session, "thread?trace=0&id=5", "\"metadata\":[],\"metadata_count\":0}"));
    char text[256];
    ask(session, "process?trace=0&id=2", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "thread?trace=0&id=8", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "thread?trace=0&id=0", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "thread?trace=0", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

/* A store that counts its reads and then calls the store that it wraps. */
typedef struct CountedStore {
    InputStore store;
    unsigned   reads;
} CountedStore;

static size_t counted_read(void *context, uint64_t offset, void *bytes, size_t size)
{
    CountedStore *counted = (CountedStore *)context;
    counted->reads++;
    return counted->store.read(counted->store.context, offset, bytes, size);
}

static void counted_close(void *context)
{
    const CountedStore *counted = (const CountedStore *)context;
    if (counted->store.close != NULL) counted->store.close(counted->store.context);
}

TEST(session_reads_the_bytes_of_neighbouring_events_once)
{
    Loaded       loaded = { 0 };
    Err          err;
    CountedStore counted;
    CHECK_DONE(load_bytes(SESSION_SAMPLE, strlen(SESSION_SAMPLE), "sample.json",
                          &(LoadOptions){ .threads = 1 }, &loaded, &err),
               err);
    counted = (CountedStore){ .store = loaded.store };
    loaded.store.read = counted_read;
    loaded.store.close = counted_close;
    loaded.store.context = &counted;
    Session *session = session_create();
    CHECK(session != NULL && session_add_loaded(session, &loaded));
    char request[64];
    (void)snprintf(request, sizeof request, "slice?trace=0&id=%" PRIu64, slice_of(session, "f", 0));
    CHECK(answers_with(session, request, "12345678901234567890"));
    (void)snprintf(request, sizeof request, "tooltip?trace=0&id=%" PRIu64, slice_of(session, "f", 0));
    CHECK(answers_with(session, request, "12345678901234567890"));
    CHECK(answers_with(session, "instant?trace=0&id=0", "why"));
    CHECK_UINT(counted.reads, 1);
    session_destroy(session);
}

TEST(session_finds_neighbours)
{
    Session *session = session_of(SESSION_SAMPLE);
    uint64_t f = slice_of(session, "f", 0), g0 = slice_of(session, "g", 0), g1 = slice_of(session, "g", 1);
    char     first[32], second[32], parent[32];
    (void)snprintf(first, sizeof first, "\"slice\":%" PRIu64 ",", g0);
    (void)snprintf(second, sizeof second, "\"slice\":%" PRIu64 ",", g1);
    (void)snprintf(parent, sizeof parent, "\"slice\":%" PRIu64 ",", f);
    CHECK(slice_answers(session, "near?trace=0&move=child", f, first));
    CHECK(slice_answers(session, "near?trace=0&move=parent", g1, parent));
    CHECK(slice_answers(session, "near?trace=0&move=next", g0, second));
    CHECK(slice_answers(session, "near?trace=0&move=previous", g1, first));
    CHECK(slice_answers(session, "near?trace=0&move=next-same", g0, second));
    CHECK(slice_answers(session, "near?trace=0&move=previous-same", g1, first));
    const char *const nowhere[] = { "near?trace=0&move=parent", "near?trace=0&move=next-same",
                                    "near?trace=0&move=previous-same", "near?trace=0&move=previous" };
    for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        char request[96], text[256];
        (void)snprintf(request, sizeof request, "%s&id=%" PRIu64, nowhere[i], f);
        CHECK_STRING(ask(session, request, SESSION_OK, text, sizeof text), "{\"place\":null,\"mark\":null}");
    }
    session_destroy(session);
}

/* send leads to recv of another process, and to late; late leads back in time. */
static const char ARROWS[] =
    "[{\"ph\":\"X\",\"name\":\"send\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":5},"
    "{\"ph\":\"X\",\"name\":\"recv\",\"pid\":2,\"tid\":1,\"ts\":20,\"dur\":5},"
    "{\"ph\":\"X\",\"name\":\"late\",\"pid\":2,\"tid\":1,\"ts\":30,\"dur\":5},"
    "{\"ph\":\"s\",\"name\":\"m\",\"cat\":\"k\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":11},"
    "{\"ph\":\"f\",\"name\":\"m\",\"cat\":\"k\",\"id\":1,\"pid\":2,\"tid\":1,\"ts\":29},"
    "{\"ph\":\"f\",\"name\":\"m\",\"cat\":\"k\",\"id\":1,\"pid\":2,\"tid\":1,\"ts\":21,"
    "\"bp\":\"e\"},"
    "{\"ph\":\"s\",\"name\":\"back\",\"id\":2,\"pid\":2,\"tid\":1,\"ts\":31},"
    "{\"ph\":\"f\",\"name\":\"back\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":12,"
    "\"bp\":\"e\"}]";

TEST(session_follows_arrows)
{
    Session *session = session_of(ARROWS);
    uint64_t send = slice_of(session, "send", 0), recv = slice_of(session, "recv", 0),
             late = slice_of(session, "late", 0);
    char place[64];
    (void)snprintf(place, sizeof place, "\"slice\":%" PRIu64 ",", recv);
    CHECK(slice_answers(session, "near?trace=0&move=flow-next", send, place));
    (void)snprintf(place, sizeof place, "\"slice\":%" PRIu64 ",", send);
    CHECK(slice_answers(session, "near?trace=0&move=flow-previous", recv, place));
    CHECK(slice_answers(session, "near?trace=0&move=flow-next", late, place));
    CHECK(slice_answers(session, "near?trace=0&move=flow-next", recv, "null"));
    CHECK(
        slice_answers(session, "slice?trace=0", recv,
                      "\"flows_in\":{\"count\":1,\"flows\":[{\"name\":\"m\",\"category\":\"k\",\"place\":{"));
    CHECK(slice_answers(session, "slice?trace=0", recv, "\"flows_out\":{\"count\":0,\"flows\":[]}"));
    CHECK(slice_answers(session, "slice?trace=0", send, "\"flows_out\":{\"count\":2,"));
    CHECK(slice_answers(session, "slice?trace=0", send, "\"slice_name\":\"late\""));
    CHECK(slice_answers(session, "slice?trace=0", send,
                        "\"duration\":{\"ticks\":\"10000\",\"ns\":\"10000\",\"text\":\"10 µs\"},"
                        "\"backwards\":false"));
    CHECK(slice_answers(session, "slice?trace=0", late, "\"backwards\":true"));
    char request[96], text[4096];
    (void)snprintf(request, sizeof request, "near?trace=0&move=flow-next&walk=%" PRIu64 ".1.%" PRIu64, send,
                   recv);
    (void)snprintf(place, sizeof place, "\"slice\":%" PRIu64 ",", late); /* then the other one */
    CHECK(slice_answers(session, request, send, place));
    (void)snprintf(place, sizeof place, "\"walk\":\"%" PRIu64 ".1.%" PRIu64 "\"}", send, late);
    CHECK(slice_answers(session, request, send, place));
    (void)snprintf(place, sizeof place, "\"slice\":%" PRIu64 ",", recv);
    CHECK(slice_answers(session, "near?trace=0&move=flow-next&walk=99999.1.x", send, place));
    CHECK_STRING(ask(session, "tooltip?trace=0&flow=0", SESSION_OK, text, sizeof text),
                 "from\tsend, Thread 1 of Process 1\nto\trecv, Thread 1 of Process 2\ncategory\tk\nid\t1\n");
    CHECK(answers_with(session, "flow?trace=0&id=0",
                       "{\"from\":{\"name\":\"m\",\"category\":\"k\",\"place\":{"));
    CHECK(answers_with(session, "flow?trace=0&id=0", "\"slice_name\":\"recv\""));
    ask(session, "flow?trace=0&id=3", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "tooltip?trace=0&flow=x", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

static const char STACKS[] =
    "{\"stackFrames\":{\"1\":{\"name\":\"main\",\"file\":\"a.c\",\"line\":3},\"2\":{\"name\":\"read\","
    "\"category\":\"io\","
    "\"parent\":\"1\",\"address\":\"0x1f\"}},\"traceEvents\":["
    "{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":90,\"sf\":2,\"esf\":1},"
    "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"i\",\"pid\":1,\"tid\":1,\"ts\":5,\"sf\":1}],\"samples\":["
    "{\"tid\":1,\"ts\":10,\"sf\":2},{\"tid\":1,\"ts\":20,\"sf\":1},{\"tid\":1,\"ts\":30,\"sf\":2},"
    "{\"tid\":1,\"ts\":40,\"sf\":2},{\"tid\":1,\"ts\":50}]}";

TEST(session_answers_stacks_and_samples)
{
    static const char MAIN[] =
        "{\"function\":\"main\",\"file\":\"a.c\",\"line\":3,\"column\":null,\"module\":null,"
        "\"address\":null}]}";
    static const char READ[] = "{\"depth\":2,\"frames\":[{\"function\":\"read\",\"file\":null,\"line\":null,"
                               "\"column\":null,\"module\":\"io\",\"address\":\"0x1f\"},";
    Session          *session = session_of(STACKS);
    uint64_t          x = slice_of(session, "x", 0);
    char              piece[512];
    (void)snprintf(piece, sizeof piece,
                   "\"stack\":%s%s,\"end_stack\":{\"depth\":1,\"frames\":[%s,\"samples\":null,", READ, MAIN,
                   MAIN);
    CHECK(slice_answers(session, "slice?trace=0", x, piece));
    (void)snprintf(piece, sizeof piece, "\"stack\":{\"depth\":1,\"frames\":[%s}", MAIN);
    CHECK(slice_answers(session, "instant?trace=0", 0, piece));
    CHECK(slice_answers(
        session, "slice?trace=0", slice_of(session, "read", 1),
        "\"samples\":{\"total\":2,\"self\":2,\"track_total\":3,\"track_self\":3,\"track_count\":5}"));
    CHECK(slice_answers(
        session, "slice?trace=0", slice_of(session, "main", 0),
        "\"samples\":{\"total\":4,\"self\":1,\"track_total\":4,\"track_self\":1,\"track_count\":5}"));
    /* Time of samples is the threads' own: it counts once. */
    CHECK(answers_with(session, "stats?trace=0", "\"slices\":1,\"names\":1"));
    CHECK(answers_with(session, "stats?trace=0", "\"left_out_tracks\":1"));
    CHECK(answers_with(session, "stats?trace=0&tracks=2", "\"slices\":3,\"names\":2"));
    CHECK(answers_with(session, "stats?trace=0&tracks=2", "\"left_out_tracks\":0"));
    CHECK(answers_with(session, "info?trace=0", "\"samples\":5,\"stacks\":2"));
    session_destroy(session);
}

TEST(session_answers_the_metadata_of_the_file)
{
    enum { LONG_TEXT = 20000 }; /* longer than the limit of an answer */
    static char json[LONG_TEXT + 256], expected[LONG_TEXT + 8];
    char        text[LONG_TEXT + 64];
    size_t      head = (size_t)sprintf(json, "{\"otherData\":{\"version\":7},\"source\":");
    memset(expected, 'x', LONG_TEXT);
    expected[0] = expected[LONG_TEXT - 1] = '"';
    expected[LONG_TEXT] = '\0';
    (void)snprintf(json + head, sizeof json - head, "%s,\"traceEvents\":[]}", expected);
    Session *session = session_of(json);
    CHECK_STRING(ask(session, "properties?trace=0", SESSION_OK, text, sizeof text),
                 "{\"properties\":[{\"key\":\"otherData\",\"bytes\":13,\"value\":{\"version\":7}},"
                 "{\"key\":\"source\",\"bytes\":20000,\"value\":null}]}");
    CHECK_STRING(ask(session, "property?trace=0&index=1", SESSION_OK, text, sizeof text), expected);
    CHECK_STRING(ask(session, "property?trace=0&index=0", SESSION_OK, text, sizeof text), "{\"version\":7}");
    ask(session, "property?trace=0&index=2", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "property?trace=0", SESSION_BAD_REQUEST, text, sizeof text);
    CHECK(answers_with(session, "info?trace=0", "\"otherData\":{\"version\":7}"));
    CHECK(!answers_with(session, "info?trace=0", "\"source\":"));
    session_destroy(session);
}

TEST(session_makes_a_table_of_names)
{
    Session *session = session_of(SESSION_SAMPLE);
    CHECK(answers_with(session, "stats?trace=0", "\"slices\":5,\"names\":4"));
    CHECK(answers_with(session, "stats?trace=0", "\"name\":\"g\""));
    CHECK(answers_with(session, "stats?trace=0", "\"count\":2,\"total\":{\"ticks\":\"7000\""));
    /* 14 000 to 21 000 ns: the last part of the first g, the first of the second */
    CHECK(answers_with(session, "stats?trace=0&begin=4000&end=11000",
                       "\"count\":2,\"total\":{\"ticks\":\"2000\""));
    CHECK(
        answers_with(session, "stats?trace=0&begin=4000&end=11000", "{\"begin\":\"4000\",\"end\":\"11000\""));
    CHECK(answers_with(session, "stats?trace=0&begin=-5&end=9223372036854775807", "\"slices\":5"));
    CHECK(answers_with(session, "stats?trace=0&tracks=", "\"slices\":0,\"names\":0"));
    CHECK(answers_with(session, "stats?trace=0&tracks=1,2,3,4,4,99999999999", "\"slices\":5"));
    CHECK(answers_with(session, "stats?trace=0&top=1", "\"names\":4"));
    CHECK(!answers_with(session, "stats?trace=0", "\"name\":\"absent\""));
    session_destroy(session);
}

TEST(session_counts_durations)
{
    Session *session = session_of(SESSION_SAMPLE); /* g: 3 and 4 us, h: 10 us, f: 20 us, io: 24 us */
    char     text[16384];
    CHECK(answers_with(session, "histogram?trace=0",
                       "{\"name\":null,\"slices\":5,\"bins\":[{\"least\":{\"ticks\":\"2500\""));
    CHECK(answers_with(session, "histogram?trace=0",
                       "\"below\":{\"ticks\":\"25000\",\"ns\":\"25000\",\"text\":\"25 "
                       "µs\"},\"count\":2,\"total\":{\"ticks\":\"44000\""));
    CHECK(answers_with(session, "histogram?trace=0&label=4", "{\"name\":\"g\",\"slices\":2,"));
    CHECK(answers_with(session, "histogram?trace=0&begin=4000&end=11000&least=2&most=1000", "\"slices\":2,"));
    CHECK(answers_with(session, "histogram?trace=0&tracks=", "{\"name\":null,\"slices\":0,\"bins\":[]}"));
    CHECK(answers_with(
        session, "histogram?trace=0&scale=linear",
        "{\"least\":{\"ticks\":\"3000\",\"ns\":\"3000\",\"text\":\"3 µs\"},\"below\":{\"ticks\":\"4000\""));
    CHECK(answers_with(session, "stats?trace=0&least=4000&most=10000", "\"slices\":2,\"names\":2"));
    CHECK(answers_with(session, "stats?trace=0&label=4", "\"slices\":2,\"names\":1"));
    ask(session, "histogram?trace=0&label=0", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "histogram?trace=0&label=99", SESSION_NOT_FOUND, text, sizeof text);
    session_destroy(session);
}

TEST(session_counts_found_slices_and_those_inside_a_slice)
{
    static const char JSON[] =
        "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10},"
        "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":4,\"args\":{\"k\":\"v\"}},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":2},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":1}]";
    Session *session = session_of(JSON);
    char     request[96], text[4096];
    CHECK(answers_with(session, "stats?trace=0&search=c&in=names",
                       "\"slices\":3,\"names\":1,\"total\":{\"ticks\":\"4000\""));
    CHECK(answers_with(session, "stats?trace=0&search=k%3Dv", "\"slices\":1,\"names\":1,"));
    CHECK(answers_with(session, "histogram?trace=0&search=c", "{\"name\":null,\"slices\":3,"));
    CHECK(answers_with(session, "stats?trace=0&search=nothing", "\"slices\":0,\"names\":0,"));
    (void)snprintf(request, sizeof request, "stats?trace=0&inside=%" PRIu64, slice_of(session, "b", 0));
    CHECK(answers_with(session, request, "\"slices\":2,\"names\":2,\"total\":{\"ticks\":\"4000\""));
    (void)snprintf(request, sizeof request, "flame?trace=0&inside=%" PRIu64, slice_of(session, "b", 0));
    CHECK(answers_with(session, request,
                       "\"names\":[{\"name\":null,\"label\":0,\"colour\":0},{\"name\":\"b\",\"label\":2,"
                       "\"colour\":0},{\"name\":\"c\",\"label\":3,\"colour\":0}]"));
    (void)snprintf(request, sizeof request, "histogram?trace=0&inside=%" PRIu64, slice_of(session, "a", 0));
    CHECK(answers_with(session, request, "{\"name\":null,\"slices\":4,"));
    ask(session, "stats?trace=0&inside=5", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "stats?trace=0&search=a&in=depth", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

TEST(session_counts_instants_and_counters)
{
    static const char JSON[] = "[{\"ph\":\"i\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"s\":\"t\"},"
                               "{\"ph\":\"i\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":10,\"s\":\"t\"},"
                               "{\"ph\":\"i\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":20,\"s\":\"t\"},"
                               "{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":0,\"args\":{\"user\":1}},"
                               "{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":10,\"args\":{\"user\":5}}]";
    Session          *session = session_of(JSON);
    CHECK(answers_with(
        session, "area?trace=0",
        "{\"instants\":3,\"instant_names\":2,\"instant_rows\":[{\"name\":\"a\",\"count\":2,\"first\":{"));
    CHECK(answers_with(session, "area?trace=0&begin=5000&end=20000", "{\"instants\":1,\"instant_names\":1,"));
    CHECK(
        answers_with(session, "area?trace=0&begin=5000&end=20000",
                     "\"count\":2,\"min\":{\"value\":1,\"text\":\"1\"},\"max\":{\"value\":5,\"text\":\"5\"},"
                     "\"average\":{\"value\":3.6666666666666665,\"text\":\"3.66666667\"},\"last\":{\"value\":"
                     "5,\"text\":\"5\"}"));
    CHECK(answers_with(
        session, "area?trace=0&tracks=",
        "{\"instants\":0,\"instant_names\":0,\"instant_rows\":[],\"counters\":0,\"counter_rows\":[]}"));
    CHECK(answers_with(session, "area?trace=0&top=0",
                       "{\"instants\":3,\"instant_names\":2,\"instant_rows\":[],\"counters\":1,"));
    session_destroy(session);
}

TEST(session_steps_through_samples)
{
    static const char JSON[] =
        "[{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":0,\"args\":{\"user\":1,\"system\":4}},"
        "{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":10,\"args\":{\"user\":5.5}},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":50},"
        "{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":30,\"args\":{\"user\":5.5,\"system\":3}}]";
    Session *session = session_of(JSON);
    char     text[4096];
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=9999",
                       "{\"track\":1,\"begin\":\"0\",\"extent\":\"10000\",\"name\":\"load\",\"process\":{"));
    CHECK(answers_with(
        session, "sample?trace=0&track=1&row=0&begin=9999",
        "\"series\":[{\"name\":\"user\",\"value\":{\"value\":1,\"text\":\"1\"},\"before\":null,\"change\":"
        "null},"
        "{\"name\":\"system\",\"value\":{\"value\":4,\"text\":\"4\"},\"before\":null,\"change\":null}]}"));
    CHECK(answers_with(
        session, "sample?trace=0&track=1&row=0&begin=0&move=next",
        "\"series\":[{\"name\":\"user\",\"value\":{\"value\":5.5,\"text\":\"5.5\"},\"before\":{\"value\":1,"
        "\"text\":\"1\"},\"change\":{\"value\":4.5,\"text\":\"4.5\"}},{\"name\":\"system\",\"value\":{"
        "\"value\":4,"
        "\"text\":\"4\"},\"before\":{\"value\":4,"));
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=10000",
                       "\"begin\":\"10000\",\"extent\":\"20000\""));
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=10000&move=next",
                       "\"begin\":\"30000\",\"extent\":\"20000\""));
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=30000&move=previous",
                       "\"begin\":\"10000\""));
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=30000&move=next", "null"));
    CHECK(answers_with(session, "sample?trace=0&track=1&row=0&begin=0&move=previous", "null"));
    ask(session, "sample?trace=0&track=2&row=0&begin=0", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "sample?trace=0&track=1&row=2&begin=0", SESSION_NOT_FOUND, text, sizeof text);
    ask(session, "sample?trace=0&track=1&row=0&begin=0&move=up", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

TEST(session_searches)
{
    Session *session = session_of(SESSION_SAMPLE);
    CHECK(answers_with(session, "find?trace=0&text=G",
                       "\"name\":\"g\",\"count\":2,\"index\":1,\"wrapped\":false"));
    CHECK(answers_with(session, "find?trace=0&text=%67&move=previous", "\"index\":2"));
    CHECK(answers_with(session, "find?trace=0&text=mark",
                       "{\"place\":null,\"mark\":{\"trace\":0,\"instant\":0,"));
    CHECK(answers_with(session, "find?trace=0&text=mark", "\"name\":\"mark\",\"count\":1,\"index\":1"));
    CHECK(answers_with(session, "find?trace=0&text=G&instant=0", "\"name\":\"g\",\"count\":2,\"index\":2"));
    CHECK(
        answers_with(session, "search?trace=0&text=mark&in=names", "{\"place\":null,\"mark\":{\"trace\":0,"));
    CHECK(answers_with(session, "near?trace=0&instant=0&move=next", "{\"place\":null,\"mark\":null}"));
    CHECK(answers_with(session, "find?trace=0&text=nothing",
                       "{\"place\":null,\"mark\":null,\"name\":null,\"count\":0"));
    session_destroy(session);
}

TEST(the_next_of_a_row_is_a_slice_or_an_instant)
{
    Session *session = session_of("[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10},"
                                  "{\"ph\":\"i\",\"name\":\"i\",\"pid\":1,\"tid\":1,\"ts\":20},"
                                  "{\"ph\":\"i\",\"name\":\"j\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":25},"
                                  "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":30,\"dur\":10}]");
    const char *const slice[] = { "\"slice\":0,", "\"slice\":1," };
    const char *const instant[] = { "\"place\":null,\"mark\":{\"trace\":0,\"instant\":0,",
                                    "\"place\":null,\"mark\":{\"trace\":0,\"instant\":1," };
    CHECK(answers_with(session, "near?trace=0&id=0&move=next", instant[0]));
    CHECK(answers_with(session, "near?trace=0&instant=0&move=next", instant[1]));
    CHECK(answers_with(session, "near?trace=0&instant=1&move=next", slice[1]));
    CHECK(answers_with(session, "near?trace=0&id=1&move=next", "{\"place\":null,\"mark\":null}"));
    CHECK(answers_with(session, "near?trace=0&id=1&move=previous", instant[1]));
    CHECK(answers_with(session, "near?trace=0&instant=1&move=previous", instant[0]));
    CHECK(answers_with(session, "near?trace=0&instant=0&move=previous", slice[0]));
    CHECK(answers_with(session, "near?trace=0&id=0&move=previous", "{\"place\":null,\"mark\":null}"));
    session_destroy(session);
}

static Session *session_of_capture(WidthRule widths)
{
    Loaded loaded = { 0 };
    Err    err;
    char   path[512];
    fixture_path("apitrace/groups_threads.trace", path, sizeof path);
    CHECK_DONE(load_file(path, &(LoadOptions){ .threads = 1, .widths = widths }, &loaded, &err), err);
    Session *session = session_create();
    CHECK(session != NULL && session_add_loaded(session, &loaded));
    return session;
}

/* Call 246 is the first of frame 2, as in `varve frames`. */
static void check_calls(Session *session, const char *span)
{
    char    text[16384];
    int64_t slice = -1;
    CHECK(answers_with(session, "call?trace=0&number=246",
                       "{\"call\":246,\"calls\":392,\"frame\":2,\"frames\":7,"));
    ask(session, "call?trace=0&number=246", SESSION_OK, text, sizeof text);
    const char *id = strstr(text, "\"slice\":");
    CHECK(id != NULL && sscanf(id, "\"slice\":%" SCNd64, &slice) == 1);
    CHECK(slice_answers(session, "slice?trace=0", (uint64_t)slice, "\"call\":246"));
    CHECK(slice_answers(session, "slice?trace=0", (uint64_t)slice, "\"text\":\"call 246, frame 2\""));
    CHECK(answers_with(session, "call?trace=0&frame=2", "\"call\":246,\"calls\":392,\"frame\":2"));
    CHECK(answers_with(session, "call?trace=0&frame=6", "\"frame\":6,\"frames\":7"));
    CHECK(answers_with(session, "call?trace=0&number=391", "\"call\":391"));
    CHECK(answers_with(session, "stats?trace=0&top=1", span));
    CHECK(answers_with(session, "call?trace=0&number=392", "{\"call\":null,\"calls\":392,\"frame\":null,"));
    CHECK(answers_with(session, "call?trace=0&frame=7", "\"frame\":null,\"frames\":7,\"place\":null}"));
    ask(session, "call?trace=0", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(session);
}

TEST(session_knows_where_a_call_stands)
{
    char text[16384];
    check_calls(session_of_capture(WIDTHS_OF_EVENTS), " events\"");
    check_calls(session_of_capture(WIDTHS_OF_CALLS), " calls\"");
    Session *session = session_of(SESSION_SAMPLE);
    ask(session, "call?trace=0&number=1", SESSION_NOT_FOUND, text, sizeof text);
    session_destroy(session);
}

TEST(session_converts_ticks_between_the_axes_of_a_capture)
{
    char     text[1024];
    Session *events = session_of_capture(WIDTHS_OF_EVENTS), *calls = session_of_capture(WIDTHS_OF_CALLS);
    /* the first calls return at once: call N begins at event 2N */
    static const char *const TO_CALLS = "axis?trace=0&to=calls&begins=0,20,21,22,784,1568,-784&ends=20,21,22";
    CHECK(answers_with(events, TO_CALLS, "{\"begins\":[0,10,10,11,392,784,-392],\"ends\":[10,11,11]}"));
    CHECK(answers_with(calls, TO_CALLS, "{\"begins\":[0,10,10,11,392,784,-392],\"ends\":[10,11,11]}"));
    CHECK(answers_with(events, "axis?trace=0&to=events&begins=0,10,392&ends=11",
                       "{\"begins\":[0,20,784],\"ends\":[22]}"));
    CHECK(answers_with(calls, "axis?trace=0&to=events&begins=-9223372036854775808,9223372036854775807",
                       "{\"begins\":[-"));
    ask(events, "axis?trace=0&to=calls&begins=1,x", SESSION_BAD_REQUEST, text, sizeof text);
    ask(events, "axis?trace=0&to=frames", SESSION_BAD_REQUEST, text, sizeof text);
    session_destroy(events);
    session_destroy(calls);
    Session *session = session_of(SESSION_SAMPLE);
    ask(session, "axis?trace=0&begins=1", SESSION_NOT_FOUND, text, sizeof text);
    session_destroy(session);
}

/* io and both g have no category, f has two, h one, t one that is hidden initially. */
TEST(session_hides_categories)
{
    Session *session =
        session_of("[{\"ph\":\"X\",\"name\":\"f\",\"cat\":\"c,d\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":20},"
                   "{\"ph\":\"X\",\"name\":\"h\",\"cat\":\"d\",\"pid\":7,\"tid\":1,\"ts\":12,\"dur\":3},"
                   "{\"ph\":\"X\",\"name\":\"g\",\"pid\":7,\"tid\":1,\"ts\":13,\"dur\":1},"
                   "{\"ph\":\"X\",\"name\":\"g\",\"pid\":7,\"tid\":1,\"ts\":20,\"dur\":4},"
                   "{\"ph\":\"X\",\"name\":\"t\",\"cat\":\"trace_event_overhead\",\"pid\":7,\"tid\":1,\"ts\":"
                   "26,\"dur\":1},"
                   "{\"ph\":\"i\",\"name\":\"m\",\"cat\":\"d\",\"pid\":7,\"tid\":1,\"ts\":13,\"s\":\"p\"}]");
    CHECK(
        answers_with(session, "categories?trace=0",
                     "{\"categories\":[{\"id\":0,\"name\":null,\"slices\":2,\"instants\":0,\"counters\":0,"
                     "\"hidden\":false},"
                     "{\"id\":1,\"name\":\"c\",\"slices\":1,\"instants\":0,\"counters\":0,\"hidden\":false},"
                     "{\"id\":2,\"name\":\"d\",\"slices\":2,\"instants\":1,\"counters\":0,\"hidden\":false},"
                     "{\"id\":3,\"name\":\"trace_event_overhead\",\"slices\":1,\"instants\":0,\"counters\":0,"
                     "\"hidden\":true}]}"));
    CHECK(answers_with(session, "stats?trace=0&hide=0,3", "\"slices\":2,\"names\":2"));
    CHECK(answers_with(session, "stats?trace=0&hide=1-3", "\"slices\":2,\"names\":1"));
    CHECK(answers_with(session, "find?trace=0&text=g&hide=0", "\"place\":null"));
    /* f also has the category c */
    CHECK(answers_with(session, "find?trace=0&text=d&hide=2-3", "\"count\":1"));
    /* Rows: f; h, g, t; a g inside h. */
    CHECK(answers_with(session, "near?trace=0&id=0&move=child", "\"slice\":1,"));
    CHECK(answers_with(session, "near?trace=0&id=0&move=child&hide=2", "\"slice\":2,"));
    CHECK(answers_with(session, "near?trace=0&id=4&move=parent&hide=2", "\"slice\":0,"));
    CHECK(answers_with(session, "near?trace=0&id=1&move=next&hide=0", "\"slice\":3,"));
    CHECK(answers_with(session, "near?trace=0&id=3&move=previous&hide=0", "\"slice\":1,"));
    CHECK(answers_with(session, "near?trace=0&id=3&move=previous&hide=0-2", "null"));
    CHECK(answers_with(session, "near?trace=0&id=2&move=next-same&hide=0", "null"));
    char text[1024];
    ask(session, "tiles?trace=0&keys=1.0.0.0&hide=a", SESSION_BAD_REQUEST, text, sizeof text);
    ask(session, "overview?trace=0&buckets=4&hide=2-1", SESSION_BAD_REQUEST, text, sizeof text);
    ask(session, "visible?trace=0&filter=-1", SESSION_BAD_REQUEST, text, sizeof text);
    for (int i = 0; i < 40; i++) { /* more sets than the cache holds */
        Answer answer = session_answer(session, i % 2 == 0 ? "visible?trace=0&hide=0&filter=5"
                                                           : "visible?trace=0&hide=0,2");
        CHECK_INT(answer.status, SESSION_OK);
        VisibleTrack tracks[4];
        uint32_t     number;
        CHECK(visible_open(answer.body.data, answer.body.size, tracks, 2, &number));
        CHECK_UINT(number, i % 2 == 0 ? 5 : 0);
        CHECK_UINT(tracks[1].slice_count, i % 2 == 0 ? 3 : 2);
        bytes_release(&answer.body);
        char other[64];
        snprintf(other, sizeof other, "visible?trace=0&hide=1,%d", 100 + i);
        answer = session_answer(session, other);
        CHECK_INT(answer.status, SESSION_OK);
        bytes_release(&answer.body);
    }
    session_destroy(session);
}

TEST(session_gives_what_the_view_reads)
{
    Session *session = session_of(SESSION_SAMPLE);
    Arena    arena = { 0 };
    Outline  outline;
    Err      err;
    Answer   answer = session_answer(session, "outline?trace=0");
    CHECK_INT(answer.status, SESSION_OK);
    CHECK(answer.immutable && answer.tag != 0);
    CHECK(outline_open(answer.body.data, answer.body.size, &arena, &outline, &err));
    CHECK_UINT(outline.slice_count, 5);
    CHECK(string_equal(outline.name, STRING_LITERAL("sample.json")));
    bytes_release(&answer.body);

    OverviewBucket buckets[8];
    answer = session_answer(session, "overview?trace=0&buckets=8");
    CHECK_UINT(overview_open(answer.body.data, answer.body.size, buckets, 8, &(uint32_t){ 0 }), 8);
    bytes_release(&answer.body);

    Moments moments;
    answer = session_answer(session, "moments?trace=0&text=name:/./&begin=0&level=0&buckets=65");
    CHECK_INT(answer.status, SESSION_OK);
    CHECK(moments_open(answer.body.data, answer.body.size, &moments) && (moments.bits[0] & 1) != 0);
    bytes_release(&answer.body);

    LabelText *labels = ARENA_ARRAY(&arena, LabelText, OUTLINE_LABEL_PAGE);
    answer = session_answer(session, "labels?trace=0&page=0");
    CHECK(label_page_open(answer.body.data, answer.body.size, labels) > 4);
    bytes_release(&answer.body);
    arena_release(&arena);
    session_destroy(session);
}

TEST(session_gives_tiles_behind_their_sizes)
{
    Session *session = session_of(SESSION_SAMPLE);
    Answer   answer = session_answer(session, "tiles?trace=0&keys=1.0.10.0,99.0.0.0,2.0.10.0");
    CHECK_INT(answer.status, SESSION_OK);
    size_t at = 0;
    int    tiles = 0, absent = 0;
    while (at + 4 <= answer.body.size) {
        const uint8_t *b = answer.body.data + at;
        size_t         size = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
        Tile           tile;
        at += 4;
        CHECK(at + size <= answer.body.size);
        if (size == 0)
            absent++;
        else
            tiles += tile_open(answer.body.data + at, size, &tile) ? 1 : 0;
        at += size;
    }
    CHECK_UINT(at, answer.body.size);
    CHECK_INT(tiles, 2);
    CHECK_INT(absent, 1);
    bytes_release(&answer.body);
    session_destroy(session);
}

TEST_MAIN("session", TEST_CASE(session_says_its_status),
          TEST_CASE(session_returns_the_places_of_slices_in_the_order_of_the_request),
          TEST_CASE(session_answers_everything_about_a_slice), TEST_CASE(session_answers_the_time_of_day),
          TEST_CASE(session_finds_the_event_at_a_byte),
          TEST_CASE(session_answers_everything_about_an_instant),
          TEST_CASE(session_says_whose_snapshot_an_instant_is),
          TEST_CASE(session_resolves_references_to_objects), TEST_CASE(session_answers_contexts_and_dumps),
          TEST_CASE(session_answers_all_metadata_of_processes_and_threads),
          TEST_CASE(session_reads_the_bytes_of_neighbouring_events_once), TEST_CASE(session_finds_neighbours),
          TEST_CASE(session_follows_arrows), TEST_CASE(session_answers_stacks_and_samples),
          TEST_CASE(session_answers_the_metadata_of_the_file), TEST_CASE(session_makes_a_table_of_names),
          TEST_CASE(session_counts_durations), TEST_CASE(session_counts_instants_and_counters),
          TEST_CASE(session_steps_through_samples),
          TEST_CASE(session_counts_found_slices_and_those_inside_a_slice), TEST_CASE(session_searches),
          TEST_CASE(the_next_of_a_row_is_a_slice_or_an_instant), TEST_CASE(session_knows_where_a_call_stands),
          TEST_CASE(session_converts_ticks_between_the_axes_of_a_capture),
          TEST_CASE(session_hides_categories), TEST_CASE(session_gives_what_the_view_reads),
          TEST_CASE(session_gives_tiles_behind_their_sizes))
