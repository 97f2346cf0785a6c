/* Growing traces in a session: the test acts as a receiver by replacing one finished trace with a longer one. */
#include "app/session/live_source.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                                 \
    "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":20},"                               \
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":7,\"tid\":1,\"ts\":12,\"dur\":3},"                                 \
    "{\"ph\":\"i\",\"name\":\"one\",\"pid\":7,\"tid\":1,\"ts\":20,\"s\":\"t\"},"                             \
    "{\"ph\":\"i\",\"name\":\"two\",\"pid\":7,\"tid\":1,\"ts\":20,\"s\":\"t\"},"                             \
    "{\"ph\":\"s\",\"name\":\"wake\",\"cat\":\"c\",\"id\":1,\"pid\":7,\"tid\":1,\"ts\":13},"                 \
    "{\"ph\":\"f\",\"name\":\"wake\",\"cat\":\"c\",\"id\":1,\"pid\":7,\"tid\":1,\"ts\":25,\"bp\":\"e\"}"
#define LATER ",{\"ph\":\"X\",\"name\":\"h\",\"pid\":7,\"tid\":1,\"ts\":50,\"dur\":8}"
/* A thread that is before the other: ids move. */
#define OTHER                                                                                                \
    ",{\"ph\":\"i\",\"name\":\"first\",\"pid\":3,\"tid\":1,\"ts\":60,\"s\":\"t\"}"                           \
    ",{\"ph\":\"X\",\"name\":\"early\",\"cat\":\"net\",\"pid\":3,\"tid\":1,\"ts\":60,\"dur\":1}"

typedef struct Growing {
    Session    *session;
    LiveSource *source;
    Loaded      stages[3]; /* owned */
    Trace       trace;     /* the served trace: a copy of a stage's */
    Loaded      served;
} Growing;

static void growing_begin(Growing *g)
{
    static const char *const TEXTS[] = { HEAD "]", HEAD LATER "]", HEAD LATER OTHER "]" };
    Err                      err;
    *g = (Growing){ .session = session_create() };
    CHECK(g->session != NULL);
    for (int i = 0; i < 3; i++)
        CHECK_DONE(load_bytes(TEXTS[i], strlen(TEXTS[i]), "feed", &(LoadOptions){ .threads = 1 },
                              &g->stages[i], &err),
                   err);
    g->trace = *g->stages[0].trace;
    g->served = g->stages[0];
    g->served.trace = &g->trace;
    g->source = session_add_live(g->session, &g->served, NULL, &err);
    CHECK(g->source != NULL);
}

static void growing_end(Growing *g)
{
    session_destroy(g->session);
    for (int i = 0; i < 3; i++)
        loaded_release(&g->stages[i]);
}

static void grow(Growing *g, int stage, SourceChange change)
{
    CHECK(live_source_begin(g->source, 1000));
    g->trace = *g->stages[stage].trace;
    live_source_end(g->source, &change);
}

static bool answers(Growing *g, const char *request, const char *piece)
{
    Answer answer = session_answer(g->session, request);
    CHECK_INT(answer.status, SESSION_OK);
    CHECK(!answer.immutable);
    bytes_append(&answer.body, "", 1);
    bool found = strstr((const char *)answer.body.data, piece) != NULL;
    if (!found) (void)fprintf(stderr, "%s answers %s\n", request, (const char *)answer.body.data);
    bytes_release(&answer.body);
    return found;
}

static SessionStatus status_of(Growing *g, const char *request)
{
    Answer answer = session_answer(g->session, request);
    bytes_release(&answer.body);
    return answer.status;
}

static uint64_t tag_of(Growing *g, const char *request)
{
    Answer answer = session_answer(g->session, request);
    bytes_release(&answer.body);
    return answer.tag;
}

TEST(changes_have_the_tick_from_which_all_is_new)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "changes?trace=0&since=0", "\"from\":\"0\",\"span\":\"20000\",\"slices\":2"));
    CHECK(answers(&g, "changes?trace=0&since=1", "\"from\":null"));
    grow(&g, 1, (SourceChange){ .any = true, .from_tick = 50000 });
    CHECK(answers(&g, "changes?trace=0&since=1", "\"from\":\"40000\",\"span\":\"48000\",\"slices\":3"));
    CHECK(answers(&g, "changes?trace=0&since=1", "\"generation\":2,\"shape\":1,\"tracks\":1"));
    grow(&g, 1, (SourceChange){ .any = true, .from_tick = 30000 });
    grow(&g, 1, (SourceChange){ .any = true, .from_tick = 58000 });
    CHECK(answers(&g, "changes?trace=0&since=2", "\"from\":\"20000\"")); /* the earliest of both */
    CHECK(answers(&g, "changes?trace=0&since=3", "\"from\":\"48000\""));
    grow(&g, 1, (SourceChange){ .any = false });
    CHECK(answers(&g, "changes?trace=0&since=4", "\"from\":null"));
    CHECK(answers(&g, "changes?trace=0&since=99", "\"from\":\"0\"")); /* of another run of the program */
    for (int i = 0; i < 400; i++)
        grow(&g, 1, (SourceChange){ .any = true, .from_tick = 58000 });
    CHECK(answers(&g, "changes?trace=0&since=300", "\"from\":\"48000\""));
    CHECK(answers(&g, "changes?trace=0&since=4", "\"from\":\"0\"")); /* older than the stored changes */
    growing_end(&g);
}

