/* The session's answers about captures of calls: frames, binary data, searches in arguments. */
#include "analysis/find_values.h"
#include "app/session/session.h"
#include "support/golden.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void load(const char *name, Loaded *loaded)
{
    Err  err;
    char path[512];
    fixture_path(name, path, sizeof path);
    CHECK_DONE(load_file(path, &(LoadOptions){ .threads = 1 }, loaded, &err), err);
}

static Session *session_of(const char *name)
{
    Loaded   loaded = { 0 };
    Session *session = session_create();
    load(name, &loaded);
    CHECK(session != NULL && session_add_loaded(session, &loaded));
    return session;
}

/* Returns the body, followed by a zero byte; the caller releases it. */
static Bytes ask(Session *session, SessionStatus expected, const char *request)
{
    Answer answer = session_answer(session, request);
    if (answer.status != expected)
        (void)fprintf(stderr, "%s: %.*s\n", request, (int)answer.body.size, answer.body.data);
    CHECK_INT(answer.status, expected);
    bytes_append(&answer.body, "", 1);
    return answer.body;
}

static bool answers_with(Session *session, SessionStatus expected, const char *request, const char *piece)
{
    Bytes body = ask(session, expected, request);
    bool  holds = strstr((const char *)body.data, piece) != NULL;
    if (!holds) (void)fprintf(stderr, "%s answers %s\n", request, (const char *)body.data);
    bytes_release(&body);
    return holds;
}

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (; (text = strstr(text, piece)) != NULL; text += strlen(piece))
        count++;
    return count;
}

/* Repeats the request until all frames are counted. */
static void count_frames(Session *session)
{
    for (int requests = 0;; requests++) {
        Bytes body = ask(session, SESSION_OK, "frames?trace=0");
        bool  more = strstr((const char *)body.data, "\"next\":null,\"share\":1}") == NULL;
        bytes_release(&body);
        if (!more) return;
        CHECK(requests < 10); /* the file has only one or two blocks */
    }
}

TEST(frames_are_those_of_the_command_line)
{
    Session *session = session_of("apitrace/groups_threads.trace");
    count_frames(session);
    CHECK(answers_with(session, SESSION_OK, "frames?trace=0",
                       "{\"frame\":1,\"first_call\":210,\"calls\":36,\"incomplete\":0,"
                       "\"families\":[13,4,3,2,2,1,11,0,0],\"redundant_state_calls\":3,\"upload_bytes\":292,"
                       "\"ended\":true}"));
    CHECK(answers_with(session, SESSION_OK, "frames?trace=0&from=6", "\"frames\":[{\"frame\":6,"));
    CHECK(answers_with(session, SESSION_OK, "frames?trace=0&from=7",
                       "\"frames\":[],\"next\":null,\"share\":1"));
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "frames?trace=0&from=x", "from="));
    session_destroy(session);
    session = session_of("cli/odd_kinds.json");
    CHECK(answers_with(session, SESSION_NOT_FOUND, "frames?trace=0", "not a capture of calls"));
    session_destroy(session);
}

TEST(frames_of_a_capture_that_is_cut_short_are_counted_as_far_as_it_goes)
{
    Session *session = session_of("apitrace/truncated.trace");
    count_frames(session);
    CHECK(answers_with(session, SESSION_OK, "frames?trace=0", "\"ended\":false}],\"next\":null"));
    session_destroy(session);
}

/* Returns the id of the slice of the first match. */
static uint64_t slice_of(Session *session, const char *request)
{
    Bytes       body = ask(session, SESSION_OK, request);
    uint64_t    slice = UINT64_MAX;
    const char *at = strstr((const char *)body.data, "\"slice\":");
    CHECK(at != NULL && sscanf(at, "\"slice\":%" SCNu64, &slice) == 1);
    bytes_release(&body);
    return slice;
}

/* Reads all bytes of the stream, decompressed. */
static void read_stream(const char *name, Bytes *out)
{
    Loaded loaded = { 0 };
    load(name, &loaded);
    for (size_t got = 1; got > 0;) {
        void *room = bytes_reserve(out, 1 << 16);
        CHECK(room != NULL);
        got = loaded.store.read(loaded.store.context, out->size, room, 1 << 16);
        bytes_grow(out, got);
    }
    loaded_release(&loaded);
}

static bool holds(const Bytes *stream, const void *bytes, size_t size)
{
    for (size_t at = 0; at + size <= stream->size; at++) {
        if (memcmp(stream->data + at, bytes, size) == 0) return true;
    }
    return false;
}

