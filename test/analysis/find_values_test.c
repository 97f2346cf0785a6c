#include "analysis/find_values.h"

#include "analysis/find.h"
#include "analysis/random_trace.h"

#include <stdio.h>
#include <string.h>

/* The details of the events of a made-up file: slice i has the text of i, and a tree around it. */
static bool say(void *context, const OrderedEvent *event, StringView *args, StringView *other)
{
    char *text = context;
    if (event->kind == ORDER_SLICE && event->id % 13 == 5) return false; /* its bytes are damaged */
    int size = snprintf(
        text, 200,
        "{\"number\": %llu, \"deep\": [{\"mode\":\"MODE_%llu\"}, \"\\u00e9\\n\\\"%llu\\\"\"], \"flag\":true}",
        (unsigned long long)event->id, (unsigned long long)(event->id % 7), (unsigned long long)event->id);
    *args = (StringView){ text, (size_t)size };
    *other = STRING_LITERAL("{\"count\": 77, \"why\": [\"because\"]}");
    return true;
}

/* A stretch of a search. `stretch` has all but the pattern. */
static FoundStretch find(const Trace *trace, const char *text, FindStretch stretch)
{
    FoundStretch found = { .ended = false };
    FindPattern  pattern;
    Arena        arena = arena_create(0);
    Err          err;
    CHECK_DONE(find_pattern_parse(&pattern, (StringView){ text, strlen(text) }, &trace->clock, &arena, &err),
               err);
    stretch.pattern = &pattern;
    CHECK_DONE(find_stretch(trace, &stretch, &found, &err), err);
    find_pattern_release(&pattern);
    arena_release(&arena);
    return found;
}

static size_t count_of(const FoundStretch *found)
{
    return vec_count(&found->matches);
}

static const EventMatch *match_of(const FoundStretch *found, size_t i)
{
    CHECK(i < count_of(found));
    return &found->matches.items[i];
}

/* "key=value" of a match, "id" of its event in front. */
static void check_match(const FoundStretch *found, size_t i, const char *expected)
{
    const EventMatch *match = match_of(found, i);
    const char       *texts = (const char *)found->texts.data;
    char              text[600];
    (void)snprintf(text, sizeof text, "%.*s=%.*s", (int)match->key_size, texts + match->key_at,
                   (int)match->value_size, texts + match->value_at);
    CHECK(strcmp(text, expected) == 0);
}

static size_t matches_of(const char *text)
{
    char         said[200];
    TestRandom   random = { 7 };
    Trace       *trace = random_trace(&random, 60, 200);
    FoundStretch found = find(trace, text,
                              (FindStretch){ .where = FIND_IN_VALUES,
                                             .sources = &(EventSource){ say, said },
                                             .source_count = 1,
                                             .most = 1000 });
    size_t       count = count_of(&found);
    CHECK(found.ended);
    found_stretch_release(&found);
    trace_release(trace);
    return count;
}

TEST(values_are_found_wherever_they_stand)
{
    const size_t all = 60 - 5; /* of 60 slices 5, 18, 31, 44 and 57 cannot be read */
    CHECK_UINT(matches_of("mode_3"), 8);
    CHECK_UINT(matches_of("MODE_"), all);
    CHECK_UINT(matches_of("true"), all);
    CHECK_UINT(matches_of("because"), all); /* a text of the other fields */
    CHECK_UINT(matches_of("77"), 0);        /* a number of the other fields */
    CHECK_UINT(matches_of("\xc3\xa9\n\"12\""), 1);
    CHECK_UINT(matches_of("deep"), 0); /* a key alone is not a value */
    CHECK_UINT(matches_of(""), 0);
}

TEST(a_key_narrows_what_is_looked_at)
{
    CHECK_UINT(matches_of("mode=3"), 8);
    CHECK_UINT(matches_of("MODE = mode_3"), 8);
    CHECK_UINT(matches_of("number=3"), 14); /* 3, 13, 23, 43, 53 and 30 to 39 but 31 */
    CHECK_UINT(matches_of("flag="), 55);
    CHECK_UINT(matches_of("flag=false"), 0);
    CHECK_UINT(matches_of("fla=true"), 0);
    CHECK_UINT(matches_of("=true"), 0);
}

TEST(stretches_make_one_search)
{
    char        said[200];
    TestRandom  random = { 3 };
    Trace      *trace = random_trace(&random, 300, 90); /* many begin together */
    FindStretch stretch = {
        .where = FIND_IN_VALUES, .sources = &(EventSource){ say, said }, .source_count = 1, .most = 1000
    };
    FoundStretch whole = find(trace, "mode_2", stretch);
    CHECK(whole.ended && count_of(&whole) > 20);
    char              several[3][200];
    const EventSource readers[] = { { say, several[0] }, { say, several[1] }, { say, several[2] } };
    stretch.sources = readers; /* as many threads find the same */
    stretch.source_count = 3;
    uint64_t unread = 0;
    size_t   at = 0;
    for (OrderedEvent last;;) {
        stretch.most = 1 + at % 3;
        FoundStretch part = find(trace, "mode_2", stretch);
        for (size_t i = 0; i < count_of(&part); i++, at++) {
            CHECK(match_of(&part, i)->event.id == match_of(&whole, at)->event.id);
            check_match(&part, i, "mode=MODE_2");
        }
        unread += part.unread;
        bool ended = part.ended;
        last = part.last;
        stretch.behind = &last;
        found_stretch_release(&part);
        if (ended) break;
        CHECK(at <= count_of(&whole));
    }
    CHECK_UINT(at, count_of(&whole));
    CHECK_UINT(unread, whole.unread);
    CHECK_UINT(whole.unread, 23);
    found_stretch_release(&whole);
    trace_release(trace);
}