TEST(what_was_learned_of_an_older_shape_is_refused)
{
    Growing g;
    growing_begin(&g);
    CHECK_INT(status_of(&g, "slice?trace=0&id=1&shape=1"), SESSION_OK);
    uint64_t before = tag_of(&g, "outline?trace=0");
    CHECK_UINT(before, tag_of(&g, "outline?trace=0"));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true, .from_tick = 58000 });
    CHECK(tag_of(&g, "outline?trace=0") != before);
    CHECK_INT(status_of(&g, "slice?trace=0&id=1&shape=1"), SESSION_MOVED);
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0&shape=1"), SESSION_MOVED);
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0&shape=2"), SESSION_OK);
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0&shape=x"), SESSION_BAD_REQUEST);
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0"), SESSION_OK);
    CHECK(answers(&g, "changes?trace=0&since=1", "\"from\":\"0\"")); /* whatever the change reported */
    CHECK(answers(&g, "changes?trace=0&since=1", "\"generation\":2,\"shape\":2,\"tracks\":2"));
    growing_end(&g);
}

/* Slices may be renumbered when tracks are not: then requests by track still work. */
TEST(tracks_keep_their_numbers_longer_than_slices)
{
    Growing g;
    growing_begin(&g);
    grow(&g, 1, (SourceChange){ .any = true, .shape = true, .from_tick = 50000 });
    CHECK(answers(&g, "changes?trace=0&since=1", "\"shape\":2,\"tracks\":1"));
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0&shape=1"), SESSION_OK);
    CHECK_INT(status_of(&g, "slice?trace=0&track=1&row=0&begin=0&shape=1"), SESSION_OK);
    CHECK_INT(status_of(&g, "slice?trace=0&id=1&shape=1"), SESSION_MOVED);
    CHECK_INT(status_of(&g, "categories?trace=0&shape=1"), SESSION_OK);
    CHECK_INT(status_of(&g, "tiles?trace=0&keys=1.0.0.0&shape=3"), SESSION_MOVED);
    growing_end(&g);
}

TEST(a_slice_is_found_again_by_its_place)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "find?trace=0&text=g", "\"track\":1,\"row\":1,\"slice\":1,\"begin\":\"2000\""));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true });
    CHECK(answers(&g, "find?trace=0&text=g", "\"track\":2,\"row\":1,\"slice\":3,\"begin\":\"2000\""));
    CHECK(answers(&g, "slice?trace=0&track=2&row=1&begin=2000", "\"slice\":3"));
    CHECK(answers(&g, "slice?trace=0&track=2&row=0&begin=40000", "\"slice\":2"));
    CHECK(answers(&g, "near?trace=0&track=2&row=1&begin=2000&move=parent", "\"slice\":1"));
    CHECK_INT(status_of(&g, "slice?trace=0&track=2&row=0&begin=40001"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "slice?trace=0&track=2&row=7&begin=0"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "slice?trace=0&track=9&row=0&begin=0"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "slice?trace=0&track=2&row=0"), SESSION_BAD_REQUEST);
    growing_end(&g);
}

/* An id together with the place distinguishes instants at the same time, as long as it is the id of one of them. */
TEST(an_instant_is_found_again_by_its_place)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "instant?trace=0&id=1", "\"name\":\"two\""));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true });
    CHECK_INT(status_of(&g, "instant?trace=0&id=1&shape=1"), SESSION_MOVED);
    CHECK_INT(status_of(&g, "instant?trace=0&id=1&track=1&row=1&begin=10000&shape=1"), SESSION_MOVED);
    CHECK(answers(&g, "instant?trace=0&id=2&track=2&row=1&begin=10000&shape=2", "\"name\":\"two\""));
    CHECK(answers(&g, "instant?trace=0&id=1&track=2&row=1&begin=10000", "\"name\":\"one\""));
    CHECK(answers(&g, "instant?trace=0&id=0&track=2&row=1&begin=10000", "\"name\":\"one\""));
    CHECK(answers(&g, "near?trace=0&instant=2&track=2&row=1&begin=10000&move=previous", "\"mark\":{"));
    CHECK(answers(&g, "near?trace=0&instant=0&track=2&row=1&begin=10000&move=parent", "\"slice\":1"));
    CHECK_INT(status_of(&g, "instant?trace=0&id=1&track=2&row=1&begin=10001"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "instant?trace=0&id=1&track=2&row=7&begin=10000"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "instant?trace=0&track=2&row=1&begin=10000"), SESSION_BAD_REQUEST);
    growing_end(&g);
}