TEST(a_blob_is_given_byte_for_byte)
{
    static const char NAME[] = "apitrace/es2gears_brotli.trace";
    char              request[128];
    Session          *session = session_of(NAME);
    uint64_t          slice = slice_of(session, "find?trace=0&text=glBufferData");
    Bytes             stream = { 0 };
    read_stream(NAME, &stream);
    (void)snprintf(request, sizeof request, "slice?trace=0&id=%" PRIu64, slice);
    CHECK(answers_with(session, SESSION_OK, request, "\"data\":{\"bytes\":22992,\"hex\":\"59 c5 8a 40 "));
    CHECK(answers_with(session, SESSION_OK, request, " ...\",\"blob\":0}"));
    (void)snprintf(request, sizeof request, "blob?trace=0&id=%" PRIu64 "&number=0", slice);
    Answer answer = session_answer(session, request);
    CHECK_INT(answer.status, SESSION_OK);
    CHECK(strcmp(answer.content_type, "application/octet-stream") == 0);
    CHECK_UINT(answer.body.size, 22992);
    CHECK(memcmp(answer.body.data, "\x59\xc5\x8a\x40", 4) == 0);
    CHECK(holds(&stream, answer.body.data, answer.body.size));
    (void)snprintf(request, sizeof request, "blob?trace=0&id=%" PRIu64 "&number=1", slice);
    CHECK(answers_with(session, SESSION_NOT_FOUND, request, "there is no blob 1"));
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "blob?trace=0&id=1", "number="));
    CHECK(answers_with(session, SESSION_NOT_FOUND, "blob?trace=0&id=99999999&number=0", "there is no slice"));
    bytes_release(&answer.body);
    bytes_release(&stream);
    session_destroy(session);
}

TEST(arguments_are_searched_by_names_of_enums_and_bits_and_in_backtraces)
{
    Session *session = session_of("apitrace/groups_threads.trace");
    Bytes    found = ask(session, SESSION_OK, "search?trace=0&text=gl_color_buffer_bit");
    CHECK_UINT(count_of((const char *)found.data, "\"name\":\"glClear\",\"label\":"), 6);
    CHECK_UINT(count_of((const char *)found.data, "\"at\":\"call "), 6);
    CHECK_UINT(count_of((const char *)found.data,
                        "\"key\":\"mask\",\"value\":\"GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT\""),
               6);
    CHECK(strstr((const char *)found.data, "\"labels\":[],\"next\":null,\"share\":1,\"unread\":0}") != NULL);
    bytes_release(&found);
    CHECK(
        answers_with(session, SESSION_OK, "search?trace=0&text=source%3Dapplication", "\"key\":\"source\""));
    CHECK(answers_with(session, SESSION_OK, "search?trace=0&text=glClear&in=values", "{\"matches\":[],"));
    found = ask(session, SESSION_OK, "search?trace=0&text=glClear&in=names");
    CHECK(count_of((const char *)found.data, "\"value\":null") > 6);
    CHECK(strstr((const char *)found.data, "\"labels\":[]") == NULL);
    bytes_release(&found);
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "search?trace=0&text=a&in=dreams", "in="));
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "search?trace=0", "text="));
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "search?trace=0&text=a&behind=s99999999", "behind="));
    CHECK(answers_with(session, SESSION_BAD_REQUEST, "search?trace=0&text=a&behind=", "behind="));
    CHECK(answers_with(session, SESSION_OK, "search?trace=0&text=gl_color_buffer_bit&behind=s0",
                       "\"matches\":[{"));
    session_destroy(session);
    session = session_of("apitrace/backtrace.trace");
    CHECK(answers_with(session, SESSION_OK, "search?trace=0&text=gldemo.c",
                       "\"key\":\"file\",\"value\":\"/opt/gldemo/gldemo.c\""));
    session_destroy(session);
}

/* ---- events that a search skips before their arguments are written ---- */

typedef struct Reread {
    DetailReader *reader;
    EventDetails  details;
    uint64_t      left_out;
} Reread;

static bool reread(void *context, const OrderedEvent *event, StringView *args, StringView *other)
{
    Reread *r = context;
    Err     err;
    bool    done = event->kind == ORDER_SLICE ? detail_reader_slice(r->reader, event->id, &r->details, &err)
                                              : detail_reader_instant(r->reader, event->id, &r->details, &err);
    r->left_out += r->details.args.size == 0;
    *args = (StringView){ r->details.args.size == 0 ? "" : (const char *)r->details.args.data,
                          r->details.args.size };
    *other = (StringView){ r->details.other.size == 0 ? "" : (const char *)r->details.other.data,
                           r->details.other.size };
    return done;
}

static bool may_match(const void *context, const StringView *key, StringView value)
{
    return find_pattern_may_match(context, key, value);
}

/* Readers write the arguments of all events, or only of events that may match. */
typedef enum { READ_ALL, READ_SOME } ReadRule;

