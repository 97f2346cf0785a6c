/* A trace of the cache in a session: its tiles answer before the trace is checked, with the bytes of the checked trace. */
#include "app/session/range_answers.h"
#include "app/session/slot.h"
#include "session_support.h"
#include "support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int awaited;

static void await_nothing(const SessionSlot *slot)
{
    CHECK(atomic_load(&slot->state) == SLOT_SHOWN);
    awaited++;
}

/* A session that shows the tiles of a file, and one with the trace of which the file was made. */
typedef struct Pair {
    Session     *whole, *shown;
    SessionSlot *slot; /* of `shown` */
    char         path[64];
} Pair;

/* Writes the trace of the sample as the cache does. */
static void write_file(Session *session, const char *path)
{
    RangeAnswers answers;
    FileWriter   file;
    WriterReport report = { .loss_count = 0 };
    Err          err;
    CHECK_DONE(range_answers_create(session, 0, VARVE_COARSE_LEVELS, &answers, &err), err);
    const VarveFileOptions options = {
        .packing = VARVE_MAPPED, .details = VARVE_DETAILS_SOURCE, .threads = 1, .tiles = &answers.tiles
    };
    CHECK_DONE(file_writer_open(&file, path, &err), err);
    const OutputSink sink = output_to_file(&file);
    CHECK_DONE(trace_file_write(&session->slots[0]->loaded, &options, &sink, &report, &err), err);
    CHECK_DONE(file_writer_commit(&file, &err), err);
    range_answers_release(&answers);
}

/* Adds a slot that is loading. */
static void add_slot(Pair *pair)
{
    pair->shown = session_create();
    CHECK(pair->shown != NULL);
    pair->slot = session_slot_create(pair->shown, "dir/sample.json");
    CHECK(pair->slot != NULL);
    pair->slot->shown.lock = lock_create(&pair->shown->arena);
    pair->slot->shown.await = await_nothing;
    CHECK(pair->slot->shown.lock != NULL);
    session_slot_publish(pair->shown, pair->slot);
}

static Pair open_pair(void)
{
    Pair      pair = { .whole = session_of(SESSION_SAMPLE), .path = "/tmp/varve-kept-XXXXXX" };
    const int handle = mkstemp(pair.path);
    CHECK(handle >= 0 && close(handle) == 0);
    write_file(pair.whole, pair.path);
    add_slot(&pair);
    awaited = 0;
    return pair;
}

static void show(Pair *pair)
{
    Err         err;
    RemoteFile *tiles = remote_open_file(pair->path, VARVE_COARSE_LEVELS, &err);
    CHECK_DONE(tiles != NULL, err);
    session_slot_shown(pair->slot, tiles);
}

/* Gives the slot of the tiles a trace of the sample. */
static void finish(Pair *pair)
{
    Loaded loaded;
    Err    err;
    CHECK_DONE(load_bytes(SESSION_SAMPLE, strlen(SESSION_SAMPLE), "dir/sample.json",
                          &(LoadOptions){ .threads = 1 }, &loaded, &err),
               err);
    session_slot_ready(pair->slot, &loaded);
}

static void close_pair(Pair *pair)
{
    session_destroy(pair->whole);
    session_destroy(pair->shown);
    (void)unlink(pair->path);
}

/* True if both sessions give the same answer. */
static bool is_same(const Pair *pair, const char *request)
{
    Answer     a = session_answer(pair->whole, request), b = session_answer(pair->shown, request);
    const bool same = a.status == b.status && a.body.size == b.body.size &&
                      strcmp(a.content_type, b.content_type) == 0 &&
                      (a.body.size == 0 || memcmp(a.body.data, b.body.data, a.body.size) == 0);
    CHECK_INT(a.status, SESSION_OK);
    bytes_release(&a.body);
    bytes_release(&b.body);
    return same;
}

/* The requests of the first picture. The root level of the sample is 6. */
static const char *const FIRST[] = { "outline?trace=0",
                                     "info?trace=0",
                                     "categories?trace=0",
                                     "labels?trace=0&page=0",
                                     "identity?trace=0",
                                     "properties?trace=0",
                                     "overview?trace=0&buckets=1024",
                                     "overview?trace=0&buckets=1024&filter=7",
                                     "tiles?trace=0&keys=1.0.6.0,2.0.6.0,3.0.6.0,1.0.99.0,99.0.6.0",
                                     "tiles?trace=0&keys=1.0.6.0&filter=3" };

static uint32_t root_level(const Pair *pair)
{
    const Trace *trace = pair->whole->slots[0]->loaded.trace;
    uint32_t     level = 0;
    while ((uint64_t)(trace->end_tick - trace->begin_tick) >> level >= 512)
        level++;
    return level;
}

