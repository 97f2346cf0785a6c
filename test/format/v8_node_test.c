/* The fast parser of nodes reads the spelling of V8, and leaves other spellings to the general one: profile/v8_profile.c. */
#include "format/trace_event/profile/v8_profile.h"

#include "support/test.h"

#include <string.h>

static bool is_read(const char *node, V8NodeText *text)
{
    const uint8_t *const at = (const uint8_t *)node, *stop = at;
    const bool           done = v8_node_text_usual(at, at + strlen(node), text, &stop);
    CHECK(!done || *stop == ',');
    return done;
}

TEST(nodes_as_v8_writes_them_are_read_at_once)
{
    V8NodeText text;
    CHECK(is_read(
        "{\"id\":7,\"callFrame\":{\"functionName\":\"f{\",\"scriptId\":\"0\",\"url\":\"\",\"lineNumber\":-1,"
        "\"columnNumber\":12},\"hitCount\":3,\"children\":[8,9],\"positionTicks\":[{\"line\":1,"
        "\"ticks\":3}]},",
        &text));
    CHECK(json_is(&text.id, JSON_NUMBER, "7"));
    CHECK(json_is(&text.function, JSON_STRING, "f{"));
    CHECK(json_is(&text.url, JSON_STRING, ""));
    CHECK(json_is(&text.line, JSON_NUMBER, "-1"));
    CHECK(json_is(&text.column, JSON_NUMBER, "12"));
    CHECK(json_is(&text.hits, JSON_NUMBER, "3"));
    CHECK(json_is(&text.children, JSON_ARRAY, "[8,9]"));
    CHECK(text.parent.kind == JSON_NOTHING);
}

TEST(other_spellings_are_left_to_the_general_parser)
{
    static const char *const OTHERS[] = { "",
                                          "[1],",
                                          "{},",
                                          "{\"id\": 7},",
                                          "{\"id\":7 },",
                                          "{\"id\":7.5},",
                                          "{\"id\":null},",
                                          "{\"id\":7,},",
                                          "{\"\\u0069d\":7},",
                                          "{\"id\":7,\"callFrame\":{\"url\":\"\\n\"}},",
                                          "{\"id\":7",
                                          "{\"id\":7,\"children\":[8" };
    V8NodeText               text;
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        CHECK(!is_read(OTHERS[i], &text));
}

TEST_MAIN("v8_node", TEST_CASE(nodes_as_v8_writes_them_are_read_at_once),
          TEST_CASE(other_spellings_are_left_to_the_general_parser))