/* Appends all matches of a search, as their ids and texts. Returns the number of skipped events. */
static uint64_t search_all(const Loaded *loaded, const FindPattern *pattern, ReadRule rule, Bytes *found)
{
    Arena        arena = arena_create(0);
    DetailTest   test = { may_match, pattern };
    Reread       r = { .reader = detail_reader_create(&arena, loaded),
                       .details = { .test = rule == READ_ALL ? NULL : &test } };
    FindStretch  stretch = { .pattern = pattern,
                             .where = FIND_IN_VALUES,
                             .sources = &(EventSource){ reread, &r },
                             .source_count = 1,
                             .most = UINT64_MAX };
    OrderedEvent last;
    bool         ended = false;
    while (!ended) {
        FoundStretch part = { .ended = false };
        Err          err;
        CHECK_DONE(find_stretch(loaded->trace, &stretch, &part, &err), err);
        const EventMatch *matches = part.matches.items;
        for (size_t i = 0; i < vec_count(&part.matches); i++)
            bytes_append(found, &matches[i].event.id, sizeof matches[i].event.id);
        bytes_append(found, part.texts.data, part.texts.size);
        bytes_append(found, &part.unread, sizeof part.unread);
        ended = part.ended;
        last = part.last;
        stretch.behind = &last;
        found_stretch_release(&part);
    }
    bytes_release(&r.details.args);
    bytes_release(&r.details.other);
    detail_reader_release(r.reader);
    arena_release(&arena);
    return r.left_out;
}

TEST(what_is_left_out_of_a_search_holds_nothing_of_it)
{
    static const char *const FILES[] = { "apitrace/groups_threads.trace", "apitrace/synthetic_kinds_v6.trace",
                                         "apitrace/backtrace.trace", "apitrace/synthetic_v2.trace",
                                         "apitrace/truncated.trace" };
    static const char *const TEXTS[] = { "GL_TEXTURE",
                                         "texture",
                                         "target=texture",
                                         "mode=",
                                         "mode = GL",
                                         "return=",
                                         "return=1",
                                         "1",
                                         "12",
                                         "0x",
                                         "0x1",
                                         "-",
                                         "-1",
                                         ".5",
                                         "e-",
                                         "e+",
                                         "nan",
                                         "inf",
                                         "true",
                                         "null",
                                         "rue",
                                         "?",
                                         "blob=0",
                                         "bytes=1",
                                         "hex=0",
                                         "00 01",
                                         "...",
                                         " | ",
                                         "GL_COLOR_BUFFER_BIT",
                                         "flags=render",
                                         "render",
                                         "fake",
                                         "libGL",
                                         "module=lib",
                                         "line=",
                                         "text=",
                                         "data=",
                                         "=",
                                         "= ",
                                         "nothing like it",
                                         "\xef\xbf\xbd",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "a",
                                         "x",
                                         "nested",
                                         "{",
                                         "call=1",
                                         "incomplete",
                                         "/tex.*[0-9]/",
                                         "\"texture\"",
                                         "gl target=texture",
                                         "return>0" };
    uint64_t                 left_out = 0;
    for (size_t f = 0; f < sizeof FILES / sizeof FILES[0]; f++) {
        Loaded loaded = { 0 };
        size_t matching = 0;
        load(FILES[f], &loaded);
        for (size_t t = 0; t < sizeof TEXTS / sizeof TEXTS[0]; t++) {
            StringView  text = { TEXTS[t], strlen(TEXTS[t]) };
            FindPattern pattern;
            Arena       arena = arena_create(0);
            Err         err;
            Bytes       all = { 0 }, some = { 0 };
            CHECK_DONE(find_pattern_parse(&pattern, text, &loaded.trace->clock, &arena, &err), err);
            (void)search_all(&loaded, &pattern, READ_ALL, &all);
            left_out += search_all(&loaded, &pattern, READ_SOME, &some);
            find_pattern_release(&pattern);
            arena_release(&arena);
            if (all.size != some.size) (void)fprintf(stderr, "%s: %s\n", FILES[f], TEXTS[t]);
            CHECK(all.size == some.size && (all.size == 0 || memcmp(all.data, some.data, all.size) == 0));
            matching += all.size > 2 * sizeof(uint64_t);
            bytes_release(&all);
            bytes_release(&some);
        }
        CHECK(matching > 5);
        loaded_release(&loaded);
    }
    CHECK(left_out > 1000);
}

TEST_MAIN("session_capture", TEST_CASE(what_is_left_out_of_a_search_holds_nothing_of_it),
          TEST_CASE(frames_are_those_of_the_command_line),
          TEST_CASE(frames_of_a_capture_that_is_cut_short_are_counted_as_far_as_it_goes),
          TEST_CASE(a_blob_is_given_byte_for_byte),
          TEST_CASE(arguments_are_searched_by_names_of_enums_and_bits_and_in_backtraces))