TEST(the_tiles_answer_as_the_checked_trace)
{
    Pair pair = open_pair();
    CHECK_UINT(root_level(&pair), 6);
    CHECK(!is_same(&pair, FIRST[0])); /* it is still loading */
    show(&pair);
    for (size_t i = 0; i < sizeof FIRST / sizeof FIRST[0]; i++)
        CHECK(is_same(&pair, FIRST[i]));
    CHECK(awaited == 0 && !atomic_load(&pair.slot->shown.is_short));
    finish(&pair);
    for (size_t i = 0; i < sizeof FIRST / sizeof FIRST[0]; i++)
        CHECK(is_same(&pair, FIRST[i]));
    close_pair(&pair);
}

TEST(other_requests_wait_for_the_trace)
{
    static const char *const OTHERS[] = { "stats?trace=0", "tiles?trace=0&keys=1.0.6.0,1.0.1.0",
                                          "overview?trace=0&buckets=7", "tooltip?trace=0&id=1",
                                          "tiles?trace=0&keys=1.0.6.0&hide=0" };
    enum { COUNT = sizeof OTHERS / sizeof OTHERS[0] };
    Pair pair = open_pair();
    char text[64];
    show(&pair);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_STRING(ask(pair.shown, OTHERS[i], SESSION_RUNNING, text, sizeof text), "{\"share\":0}");
        CHECK_INT(awaited, (int)i + 1);
    }
    CHECK(atomic_load(&pair.slot->shown.is_short));
    finish(&pair);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(is_same(&pair, OTHERS[i]));
    CHECK_INT(awaited, COUNT);
    close_pair(&pair);
}

TEST(statements_wait_for_the_trace)
{
    Pair pair = open_pair();
    show(&pair);
    Answer answer = session_answer_body(pair.shown, "sql", STRING_LITERAL("select 1"));
    CHECK_INT(answer.status, SESSION_RUNNING);
    CHECK_INT(awaited, 1);
    bytes_release(&answer.body);
    finish(&pair);
    close_pair(&pair);
}

TEST(the_status_is_that_of_the_trace)
{
    Pair pair = open_pair();
    CHECK(answers_with(pair.shown, "status", "\"state\":\"loading\""));
    show(&pair);
    CHECK(answers_with(pair.shown, "status", "\"state\":\"ready\",\"phase\":\"done\""));
    CHECK(answers_with(pair.shown, "status",
                       "\"tag\":null,\"warnings\":2,\"complete\":true,\"whole_bytes\":null"));
    const Err err = { .code = ERR_CORRUPT, .message = "changed" };
    session_slot_failed(pair.slot, &err);
    CHECK(answers_with(pair.shown, "status", "\"state\":\"failed\""));
    close_pair(&pair);
}

/* Requests the first picture of a file. Returns the number of answers that wait for the trace; the others are those of the trace. */
static int first_waits(Session *whole, RemoteFile *tiles)
{
    Pair pair = { .whole = whole };
    add_slot(&pair);
    session_slot_shown(pair.slot, tiles);
    awaited = 0;
    for (size_t i = 0; i < sizeof FIRST / sizeof FIRST[0]; i++) {
        const int before = awaited;
        CHECK(is_same(&pair, FIRST[i]) == (awaited == before));
    }
    session_destroy(pair.shown);
    return awaited;
}

TEST(a_damaged_part_waits_for_the_trace)
{
    Pair     pair = open_pair();
    Bytes    file = { 0 };
    unsigned waiting = 0, refused = 0;
    Err      err;
    CHECK_DONE(file_read_whole(pair.path, &file, &err), err);
    for (size_t at = 64; at < file.size; at += 61) {
        file.data[at] ^= 4;
        CHECK_DONE(file_write_whole(pair.path, file.data, file.size, &err), err);
        file.data[at] ^= 4;
        RemoteFile *tiles = remote_open_file(pair.path, VARVE_COARSE_LEVELS, &err);
        refused += tiles == NULL;
        waiting += tiles != NULL && first_waits(pair.whole, tiles) > 0;
    }
    CHECK(waiting > 3 && refused > 3);
    bytes_release(&file);
    close_pair(&pair);
}

TEST_MAIN("session_kept", TEST_CASE(the_tiles_answer_as_the_checked_trace),
          TEST_CASE(other_requests_wait_for_the_trace), TEST_CASE(statements_wait_for_the_trace),
          TEST_CASE(the_status_is_that_of_the_trace), TEST_CASE(a_damaged_part_waits_for_the_trace))