TEST(an_arrow_is_found_again_by_the_place_of_an_end)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "flow?trace=0&id=0", "\"slice_name\":\"g\""));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true });
    CHECK_INT(status_of(&g, "flow?trace=0&id=0&shape=1"), SESSION_MOVED);
    CHECK(answers(&g, "flow?trace=0&track=2&row=1&begin=3000&end=from&shape=2", "\"slice_name\":\"f\""));
    CHECK(answers(&g, "flow?trace=0&track=2&row=0&begin=15000&end=to", "\"slice_name\":\"g\""));
    CHECK_INT(status_of(&g, "flow?trace=0&track=2&row=0&begin=15000&end=from"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "flow?trace=0&track=2&row=0&begin=18446744073709551615&end=to"),
              SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "flow?trace=0&track=2&row=0&begin=15000&end=both"), SESSION_BAD_REQUEST);
    growing_end(&g);
}

TEST(status_says_how_receiving_goes_on)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "status", "\"listens\":null,"));
    session_listens(g.session, "udp:127.0.0.1:5000");
    CHECK(answers(&g, "status", "\"listens\":\"udp:127.0.0.1:5000\","));
    CHECK(answers(&g, "status",
                  "\"live\":{\"generation\":1,\"shape\":1,\"tracks\":1,\"state\":\"receiving\",\"bytes\":0"));
    live_source_report(g.source, &(LiveReport){ .state = LIVE_ENDED,
                                                .bytes = 4096,
                                                .events = 97,
                                                .lost = 3,
                                                .skipped = 5,
                                                .dropped = 6,
                                                .unshown = 7 });
    CHECK(answers(&g, "changes?trace=0&since=1",
                  "\"live\":{\"generation\":1,\"shape\":1,\"tracks\":1,\"state\":\"ended\",\"bytes\":4096,"
                  "\"events\":97,"
                  "\"lost\":3,\"skipped\":5,\"dropped\":6,\"unshown\":7}"));
    grow(&g, 1, (SourceChange){ .any = true, .from_tick = 50000 });
    CHECK(answers(&g, "info?trace=0", "\"bytes\":4096"));
    growing_end(&g);
}

TEST(a_trace_that_does_not_grow_has_no_changes)
{
    Growing g;
    Loaded  loaded;
    Err     err;
    growing_begin(&g);
    CHECK_DONE(load_bytes(HEAD "]", strlen(HEAD "]"), "still", &(LoadOptions){ .threads = 1 }, &loaded, &err),
               err);
    CHECK(session_add_loaded(g.session, &loaded));
    CHECK_INT(status_of(&g, "changes?trace=1&since=0"), SESSION_NOT_FOUND);
    CHECK_INT(status_of(&g, "outline?trace=1&shape=9"), SESSION_OK);
    CHECK(answers(&g, "status", "\"copy_of\":null,\"by_page\":false,\"live\":null}"));
    CHECK(answers(&g, "changes?trace=0&since=0", "\"traces\":2"));
    growing_end(&g);
}

/* A filter of an older state of the trace must not be used. */
TEST(filters_are_made_anew_when_the_trace_has_changed)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "stats?trace=0&hide=0", "\"slices\":0"));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true });
    CHECK(answers(&g, "stats?trace=0&hide=0", "\"slices\":1"));
    growing_end(&g);
}

/* The cached call tree belongs to one generation. */
TEST(flame_graphs_are_counted_anew_when_the_trace_has_changed)
{
    Growing g;
    growing_begin(&g);
    CHECK(answers(&g, "flame?trace=0&hide=0", "\"all\":{\"count\":0,"));
    grow(&g, 2, (SourceChange){ .any = true, .shape = true });
    CHECK(answers(&g, "flame?trace=0&hide=0", "\"all\":{\"count\":1,"));
    growing_end(&g);
}

TEST_MAIN("session_live", TEST_CASE(changes_have_the_tick_from_which_all_is_new),
          TEST_CASE(what_was_learned_of_an_older_shape_is_refused),
          TEST_CASE(flame_graphs_are_counted_anew_when_the_trace_has_changed),
          TEST_CASE(tracks_keep_their_numbers_longer_than_slices),
          TEST_CASE(a_slice_is_found_again_by_its_place), TEST_CASE(an_instant_is_found_again_by_its_place),
          TEST_CASE(an_arrow_is_found_again_by_the_place_of_an_end),
          TEST_CASE(status_says_how_receiving_goes_on), TEST_CASE(a_trace_that_does_not_grow_has_no_changes),
          TEST_CASE(filters_are_made_anew_when_the_trace_has_changed))