TEST(names_are_those_that_find_text_finds)
{
    char         said[200];
    TestRandom   random = { 11 };
    Trace       *trace = random_trace_with_instants(&random, 80, 40, 150);
    FindStretch  stretch = { .where = FIND_IN_NAMES, .most = 1000 };
    FoundStretch names = find(trace, "N3", stretch);
    FindResult   result;
    FindPattern  pattern;
    Arena        arena = arena_create(0);
    Err          err;
    CHECK_DONE(find_pattern_parse(&pattern, STRING_LITERAL("N3"), &trace->clock, &arena, &err), err);
    CHECK_DONE(find_text(trace, &(FindQuery){ .pattern = &pattern }, &result, &err), err);
    find_pattern_release(&pattern);
    arena_release(&arena);
    CHECK(result.count > 3);
    CHECK_UINT(count_of(&names), result.count);
    for (size_t i = 0; i < count_of(&names); i++)
        check_match(&names, i, "=");
    stretch.where = FIND_IN_VALUES;
    EventSource source = { say, said };
    stretch.sources = &source;
    stretch.source_count = 1;
    FoundStretch values = find(trace, "n", stretch); /* in all names: arguments need not be read */
    CHECK_UINT(count_of(&values), 0);
    CHECK_UINT(values.unread, 0);
    found_stretch_release(&names);
    found_stretch_release(&values);
    trace_release(trace);
}

static bool say_long(void *context, const OrderedEvent *event, StringView *args, StringView *other)
{
    Bytes *text = context;
    (void)event;
    bytes_clear(text);
    bytes_append_text(text, "{\"source\":\"");
    for (int i = 0; i < 3000; i++)
        bytes_append_text(text, i == 2000 ? "void main()" : "\xc3\xa4");
    bytes_append_text(text, "\"}");
    *args = (StringView){ (const char *)text->data, text->size };
    *other = STRING_LITERAL("");
    return true;
}

TEST(only_the_part_around_the_match_of_a_long_value_is_shown)
{
    Bytes             text = { 0 };
    TestRandom        random = { 2 };
    Trace            *trace = random_trace(&random, 3, 50);
    FoundStretch      found = find(trace, "VOID MAIN",
                                   (FindStretch){ .where = FIND_IN_VALUES,
                                                  .sources = &(EventSource){ say_long, &text },
                                                  .source_count = 1,
                                                  .most = 1 });
    const EventMatch *match = match_of(&found, 0);
    const char       *value = (const char *)found.texts.data + match->value_at;
    CHECK_UINT(match->value_size, 159 + 2 * strlen("…")); /* half of a character is left out */
    CHECK(memcmp(value, "…\xc3\xa4", strlen("…") + 2) == 0);
    CHECK(memcmp(value + strlen("…") + 40, "void main()", 11) == 0);
    CHECK(!found.ended);
    found_stretch_release(&found);
    trace_release(trace);
    bytes_release(&text);
}

TEST(a_search_fails_in_words_when_memory_is_out)
{
    char       said[200];
    TestRandom random = { 5 };
    Trace     *trace = random_trace(&random, 40, 90);
    bool       done = false;
    for (uint64_t n = 0; !done; n++) {
        FoundStretch found = { .ended = false };
        FindPattern  pattern;
        Arena        arena = arena_create(0);
        Err          err = { .code = ERR_NONE };
        memory_fail_after(n);
        done = find_pattern_parse(&pattern, STRING_LITERAL("mode"), &trace->clock, &arena, &err) &&
               find_stretch(trace,
                            &(FindStretch){ .pattern = &pattern,
                                            .where = FIND_IN_VALUES,
                                            .sources = &(EventSource){ say, said },
                                            .source_count = 1,
                                            .most = 1000 },
                            &found, &err);
        memory_fail_after(UINT64_MAX);
        CHECK(done || err.code == ERR_MEMORY);
        found_stretch_release(&found);
        find_pattern_release(&pattern);
        arena_release(&arena);
        CHECK(n < 200);
    }
    trace_release(trace);
}

TEST_MAIN("find_values", TEST_CASE(values_are_found_wherever_they_stand),
          TEST_CASE(a_key_narrows_what_is_looked_at), TEST_CASE(stretches_make_one_search),
          TEST_CASE(names_are_those_that_find_text_finds),
          TEST_CASE(only_the_part_around_the_match_of_a_long_value_is_shown),
          TEST_CASE(a_search_fails_in_words_when_memory_is_out))
